"""The faults of a channel as explanations of what logs say: what may have happened in a channel before a
reception, and what that means for the run.

Faults occur at the send or the reception (definitions 9.1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ...kernel.model.actions import CRASH, Message
from ...kernel.model.channel_faults import ActionFaults, faults_at_reception, faults_at_send
from ...kernel.model.failures import ChannelFailure

#: Sends that one reception may skip.
REACH = 64


class InChannel(NamedTuple):
    """A message that waits: its send, what it is by now, and whether it is a copy that stayed."""

    send: int
    form: Message
    copy: bool = False


ChannelContent = tuple[InChannel, ...]


#: Nothing goes wrong.
CALM = ActionFaults()


class ChannelFault(NamedTuple):
    """What explains the logs: what goes wrong at a send, or at the reception, and of which send the reception
    is. Where nothing does, it says which send a reception takes that is not the next one. A send that only
    overtakes is not told by how many messages: that follows from the receptions."""

    send: int
    reception: int
    action_faults: ActionFaults = CALM
    at_send: bool = True
    delivered: Message | None = None

    @property
    def faults(self) -> tuple[tuple[str, Message | None], ...]:
        """Each by its kind, with what a corruption makes of the message."""
        return tuple(self.action_faults.faults_of(self.delivered))


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
        return range(len(waiting) if self.failure.changes_order else min(1, len(waiting)))

    def _needs_more(self, waiting: ChannelContent, exact: int | None) -> bool:
        return not waiting or (self.failure.changes_order and exact is None)

    def _overtaking(self, waiting: ChannelContent, at: int) -> tuple[ChannelFault, ...]:
        """A copy stays wherever it likes, so that it is neither overtaken nor overtakes."""
        item = waiting[at]
        if item.copy or all(other.copy for other in waiting[:at]):
            return ()
        return (ChannelFault(item.send, self.j, ActionFaults(overtakes=1)),)

    def _take(self, state: MatchState, at: int, faults: tuple[ChannelFault, ...]) -> Iterator[ChannelMove]:
        rest = (*state.waiting[:at], *state.waiting[at + 1 :])
        in_order = self.failure.matches_once and not self.failure.changes_order
        taken = () if in_order else (ChannelFault(state.waiting[at].send, self.j),)
        yield True, state._replace(waiting=rest), (*faults, *taken)
        yield from self._keep(state, at, faults)

    def _keep(self, state: MatchState, at: int, faults: tuple[ChannelFault, ...]) -> Iterator[ChannelMove]:
        """The message also stays, as it was or corrupted; what is delivered may be corrupted too."""
        item = state.waiting[at]
        rest = (*state.waiting[:at], *state.waiting[at + 1 :])
        for action_faults in faults_at_reception((item.form,), self.message, self.failure):
            waiting = (InChannel(item.send, action_faults.kept_as or item.form, True), *rest)
            fault = ChannelFault(item.send, self.j, action_faults, at_send=False, delivered=self.message)
            yield True, state._replace(waiting=waiting), (*faults, fault)

    def _mend(self, state: MatchState, at: int) -> Iterator[ChannelMove]:
        """The message is not what was received: its send was lost or corrupted, or another copy stays."""
        item = state.waiting[at]
        if item.form == self.message or item.form is CRASH:
            return
        before, behind = state.waiting[:at], state.waiting[at + 1 :]
        fresh = not item.copy and item.form == self.sends[item.send]
        for action_faults in faults_at_send((), item.form, self.failure) if fresh else ():
            entered = () if action_faults.lost else (item._replace(form=self.message),)
            if action_faults.lost or action_faults.becomes == self.message:
                waiting = (*before, *entered, *behind)
                yield (
                    False,
                    state._replace(waiting=waiting),
                    (ChannelFault(item.send, self.j, action_faults),),
                )
        yield from self._keep(state, at, self._overtaking(state.waiting, at))


# ---- what the faults mean for the run --------------------------------------------------------------------


def names_its_send(fault: ChannelFault) -> bool:
    """Is the send of the fault the one that its reception takes? A message that is lost was in the way."""
    return not fault.action_faults.lost


def faults_at_sends(faults: Iterable[ChannelFault]) -> dict[int, ActionFaults]:
    """What goes wrong at each send, overtaking aside: that follows from which send each reception takes."""
    return {
        f.send: f.action_faults
        for f in faults
        if f.at_send and (f.action_faults.lost or f.action_faults.becomes is not None)
    }


def faults_at_receptions(faults: Iterable[ChannelFault]) -> dict[int, ActionFaults]:
    """What goes wrong at each reception: the message stays, and as what."""
    return {f.reception: f.action_faults for f in faults if not f.at_send}


def entering(action_faults: ActionFaults, message: Message) -> Message | None:
    """As what a message enters the channel; None where it is lost."""
    return None if action_faults.lost else action_faults.becomes or message


def staying(action_faults: ActionFaults, form: Message) -> Message | None:
    """As what a message stays in the channel after its reception; None where it leaves."""
    return None if action_faults.kept is None else action_faults.kept_as or form


def overtaking(action_faults: ActionFaults, overtakes: int) -> ActionFaults:
    return replace(action_faults, overtakes=overtakes)


def staying_at(action_faults: ActionFaults, place: int, form: Message, delivered: Message) -> ActionFaults:
    """The message stays at this position; it was delivered as another one where the two differ."""
    return replace(action_faults, kept=place, head=None if form == delivered else form)
