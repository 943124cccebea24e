"""A violation's run is a run, ends where it says, offends there, and is as short as any that does."""

from __future__ import annotations

from collections import deque

import pytest

from stormproof.kernel.model.actions import Channel, Configuration, Receive, Send
from stormproof.kernel.model.failures import FailureModel, Failures
from stormproof.kernel.model.system import System
from stormproof.oracle import bounded
from stormproof.oracle.bounded import TransitionSystem
from stormproof.search.counterexample.build import violation_witness
from stormproof.search.engine.k_properties import PROPERTIES, Violation, _violation, explore
from stormproof.search.engine.lowering import lower
from tests.support.engine_queries import ALWAYS, decide, pairs, perfect, random_question
from tests.support.example_systems import process


def distances(ts: TransitionSystem) -> dict[Configuration, int]:
    """How many actions each configuration is from the initial one; silent steps count nothing."""
    start = bounded.initial(ts.system)
    found, queue = {start: 0}, deque([start])
    while queue:
        at = queue.popleft()
        for event, after in ts.steps[at]:
            length = found[at] + (event is not None)
            if length < found.get(after, length + 1):
                found[after] = length
                (queue.appendleft if event is None else queue.append)(after)
    return found


def closed(ts: TransitionSystem, found: set[Configuration]) -> set[Configuration]:
    stack = list(found)
    while stack:
        for event, after in ts.steps[stack.pop()]:
            if event is None and after not in found:
                found.add(after)
                stack.append(after)
    return found


def ends(ts: TransitionSystem, violation: Violation) -> set[Configuration]:
    """Everywhere that the moves may lead, with any interference between them."""
    here = closed(ts, {bounded.initial(ts.system)})
    for name, (source, action, target) in violation.firings:
        i = ts.system.names.index(name)
        here = closed(
            ts,
            {
                after
                for at in here
                if at.states[i] == source
                for event, after in ts.steps[at]
                if event == (name, action) and after.states[i] == target
            },
        )
    return here


def end_of(system: System, failures: FailureModel, violation: Violation, k: int) -> Configuration:
    return violation_witness(system, failures, violation, k).end(system)


@pytest.mark.parametrize("chunk", range(8))
def test_runs_are_shortest_and_end_in_an_offence(chunk: int) -> None:
    for seed in range(chunk * 10**6, chunk * 10**6 + 250):
        system, failures, k = random_question(seed)
        try:
            ts = bounded.explore(system, failures, k, most=150)
        except bounded.TooLarge:
            continue
        found = explore(system, failures, k, properties=PROPERTIES, threads=1)
        length = distances(ts) if found.violations else {}
        for name, violation in found.violations.items():
            where = f"seed {seed}, k = {k}, {name}"
            offenders = set(bounded.VIOLATIONS[name](ts))
            end = end_of(system, failures, violation, k)
            assert end in offenders, where
            assert violation.shortest and len(violation.firings) == min(length[o] for o in offenders), where
            assert end in ends(ts, violation), where
            assert all(culprit_fits(system, violation, end)), where


def culprit_fits(system: System, violation: Violation, end: Configuration) -> list[bool]:
    """The keys that a reason needs are there, and say what is so at the end of the run."""
    culprit, fits = violation.end.culprit, []
    if "process" in culprit:
        fits.append(end.states[system.names.index(culprit["process"])] == culprit["state"])
    if "action" in culprit:
        leaving = system[culprit["process"]].outgoing(culprit["state"])
        fits.append(culprit["action"] in [str(t.action) for t in leaving])
    if violation.property in ("k-er", "k-wer", "k-er-up-to-crash"):
        sender, _, receiver = culprit["channel"].partition("->")
        fits.append(str(end.words[system.channel_index[Channel(sender, receiver)]][0]) == culprit["message"])
    needed = {"k-pg": {"process", "state"}, "k-er": {"channel", "message"}}
    keys = needed.get(violation.property, set())
    if violation.property.startswith("k-exh"):
        keys = {"process", "state", "channel", "message", "action"}
    fits.append(keys <= set(culprit))
    return fits


def test_a_shortened_run_is_marked_as_such() -> None:
    """With too small a budget for the shortest run, the run is that of the reduced graph, and so marked."""
    kept = 0
    for seed in range(150):
        system, _, k = random_question(seed)
        answer = decide(system, perfect(system), k, ALWAYS, reduction=True, witness_budget=1)
        ts = None
        for raw in answer.violations:
            violation = _violation(lower(system, perfect(system)), raw)
            ts = ts or bounded.explore(system, perfect(system), k)
            offenders = set(bounded.VIOLATIONS[violation.property](ts))
            assert end_of(system, perfect(system), violation, k) in offenders & ends(ts, violation), (
                f"seed {seed}"
            )
            kept += not violation.shortest
    assert kept > 20


def test_the_first_configuration_may_offend() -> None:
    waits = process("P", ("s", Receive("Q", "a"), "s"))
    rests = process("Q", ("r", Receive("P", "b"), "r"))
    found = explore(System((waits, rests)), perfect(System((waits, rests))), 1, properties=["k-pg"])
    assert found.violations["k-pg"].firings == ()
    assert found.violations["k-pg"].end.culprit == {"process": "P", "state": "s"}


def test_names_of_a_violation() -> None:
    """P fills the channel with b, which nobody takes: message, channel, and the send that cannot fire."""
    system = System((process("P", ("s", Send("Q", "b"), "s")), process("Q", ("r", Receive("P", "a"), "r"))))
    found = explore(system, Failures().on(system), 2, properties=ALWAYS)
    assert found.violations["k-er"].end.culprit == {"channel": "P->Q", "message": "b"}
    assert len(found.violations["k-er"].firings) == 1
    exh = found.violations["k-exh"]
    assert len(exh.firings) == 2
    assert exh.end.culprit == {
        "process": "P",
        "state": "s",
        "channel": "P->Q",
        "message": "b",
        "action": "Q!b",
    }


def test_length_channels_show_what_was_sent() -> None:
    """Where only a length is known, the messages sent stand for it, so that no fault is invented."""
    system = pairs(1, "a", "b")
    broken = System((system["P0"], process("Q0", ("r", Receive("P0", "c"), "r"))))
    failures = Failures(corrupt=True).on(broken)
    found = explore(broken, failures, 2, properties=["k-exh", "k-er"])
    assert found.holds["k-exh"] is True
    shown = violation_witness(broken, failures, found.violations["k-er"], 2)
    assert shown.channels[Channel("P0", "Q0")][0] in ("a", "b") and not shown.faults
