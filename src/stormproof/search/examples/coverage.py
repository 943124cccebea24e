"""Which transitions some run takes within a bound; those that none takes are dead code in a protocol."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...kernel.model.actions import Configuration, Transition
from ...kernel.model.failures import FailureModel
from ...kernel.model.phrases import listed, plural
from ...kernel.model.system import System
from ...trust.replay import Outlook

#: Configurations that the search may see.
BUDGET = 20_000

#: How many transitions a warning names.
_LISTED = 12


@dataclass(frozen=True)
class Coverage:
    """Which transitions some run within the bound takes. `complete` False: the budget left some open."""

    k: int
    taken: int
    total: int
    never: tuple[tuple[str, Transition], ...]
    complete: bool

    def to_json(self) -> dict[str, Any]:
        rows = [
            {"process": name, "from": t.source, "action": str(t.action), "to": t.target}
            for name, t in self.never
        ]
        return {
            "k": self.k,
            "taken": self.taken,
            "total": self.total,
            "never": rows,
            "complete": self.complete,
        }

    def __str__(self) -> str:
        counted = f"{self.taken} of {plural(self.total, 'transition')}"
        if not self.never:
            return f"coverage at k = {self.k}: every transition is taken by some run ({counted})"
        more = len(self.never) - _LISTED
        names = listed(
            [*(f"{name}.{t}" for name, t in self.never[:_LISTED]), *([f"{more} more"] if more > 0 else [])]
        )
        if self.complete:
            return f"coverage at k = {self.k}: {counted}; warning: within this bound no run takes {names}"
        return f"coverage at k = {self.k}: {counted} seen within the limits of the search; not seen: {names}"


def coverage(system: System, model: FailureModel, k: int, budget: int = BUDGET) -> Coverage:
    """Which transitions no run within the bound takes, under the failure model."""
    outlook = Outlook(system, model, k, budget)
    every = {(p.name, t) for p in system for t in p.transitions}
    taken: set[tuple[str, Transition]] = set()
    start = Configuration(tuple(p.initial for p in system), tuple(() for _ in system.channels))
    seen, queue = {start}, deque([start])
    while queue and len(seen) <= budget and len(taken) < len(every):
        # Deep and wide in turns, so that a spent budget has seen something of both.
        at = queue.popleft() if len(seen) % 2 else queue.pop()
        for move, to in _moves(outlook, at):
            taken.add(move)
            if to not in seen:
                seen.add(to)
                queue.append(to)
    never = tuple((p.name, t) for p in system for t in p.transitions if (p.name, t) not in taken)
    return Coverage(k, len(taken), len(every), never, not queue or not never)


def _moves(outlook: Outlook, at: Configuration) -> Iterator[tuple[tuple[str, Transition], Configuration]]:
    """The moves of a configuration with their whole transitions."""
    for name, action, to in outlook.moves(at):
        i = outlook.system.names.index(name)
        yield (name, Transition(at.states[i], action, to.states[i])), to
