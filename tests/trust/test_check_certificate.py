"""Certificates: made exactly if a property holds, refused if anything in them is wrong."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from stormproof.errors import InputError, StormproofError
from stormproof.kernel.model.actions import Receive, Send, Transition
from stormproof.kernel.model.failures import FailureModel, Failures
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System
from stormproof.oracle.bounded import TooLarge, TransitionSystem, explore, holds, initial
from stormproof.search.certificates.bounded import make_certificate
from stormproof.trust.certificate_json import (
    certificate_from_json,
    certificate_to_json,
)
from stormproof.trust.check_certificate import (
    BoundedCertificate,
    CertificateCheck,
    CertifiedGoal,
    CertifiedStep,
    check_certificate,
    meets,
    obligations,
)
from tests.support.random_systems import random_crash, random_failures, random_process_faults, random_system

#: What runs can certify: all k-properties but the two side conditions of Lange and Yoshida's theorem.
PROPERTIES = (
    "k-exh",
    "k-exh-literal",
    "k-er",
    "k-wer",
    "k-pg",
    "k-safe",
    "k-mc",
    "k-wmc",
    "k-er-up-to-crash",
    "k-exh-up-to-crash",
    "k-wmc-up-to-crash",
)
MOST = 300
CHUNKS, SEEDS = 5, 40

Case = tuple[int, System, FailureModel, int, TransitionSystem]


def check_certificate_text(text: str) -> CertificateCheck:
    """Check a certificate that was read from a file."""
    return check_certificate(*certificate_from_json(text, "<input>"))


def cases(chunk: int, seeds: int = SEEDS) -> Iterator[Case]:
    for seed in range(chunk * seeds, (chunk + 1) * seeds):
        rng = random.Random(seed)
        system = random_system(rng)
        if rng.random() < 0.3:
            system = random_crash(rng, system)
        failures = random_failures(rng, system).on(system)
        k = rng.choice((1, 1, 2))
        if rng.random() < 0.3:
            system = random_process_faults(rng, system)
        try:
            yield seed, system, failures, k, explore(system, failures, k, MOST)
        except TooLarge:
            continue


def certificates(chunk: int, seeds: int = SEEDS) -> Iterator[tuple[Case, BoundedCertificate]]:
    for case in cases(chunk, seeds):
        _, system, failures, k, _ = case
        for name in PROPERTIES:
            found = make_certificate(system, failures, name, k, MOST)
            if found is not None:
                yield case, found


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_there_is_a_certificate_exactly_when_the_property_holds(chunk: int) -> None:
    for seed, system, failures, k, whole in cases(chunk):
        for name in PROPERTIES:
            found = make_certificate(system, failures, name, k, MOST)
            assert (found is not None) == holds(whole, name), (seed, name)
            if found is not None:
                answer = check_certificate(system, failures, found)
                assert answer.ok, (seed, name, answer.message)
                assert answer.configurations == len(whole.steps)
                asked = [goal for at in whole.steps for goal in set(obligations(system, name, at))]
                assert answer.obligations == len(asked), (seed, name)


def test_the_runs_of_a_certificate_are_runs() -> None:
    """What `run` unrolls starts where it says, and ends in what is asked."""
    for (seed, system, _, _, whole), found in certificates(3):
        for number, at in enumerate(found.configurations):
            for goal in obligations(system, found.property, at):
                here = at
                for step in found.run(system, goal, number):
                    after = found.configurations[step.after]
                    assert (step.event, after) in whole.steps[here], seed
                    last, here = step, after
                assert meets(system, found.configurations, goal, last), seed


# Mutations. Each takes a right certificate and gives a wrong one, or None where it has nothing to change.

Mutation = Callable[[random.Random, BoundedCertificate, TransitionSystem], "BoundedCertificate | None"]


def without_a_configuration(
    rng: random.Random, c: BoundedCertificate, _: TransitionSystem
) -> BoundedCertificate:
    """All are reachable, so one that is missing is the initial one or one that a step leads to."""
    gone = rng.randrange(len(c.configurations))
    kept = [i for i in range(len(c.configurations)) if i != gone]
    number = {old: new for new, old in enumerate(kept)}
    runs = {
        goal: {
            number[at]: CertifiedStep(move.event, number.get(move.after, 0))
            for at, move in run.items()
            if at != gone
        }
        for goal, run in c.runs.items()
    }
    return replace(c, configurations=tuple(c.configurations[i] for i in kept), runs=runs)


def _pick(rng: random.Random, c: BoundedCertificate) -> tuple[CertifiedGoal, int] | None:
    every = [(goal, at) for goal, run in c.runs.items() for at in run]
    return rng.choice(every) if every else None


def _changed(
    c: BoundedCertificate, goal: CertifiedGoal, at: int, move: CertifiedStep | None
) -> BoundedCertificate:
    run = {i: m for i, m in c.runs[goal].items() if i != at}
    if move is not None:
        run[at] = move
    return replace(c, runs={**c.runs, goal: run})


def without_a_step(
    rng: random.Random, c: BoundedCertificate, _: TransitionSystem
) -> BoundedCertificate | None:
    """A certificate has no step that no run needs."""
    picked = _pick(rng, c)
    return picked and _changed(c, *picked, None)


def without_a_goal(
    rng: random.Random, c: BoundedCertificate, _: TransitionSystem
) -> BoundedCertificate | None:
    picked = _pick(rng, c)
    return picked and replace(c, runs={g: run for g, run in c.runs.items() if g != picked[0]})


def _all_moves(c: BoundedCertificate, whole: TransitionSystem, at: int) -> set[CertifiedStep]:
    number = {configuration: i for i, configuration in enumerate(c.configurations)}
    return {CertifiedStep(event, number[after]) for event, after in whole.steps[c.configurations[at]]}


def to_elsewhere(
    rng: random.Random, c: BoundedCertificate, whole: TransitionSystem
) -> BoundedCertificate | None:
    """A step that the system has, to where it does not lead."""
    picked = _pick(rng, c)
    if picked is None:
        return None
    goal, at = picked
    event = c.runs[goal][at].event
    wrong = {CertifiedStep(event, i) for i in range(len(c.configurations) + 1)} - _all_moves(c, whole, at)
    return _changed(c, goal, at, rng.choice(sorted(wrong, key=str)))


def by_another_action(
    rng: random.Random, c: BoundedCertificate, whole: TransitionSystem
) -> BoundedCertificate | None:
    """Where a step leads, by what does not lead there."""
    picked = _pick(rng, c)
    if picked is None:
        return None
    goal, at = picked
    events = {move.event for run in c.runs.values() for move in run.values()} | {None}
    wrong = {CertifiedStep(e, c.runs[goal][at].after) for e in events} - _all_moves(c, whole, at)
    return _changed(c, goal, at, rng.choice(sorted(wrong, key=str))) if wrong else None


def in_a_circle(
    rng: random.Random, c: BoundedCertificate, whole: TransitionSystem
) -> BoundedCertificate | None:
    """Only steps of the system, and yet the goal is never met: back to where the run came from."""
    picked = _pick(rng, c)
    if picked is None:
        return None
    goal, at = picked
    for move in _all_moves(c, whole, at):
        here = move.after
        while not _met(c, whole, goal, move) and here in c.runs[goal]:
            if here == at:
                return _changed(c, goal, at, move)
            if _met(c, whole, goal, c.runs[goal][here]):
                break
            here = c.runs[goal][here].after
    return None


def not_keeping_still(
    rng: random.Random, c: BoundedCertificate, whole: TransitionSystem
) -> BoundedCertificate | None:
    """k-exhaustivity: the process acts itself, and only then sends what it was to send before; progress: it
    crashes, stops or restarts before it goes on."""
    for goal in c.runs:
        for at in c.runs[goal]:
            for move in _all_moves(c, whole, at):
                if goal.bars(move.event) and not _met(c, whole, goal, move):
                    return _changed(c, goal, at, move)
    return None


def _met(c: BoundedCertificate, whole: TransitionSystem, goal: CertifiedGoal, move: CertifiedStep) -> bool:
    return meets(whole.system, c.configurations, goal, move)


def twice_the_same(rng: random.Random, c: BoundedCertificate, _: TransitionSystem) -> BoundedCertificate:
    return replace(c, configurations=(*c.configurations, rng.choice(c.configurations)))


MUTATIONS: tuple[Mutation, ...] = (
    without_a_configuration,
    without_a_step,
    without_a_goal,
    to_elsewhere,
    by_another_action,
    in_a_circle,
    not_keeping_still,
    twice_the_same,
)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: m.__name__)
def test_a_wrong_certificate_is_refused(mutation: Mutation) -> None:
    refused = 0
    for chunk in range(3):
        for (seed, system, failures, _, whole), right in certificates(chunk):
            wrong = mutation(random.Random(seed), right, whole)
            if wrong is not None:
                answer = check_certificate(system, failures, wrong)
                assert not answer.ok and answer.message, (seed, right.property)
                refused += 1
    assert refused > 20, refused


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_no_certificate_of_what_is_not_so(chunk: int) -> None:
    """Whatever runs are claimed, a property that fails is not confirmed: random steps, but real ones."""
    for seed, system, failures, k, whole in cases(chunk):
        rng = random.Random(seed)
        number = {at: i for i, at in enumerate(whole.steps)}
        for name in PROPERTIES:
            if holds(whole, name):
                continue
            goals = {goal for at in whole.steps for goal in obligations(system, name, at)}
            moves = {
                number[at]: [CertifiedStep(event, number[after]) for event, after in leaving]
                for at, leaving in whole.steps.items()
                if leaving
            }
            for _ in range(5):
                runs = {
                    goal: {at: _best(rng, whole, goal, some) for at, some in moves.items()} for goal in goals
                }
                forged = BoundedCertificate(name, k, tuple(whole.steps), runs)
                assert not check_certificate(system, failures, forged).ok, (seed, name)


def _best(
    rng: random.Random, whole: TransitionSystem, goal: CertifiedGoal, moves: list[CertifiedStep]
) -> CertifiedStep:
    met = (m for m in moves if meets(whole.system, tuple(whole.steps), goal, m))
    return next(met, None) or rng.choice(moves)


@pytest.mark.parametrize("chunk", range(4))
def test_a_certificate_of_something_else_is_accepted_only_if_it_proves_that_too(chunk: int) -> None:
    """Other property, bound or failure model than the one it was made for."""
    for (seed, system, failures, _, _), right in certificates(chunk, 30):
        rng = random.Random(seed)
        other = replace(right, property=rng.choice(PROPERTIES), k=rng.choice((1, 2, 3)))
        model = rng.choice((failures, Failures().on(system), Failures(loss=True).on(system)))
        if check_certificate(system, model, other).ok:
            assert holds(explore(system, model, other.k, 10 * MOST), other.property), seed


@pytest.mark.parametrize("chunk", range(4))
def test_certificates_survive_as_json(chunk: int) -> None:
    for (seed, system, failures, _, _), right in certificates(chunk, 20):
        text = json.dumps(certificate_to_json(system, failures, right))
        read, model, again = certificate_from_json(text)
        assert (read.processes, again) == (system.processes, right), seed
        assert check_certificate_text(text) == check_certificate(system, failures, right), seed
        assert model.channels.keys() == failures.channels.keys(), seed


def _broken(rng: random.Random, data: Any) -> Any:
    """Something, somewhere in the data, is gone or is something else."""
    data = copy.deepcopy(data)
    here = data
    while True:
        keys = list(here) if isinstance(here, dict) else list(range(len(here)))
        key = rng.choice(keys)
        inner = here[key]
        if isinstance(inner, dict | list) and inner and rng.random() < 0.8:
            here = inner
            continue
        if rng.random() < 0.5:
            del here[key]
        else:
            here[key] = rng.choice([None, 0, 1, -1, "", "m0", "P0", [], {}, True, "99", [["m0"]]])
        return data


@pytest.mark.parametrize("chunk", range(8))
def test_a_broken_file_is_told_or_refused_or_still_right(chunk: int) -> None:
    """Hundreds of random changes to the text: never a traceback, never a false property accepted."""
    told = 0
    for (seed, system, failures, _, _), right in certificates(chunk, 12):
        rng = random.Random(seed)
        data = certificate_to_json(system, failures, right)
        for _ in range(20):
            text = json.dumps(_broken(rng, data))
            try:
                answer = check_certificate_text(text)
            except StormproofError:
                told += 1
                continue
            if answer.ok:
                read, model, found = certificate_from_json(text)
                assert holds(explore(read, model, found.k), found.property), (seed, text)
            else:
                told += 1
    assert told > 100, told


@pytest.mark.parametrize("text", ["", "[]", "{}", "7", "null", '{"stormproof": 1}', "[" * 100_000])
def test_what_is_no_certificate_is_told(text: str) -> None:
    with pytest.raises(InputError):
        check_certificate_text(text)


def test_side_conditions_have_no_certificate_of_this_kind() -> None:
    system = pair("a")
    found = check_certificate(
        system, Failures().on(system), BoundedCertificate("k-sibi", 1, (initial(system),), {})
    )
    assert not found.ok


def pair(*messages: str) -> System:
    """A sends any of the messages, for ever; B takes the first only."""
    sender = Process("A", "s", tuple(Transition("s", Send("B", m), "s") for m in messages))
    receiver = Process("B", "r", (Transition("r", Receive("A", messages[0]), "r"),))
    return System((sender, receiver))


def test_two_configurations_and_their_five_obligations() -> None:
    """By hand, at k = 1: empty (A is to send, B to receive) and full (both, and `a` is to be taken)."""
    system = pair("a")
    model = Failures().on(system)
    certificate = make_certificate(system, model, "k-mc", 1)
    assert certificate is not None
    answer = check_certificate(system, model, certificate)
    assert (answer.ok, answer.configurations, answer.obligations) == (True, 2, 5)
    assert answer.message == (
        "at k = 1, 2 configurations closed under every step, "
        "and for each of their 5 obligations a run that meets it"
    )
    assert make_certificate(pair("a", "b"), Failures().on(pair("a", "b")), "k-er", 1) is None
