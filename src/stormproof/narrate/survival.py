"""What is wrong where a run against survival ends: deadlock, livelock, divergence, messages left behind."""

from __future__ import annotations

from collections.abc import Iterator

from ..model.actions import Channel, Receive, Send, channel_of
from ..model.phrases import arrow, content, listed, named
from ..model.process import Process
from ..model.run import Act
from .reason import RunEnd, situations


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
    for channel, word in end.held.items():
        receiver = end.system[channel.receiver]
        taken = receiver.receives(end.state(receiver.name)) if _waits(end, receiver) else ()
        reads = any(action.peer == channel.sender for action in taken)
        if reads and Receive(channel.sender, word[0]) not in taken:
            yield f"{receiver.name} does not receive {named(word[0], channel.sender)} from {channel.sender}"


def _waits(end: RunEnd, process: Process) -> bool:
    state = end.state(process.name)
    return state not in process.crashed_states and bool(process.receives(state))


def _livelock(end: RunEnd) -> str:
    return f"livelock: {listed(_rounds(end))} for ever, and nobody comes to rest"


def _rounds(end: RunEnd) -> list[str]:
    steps = end.witness.steps[_repeats_from(end) :]
    names = dict.fromkeys(step.process for step in steps if isinstance(step, Act))
    verb = "loops" if len(names) == 1 else "loop"
    return [f"{listed(names)} {verb}"]


def _repeats_from(end: RunEnd) -> int:
    return end.witness.loop_from or end.witness.calm_from or 0


def _divergence(end: RunEnd) -> str:
    growing = [arrow(channel) for channel in end.held if _sends_more(end, channel)]
    verb = "grows" if len(growing) == 1 else "grow"
    where = f" while {listed(growing)} {verb}" if growing else ""
    return f"divergence: {listed(_rounds(end))} for ever{where}"


def _sends_more(end: RunEnd, channel: Channel) -> bool:
    """Does the part that repeats send more on the channel than it receives?"""
    acts = [s for s in end.witness.steps[_repeats_from(end) :] if isinstance(s, Act)]
    sent = sum(isinstance(a.action, Send) and channel_of(a.process, a.action) == channel for a in acts)
    received = sum(isinstance(a.action, Receive) and channel_of(a.process, a.action) == channel for a in acts)
    return sent > received


def left_behind(end: RunEnd) -> str:
    """`everybody rests, and a1 is left in A→B`."""
    left = [f"{content(c, w)} in {arrow(c)}" for c, w in end.held.items() if _matters(end, c)]
    return f"everybody rests, and {listed(left)} is left behind"


def _matters(end: RunEnd, channel: Channel) -> bool:
    return end.state(channel.receiver) not in end.system[channel.receiver].crashed_states


def reached(end: RunEnd) -> str:
    """Where everybody stands in the configuration that must never be reached."""
    return "it is reached: " + situations(end)
