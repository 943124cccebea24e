"""Processes that stop or restart, as ordinary systems."""

from __future__ import annotations

from dataclasses import replace

from stormproof.kernel.model.actions import CRASH, Internal, Receive, Send, Transition
from stormproof.kernel.model.ask import RECOVERS
from stormproof.kernel.model.failures import FailureModel
from stormproof.kernel.model.goal import At
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.kernel.model.system import System
from stormproof.kernel.transform.stop_restart import stop_restart, with_restarts_in_place
from stormproof.oracle.survival import answer
from tests.support.survival_examples import role

STOPS, RESTARTS = Internal("stop", fault="stop"), Internal("restart", fault="restart")


def lock() -> System:
    return System(
        (
            role("C", ("idle", Send("L", "get"), "held"), ("held", Send("L", "put"), "idle")),
            role("L", ("free", Receive("C", "get"), "taken"), ("taken", Receive("C", "put"), "free")),
        )
    )


def kept(system: System, atomic: bool, **durable: tuple[str, ...]) -> System:
    """With these durable states."""
    states = {name: durable.get(name, ()) for name in system.names}
    return replace(
        system,
        processes=tuple(
            replace(p, durable=states[p.name], atomic=states[p.name] if atomic else ()) for p in system
        ),
    )


def test_a_stop_leads_to_a_state_of_its_own() -> None:
    changed = stop_restart(lock(), stop=["C"])
    assert changed.faults == {("C", "stop"): "stop"} and changed.invented == {("C", "stopped")}
    rest = changed.rest(rest_states(lock()))
    assert "stopped" in rest.rest["C"] & rest.ended["C"] & rest.crashed["C"]
    asked = SurvivalModel(changed.system, FailureModel({}), rest, changed.faults)
    found = answer(asked, RECOVERS, 1)
    assert (found.holds, found.faults) == (False, 1), "the lock is never given back"


def test_a_restart_forgets_what_is_not_durable() -> None:
    cases = [((), False, False), (("free", "taken"), True, True), (("free", "taken"), False, False)]
    for durable, atomic, holds in cases:
        changed = stop_restart(kept(lock(), atomic, L=durable), restart=["L"])
        asked = SurvivalModel(
            changed.system, FailureModel({}), changed.rest(rest_states(lock())), changed.faults
        )
        assert answer(asked, RECOVERS, 1).holds is holds


def test_the_product_remembers_the_last_durable_state() -> None:
    process = role(
        "A",
        ("a", Internal("x"), "b"),
        ("b", Internal("x"), "c"),
        ("c", Internal("x"), "a"),
        ("c", Send("B", "m"), "end"),
    )
    peer = role("B", ("s", Receive("A", "m"), "s"))
    changed = stop_restart(kept(System((process, peer)), atomic=True, A=("b",)), restart=["A"])
    product = changed.system["A"]
    restart = {t.source: t.target for t in product.transitions if t.action == RESTARTS}
    assert restart == {"b": "a", "c": "a", "a/b": "b/b", "c/b": "b/b"}
    assert changed.states_of("A", "a") == ("a", "a/b")
    assert changed.goal(At("A", ("a",))) == At("A", ("a", "a/b"))
    assert changed.user_state("A", "a/b") == "a"
    running = with_restarts_in_place(changed, System((process, peer)))
    added = {*running["A"].transitions} - {*product.transitions}
    assert added == {Transition(state, RESTARTS, state) for state in ("a", "b/b")}, "not where it has ended"
    assert running["B"] == changed.system["B"]


def test_names_that_are_taken_are_not_used_again() -> None:
    mine = System((role("A", ("stopped", Internal("stop"), "t"), ("t", Internal("restart"), "stopped")),))
    changed = stop_restart(mine, stop=["A"], restart=["A"])
    assert changed.faults == {("A", "restart'"): "restart", ("A", "stop'"): "stop"}
    assert changed.invented == {("A", "stopped'")}


def test_ended_and_crashed_roles_never_restart() -> None:
    process = role(
        "A", ("s", Send("B", "m"), "end"), ("s", Internal("crash"), "x"), ("x", Send("B", CRASH), "y")
    )
    system = System((process, role("B", ("s", Receive("A", "m"), "s"))))
    changed = stop_restart(system, stop=["A"], restart=["A"])
    struck = {t.source for t in changed.system["A"].transitions if t.action in (STOPS, RESTARTS)}
    assert struck == {"s", "end"}
    restarted = {t.source for t in changed.system["A"].transitions if t.action == RESTARTS}
    assert restarted == set()
