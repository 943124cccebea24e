"""Message sequence charts as data: what a witness says, arranged for the eye.

A step of the witness is an *instant*. A message in flight is followed from its send to the step that
ends it, through every corruption, by replaying the channels as lists of flights; so overtaking, loss and
what is not received are read off the run and not guessed.
"""

from __future__ import annotations

from typing import Any

from ...errors import InputError
from ...model.actions import CRASH, CRASH_ACTION, Channel, Message, Receive, Send, channel_of
from ...model.process import Process
from ...model.run import Act, Corrupt, Lose, Step, Swap, Witness
from ...model.system import System
from .data import Change, Chart, End, Flight, Lifeline, Span, Wait
from .folding import folds_of

__all__ = ["Change", "Chart", "End", "Flight", "Lifeline", "Span", "Wait", "chart", "describe"]


def chart(
    system: System, witness: Witness, *, title: str = "", fold: bool = True, waits: bool = True
) -> Chart:
    """The chart of a run. Raises InputError where the witness is no run of the channels or names no state.

    `waits` False leaves out who waits at the end, for a run that goes on from there.
    """
    tracker = _Tracker(system, witness, waits)
    for instant, step in enumerate(witness.steps):
        tracker.take(instant, step)
    flights = tracker.finish()
    folds = folds_of(_signatures(system, witness, flights), [f.instants for f in flights]) if fold else ()
    return Chart(tracker.lifelines(), witness.steps, flights, folds, title, tuple(tracker.contents))


class _Tracker:
    """Replays the run with channels that hold flights instead of messages."""

    def __init__(self, system: System, witness: Witness, waits: bool = True) -> None:
        self.system = system
        self.witness = witness
        self.waits = waits
        self.flights: list[dict[str, Any]] = []
        self.channels: dict[Channel, list[int]] = {}
        self.spans = {p.name: [Span(p.initial, -1)] for p in system}
        self.crash: dict[str, int] = {}
        self.last: dict[str, int] = {}
        self.contents: list[dict[Channel, tuple[Message, ...]]] = [{}]

    def take(self, instant: int, step: Step) -> None:
        if isinstance(step, Act):
            self._act(instant, step)
        else:
            self._fault(instant, step)
        self.contents.append(
            {c: tuple(self.now(i) for i in word) for c, word in self.channels.items() if word}
        )

    def now(self, flight: int) -> Message:
        data = self.flights[flight]
        message: Message = data["changes"][-1].becomes if data["changes"] else data["message"]
        return message

    def _act(self, instant: int, step: Act) -> None:
        if step.process not in self.system or step.state not in self.system[step.process].states:
            raise InputError(
                f"step {instant} is of {step.process} in {step.state}, which the system does not have"
            )
        action = step.action
        channel = channel_of(step.process, action)
        if isinstance(action, Send):
            assert channel is not None
            self.channels.setdefault(channel, []).append(len(self.flights))
            self.flights.append(
                {
                    "channel": channel,
                    "message": action.message,
                    "sent": instant,
                    "changes": [],
                    "overtakes": (),
                }
            )
        elif isinstance(action, Receive):
            assert channel is not None
            self._receive(instant, channel, action.message)
        elif action.name == CRASH_ACTION:
            self.crash.setdefault(step.process, instant)
        self.last[step.process] = instant
        if self.spans[step.process][-1].state != step.state:
            self.spans[step.process].append(Span(step.state, instant))

    def _receive(self, instant: int, channel: Channel, message: Message) -> None:
        word = self.channels.get(channel, [])
        if not word or self.now(word[0]) != message:
            holds = f"starts with {self.now(word[0])}" if word else "is empty"
            raise InputError(f"step {instant} takes {message} from {channel}, which {holds}")
        taken = word.pop(0)
        passed = tuple(sorted(i for i in word if i < taken))
        self.flights[taken].update(end=End.RECEIVED, ended=instant, overtakes=passed)

    def _fault(self, instant: int, step: Lose | Corrupt | Swap) -> None:
        word = self.channels.get(step.channel, [])
        last = step.position + (1 if isinstance(step, Swap) else 0)
        if step.position < 0 or last >= len(word):
            raise InputError(
                f"step {instant} meddles with place {last} of {step.channel}, which holds {len(word)}"
            )
        if isinstance(step, Swap):
            word[step.position], word[last] = word[last], word[step.position]
            return
        flight = self.flights[word[step.position]]
        before = self.now(word[step.position])
        if before != step.message:
            raise InputError(
                f"step {instant} meddles with {step.message} on {step.channel}, where {before} is"
            )
        if isinstance(step, Lose):
            flight.update(end=End.LOST, ended=instant)
            del word[step.position]
        else:
            flight["changes"].append(Change(instant, before, step.becomes))

    def finish(self) -> tuple[Flight, ...]:
        for word in self.channels.values():
            for position, flight in enumerate(word):
                self.flights[flight]["position"] = position
        culprit = self._culprit()
        return tuple(
            Flight(**{**data, "changes": tuple(data["changes"])}, culprit=i == culprit)
            for i, data in enumerate(self.flights)
        )

    def _culprit(self) -> int | None:
        """The message that the verdict is about: the head of a channel that is never received (k-er), or the
        one whose reception, the last step, closes a cycle (RSC)."""
        named = self.witness.culprit
        if "action" in named:
            ended = [
                i for i, data in enumerate(self.flights) if data.get("ended") == len(self.witness.steps) - 1
            ]
            received = [i for i in ended if self.flights[i]["end"] is End.RECEIVED]
            return received[0] if received else None
        for channel, word in self.channels.items():
            if word and named.get("channel") == str(channel):
                head = str(self.now(word[0]))
                return word[0] if named.get("message", head) == head else None
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
        heads = {
            (c.sender, self.now(w[0])) for c, w in self.channels.items() if w and c.receiver == process.name
        }
        return None if any((r.peer, r.message) in heads for r in receives) else Wait(receives)


def _signatures(system: System, witness: Witness, flights: tuple[Flight, ...]) -> list[object]:
    """What each step looks like in the picture: two instants with equal ones may be folded together."""
    part: dict[int, tuple[object, ...]] = {}
    for flight in flights:
        changes = tuple(c.becomes for c in flight.changes)
        look = (flight.channel, flight.message, changes, flight.end, bool(flight.overtakes), flight.culprit)
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
    if isinstance(step, Lose):
        return f"{step.message} is lost on {step.channel.sender} → {step.channel.receiver}"
    if isinstance(step, Corrupt):
        return f"{step.message} becomes {step.becomes} on {step.channel.sender} → {step.channel.receiver}"
    if isinstance(step, Swap):
        return f"two messages swap on {step.channel.sender} → {step.channel.receiver}"
    if isinstance(step.action, Send):
        return f"{step.process} sends {step.action.message} to {step.action.peer}"
    if isinstance(step.action, Receive):
        return f"{step.process} receives {step.action.message} from {step.action.peer}"
    return (
        f"{step.process} crashes"
        if step.action.name == CRASH_ACTION
        else f"{step.process}: {step.action.name}"
    )
