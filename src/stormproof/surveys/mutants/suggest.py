"""Requirements that would notice the mutants that survive, and that the protocol itself meets.

They are made from the names of the protocol: what is possible, what must stay possible, what never happens.
Which of them is meant, only the author knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations

from ...errors import StormproofError
from ...kernel.model.faults import PROCESS_KINDS
from ...kernel.model.goal import AT_REST, And, At, Contains, Goal, Holds, Or
from ...kernel.model.requirement import (
    ALWAYS_POSSIBLE,
    CLEAN,
    LEADS_TO,
    NEVER,
    RECOVERS,
    Claim,
    Requirement,
    Under,
)
from ...kernel.model.system import System
from ...languages.formats.storm_requirements import write_requirement
from ...limits import is_over
from ...search.engine.survival import SurvivalAnswer, survey
from .operators import Mutant
from .questions import QUICK, QUICK_BOUNDS, CheckQuestion
from .result import WouldNotice

#: So many requirements about pairs of states are tried, the first of the file.
MOST_PAIRS = 2_000


#: Under the failures of the check, and without any: what faults may do, the protocol alone must not.
_CALM_TOO = (None, Under())


def candidates(system: System) -> tuple[tuple[Requirement, ...], ...]:
    """In two parts, the simple ones first: the second is tried where none of the first would do."""
    states = [At(p.name, (s,)) for p in system for s in p.reachable() if s not in p.crashed_states]
    pairs = [(a, b) for a, b in combinations(states, 2) if a.process != b.process]
    return tuple(_about_one(system, states)), tuple(_about_two(system, states, pairs))[:MOST_PAIRS]


def _about_one(system: System, states: Sequence[At]) -> Iterator[Requirement]:
    yield from (_always(state) for state in states)
    yield from (_possible(state) for state in states)
    yield Requirement(Claim(CLEAN))
    for channel, messages in system.alphabets.items():
        yield from (_possible(Contains(channel, m)) for m in messages if isinstance(m, str))
    yield from (_never(goal, under) for under in _CALM_TOO for goal in (And((AT_REST, s)) for s in states))
    yield from (_never(state, under) for under in _CALM_TOO for state in states)
    yield from (_always(state, Under()) for state in states)
    for channel, messages in system.alphabets.items():
        twice = [Holds(channel, (m, m)) for m in messages if isinstance(m, str)]
        yield from (_never(goal, under) for under in _CALM_TOO for goal in twice)
        yield from (_possible(goal) for goal in twice)
    for kind in PROCESS_KINDS:
        for process in system:
            under = Under(**{kind.keyword: (process.name,)})  # type: ignore[arg-type]
            yield Requirement(Claim(RECOVERS), under=under)
            yield Requirement(Claim(CLEAN), under=under)
    yield Requirement(Claim(RECOVERS), under=Under())
    yield Requirement(Claim(CLEAN), under=Under())


def _about_two(system: System, states: Sequence[At], pairs: Sequence[tuple[At, At]]) -> Iterator[Requirement]:
    """What two roles do, one after the other kind, so that each kind is among the first."""
    contents = [(s, c, m) for c, ms in system.alphabets.items() for m in ms for s in states]
    held = [And((s, Contains(c, m))) for s, c, m in contents if isinstance(m, str)]
    own = [(a, b) for a in states for b in states if a.process == b.process and a != b]
    kinds: list[Iterator[Requirement]] = [
        *((_leads(a, b, under) for a, b in own) for under in _CALM_TOO),
        *((_never(And(pair), under) for pair in pairs) for under in _CALM_TOO),
        *((_never(And((AT_REST, *pair)), under) for pair in pairs) for under in _CALM_TOO),
        *((_always(Or(pair), under) for pair in pairs) for under in _CALM_TOO),
        (_possible(And(pair)) for pair in pairs),
        *((_never(goal, under) for goal in held) for under in _CALM_TOO),
        (_possible(goal) for goal in held),
    ]
    while kinds:
        for kind in list(kinds):
            found = next(kind, None)
            if found is None:
                kinds.remove(kind)
            else:
                yield found


def _always(goal: Goal, under: Under | None = None) -> Requirement:
    return Requirement(Claim(ALWAYS_POSSIBLE, goal), under=under)


def _leads(after: Goal, goal: Goal, under: Under | None = None) -> Requirement:
    return Requirement(Claim(LEADS_TO, goal, after=after), under=under)


def _never(goal: Goal, under: Under | None = None) -> Requirement:
    return Requirement(Claim(NEVER, goal), under=under)


def _possible(goal: Goal) -> Requirement:
    """That it is not impossible: without faults, and so with them."""
    return Requirement(Claim(NEVER, goal), violated=True, under=Under())


class Suggestions:
    """For each mutant of one protocol that survives, a requirement that would notice it; the same for many,
    where one would do."""

    def __init__(self, system: System, question: CheckQuestion) -> None:
        self._system, self._question = system, question
        self._verified: dict[Requirement, WouldNotice | None] = {}
        self._mutants: dict[int, Mutant] = {}

    @cached_property
    def _parts(self) -> tuple[tuple[Requirement, ...], ...]:
        return candidates(self._system)

    def of(self, survivors: Sequence[Mutant]) -> dict[int, WouldNotice]:
        """By the number of the mutant; those are left out for which none was found, or no time was left."""
        found: dict[int, WouldNotice] = {}
        self._mutants = {m.number: m for m in survivors}
        for part in self._parts:
            met = self._met_by(self._system, part)
            left = [m for m in survivors if m.number not in found]
            notice: dict[int, list[Requirement]] = {}
            for mutant in left:
                if is_over():
                    return found
                notice[mutant.number] = self._noticing(mutant, met)
            found |= self._chosen(notice, met)
        return found

    def _noticing(self, mutant: Mutant, met: Sequence[Requirement]) -> list[Requirement]:
        try:
            answers = self._quickly(mutant.of(self._system), met)
        except StormproofError:
            return []
        return [r for r, a in answers.items() if a.holds is r.violated]

    def _met_by(self, system: System, part: Sequence[Requirement]) -> list[Requirement]:
        """Those of which a short search knows nothing else than that the protocol meets them."""
        answers = self._quickly(system, part)
        return [r for r, a in answers.items() if a.holds is not None and a.holds is not r.violated]

    def _quickly(self, system: System, part: Sequence[Requirement]) -> Mapping[Requirement, SurvivalAnswer]:
        """What one exploration says, at the larger of the small bounds."""
        if not part:
            return {}
        asked = replace(system, requirements=tuple(dict.fromkeys(part)))
        found: dict[Requirement, SurvivalAnswer] = {}
        for group in self._question.groups(asked):
            asks = {str(n): ask for n, ask in group.asks.items() if n >= 0}
            if asks:
                options = group.request.options.without_runs()
                answers = survey(group.model, asks, QUICK_BOUNDS[-1], options=options, most=QUICK).answers
                found |= {asked.requirements[int(n)]: a for n, a in answers.items()}
        return found

    def _chosen(
        self, notice: Mapping[int, Sequence[Requirement]], order: Sequence[Requirement]
    ) -> dict[int, WouldNotice]:
        """Again and again the requirement that notices most of those that are left, verified in full."""
        left, found = dict(notice), dict[int, WouldNotice]()
        useless: set[Requirement] = set()
        while left and not is_over():
            counts = {r: sum(r in of for of in left.values()) for r in order if r not in useless}
            best = max(counts, key=counts.__getitem__, default=None)
            if best is None or not counts[best]:
                return found
            verified = self._verify(best)
            useless.add(best)
            if verified is not None:
                noticed = [
                    number for number, of in left.items() if best in of and self._notices(best, number)
                ]
                found |= dict.fromkeys(noticed, verified)
                left = {number: of for number, of in left.items() if number not in noticed}
        return found

    def _notices(self, requirement: Requirement, number: int) -> bool:
        """A violation is one for any length; that something is possible no more is asked in full."""
        if not requirement.violated:
            return True
        asked = replace(self._mutants[number].of(self._system), requirements=(requirement,))
        return self._question.answers(asked)[0].ok is False

    def _verify(self, requirement: Requirement) -> WouldNotice | None:
        """The requirement as a line, if a check of the protocol says that it is met."""
        if requirement not in self._verified:
            asked = replace(self._system, requirements=(requirement,))
            try:
                verdict = self._question.answers(asked)[0]
            except StormproofError:
                verdict = None
            line = write_requirement(self._system, requirement)
            good = verdict is not None and verdict.ok
            up_to = None if verdict is None or not verdict.holds else verdict.up_to
            self._verified[requirement] = WouldNotice(line, up_to) if good else None
        return self._verified[requirement]
