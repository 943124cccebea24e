"""Where roles rest and where they have ended."""

from __future__ import annotations

from dataclasses import replace

from stormproof.kernel.model.actions import CRASH, Internal, Receive, Send
from stormproof.kernel.model.rest import default_rest_states, ended_states
from stormproof.languages import protocols
from tests.support.survival_examples import role


def test_default_rest_states() -> None:
    bit = protocols.protocol("alternating-bit")
    assert default_rest_states(bit["Receiver"]) == {"expect0", "stray1"}
    assert default_rest_states(bit["Sender"]) == {"send0"}
    loop = role("A", ("s", Receive("B", "m"), "t"), ("t", Receive("B", "n"), "t"))
    assert default_rest_states(loop) == {"t"}
    assert default_rest_states(replace(loop, service=True)) == {"s", "t"}
    timer = role("A", ("s", Send("B", "m"), "t"), ("t", Internal("timeout"), "s"))
    assert default_rest_states(timer) == {"s"}, "nothing else is reachable"
    gives_up = role(
        "A", ("s", Send("B", "m"), "t"), ("t", Internal("give up"), "u"), ("t", Internal("again"), "s")
    )
    assert default_rest_states(gives_up) == {"u"}, "only messages lead back to rest"


def test_a_crash_does_not_disable_the_initial_state() -> None:
    crashing = role(
        "A", ("s", Receive("B", "m"), "s"), ("s", Internal("crash"), "x"), ("x", Send("B", CRASH), "stop")
    )
    assert default_rest_states(crashing) >= {"s", "stop"}
    told = role(
        "A", ("s", Send("B", "m"), "t"), ("t", Receive("B", CRASH), "over"), ("t", Internal("tau"), "s")
    )
    assert default_rest_states(told) == {"s", "over"}


def test_who_has_ended() -> None:
    process = role(
        "A",
        ("s", Send("B", "m"), "t"),
        ("t", Internal("tau"), "u"),
        ("u", Receive("B", CRASH), "u"),
        ("s", Internal("crash"), "x"),
        ("x", Send("B", CRASH), "y"),
    )
    assert ended_states(process) == {"t", "u", "x", "y"}
