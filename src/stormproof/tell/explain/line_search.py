"""The search for repairs of one to three lines.

It starts from the run that breaks the protocol (`candidates`). A line is tried quickly first, at
small bounds; what is stuck then says which line, or which further alternative on a line, might follow. A line
that would change where a role rests comes with one that keeps it. What passes is judged in full.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from ...errors import ModelError
from ...kernel.model.system import System
from .addition import Addition, extended, merged, parts_of, ways_to_add
from .candidates import Stuck, candidates
from .judge import RepairJudge
from .suggestion import Suggestion
from .trial import FIRST, Spent, Trial

#: More than the faults of any run that is shown.
MUCH = 1_000
#: The most lines of a suggestion.
MOST_LINES = 3


@dataclass(frozen=True)
class _Attempt:
    """Lines that do not suffice yet, and where the protocol is stuck with them."""

    additions: tuple[Addition, ...]
    system: System
    stuck: Stuck
    rank: tuple[int, ...] = ()


@dataclass
class LineSearch:
    judge: RepairJudge
    targets: tuple[str, ...]
    spent: Spent
    roles: tuple[str, ...]
    enough: int
    found: list[Suggestion] = field(default_factory=list)
    untidy: list[Suggestion] = field(default_factory=list)

    def __post_init__(self) -> None:
        met = {v.property for v in self.judge.before.values() if v.ok and v.requirement is not None}
        self.trial = Trial(self.judge.question, frozenset(self.targets) | met, self.spent)
        self.seen: set[frozenset[Addition]] = set()

    def run(self) -> list[Suggestion]:
        """What is found until the effort is spent, or until somebody presses Ctrl-C."""
        with suppress(KeyboardInterrupt):
            self.search()
        return self.found or self.untidy

    def search(self) -> None:
        """Breadth first: an alternative more only where fewer do not suffice, or leave messages behind: what
        sends again mostly needs more than what gives up."""
        start = self.trial.stuck(self.judge.system, FIRST)
        level = [_Attempt((), self.judge.system, start)] if isinstance(start, Stuck) else []
        # What is missing after a fault, or after a line that was added, is not a place to rest.
        self.may_rest = isinstance(start, Stuck) and start.faults == 0
        while level:
            level = [a for attempt in sorted(level, key=lambda a: a.rank) for a in self.extend(attempt)]
            if self.found:
                level = [attempt for attempt in level if attempt.stuck.left_behind]
            if self.over():
                break

    def over(self) -> bool:
        return sum(s.traces.kept is True for s in self.found) >= self.enough or self.spent.all

    def extend(self, attempt: _Attempt) -> Iterator[_Attempt]:
        """Try every line that might help where the attempt is stuck; those that do not suffice are next."""
        may_rest = self.may_rest and all(a.rest for a in attempt.additions)
        lines = candidates(attempt.system, attempt.stuck, self.roles, may_rest)
        ways = (way for line in lines for way in ways_to_add(attempt.system, line))
        for i, way in enumerate(ways):
            additions = merged((*attempt.additions, *way))
            if self.over():
                return
            parts = parts_of(additions)
            if len(additions) > MOST_LINES or parts in self.seen:
                continue
            self.seen.add(parts)
            try:
                system = extended(attempt.system, way)
                stuck = self.tried(additions, system)
            except ModelError:  # no process: it would go on sending after its crash message
                continue
            if isinstance(stuck, Stuck):
                # The more faults it takes to break it now, the better the line.
                worth = MUCH if stuck.left_behind else stuck.faults
                yield _Attempt(additions, system, stuck, (-worth, *attempt.rank[1:], i))

    def tried(self, additions: tuple[Addition, ...], system: System) -> Stuck | bool:
        """A quick trial; what passes it is judged in full, and kept if it passes that too."""
        stuck = self.trial.stuck(system)
        if stuck is not True:
            return stuck
        left = self.trial.left_behind(system) if self.judge.was_clean() else True
        if left is not True and (self.untidy or not isinstance(left, Stuck)):
            return left
        suggestion = self.judge.verified(additions, system, self.targets)
        if suggestion is not None:
            (self.found if suggestion.keeps_clean else self.untidy).append(suggestion)
            # Others are welcome, and not worth as long a search.
            self.spent.only_a_part_more(4 if self.found else 2)
        return left if isinstance(left, Stuck) else suggestion is not None
