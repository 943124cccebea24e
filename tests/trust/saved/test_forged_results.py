"""No change to a saved result makes it prove what is not true."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest

from stormproof.errors import InputError
from stormproof.trust.saved.replay_report import ReplayedVerdict, replay_result
from stormproof.trust.saved.saved_report import result_from_json
from tests.support.forged_results import SAMPLES, changed, sample, truth

EACH = 60


def replayed(data: Any) -> tuple[ReplayedVerdict, ...] | None:
    """What is said of a result; None: it is refused as a whole."""
    try:
        return replay_result(result_from_json(json.dumps(data)), budget=3000)
    except InputError as problem:
        assert problem.message
        return None


def judged(data: dict[str, Any], answers: tuple[ReplayedVerdict, ...], met: Counter[str], where: str) -> None:
    """Every verdict that is said to be proved is true of the system and the failures that the file gives."""
    proved = all(answer.proved for answer in answers)
    names = {(answer.property, answer.holds) for answer in answers if answer.proved}
    for verdict in data["verdicts"]:
        if (verdict["property"], verdict["holds"]) not in names:
            assert not proved, where
            continue
        claimed = verdict if proved else {**verdict, "fewest": False}
        true = truth(data, claimed)
        assert true is not False, f"{where}: {verdict['property']} is not {verdict['holds']}"
        met["true" if true else "open"] += 1


@pytest.mark.parametrize("name", SAMPLES)
def test_a_changed_result_proves_only_what_is_true(name: str) -> None:
    met: Counter[str] = Counter()
    data = json.loads(sample(name))
    donors = [json.loads(sample(other)) for other in SAMPLES if other != name]
    for seed in range(EACH):
        rng = random.Random(f"{name} {seed}")
        mutant = changed(rng, data, rng.sample(donors, 2))
        answers = replayed(mutant)
        if answers is None:
            met["refused as a whole"] += 1
        elif any(answer.proved is False for answer in answers):
            met["refused"] += 1
        else:
            judged(mutant, answers, met, f"{name} {seed}")
    assert met["refused"] + met["refused as a whole"] > EACH / 10, met
    assert met["open"] <= met["true"], met


# ---- forgeries by name ---------------------------------------------------------------------------------

Data = dict[str, Any]


def saved(name: str) -> Data:
    data: Data = json.loads(sample(name))
    return data


def verdict_on(data: Data, name: str) -> Data:
    (found,) = [v for v in data["verdicts"] if v["property"] == name]
    return dict(found)


def changing(data: Data, name: str, **changes: Any) -> Data:
    """The result with a verdict in which these keys have other values; `...` removes a key."""
    rows = []
    for row in data["verdicts"]:
        mine = {**row, **changes} if row["property"] == name else row
        rows.append({key: value for key, value in mine.items() if value is not ...})
    return {**data, "verdicts": rows}


def without(data: Data, key: str) -> Data:
    return {k: v for k, v in data.items() if k != key}


def without_verdict(data: Data, name: str) -> Data:
    return {**data, "verdicts": [row for row in data["verdicts"] if row["property"] != name]}


def with_failures(data: Data, **changes: Any) -> Data:
    return {**data, "failures": {**data["failures"], **changes}}


def with_run(data: Data, name: str, **changes: Any) -> Data:
    return changing(data, name, witness={**verdict_on(data, name)["witness"], **changes})


def with_roles(data: Data, key: str, change: Any) -> Data:
    system = json.loads(json.dumps(data[key]))
    change(system["processes"])
    return {**data, key: system}


def closed() -> Data:
    """A certificate that nothing is left behind under loss."""
    found: Data = verdict_on(saved("survival"), "clean")["certificate"]
    return found


def row(messages: int | None) -> Data:
    return {"sender": "Sender", "receiver": "Receiver", "messages": messages}


def empty(processes: list[Data]) -> None:
    processes[0]["transitions"].pop()


def exchanged(data: Data, one: str, other: str, key: str) -> Data:
    """A part of two verdicts exchanged."""
    first, second = verdict_on(data, one), verdict_on(data, other)
    changed_ = changing(data, one, **{key: second.get(key, ...)})
    return changing(changed_, other, **{key: first.get(key, ...)})


NO_LOSS = {"loss": False, "channels": []}

#: What is done to which sample, and how `replay` ends: 1 refused, 2 no saved result, 3 not proved.
FORGERIES: dict[str, tuple[int, Any]] = {
    # the system and the failures
    "a transition is missing in the system": (1, lambda: with_roles(saved("crashes"), "system", empty)),
    "a transition is missing in the given system": (1, lambda: with_roles(saved("crashes"), "given", empty)),
    "the system was not completed": (1, lambda: {**saved("crashes"), "system": saved("crashes")["given"]}),
    "the given system is that of another result": (
        1,
        lambda: {**saved("survival"), "given": saved("reordering")["system"]},
    ),
    "the failures were not asked for": (1, lambda: with_failures(saved("survival"), loss=False)),
    "no channel has the failures": (1, lambda: with_failures(saved("survival"), channels=[])),
    "the failures are smaller, consistently": (1, lambda: with_failures(saved("survival"), **NO_LOSS)),
    "an unknown failure": (3, lambda: with_failures(saved("survival"), floods=True)),
    "who may crash is left out": (1, lambda: with_failures(saved("crashes"), crash=[], unreliable=[])),
    "crash handling was completed all the same": (
        2,  # as written, there is nobody who could crash
        lambda: with_failures(saved("crashes"), as_written=True),
    ),
    "crash handling was not completed": (
        1,
        lambda: with_failures(saved("as written"), as_written=False),
    ),
    "another budget": (1, lambda: with_failures(saved("reordering"), budget={"total": 0})),
    "a budget that no number is": (2, lambda: with_failures(saved("reordering"), budget={"total": True})),
    "another semantics": (1, lambda: {**saved("encoding"), "semantics": "definition"}),
    "other words for what is assumed": (1, lambda: {**saved("survival"), "assumed": "nothing fails"}),
    "classes that the system does not have": (
        2,
        lambda: {**saved("survival"), "system": {**saved("survival")["system"], "csa": False}},
    ),
    # the verdicts that were asked
    "no verdicts": (3, lambda: {**saved("survival"), "verdicts": []}),
    "a verdict is missing": (3, lambda: {**saved("survival"), "verdicts": saved("survival")["verdicts"][:1]}),
    "a requirement is missing": (
        3,
        lambda: {
            **saved("stream"),
            "verdicts": [v for v in saved("stream")["verdicts"] if v["property"] != "order"],
        },
    ),
    "a verdict is there twice": (
        3,
        lambda: {**saved("survival"), "verdicts": 2 * saved("survival")["verdicts"]},
    ),
    "a verdict that was not asked": (1, lambda: {**saved("survival"), "asked": ["clean"]}),
    "it does not say what was asked": (
        3,
        lambda: without(saved("survival"), "asked"),
    ),
    "more was asked": (3, lambda: {**saved("survival"), "asked": ["recovers", "clean", "k-mc"]}),
    "a property that is none": (1, lambda: changing(saved("survival"), "clean", property="cleaner")),
    "the exit code does not depend on it": (
        1,
        lambda: changing(saved("survival"), "recovers", counts=False),
    ),
    # the requirement
    "a verdict is said to be on another requirement": (
        1,
        lambda: exchanged(saved("stream"), "order", "safe", "requirement"),
    ),
    "the name of another requirement": (1, lambda: changing(saved("stream"), "order", property="safe")),
    "a requirement that the system does not have": (
        1,
        lambda: changing(saved("stream"), "safe", requirement={"name": "safe", "claim": "clean"}),
    ),
    "a requirement without its failures": (
        1,
        lambda: changing(
            saved("stream"), "order", requirement={"name": "order", "claim": "never", "goal": "B@bad"}
        ),
    ),
    "a requirement becomes a property": (1, lambda: changing(saved("stream"), "safe", requirement=...)),
    # the answer
    "violated becomes holds": (1, lambda: changing(saved("survival"), "recovers", holds=True)),
    "violated becomes holds, without a run": (
        1,
        lambda: changing(
            *(saved("survival"), "recovers"),
            holds=True,
            witness=None,
            faults=None,
            fewest=False,
            fewest_certificate=...,
            replayed=...,
            witness_k=...,
        ),
    ),
    "holds becomes violated": (
        3,
        lambda: changing(saved("survival"), "clean", holds=False, status="violated", certificate=...),
    ),
    "only the status becomes another": (1, lambda: changing(saved("survival"), "clean", status="violated")),
    "the status of one length for any": (1, lambda: changing(saved("up to"), "recovers", status="proved")),
    "a status that is none": (1, lambda: changing(saved("survival"), "clean", status="fine")),
    "any length was asked for": (1, lambda: {**saved("up to"), "unbounded": True}),
    "any length was asked for, perhaps": (2, lambda: {**saved("up to"), "unbounded": "yes"}),
    "an answer that is none": (2, lambda: changing(saved("survival"), "clean", holds="yes")),
    "undecided with a certificate": (1, lambda: changing(saved("survival"), "clean", holds=None)),
    "for any length": (1, lambda: changing(saved("up to"), "recovers", up_to=None)),
    "for longer channels": (1, lambda: changing(saved("up to"), "recovers", up_to=2)),
    "more is sent in a row": (1, lambda: changing(saved("rows"), "recovers", in_a_row=row(5))),
    "nothing longer is sent in a row": (1, lambda: changing(saved("up to"), "recovers", in_a_row=row(2))),
    "something longer is sent in a row, for any length": (
        1,
        lambda: changing(saved("survival"), "clean", in_a_row=row(None)),
    ),
    "violated up to a length": (1, lambda: changing(saved("survival"), "recovers", up_to=1)),
    "a bound of survival": (1, lambda: changing(saved("survival"), "clean", k=1)),
    "how far an answer came": (1, lambda: changing(saved("survival"), "clean", tolerated=3)),
    "how far the search came, of something violated": (
        1,
        lambda: changing(saved("survival"), "recovers", tolerated=0),
    ),
    "crashes are handled": (1, lambda: changing(saved("crashes"), "crash-handling", holds=True)),
    "crashes are not handled": (1, lambda: changing(saved("crash commit"), "crash-handling", holds=False)),
    "an unknown key": (3, lambda: changing(saved("survival"), "clean", verified=True)),
    "an unknown key of the result": (3, lambda: {**saved("survival"), "exit_code": 0}),
    # the evidence
    "no certificate": (3, lambda: changing(saved("survival"), "clean", certificate=...)),
    "the certificate is null": (3, lambda: changing(saved("survival"), "clean", certificate=None)),
    "the certificate of the other verdict": (
        1,
        lambda: exchanged(saved("survival"), "recovers", "clean", "certificate"),
    ),
    "the certificate of another claim": (
        1,
        lambda: exchanged(saved("up to"), "recovers", "clean", "certificate"),
    ),
    "a certificate of another result": (
        1,
        lambda: changing(
            saved("survival"), "clean", certificate=verdict_on(saved("reordering"), "clean")["certificate"]
        ),
    ),
    "a certificate of holding for a violation": (
        1,
        lambda: changing(saved("survival"), "recovers", certificate=closed()),
    ),
    "a certificate with an unknown key": (
        1,
        lambda: changing(
            saved("survival"),
            "clean",
            certificate={**closed(), "checked": True},
        ),
    ),
    "no run": (
        3,
        lambda: changing(
            *(saved("survival"), "recovers"),
            witness=None,
            faults=None,
            fewest=False,
            fewest_certificate=...,
            certificate=...,
            replayed=...,
            witness_k=...,
        ),
    ),
    "said to be replayed, without a run": (
        1,
        lambda: changing(saved("survival"), "clean", replayed=True),
    ),
    "fewest without its certificate": (
        3,
        lambda: changing(saved("survival"), "recovers", fewest_certificate=...),
    ),
    "the certificate of fewest without fewest": (
        1,
        lambda: changing(saved("survival"), "recovers", fewest=False),
    ),
    "the certificate of fewest is another one": (
        1,
        lambda: changing(
            saved("survival"),
            "recovers",
            fewest_certificate=closed(),
        ),
    ),
    "another number of faults": (1, lambda: changing(saved("survival"), "recovers", faults=2)),
    "no number of faults": (1, lambda: changing(saved("survival"), "recovers", faults=None)),
    "fewest of something that holds": (1, lambda: changing(saved("survival"), "clean", fewest=True)),
    # runs
    "a step is missing": (
        1,
        lambda: with_run(
            saved("classes"), "k-pg", steps=verdict_on(saved("classes"), "k-pg")["witness"]["steps"][:-1]
        ),
    ),
    "a run of another result": (
        1,
        lambda: changing(
            saved("classes"), "k-pg", witness=verdict_on(saved("at one bound"), "k-pg")["witness"]
        ),
    ),
    "a run with an unknown key": (3, lambda: with_run(saved("classes"), "k-pg", proved=True)),
    "another end": (1, lambda: with_run(saved("classes"), "k-pg", ends={"states": {}, "channels": {}})),
    "a culprit who is none": (
        1,
        lambda: with_run(saved("classes"), "k-pg", culprit={"process": "Receiver", "state": "idle"}),
    ),
    "a culprit of survival": (
        1,
        lambda: with_run(saved("survival"), "recovers", culprit={"process": "Sender"}),
    ),
    "a run that is stuck otherwise": (1, lambda: with_run(saved("survival"), "recovers", ending="livelock")),
    "a communication of what is no RSC": (1, lambda: with_run(saved("classes"), "k-pg", communication=[])),
    "an earlier end of the faults": (1, lambda: with_run(saved("survival"), "recovers", calm_from=0)),
    # k-properties
    "another bound": (1, lambda: changing(saved("at one bound"), "k-pg", k=2)),
    "another bound, of the run too": (1, lambda: changing(saved("classes"), "k-pg", witness_k=9)),
    "a bound that is none": (2, lambda: changing(saved("at one bound"), "k-pg", k=0)),
    "it held at a bound that was tried": (
        1,
        lambda: changing(saved("classes"), "k-pg", tried=[{"k": 1, "holds": True}]),
    ),
    "a bound that was tried twice": (
        1,
        lambda: changing(saved("classes"), "k-pg", tried=2 * [{"k": 1, "holds": False}]),
    ),
    "fewest of a k-property": (3, lambda: changing(saved("at one bound"), "k-pg", fewest=True)),
    "a k-property holds without a certificate": (
        3,
        lambda: changing(
            *(saved("at one bound"), "k-pg"),
            holds=True,
            status="proved",
            witness=None,
            faults=None,
            fewest=False,
            replayed=...,
            witness_k=...,
            others=...,
        ),
    ),
    "up to of a k-property": (1, lambda: changing(saved("classes"), "k-pg", up_to=1)),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forgery_is_not_proved(forgery: str) -> None:
    code, make = FORGERIES[forgery]
    data = make()
    answers = replayed(data)
    if answers is None:
        assert code == 2, "refused as a whole"
        return
    proved = [answer.proved for answer in answers]
    assert (1 if False in proved else 3 if None in proved else 0) == code, answers


@pytest.mark.parametrize("name", ["survival", "reordering", "up to", "rows", "stops"])
def test_what_was_forged_is_proved_before(name: str) -> None:
    """Otherwise the forgeries of these results are refused for nothing."""
    answers = replayed(saved(name))
    assert answers and all(answer.proved for answer in answers), answers
