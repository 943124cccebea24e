"""Repairs, each verified: with them the whole check is made again, and nothing gets worse.

What is shown first mends the most, and claims the least: a `rest` line takes nothing away that can happen, it
only says that a role may stay where it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from ...kernel.model.arguments import check_arguments
from ...kernel.model.failures import Failures
from ...kernel.model.part import in_part
from ...kernel.model.system import System
from ...limits import as_a_whole
from ...options import Knobs, Options
from ...search.checks.report import Report, Verdict
from .addition import parts_of
from .guided_search import GuidedSearch
from .judge import RepairJudge, is_repairable
from .line_search import LineSearch
from .pattern_search import PatternSearch
from .split import SplitProtocol, split
from .suggestion import Suggestion
from .trial import Question, Spent

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: The most suggestions that are shown, and the effort of the search: candidates that are tried, and
#: configurations that are explored for them.
MOST_SHOWN, CANDIDATES, CONFIGURATIONS = 4, 400, 4_000_000
#: The same of a search that mixes variants, which begins with what one variant has not mended.
MIXED = 2_000_000


@as_a_whole
def suggest(
    system: System,
    failures: Failures | None = None,
    *,
    k: int | None = None,
    max_k: int | None = None,
    candidates: int = CANDIDATES,
    roles: Iterable[str] | None = None,
    report: Report | None = None,
    options: Options | None = None,
    **knobs: Unpack[Knobs],
) -> tuple[Suggestion, ...]:
    """Verified repairs of a protocol that does not survive, the best first.

    `roles`: those that may be changed, all by default. At most so many `candidates` are tried. `report`: what
    `check` answers without `properties`, if it has been asked. The others are those of `check`.

    >>> import stormproof as sp
    >>> found = suggest(sp.protocol("client-server"), sp.Failures(loss=True))
    >>> [line.text for line in found[0].additions][:2]
    ['timeout -> waiting_again', 'Server?result -> done  Server?error -> done']
    """
    check_arguments(system, failures)
    if in_part(system):
        return ()
    # What a changed protocol still violates is not shown, so no run of it is replayed.
    options = (options or Options()).but(**knobs).without_runs()
    question = Question(failures or Failures(), options, k, max_k)
    changed = system.names if roles is None else tuple(roles)
    found: list[Suggestion] = []
    with suppress(KeyboardInterrupt):
        before = question.answers(system) if report is None else _without_classes(report)
        broken = tuple(v.property for v in before.values() if is_repairable(v))
        if broken and candidates > 0:
            judge = RepairJudge(question, system, before)
            for targets in dict.fromkeys((broken, broken[:1])):
                if not found:
                    found = _searched(judge, targets, candidates, changed)
    return _ranked(found)[:MOST_SHOWN]


def _without_classes(report: Report) -> dict[str, Verdict]:
    """The classes count for no repair."""
    return {v.property: v for v in report if v.survival}


def _searched(
    judge: RepairJudge, targets: tuple[str, ...], candidates: int, roles: tuple[str, ...]
) -> list[Suggestion]:
    """Many lines at once, and few: the more is found, the less is searched."""
    found = _many_lines(judge, targets, candidates, roles)
    spent = Spent(candidates // 4 if found else candidates, CONFIGURATIONS)
    return found + LineSearch(judge, targets, spent, roles, MOST_SHOWN - len(found)).run()


def _many_lines(
    judge: RepairJudge, targets: tuple[str, ...], candidates: int, roles: tuple[str, ...]
) -> list[Suggestion]:
    """What one variant of the pattern adds, or several mixed; else the same where states know what they have
    to repeat."""
    plain = SplitProtocol(judge.system)
    found = PatternSearch(judge, targets, Spent(candidates, CONFIGURATIONS), roles, plain).run()
    for base in (plain, split(judge.system, roles)):
        if not found and (base is plain or base.originals):
            search = PatternSearch(judge, targets, Spent(candidates, MIXED), roles, base)
            found = GuidedSearch(search).run()
    return found


def _ranked(found: Iterable[Suggestion]) -> tuple[Suggestion, ...]:
    """Those that mend the most and claim the least first, then those with the fewest lines; without those
    that only add alternatives to another."""
    shown: list[Suggestion] = []
    for suggestion in sorted(found, key=lambda s: s.rank):
        if not any(parts_of(other.additions) <= parts_of(suggestion.additions) for other in shown):
            shown.append(suggestion)
    return tuple(shown)
