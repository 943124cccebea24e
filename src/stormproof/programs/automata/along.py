"""Automata of programs as far as logs lead: a role with a log is run along it, in all local states at once.

What is made is a part of the automaton that the role has, with every path that does what its log says. A
role without a log is explored as usual, among messages that the others sent. So nothing has to be finite but
the roles that do not log.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Generic

from ...kernel.model.actions import Internal, Receive, Send
from .explore import JointExploration, RoleExploration
from .followed import FollowedEvent, FollowedLogs
from .program import ActOffer, AnyProgram, Automaton, InTransit, P, ReceiveOffer, Response, SendOffer

#: Keys of points, each once.
PointKeys = tuple[Hashable, ...]


def explore_along(programs: Iterable[AnyProgram[P]], logs: FollowedLogs) -> dict[str, Automaton[P]]:
    """The automata of all programs, those of roles with a log along it."""
    joint = JointExploration(programs)
    followers = {n: _Follower(joint, joint.roles[n], logs) for n in joint.roles if n in logs.events}
    for follower in followers.values():
        follower.role.bounded = False
    unlogged = [role for name, role in joint.roles.items() if name not in followers]
    joint.begin()
    while any([*map(joint.advance, unlogged), *(f.advance() for f in followers.values())]) or any(
        f.read_next() for f in followers.values()
    ):
        pass
    for follower in followers.values():
        follower.offer_the_rest()
        follower.role.waiting.clear()  # what no log leads to is not asked for
    return {name: role.automaton() for name, role in joint.roles.items()}


class _Follower(Generic[P]):
    """A role that has a log: the local states in which it may be after `done` events."""

    def __init__(self, joint: JointExploration[P], role: RoleExploration[P], logs: FollowedLogs) -> None:
        self.joint, self.role = joint, role
        self._events, self._read = logs.events[role.name], logs.read
        self.done = 0
        self._kept: dict[Hashable, None] = {}
        self._now: PointKeys | None = None
        self._known: dict[tuple[PointKeys, FollowedEvent], PointKeys] = {}
        self._visited: dict[Hashable, None] = {}

    def advance(self) -> bool:
        """As many events as it can do now; were there any?"""
        if self._now is None:
            self._now = self._closed([self.role.program.start])
        first = self.done
        while self.done < len(self._events):
            event = self._events[self.done]
            after = self._after(self._now, event)
            if not after:
                break
            self._now, self.done = after, self.done + 1
        return self.done > first

    def _after(self, at: PointKeys, event: FollowedEvent) -> PointKeys:
        found = self._known.get((at, event))
        if found is None:
            points = [self.role.points[key] for key in at]
            found = self._closed(list(self._following(points, event)))
            if found and event[0] != "restart":  # which may lead to more, later
                self._known[at, event] = found
        return found

    def _following(self, points: list[P], event: FollowedEvent) -> Iterator[P]:
        do, peer, message = event
        if do == "restart":  # at the start, or where it was durable
            yield from (self.role.points[key] for key in (*self._kept, *self.role.restarts))
            yield from (self.role.program.start, *self.role.program.recovery.values())
        elif do in ("stop", "crash"):
            yield from points
        else:
            for point in points:
                for rank, offer in enumerate(self.role.program.offers(point)):
                    yield from self._done(point, rank, offer, do, peer, message)

    def _done(self, point: P, rank: int, offer: object, do: str, peer: str, message: str) -> Iterator[P]:
        if isinstance(offer, SendOffer):
            if (do, peer, message) == ("send", offer.peer, str(offer.message.message)):
                self._send(offer, point)
                yield from self._step(
                    point, (rank, 0), Response(Send(peer, offer.message.message), offer.value)
                )
        elif isinstance(offer, ReceiveOffer):
            if (do, peer) == ("receive", offer.peer):
                for order, letter in self._letters(peer, message):
                    action = Receive(letter.peer, letter.message)
                    yield from self._step(point, (rank, order), Response(action, letter))
        elif isinstance(offer, ActOffer) and do == "timeout" and _is_timer(offer, message):
            yield from self._step(point, (rank, 0), Response(offer.action, offer.value))

    def _send(self, offer: SendOffer, point: P) -> None:
        """However many different messages the log has."""
        strict, self.joint.strict = self.joint.strict, False
        self.joint.send(self.role, offer, point)
        self.joint.strict = strict

    def _letters(self, peer: str, message: str) -> list[tuple[int, InTransit]]:
        inbox = self.joint.inboxes[self.role.name].messages
        return [(i, m) for i, m in enumerate(inbox) if m.peer == peer and str(m.message) == message]

    def _step(self, point: P, rank: tuple[int, int], response: Response) -> Iterator[P]:
        for to in self.role.program.after(point, response):
            self.role.note_step(point, rank, response, to)
            yield to

    def _closed(self, points: list[P]) -> PointKeys:
        """With what is reached by actions that nobody logs."""
        found: dict[Hashable, P] = {point.key: point for point in points}
        queue = [*found.values()]
        for point in queue:
            self._visit(point)
            for rank, offer in enumerate(self.role.program.offers(point)):
                if isinstance(offer, ActOffer) and not _is_timer(offer, ""):
                    for to in self._step(point, (rank, 0), Response(offer.action, offer.value)):
                        if to.key not in found:
                            found[to.key] = to
                            queue.append(to)
        return tuple(found)

    def _visit(self, point: P) -> None:
        self.role.reach(point)
        if point.key not in self._visited:
            self._visited[point.key] = None
            self.joint.check_peers(self.role, point)
        if point.durable:
            self._kept[point.key] = None

    def read_next(self) -> bool:
        """The next message, where no log says that it was sent: what corruption makes of another, or what a
        role that has not come so far sends."""
        if self.done == len(self._events):
            return False
        do, peer, message = self._events[self.done]
        if do != "receive" or peer not in self.joint.inboxes or self._letters(peer, message):
            return False
        letter = self._read(self.role.program, peer, message)
        if letter is None or str(letter.message) != message:
            return False
        self.joint.inboxes[self.role.name].put(letter)
        return True

    def offer_the_rest(self) -> None:
        """What it might have done instead: it is said where the log goes on otherwise."""
        inbox = self.joint.inboxes[self.role.name].messages
        for key in [*self._visited]:
            point = self.role.points[key]
            for rank, offer in enumerate(self.role.program.offers(point)):
                if isinstance(offer, SendOffer):
                    self._offer(
                        point, (rank, 0), Response(Send(offer.peer, offer.message.message), offer.value)
                    )
                elif isinstance(offer, ActOffer):
                    self._offer(point, (rank, 0), Response(offer.action, offer.value))
                elif key in (self._now or ()) and self.done < len(self._events):
                    for order, letter in enumerate(inbox):
                        if isinstance(offer, ReceiveOffer) and letter.peer == offer.peer:
                            self._offer(
                                point, (rank, order), Response(Receive(letter.peer, letter.message), letter)
                            )

    def _offer(self, point: P, rank: tuple[int, int], response: Response) -> None:
        for _ in self._step(point, rank, response):
            pass


def _is_timer(offer: ActOffer, name: str) -> bool:
    action = offer.action
    return isinstance(action, Internal) and action.timeout and name in ("", action.name)
