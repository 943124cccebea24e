"""Automata that are made as far as runs come give the verdicts of whole ones, wherever one begins to make
them (definitions chapter 18)."""

from __future__ import annotations

import pickle
import random
from collections import Counter

import pytest

import stormproof as sp
from stormproof.errors import InputError, ModelError
from stormproof.kernel.data.system import DataSystem
from stormproof.kernel.model.part import in_part, whole
from stormproof.languages.formats import storm
from stormproof.programs.automata import explore
from stormproof.programs.data import build
from stormproof.search.checks.report import Report, Verdict
from tests.support.random_data import random_data

#: In each chunk.
SYSTEMS = 40
REQUIRED = """
require one: never A@t & A.x = 1
require two: always possible B@u & B.y = 0
require three: A@u leads to A@s
require four: never A->B contains p & B@t
"""
#: So many configurations are enough to see whether the answers are the same.
LIMITS = sp.Limits(states=3_000)


def read(text: str) -> DataSystem | None:
    try:
        system = storm.read(text)
    except InputError:  # a random text may be refused
        return None
    assert isinstance(system, DataSystem)
    return system


def failures_of(chance: random.Random) -> sp.Failures:
    budget = chance.choice((None, None, 1, 2))
    return sp.Failures(
        loss=chance.random() < 0.5,
        duplicate=chance.random() < 0.2,
        reorder=chance.random() < 0.2,
        stop=["A"] if chance.random() < 0.2 else [],
        restart=["B"] if chance.random() < 0.3 else [],
        budget=budget,
    )


def answers(system: DataSystem, failures: sp.Failures, k: int | None) -> Report:
    return sp.check(system, failures, k=k, max_k=None if k else 2, limits=LIMITS, effort=3_000)


def contradict(whole: Verdict, part: Verdict) -> bool:
    """May not both be true."""
    if whole.holds is None or part.holds is None or whole.holds == part.holds:
        return False
    loser = whole if whole.holds else part
    other = part if whole.holds else whole
    # What holds up to some length is no contradiction to a violation at a larger one.
    longer = loser.survival and loser.up_to is not None and (other.witness_k or 99) > loser.up_to
    return not longer


def compared(seed: int, monkeypatch: pytest.MonkeyPatch, met: Counter[str]) -> None:
    chance = random.Random(seed)
    mailbox = "communication mailbox\n" if chance.random() < 0.15 else ""
    text = mailbox + random_data(seed) + REQUIRED
    failures, k = failures_of(chance), chance.choice((1, 1, 2, None))
    whole = read(text)
    if whole is None or in_part(whole):
        return
    with monkeypatch.context() as changed:
        changed.setattr(build, "HORIZON", chance.choice((0, 1, 20)))
        changed.setattr(explore, "FIRST", chance.choice((0, 1, 5)))
        part = read(text)
    assert part is not None, seed
    met["in part"] += in_part(part)
    expected, found = answers(whole, failures, k), answers(part, failures, k)
    for verdict in expected:
        now = next((v for v in found if v.property == verdict.property), None)
        if now is None:  # that no value leaves its domain is required where one is known that may
            limited = any(other.holds is None for other in found)
            assert verdict.holds is not False or limited, (seed, str(verdict))
            continue
        assert not contradict(verdict, now), (seed, k, failures, str(verdict), str(now), text)
        met["decided"] += verdict.holds is not None
        met["decided by both"] += verdict.holds is not None and now.holds is not None
        met[f"{verdict.property}: {verdict.holds} {now.holds}"] += 1


@pytest.mark.parametrize("chunk", range(1))
def test_verdicts_do_not_depend_on_the_horizon(chunk: int) -> None:
    met: Counter[str] = Counter()
    monkeypatch = pytest.MonkeyPatch()
    for seed in range(chunk * SYSTEMS, (chunk + 1) * SYSTEMS):
        compared(seed, monkeypatch, met)
    assert met["in part"] > SYSTEMS // 3
    assert met["decided by both"] > 0.8 * met["decided"], met


EPOCHS = """
const restarts = 3
faults A -> B: loss
faults A: restart
role A {
  var n: 0..1000000
  go: B!hello(n) -> wait
  wait: B?more -> go { n = n + 1 }
}
role B {
  var left: 0..restarts = restarts
  idle: A?hello(_) -> say
  say: if left = 0 -> done
       A!more -> idle { left = left - 1 }
  done: A?hello(_) -> done
}
rest A@wait, B@{idle, done}
require small: never A.n > restarts
require far: always possible A.n = restarts under none
"""
ENDLESS = """
const one = 1
role A {
  var n: 0..1000000
  go: B!hello -> go { n = n + one }
}
role B { idle: A?hello -> idle }
"""


def test_a_counter_without_a_useful_bound_costs_nothing() -> None:
    report = sp.check(storm.read(EPOCHS))
    assert report["small"].holds and report["small"].up_to is None
    assert report["far"].holds is True
    assert max(len(p.states) for p in report.system) < 100


def test_a_run_beyond_the_limit_is_an_error_with_its_length() -> None:
    with pytest.raises(ModelError, match="'n' of A takes more than 1,000 values; a run with"):
        sp.check(storm.read(ENDLESS))


def test_what_needs_whole_automata_makes_them_or_is_refused() -> None:
    system = storm.read(EPOCHS)
    for refused in (
        lambda: sp.reach(system, "deadlock"),
        lambda: sp.dumps(system, "json"),
        lambda: sp.check(system, sp.Failures(corrupt=True)),
        lambda: sp.check(system, certificates=True),
        lambda: sp.check(system, sp.Failures(crash=["A"])),
    ):
        with pytest.raises(ModelError, match="more than 1,000 values"):
            refused()


def test_another_process_gets_what_is_made() -> None:
    there = pickle.loads(pickle.dumps(storm.read(EPOCHS)))
    assert in_part(there)
    with pytest.raises(ModelError, match="not at hand"):
        whole(there)


REQUESTS = 25


@sp.role
def Client() -> sp.Steps:
    i = 0
    while i < REQUESTS:
        yield sp.send("Server", "request", i)
        got = yield sp.receive("Server", timeout=0.1, at="waiting", rest=True)
        if got is not None and got.fields[0] == i:
            i = i + 1
    while True:
        yield sp.receive("Server", at="finished", rest=True)


@sp.role
def Server() -> sp.Steps:
    answered: frozenset[int] = frozenset()
    while True:
        got = yield sp.receive("Client", at="idle", rest=True)
        answered = answered | {got.fields[0]}
        yield sp.send("Client", "answer", got.fields[0])


def test_a_table_of_answered_requests_is_made_as_runs_fill_it() -> None:
    system = sp.extract(Client, Server, failures=sp.Failures(loss=True), second_process=False)
    assert in_part(system)
    system = system.require("finish", always_possible="Client@finished")
    report = sp.check(system, k=1, properties=["finish"])
    assert report["finish"].holds
    idle = [s for s in report.given["Server"].states if s.startswith("idle")] if report.given else []
    assert len(set(idle) - set(report.given["Server"].unmade if report.given else ())) == REQUESTS + 1
