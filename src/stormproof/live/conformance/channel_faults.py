"""The faults of a channel as explanations of what logs say: what may have happened in a channel before a
reception, and what that means for the run.

Faults strike at the send or the reception (definitions 9.1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ...kernel.model.actions import CRASH, Message
from ...kernel.model.failures import ChannelFailure
from ...kernel.model.fault_steps import Strike
from ...kernel.model.faults import CORRUPTION, DUPLICATION, LOSS, REORDERING

#: Sends that one reception may skip.
REACH = 64


class InChannel(NamedTuple):
    """A message that waits: its send, what it is by now, and whether it is a copy that stayed."""

    send: int
    form: Message
    copy: bool = False


ChannelContent = tuple[InChannel, ...]


class ChannelFault(NamedTuple):
    """A fault that explains the logs: of which send, for which reception; what is corrupted into what: the
    message that is `sent`, the copy that is `kept`, or the one that is `delivered`. Without a kind it is no
    fault, and says which send a reception takes where that is not the next one."""

    kind: str
    send: int
    reception: int
    struck: str = ""
    becomes: Message = ""


class MatchState(NamedTuple):
    """`put`: sends put into the channel; `unknown`: it may still hold messages from before the log began."""

    put: int
    waiting: ChannelContent
    unknown: bool = False


#: Is the message received by this move; the state after it; its faults.
ChannelMove = tuple[bool, MatchState, tuple[ChannelFault, ...]]


class ChannelMoves:
    """What may happen in the channel until reception `j` of `message`."""

    def __init__(self, sends: Sequence[Message], failure: ChannelFailure, j: int, message: Message) -> None:
        self.sends, self.failure, self.j, self.message = sends, failure, j, message

    def of(self, state: MatchState) -> Iterator[ChannelMove]:
        if state.unknown:
            yield True, state, ()
            yield False, state._replace(unknown=False), ()
            return
        waiting = state.waiting
        exact = next((p for p in self._within_reach(waiting) if waiting[p].form == self.message), None)
        if exact is not None:
            late = self._overtaking(waiting, exact)
            yield from self._take(state, exact, late)
            if not late:
                return
        for p in self._within_reach(waiting):
            yield from self._mend(state, p)
        if state.put < len(self.sends) and len(waiting) < REACH and self._needs_more(waiting, exact):
            item = InChannel(state.put, self.sends[state.put])
            yield False, MatchState(state.put + 1, (*waiting, item)), ()

    def _within_reach(self, waiting: ChannelContent) -> range:
        return range(len(waiting) if self.failure.reorder else min(1, len(waiting)))

    def _needs_more(self, waiting: ChannelContent, exact: int | None) -> bool:
        return not waiting or (self.failure.reorder and exact is None)

    def _overtaking(self, waiting: ChannelContent, at: int) -> tuple[ChannelFault, ...]:
        """A copy stays wherever it likes, so that it is neither overtaken nor overtakes."""
        item = waiting[at]
        if item.copy or all(other.copy for other in waiting[:at]):
            return ()
        return (ChannelFault(REORDERING.noun, item.send, self.j),)

    def _take(self, state: MatchState, at: int, faults: tuple[ChannelFault, ...]) -> Iterator[ChannelMove]:
        rest = (*state.waiting[:at], *state.waiting[at + 1 :])
        in_order = self.failure.matches_once and not self.failure.reorder
        taken = () if in_order else (ChannelFault("", state.waiting[at].send, self.j),)
        yield True, state._replace(waiting=rest), (*faults, *taken)
        if self.failure.duplicate and state.waiting[at].form is not CRASH:
            yield from self._keep(state, at, faults)

    def _keep(self, state: MatchState, at: int, faults: tuple[ChannelFault, ...]) -> Iterator[ChannelMove]:
        """The message also stays, as it was or corrupted."""
        item = state.waiting[at]
        rest = (*state.waiting[:at], *state.waiting[at + 1 :])
        copied = (*faults, ChannelFault(DUPLICATION.noun, item.send, self.j))
        for kept in (item.form, *sorted(self.failure.becomes.get(str(item.form), ()))):
            changed = (
                () if kept == item.form else (ChannelFault(CORRUPTION.noun, item.send, self.j, "kept", kept),)
            )
            waiting = (InChannel(item.send, kept, True), *rest)
            yield True, state._replace(waiting=waiting), (*copied, *changed)

    def _mend(self, state: MatchState, at: int) -> Iterator[ChannelMove]:
        """The message is not what was received: its send was lost or corrupted, or another copy stays."""
        item, failure = state.waiting[at], self.failure
        if item.form == self.message or item.form is CRASH:
            return
        fresh = not item.copy and item.form == self.sends[item.send]
        if failure.loss and fresh:
            rest = (*state.waiting[:at], *state.waiting[at + 1 :])
            yield False, state._replace(waiting=rest), (ChannelFault(LOSS.noun, item.send, self.j),)
        if self.message not in failure.becomes.get(str(item.form), ()):
            return
        if fresh:
            fault = ChannelFault(CORRUPTION.noun, item.send, self.j, "sent", self.message)
            changed = (*state.waiting[:at], item._replace(form=self.message), *state.waiting[at + 1 :])
            yield False, state._replace(waiting=changed), (fault,)
        if failure.duplicate:
            fault = ChannelFault(CORRUPTION.noun, item.send, self.j, "delivered", self.message)
            yield from self._keep(state, at, (*self._overtaking(state.waiting, at), fault))


# ---- what the faults mean for the run --------------------------------------------------------------------


def names_its_send(fault: ChannelFault) -> bool:
    """Is the send of the fault the one that its reception takes? A message that is lost was in the way."""
    return fault.kind != LOSS.noun


def seen_at_reception(fault: ChannelFault) -> bool:
    """A copy that stays is seen in the log of the receiver; everything else struck the send."""
    return fault.kind == DUPLICATION.noun


def send_strikes(faults: Iterable[ChannelFault]) -> dict[int, Strike]:
    """What strikes each send, overtaking aside: that follows from which send each reception takes."""
    found: dict[int, Strike] = {}
    for fault in faults:
        if fault.kind == LOSS.noun:
            found[fault.send] = Strike(lost=True)
        elif fault.kind == CORRUPTION.noun and fault.struck == "sent":
            found[fault.send] = Strike(becomes=fault.becomes)
    return found


def reception_strikes(faults: Iterable[ChannelFault]) -> dict[int, Strike]:
    """What strikes each reception: the message stays, and as what."""
    found: dict[int, Strike] = {}
    for fault in faults:
        if fault.kind == DUPLICATION.noun:
            found.setdefault(fault.reception, Strike(kept=0))
        elif fault.kind == CORRUPTION.noun and fault.struck == "kept":
            found[fault.reception] = Strike(kept=0, kept_as=fault.becomes)
    return found


def entering(strike: Strike, message: Message) -> Message | None:
    """As what a message enters the channel; None where it is lost."""
    return None if strike.lost else strike.becomes or message


def staying(strike: Strike, form: Message) -> Message | None:
    """As what a message stays in the channel after its reception; None where it leaves."""
    return None if strike.kept is None else strike.kept_as or form


def overtaking(strike: Strike, overtakes: int) -> Strike:
    return replace(strike, overtakes=overtakes)


def staying_at(strike: Strike, place: int, form: Message, delivered: Message) -> Strike:
    """The message stays at this position; it was delivered as another one where the two differ."""
    return replace(strike, kept=place, head=None if form == delivered else form)
