"""The portfolio: every way to an answer, tried in turn with growing budgets until one of them gives it.

What is decidable is decided: covering where every channel loses, reorders, is corrupted among all its
messages, or carries only one message (backward search over a well-quasi-ordered set ends). Everything else
is semi-decided from both sides: runs by forward search, proofs by over-approximation, invariants,
saturation and half-duplex.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace

from ...errors import InternalError
from ...kernel.goals.cubes import Cube
from ...kernel.model.failures import FailureModel
from ...kernel.model.phrases import listed
from ...kernel.model.system import System
from ...limits import Limits, as_a_whole, is_over
from ...options import ProgressCallback
from ...trust.reachability.check_certificate import (
    check_certificate,
)
from ..engine.coverability import Searcher
from ..engine.lowering import lower
from .answer import REACHABLE, UNDECIDED, UNREACHABLE, Answer
from .build_run import accept_run
from .channel_forms import shapes
from .ways import RECEIVED_ONCE, WAYS, Attempt, ReachabilityQuestion

#: What each way may explore in the first round; each later round allows five times as much.
FIRST_ROUND, GROWTH = 5_000, 5


@as_a_whole
def solve(
    system: System,
    failures: FailureModel,
    cubes: tuple[Cube, ...],
    goal: str,
    limits: Limits,
    progress: ProgressCallback | None = None,
    notes: tuple[str, ...] = (),
    only: Iterable[str] | None = None,
    largest: int | None = None,
    effort: int | None = None,
) -> Answer:
    """Ask each way in turn; `only`: just these, to compare them with each other. `largest`: the size beyond
    which a certificate is not used, since checking it is not subject to the limits. `effort`: what each way
    may explore in all rounds together, each in its own unit; None: until the time limit.

    What a goal excludes (`!A->B contains m`) is left out of the search: a proof without it is a proof, and a
    run is accepted only if it also meets the rest.
    """
    portfolio = Portfolio(system, failures, cubes, goal, limits, progress, notes, only, largest)
    answer = None
    while answer is None:
        answer = portfolio.round(effort)
    return answer


class Portfolio:
    """One question, asked in rounds: what one way has learnt serves the others."""

    def __init__(
        self,
        system: System,
        failures: FailureModel,
        cubes: tuple[Cube, ...],
        goal: str,
        limits: Limits,
        progress: ProgressCallback | None = None,
        notes: tuple[str, ...] = (),
        only: Iterable[str] | None = None,
        largest: int | None = None,
    ) -> None:
        started = time.monotonic()
        exact = cubes if any(cube.excludes for cube in cubes) else None
        cubes = tuple(cube.relaxed() for cube in cubes)
        searcher = Searcher(lower(system, failures), limits, progress)
        self.problem = ReachabilityQuestion(
            system, failures, cubes, goal, limits, searcher, shapes(system, failures), notes, started, exact
        )
        self.ways = {name: way for name, way in WAYS.items() if only is None or name in only}
        self.tried: dict[str, str] = {}
        self.largest, self.spent, self.next = largest, 0, FIRST_ROUND
        if self.problem.receives_twice:
            for name in [n for n in self.ways if n in RECEIVED_ONCE]:
                del self.ways[name]
                self.tried[name] = f"not used under {self.problem.receives_twice}"

    def round(self, effort: int | None = None) -> Answer | None:
        """One more; None: nothing is known yet, and some of the effort is left."""
        problem = self.problem
        most = self.next if effort is None else min(self.next, effort - self.spent)
        if not self.ways or most <= 0:
            return _answer(problem, UNDECIDED, _why_undecided(problem), self.tried)
        self.spent, self.next = self.spent + most, GROWTH * self.next
        for name, way in list(self.ways.items()):
            if is_over():
                return _answer(problem, UNDECIDED, "the time limit was hit", self.tried)
            attempt = _checkable(_refined(problem, way(problem, most)), self.largest)
            self.tried[name] = attempt.note
            if attempt.run is not None or attempt.certificate is not None:
                del self.tried[name]
                return _conclude(problem, attempt, self.tried)
            if attempt.finished:
                del self.ways[name]
                problem.no_graph |= name == "control states" and problem.targets is None
        return None


def _refined(problem: ReachabilityQuestion, attempt: Attempt) -> Attempt:
    """Without a run that reaches what the goal excludes."""
    if problem.exact is None or attempt.run is None:
        return attempt
    if not accept_run(problem.system, problem.failures, problem.exact, attempt.run):
        return attempt
    return Attempt(f"{attempt.note}, a run to a configuration that the goal excludes")


def _checkable(attempt: Attempt, largest: int | None) -> Attempt:
    """Without a certificate that would take too long to check."""
    if attempt.certificate is None or largest is None or sum(attempt.certificate.sizes().values()) <= largest:
        return attempt
    return Attempt(f"{attempt.note}, with a certificate that is too large to check")


def _why_undecided(problem: ReachabilityQuestion) -> str:
    if problem.exact is not None:
        return (
            "the goal excludes messages or contents of a channel, which no method decides: only a run that "
            "happens to meet it, or a proof that needs no such part, can answer"
        )
    perfect = [str(s.channel) for s in problem.shapes if not s.exact]
    if perfect:
        return (
            f"{listed(perfect)} {'is' if len(perfect) == 1 else 'are'} FIFO without loss, where reachability "
            "is undecidable, and nothing that was tried gives an answer"
        )
    return "nothing that was tried gives an answer within the limits"


def _answer(problem: ReachabilityQuestion, answer: str, because: str, tried: dict[str, str]) -> Answer:
    return Answer(
        answer=answer,
        goal=problem.goal,
        because=because,
        system=problem.system,
        model=problem.failures,
        cubes=problem.cubes,
        tried=tuple(f"{name}: {note}" for name, note in tried.items()),
        notes=problem.notes,
        states=problem.states,
        seconds=time.monotonic() - problem.started,
    )


def _conclude(problem: ReachabilityQuestion, attempt: Attempt, tried: dict[str, str]) -> Answer:
    """Nothing is said before the checker has accepted it."""
    if attempt.run is not None:
        wrong = accept_run(problem.system, problem.failures, problem.cubes, attempt.run)
        found = _answer(problem, REACHABLE, attempt.note, tried)
    else:
        assert attempt.certificate is not None
        wrong = check_certificate(problem.system, problem.failures, problem.cubes, attempt.certificate)
        found = _answer(problem, UNREACHABLE, attempt.note, tried)
    if wrong:
        raise InternalError(f"the checker refuses what '{attempt.note}' found: {wrong}")
    return replace(
        found,
        run=attempt.run,
        certificate=attempt.certificate,
        checked=True,
        seconds=time.monotonic() - problem.started,
    )
