"""Repairs of one to three lines, each verified: with them the whole check is made again, and passes.

The search starts from the run that breaks the protocol (`candidates`). A line is tried quickly first, at
small bounds; what is stuck then says which line, or which further alternative on a line, might follow. A line
that would change where a role rests comes with one that keeps it. What passes is checked in full, and shown
only if the protocol survives, every requirement that was met still is, nothing that held without faults
is lost, and `lint` has no new warning.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...errors import ModelError
from ...kernel.model.arguments import check_arguments
from ...kernel.model.failures import Failures
from ...kernel.model.requirement import ALWAYS_POSSIBLE
from ...kernel.model.system import System
from ...languages.formats.storm_places import NoPlaces
from ...limits import as_a_whole, is_over
from ...options import Knobs, Options
from ...search.checks.properties import CLEAN, RECOVERS
from ...search.checks.report import Report, Verdict
from ..lint.api import warnings
from .addition import Addition, extended, merged, ways_to_add
from .candidates import Stuck, candidates
from .suggestion import Suggestion
from .trial import QUICK, Question, Trial, calm, left_behind

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: More than the faults of any run that is shown.
MUCH = 1_000
#: The most lines of a suggestion, the most suggestions, and the seconds to search for them.
MOST_LINES, MOST_SHOWN, SECONDS = 3, 3, 10.0


@as_a_whole
def suggest(
    system: System,
    failures: Failures | None = None,
    *,
    k: int | None = None,
    max_k: int | None = None,
    seconds: float = SECONDS,
    roles: Iterable[str] | None = None,
    report: Report | None = None,
    options: Options | None = None,
    **knobs: Unpack[Knobs],
) -> tuple[Suggestion, ...]:
    """Verified repairs of a protocol that does not survive, those with the fewest lines first.

    `roles`: those that may be changed, all by default. No line is tried after so many `seconds`. `report`:
    what `check` answers without `properties`, if it has been asked. The others are those of `check`.

    >>> import stormproof as sp
    >>> found = suggest(sp.protocol("client-server"), sp.Failures(loss=True))
    >>> [line.text for line in found[0].additions]
    ['timeout -> done', 'Server?result -> done  Server?error -> done']
    """
    check_arguments(system, failures)
    # What a changed protocol still violates is not shown, so no run of it is replayed.
    options = (options or Options()).but(**knobs).without_runs()
    question = Question(failures or Failures(), options, k, max_k)
    changed = system.names if roles is None else tuple(roles)
    with suppress(KeyboardInterrupt):
        before = question.answers(system) if report is None else {v.property: v for v in report}
        broken = [v.property for v in before.values() if is_repairable(v)]
        for targets in dict.fromkeys((tuple(broken), tuple(broken[:1])) if broken else ()):
            found = _Search(question, system, before, targets, seconds, changed).run()
            if found:
                return found
    return ()


def is_repairable(verdict: Verdict) -> bool:
    """Does it count, is it violated, and may further lines repair it? They never take a run away."""
    if not verdict.counts or verdict.ok is not False or verdict.holds is not False:
        return False
    claim = verdict.requirement.claim.what if verdict.requirement else verdict.property
    return claim in (RECOVERS.name, CLEAN.name, ALWAYS_POSSIBLE)


@dataclass(frozen=True)
class _Attempt:
    """Lines that do not suffice yet, and where the protocol is stuck with them."""

    additions: tuple[Addition, ...]
    system: System
    stuck: Stuck
    rank: tuple[int, ...] = ()


@dataclass
class _Search:
    question: Question
    system: System
    before: dict[str, Verdict]
    targets: tuple[str, ...]
    seconds: float
    roles: tuple[str, ...]
    found: list[Suggestion] = field(default_factory=list)
    untidy: list[Suggestion] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.end = time.monotonic() + self.seconds
        met = {v.property for v in self.before.values() if v.ok and v.requirement is not None}
        self.trial = Trial(self.question, frozenset(self.targets) | met)
        self.alone = Question(options=self.question.options).answers(calm(self.system))
        self.known = {w.message for w in warnings(self.system, NoPlaces(""))}
        self.seen: set[frozenset[Addition]] = set()

    def run(self) -> tuple[Suggestion, ...]:
        """What is found until the time is over, or until somebody presses Ctrl-C."""
        with suppress(KeyboardInterrupt):
            self.search()
        return _fewest_lines_first(self.found or self.untidy)[:MOST_SHOWN]

    def search(self) -> None:
        """Breadth first: an alternative more only where fewer do not suffice, or leave messages behind: what
        sends again mostly needs more than what gives up."""
        start = self.trial.stuck(self.system, max(QUICK, self.seconds))
        level = [_Attempt((), self.system, start)] if isinstance(start, Stuck) else []
        # What is missing after a fault, or after a line that was added, is not a place to rest.
        self.may_rest = isinstance(start, Stuck) and start.faults == 0
        while level:
            level = [a for attempt in sorted(level, key=lambda a: a.rank) for a in self.extend(attempt)]
            if self.found:
                level = [attempt for attempt in level if attempt.stuck.left_behind]
            if self.over():
                break

    def over(self) -> bool:
        return len(self.found) >= MOST_SHOWN or time.monotonic() > self.end or is_over()

    def extend(self, attempt: _Attempt) -> Iterator[_Attempt]:
        """Try every line that might help where the attempt is stuck; those that do not suffice are next."""
        may_rest = self.may_rest and all(a.rest for a in attempt.additions)
        lines = candidates(attempt.system, attempt.stuck, self.roles, may_rest)
        ways = (way for line in lines for way in ways_to_add(attempt.system, line))
        for i, way in enumerate(ways):
            additions = merged((*attempt.additions, *way))
            if self.over():
                return
            parts = _parts(additions)
            if len(additions) > MOST_LINES or parts in self.seen:
                continue
            self.seen.add(parts)
            try:
                system = extended(attempt.system, way)
                stuck = self.judge(additions, system)
            except ModelError:  # no process: it would go on sending after its crash message
                continue
            if isinstance(stuck, Stuck):
                # The more faults it takes to break it now, the better the line.
                worth = MUCH if stuck.left_behind else stuck.faults
                yield _Attempt(additions, system, stuck, (-worth, *attempt.rank[1:], i))

    def judge(self, additions: tuple[Addition, ...], system: System) -> Stuck | bool:
        """A quick trial; what passes it is checked in full, and kept if it passes that too."""
        stuck = self.trial.stuck(system)
        if stuck is not True:
            return stuck
        left = left_behind(system, self.question.options) if self.was_clean() else True
        if left is not True and (self.untidy or not isinstance(left, Stuck)):
            return left
        suggestion = self.verified(additions, system)
        if suggestion is not None:
            (self.found if suggestion.keeps_clean else self.untidy).append(suggestion)
        if self.found or self.untidy:  # others are welcome, and not worth as long a search
            self.end = min(self.end, time.monotonic() + self.seconds / (4 if self.found else 2))
        return left if isinstance(left, Stuck) else suggestion is not None

    def was_clean(self) -> bool:
        return bool(self.alone[RECOVERS.name].holds and self.alone[CLEAN.name].holds)

    def verified(self, additions: tuple[Addition, ...], system: System) -> Suggestion | None:
        """The whole check again, with the same failures, and without any."""
        if {w.message for w in warnings(system, NoPlaces(""))} - self.known:
            return None
        now = self.question.answers(system)
        if not all(now[name].holds for name in self.targets):
            return None
        if any(v.ok and not now[name].ok for name, v in self.before.items() if v.counts):
            return None
        alone = Question(options=self.question.options).answers(calm(system))
        if self.alone[RECOVERS.name].holds and not alone[RECOVERS.name].holds:
            return None
        tidy = bool(alone[CLEAN.name].holds or not self.was_clean())
        return Suggestion(_in_order(system, additions), system, self.targets, tuple(now.values()), tidy)


def _fewest_lines_first(found: Iterable[Suggestion]) -> tuple[Suggestion, ...]:
    """Without those that only add alternatives to another."""
    shown: list[Suggestion] = []
    for suggestion in sorted(found, key=lambda s: (len(s.additions), len(_parts(s.additions)))):
        if not any(_parts(other.additions) <= _parts(suggestion.additions) for other in shown):
            shown.append(suggestion)
    return tuple(shown)


def _parts(additions: Iterable[Addition]) -> frozenset[Addition]:
    return frozenset(part for addition in additions for part in addition.parts)


def _in_order(system: System, additions: Iterable[Addition]) -> tuple[Addition, ...]:
    """As the roles and states are listed; `rest` lines come last."""

    def place(addition: Addition) -> tuple[bool, int, int]:
        states = system[addition.role].states
        return bool(addition.rest), system.names.index(addition.role), states.index(addition.state)

    return tuple(sorted(additions, key=place))
