"""Checks of systems that communicate by mailboxes: verdicts, runs, certificates, and what is not used."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from importlib import resources
from itertools import islice, product
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import stormproof as sp
from stormproof.errors import ModelError, UsageError
from stormproof.kernel.model.actions import Channel, Crash, Letter, Receive, Send, channel_of, crash_from
from stormproof.kernel.model.ask import Ask
from stormproof.kernel.model.channel_faults import Lose
from stormproof.kernel.model.goal import And, At, Goal
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.kernel.model.system import MAILBOX
from stormproof.kernel.transform.mailboxes import with_senders
from stormproof.languages.formats import dumps, loads
from stormproof.oracle.survival import explore_storms
from stormproof.search.certificates.bounded import make_certificate
from stormproof.search.reachability.channel_bounds import channel_bounds
from stormproof.search.reachability.pnml import pnml
from stormproof.tell.draw.chart.build import chart, descriptions
from stormproof.tell.draw.chart.svg import chart_svg
from stormproof.tell.draw.chart.text import chart_text
from stormproof.tell.explain.explanation import explain
from stormproof.trust.certificate_json import certificate_from_json, certificate_to_json
from stormproof.trust.check_certificate import check_certificate
from stormproof.trust.check_survival import check_holds
from stormproof.trust.saved.replay_report import replay_result
from stormproof.trust.saved.saved_report import result_from_json
from stormproof.trust.survival_certificate import ClosedSet
from tests.support.random_mailboxes import random_mailboxes, searched

REPORT_SCHEMA = json.loads(
    resources.files("stormproof").joinpath("schemas/report.schema.json").read_text("utf-8")
)

#: Safe peer to peer and not with mailboxes: the payment may arrive before the order.
ORDER = """protocol Order
role Buyer { start: Clerk!order -> done  done: }
role Bank { start: Clerk!paid -> done  done: }
role Clerk { start: Buyer?order -> ordered  ordered: Bank?paid -> done  done: }
"""

#: The other way round: with a mailbox `close` cannot arrive before the line that was sent before it.
CLOSE = """protocol Close
role Writer { start: Log!line -> told  told: Manager!finished -> done  done: }
role Manager { start: Writer?finished -> closing  closing: Log!close -> done  done: }
role Log {
  open: Writer?line -> written
        Manager?close -> failed
  written: Manager?close -> closed
  closed:
  failed:
}
require complete: never Log@failed
"""


def both(text: str) -> tuple[sp.System, sp.System]:
    system = loads(text)
    return system, replace(system, communication=MAILBOX)


def test_safe_peer_to_peer_and_not_with_mailboxes() -> None:
    pairs, mailboxes = both(ORDER)
    assert all(verdict.holds for verdict in sp.check(pairs).verdicts)
    report = sp.check(mailboxes)
    assert report["recovers"].holds is False and report["recovers"].faults == 0
    assert [report[name].holds for name in ("k-er", "k-pg", "k-exh")] == [False, False, True]
    assert report["recovers"].reason == "deadlock: Clerk does not receive paid from Bank"
    assert "speaks of channels of length" not in str(report)


def test_safe_with_mailboxes_and_not_peer_to_peer() -> None:
    pairs, mailboxes = both(CLOSE)
    assert sp.check(pairs)["complete"].holds is False
    report = sp.check(mailboxes)
    assert all(verdict.holds for verdict in report.verdicts)
    assert any("communicate by mailboxes" in note for note in report["k-mc"].notes)


@pytest.mark.parametrize("chunk", range(1))
def test_runs_and_certificates_are_replayed(chunk: int) -> None:
    """What checks say of random systems, saved and put to the trusted kernels; every run is drawn."""
    proved = certified = 0
    for seed in range(chunk * 25, chunk * 25 + 25):
        given, failures = random_mailboxes(seed)
        if seed % 3 == 0:
            rng = random.Random(seed)
            failures = replace(failures, duplicate=tuple(c for c in given.channels if rng.random() < 0.6))
        report = sp.check(given, failures, max_k=2, effort=100_000, certificates=seed % 2 == 0)
        for verdict in report.verdicts:
            if verdict.witness is not None:
                drawn = chart(report.system, verdict.witness)
                assert chart_text(drawn) and chart_svg(drawn)
                assert len(descriptions(drawn)) == len(verdict.witness.steps)
                assert explain(report, verdict)
        jsonschema.validate(report.to_json(), REPORT_SCHEMA)
        for replayed in replay_result(result_from_json(json.dumps(report.to_json()))):
            assert replayed.proved is not False, (seed, replayed)
            proved += replayed.proved is True
        certified += k_certificates(report)
    assert proved > 30 and certified > 5


def k_certificates(report: sp.Report) -> int:
    """Certificates that k-properties hold, as files, accepted by their checker."""
    count = 0
    for name in ("k-exh", "k-er", "k-pg"):
        bound = report[name].k
        if report[name].holds and bound is not None:
            made = make_certificate(report.system, report.model, name, bound)
            if made is not None:
                text = json.dumps(certificate_to_json(report.system, report.model, made))
                assert check_certificate(*certificate_from_json(text)).ok
                count += 1
    return count


def test_a_message_is_taken_from_its_sender_only() -> None:
    """A and C send the same message; B waits for that of A, and the one of C is at the head."""
    text = """communication mailbox
    role A { s: B!go -> t  t: }
    role C { s: A!early -> w  w: }
    role B { s: C?go -> t  t: }
    """
    with pytest.raises(ModelError, match="unknown"):
        loads(text.replace("C?go", "D?go"))
    system = with_senders(loads(text))
    assert system.channels == (Channel("", "A"), Channel("", "B"))
    a, c = Letter("go", "A"), Letter("go", "C")
    assert a != c and a != "go" and str(a) == "go" and {a: 1}.get(c) is None
    assert channel_of("A", Send("B", a)) == channel_of("B", Receive("C", c)) == Channel("", "B")
    assert sp.check(loads(text), properties=["k-er"])["k-er"].holds is False
    assert crash_from("A") is crash_from("A") and crash_from("A") != crash_from("C")
    assert isinstance(crash_from("A"), Crash)


@pytest.mark.parametrize("name", ["k-obi", "k-sibi", "half-duplex"])
def test_what_is_not_defined(name: str) -> None:
    _, mailboxes = both(ORDER)
    verdict = sp.check(mailboxes, properties=[name])[name]
    assert verdict.holds is None and "property of the channels of pairs" in verdict.reason


def test_reordering_strikes_whole_mailboxes() -> None:
    _, mailboxes = both(ORDER)
    with pytest.raises(
        UsageError, match="affects a whole mailbox, and that of Clerk also has messages from Bank"
    ):
        sp.check(mailboxes, sp.Failures(reorder=["Buyer->Clerk"]))
    some: dict[str, Any] = {"loss": ["Buyer->Clerk"], "reorder": ["Buyer->Clerk", "Bank->Clerk"]}
    assert sp.check(mailboxes, sp.Failures(**some), properties=["recovers"])["recovers"].holds is False


def test_loss_is_by_sender() -> None:
    """Only what the Bank sends is lost, so the order always arrives."""
    _, mailboxes = both(CLOSE)
    lost = sp.check(mailboxes, sp.Failures(loss=["Manager->Log"]), properties=["recovers"])["recovers"]
    assert lost.holds is False and lost.witness is not None
    [fault] = lost.witness.faults
    assert fault == Lose(Channel("", "Log"), fault.position, Letter("close", "Manager"))


def test_reachability_searches_forward() -> None:
    pairs, mailboxes = both(CLOSE)
    assert sp.reach(pairs, "Log@failed").answer == "reachable"
    answer = sp.reach(mailboxes, "Log@failed")
    assert answer.answer == "unreachable" and "every run was explored" in answer.because
    assert isinstance(answer.certificate, ClosedSet) and answer.checked
    assert answer.to_json(certificate=False)["certificate"] == answer.certificate.summary()
    found = sp.reach(mailboxes, "Log@open & Writer->Log contains line & Manager->Log contains close")
    assert found.answer == "reachable" and found.run is not None and found.checked
    assert sp.reach(mailboxes, "Manager->Log=[]").answer == "reachable"
    with pytest.raises(UsageError, match="also has messages from others"):
        sp.reach(mailboxes, "Writer->Log=[line]")
    with pytest.raises(UsageError, match="not decided with mailboxes"):
        sp.reach(mailboxes, "deadlock-for-good")


@pytest.mark.parametrize("chunk", range(1))
def test_reachability_is_that_of_the_definitions(chunk: int) -> None:
    """Every pair of states of two processes; certificates are needed as they are."""
    answers = {"reachable": 0, "unreachable": 0, "undecided": 0}
    for seed in range(chunk * 25, chunk * 25 + 25):
        given, failures = random_mailboxes(seed, crashes=False)
        system, model = searched(given, failures)
        survival = SurvivalModel(system, model, rest_states(system))
        slow = {k: explore_storms(survival, k, frozenset(system.channels)) for k in (1, 2)}
        first, second = random.Random(seed).sample(system.processes, 2)
        for states in product(first.states[:3], second.states[:3]):
            goal = And((At(first.name, states[:1]), At(second.name, states[1:])))
            answer = sp.reach(given, goal, failures)
            at = [system.names.index(p.name) for p in (first, second)]
            reached = any(tuple(c.states[i] for i in at) == states for s in slow.values() for c in s.faults)
            answers[answer.answer] += 1
            assert answer.answer == "reachable" or not reached, (seed, states)
            if answer.answer == "unreachable":
                assert isinstance(answer.certificate, ClosedSet), (seed, states)
                assert none_can_be_left_out(survival, goal, answer.certificate), (seed, states)
    assert min(answers.values()) > 5, answers


def none_can_be_left_out(model: SurvivalModel, goal: Goal, certificate: ClosedSet) -> bool:
    [storms] = certificate.storms
    without = (replace(certificate, storms=((*storms[:i], *storms[i + 1 :]),)) for i in range(len(storms)))
    return not any(check_holds(model, Ask(False, goal), less).ok for less in islice(without, 5))


def test_methods_for_pairs_are_refused() -> None:
    _, mailboxes = both(ORDER)
    with pytest.raises(UsageError, match="communicate by mailboxes, and their lengths are not computed"):
        channel_bounds(mailboxes)
    with pytest.raises(UsageError, match="no Petri net is written"):
        pnml(mailboxes)


def test_languages(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    _, system = both(CLOSE)
    for language in ("storm", "json"):
        assert loads(dumps(system, language), language) == system
    found = sp.compare(system, replace(system, communication="peer-to-peer"))
    assert (
        str(found.differences[0]) == "the first communicates by mailboxes and the second by channels of pairs"
    )
    plain = replace(system, requirements=())
    read = loads(dumps(plain, "scm"), "scm")
    assert read.communication == MAILBOX and len(read.channels) == len(system.channels)
    assert "kmc has no mailboxes" not in caplog.text
    assert loads(dumps(plain, "fsa"), "fsa").communication != MAILBOX
    assert "fsa has no mailboxes: each ordered pair of roles gets a channel of its own" in caplog.text
    with pytest.raises(ModelError, match="communication is"):
        replace(system, communication="post")


def test_what_is_never_received_need_not_be_at_the_head() -> None:
    """Under reordering nothing is said of the order in a mailbox: who is to blame is the head of the run."""
    given, failures = random_mailboxes(60_065)
    report = sp.check(given, failures, k=2, properties=["k-wer"])
    assert report["k-wer"].holds is False and report["k-wer"].replayed
