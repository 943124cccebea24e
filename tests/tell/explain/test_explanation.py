"""Sentences: what they claim is true by the definitions, and they name what a reader needs."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest
from click.testing import CliRunner

from stormproof.apps.cli import group
from stormproof.kernel.model.actions import CRASH, Configuration, Internal, Receive, Send, Transition
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.run import Witness
from stormproof.kernel.model.system import System
from stormproof.languages.formats import loads
from stormproof.languages.protocols import protocol
from stormproof.oracle import bounded
from stormproof.oracle.bounded import FiredAction
from stormproof.search.checks.api import check
from stormproof.search.checks.properties import explanation
from stormproof.search.checks.report import Report
from stormproof.search.narrate.reason import why
from stormproof.tell.explain.explanation import explain, explanations
from tests.support.found_witnesses import random_pair

NAMES = ("k-exh", "k-er", "k-pg", "k-wer", "rsc")


def reports(seeds: range) -> list[tuple[int, Report]]:
    found = []
    for seed in seeds:
        rng = random.Random(seed)
        system, _ = random_pair(rng)
        failures = Failures(loss=rng.random() < 0.4, reorder=rng.random() < 0.3, corrupt=rng.random() < 0.2)
        system = replace(system, processes=tuple(p.with_reliable(True) for p in system))
        found.append((seed, check(system, failures, k=rng.choice((1, 2)), properties=NAMES)))
    return found


def end_of(system: System, witness: Witness) -> Configuration:
    words = tuple(tuple(witness.channels.get(c, ())) for c in system.channels)
    return Configuration(tuple(witness.states[n] for n in system.names), words)


@pytest.mark.parametrize("chunk", range(4))
def test_what_is_never_sent_is_never_sent(chunk: int) -> None:
    """Every `P will never send Q a or b` of a progress paragraph, against the slow definitions."""
    claims = 0
    for seed, report in reports(range(chunk * 200, (chunk + 1) * 200)):
        verdict = report["k-pg"]
        if verdict.holds is not False or verdict.witness is None:
            continue
        text = explain(report, verdict)
        blamed = report.system[verdict.witness.culprit["process"]]
        waits = blamed.receives(verdict.witness.states[blamed.name])
        ts = bounded.explore(report.system, report.model, verdict.witness_k or 1)
        end = end_of(report.system, verdict.witness)
        again = [
            a for a in waits if end in ts.can_reach(FiredAction(a.peer, Send(blamed.name, a.message)).__eq__)
        ]
        assert (f"{blamed.name} waits for ever" in text) == (not again), (seed, text)
        claims += not again
    assert claims > 10


@pytest.mark.parametrize("chunk", range(2))
def test_reasons_name_the_culprit(chunk: int) -> None:
    for seed, report in reports(range(chunk * 200, (chunk + 1) * 200)):
        for verdict in report:
            if verdict.witness is None or verdict.property == "rsc":
                continue
            explain = explanation(verdict.part)
            told = why(explain, report.system, report.model, verdict.witness_k, verdict.witness)
            culprit = verdict.witness.culprit
            for key in ("process", "state", "message"):
                if key in culprit:
                    assert culprit[key].replace("⚡", "the crash notice") in told, (seed, key, told)
            if "channel" in culprit and verdict.property != "k-exh":
                assert culprit["channel"].replace("->", "→") in told, (seed, told)
            assert not told.endswith("."), told


def test_the_alternating_bit_under_loss() -> None:
    names = ["k-exh", "k-er", "k-pg", "k-mc", "k-wmc", "rsc"]
    report = check(protocol("alternating-bit"), Failures(loss=True), k=1, properties=names)
    told = explanations(report)
    assert [e.properties for e in told] == [("k-pg", "k-mc"), ("k-exh", "k-er", "k-wmc", "rsc")]
    for piece in (
        "Progress fails",
        "Sender sends d0, which is lost",
        "Receiver waits in expect0",
        "Nothing is in flight",
        "Shortest run: 1 action, 1 fault",
        "So k-mc fails",
    ):
        assert piece in told[0].text, piece


def test_corruption_overtaking_and_crashes_are_told() -> None:
    half = protocol("half-duplex")
    corrupted = check(half, Failures(corrupt=True), properties=["k-pg"], k=1)
    assert "which was sent as" in explain(corrupted, corrupted["k-pg"])
    overtaken = check(protocol("go-back-2"), Failures(reorder=True), properties=["rsc"])
    text = explain(overtaken, overtaken["rsc"])
    assert "receives frame1, which has overtaken frame0" in text and "each come before the other" in text
    crashed = check(protocol("two-phase-commit"), Failures(crash=["Coordinator"]), properties=["k-er"])
    assert "Coordinator has crashed" in explain(crashed, crashed["k-er"])


def told(name: str, failures: Failures, property: str, max_k: int = 3, k: int | None = None) -> str:
    report = check(protocol(name), failures, properties=[property], max_k=max_k, k=k)
    return explain(report, report[property])


def test_a_message_in_flight_is_shown_with_what_it_was_sent_as() -> None:
    text = told("two-buyer", Failures(corrupt=True), "k-er")
    assert "In flight: address (sent as quit) from Buyer2 to Seller" in text


def test_a_crashed_receiver_is_the_reason() -> None:
    text = told("alternating-bit", Failures(crash=["Sender"]), "k-er")
    assert "Sender never receives a0 from Receiver: it has crashed." in text


def test_who_knows_of_a_crash_is_not_said_to_wait_for_the_news() -> None:
    text = told("alternating-bit", Failures(crash=["Sender"]), "k-pg")
    assert "Receiver has learnt of the crash of Sender already and waits for nothing else" in text
    assert "will never send" not in text


def test_a_crash_notice_is_named_once() -> None:
    text = told("oauth", Failures(crash=["User"]), "k-er")
    assert (
        "the crash notice of User is at the head of User→Resource" in text and "of User from User" not in text
    )


def test_whom_the_blamed_waits_for_is_placed_too() -> None:
    """Resource waits for Client, which has not acted: where Client stands is said."""
    assert "Client waits in idle for" in told("oauth", Failures(crash=["User"]), "k-pg")


def test_many_states_are_counted_and_not_listed() -> None:
    text = told("ssh", Failures(crash=["Server"]), "k-er-up-to-crash", k=2)
    assert "takes it only in wait_version, wait_kexinit, wait_reply or 9 other states" in text


def test_equal_messages_are_told_apart() -> None:
    text = told("http-pipelining", Failures(reorder=True), "rsc")
    assert "the first get (Client→Server) and the second get (Client→Server) must each" in text
    assert "receives get, which has overtaken another get" in text


def test_a_longer_cycle_is_told_in_order() -> None:
    """Three identifiers go round; each must come before the next."""
    text = told("leader-election", Failures(corrupt=True), "rsc")
    assert text.count("must come before") == 3 and "which must come before the first of these" in text


def test_a_missing_crash_branch_is_named() -> None:
    """A waits for go from C, which may crash and says so; A has no branch for it."""
    c = (
        Transition("0", Send("A", "go"), "1"),
        Transition("0", Internal("crash"), "x"),
        Transition("x", Send("A", CRASH), "stop"),
    )
    a = (Transition("w", Receive("C", "go"), "done"),)
    system = System((Process("C", "0", c, reliable=True), Process("A", "w", a)))
    report = check(system, properties=["k-pg"], k=1)
    text = explain(report, report["k-pg"])
    assert "A.w has no crash branch for C" in text
    assert "C, which has crashed, will never send A go" in text


def test_the_command() -> None:
    runner = CliRunner()
    found = runner.invoke(
        group, ["explain", "alternating-bit", "--loss", "--suggest", "0"], standalone_mode=False
    )
    assert found.return_value == 1 and "The protocol does not recover" in found.output
    assert "Progress fails" not in found.output  # classes only if they are asked for
    classes = ["explain", "alternating-bit", "--loss", "--property", "k-pg"]
    assert "Progress fails" in runner.invoke(group, classes, standalone_mode=False).output
    found = runner.invoke(
        group, ["explain", "alternating-bit", "--loss", "--json", "--property", "rsc"], standalone_mode=False
    )
    assert found.return_value == 0
    assert json.loads(found.output)["explanations"] == [
        {"properties": ["rsc"], "holds": True, "text": "What holds: rsc."}
    ]


def test_long_runs_are_summed_up() -> None:
    report = check(protocol("half-duplex"), Failures(corrupt=True), properties=["k-exh"], k=4)
    text = explain(report, report["k-exh"])
    witness = report["k-exh"].witness
    assert witness is not None
    acts = witness.acts
    assert len(acts) > 12 and f"The run has {len(acts)} actions" in text and len(text) < 900


REQUIRED = """\
faults *: loss
role A { s: B!q -> w  w: B?r -> done  timeout -> s  done: B?r -> done }
service role B { i: A?q -> t  t: A!r -> i }
rest A@done
require apart: never A@w & B@t
require ch: crash-handling under crash B
expect violated limit: recovers under stop B
"""


def test_requirements_are_explained_before_the_classes() -> None:
    """By their names and claims; what happens to a process is said as what it is."""
    told = explanations(check(loads(REQUIRED), effort=50_000))
    apart, limit = told[0].text, told[1].text
    said = "Requirement apart, never A@w & B@t: it fails without any fault, also if everything is faster than"
    assert apart.startswith(f"{said} every timer. A sends q.")
    assert "That must never be reached. The run has 2 actions." in apart
    assert limit.startswith("Known limit limit, recovers: it breaks with")
    assert "B stops in i." in limit and "B has stopped" in limit and "1 stop." in limit
    handling = next(e.text for e in told if "ch" in e.properties)
    assert handling.startswith("Crash handling fails: A waits for B in state w")
