"""*Fewest* is said where a proof for channels of any length says that fewer faults do not suffice
(definitions 10.12), and nowhere else."""

from __future__ import annotations

import json
import random
from dataclasses import replace

from stormproof.kernel.model.ask import Ask
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.languages import formats
from stormproof.limits import Limits
from stormproof.options import Options
from stormproof.oracle.bounded import TooLarge
from stormproof.oracle.survival import answer
from stormproof.search.checks.api import check
from stormproof.search.checks.survival import GrowingBounds, decide_survival
from stormproof.search.engine.effort import Effort
from stormproof.search.engine.survival import SurvivalAnswer, survey
from stormproof.search.reachability.proofs import reached_at_any_length
from stormproof.trust.saved.replay_report import replay_result
from stormproof.trust.saved.saved_report import result_from_json
from tests.support.survival_questions import random_asks, random_model

#: A channel that grows without end, so that no bound shows all runs.
STREAM = """
role A {
  s: B!x -> s
     B!y -> e
  e:
}
role B {
  w: A?x -> w
     A?y -> d
  d: A?x -> bad
  bad: A?x -> bad
}
require order: never B@bad under reorder
"""


def decided(model: SurvivalModel, asks: dict[str, Ask]) -> dict[str, SurvivalAnswer]:
    return decide_survival(GrowingBounds(model, asks, Effort(200_000), Options(Limits(seconds=60)), max_k=2))


def test_no_run_with_fewer_faults_than_the_fewest() -> None:
    """Neither the definitions nor the engine find one at any bound that is tried."""
    proved = 0
    for seed in range(8 * 10**6, 8 * 10**6 + 90):
        rng = random.Random(seed)
        model = random_model(rng)
        asks = random_asks(rng, model)
        for name, found in decided(model, asks).items():
            if found.holds is not False or found.run is None or found.run.faults == 0:
                continue
            fewest, goal = found.fewest, asks[name].goal
            if not fewest and not asks[name].always and found.run.faults == 1:
                calm = reached_at_any_length(model, goal, Limits(), 20_000, faults=False)
                fewest = calm is not None and calm.certificate is not None
            if fewest:
                fewer = replace(model, budget=model.budget.at_most(found.run.faults - 1))
                none_breaks(fewer, asks[name], f"seed {seed}, {name}")
                proved += 1
    assert proved > 4


def none_breaks(model: SurvivalModel, ask: Ask, where: str) -> None:
    for k in range(1, 5):
        assert survey(model, {"": ask}, k).answers[""].holds, f"{where}, k = {k}"
    for k in range(1, 4):
        try:
            assert answer(model, ask, k, most=2000).holds, f"{where}, k = {k}, by the definitions"
        except TooLarge:
            return


def test_a_proof_without_a_bound_that_no_fault_is_needed_less() -> None:
    data = check(formats.loads(STREAM), max_k=2, certificates=True).to_json()
    (verdict,) = [v for v in data["verdicts"] if v["property"] == "order"]
    assert (verdict["holds"], verdict["faults"], verdict["fewest"]) == (False, 1, True)
    saved = {**data, "asked": ["order"], "verdicts": [verdict]}
    (found,) = replay_result(result_from_json(json.dumps(saved)))
    assert found.proved and found.message.endswith("no run has fewer faults")
    certificate = verdict["fewest_certificate"]
    for i in range(len(certificate["basis"])):
        less = {**certificate, "basis": certificate["basis"][:i] + certificate["basis"][i + 1 :]}
        forged = {**saved, "verdicts": [{**verdict, "fewest_certificate": less}]}
        (found,) = replay_result(result_from_json(json.dumps(forged)))
        assert not found.proved


def test_one_fault_is_not_the_fewest_where_none_suffices() -> None:
    """Nor is anything proved where the goal can be reached without a fault, beyond every bound tried."""
    system = formats.loads(STREAM.replace("never B@bad", "never A->B=[x, x, x, x, x]"))
    (verdict,) = [v for v in check(system, max_k=2) if v.requirement is not None]
    assert verdict.holds is not False or verdict.faults == 0
