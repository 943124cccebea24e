"""The trusted kernel: it accepts what the engine proves, and refuses what is no proof by the definitions."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from stormproof.kernel.model.actions import CRASH, Channel, Firing, Internal, Receive, Send, Transition, Word
from stormproof.kernel.model.channel_faults import Corrupt, Lose, Overtake, Swap
from stormproof.kernel.model.failures import FailureModel, Failures
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.run import Act, Witness, witness_from_json
from stormproof.kernel.model.system import System
from stormproof.languages.protocols import protocol
from stormproof.oracle import bounded
from stormproof.search.checks.api import check
from stormproof.search.counterexample.build import build_witness
from stormproof.search.counterexample.end_contents import exactly
from stormproof.trust.replay import replay
from tests.support.definition_runs import path
from tests.support.found_witnesses import Evidence, Judge, evidence, mutants, random_pair

PAIRS, CHUNKS = 2_000, 4


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_witness_replays(chunk: int) -> None:
    """Random (system, failure model) pairs."""
    size = PAIRS // CHUNKS
    for seed in range(chunk * size, (chunk + 1) * size):
        rng = random.Random(seed)
        system, failures = random_pair(rng)
        for name, k, witness in evidence(rng, system, failures, rng.choice((1, 2, 3))):
            answer = replay(system, failures, name, k, witness)
            if answer.ok and not answer.established:  # a few large systems need more than the usual budget
                answer = replay(system, failures, name, k, witness, budget=2_000_000)
            assert answer.ok and answer.established, (seed, name, k, answer.message)
            assert witness_from_json(witness.to_json()) == witness, seed


@pytest.mark.parametrize("chunk", range(8))
def test_the_search_agrees_with_the_definitions(chunk: int) -> None:
    """At any reachable configuration, a claim is established exactly when the definitions say so."""
    seen: Counter[bool] = Counter()
    for seed in range(chunk * 120, (chunk + 1) * 120):
        rng = random.Random(seed)
        system, failures = random_pair(rng)
        k = rng.choice((1, 2))
        ts = bounded.explore(system, failures, k)
        names = [n for n in bounded.VIOLATIONS if failures.perfect or n not in ("k-obi", "k-sibi")]
        bad = {name: set(bounded.VIOLATIONS[name](ts)) for name in names}
        for at in rng.sample(sorted(ts.steps, key=repr), min(4, len(ts.steps))):
            run, _ = path(ts, {at})
            channels = {c: w for c, w in zip(system.channels, at.words) if w}
            witness = build_witness(system, failures, run, exactly(channels), k)
            for name in names:
                found = replay(system, failures, name, k, witness)
                assert found.established == found.ok == (at in bad[name]), (seed, name, at, found.message)
                seen[found.ok] += 1
    assert seen[True] > 200 and seen[False] > 200, seen


@pytest.mark.parametrize("chunk", range(10))
def test_no_mutant_is_accepted_wrongly(chunk: int) -> None:
    """At least 10,000 mutants in all, judged by the slow definitions and not by the kernel."""
    seen: Counter[str] = Counter()
    seed = chunk * 100_000
    while sum(seen.values()) < 1_200:
        seed += 1
        rng = random.Random(seed)
        system, failures = random_pair(rng)
        judge = Judge(system, failures)
        for given in evidence(rng, system, failures, rng.choice((1, 2))):
            for mutant in mutants(rng, system, given):
                seen[judged(judge, mutant, seed)] += 1
    assert sum(seen.values()) >= 1_000 and seen["refused"] > 500, seen
    assert seen["still a proof"] > 50, f"mutants that are proofs must be met as well: {seen}"


def judged(judge: Judge, mutant: Evidence, seed: int) -> str:
    name, k, witness = mutant
    answer = replay(judge.system, judge.failures, name, k, witness)
    proof = judge.proves(mutant)
    assert proof or not answer.ok, (seed, name, k, witness)
    if proof and name != "rsc" and not witness.culprit:
        assert answer.established, (seed, name, k, witness, answer.message)
    return "still a proof" if proof else "refused"


SR, RS = Channel("Sender", "Receiver"), Channel("Receiver", "Sender")
EX1 = protocol("half-duplex")


def moves(text: str) -> list[Firing]:
    """The moves of the paper's Figure 2 from `s!start r?start`, both processes deterministic."""
    names, states, found = {"s": "Sender", "r": "Receiver"}, {p.name: p.initial for p in EX1}, []
    for word in text.split():
        process = EX1[names[word[0]]]
        peer = "Receiver" if process.name == "Sender" else "Sender"
        action = (Send if word[1] == "!" else Receive)(peer, word[2:])
        step = next(t for t in process.outgoing(states[process.name]) if t.action == action)
        states[process.name] = step.target
        found.append(Firing(process.name, step))
    return found


def test_the_paper_s_corruption() -> None:
    """The paper's execution e_c on Figure 2: data arrives as end, and both channels are written to."""
    model = Failures(corrupt=True).on(EX1)
    run = moves("s!start r?start s!data r?end r!ack s!data")
    witness = build_witness(EX1, model, run, exactly({SR: ("data",), RS: ("ack",)}), None)
    assert witness.faults == (Corrupt(SR, 0, "data", "end"),)
    at = witness.steps.index(witness.faults[0])
    assert witness.steps[at + 1] == Act("Receiver", Receive("Sender", "end"), "acknowledge")
    assert replay(EX1, model, "half-duplex", None, witness).established
    assert replay(EX1, model, "reach", None, witness).established
    assert not replay(EX1, Failures(loss=True, reorder=True).on(EX1), "reach", None, witness).ok


def test_the_paper_s_loss() -> None:
    """The paper's execution e_l: end is lost, and the receiver waits for ever for data or end."""
    model = Failures(loss=True).on(EX1)
    run = moves("s!start r?start s!data r?data s!end")
    witness = build_witness(EX1, model, run, {}, 1)
    sent = witness.steps.index(Act("Sender", Send("Receiver", "end"), "wait_ack"))
    (lost,) = witness.faults
    assert witness.steps[sent + 1] == lost and isinstance(lost, Lose) and lost.message == "end"
    assert witness.states == {"Sender": "wait_ack", "Receiver": "receiving"}
    assert replay(EX1, model, "k-pg", 1, witness).established
    assert not replay(EX1, model, "k-er", 1, witness).ok, "no channel holds a message"


def test_the_paper_s_reordering() -> None:
    """The paper's execution e_o: end overtakes data, and the error message is sent and received."""
    model = Failures(reorder=True).on(EX1)
    run = moves("s!start r?start s!data s!end r?end r!ack s?ack r?data r!err s?err")
    witness = build_witness(EX1, model, run, {}, None)
    assert witness.faults == (Overtake(SR, 1, "end", 1),)
    assert [str(a.action) for a in witness.project("Receiver")] == [
        "Sender?start",
        "Sender?end",
        "Sender!ack",
        "Sender?data",
        "Sender!err",
    ]
    assert witness.states == {"Sender": "repair", "Receiver": "idle"}
    assert replay(EX1, model, "reach", None, witness).established


@pytest.mark.parametrize("fault", ["loss", "corrupt", "reorder"])
def test_figure_ex1_is_not_half_duplex_under_any_fault(fault: str) -> None:
    failures: dict[str, Any] = {fault: True}
    report = check(EX1, Failures(**failures), properties=["half-duplex"])
    witness = report["half-duplex"].witness
    assert report["half-duplex"].holds is False and report["half-duplex"].replayed
    assert witness is not None and witness.channels[SR] and witness.channels[RS] and witness.faults
    assert check(EX1, Failures(), properties=["half-duplex"])["half-duplex"].holds


def line(*sent: str, crash: bool = False) -> tuple[System, Witness]:
    """A sends these to B, which receives nothing."""
    rows = [Transition(f"{i}", Send("B", m), f"{i + 1}") for i, m in enumerate(sent)]
    if crash:
        rows += [
            Transition(f"{len(sent)}", Internal("crash"), "x"),
            Transition("x", Send("B", CRASH), "stop"),
        ]
    listens = (Transition("s", Receive("A", "a"), "s"), Transition("s", Receive("A", CRASH), "s"))
    system = System((Process("A", "0", tuple(rows)), Process("B", "s", listens)))
    steps = tuple(Act("A", t.action, t.target) for t in rows)
    word: Word = (*sent, CRASH) if crash else sent
    return system, Witness(steps, {"A": rows[-1].target, "B": "s"}, {Channel("A", "B"): word})


def test_a_message_too_many_must_be_lost_at_once() -> None:
    system, witness = line("a", "a")
    lossy = Failures(loss=True).on(system)
    channel = Channel("A", "B")
    assert replay(system, lossy, "reach", 2, witness).ok
    assert not replay(system, lossy, "reach", 1, witness).ok
    lost = Witness((*witness.steps, Lose(channel, 1, "a")), witness.states, {channel: ("a",)})
    assert replay(system, lossy, "reach", 1, lost).ok
    assert not replay(system, FailureModel({}), "reach", 1, lost).ok
    late = Witness(
        (*witness.steps, Act("B", Receive("A", "a"), "s"), Lose(channel, 0, "a")), witness.states, {}
    )
    assert not replay(system, lossy, "reach", 1, late).ok


@pytest.mark.parametrize(
    "fault",
    [Lose(Channel("A", "B"), 1, "⚡"), Corrupt(Channel("A", "B"), 1, "⚡", "a"), Swap(Channel("A", "B"), 0)],
)
def test_nothing_happens_to_the_crash_message(fault: Lose | Corrupt | Swap) -> None:
    system, witness = line("a", crash=True)
    model = Failures(loss=True, corrupt=True, reorder=True).on(system)
    assert replay(system, model, "reach", None, witness).ok
    words: dict[type, Word] = {Lose: ("a",), Corrupt: ("a", "a"), Swap: (CRASH, "a")}
    changed = Witness((*witness.steps, fault), witness.states, {Channel("A", "B"): words[type(fault)]})
    assert not replay(system, model, "reach", None, changed).ok


def test_a_spent_budget_is_said() -> None:
    """The claim is true but takes more than ten configurations to establish."""
    ping = [Transition(f"{i}", Internal("tau"), f"{i + 1}") for i in range(30)]
    waits = (Transition("w", Receive("A", "never"), "w"),)
    system = System((Process("A", "0", tuple(ping)), Process("B", "w", waits)))
    witness = Witness((), {"A": "0", "B": "w"}, {})
    tight = replay(system, FailureModel({}), "k-pg", 1, witness, budget=10)
    assert tight.ok and not tight.established and "within 10 configurations" in tight.message
    assert replay(system, FailureModel({}), "k-pg", 1, witness).established


def test_a_culprit_must_be_right() -> None:
    system, witness = line("b")
    blamed = {"channel": "A->B", "message": "b"}
    good = Witness(witness.steps, witness.states, witness.channels, culprit=blamed)
    bad = Witness(witness.steps, witness.states, witness.channels, culprit={**blamed, "message": "a"})
    assert replay(system, FailureModel({}), "k-er", 1, good).established
    assert not replay(system, FailureModel({}), "k-er", 1, bad).ok


def test_a_conjunction_is_proved_by_a_part() -> None:
    system, witness = line("b")
    for name in ("k-er", "k-wer", "k-safe", "k-mc", "k-wmc", "k-wmc-up-to-crash"):
        assert replay(system, FailureModel({}), name, 1, witness).established, name
    assert not replay(system, FailureModel({}), "k-exh", 1, witness).ok
    assert not replay(system, FailureModel({}), "k-er", None, witness).ok


def test_a_send_must_become_possible_without_its_own_process() -> None:
    """Definitions 3.1: P could free its channel to B by writing to C, but it may not act."""
    p = (
        Transition("s0", Send("B", "m"), "s"),
        Transition("s", Send("B", "m"), "t"),
        Transition("s", Send("C", "x"), "s"),
    )
    b = (Transition("0", Receive("C", "go"), "1"), Transition("1", Receive("P", "m"), "1"))
    c = (Transition("0", Receive("P", "x"), "1"), Transition("1", Send("B", "go"), "0"))
    system = System((Process("P", "s0", p), Process("B", "0", b), Process("C", "0", c)))
    steps = (Act("P", Send("B", "m"), "s"),)
    witness = Witness(steps, {"P": "s", "B": "0", "C": "0"}, {Channel("P", "B"): ("m",)})
    assert replay(system, FailureModel({}), "k-exh", 1, witness).established
    assert not replay(system, FailureModel({}), "k-exh-literal", 1, witness).ok
    assert not replay(system, FailureModel({}), "k-exh", 2, witness).ok
