"""Crash-handling: the conditions CI, CP and CR, what is missing, and completion (definitions 5.3 to 5.5)."""

from __future__ import annotations

import contextlib
import itertools
import random
from dataclasses import replace

import pytest

import stormproof as sp
from stormproof.errors import ModelError
from stormproof.kernel.model.actions import CRASH, Action, Internal, Receive, Send, Transition
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System
from stormproof.kernel.transform.crash_completion import complete, without_impossible_crashes
from stormproof.kernel.transform.crash_handling import Missing, crash_handling, in_sentences
from stormproof.limits import Limits
from stormproof.oracle import bounded
from stormproof.search.checks.api import check
from stormproof.search.engine.rsc import rsc
from tests.support.random_systems import random_system

crash = Internal("crash")


Row = tuple[str, Action, str]


def client(*extra: Row) -> Process:
    """The paper's Figure 4(a): asks, waits, and may crash in both states."""
    rows: tuple[Row, ...] = (
        ("ask", Send("s", "req"), "wait"),
        ("wait", Receive("s", "res"), "done"),
        ("ask", crash, "sink"),
        ("wait", crash, "sink"),
        ("sink", Send("s", CRASH), "stop"),
        *extra,
    )
    return Process("c", "ask", rows, reliable=False)


def server(*extra: Row) -> Process:
    rows: tuple[Row, ...] = (
        ("idle", Receive("c", "req"), "busy"),
        ("busy", Send("c", "res"), "done"),
        ("idle", Receive("c", CRASH), "alone"),
        *extra,
    )
    return Process("s", "idle", rows)


def test_the_figure_is_crash_handling_as_drawn_and_does_not_clean_up() -> None:
    found = crash_handling(System((client(), server())))
    assert found.holds and not found.missing
    assert not found.cleans_up
    rests = {("s", "done", Receive("c", CRASH)), ("s", "alone", Receive("c", CRASH))}
    assert {(m.process, m.state, m.action) for m in found.unclean} == rests


def test_a_crash_handling_system_is_completed_to_itself() -> None:
    system = System((client(), server()))
    assert complete(system) is system


def test_clean_up_adds_the_loops_and_nothing_else() -> None:
    system = System((client(), server()))
    done = complete(system, clean_up=True)
    assert crash_handling(done).cleans_up
    added = set(done["s"].transitions) - set(system["s"].transitions)
    assert added == {("done", Receive("c", CRASH), "done"), ("alone", Receive("c", CRASH), "alone")}
    assert done["c"] == system["c"]


def test_each_missing_transition_is_named() -> None:
    bare = System(
        (
            Process("c", "ask", (("ask", Send("s", "req"), "wait"), ("wait", Receive("s", "res"), "done"))),
            Process("s", "idle", (("idle", Receive("c", "req"), "busy"), ("busy", Send("c", "res"), "done"))),
        )
    ).with_unreliable(["c"])
    found = crash_handling(bare)
    assert found.missing == (
        Missing("CP", "c", "ask", crash),
        Missing("CP", "c", "wait", crash),
        Missing("CI", "s", "idle", Receive("c", CRASH)),
    )
    assert "s waits for c in state idle" in found.missing[2].sentence
    assert "c?crash" in found.missing[2].sentence


def test_an_unreliable_resting_state_must_take_the_others_crashes() -> None:
    system = System((client(), server())).with_unreliable(["c", "s"])
    missing = {(m.condition, m.process, m.state) for m in crash_handling(system).missing}
    assert missing == {
        ("CI", "c", "wait"),
        ("CR", "c", "done"),
        ("CR", "c", "stop"),
        ("CP", "s", "idle"),
        ("CP", "s", "busy"),
        ("CR", "s", "done"),
        ("CR", "s", "alone"),
    }


def test_a_broadcast_that_forgets_somebody_is_cut_short() -> None:
    system = System((client(), server(), Process("t", "rest")))
    found = crash_handling(system)
    assert found.missing == (Missing("CP", "c", "stop", Send("t", CRASH)),) * 2
    done = complete(system)
    assert crash_handling(done).holds
    assert Send("t", CRASH) in done["c"].sends("stop")


def test_crash_that_leads_back_to_work_cannot_be_completed() -> None:
    back = Process("c", "a", (("a", Send("s", "m"), "b"), ("b", crash, "a")), reliable=False)
    system = System((back, Process("s", "x", (("x", Receive("c", "m"), "x"),))))
    found = crash_handling(system)
    assert not found.holds
    assert any("has crashed" in sentence for sentence in found.sentences)
    with pytest.raises(ModelError, match="cannot be completed"):
        complete(system)


def test_entering_the_broadcast_without_a_crash_is_wrong() -> None:
    system = System((client(("ask", Internal("tau"), "sink")), server()))
    found = crash_handling(system)
    assert not found.holds and not found.missing
    assert "without crashing: by tau from state ask" in found.sentences[0]


def test_the_crash_message_sent_without_a_crash_is_forged() -> None:
    """Of an unreliable process and of a reliable one; a drawn crash of a reliable one is let pass."""
    for reliable in ([], ["c"]):
        system = System((client(("wait", Send("s", CRASH), "done")), server()))
        found = crash_handling(system.with_unreliable([n for n in ("c",) if n not in reliable]))
        assert not found.holds and not found.missing
        assert found.sentences == (
            "c tells s in state wait that it has crashed, and has not: the crash message is sent only after "
            "the action crash",
        )
    assert crash_handling(System((client(), server())).with_unreliable([])).holds


def test_what_is_missing_in_several_states_is_one_sentence() -> None:
    system = System(
        (Process("c", "a", (("a", Send("s", "m"), "b"), ("b", Send("s", "m"), "a"))), Process("s", "x"))
    )
    missing = crash_handling(system.with_unreliable(["c"])).missing
    assert len(missing) == 2
    assert in_sentences(missing) == [
        "c may crash, but cannot in the states a and b: add the action crash there"
    ]


# By the definition: some split of the states into Q1, Q2 and Q3 works.


def splits(process: Process, system: System) -> bool:
    states = process.reachable()
    ways = itertools.product((1, 2, 3), repeat=len(states))
    return any(_split_works(process, system, dict(zip(states, way, strict=True))) for way in ways)


def _split_works(process: Process, system: System, part: dict[str, int]) -> bool:
    dangerous = [n for n in system.unreliable if n != process.name]
    if part[process.initial] == 3:
        return False
    for state in part:
        leaving = process.outgoing(state)
        if not all(_row_fits(process, part, t) for t in leaving):
            return False
        if part[state] == 3 and len(leaving) != 1:
            return False
        if part[state] == 2 and not {(state, Receive(r, CRASH), state) for r in dangerous} <= set(leaving):
            return False
        waited = process.receives(state)
        peers = {a.peer for a in waited if a.message is not CRASH} & set(dangerous)
        if part[state] != 3 and not {Receive(r, CRASH) for r in peers} <= set(waited):
            return False
        if part[state] == 1 and not process.reliable and not _broadcasts(process, system, part, state):
            return False
    return True


def _row_fits(process: Process, part: dict[str, int], row: Transition) -> bool:
    source, action, target = row
    if action == crash:
        return process.reliable or part[source] == 1
    if isinstance(action, Internal) or action.message is not CRASH:
        return part[source] == 1 and part[target] != 3
    if isinstance(action, Send):
        alive = Process(
            process.name, process.initial, tuple(t for t in process.transitions if t.action != crash)
        )
        if process.reliable:
            return source not in alive.reachable()
        return part[source] == 3 and part[target] != 1
    if process.reliable:
        return True
    return part[source] != 3 and part[target] != 3 and (part[source] == 1 or source == target)


def _broadcasts(process: Process, system: System, part: dict[str, int], state: str) -> bool:
    for _, action, at in process.outgoing(state):
        told: list[str] = []
        while action == crash and part[at] == 3 and len(process.outgoing(at)) == 1:
            (row,) = process.outgoing(at)
            if not isinstance(row.action, Send) or row.action.message is not CRASH:
                break
            told.append(row.action.peer)
            at = row.target
        if action == crash and part[at] == 2 and sorted([*told, process.name]) == sorted(system.names):
            return True
    return False


def changed(rng: random.Random, system: System) -> System:
    """With a transition or two dropped, moved or added."""
    processes = list(system)
    for _ in range(rng.choice((0, 1, 1, 2))):
        i = rng.randrange(len(processes))
        process = processes[i]
        rows, states = list(process.transitions), process.states
        peer = rng.choice([n for n in system.names if n != process.name])
        extra: Action = rng.choice((crash, Internal("tau"), Receive(peer, CRASH), Send(peer, CRASH)))
        if rows and rng.random() < 0.7:
            source, action, target = rows.pop(rng.randrange(len(rows)))
            moved = Transition(rng.choice(states), action, target)
            turned = Transition(source, action, rng.choice(states))
            rows += rng.choice(([], [moved], [turned]))
        else:
            rows.append(Transition(rng.choice(states), extra, rng.choice(states)))
        with contextlib.suppress(ModelError):
            processes[i] = replace(process, transitions=tuple(rows))
    return System(tuple(processes))


@pytest.mark.parametrize("chunk", range(5))
def test_crash_handling_is_that_some_split_works(chunk: int) -> None:
    answers = {True: 0, False: 0}
    for seed in range(chunk * 200, chunk * 200 + 200):
        rng = random.Random(seed)
        system = complete(
            random_system(rng, processes=rng.choice((2, 3)), unreliable=0.6), rng.random() < 0.5
        )
        system = changed(rng, system)
        if max(len(p.reachable()) for p in system) > 7:
            continue
        expected = all(splits(p, system) for p in system)
        answers[expected] += 1
        assert crash_handling(system).holds == expected, seed
    assert min(answers.values()) > 20


def test_completion_of_two_processes() -> None:
    system = System(
        (
            Process("p", "0", (("0", Send("q", "a"), "1"),)),
            Process("q", "0", (("0", Receive("p", "a"), "1"),)),
        )
    ).with_unreliable(["p"])
    done = complete(system)
    assert set(done["p"].transitions) == {
        ("0", Send("q", "a"), "1"),
        ("0", crash, "crashing"),
        ("crashing", Send("q", CRASH), "stop"),
    }
    assert set(done["q"].transitions) == {
        ("0", Receive("p", "a"), "1"),
        ("0", Receive("p", CRASH), "gave_up"),
        ("gave_up", Receive("p", CRASH), "gave_up"),
    }
    assert done["p"].crashed_states == {"crashing", "stop"}


def test_fresh_states_do_not_collide() -> None:
    system = System(
        (
            Process(
                "p", "crashing", (("crashing", Send("q", "a"), "stop"), ("stop", Send("q", "b"), "crashing"))
            ),
            Process("q", "gave_up", (("gave_up", Receive("p", "a"), "gave_up"),)),
        )
    ).with_unreliable(["p"])
    done = complete(system)
    assert crash_handling(done).holds
    assert set(done["p"].states) == {"crashing", "stop", "crashing2", "stop2"}
    assert set(done["q"].states) == {"gave_up", "gave_up2"}


def test_who_rests_without_a_crash_rests_where_one_may_happen() -> None:
    """B takes what comes and stays; a branch for the crash of A does not turn that into waiting for ever."""
    text = "role A { first: B!x -> done done: } role B { wait: A?x -> done done: A?x -> done }"
    done = complete(sp.loads(text).with_unreliable(["A"]))
    assert done["B"].rest == ("done", "gave_up") and done["A"].rest is None, "nor wait into rest"
    assert sp.survives(sp.loads(text), sp.Failures(crash=["A"])).holds


def test_a_lone_process_crashes_without_telling_anybody() -> None:
    done = complete(System((Process("p", "0", (("0", Internal("tau"), "0"),)),)).with_unreliable(["p"]))
    assert ("0", crash, "stop") in done["p"].transitions


@pytest.mark.parametrize("chunk", range(10))
def test_completion_of_random_systems(chunk: int) -> None:
    """Completion gives a crash-handling system, keeps what was there, keeps CSA and directedness, and is idle
    on what it made."""
    for seed in range(chunk * 100, chunk * 100 + 100):
        system = random_system(random.Random(seed), unreliable=0.5)
        done = complete(system)
        assert crash_handling(done).holds, seed
        assert complete(done) is done, seed
        for before, after in zip(system, done, strict=True):
            assert set(before.transitions) <= set(after.transitions), seed
            assert before.initial == after.initial and before.reliable == after.reliable, seed
            kept = set(before.states)
            assert all(after.kind(s) == before.kind(s) for s in kept if before.outgoing(s)), seed
        assert done.csa == system.csa, seed
        if system.unreliable:
            assert crash_handling(complete(system, clean_up=True)).cleans_up, seed
        else:
            assert done is system, seed


def test_dropping_any_one_added_transition_is_noticed() -> None:
    """What completion adds is needed, one by one: without it some condition fails."""
    checked = 0
    for seed in range(150):
        system = random_system(random.Random(seed), unreliable=0.5)
        done = complete(system)
        for process in done:
            for row in set(process.transitions) - set(system[process.name].transitions):
                if row.source not in system[process.name].states:
                    continue
                less = Process(
                    process.name,
                    process.initial,
                    tuple(t for t in process.transitions if t != row),
                    process.states,
                    process.reliable,
                )
                others = tuple(less if p.name == less.name else p for p in done)
                assert not crash_handling(System(others)).holds, (seed, row)
                checked += 1
    assert checked > 100


def test_impossible_crashes_are_dropped() -> None:
    system = System((client(), server())).with_unreliable([])
    bare = without_impossible_crashes(system)
    assert not any(t.action == crash for t in bare["c"].transitions)
    assert {t.action for t in bare["s"].transitions} == {Receive("c", "req"), Send("c", "res")}
    both = System((client(), server()))
    assert without_impossible_crashes(both) == both


def test_the_figure_is_rsc() -> None:
    """The paper's example on Figure 4: with or without the crash the figure stays RSC."""
    system = System((client(), server()))
    found = rsc(system, Failures().on(system), limits=Limits())
    assert found.holds is True


def test_the_crash_message_cannot_be_forged() -> None:
    """A user's message of that name is another message, under any corruption."""
    system = System(
        (
            Process("p", "0", (("0", Send("q", "crash"), "1"), ("1", Send("q", "a"), "2"))),
            Process("q", "0", (("0", Receive("p", "crash"), "1"), ("0", Receive("p", "a"), "1"))),
        )
    ).with_unreliable(["p"])
    found = crash_handling(system)
    assert Missing("CI", "q", "0", Receive("p", CRASH)) in found.missing
    model = Failures(corrupt=True, corrupt_scope="system").on(complete(system))
    named = {m for f in model.channels.values() for m in (*f.becomes, *f.pool)}
    assert "crash" in named and all(isinstance(m, str) for m in named)


@pytest.mark.parametrize("chunk", range(4))
def test_the_engine_agrees_with_the_definitions_on_crash_handling_systems(chunk: int) -> None:
    """k-er, k-exh and k-wmc, literal and up to crash, with interference on some channels."""
    names = ("k-er", "k-exh", "k-wmc", "k-er-up-to-crash", "k-exh-up-to-crash", "k-wmc-up-to-crash")
    for seed in range(chunk * 25, chunk * 25 + 25):
        rng = random.Random(seed)
        system = complete(random_system(rng, processes=rng.choice((2, 3)), unreliable=0.6), clean_up=True)
        failures = Failures(loss=[c for c in system.channels if rng.random() < 0.3])
        k = rng.choice((1, 2))
        try:
            ts = bounded.explore(system, failures.on(system), k, most=3_000)
        except bounded.TooLarge:
            continue
        report = check(system, failures, k=k, properties=names, replay=False)
        assert {v.property: v.holds for v in report} == {n: bounded.holds(ts, n) for n in names}, seed
