"""Logs of random runs conform; random changes to them are judged as the definitions judge them."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from stormproof.errors import UsageError
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.kernel.model.system import PEER_TO_PEER, System
from stormproof.kernel.semantics.faulty_steps import effect, stormy_steps
from stormproof.kernel.transform.prepare import prepare, with_process_faults
from stormproof.languages.formats import loads
from stormproof.limits import Limits
from stormproof.live.conformance.api import trace
from stormproof.live.conformance.log import LogEvent, RoleLog, event_of, is_silent
from stormproof.live.conformance.search_run import search_run
from stormproof.oracle.bounded import initial
from tests.support.random_mailboxes import random_mailboxes
from tests.support.random_systems import random_duplication, random_failures, random_system

Events = dict[str, list[LogEvent]]


def survival(system: System, failures: Failures) -> SurvivalModel:
    marked, model, _ = prepare(system, failures)
    searched = with_process_faults(marked, model).system
    return SurvivalModel(searched, model, rest_states(searched))


def random_logs(model: SurvivalModel, rng: random.Random, length: int) -> tuple[Events, int]:
    """What the roles log in a random run, and its faults; calm steps are preferred."""
    at, faults = initial(model.system), 0
    logs: Events = {name: [] for name in model.system.names}
    for _ in range(length):
        steps = list(stormy_steps(model, at))
        if not steps:
            break
        calm = [step for step in steps if step.calm]
        step = rng.choice(calm if calm and rng.random() < 0.7 else steps)
        faults += sum(step.faults.values())
        at = effect(model, at, step)
        if not is_silent(step.transition.action):
            logs[step.process].append(event_of(step.transition.action))
    return logs, faults


def mutated(rng: random.Random, logs: Events) -> Events:
    """An event dropped, swapped with its neighbour, or renamed."""
    changed = {name: list(events) for name, events in logs.items()}
    events = changed[rng.choice([name for name, found in logs.items() if found])]
    i, kind = rng.randrange(len(events)), rng.randrange(3)
    if kind == 0:
        del events[i]
    elif kind == 1 and i + 1 < len(events):
        events[i], events[i + 1] = events[i + 1], events[i]
    else:
        names = sorted({event.message for found in logs.values() for event in found})
        events[i] = events[i]._replace(message=rng.choice(names))
    return changed


def as_logs(logs: Events) -> list[RoleLog]:
    return [RoleLog.of(name, events) for name, events in logs.items()]


def random_case(rng: random.Random) -> tuple[System, Failures]:
    system = random_system(rng)
    failures = random_duplication(rng, system) if rng.random() < 0.4 else random_failures(rng, system)
    return system, failures


@pytest.mark.parametrize("chunk", range(4))
def test_logs_are_judged_as_the_definitions_judge_them(chunk: int) -> None:
    judged = broken = exact = 0
    for seed in range(chunk * 80, chunk * 80 + 80):
        rng = random.Random(seed)
        system, failures = random_case(rng)
        model = survival(system, failures)
        logs, faults = random_logs(model, rng, rng.randrange(3, 10))
        if not any(logs.values()):
            continue
        found = trace(system, as_logs(logs), failures)
        assert found.conforms, (seed, str(found))
        assert not found.fewest or len(found.faults) <= faults, seed
        other = logs
        for _ in range(rng.randrange(1, 4)):
            other = mutated(rng, other) if any(other.values()) else other
        if not any(other.values()):
            continue
        answer = trace(system, as_logs(other), failures)
        by_definition = search_run(model, {log.role: log for log in as_logs(other)}, 20_000)
        if answer.conforms is None or not by_definition.exhausted:
            continue
        judged += 1
        broken += not answer.conforms
        assert answer.conforms == by_definition.complete, (seed, str(answer))
        if answer.conforms and answer.fewest:
            exact += 1
            assert len(answer.faults) == by_definition.faults, (seed, str(answer))
    assert judged > 20, judged
    assert broken > 2, broken
    assert exact > 5, exact


@pytest.mark.parametrize("chunk", range(2))
def test_logs_of_mailboxes_are_judged_as_a_search_without_preferences_judges_them(chunk: int) -> None:
    judged = broken = faulty = 0
    for seed in range(chunk * 80, chunk * 80 + 80):
        rng = random.Random(seed)
        system, failures = random_mailboxes(seed)
        model = survival(system, failures)
        logs, faults = random_logs(model, rng, rng.randrange(3, 10))
        if not any(logs.values()):
            continue
        found = trace(system, as_logs(logs), failures)
        assert found.conforms and found.fewest and len(found.faults) <= faults, (seed, str(found))
        other = mutated(rng, logs)
        if not any(other.values()):
            continue
        answer = trace(system, as_logs(other), failures, limits=Limits(states=20_000))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("stormproof.live.conformance.search_run._Search._out_of_order", lambda *_: False)
            plain = search_run(model, {log.role: log for log in as_logs(other)}, 20_000)
        if answer.conforms is None or not plain.exhausted:
            continue
        judged += 1
        broken += not answer.conforms
        assert answer.conforms == plain.complete, (seed, str(answer))
        assert not answer.conforms or len(answer.faults) == plain.faults, (seed, str(answer))
        faulty += bool(answer.conforms and answer.faults)
    assert judged > 40 and broken > 2 and faulty > 0, (judged, broken, faulty)


ORDER = """communication mailbox
role Buyer { start: Clerk!order -> done
             done: }
role Bank { start: Clerk!paid -> done
            done: }
role Clerk { start: Buyer?order -> ordered
                    Bank?paid -> failed
             ordered: Bank?paid -> done
             done:
             failed: Buyer?order -> failed }
"""


def test_a_mailbox_is_one_queue() -> None:
    """What one role receives from several was sent in that order, unless the mailbox lets it overtake."""
    text = ORDER.replace("role Bank { start:", "role Bank { start: Buyer?sent -> told\n told:").replace(
        "order -> done\n", "order -> sent\n sent: Bank!sent -> done\n"
    )
    logs = {
        "Buyer": [LogEvent("send", "Clerk", "order"), LogEvent("send", "Bank", "sent")],
        "Bank": [LogEvent("receive", "Buyer", "sent"), LogEvent("send", "Clerk", "paid")],
        "Clerk": [LogEvent("receive", "Bank", "paid"), LogEvent("receive", "Buyer", "order")],
    }
    system = loads(text)
    refused = trace(system, as_logs(logs))
    assert refused.conforms is False and [u.role for u in refused.unexplained] == ["Clerk"]
    assert trace(replace(system, communication=PEER_TO_PEER), as_logs(logs)).conforms
    found = trace(system, as_logs(logs), Failures(reorder=True))
    assert found.conforms and [str(f) for f in found.faults] == [
        "reordering: paid from Bank to Clerk, <log>:2"
    ]
    with pytest.raises(UsageError, match="by mailboxes"):
        trace(system, as_logs(logs), start_anywhere=True)


def test_a_long_log_of_a_mailbox_is_followed_in_its_order() -> None:
    rng = random.Random(3)
    system = loads(
        "communication mailbox\n"
        "role A { s: L!a -> s }\nrole B { s: L!b -> s }\nrole L { s: A?a -> s\n B?b -> s }"
    )
    order = [rng.choice("AB") for _ in range(120)]
    logs = {name: [LogEvent("send", "L", name.lower())] * order.count(name) for name in "AB"}
    logs["L"] = [LogEvent("receive", name, name.lower()) for name in order]
    found = trace(system, as_logs(logs), limits=Limits(states=2_000))
    assert found.conforms and not found.faults


@pytest.mark.parametrize(
    ("budget", "conforms"), [(None, True), (1, True), ("loss=1", True), (0, False), ("loss=0", None)]
)
def test_a_budget_limits_an_explanation(budget: int | str | None, conforms: bool | None) -> None:
    """B receives the second message only, so the first one was lost."""
    system = loads("role A { s: B!x -> t t: B!y -> e e: } role B { w: A?x -> w A?y -> d d: }")
    sent = [LogEvent("send", "B", "x"), LogEvent("send", "B", "y")]
    logs = as_logs({"A": sent, "B": [LogEvent("receive", "A", "y")]})
    found = trace(system, logs, Failures(loss=True, budget=budget))
    assert found.conforms is conforms and len(found.faults) == 1 and found.fewest
    assert ("the budget allows" in found.headline()) == (conforms is not True)


def test_a_search_ends_at_its_time_limit() -> None:
    """A message that nobody sent is received last, after far more orders than can be tried."""
    system = loads(
        "communication mailbox\n"
        "role A { s: L!a -> s }\nrole B { s: L!b -> s }\nrole L { s: A?a -> s\n B?b -> s\n A?no -> s }"
    )
    logs = {name: [LogEvent("send", "L", name.lower())] * 60 for name in "AB"}
    logs["L"] = [LogEvent("receive", "A", "no")]
    found = trace(system, as_logs(logs), limits=Limits(seconds=0.2, states=10_000_000))
    assert found.conforms is None and found.reason.endswith("configurations and 0.2 seconds")
