"""What holds up to some channel length, put to the methods without a bound: a proof lifts it to any length, a
run that they find is the verdict. The same for fewer faults than a violation has (definitions 10.11, 10.12).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ...errors import UsageError
from ...kernel.model.ask import Ask
from ...kernel.model.goal import And, Named, Not
from ...kernel.model.message_tracking import longest_content
from ...kernel.model.part import in_part
from ...kernel.model.survival import BlockSize, SurvivalModel
from ...kernel.transform.observed_product import ObservedProduct, observed_product
from ...trust.survival_certificate import MOST
from ..counterexample.storm_of_actions import storm_of_actions
from ..engine.survival import FoundRun, SurvivalAnswer, survey
from .as_reached import goal_or_mark
from .request import Request
from .survival import AFTER_VIOLATION, INTERRUPTED, answer_at

if TYPE_CHECKING:
    from ..reachability.answer import Answer
    from ..reachability.portfolio import Portfolio
    from .outcome import Proof

#: The methods that find runs and end soon: asked for a deadlock, which violates what must stay possible.
_FOR_DEADLOCKS = ("control states", "forward search", "backward search", "half-duplex")

#: Of the effort each method may spend one part of so many; where it is asked for a deadlock only, of more.
_SHARE, _SHARE_FOR_DEADLOCKS = 10, 50


class MethodsForAnyLength:
    """The methods without a bound, asked in rounds beside the search for storms, and in the end."""

    def __init__(self, request: Request, model: SurvivalModel, asks: Mapping[str, Ask]) -> None:
        self.request, self.model, self.asks = request, model, asks
        self.effort = {n: request.effort.left // (self._share(a) * len(asks)) for n, a in asks.items()}
        self.portfolios: dict[str, Portfolio | OnProduct | None] = {}
        self.answers: dict[str, Answer | None] = {}

    @property
    def partly(self) -> bool:
        return in_part(self.model.system)

    @staticmethod
    def _share(ask: Ask) -> int:
        return _SHARE_FOR_DEADLOCKS if ask.always else _SHARE

    def decide(self, name: str) -> bool:
        """One more round: is there an answer now? A run may have more faults than the budget allows."""
        if name not in self.answers:
            answer = self._round(name)
            if answer is not None:
                self.answers[name] = answer
        known = self.answers.get(name)
        if known is None:
            return False
        usable = known.run is not None and self.model.extras.clocks is None
        return self._proves(name, known) or (usable and not self.model.budget.limited)

    def _proves(self, name: str, answer: Answer) -> bool:
        """That there is no deadlock proves nothing of what must stay possible."""
        return answer.certificate is not None and not self.asks[name].always

    def _round(self, name: str) -> Answer | None:
        if self.partly and self.asks[name].always:
            return None
        if name not in self.portfolios:
            self.portfolios[name] = _portfolio(self.request, self.model, self.asks[name])
        asked, effort = self.portfolios[name], self.effort[name]
        answer = None if asked is None or effort <= 0 else asked.round(effort)
        # A run to a mark is no violation, and a proof is one for marks, too (definitions 18.4).
        return None if answer is not None and answer.run is not None and self.partly else answer

    def _answer(self, name: str) -> Answer | None:
        """After all rounds."""
        while name not in self.answers and self.effort[name] > 0 and not self.request.one_bound:
            answer = self._round(name)
            if answer is not None or self.partly or self.portfolios[name] is None:
                self.answers[name] = answer
        return self.answers.get(name)

    def improve(self, name: str, found: SurvivalAnswer) -> SurvivalAnswer:
        """The answer with what the methods without a bound know better, within the effort."""
        request, model, ask = self.request, self.model, self.asks[name]
        if request.one_bound or found.stopped == INTERRUPTED:
            return found
        if self.partly and (self.asks[name].always or found.holds is False):
            return found
        if found.holds is None or (found.holds and found.up_to is not None):
            answer = self._answer(name)
            if answer is not None and self._proves(name, answer):
                proof = None if model.extras.observers else _kept(request, answer)
                return SurvivalAnswer(
                    True, k=found.k, proof=proof, configurations=found.configurations, seconds=found.seconds
                )
            found = _with_run(request, model, ask, found, answer)
        # A run that was found may have more faults than the budget, which one without faults has not.
        if self.partly:
            return found
        if not found.fewest and (found.holds is False or (found.up_to is not None and model.budget.limited)):
            found = self._without_faults(name, found)
        return found

    def _without_faults(self, name: str, found: SurvivalAnswer) -> SurvivalAnswer:
        """A run without faults is better than any; a proof that there is none makes one fault the fewest."""
        request, model, ask = self.request, self.model, self.asks[name]
        if model.extras.clocks is not None:  # what is found at any time proves little on time
            return found
        asked = _portfolio(request, model, ask, faults=False)
        answer, effort = None, self.effort[name] // AFTER_VIOLATION
        while asked is not None and answer is None and effort > 0:
            answer = asked.round(effort)
        one = found.run is not None and found.run.faults == 1
        if answer is not None and self._proves(name, answer) and one:
            proof = None if model.extras.observers else _kept(request, answer)
            return replace(found, fewest=True, fewest_proof=proof)
        return _with_run(request, model, ask, found, answer)


class OnProduct:
    """The methods without a bound on the product of roles with their observers (definitions 17.4). What they
    prove of it has no certificate that speaks of the roles."""

    def __init__(self, product: ObservedProduct, methods: Portfolio) -> None:
        self.product, self.methods = product, methods

    def round(self, effort: int) -> Answer | None:
        answer = self.methods.round(effort)
        if answer is None or answer.run is None:
            return answer
        return replace(answer, run=self.product.run(answer.run))


def _on_product(request: Request, model: SurvivalModel, ask: Ask, faults: bool) -> OnProduct | None:
    product = observed_product(model)
    if product is None:
        return None
    after = None if ask.after is None else product.goal(ask.after)
    methods = _portfolio(request, product.model, Ask(ask.always, product.goal(ask.goal), after), faults)
    return None if methods is None else OnProduct(product, methods)  # type: ignore[arg-type]


def _portfolio(
    request: Request, model: SurvivalModel, ask: Ask, faults: bool = True
) -> Portfolio | OnProduct | None:
    """Of what must stay possible: is there a deadlock elsewhere? None where there are observers that are no
    part of a role. These methods let timers expire at any time, so with timers on time their proofs are of
    use, and their runs are not (definitions 16.5)."""
    if model.extras.observers:
        return _on_product(request, model, ask, faults)
    from ..reachability.proofs import portfolio

    if not ask.always:
        return portfolio(model, goal_or_mark(ask.goal, model.system), request.limits, faults)
    if model.extras.clocks is not None:
        return None
    # Where what must lead to the goal holds, it is pending.
    pending = () if ask.after is None else (ask.after,)
    stuck = And((Named("deadlock"), Not(ask.goal), *pending))
    return portfolio(model, stuck, request.limits, faults, _FOR_DEADLOCKS)


def _kept(request: Request, answer: Answer) -> Proof | None:
    return answer.certificate if request.options.certificates else None


def _with_run(
    request: Request, model: SurvivalModel, ask: Ask, found: SurvivalAnswer, answer: Answer | None
) -> SurvivalAnswer:
    """The run as the verdict: the best within its length, if there is effort to search for it, or itself, if
    the budget allows it."""
    if answer is None or answer.run is None or model.extras.clocks is not None:
        return found
    run = storm_of_actions(model, answer.run, "deadlock" if ask.always else None)
    k = longest_content(answer.run.steps)
    most = answer.run.fault_count if run is None else run.faults
    best = _best(request, replace(model, budget=model.budget.at_most(most)), ask, k)
    if best is not None:
        return best
    if run is None and found.holds is not False:  # a violation all the same, but no run can be shown
        return replace(found, holds=None, k=k, up_to=None, doubt=None, stopped="states")
    if run is None or not _is_allowed(model, run):
        return found
    proof = BlockSize(k, k) if ask.always else None
    return SurvivalAnswer(False, k=k, run=replace(run, proof=proof), fewest=run.faults == 0)


def _is_allowed(model: SurvivalModel, run: FoundRun) -> bool:
    return model.budget.allows(run.faults, sum((step.faults for step in run.steps), start=Counter[str]()))


def _best(request: Request, model: SurvivalModel, ask: Ask, k: int) -> SurvivalAnswer | None:
    """The run with the fewest faults, and then the fewest actions, with at most k messages per channel."""
    most, options = request.effort.configurations(k), request.options
    if most <= 0:
        return None
    try:
        result = survey(
            model,
            {"": ask},
            k,
            options=options,
            most=most,
            certified=MOST if options.certificates else 0,
        )
    except UsageError:  # more than the engine's words hold
        return None
    request.effort.spend_on(result.stored, k)
    answer = result.answers[""]
    return answer_at(result, "") if answer.holds is False and answer.run is not None else None
