"""The question of a check put to a changed protocol: quickly, for a run to learn from, or in full."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from ...kernel.model.actions import Configuration
from ...kernel.model.ask import Ask, clean
from ...kernel.model.failures import Failures
from ...kernel.model.survival import LADDER, SurvivalModel
from ...kernel.model.system import System
from ...kernel.semantics.explore import explore
from ...kernel.semantics.faulty_steps import effect, stormy_steps
from ...limits import is_over
from ...options import Options
from ...search.checks.api import report_on
from ...search.checks.properties import CLEAN, RECOVERS, SURVIVAL_PROPERTIES
from ...search.checks.recovery import survival_asks, survival_model
from ...search.checks.report import Report, Verdict
from ...search.checks.request import Request, make_request
from ...search.checks.requirements import request_of
from ...search.checks.survival import INTERRUPTED
from ...search.engine.survival import FoundRun, Survey, survey
from .candidates import Scene, Stuck

#: The bounds of a quick trial. Most that breaks a protocol breaks it here.
QUICK_BOUNDS = (1, 2, 3)
#: So many configurations one exploration of a quick trial may take, and that of the protocol as it is.
QUICK, FIRST = 20_000, 200_000
#: Of what can happen after the last fault, so much is looked at.
MOST_SCENES, LONGEST = 300, 2
#: What would need longer channels to be judged is left to the full check.
QUICK_LADDER = LADDER[:2]


@dataclass(frozen=True)
class Question:
    """What was asked of a protocol: under which failures, for which bounds, within which limits."""

    failures: Failures = field(default_factory=Failures)
    options: Options = field(default_factory=Options)
    k: int | None = None
    max_k: int | None = None

    def report(self, system: System) -> Report:
        """Survival and all requirements, as a check answers them; the classes count for neither."""
        request = self.request(system)
        kept = tuple(name for name in request.properties if name in SURVIVAL_PROPERTIES)
        return report_on(replace(request, properties=kept))

    def answers(self, system: System) -> dict[str, Verdict]:
        report = self.report(system)
        if report.interrupted:
            raise KeyboardInterrupt
        return {v.property: v for v in report}

    def request(self, system: System) -> Request:
        return make_request(
            system,
            self.failures,
            k=self.k,
            max_k=self.max_k,
            properties=None,
            semantics="definition",
            options=self.options,
        )

    def asked(self, system: System) -> Iterator[tuple[Request, SurvivalModel, dict[str, Ask]]]:
        """What is asked of survival: by the check, and by each requirement with failures of its own."""
        request = replace(self.request(system), properties=(RECOVERS.name,))
        model = survival_model(request)
        yield request, model, survival_asks(request, model)
        for requirement in request.required:
            if requirement.under is not None and not requirement.claims_property and not requirement.violated:
                own = request_of(request, requirement)
                model = survival_model(own)
                (ask,) = survival_asks(own, model).values()
                yield own, model, {requirement.title: ask}


def calm(system: System) -> System:
    """The protocol alone: nothing fails, and nothing is required."""
    steady = tuple(replace(p, reliable=True, stop=False, restart=False) for p in system)
    return replace(system, processes=steady, faults=(), requirements=())


@dataclass
class Spent:
    """The effort of a search for repairs: candidates that were tried, and configurations explored for them.
    Both are counted, so that two searches find the same on any machine."""

    most_candidates: int
    most_configurations: int
    candidates: int = 0
    configurations: int = 0

    @property
    def all(self) -> bool:
        few = self.candidates < self.most_candidates and self.configurations < self.most_configurations
        return is_over() or not few

    def only_a_part_more(self, of: int) -> None:
        """What is found need not be searched as long."""
        self.most_candidates = min(self.most_candidates, self.candidates + self.most_candidates // of)


@dataclass(frozen=True)
class Trial:
    """A question of which only what is `wanted`, by name, must hold."""

    question: Question
    wanted: frozenset[str]
    spent: Spent

    def stuck(self, system: System, most: int = QUICK) -> Stuck | bool:
        """Where the protocol is stuck; True where nothing was found, False where no line can help."""
        self.spent.candidates += 1
        for request, model, asks in self.question.asked(system):
            wanted = {name: ask for name, ask in asks.items() if name in self.wanted}
            found = self._first_violation(request, model, wanted, most)
            if found is not True:
                return found
        return True

    def narrow(self, system: System, most: int) -> Stuck | bool:
        """With one message per channel, and calm runs with hardly more: True where all that is wanted holds,
        which is so then; where it is stuck, or seems to be; False where a limit was hit."""
        self.spent.candidates += 1
        for request, model, asks in self.question.asked(system):
            wanted = {name: ask for name, ask in asks.items() if name in self.wanted}
            if not wanted:
                continue
            limits = replace(request.options.limits, states=most)
            result = survey(model, wanted, 1, request.options.but(limits=limits), slack=1, ladder=())
            self.spent.configurations += max(result.configurations, result.stored)
            found = _judged(request, model, wanted, result)
            if found is None or found[0] is not True:
                return False if found is None else found[0]
        return True

    def left_behind(self, system: System) -> Stuck | bool:
        """What is left in channels when nothing fails and everybody rests: where, or True if nothing is."""
        request = Question(options=self.question.options).request(calm(system))
        request = replace(request, properties=(CLEAN.name,))
        model = survival_model(request)
        return self._first_violation(request, model, survival_asks(request, model))

    def _first_violation(
        self, request: Request, model: SurvivalModel, asks: Mapping[str, Ask], most: int = QUICK
    ) -> Stuck | bool:
        """The violation at the smallest bound; True where there is none, False where no line can help: what
        must never happen, late messages aside, is not undone by more runs."""
        doubtful: Stuck | bool = True
        limits = request.options.limits
        quick = request.options.but(limits=replace(limits, states=min(most, limits.states or most)))
        for k in (k for k in QUICK_BOUNDS if asks and k <= (request.survival_max_k or k)):
            result = survey(model, asks, k, options=quick, ladder=QUICK_LADDER)
            self.spent.configurations += max(result.configurations, result.stored)
            now = _judged(request, model, asks, result)
            if now is None:
                return doubtful if k > 1 else False
            doubtful, final = now
            if final:
                return doubtful
        return doubtful


def _judged(
    request: Request, model: SurvivalModel, asks: Mapping[str, Ask], result: Survey
) -> tuple[Stuck | bool, bool] | None:
    """What one bound says, and whether that is an answer; None where it hit a limit."""
    if result.stopped == INTERRUPTED:
        raise KeyboardInterrupt
    if result.stopped:
        return None
    doubtful: Stuck | bool = True
    for name, answer in result.answers.items():
        if answer.run is None:
            continue
        late = asks[name] == clean(model.system, model.rest)
        if not asks[name].always and not late:
            return False, True
        doubtful = replace(_stuck(request, model, answer.run), left_behind=late)
        if answer.holds is False:
            return doubtful, True
    return doubtful, False


def _stuck(request: Request, model: SurvivalModel, run: FoundRun) -> Stuck:
    """Where the run ends; if it goes on for ever, what can happen after the last fault."""
    start = Configuration(tuple(p.initial for p in model.system), tuple(() for _ in model.system.channels))
    ends = run.end in (None, "deadlock", "rest")
    for step in run.steps if ends else run.steps[: run.storm]:
        start = effect(model, start, step)
    places = [start] if ends else _calm_futures(model, start)
    taken = frozenset((step.process, step.transition) for step in (*run.steps, *run.cycle))
    return Stuck(tuple(_scene(request, at) for at in places), run.faults, run.end or "", taken=taken)


def _calm_futures(model: SurvivalModel, start: Configuration) -> list[Configuration]:
    """What is reachable without faults and without filling the channels, the nearest first."""

    def leaving(at: Configuration) -> Iterator[tuple[None, Configuration]]:
        for step in stormy_steps(model, at):
            after = effect(model, at, step)
            long = any(len(word) > LONGEST and word != old for word, old in zip(after.words, at.words))
            if step.calm and not long:
                yield None, after

    found = explore([start], leaving, goes_on=lambda seen: seen < MOST_SCENES)
    return list(found.came)[:MOST_SCENES]


def _scene(request: Request, at: Configuration) -> Scene:
    names = request.system.names
    states = {p: request.searched.user_state(p, s) for p, s in zip(names, at.states)}
    return Scene(states, dict(zip(request.system.channels, at.words)))
