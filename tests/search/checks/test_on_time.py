"""Both answers, with timers on time and at any time, and where time stands still (definitions 16.7, 16.8)."""

from __future__ import annotations

import random
from collections import Counter

import pytest

import stormproof as sp
from stormproof.kernel.semantics.silent_steps import initial
from stormproof.kernel.semantics.standstill import may_stand_still, standstill
from stormproof.kernel.transform.extras import with_clocks
from stormproof.oracle import survival as spec
from stormproof.oracle.bounded import TooLarge
from stormproof.oracle.standstill import stands_still
from stormproof.search.checks.on_time import OnTime
from tests.support.survival_questions import random_model

#: A lease of two units; its holder works for one or for three.
LEASE = """
role Holder {{ idle: Lock!acquire -> wait
  wait: Lock?granted -> busy
  busy: timeout work after {work} -> write
  write: Disk!write(1) -> done
  done: }}
role Other {{ idle: timeout at any time -> ask
  ask: Lock!acquire -> wait
  wait: Lock?granted -> write
  write: Disk!write(2) -> done
  done: }}
service role Lock {{ free: Holder?acquire -> grant
  grant: Holder!granted -> held
  held: timeout expired after 2 -> open
  open: Other?acquire -> give
  give: Other!granted -> given
  given: }}
service role Disk {{ empty: Holder?write(1) -> first
           Other?write(2) -> second
  first: Other?write(2) -> second
  second: Holder?write(1) -> late
  late: }}
require in-order: never Disk@late
"""
IMPATIENT = """
timers on time
role Client {{ ask: Server!get -> wait
  wait: Server?busy -> {again}
        Server?value -> done
  pause: timeout at any time -> ask
  done: }}
role Server {{ locked: Client?get -> refuse
          timeout lease -> free
  refuse: Client!busy -> locked
  free: Client?get -> answer
  answer: Client!value -> free }}
role Lock {{ held: timeout -> let
  let: }}
rest Client@done, Server@{{free, locked}}, Lock@let
"""


def test_a_lease_is_safe_on_time_if_the_work_is_shorter() -> None:
    short, long = (sp.check(sp.loads(LEASE.format(work=n)))["in-order"] for n in (1, 3))
    assert short.holds is False and short.on_time == OnTime(True)
    assert long.holds is False and long.on_time == OnTime(False)
    assert "only if a message, an action or a clock is slower than a timer that waits for it" in str(short)
    assert "also if everything is faster than every timer" in str(long)
    assert short.to_json()["on_time"] == {"holds": True, "up_to": None}


@pytest.mark.parametrize("work", [1, 2, 3])
def test_the_check_on_time_is_what_the_second_answer_says(work: int) -> None:
    """Two units are as long as the lease: either may be first."""
    system = sp.loads(LEASE.format(work=work))
    second = sp.check(system)["in-order"].on_time
    assert second is not None
    found = sp.check(system, sp.Failures(timers="on-time"))["in-order"]
    assert found.holds is second.holds and found.on_time is None
    assert found.holds is (work == 1)


def test_without_timers_nothing_is_asked_twice() -> None:
    system = sp.loads("role A { s: B!x -> t\n t: }\nrole B { w: A?x -> v\n v: }\nrequire never A@t")
    assert all(v.on_time is None for v in sp.check(system))


def test_without_effort_the_second_answer_is_open() -> None:
    verdict = sp.check(sp.loads(LEASE.format(work=1)), effort=0)["in-order"]
    assert verdict.holds is False and verdict.on_time == OnTime(None)
    assert "whether also if everything is faster than every timer is not decided" in str(verdict)


def test_a_client_that_asks_at_once_lets_no_time_pass() -> None:
    report = sp.check(sp.loads(IMPATIENT.format(again="ask")), properties=["recovers", "clean"])
    assert report["recovers"].holds is None
    said = "time stands still while a timer of Lock waits: Client sends get"
    assert report["recovers"].reason.startswith(said)
    assert report["clean"].holds and "time stands still" in " ".join(report["clean"].vacuous)


def test_a_client_that_pauses_lets_time_pass() -> None:
    report = sp.check(sp.loads(IMPATIENT.format(again="pause")), properties=["recovers", "clean"])
    assert report["recovers"].holds and not report["clean"].vacuous


def test_a_violation_that_no_loop_follows_is_one() -> None:
    """Who stops is not waited for: the deadlock behind it is one however slow messages are."""
    text = IMPATIENT.format(again="ask").replace("done: }\nrole Server", "done: }\nrole Server", 1)
    report = sp.check(sp.loads(text), sp.Failures(stop="Server"), properties=["recovers"])
    assert report["recovers"].holds is False and report["recovers"].faults == 1


def test_loops_without_time_as_defined() -> None:
    met: Counter[tuple[bool, bool]] = Counter()
    for seed in range(400):
        rng = random.Random(seed)
        model = with_clocks(random_model(rng, timers=True))
        if model.extras.clocks is None:
            continue
        try:
            explored = spec.explore_storms(model, 2, frozenset(model.system.channels), most=120).faults
        except TooLarge:
            continue
        expected = stands_still(model, explored)
        found, _ = standstill(model, [initial(model.system)], 2, 10**6, calm=False)
        assert (found is not None) is bool(expected), f"seed {seed}"
        assert found is None or found.role in expected
        assert may_stand_still(model) or not expected, f"seed {seed}"
        met[bool(expected), may_stand_still(model)] += 1
    assert min(met[True, True], met[False, True], met[False, False]) > 10


def test_time_that_passes_is_no_role_that_loops() -> None:
    """Nobody answers: the client asks and waits for its timer, and time passes in each round."""
    asking = (
        "timers on time\nrole Client { ask: Server!get -> wait\n  wait: Server?value -> done\n"
        "  timeout -> ask\n  done: }\n"
        "service role Server { up: Client?get -> up\n  or: Client!value -> up }\n"
        "rest Client@done\n"
    )
    found = sp.survives(sp.loads(asking))
    assert found.holds is False and found.witness is not None and found.witness.ending == "livelock"
    assert found.reason == "livelock: Client and Server loop for ever, and Client never rests"
