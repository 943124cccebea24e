"""A run as a message sequence chart: data that every renderer reads. A step of the run is an *instant*."""

from __future__ import annotations

from ...errors import InputError
from ...model.actions import CRASH, Channel, Internal, Message, Receive, Send
from ...model.fault_steps import Fault, Swap
from ...model.message_tracking import Flight, MessageTracker
from ...model.process import Process
from ...model.run import Act, Step, Witness
from ...model.system import System
from .data import Chart, Lifeline, Span, Wait
from .folding import folds_of

__all__ = ["Chart", "Lifeline", "Span", "Wait", "chart", "describe"]


def chart(
    system: System, witness: Witness, *, title: str = "", fold: bool = True, waits: bool = True
) -> Chart:
    """The chart of a run. Raises InputError where the witness is no run of the channels or names no state.

    `waits` False leaves out who waits at the end, for a run that goes on from there.
    """
    builder = _ChartBuilder(system, witness, waits)
    for instant, step in enumerate(witness.steps):
        builder.take(instant, step)
    flights, culprit = builder.finish(), builder.culprit()
    signatures = _signatures(system, witness, flights, culprit)
    folds = folds_of(signatures, [(f.sent, *f.instants) for f in flights]) if fold else ()
    contents = tuple(builder.contents)
    return Chart(builder.lifelines(), witness.steps, flights, folds, title, culprit, contents)


class _ChartBuilder:
    """Follows the run: its messages, the local states, who crashes and who waits at the end."""

    def __init__(self, system: System, witness: Witness, waits: bool = True) -> None:
        self.system = system
        self.witness = witness
        self.waits = waits
        self.messages = MessageTracker()
        self.spans = {p.name: [Span(p.initial, -1)] for p in system}
        self.crash: dict[str, int] = {}
        self.last: dict[str, int] = {}
        self.contents: list[dict[Channel, tuple[Message, ...]]] = [{}]

    def take(self, instant: int, step: Step) -> None:
        if isinstance(step, Act):
            self._act(instant, step)
        self.messages.take(instant, step)
        self.contents.append(self.messages.contents())

    def _act(self, instant: int, step: Act) -> None:
        if step.process not in self.system or step.state not in self.system[step.process].states:
            raise InputError(
                f"step {instant} is of {step.process} in {step.state}, which the system does not have"
            )
        if isinstance(step.action, Internal) and step.action.crashes:
            self.crash.setdefault(step.process, instant)
        self.last[step.process] = instant
        if self.spans[step.process][-1].state != step.state:
            self.spans[step.process].append(Span(step.state, instant))

    def finish(self) -> tuple[Flight, ...]:
        self.messages.finish()
        return tuple(self.messages.flights)

    def culprit(self) -> int | None:
        """The message that the verdict is about: the head of a channel that is never received (k-er), or the
        one whose reception, the last step, closes a cycle (RSC)."""
        named, last = self.witness.culprit, len(self.witness.steps) - 1
        if "action" in named:
            return next((f.index for f in self.messages.flights if f.received == last), None)
        for channel, content in self.contents[-1].items():
            if named.get("channel") == str(channel):
                head = self.messages.channels[channel][0]
                return head.index if named.get("message", str(content[0])) == str(content[0]) else None
        return None

    def lifelines(self) -> tuple[Lifeline, ...]:
        return tuple(
            Lifeline(
                p.name,
                tuple(self.spans[p.name]),
                self.crash.get(p.name),
                self.last.get(p.name),
                self._wait(p) if self.waits else None,
            )
            for p in self.system
        )

    def _wait(self, process: Process) -> Wait | None:
        """Blocked: nothing but receptions leaves the state, and no channel starts with one of them.

        A crashed process waits for nothing, nor does one that is done and only takes crash messages. The
        process that the verdict blames is shown whatever else it could do.
        """
        state = self.spans[process.name][-1].state
        receives = tuple(dict.fromkeys(process.receives(state)))
        named = self.witness.culprit
        if named.get("process") == process.name and named.get("state", state) == state:
            unsent = tuple(s for s in process.sends(state) if str(s) == named.get("action"))
            if unsent and "state" in named:
                return Wait(sends=unsent[:1], culprit=True)
            if receives and "action" not in named:
                return Wait(receives, culprit=True)
        if state in process.crashed_states or all(r.message is CRASH for r in receives):
            return None
        if any(not isinstance(t.action, Receive) for t in process.outgoing(state)):
            return None
        heads = {(c.sender, w[0]) for c, w in self.contents[-1].items() if c.receiver == process.name}
        return None if any((r.peer, r.message) in heads for r in receives) else Wait(receives)


def _signatures(
    system: System, witness: Witness, flights: tuple[Flight, ...], culprit: int | None
) -> list[object]:
    """What each step looks like in the picture: two instants with equal ones may be folded together."""
    part: dict[int, tuple[object, ...]] = {}
    for flight in flights:
        changes = tuple(c.becomes for c in flight.changes)
        passes, blamed = bool(flight.overtakes), flight.index == culprit
        look = (flight.channel, flight.message, changes, flight.fate, passes, blamed)
        for place, i in enumerate(flight.instants):
            part[i] = (place, *look)
    state = {p.name: p.initial for p in system}
    signatures: list[object] = []
    for i, step in enumerate(witness.steps):
        if isinstance(step, Act):
            signatures.append((step, state[step.process], part.get(i)))
            state[step.process] = step.state
        else:
            signatures.append((type(step), step if isinstance(step, Swap) else None, part.get(i)))
    return signatures


def describe(step: Step) -> str:
    """One step as a phrase, for lists and for the page."""
    if isinstance(step, Fault):
        return f"{step.phrase()} on {step.channel.sender} → {step.channel.receiver}"
    if isinstance(step.action, Send):
        return f"{step.process} sends {step.action.message} to {step.action.peer}"
    if isinstance(step.action, Receive):
        return f"{step.process} receives {step.action.message} from {step.action.peer}"
    return f"{step.process} {step.action.deed}"
