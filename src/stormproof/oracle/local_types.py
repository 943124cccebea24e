"""The transition system over local types (definitions 5.10, rules LR1 to LR5), as written.

LR3 is one step that stands for the whole crash broadcast. As in the translation, LR3 applies to unreliable
roles only, and LR5 ranges over unreliable peers only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from ..kernel.model.actions import CRASH, CRASH_ACTION, Action, Internal, Receive, Send
from ..languages.types.stackless import Task, run
from ..languages.types.syntax import Alternative, Branch, End, LocalType, Rec, Select, Stop, Var


@dataclass(frozen=True)
class CrashBroadcast:
    """The label of LR3: the role crashes and tells all its peers."""

    peers: tuple[str, ...]

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions that the one step stands for."""
        return (Internal(CRASH_ACTION), *(Send(peer, CRASH) for peer in self.peers))


TypeAction = Action | CrashBroadcast


def steps(
    role: str, type_: LocalType, roles: Sequence[str], unreliable: Collection[str] = ()
) -> Iterator[tuple[TypeAction, LocalType]]:
    """The steps of a closed, guarded local type of a role."""
    peers = tuple(r for r in roles if r != role)
    type_ = unfold(type_)  # LR2
    if isinstance(type_, (Branch, Select)):
        kind = Send if isinstance(type_, Select) else Receive
        for branch in type_.branches:
            yield kind(type_.peer, branch.message), branch.then  # LR1, and LR4 for the crash label
        if role in unreliable:
            yield CrashBroadcast(peers), Stop()  # LR3
    elif isinstance(type_, (End, Stop)):
        for peer in peers:
            if peer in unreliable:
                yield Receive(peer, CRASH), type_  # LR5


def unfold(type_: LocalType) -> LocalType:
    """LR2: `mu t. T` behaves as T with `mu t. T` in place of t."""
    while isinstance(type_, Rec):
        type_ = run(_substitute(type_.body, type_.name, type_))
    return type_


def _substitute(type_: LocalType, name: str, by: LocalType) -> Task[LocalType]:
    if isinstance(type_, Var):
        return by if type_.name == name else type_
    if isinstance(type_, Rec):
        if type_.name == name:
            return type_
        return Rec(type_.name, (yield _substitute(type_.body, name, by)), type_.place)
    if isinstance(type_, (Branch, Select)):
        branches = []
        for b in type_.branches:
            branches.append(Alternative(b.message, (yield _substitute(b.then, name, by)), b.place))
        return type(type_)(type_.peer, tuple(branches), type_.place)
    return type_


def traces(
    role: str, type_: LocalType, roles: Sequence[str], unreliable: Collection[str], length: int
) -> set[tuple[Action, ...]]:
    """All sequences of actions up to a length, the broadcast expanded and cut off where the length ends."""
    found: set[tuple[Action, ...]] = {()}
    queue: list[tuple[tuple[Action, ...], LocalType]] = [((), type_)]
    for before, at in queue:
        for label, after in steps(role, at, roles, unreliable):
            actions = label.actions if isinstance(label, CrashBroadcast) else (label,)
            whole = (*before, *actions)
            found.update(whole[:n] for n in range(len(before), min(len(whole), length) + 1))
            if len(whole) < length:
                queue.append((whole, after))
    return found
