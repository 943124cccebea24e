"""How many messages a role sends into one channel in a row, without waiting for any (definitions 10.11).

What is decided for channels of fewer messages says nothing of the runs in which it does.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from ...records import dataclass
from .actions import Internal, Receive, Send, Transition
from .phrases import plural
from .process import Process
from .system import System

#: Of a strongly connected part of an automaton: to whom how many messages, None for any number.
_Most: TypeAlias = "dict[str, int | None]"


@dataclass(frozen=True)
class InARow:
    """`sender` sends up to so many messages to `receiver` in a row; None: any number."""

    sender: str
    receiver: str
    messages: int | None

    def exceeds(self, k: int) -> bool:
        return self.messages is None or self.messages > k

    def __str__(self) -> str:
        most = self.messages
        many = "any number of messages" if most is None else f"up to {plural(most, 'message')}"
        return f"{self.sender} sends {many} to {self.receiver} in a row"

    def to_json(self) -> dict[str, Any]:
        return {"sender": self.sender, "receiver": self.receiver, "messages": self.messages}


@functools.lru_cache(maxsize=8)
def most_in_a_row(system: System) -> InARow | None:
    """The longest row of all; of equal ones the first in the order of the roles. None: nobody sends."""
    rows = (InARow(p.name, to, most) for p in system for to, most in _rows(p).items())
    return max(rows, key=lambda row: float("inf") if row.messages is None else row.messages, default=None)


def goes_on(process: Process, taken: Transition) -> bool:
    """Is the transition a part of a row? Who receives has waited, and so has who times out or does anything
    else by itself where it could receive; a crash, a stop and a restart are done to it."""
    action = taken.action
    if isinstance(action, Internal):
        return not (action.is_fault or action.timeout or process.receives(taken.source))
    return isinstance(action, Send)


def _rows(process: Process) -> Mapping[str, int | None]:
    """To whom the process sends how many messages in a row at most."""
    reached = process.reachable()
    following = {s: [t for t in process.outgoing(s) if goes_on(process, t)] for s in reached}
    part_of: dict[str, int] = {}
    most: list[_Most] = []
    found: _Most = {}
    for number, part in enumerate(_parts(following)):
        part_of |= dict.fromkeys(part, number)
        most.append(_within(part, following, part_of, most))
        for to, row in most[-1].items():
            found[to] = _larger(found.get(to, 0), row)
    order = dict.fromkeys(t.action.peer for t in process.transitions if isinstance(t.action, Send))
    return {to: found[to] for to in order if to in found}


def _within(
    part: Iterable[str],
    following: Mapping[str, list[Transition]],
    part_of: Mapping[str, int],
    most: list[_Most],
) -> _Most:
    """The rows that begin in a part, from those of the parts that follow it."""
    found: _Most = defaultdict(int)
    here = len(most)
    for taken in (t for state in part for t in following[state]):
        action = taken.action
        assert not isinstance(action, Receive)
        to = action.peer if isinstance(action, Send) else None
        if part_of[taken.target] == here:
            if to is not None:
                found[to] = None
            continue
        behind = most[part_of[taken.target]]
        for other in {*behind, *([] if to is None else [to])}:
            row = behind.get(other, 0)
            found[other] = _larger(found[other], row if row is None else row + (other == to))
    return found


def _larger(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else max(a, b)


def _parts(following: Mapping[str, list[Transition]]) -> Iterator[list[str]]:
    """The strongly connected parts, each after all that can be reached from it (Kosaraju)."""
    after: dict[str, list[str]] = {s: [t.target for t in taken] for s, taken in following.items()}
    before: dict[str, list[str]] = {s: [] for s in following}
    for state, targets in after.items():
        for target in targets:
            before[target].append(state)
    seen: set[str] = set()
    for start in reversed([*_left_last(before, before, set())]):
        part = [*_left_last(after, [start], seen)]
        if part:
            yield part


def _left_last(edges: Mapping[str, list[str]], starts: Iterable[str], seen: set[str]) -> Iterator[str]:
    """The states that are reached and not seen before, each after those that are reached from it."""
    for start in starts:
        path = [] if start in seen else [(start, iter(edges[start]))]
        seen.add(start)
        while path:
            state, rest = path[-1]
            target = next((t for t in rest if t not in seen), None)
            if target is None:
                path.pop()
                yield state
            else:
                seen.add(target)
                path.append((target, iter(edges[target])))
