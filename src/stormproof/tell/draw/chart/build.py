"""A run as a message sequence chart: data that every renderer reads. A step of the run is an *instant*."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ....errors import InputError
from ....kernel.model.actions import Channel, Crash, Internal, Message, Receive, Send, pair_of
from ....kernel.model.message_tracking import Flight, MessageTracker
from ....kernel.model.phrases import arrow, counted, listed, own_actions, short_place
from ....kernel.model.process import Process
from ....kernel.model.repetition import repetition
from ....kernel.model.run import Act, LinkCut, Step, Witness
from ....kernel.model.system import System
from ....kernel.semantics.observing import watched_run
from .data import Chart, EventKind, Lifeline, LocalEvent, Span, Wait
from .folding import folds_of

__all__ = [
    "Chart",
    "EventKind",
    "Lifeline",
    "LocalEvent",
    "Span",
    "Wait",
    "chart",
    "describe_act",
    "descriptions",
]

#: The kinds of faults of processes that have a sign of their own.
_PROCESS_FAULTS = {"stop": EventKind.STOP, "restart": EventKind.RESTART}


def chart(
    system: System,
    witness: Witness,
    *,
    title: str = "",
    fold: bool = True,
    repeats: int | None = None,
) -> Chart:
    """The chart of a run. Raises InputError where the witness is no run of the channels or names no state.

    The steps from `repeats` on are repeated for ever; by default, those of which the run itself says so.
    """
    waited: Mapping[int, int] = {}
    if not any(isinstance(s, Act) and s.passes_time and s.process in system for s in witness.steps):
        witness, waited = witness.without_time()
    builder = _ChartBuilder(system, witness, waited)
    for instant, step in enumerate(witness.steps):
        builder.take(instant, step)
    builder.messages.finish()
    repeats, grows = repetition(system, witness, repeats)
    builder.repeats = repeats
    flights, culprit = tuple(builder.messages.flights), builder.culprit()
    signatures = _signatures(system, witness, flights, culprit)
    for instant in (i for spans in builder.watched.values() for i, _ in spans if i >= 0):
        signatures[instant] = (signatures[instant], instant)  # what an observer counts is never folded
    no_return = _no_return(witness)
    cuts = [at for at in (repeats, no_return) if at is not None]
    folds = folds_of(signatures, _together(flights), cuts) if fold else ()
    contents = tuple(builder.contents)
    lifelines, places = builder.lifelines(), builder.places()
    drawn = (witness.steps, flights, folds, title, culprit, repeats, grows, contents)
    return Chart(lifelines, *drawn, places, no_return)


def _no_return(witness: Witness) -> int | None:
    """The point of no return, unless the run begins or ends there."""
    at = witness.calm_from
    if at is None or not witness.ending or not 0 < at < len(witness.steps):
        return None
    return at


class _ChartBuilder:
    """Follows the run: its messages, the local states, who crashes and who waits at the end."""

    def __init__(self, system: System, witness: Witness, waited: Mapping[int, int]) -> None:
        self.system = system
        self.witness = witness
        self.waited = waited
        self.repeats: int | None = None
        self.watched = watched_run(system, witness.steps)
        self.messages = MessageTracker()
        self.spans = {p.name: [Span(p.initial, -1)] for p in system}
        self.events: dict[str, list[LocalEvent]] = {p.name: [] for p in system}
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
        if isinstance(step.action, Internal):
            event = LocalEvent(instant, _event_kind(step, step.action), self._name(instant, step.action))
            self.events[step.process].append(event)
        self.last[step.process] = instant
        if self.spans[step.process][-1].state != step.state:
            self.spans[step.process].append(Span(step.state, instant))

    def _name(self, instant: int, action: Internal) -> str:
        """A timer that is on time says how long it has run; another action, how much later it happens."""
        if action.is_timer and self.waited:
            return str(replace(action, after=1)) + f" after {action.after}"
        later = self.waited.get(instant, 0)
        return f"{action} {later} later" if later else str(action)

    def places(self) -> tuple[str, ...]:
        """`waiting is abp.py:11`, for the states that are points of a program, without their variables."""
        found: dict[str, None] = {}
        for process in self.system:
            for span in self.spans[process.name]:
                place = process.place(span.state)
                if place is not None:
                    found[f"{span.state.partition('{')[0]} is {short_place(place)}"] = None
        return tuple(found)

    def culprit(self) -> int | None:
        """The message that the verdict is about: the head of a channel that is never received (k-er), or the
        one whose reception, the last step, closes a cycle (RSC)."""
        named, last = self.witness.culprit, len(self.witness.steps) - 1
        if "action" in named:
            return next((f.index for f in self.messages.flights if f.received == last), None)
        for channel, content in self.contents[-1].items():
            if named.get("channel") == str(pair_of(channel, content[0])):
                head = self.messages.channels[channel][0]
                return head.index if named.get("message", str(content[0])) == str(content[0]) else None
        return None

    def lifelines(self) -> tuple[Lifeline, ...]:
        """Those of the roles, and behind them a column of values for each observer."""
        watched = (
            Lifeline(name, tuple(Span(state, at) for at, state in spans), watches=True)
            for name, spans in self.watched.items()
        )
        return (*self.roles(), *watched)

    def roles(self) -> tuple[Lifeline, ...]:
        return tuple(
            Lifeline(
                p.name,
                tuple(self.spans[p.name]),
                tuple(self.events[p.name]),
                self.last.get(p.name),
                None if self._goes_on(p.name) else self._wait(p),
            )
            for p in self.system
        )

    def _goes_on(self, name: str) -> bool:
        """Does the process act in the part of the run that repeats?"""
        return self.repeats is not None and self.last.get(name, -1) >= self.repeats

    def _wait(self, process: Process) -> Wait | None:
        """Blocked: only receptions and faults leave the state, and no channel starts with one of the former.

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
        if state in process.crashed_states or all(isinstance(r.message, Crash) for r in receives):
            return None
        if process.sends(state) or own_actions(process, state):
            return None
        held = [(c, w) for c, w in self.contents[-1].items() if c.receiver == process.name]
        heads = {(pair_of(c, w[0]).sender, w[0]) for c, w in held}
        return None if any((r.peer, r.message) in heads for r in receives) else Wait(receives)


def _event_kind(step: Act, action: Internal) -> EventKind:
    if action.timeout:
        return EventKind.TIMEOUT
    if step.fault in _PROCESS_FAULTS:
        return _PROCESS_FAULTS[step.fault]
    return EventKind.CRASH if action.crashes else EventKind.INTERNAL


def _together(flights: tuple[Flight, ...]) -> list[tuple[int, ...]]:
    """The instants that the arrow of each message joins; a copy begins where its original does."""
    return [(f.sent, *f.instants) for f in flights]


def _signatures(
    system: System, witness: Witness, flights: tuple[Flight, ...], culprit: int | None
) -> list[object]:
    """What each step looks like in the picture: two instants with equal ones may be folded together."""
    part: dict[int, tuple[object, ...]] = {}
    for flight in flights:
        changes = tuple(c.becomes for c in flight.changes)
        passed = tuple(o.message for o in flight.overtook)
        copy, blamed = flight.copy_of is not None, flight.index == culprit
        look = (flight.channel, flight.message, changes, flight.fate, passed, copy, blamed)
        for place, i in enumerate(flight.instants):
            part[i] = (place, *look)
    state = {p.name: p.initial for p in system}
    signatures: list[object] = []
    for i, step in enumerate(witness.steps):
        if isinstance(step, Act):
            signatures.append((step, state[step.process], part.get(i)))
            state[step.process] = step.state
        elif isinstance(step, LinkCut):
            signatures.append((step, part.get(i)))
        else:
            signatures.append((type(step), part.get(i)))
    return signatures


def descriptions(drawn: Chart) -> list[str]:
    """Every step as a phrase, for lists and for the page."""
    about = {i: flight for flight in drawn.flights for i in flight.instants}
    return [_describe(i, step, about.get(i)) for i, step in enumerate(drawn.steps)]


def _describe(i: int, step: Step, flight: Flight | None) -> str:
    if isinstance(step, Act):
        return describe_act(step)
    if isinstance(step, LinkCut):
        return step.phrase()
    where = f"on {step.channel.sender} → {step.channel.receiver}"
    if step.channel.is_mailbox:
        where = f"in {arrow(step.channel)}"
    passed = [str(o.message) for o in flight.overtook if o.at == i] if flight is not None else []
    if flight is not None and passed:
        return f"{flight.at(i)} overtakes {listed(counted(passed), distinct=False)} {where}"
    return f"{step.phrase()} {where}"


def describe_act(step: Act) -> str:
    """What a process does, as a sentence."""
    if step.passes_time:
        return "a unit of time passes"
    if isinstance(step.action, Send):
        return f"{step.process} sends {step.action.message} to {step.action.peer}"
    if isinstance(step.action, Receive):
        return f"{step.process} receives {step.action.message} from {step.action.peer}"
    return f"{step.process} {step.action.verb}"
