"""Stops, restarts and partitions: in files, as failure models, and in what is decided under them."""

from __future__ import annotations

import random

import pytest

import stormproof as sp
from stormproof.errors import FormatError, InputError, ModelError, UsageError
from stormproof.kernel.model.actions import Channel
from stormproof.kernel.model.failures_json import model_from_json, model_to_json
from stormproof.kernel.model.failures_text import process_failures
from stormproof.kernel.model.run import step_from_json, step_to_json
from stormproof.kernel.transform.prepare import with_process_faults
from stormproof.languages import formats
from stormproof.oracle import bounded
from stormproof.search.reachability.answer import REACHABLE, UNREACHABLE
from tests.support.engine_queries import ALWAYS, decide, verdicts
from tests.support.random_systems import random_disks, random_duplication, random_failures, random_system

LOCK = """
protocol Lock
{faults}
role Client {{ ask: Lock!acquire -> wait
  wait: Lock?granted -> holding
  holding: Lock!release -> ask }}
role Lock {{ free: Client?acquire -> grant
  grant: Client!granted -> held
  held: Client?release -> free }}
{durable}
"""


def lock(faults: str = "", durable: str = "") -> sp.System:
    return formats.loads(LOCK.format(faults=faults, durable=durable))


def test_a_file_declares_stops_restarts_and_durable_states() -> None:
    system = lock("faults Lock, Client: restart\nfaults Client: stop", "durable Lock@free, Lock@held")
    assert (system["Client"].stop, system["Client"].restart) == (True, True)
    assert (system["Lock"].stop, system["Lock"].restart) == (False, True)
    assert system["Lock"].durable == ("free", "held")
    model = sp.Failures().on(system)
    assert (model.stop, model.restart) == (("Client",), ("Client", "Lock"))
    assert sp.Failures(file_faults=False).on(system).restart == ()
    for language in ("storm", "json"):
        assert formats.loads(formats.dumps(system, language), format=language) == system
    assert model_from_json(model_to_json(model)) == model


@pytest.mark.parametrize(
    ("faults", "durable", "message"),
    [
        ("faults Lok: stop", "", "unknown role 'Lok'"),
        ("faults Lock: loss", "", "expected a fault of a role"),
        ("faults Lock -> Client: stop", "", "expected a fault"),
        ("", "durable Lock@fre", "Lock has no state 'fre'"),
    ],
)
def test_mistakes_in_a_file(faults: str, durable: str, message: str) -> None:
    with pytest.raises((FormatError, InputError, ModelError), match=message):
        lock(faults, durable)


def test_a_partition_loses_across_the_cut_only() -> None:
    system = sp.protocol("two-phase-commit")
    model = sp.Failures(partition="Coordinator, A | B").on(system)
    lossy = {c for c in system.channels if model.on(c).loss}
    assert lossy == {Channel("Coordinator", "B"), Channel("B", "Coordinator")}


@pytest.mark.parametrize(
    ("sides", "message"),
    [
        ("Coordinator | A", "B is on no side"),
        ("Coordinator, A | A, B", "A is on two sides"),
        ("Coordinator, A, B", "at least two sides"),
        ("Coordinator, A | C, B", "unknown role 'C'"),
    ],
)
def test_a_partition_has_every_role_on_one_side(sides: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        sp.Failures(partition=sides).on(sp.protocol("two-phase-commit"))


def test_two_phase_commit_blocks_when_the_coordinator_stops() -> None:
    system = sp.protocol("two-phase-commit")
    states = sorted(set(system["A"].states) - {system["A"].initial})
    assert all(sp.reach(system, f"deadlock & A@{s}").answer == UNREACHABLE for s in states)
    found = [sp.reach(system, f"deadlock & A@{s}", sp.Failures(stop=["Coordinator"])) for s in states]
    stuck = [a for a in found if a.answer == REACHABLE]
    told = "Coordinator may stop silently, and nobody is informed"
    assert stuck and all(told in a.notes for a in stuck)
    steps = stuck[0].run.steps if stuck[0].run is not None else ()
    assert [step_from_json(step_to_json(s)) for s in steps] == list(steps)


def test_a_lock_that_forgets_breaks_under_a_restart_and_a_durable_one_does_not() -> None:
    """A client that holds the lock releases it; a lock that forgot that it is held does not take that."""
    goal = "Client@ask & Lock@free & Client->Lock=[release]"
    asked = sp.Failures(restart=["Lock"])
    assert sp.reach(lock(), goal).answer == UNREACHABLE
    assert sp.reach(lock(), goal, asked).answer == REACHABLE
    durable = lock(durable="durable Lock@free atomically, Lock@{grant, held} atomically")
    assert sp.reach(durable, goal, asked).answer == UNREACHABLE
    recorded = lock(durable="durable Lock@{free, grant, held}")
    assert sp.reach(recorded, goal, asked).answer == REACHABLE, "between the reception and the record"


def test_every_answer_says_which_crash_was_assumed() -> None:
    system = sp.protocol("two-phase-commit")
    said = {
        "crash": "A may crash, announced to everybody",
        "stop": "A may stop silently, and nobody is informed",
        "restart": "A may restart in the initial state",
    }
    for fault, sentence in said.items():
        failures = sp.Failures(**{fault: "A"})  # type: ignore[arg-type]
        assert sentence in sp.reach(system, "A@committed", failures).notes
        report = sp.check(system, failures, properties=["recovers"])
        assert report.assumed == sentence == report.to_json()["assumed"]
    noted = sp.check(lock(durable="durable Lock@held"), sp.Failures(restart="Lock"), properties=["recovers"])
    assert noted.assumed == "Lock may restart in the last durable state that it recorded (held)"
    steps = " ".join(f"s{i}: P?m -> s{i + 1}" for i in range(7))
    many = sp.loads(f"role P {{ p: Q!m -> p }} role Q {{ {steps} s7: }} durable Q@{{s1, s2, s3, s4, s5, s6}}")
    (sentence,) = process_failures(many, sp.Failures(restart="Q").on(many))
    assert sentence.endswith("in the last durable state that it recorded (s1, s2, s3 or 3 other states)")
    (told,) = sp.frontier(system, faults=["stop", "restart"], processes=["A"]).notes
    assert told == "a stop is silent; a restart goes to the initial state or the last durable one"


@pytest.mark.parametrize("chunk", range(4))
def test_properties_under_stops_and_restarts_as_defined(chunk: int) -> None:
    """The engine against the definitions, on systems in which processes stop and restart."""
    compared, seed = 0, chunk * 10**6
    while compared < 100:
        seed += 1
        rng = random.Random(seed)
        system = random_disks(rng, random_system(rng, states=rng.choice((2, 3))))
        stop, restart = (tuple(n for n in system.names if rng.random() < 0.4) for _ in range(2))
        faults = random_duplication if rng.random() < 0.3 else random_failures
        asked = faults(rng, system)
        model = sp.Failures(
            loss=asked.loss, reorder=asked.reorder, duplicate=asked.duplicate, stop=stop, restart=restart
        ).on(system)
        searched = with_process_faults(system, model).system
        k = rng.randint(1, 2)
        try:
            ts = bounded.explore(searched, model, k, most=200)
        except bounded.TooLarge:
            continue
        compared += 1
        expected = {name: bounded.holds(ts, name) for name in ALWAYS}
        assert verdicts(decide(searched, model, k, ALWAYS)) == expected, f"seed {seed}"


@pytest.mark.parametrize(
    ("durable", "holds"), [("durable Lock@{free, grant, held} atomically", True), ("", False)]
)
def test_requirements_under_stops_and_restarts(durable: str, holds: bool) -> None:
    """A goal names the user's states, whatever durable state is remembered."""
    claims = (
        "require steady: never Lock@free & Client@holding under restart Lock\n"
        "expect violated halts: recovers under stop Lock\n"
    )
    report = sp.check(lock(durable=durable + "\n" + claims))
    assert report["steady"].holds is holds
    assert report["halts"].holds is False
