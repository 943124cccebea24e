"""What a check asks of a protocol and of its mutants: `recovers` and what the file requires.

The exit code of `check` depends on nothing else, so a mutant that changes none of these answers is one that
nobody hears of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace

from ...kernel.model.ask import Ask
from ...kernel.model.failures import Failures
from ...kernel.model.requirement import Claim, Requirement
from ...kernel.model.survival import SurvivalModel
from ...kernel.model.system import System
from ...options import Options
from ...records import dataclass
from ...search.checks.api import report_on
from ...search.checks.properties import RECOVERS
from ...search.checks.recovery import required_ask, survival_model
from ...search.checks.report import Verdict
from ...search.checks.request import Request, make_request
from ...search.checks.requirements import is_known_limit, request_of
from ...search.engine.survival import survey

#: `recovers`, which every check asks; the requirements of a file are numbered from 0.
SURVIVES = -1
#: The bounds of the quick look. Most mistakes are noticed here.
QUICK_BOUNDS = (1, 2)
#: Configurations that one exploration of the quick look may have.
QUICK = 200_000


@dataclass(frozen=True)
class Group:
    """What is asked under the same failures: the number of each requirement and what it asks of survival."""

    request: Request
    model: SurvivalModel
    asks: Mapping[int, Ask]
    required: Mapping[int, Requirement]


@dataclass(frozen=True)
class CheckQuestion:
    """What was asked of a protocol: under which failures, and how."""

    failures: Failures = field(default_factory=Failures)
    options: Options = field(default_factory=Options)
    k: int | None = None
    max_k: int | None = None

    def request(self, system: System) -> Request:
        request = make_request(
            system,
            self.failures,
            k=self.k,
            max_k=self.max_k,
            properties=None,
            semantics="definition",
            options=self.options,
        )
        return replace(request, properties=(RECOVERS.name,))

    def answers(self, system: System) -> dict[int, Verdict]:
        """As a check answers them. `recovers` is left out where its violation is a known limit."""
        report = report_on(self.request(system))
        if report.interrupted:
            raise KeyboardInterrupt
        found: dict[int, Verdict] = {}
        for verdict in report:
            required = verdict.requirement
            found[SURVIVES if required is None else system.requirements.index(required)] = verdict
        return found

    def groups(self, system: System) -> Iterator[Group]:
        """The questions about survival: those under the failures of the check, and those under each other
        failures that requirements name."""
        request = self.request(system)
        required = dict(enumerate(request.required))
        if not any(is_known_limit(request, r) for r in request.required):
            required = {SURVIVES: Requirement(Claim(RECOVERS.name)), **required}
        survival = {n: r for n, r in required.items() if not r.claims_property}
        for under in dict.fromkeys(r.under for r in survival.values()):
            chosen = {n: r for n, r in survival.items() if r.under == under}
            yield _group(request, chosen)


def _group(request: Request, required: Mapping[int, Requirement]) -> Group:
    """All of them on one model, which has the faults that they name."""
    own = request_of(request, next(iter(required.values())))
    model = survival_model(own)
    asks = {n: required_ask(own, model, r) for n, r in required.items()}
    return Group(own, model, {n: ask for n, ask in asks.items() if ask is not None}, required)


def quickly_noticed(groups: list[Group], wanted: frozenset[int]) -> int | None:
    """The first requirement, among those wanted, of which a short search already knows that it is not met."""
    for k in QUICK_BOUNDS:
        for group in groups:
            asks = {str(n): ask for n, ask in group.asks.items() if n in wanted}
            if not asks or k > (group.request.survival_max_k or k):
                continue
            found = survey(group.model, asks, k, options=group.request.options.without_runs(), most=QUICK)
            for number in (n for n in group.asks if str(n) in asks):
                answer = found.answers[str(number)]
                settled = answer.holds is False or (answer.holds is True and answer.up_to is None)
                if settled and answer.holds is group.required[number].violated:
                    return number
    return None
