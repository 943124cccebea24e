"""`mutate`: do the requirements of a protocol notice small mistakes in it?"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ...errors import Place, UsageError, did_you_mean
from ...kernel.data.system import DataSystem
from ...kernel.model.arguments import check_arguments
from ...kernel.model.failures import Failures
from ...kernel.model.failures_text import describe_failures
from ...kernel.model.part import whole
from ...kernel.model.phrases import listed
from ...kernel.model.system import System
from ...languages.formats.storm_places import NoPlaces, Places
from ...limits import as_a_whole, is_over, time_left, why_interrupted
from ...options import Options, QuietKnobs
from ..worker_process import rows_of
from .judge import Judged, MutantFate, Original, options_of, title_of
from .operators import OPERATORS, Mutant, mutants
from .questions import CheckQuestion
from .result import MutantResult, Mutants, WouldNotice
from .suggest import Suggestions
from .worker import MutantWorker, judge, to_text

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: So many mutants are judged here sooner than a worker process has started.
_FEW = 40


@as_a_whole
def mutate(
    system: System,
    failures: Failures | None = None,
    *,
    operators: Iterable[str] | None = None,
    k: int | None = None,
    max_k: int | None = None,
    jobs: int | None = None,
    suggest: bool = True,
    places: Places | NoPlaces | None = None,
    progress: Callable[[int, int | None], None] | None = None,
    options: Options | None = None,
    **knobs: Unpack[QuietKnobs],
) -> Mutants:
    """Every small mistake in the roles of a system, and whether its requirements notice it.

    A mutant is *noticed* if a requirement of the system, or `recovers`, that the system meets is violated by
    it, *equal* if it behaves as the system does, and else it *survives*: nothing that is required depends on
    what it changes. Under the failures of the check, and for a requirement that names its own, under those.
    `operators`: which mistakes, all if left out; `jobs`: so many processes at a time, one for each processor
    if left out. With `suggest`, survivors get a requirement that would notice them and that the system meets,
    if one is found. The limits are for all of it, and what they leave open is *undecided*.

    >>> import stormproof as sp
    >>> found = sp.mutate(sp.protocol("client-server"), operators=["skip"], jobs=1)
    >>> len(found), len(found.noticed), len(found.survivors)
    (4, 3, 1)
    """
    started = time.monotonic()
    check_arguments(system, failures)
    chosen = _operators(operators)
    if isinstance(system, DataSystem):
        hint = "mutants of guards and updates are not made yet; write the roles state by state"
        raise UsageError("mutants are made of roles without variables, constants and indices only", hint=hint)
    if jobs is not None and jobs < 1:
        raise UsageError(f"there must be at least one job, not {jobs}")
    question = CheckQuestion(
        failures or Failures(), options_of((options or Options()).but(**knobs)), k, max_k
    )
    system = whole(system)
    protocol = Original(system, question)
    made = [m for m in mutants(system) if m.operator in chosen]
    survey = _Survey(protocol, jobs or os.cpu_count() or 1, progress)
    judged = survey.judged(made)
    hints = survey.suggestions(made, judged) if suggest else {}
    request = question.request(system)
    return Mutants(
        system,
        tuple(_result(m, judged[m.number], _place(system, m, places), hints) for m in made),
        requirements=survey.requirements(),
        operators=chosen,
        assumed=describe_failures(request.given, request.model, request.failures.budget),
        notes=(*request.notes, *survey.notes()),
        seconds=time.monotonic() - started,
    )


def _operators(names: Iterable[str] | None) -> tuple[str, ...]:
    wanted = tuple(OPERATORS) if names is None else tuple(names)
    for name in wanted:
        if name not in OPERATORS:
            hint = did_you_mean(name, OPERATORS) or f"there are {listed(tuple(OPERATORS))}"
            raise UsageError(f"there is no operator '{name}'", hint=hint)
    if not wanted:
        raise UsageError("no operator is left", hint=f"there are {listed(tuple(OPERATORS))}")
    return tuple(name for name in OPERATORS if name in wanted)


def _place(system: System, mutant: Mutant, places: Places | NoPlaces | None) -> Place | None:
    """Where the transition is written, or else its state."""
    if places is not None:
        return places.transition(mutant.role, mutant.transition)
    return system[mutant.role].place(mutant.transition.source)


def _result(
    mutant: Mutant, judged: Judged, place: Place | None, hints: Mapping[int, WouldNotice]
) -> MutantResult:
    hint = hints.get(mutant.number)
    return MutantResult(mutant, judged.status, place, judged.by, judged.reason, hint)


class _Survey:
    """The mutants of one protocol, judged here or by worker processes."""

    def __init__(
        self, protocol: Original, jobs: int, progress: Callable[[int, int | None], None] | None
    ) -> None:
        self._protocol, self._jobs, self._progress = protocol, jobs, progress
        self._interrupted = ""

    def judged(self, made: Sequence[Mutant]) -> dict[int, Judged]:
        """Each by its number. Ctrl-C and the deadline leave the others undecided."""
        found: dict[int, Judged] = {}
        try:
            for judged in self._rows(made):
                found[judged.number] = judged
                if self._progress is not None:
                    self._progress(len(found), len(made))
        except KeyboardInterrupt:
            self._interrupted = why_interrupted()
        if is_over():
            self._interrupted = why_interrupted()
        reason = f"{self._interrupted} before it was judged"
        return {
            m.number: found.get(m.number) or Judged(m.number, MutantFate.UNDECIDED, reason=reason)
            for m in made
        }

    def _rows(self, made: Sequence[Mutant]) -> Iterator[Judged]:
        self._protocol.met  # noqa: B018 - asked here once, before there are workers
        jobs = min(self._jobs, (len(made) + _FEW - 1) // _FEW)
        if jobs < 2:
            yield from (judge(self._protocol, mutant, time_left()) for mutant in made)
            return
        memory = self._protocol.question.options.limits.bytes
        text = to_text(self._protocol, None if memory is None else max(memory // jobs, 1))
        yield from rows_of(made, partial(MutantWorker, text, time_left), jobs)

    def suggestions(self, made: Sequence[Mutant], judged: Mapping[int, Judged]) -> dict[int, WouldNotice]:
        """What would notice the survivors; what is known when time ends."""
        survivors = [m for m in made if judged[m.number].status is MutantFate.SURVIVES]
        if not survivors or self._interrupted:
            return {}
        try:
            return Suggestions(self._protocol.system, self._protocol.question).of(survivors)
        except KeyboardInterrupt:
            self._interrupted = why_interrupted()
            return {}

    def requirements(self) -> tuple[tuple[str, bool | None], ...]:
        """What was asked, and whether the protocol meets it; nothing where there was no time to ask."""
        if self._interrupted and not self._protocol.answered:
            return ()
        answers = sorted(self._protocol.answers.items())
        return tuple((title_of(self._protocol.system, n), verdict.ok) for n, verdict in answers)

    def notes(self) -> Iterator[str]:
        for title, met in self.requirements():
            if met is not True:
                how = "violated" if met is False else "not decided"
                yield f"{title} is {how} for the protocol itself, so it notices nothing"
        if self._interrupted:
            yield f"{self._interrupted}: what was not judged by then is undecided"
