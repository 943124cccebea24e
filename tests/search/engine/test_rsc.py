"""RSC by the engine: against enumeration of the definitions, the paper's table, and its own limits."""

from __future__ import annotations

import random

import pytest

from stormproof.kernel.model.actions import CRASH, Action, Channel, Internal, Receive, Send, Transition
from stormproof.kernel.model.conflict_graph import conflict_graph
from stormproof.kernel.model.failures import ChannelFailure, FailureModel, Failures
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.run import Act
from stormproof.kernel.model.system import System
from stormproof.languages.formats import load
from stormproof.languages.protocols import protocol
from stormproof.languages.protocols.generators import generate
from stormproof.limits import Limits
from stormproof.oracle.causal_equivalence import is_borderline_violation
from stormproof.oracle.communications import communications, is_valid
from stormproof.oracle.rsc import enumerate_rsc
from stormproof.search.checks import unbounded
from stormproof.search.checks.api import check
from stormproof.search.counterexample.build import rsc_witness
from stormproof.search.engine.rsc import RscResult, rsc
from stormproof.trust.replay import replay
from tests.support.definition_runs import traces
from tests.support.example_systems import clients, figure_ex1, figure_exkmc, line
from tests.support.peer_files import peers
from tests.support.random_systems import random_crash, random_failures, random_system
from tests.support.rsc_answers import ask, ask_wide, violation_of


def random_case(seed: int) -> tuple[System, FailureModel]:
    """Systems with and without internal actions and crash messages, all combinations of faults by channel."""
    rng = random.Random(seed)
    system = random_system(rng, transitions=3 if seed % 2 else 4)
    if seed % 4 == 0:
        system = random_crash(rng, system)
    return system, random_failures(rng, system).on(system)


def check_witness(system: System, failures: FailureModel, result: RscResult) -> None:
    """A run of the automata, with a communication that is allowed, a cycle, and nothing shorter inside."""
    violation = result.violation
    assert violation is not None
    states = {p.name: p.initial for p in system}
    for process, transition in violation.firings:
        assert states[process] == transition.source and transition in system[process].transitions
        states[process] = transition.target
    execution, communication = violation.execution, violation.interactions
    assert is_valid(execution, communication, failures)
    assert is_borderline_violation(execution, communication, failures)
    cycle = violation.cycle
    edges = conflict_graph(execution, communication).edges
    assert all(pair in edges for pair in zip(cycle, (*cycle[1:], cycle[0])))


def check_concrete(system: System, failures: FailureModel, result: RscResult) -> None:
    """With its faults made explicit it is the same run with the same communication, up to the order of what
    is independent, and it replays."""
    violation = result.violation
    assert violation is not None
    made = rsc_witness(system, failures, violation)
    assert made.communication is not None
    acts = [(j, step.process, step.action) for j, step in enumerate(made.steps) if isinstance(step, Act)]
    shown = by_process(acts, dict(made.communication))
    moves = [(i, process, action) for i, (process, action) in enumerate(violation.execution)]
    assert shown == by_process(moves, dict(violation.communication))
    answer = replay(system, failures, "rsc", None, made)
    assert answer.ok and answer.established, answer.message


def by_process(
    events: list[tuple[int, str, Action]], sent: dict[int, int]
) -> dict[str, list[tuple[Action, int | None]]]:
    """What each process did and, for each reception, which of the sender's actions it takes."""
    own: dict[str, list[tuple[Action, int | None]]] = {}
    rank: dict[int, int] = {}
    for at, process, action in events:
        mine = own.setdefault(process, [])
        rank[at] = len(mine)
        mine.append((action, rank[sent[at]] if at in sent else None))
    return own


LENGTH = 8
SEEDS = 1000
COMPARED = 800  # of each thousand, at least: the others have too many executions of that length


@pytest.mark.parametrize("chunk", range(6))
def test_against_enumeration(chunk: int) -> None:
    """6 chunks with at least 800 full comparisons each: 4,800 pairs of system and failure model.

    Enumeration finds a violation of length at most 8 exactly when the engine does, of the same length, and
    every witness of the engine, however long, is a borderline violation. So it is in depth, and in several
    threads.
    """
    compared = 0
    for seed in range(chunk * SEEDS, (chunk + 1) * SEEDS):
        system, failures = random_case(seed)
        slow = enumerate_rsc(system, failures, LENGTH, most=450)
        compared += slow.violation is not None or slow.depth == LENGTH
        for result in (ask(system, failures), ask_wide(system, failures, 1 + seed % 3)):
            if slow.violation is not None:
                assert result.holds is False, f"seed {seed}: missed {slow.violation}"
                length = len(violation_of(result).firings)
                assert length == len(slow.violation[0]), f"seed {seed}: not a shortest"
            if result.violation is not None:
                check_witness(system, failures, result)
                found = len(result.violation.firings)
                assert slow.violation is not None or found > slow.depth, f"seed {seed}"
                if seed % 5 == 0:
                    check_concrete(system, failures, result)
    assert compared >= COMPARED, f"only {compared} of {SEEDS} cases could be enumerated up to {LENGTH}"


@pytest.mark.parametrize("chunk", range(2))
def test_enumeration_against_the_bare_definitions(chunk: int) -> None:
    """Words in channels, Comm(e), conflict graphs, and no identification of executions: up to length 5."""
    for seed in range(chunk * 60, (chunk + 1) * 60):
        rng = random.Random(seed)
        system = random_system(rng, states=2, transitions=3)
        if seed % 3 == 0:
            system = random_crash(rng, system)
        failures = random_failures(rng, system).on(system)
        lengths = [
            len(e)
            for e in traces(system, failures, 5)
            for c in communications(e, failures)
            if not conflict_graph(e, c).acyclic
        ]
        found = enumerate_rsc(system, failures, 5)
        assert (len(found.violation[0]) if found.violation else None) == min(lengths, default=None), (
            f"seed {seed}"
        )


def weaken(rng: random.Random, system: System, failures: FailureModel) -> FailureModel:
    """The same failure model without some of its faults."""

    def less(channel: Channel) -> ChannelFailure:
        full = failures.on(channel)
        kept = full.becomes if rng.random() < 0.5 else {}
        loss, reorder = full.loss and rng.random() < 0.5, full.reorder and rng.random() < 0.5
        return ChannelFailure(kept, full.pool, full.total, loss=loss, reorder=reorder)

    return FailureModel({c: less(c) for c in system.channels})


@pytest.mark.parametrize("chunk", range(4))
def test_monotone_in_the_faults(chunk: int) -> None:
    """RSC under a failure model implies RSC under every weaker one: there are fewer executions."""
    informative = 0
    for seed in range(chunk * 1000, (chunk + 1) * 1000):
        rng = random.Random(seed)
        system = random_system(rng, states=4, transitions=6)
        if seed % 4 == 0:
            system = random_crash(rng, system)
        strong = random_failures(rng, system).on(system)
        weak = weaken(rng, system, strong)
        below, above = ask(system, weak), ask(system, strong)
        informative += below.holds is not above.holds
        if above.holds:
            assert below.holds, f"seed {seed}"
        elif below.violation is not None:
            assert len(violation_of(above).firings) <= len(below.violation.firings), f"seed {seed}"
    assert informative > 10


CROSSING = System(
    (line("p", Send("q", "a"), Receive("q", "b")), line("q", Send("p", "b"), Receive("p", "a")))
)


def test_two_messages_that_cross() -> None:
    """The smallest violation: each sends before it receives the other's."""
    result = ask(CROSSING)
    violation = violation_of(result)
    assert result.holds is False and len(violation.firings) == 4
    assert len(violation.cycle) == 2
    assert violation.culprit["action"] == str(violation.firings[-1].transition.action)


def test_a_message_to_oneself_is_synchronous_unless_something_comes_between() -> None:
    """Even a step back into the same state does: an internal loop, or a send that nobody receives."""
    at_once = line("p", Send("p", "a"), Receive("p", "a"))
    assert ask(System([at_once])).holds
    between = Process("p", "0", (*at_once.transitions, Transition("1", Internal("tau"), "1")))
    assert len(violation_of(ask(System([between]))).firings) == 3
    twice = line("p", Send("p", "a"), Send("p", "a"), Receive("p", "a"))
    assert len(violation_of(ask(System([twice]))).firings) == 3
    with_another = line("p", Send("p", "a"), Send("q", "b"), Receive("p", "a"))
    assert len(violation_of(ask(System([with_another, line("q", Receive("p", "b"))]))).firings) == 3


def test_internal_actions_count_one_and_close_no_cycle() -> None:
    late = System((line("p", Internal("tau"), *(t.action for t in CROSSING["p"].transitions)), CROSSING["q"]))
    assert len(violation_of(ask(late)).firings) == 5


def test_when_it_holds_the_states_are_counted() -> None:
    result = ask(System((line("p", Send("q", "a")), line("q", Receive("p", "a")))))
    # nothing done, a pending, a received; a sent for ever leads nowhere and is left out
    assert (result.holds, result.states, result.violation, result.stopped) == (True, 3, None, "")


def crash_case(*receptions: Action) -> System:
    """p sends a, then its crash message; q sends b to p, which p would have to read before."""
    return System(
        (line("p", Send("q", "a"), Receive("q", "b"), Send("q", CRASH)), line("q", *receptions)),
    )


def test_the_crash_message_is_not_overtaken() -> None:
    """On a reordering channel q may read a after b was sent, but a crash message never before a."""
    before = crash_case(Send("p", "b"), Receive("p", "a"))
    after = crash_case(Send("p", "b"), Receive("p", CRASH), Receive("p", "a"))
    assert ask(before, Failures(reorder=True).on(before)).holds is False
    assert ask(after, Failures(reorder=True).on(after)).holds is True
    assert ask(after, Failures(reorder=True, loss=True).on(after)).holds is True


def test_the_papers_crash_handling_example_is_rsc() -> None:
    """The paper's section 5, on its Figure 4: crashes add no behaviour that is not RSC."""
    assert check(protocol("crash-client-server"), properties=["rsc"])["rsc"].holds is True


def test_figure_ex1() -> None:
    """RSC without errors, since half-duplex there; under loss RSC still, though no longer half-duplex."""
    ex1 = figure_ex1()
    assert ask(ex1).holds is True
    assert ask(ex1, Failures(loss=True).on(ex1)).holds is True
    assert ask(ex1, Failures(corrupt=True).on(ex1)).holds is False
    # start and data sent, data overtakes, err answered, start received: sent before err, received after it
    assert len(violation_of(ask(ex1, Failures(reorder=True).on(ex1))).firings) == 5


def test_figure_exkmc() -> None:
    """a, b, c go out in this order and come in in this order. Each channel has one message: corruption does
    nothing. When p takes the second a and q the b sent before it, b waits for alpha, which waits for a."""
    exkmc = figure_exkmc()
    assert ask(exkmc).holds is True
    assert ask(exkmc, Failures(corrupt=True).on(exkmc)).holds is True
    for failures in (Failures(loss=True), Failures(reorder=True)):
        violation = violation_of(ask(exkmc, failures.on(exkmc)))
        assert len(violation.firings) == 8 and len(violation.cycle) == 3


FOUR = {
    "none": Failures(),
    "loss": Failures(loss=True),
    "corruption": Failures(corrupt=True),
    "reordering": Failures(reorder=True),
}
EIGHT = {
    "ring with one token": generate("ring", size=8, tokens=1),
    "ring with a token each": generate("ring", size=8, tokens=8),
    "star whose hub asks in turn": generate("star", leaves=7),
    "star whose leaves ask": clients(8),
}


@pytest.mark.parametrize("fault", FOUR)
@pytest.mark.parametrize("shape", EIGHT)
def test_rings_and_stars_of_eight_are_decided(shape: str, fault: str) -> None:
    """Within the default limits. Only if all tokens are in flight at once is there a cycle: each process
    sends before it receives, so n sends and n receptions, unless a token overtakes another."""
    system = EIGHT[shape]
    result = rsc(system, FOUR[fault].on(system), limits=Limits())
    assert result.holds is (shape != "ring with a token each")
    if result.violation is not None:
        assert len(result.violation.firings) == 16 or fault == "reordering"


def test_the_verdict_carries_the_conflict_graph_and_its_cycle() -> None:
    verdict = check(CROSSING, properties=["rsc"])["rsc"]
    assert verdict.replayed and verdict.conflict is not None
    data = verdict.to_json()["conflict"]
    assert sorted(map(len, data["interactions"])) == [2, 2]
    assert sorted(data["edges"]) == [[0, 1], [1, 0]] and sorted(data["cycle"]) == [0, 1]
    ex1 = figure_ex1()
    data = check(ex1, Failures(corrupt=True), properties=["rsc"])["rsc"].to_json()
    steps, conflict = data["witness"]["steps"], data["conflict"]
    assert any(step["do"] == "corrupt" for step in steps)
    kinds = [[steps[i]["do"] for i in node] for node in conflict["interactions"]]
    assert all(kind in (["send", "receive"], ["send"], ["internal"]) for kind in kinds)
    pairs = [[conflict["cycle"][i - 1], node] for i, node in enumerate(conflict["cycle"])]
    assert all(pair in conflict["edges"] for pair in pairs)


#: The RSC column under *Out of order* of the paper's Table 1, by the kmc tool's file names.
OUT_OF_ORDER = {
    "AlternatingBit": True,
    "AlternatingBit-boigelot": True,
    "Bargain": True,
    "client-server-logger": False,
    "CloudSystemV4": False,
    "commit-protocol": True,
    "devsystem-fsm": True,
    "elevator-csa": False,
    "elevator-extra": False,
    "elevator-extra-variant": False,
    "FilterCollaboration": True,
    "fourplayergamer": False,
    "HealthSystem": True,
    "Logistic": True,
    "SanitaryAgency": True,
    "TPMContract": False,
}


def peer(name: str) -> System:
    return load(peers("kmc", f"{name}.txt"))


@pytest.mark.parametrize("name", OUT_OF_ORDER)
def test_reordering_agrees_with_the_papers_table(name: str) -> None:
    system = peer(name)
    assert ask(system, Failures(reorder=True).on(system)).holds is OUT_OF_ORDER[name]


def test_sixteen_protocols_four_failure_models_are_decided() -> None:
    systems = [peer(name) for name in OUT_OF_ORDER]
    for system in systems:
        for model in (failures.on(system) for failures in FOUR.values()):
            result = ask(system, model)
            assert result.holds is not None
            if result.violation is not None:
                check_concrete(system, model, result)


def test_rsc_is_asked_within_the_effort_before_the_bounds_and_without_it_after_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[int | None] = []

    def slow(system: System, failures: FailureModel, *, most: int | None, **options: object) -> RscResult:
        given.append(most)
        late = most is None
        return RscResult(True if late else None, 1, 1, 0.0, 0, "" if late else "effort")

    monkeypatch.setattr(unbounded, "rsc", slow)
    report = check(protocol("alternating-bit"), properties=["k-mc", "rsc"], limits=Limits(seconds=100))
    assert report["rsc"].holds and report["k-mc"].holds
    assert given[0] is not None and given[1:] == [None]
    given.clear()
    check(protocol("alternating-bit"), properties=["rsc"], limits=Limits(seconds=100))
    assert given == [None]
