"""What is wrong where a run against survival ends: deadlock, livelock, divergence, messages left behind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...kernel.model.actions import Channel, Receive, pair_of
from ...kernel.model.phrases import arrow, clauses, content, listed, named, situation, standing
from ...kernel.model.repetition import repetition
from ...kernel.model.rest import rest_states
from ...kernel.model.run import Act
from .reason import RunEnd


def stuck(end: RunEnd) -> str:
    """Why the protocol cannot come to rest from the end of the run."""
    endings = {"livelock": _livelock, "divergence": _divergence, "rest": _at_rest}
    return endings.get(end.witness.ending, _deadlock)(end)


def _at_rest(end: RunEnd) -> str:
    """Of a goal that must stay possible: the protocol has come to rest elsewhere."""
    return "everybody rests, and the goal is out of reach"


def _deadlock(end: RunEnd) -> str:
    """Which message its receiver does not take; else what is in flight. Who waits is in the chart."""
    blocked = list(_blocked(end))
    if blocked:
        return f"deadlock: {listed(blocked)}"
    flying = [f"{content(c, w)} in {arrow(c)}" for c, w in end.held.items()]
    return f"deadlock, with {listed(flying)}" if flying else "deadlock, and nothing is in flight"


def _blocked(end: RunEnd) -> Iterator[str]:
    """Messages at the head of a channel that their receiver, which waits for others, does not take."""
    rounds = _steps_for_ever(end)
    for channel, word in end.held.items():
        receiver = end.system[channel.receiver]
        states = {step.state for step in rounds if step.process == receiver.name} or {
            end.state(receiver.name)
        }
        taken = [a for s in states - receiver.crashed_states for a in receiver.receives(s)]
        sender = pair_of(channel, word[0]).sender
        reads = any(channel.is_mailbox or action.peer == sender for action in taken)
        if reads and Receive(sender, word[0]) not in taken:
            yield f"{receiver.name} does not receive {named(word[0], sender)} from {sender}"


def _steps_for_ever(end: RunEnd) -> list[Act]:
    """What roles repeat at the end of the run, if any do; time passing is no action (definitions 16.4)."""
    if end.witness.ending not in ("livelock", "divergence"):
        return []
    since = repetition(end.system, end.witness).since
    steps = end.witness.steps[end.witness.calm_from or 0 if since is None else since :]
    return [step for step in steps if isinstance(step, Act) and step.process in end.system.names]


def _livelock(end: RunEnd) -> str:
    return f"livelock: {_rounds(end)}{_without_rest(end)}{_besides(end)}"


def _without_rest(end: RunEnd) -> str:
    """Who waits all the time and does not rest; else who goes round and does not."""
    rest = rest_states(end.system).rest
    states: dict[str, set[str]] = {}
    for step in _steps_for_ever(end):
        states.setdefault(step.process, set()).add(step.state)
    waits = [
        situation(end.system, p, end.state(p.name))
        for p in end.system
        if p.name not in states and end.state(p.name) not in rest[p.name]
    ]
    if waits:
        return f", while {clauses(waits)}"
    never = [name for name, visited in states.items() if not visited & rest[name]]
    return f", and {listed(never)} never {'rests' if len(never) == 1 else 'rest'}" if never else ""


def _rounds(end: RunEnd) -> str:
    names = dict.fromkeys(step.process for step in _steps_for_ever(end))
    return f"{listed(names)} {'loops' if len(names) == 1 else 'loop'} for ever"


def _besides(end: RunEnd) -> str:
    """Which messages are never taken: often that is why it goes on for ever."""
    return "".join(f"; {sentence}" for sentence in _blocked(end))


def _divergence(end: RunEnd) -> str:
    grows = repetition(end.system, end.witness).grows
    verb = "grows" if len(grows) == 1 else "grow"
    where = f" while {listed(map(arrow, grows))} {verb}" if grows else ""
    return f"divergence: {_rounds(end)}{where}{_besides(end)}"


def left_behind(end: RunEnd) -> str:
    """`everybody rests, and a1 is left in A→B`."""
    held = {c: word for c, word in end.held.items() if _matters(end, c)}
    left = [f"{content(c, word)} in {arrow(c)}" for c, word in held.items()]
    verb = "is" if sum(map(len, held.values())) == 1 else "are"
    return f"everybody rests, and {listed(left)} {verb} left behind"


def _matters(end: RunEnd, channel: Channel) -> bool:
    return end.state(channel.receiver) not in end.system[channel.receiver].crashed_states


def reached(end: RunEnd, about: Sequence[str] = ()) -> str:
    """The local states of what must never be reached, those that the goal is `about` first."""
    return f"reached: {standing(end.system, end.witness.states, about)}"
