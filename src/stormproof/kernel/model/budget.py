"""How many faults a run may have: in all, and of each kind (definitions 10.13)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, TypeAlias

from ...errors import UsageError, did_you_mean
from ...records import dataclass
from .faults import CUT, KINDS, PROCESS_KINDS
from .phrases import listed, plural

#: The kinds of fault that a budget may limit: how flags, files and JSON spell them -> their nouns.
BUDGET_KINDS = {kind.keyword: kind.noun for kind in (*KINDS, CUT)} | {
    word: word for word in (*(kind.keyword for kind in PROCESS_KINDS), "crash")
}


@dataclass(frozen=True)
class Budget:
    """At most so many faults in a run: in all, and of each kind named by its noun; None is any number."""

    total: int | None = None
    kinds: Mapping[str, int] = field(default_factory=dict, hash=False)

    def allows(self, faults: int, counts: Mapping[str, int]) -> bool:
        if self.total is not None and faults > self.total:
            return False
        return all(counts.get(kind, 0) <= most for kind, most in self.kinds.items())

    def at_most(self, faults: int) -> Budget:
        """The same, with at most so many faults in all."""
        return replace(self, total=faults if self.total is None else min(self.total, faults))

    def within(self, other: Budget) -> bool:
        """Does the other one allow every number of faults that this one allows?"""

        def most(kind: str | None) -> float:
            limits = (self.total, None if kind is None else self.kinds.get(kind))
            return min((limit for limit in limits if limit is not None), default=math.inf)

        total = other.total is None or most(None) <= other.total
        return total and all(most(kind) <= limit for kind, limit in other.kinds.items())

    @property
    def limited(self) -> bool:
        """Does it limit anything?"""
        return self.total is not None or bool(self.kinds)

    def __str__(self) -> str:
        """`at most 2 faults, at most 1 loss`; nothing where nothing is limited."""
        parts = [] if self.total is None else [f"at most {plural(self.total, 'fault')}"]
        by_kind = [plural(most, kind) for kind, most in self.kinds.items()]
        return ", ".join([*parts, *([f"at most {listed(by_kind)}"] if by_kind else [])])

    def to_json(self) -> dict[str, int]:
        """`{"total": 2, "loss": 1}`, without what is not limited."""
        keyword = {noun: word for word, noun in BUDGET_KINDS.items()}
        total = {} if self.total is None else {"total": self.total}
        return total | {keyword[kind]: most for kind, most in self.kinds.items()}


_LARGEST = 10**6
_NO_LIMIT = "without a budget, any number of them may happen"

#: Any number of faults.
NO_BUDGET = Budget()
#: What a budget may be given as: `3`, `"loss=2,reorder=1"`, `{"loss": 2}`.
BudgetGiven: TypeAlias = Budget | int | str | Mapping[str, Any]


def budget_of(given: BudgetGiven | None) -> Budget:
    """A budget from a number, from `3`, `loss=2,reorder=1` or `3,loss=2`, or from its JSON form."""
    if isinstance(given, Budget):
        return given
    if isinstance(given, str):
        rows = [_row(part.strip()) for part in given.split(",")]
    elif isinstance(given, Mapping):
        rows = [(None if name == "total" else str(name), number) for name, number in given.items()]
    else:
        rows = [] if given is None else [(None, given)]
    limits: dict[str | None, int] = {}
    for name, number in rows:
        if _kind(name) in limits:
            raise UsageError(f"budget: {name or 'the total'} is limited twice")
        limits[_kind(name)] = _number(number)
    return Budget(limits.pop(None, None), {str(kind): most for kind, most in limits.items()})


def _row(part: str) -> tuple[str | None, Any]:
    name, equals, number = part.rpartition("=")
    return name.strip() if equals else None, number.strip()


def _kind(name: str | None) -> str | None:
    if name is None or name in BUDGET_KINDS:
        return None if name is None else BUDGET_KINDS[name]
    hint = did_you_mean(name, BUDGET_KINDS) or f"there are {', '.join(BUDGET_KINDS)}"
    raise UsageError(f"budget: there is no fault '{name}'", hint=hint)


def _number(given: Any) -> int:
    if isinstance(given, str) and given.isdecimal() and given.isascii():
        given = int(given[: len(str(_LARGEST)) + 1])
    if isinstance(given, int) and not isinstance(given, bool) and given >= 0:
        if given <= _LARGEST:
            return given
        raise UsageError(f"budget: at most {_LARGEST:,} faults can be counted", hint=_NO_LIMIT)
    raise UsageError(f"budget: '{given}' is not a number of faults", hint="write 3, or loss=2,reorder=1")
