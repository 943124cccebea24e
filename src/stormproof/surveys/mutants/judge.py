"""One mutant: is it noticed, does it behave as the protocol does, or does it survive?"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from functools import cached_property

from ...errors import StormproofError
from ...kernel.model.system import System
from ...limits import is_over, why_interrupted
from ...options import Options
from ...records import dataclass
from ...search.checks.report import Verdict
from .any_length import NeverHappens, same_role_by_role
from .behaviour import Behaviour
from .comparing import MOST, Same, compared
from .operators import Mutant
from .questions import SURVIVES, CheckQuestion, Group, quickly_noticed


class MutantFate(Enum):
    """*Noticed*: a requirement that held is violated, or an expected violation is gone. *Equal*: no
    requirement could notice it, as it behaves the same. *Survives*: it behaves differently, and every answer
    stays. *Undecided*: a limit was hit first."""

    NOTICED = "noticed"
    EQUAL = "equal"
    SURVIVES = "survives"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Judged:
    """`by` is the title of the requirement that notices, or `recovers`; `reason` is a sentence."""

    number: int
    status: MutantFate
    by: str = ""
    reason: str = ""


def title_of(system: System, number: int) -> str:
    return "recovers" if number == SURVIVES else system.requirements[number].title


class Original:
    """The protocol whose mutants are judged, and what is known of it."""

    def __init__(
        self,
        system: System,
        question: CheckQuestion,
        known: tuple[Iterable[int], Iterable[int]] | None = None,
    ) -> None:
        """`known`: which requirements are met, and which are undecided."""
        self.system, self.question = system, question
        self._given = None if known is None else (frozenset(known[0]), frozenset(known[1]))

    @cached_property
    def answers(self) -> dict[int, Verdict]:
        return self.question.answers(self.system)

    @property
    def answered(self) -> bool:
        """Is it known already what the protocol meets?"""
        return "answers" in vars(self)

    @property
    def met(self) -> frozenset[int]:
        """The requirements that the protocol meets: only these can notice anything."""
        return self._known[0]

    @property
    def open(self) -> frozenset[int]:
        """Those that a limit left undecided for the protocol itself."""
        return self._known[1]

    @cached_property
    def _known(self) -> tuple[frozenset[int], frozenset[int]]:
        if self._given is not None:
            return self._given
        met = frozenset(n for n, verdict in self.answers.items() if verdict.ok)
        return met, frozenset(n for n, verdict in self.answers.items() if verdict.ok is None)

    @cached_property
    def behaviours(self) -> list[tuple[Behaviour, NeverHappens]]:
        found = [Behaviour(group) for group in self.question.groups(self.system)]
        return [(behaviour, NeverHappens(behaviour)) for behaviour in found]

    def judged(self, mutant: Mutant) -> Judged:
        """Quickly noticed, or equal, or asked in full."""
        if is_over():
            return Judged(
                mutant.number, MutantFate.UNDECIDED, reason=f"{why_interrupted()} before it was judged"
            )
        system = mutant.of(self.system)
        try:
            groups = list(self.question.groups(system))
            by = quickly_noticed(groups, self.met)
            if by is not None:
                return Judged(mutant.number, MutantFate.NOTICED, title_of(self.system, by))
            same = self._behaves_the_same(groups)
            if same is Same.YES:
                return Judged(mutant.number, MutantFate.EQUAL)
            return self._asked(mutant.number, system, same)
        except StormproofError as problem:
            return Judged(mutant.number, MutantFate.NOTICED, "an error", problem.message)

    def _behaves_the_same(self, groups: list[Group]) -> Same:
        """Under every failure model of the file: as soon as it differs under one, it differs."""
        most = self.question.options.limits.states or MOST
        found = Same.YES
        for (mine, never), group in zip(self.behaviours, groups, strict=True):
            theirs = Behaviour(group)
            if not same_role_by_role(mine, theirs, never):
                same = compared(mine, theirs, min(most, MOST))
                if same is Same.NO:
                    return same
                found = same if same is Same.OPEN else found
        return found

    def _asked(self, number: int, system: System, same: Same) -> Judged:
        """Every answer of a check, compared with that of the protocol itself."""
        answers = self.question.answers(system)
        open_: list[str] = []
        for n in sorted(self.met):
            title = title_of(self.system, n)
            ok = answers[n].ok if n in answers else None
            if ok is False:
                return Judged(number, MutantFate.NOTICED, title)
            if ok is None:
                open_.append(title)
        if open_:
            reason = f"{', '.join(open_)} not decided within the limits"
            return Judged(number, MutantFate.UNDECIDED, reason=reason)
        if self.open:
            titles = ", ".join(title_of(self.system, n) for n in sorted(self.open))
            reason = f"{titles} not decided for the protocol itself"
            return Judged(number, MutantFate.UNDECIDED, reason=reason)
        if same is Same.OPEN:
            reason = "every answer stays, and whether the behaviour does was not decided within the limits"
            return Judged(number, MutantFate.UNDECIDED, reason=reason)
        return Judged(number, MutantFate.SURVIVES)


def options_of(options: Options) -> Options:
    """Those with which mutants are asked: nobody looks at their runs, and each has one thread."""
    return options.without_runs().but(threads=1)
