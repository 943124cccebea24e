"""A check made ready: the system that is searched, for which bounds, within which limits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from ...kernel.model.arguments import check_arguments
from ...kernel.model.ask import Ask
from ...kernel.model.budget import Budget
from ...kernel.model.failures import FailureModel, Failures
from ...kernel.model.failures_text import without_effect
from ...kernel.model.part import in_part
from ...kernel.model.requirement import Requirement
from ...kernel.model.survival import SurvivalModel
from ...kernel.model.system import System
from ...kernel.transform.prepare import prepare, with_process_faults
from ...kernel.transform.stop_restart import Transformed
from ...limits import Limits, check_bound
from ...options import Options
from ...records import dataclass
from ..engine.effort import SPENT, Effort
from .as_reached import Reaching, for_asking
from .properties import (
    CRASH_PROPERTIES,
    DEFAULT_PROPERTIES,
    PROPERTIES,
    RECOVERS,
    SURVIVAL_PROPERTIES,
    known_properties,
    undefined_under,
)

#: A model of survival, and what is asked of it.
Asks = tuple[SurvivalModel, Mapping[str, Ask]]

#: What nobody asked for by name may explore so many configurations, whatever the effort: it takes no time.
AT_ONCE = 10_000

#: So many questions have the whole effort each: survival, and requirements with failures of their own. More
#: of them share it.
QUESTIONS = 4

#: The largest bound that is tried for a k-property, unless another is asked for.
MAX_K = 10

#: Of more requirements that are left out some are named.
_MOST_NAMED = 5


@dataclass(frozen=True)
class Request:
    """One system, one failure model, some properties; `effort`: what is left for what only makes an answer
    stronger; `unasked`: nobody asked for these properties by name, so that all of them are decided within it.

    `asked` is the system as it came, `given` the one with who may crash marked, `prepared` the one with crash
    handling completed or an encoding applied, `system` the one that is searched: stops and restarts are
    actions of it. `named`: the properties and requirements that were asked for by name, None where nothing
    was. `without_effect`: which faults change nothing.

    Of automata that are made in part (definitions chapter 18): `before` is the request with all of its
    bounds, of which this one has those at which no run comes to a mark; `unsettled`: the limit for which that
    is not known of any.
    """

    asked: System
    given: System
    prepared: System
    system: System
    failures: Failures
    model: FailureModel
    properties: tuple[str, ...]
    required: tuple[Requirement, ...]
    searched: Transformed
    counted: frozenset[str]
    bounds: tuple[int, ...]
    one_bound: bool
    survival_max_k: int | None
    semantics: str
    notes: tuple[str, ...]
    without_effect: tuple[str, ...]
    options: Options
    named: tuple[str, ...] | None
    started: float
    effort: Effort
    unasked: bool = False
    before: Request | None = None
    unsettled: str = ""

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """Those of the file that are asked of survival under the failures of the check."""
        return tuple(r for r in self.required if r.under is None and not r.claims_property)

    @property
    def budget(self) -> Budget:
        """How many faults a run may have."""
        return self.failures.budget

    @property
    def limits(self) -> Limits:
        return self.options.limits

    def most_at(self, k: int) -> int | None:
        """How many configurations a search at this bound may explore: larger ones than the first are explored
        within the effort."""
        if k != self.bounds[0]:
            return self.effort.configurations(k)
        return max(self.effort.configurations(k), AT_ONCE) if self.unasked else None

    @property
    def answer(self) -> tuple[str, ...]:
        """The properties that are the answer: survival, and what is asked for by name."""
        return tuple(n for n in self.properties if n in self.counted or n in SURVIVAL_PROPERTIES)

    @property
    def classes(self) -> tuple[str, ...]:
        """The properties that nobody asked for by name."""
        return tuple(n for n in self.properties if n not in self.answer)

    def sharing_effort(self, questions: int, of: Request | None = None) -> Request:
        """The same with an equal part of the effort that is left, of this request or of the whole one that
        it belongs to: a file with many requirements takes no longer than one with few."""
        whole = self if of is None else of
        own = whole.effort.part(questions, most=self.options.effort)
        return replace(self, effort=own, started=whole.started)

    def for_classes(self) -> Request:
        """The same for properties that nobody asked for by name: they have an effort of their own."""
        return replace(self, unasked=True, effort=Effort(self.options.effort))


def make_request(
    system: System,
    failures: Failures | None,
    *,
    k: int | None,
    max_k: int | None,
    properties: Iterable[str] | None,
    semantics: str,
    options: Options,
) -> Request:
    """Resolve what was asked against the system; every mistake in it is a UsageError."""
    started = time.monotonic()
    asked = failures or Failures()
    check_arguments(system, failures)
    system = for_asking(system, asked, semantics, options)
    marked, model, notes = prepare(system, asked, partly=True, semantics=semantics)
    searched = with_process_faults(marked, model)
    idle = () if in_part(system) else faults_without_effect(asked, system, model, searched)
    named = None if properties is None else tuple(properties)
    required = requirements_named(system, named or ())
    others = None if named is None else tuple(n for n in named if n not in {r.title for r in required})
    names = _properties(others, model, asked.budget, system, options.classes)
    return Request(
        asked=system,
        given=system.with_unreliable(model.unreliable),
        prepared=marked,
        system=searched.system,
        searched=searched,
        failures=asked,
        model=model,
        properties=names,
        required=required if named else system.requirements,
        counted=frozenset(names) if properties is not None else frozenset({RECOVERS.name}),
        bounds=_bounds(k, MAX_K if max_k is None else max_k),
        one_bound=k is not None,
        survival_max_k=k or max_k,
        semantics=semantics,
        without_effect=idle,
        notes=(
            *notes,
            *idle,
            *(_left_out(system, required) if named else ()),
        ),
        options=options,
        named=named,
        started=started,
        effort=Effort(QUESTIONS * options.effort),
    )


def as_reached(request: Request, asks_of: Callable[[Request], Asks]) -> Request:
    """The request about automata that are made as far as its runs come, at bounds at which they come no
    further. `asks_of`: what a request asks of survival."""
    if not in_part(request.system) or request.before is not None:
        return request

    def asks(system: System) -> Asks:
        return asks_of(_about(request, system))

    effort = Effort(request.options.effort)
    reaching = Reaching(request.asked, request.failures, request.options, effort, asks)
    longest = None if request.survival_max_k is None else max(request.bounds[-1], request.survival_max_k)
    found = reaching.up_to(request.bounds[0], longest)
    made = _about(request, found.system)
    if found.settled is None:
        return made if not in_part(found.system) else replace(made, before=made)
    last = max(found.settled, request.bounds[0])
    return replace(
        made,
        before=made,
        unsettled="" if found.settled else found.stopped or SPENT,
        bounds=tuple(k for k in made.bounds if k <= last),
        survival_max_k=min(last, made.survival_max_k or last),
    )


def _about(request: Request, system: System) -> Request:
    """The same request about the system with more of its automata."""
    made = make_request(
        system,
        request.failures,
        k=request.bounds[0] if request.one_bound else None,
        max_k=request.bounds[-1],
        properties=request.named,
        semantics=request.semantics,
        options=request.options,
    )
    required = {(r.title, r.line): r for r in system.requirements}
    chosen = tuple(required.get((r.title, r.line), r) for r in request.required)
    chosen += tuple(r for r in made.required if request.named is None and r not in chosen)
    return replace(
        made,
        properties=request.properties,
        counted=request.counted,
        required=chosen,
        survival_max_k=request.survival_max_k,
        started=request.started,
        effort=request.effort,
        unasked=request.unasked,
    )


def faults_without_effect(
    asked: Failures, system: System, model: FailureModel, searched: Transformed
) -> tuple[str, ...]:
    """Which failures change nothing, in sentences."""
    idle = searched.idle_restarts()
    restarts = (f"a restart of {name} has no effect: it is where it restarts, or has ended" for name in idle)
    return (*without_effect(asked, system, model), *restarts)


def _left_out(system: System, required: tuple[Requirement, ...]) -> tuple[str, ...]:
    """Which requirements of the file are not answered because something else was asked for by name."""
    left = [r.title for r in system.requirements if r not in required]
    more = f" and {len(left) - _MOST_NAMED} more" if len(left) > _MOST_NAMED else ""
    return (f"not asked: {', '.join(left[:_MOST_NAMED])}{more}, which the file requires",) if left else ()


def requirements_named(system: System, names: Iterable[str]) -> tuple[Requirement, ...]:
    """The requirements that are asked for by their names; only a property of that name goes before."""
    wanted = set(names) - set(PROPERTIES)
    return tuple(r for r in system.requirements if r.title in wanted)


def _bounds(k: int | None, max_k: int) -> tuple[int, ...]:
    for name, bound in (("k", k), ("max-k", max_k)):
        if bound is not None:
            check_bound(bound, name)
    return (k,) if k is not None else tuple(range(1, max_k + 1))


def _properties(
    asked: Iterable[str] | None, model: FailureModel, budget: Budget, system: System, classes: bool
) -> tuple[str, ...]:
    if asked is None:
        of_paper = DEFAULT_PROPERTIES + (CRASH_PROPERTIES if model.unreliable else ())
        default = SURVIVAL_PROPERTIES + (of_paper if classes else ())
        return tuple(n for n in default if not undefined_under(n, model, budget, system.mailboxes))
    return known_properties(asked, [r.title for r in system.requirements])
