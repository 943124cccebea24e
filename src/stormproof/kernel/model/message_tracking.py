"""Every message of a run, followed from its send through each fault to how it ends.

The channels are replayed as lists of flights instead of messages, so that what overtook what, what was lost
and what is still in flight at the end is read off the run and not guessed.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ...errors import InputError
from ...records import dataclass
from .actions import Channel, Crash, Message, Receive, Send, channel_of, pair_of
from .fault_steps import Fault
from .run import Act, LinkCut, Step


class Fate(enum.Enum):
    """How the flight of a message ends within the run."""

    RECEIVED = "received"
    LOST = "lost"
    CUT = "lost on a link that is cut"
    OPEN = "not received"


@dataclass(frozen=True)
class Corrupted:
    """A corruption in flight, at a step of the run."""

    at: int
    before: Message
    becomes: Message


@dataclass(frozen=True)
class Overtaking:
    """A message passes another in its channel, at a step of the run: which flight, and its message then."""

    at: int
    passed: int
    message: Message


@dataclass
class Flight:
    """One message from its send to its end; `index` is its number in the order of sending, `channel` the pair
    of processes, also of a message in a mailbox.

    `overtook` are the single steps in which it passed another message, `overtakes` the flights that were sent
    before it and are received after it. `position` is its place in the channel at the end of the run, if
    it is still in flight then. A copy that a channel makes of a message is the flight `copy_of` another one,
    from the same send on; `copied` is the step at which it appeared, `copied_as` the word for it.
    """

    index: int
    channel: Channel
    message: Message
    sent: int
    changes: tuple[Corrupted, ...] = ()
    overtook: tuple[Overtaking, ...] = ()
    overtakes: tuple[int, ...] = ()
    fate: Fate = Fate.OPEN
    ended: int | None = None
    position: int | None = None
    copy_of: int | None = None
    copied: int | None = None
    copied_as: str = ""

    @property
    def now(self) -> Message:
        """The message as it is after the last corruption."""
        return self.changes[-1].becomes if self.changes else self.message

    def at(self, step: int) -> Message:
        """The message as it is just before a step."""
        changes = [c.becomes for c in self.changes if c.at < step]
        return changes[-1] if changes else self.message

    @property
    def received(self) -> int | None:
        return self.ended if self.fate is Fate.RECEIVED else None

    @property
    def lost(self) -> bool:
        return self.fate in (Fate.LOST, Fate.CUT)

    @property
    def since(self) -> int:
        """The step that puts it into the channel: its send or, for a copy, the fault that makes it."""
        return self.sent if self.copied is None else self.copied

    @property
    def instants(self) -> tuple[int, ...]:
        """The steps that are about this message alone: how it begins, what happens to it, how it ends."""
        ends = () if self.ended is None else (self.ended,)
        faults = [*(c.at for c in self.changes), *(o.at for o in self.overtook)]
        return tuple(dict.fromkeys((self.since, *sorted(i for i in faults if i > self.since), *ends)))


class MessageTracker:
    """Follows a run step by step. Raises InputError where a step does not fit what the channels hold."""

    def __init__(self) -> None:
        self.flights: list[Flight] = []
        self.channels: dict[Channel, list[Flight]] = {}
        self.cut: set[Channel] = set()

    def take(self, at: int, step: Step) -> None:
        if isinstance(step, LinkCut):
            self._cut(at, step)
            return
        if not isinstance(step, Act):
            self._fault(at, step)
            return
        channel = channel_of(step.process, step.action)
        if channel is not None and isinstance(step.action, Send):
            self._send(at, channel, step.action.message)
        elif channel is not None and isinstance(step.action, Receive):
            self._receive(at, channel, step.action.message)

    def contents(self) -> dict[Channel, tuple[Message, ...]]:
        """What the channels hold, the head first; empty channels are left out."""
        return {c: tuple(f.now for f in queue) for c, queue in self.channels.items() if queue}

    def finish(self) -> None:
        """Note for the messages still in flight where they stand, and what they have overtaken."""
        for queue in self.channels.values():
            for position, flight in enumerate(queue):
                flight.position = position
                flight.overtakes = _earlier(queue[position + 1 :], flight)

    def _send(self, at: int, channel: Channel, message: Message) -> None:
        flight = Flight(len(self.flights), pair_of(channel, message), message, at)
        self.flights.append(flight)
        if flight.channel in self.cut:
            flight.fate, flight.ended = Fate.CUT, at
        else:
            self.channels.setdefault(channel, []).append(flight)

    def _cut(self, at: int, step: LinkCut) -> None:
        """What is in flight on these channels is lost; in a mailbox the messages of others stay."""
        self.cut.update(step.channels)
        for queue in self.channels.values():
            for flight in queue:
                if flight.channel in step.channels:
                    flight.fate, flight.ended = Fate.CUT, at
            queue[:] = [flight for flight in queue if flight.fate is Fate.OPEN]

    def _receive(self, at: int, channel: Channel, message: Message) -> None:
        queue = self.channels.get(channel, [])
        if not queue or queue[0].now != message:
            holds = f"starts with {queue[0].now}" if queue else "is empty"
            raise InputError(f"step {at} takes {message} from {channel}, which {holds}")
        taken = queue.pop(0)
        taken.fate, taken.ended, taken.overtakes = Fate.RECEIVED, at, _earlier(queue, taken)

    def _fault(self, at: int, step: Fault) -> None:
        queue = self.channels.get(step.channel, [])
        _check_fits(at, step, queue)
        after = step.effect(queue, _Changes(self.flights, at, step))
        for flight in queue:
            if all(flight is not other for other in after):
                flight.fate, flight.ended = Fate.LOST, at
        queue[:] = after
        first, passed = step.passing
        if passed:
            ahead, *behind = queue[first : first + passed + 1]
            ahead.overtook += tuple(Overtaking(at, other.index, other.now) for other in behind)


class _Changes(NamedTuple):
    """What a fault at a step does to flights."""

    flights: list[Flight]
    at: int
    step: Fault

    def become(self, item: Flight, message: str) -> Flight:
        item.changes += (Corrupted(self.at, item.now, message),)
        return item

    def copy(self, item: Flight) -> Flight:
        origin = item.index if item.copy_of is None else item.copy_of
        found = replace(
            item, index=len(self.flights), copy_of=origin, copied=self.at, copied_as=self.step.note
        )
        self.flights.append(found)
        return found


def _check_fits(at: int, step: Fault, queue: Sequence[Flight]) -> None:
    last = step.position + step.touches - 1
    if step.position < 0 or last >= len(queue):
        raise InputError(f"step {at} changes position {last} of {step.channel}, which holds {len(queue)}")
    there = queue[step.position].now
    named = getattr(step, "message", there)
    if named != there and not (isinstance(there, Crash) and named == str(there)):
        raise InputError(f"step {at} changes {named} on {step.channel}, where {there} is")


def _earlier(behind: Sequence[Flight], flight: Flight) -> tuple[int, ...]:
    """The flights behind this one in the queue that were sent before it."""
    return tuple(sorted(other.index for other in behind if other.sent < flight.sent))


def track(steps: Sequence[Step]) -> MessageTracker:
    """The whole run followed."""
    tracker = MessageTracker()
    for at, step in enumerate(steps):
        tracker.take(at, step)
    tracker.finish()
    return tracker


def flights(steps: Sequence[Step]) -> list[Flight]:
    """Every message of a run, in the order of sending."""
    return track(steps).flights


def longest_content(steps: Sequence[Step]) -> int:
    """The least bound that a run needs; a message that is lost as it is sent needs no room (definitions
    2.6)."""
    tracker, lengths, before = MessageTracker(), [1], None
    for at, step in enumerate(steps):
        tracker.take(at, step)
        if isinstance(step, LinkCut):
            before = None
            continue
        channel = channel_of(step.process, step.action) if isinstance(step, Act) else step.channel
        length = 0 if channel is None else len(tracker.channels.get(channel, ()))
        if isinstance(step, Act):
            lengths.append(length)
        elif channel == before:
            lengths[-1] = min(lengths[-1], length)
        before = channel if isinstance(step, Act) else None
    return max(lengths)
