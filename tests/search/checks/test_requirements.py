"""Requirements of a file and survival, asked by `check`: what counts, what is known, what is shown."""

from __future__ import annotations

import json

import pytest

import stormproof as sp
from stormproof.kernel.model.budget import Budget
from stormproof.trust.saved.replay_report import replay_result
from stormproof.trust.saved.saved_report import result_from_json

LEASE = """
protocol Lease
role A {
  idle: Lock!ask -> wait
  wait: Lock?grant -> holding
  holding: Lock!release -> idle
}
service role Lock {
  free: A?ask -> give
  give: A!grant -> taken
  taken: A?release -> free
}
rest A@idle
"""
ORDER = """
protocol Order
role A { s: B!open -> t
         t: B!data -> u
         u: }
role B { s: A?open -> t
         t: A?data -> u
         u: }
"""
#: Two faults break it with channels of length 1 and 2, one from length 3 on (definitions, chapter 10).
LATE = """
protocol Late
role A { a: B!x -> b
         b: B!x -> c
         c: B!y -> d
         d: B!y -> e
         e: }
role B { w: A?x -> g
         g: A?x -> g
            A?y -> d
         d: A?x -> d
            A?y -> d }
"""


def loads(text: str, *requirements: str) -> sp.System:
    return sp.loads(text + "\n".join(requirements), format="storm")


def test_requirements_are_asked_and_count() -> None:
    system = loads(
        LEASE, "require mutex: never A@holding & Lock@free", "require fair: always possible A@holding"
    )
    report = sp.check(system)
    assert report.exit_code == 0
    assert all(report[name].holds and report[name].up_to is None for name in ("recovers", "mutex", "fair"))
    broken = sp.check(system, sp.Failures(loss=True))
    assert broken["fair"].holds is False and broken["fair"].faults == 1 and broken["fair"].replayed
    assert broken["mutex"].holds and broken.exit_code == 1


def test_a_known_limit_replaces_the_question_of_survival() -> None:
    system = loads(LEASE, "expect violated lost: recovers under loss")
    report = sp.check(system, sp.Failures(loss=True))
    assert report.exit_code == 0 and report["lost"].holds is False and report["lost"].ok
    assert "recovers" not in [v.property for v in report]
    assert report.notes == ("recovers is not asked: that it breaks is a known limit (lost)",)
    weaker = sp.check(system, sp.Failures(loss=["Lock->A"]))
    assert weaker["recovers"].holds is False, "loss on one channel does not contain loss on all"


def test_a_known_limit_with_a_budget_is_one_of_every_larger_budget() -> None:
    system = loads(LEASE, "expect violated lost: recovers under loss, at most 1 fault")
    for budget in (None, 2, 1, "1,loss=1"):
        assert sp.check(system, sp.Failures(loss=True), budget=budget).exit_code == 0, budget
    assert sp.check(system, sp.Failures(loss=True), budget=0)["recovers"].holds, "asked, and met"


def test_survival_goes_by_other_names() -> None:
    system = loads(LEASE, "require survives", "expect violated lost: survival under loss")
    assert [r.claim.what for r in system.requirements] == ["recovers", "recovers"]


def test_an_expected_violation_that_holds_is_a_failure() -> None:
    report = sp.check(loads(LEASE, "expect violated strange: recovers under none"))
    assert report["strange"].holds is True and report["strange"].ok is False and report.exit_code == 1


def test_a_requirement_under_failures_of_its_own() -> None:
    report = sp.check(loads(LEASE, "require few: recovers under loss, at most 0 faults"))
    assert report["few"].holds and report.exit_code == 0


def test_the_largest_bound_is_one_for_requirements_with_failures_of_their_own() -> None:
    system = loads("role A { s: B!m -> s } role B { w: A?m -> w }", "require own: recovers under none")
    report = sp.check(system, max_k=2)
    assert report["recovers"].up_to == report["own"].up_to == 2


@pytest.mark.parametrize("failures", [sp.Failures(loss=True), sp.Failures(reorder=True)])
def test_messages_in_order_break_with_one_fault(failures: sp.Failures) -> None:
    verdict = sp.survives(loads(ORDER), failures)
    assert (verdict.holds, verdict.faults, verdict.fewest, verdict.replayed) == (False, 1, True, True)
    assert "deadlock" in verdict.reason


def test_a_divergence_is_shown_where_the_protocol_stays() -> None:
    """Sending m again and again is not what is wrong: a second ack is never taken."""
    resend = """
    role A { first: B!m -> sent
             sent: B?ack -> second
                   timeout -> first
             second: B!n -> wait
             wait: B?fin -> end
                   timeout -> second }
    service role B { idle: A?m -> got
                           A?n -> ready
                     got: A!ack -> idle
                     ready: A!fin -> idle }
    """
    verdict = sp.survives(loads(resend))
    assert (verdict.holds, verdict.faults) == (False, 0)
    told = "divergence: A loops for ever while A→B grows; A does not receive ack from B"
    assert verdict.reason == told and verdict.witness is not None
    assert {a.state for a in verdict.witness.acts[verdict.witness.loop_from :]} == {"second", "wait"}


def test_fewer_faults_at_a_larger_bound_are_found() -> None:
    failures = sp.Failures(loss=True, reorder=True)
    assert sp.check(loads(LATE), failures, properties=["recovers"], k=2)["recovers"].faults == 2
    assert sp.survives(loads(LATE), failures).faults == 1


def test_budgets() -> None:
    failures = sp.Failures(loss=True)
    system = loads(ORDER)
    assert sp.check(system, failures, properties=["recovers"], budget=0)["recovers"].holds
    assert sp.check(system, failures, properties=["recovers"], budget=Budget(kinds={"loss": 0}))[
        "recovers"
    ].holds
    assert sp.check(system, failures, properties=["recovers"], budget=1)["recovers"].holds is False


def test_the_alternating_bit() -> None:
    plain, again = sp.protocol("alternating-bit"), sp.protocol("alternating-bit-retransmit")
    assert sp.survives(plain).holds and sp.survives(plain).up_to is None
    assert sp.survives(plain, sp.Failures(loss=True)).faults == 1
    survived = sp.survives(again, sp.Failures(loss=True))
    assert survived.holds and (survived.up_to or 0) >= 8
    apprentice = sp.survives(again, sp.Failures(reorder=True))
    assert apprentice.holds is False and apprentice.faults == 1


def test_k_properties_beside_survival_do_not_count() -> None:
    report = sp.check(sp.protocol("alternating-bit"), sp.Failures(loss=True))
    assert report["k-pg"].holds is False and not report["k-pg"].counts
    assert report["k-pg"].witness_k == 1, "a violation is shown at the smallest bound"
    named = sp.check(sp.protocol("alternating-bit"), properties=["k-mc"])
    assert named["k-mc"].counts and named.exit_code == 0


@pytest.mark.parametrize("k", [None, 1])
def test_a_full_channel_makes_no_run_longer(k: int | None) -> None:
    """At k = 1 the second send hits the bound: the run goes on with the slack."""
    verdict = sp.check(loads(ORDER), sp.Failures(corrupt=True), k=k, properties=["recovers"])["recovers"]
    assert verdict.witness is not None and verdict.replayed and verdict.faults == 1
    assert [type(step).__name__ for step in verdict.witness.steps] == ["Act", "Corrupt", "Act"]


def answers(report: sp.Report) -> list[tuple[str, bool | None]]:
    """What the file requires, and then survival."""
    return [(v.property, v.ok) for v in report if v.survival]


@pytest.mark.parametrize("line", ["expect violated recovers under loss", "require recovers under reorder"])
def test_a_requirement_without_a_name_is_not_the_default_question(line: str) -> None:
    """Its answer, under failures of its own, says nothing of survival under those of the check."""
    report = sp.check(loads(ORDER, line))
    assert answers(report) == [("recovers", line.startswith("expect")), ("recovers", True), ("clean", True)]
    assert report["recovers"].requirement is None and report["recovers"].holds
    assert report.exit_code == (0 if line.startswith("expect") else 1)


def test_a_requirement_that_is_called_like_a_property_asks_for_itself() -> None:
    report = sp.check(loads(ORDER, "require recovers: never A@u", "require clean: always possible A@u"))
    assert answers(report) == [("recovers", False), ("clean", True), ("recovers", True), ("clean", True)]
    report = sp.check(loads(ORDER, "require k-mc: never A@u"))
    assert answers(report)[0] == ("k-mc", False) and report["k-mc"].holds


def test_requirements_of_one_title_are_replayed_each_under_its_own_failures() -> None:
    lines = ("require recovers under none", "require recovers under loss", "require recovers")
    data = sp.check(loads(ORDER, *lines), certificates=True).to_json()
    replayed = replay_result(result_from_json(json.dumps(data)))
    found = [verdict for verdict in replayed if verdict.property in ("recovers", "clean")]
    assert len(found) == 5 and all(verdict.proved for verdict in found), found


def test_what_a_check_by_name_leaves_out_is_said() -> None:
    system = sp.protocol("outbox")
    titles = [r.title for r in system.requirements]
    assert sp.check(system).notes == ()
    some = sp.check(system, properties=["recovers", titles[0]])
    left = f"{', '.join(titles[1:6])} and {len(titles) - 6} more"
    assert some.notes == (f"not asked: {left}, which the file requires",)
    assert sp.check(system, properties=titles).notes == ()
