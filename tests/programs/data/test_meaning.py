"""What roles with variables mean: the automata that are made of them."""

from __future__ import annotations

import pytest

import stormproof as sp
from stormproof.errors import InputError
from stormproof.kernel.model.actions import Internal, Receive, Send
from stormproof.kernel.model.part import in_part, whole
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.rest import rest_states
from stormproof.languages.formats.storm import read

PEER = "role B { s: A?m(_) -> s }"


def role(body: str, peer: str = "role B { s: A!go -> s }", name: str = "A", head: str = "") -> Process:
    return read(f"const one = 1\n{head}\nrole A {{\n{body}\n}}\n{peer}")[name]


def steps(process: Process, state: str) -> list[str]:
    return [f"{t.action} -> {t.target}" for t in process.outgoing(state)]


def test_a_state_has_one_name_for_each_value_that_is_read_later() -> None:
    found = role("var x: 0..2\ns: B!m(x) -> s { x = (x + 1) mod 3 }", PEER)
    assert found.states == ("s{x=0}", "s{x=1}", "s{x=2}")
    assert steps(found, "s{x=2}") == ["B!m(2) -> s{x=0}"]


def test_a_value_that_nobody_reads_any_more_is_no_part_of_the_state() -> None:
    found = role("var x: 0..2\ns: B?go -> t { x = 2 }\nt: B?go -> u\nu:")
    assert found.states == ("s", "t", "u")


def test_updates_read_the_old_values() -> None:
    found = role("var x: 0..1 = 0\nvar y: 0..1 = 1\ns: B!m(x) -> s { x = y, y = x }", PEER)
    assert steps(found, "s{x=0, y=1}") == ["B!m(0) -> s{x=1, y=0}"]


def test_the_first_reception_that_fits_is_taken() -> None:
    sender = "role B { var x: 0..2\n s: A!m(x) -> s { x = (x + 1) mod 3 } }"
    found = role("s: B?m(0) -> t\n B?m(n) if n > 1 -> u\n B?m(_) -> v\nt:\nu:\nv:", sender)
    assert steps(found, "s") == ["B?m(0) -> t", "B?m(1) -> v", "B?m(2) -> u"]


def test_a_reception_with_or_is_a_choice_beside_the_first() -> None:
    sender = "role B { var y: 0..1\n s: A!m(y) -> s { y = 1 - y } }"
    found = role("s: B?m(n) if n > 0 -> t\n B?m(_) -> u\n or B?m(1) -> v\nt:\nu:\nv:", sender)
    assert steps(found, "s") == ["B?m(1) -> t", "B?m(1) -> v", "B?m(0) -> u"]


def test_a_field_that_is_a_variable_must_be_equal() -> None:
    sender = "role B { var y: 0..1\n s: A!m(y) -> s { y = 1 - y } }"
    found = role("var x: 0..1 = 1\ns: B?m(x) -> t\nt:", sender)
    assert steps(found, "s{x=1}") == ["B?m(1) -> t"]


def test_alternatives_without_action_are_taken_at_once_also_at_the_beginning() -> None:
    found = role(
        "var x: 0..2 = 2\ns: if x > 1 -> t\n B?go -> s { x = 0 }\nt: else -> u { x = x - 1 }\nu: B!m(x) -> s",
        PEER + "\n",
    )
    assert found.initial == "u{x=1}"
    assert not [s for s in found.states if s.startswith("t")]
    assert steps(found, "u{x=1}") == ["B!m(1) -> s{x=1}"]


def test_states_left_at_once_for_ever_are_an_error_where_a_run_reaches_them() -> None:
    system = read(
        "const one = 1\nrole A {\n s: B?go -> t\n t: else -> u\n u: else -> t\n}\nrole B { s: A!go -> s }"
    )
    (required,) = system.requirements
    assert required.name == "no value out of its domain in A"
    assert "left at once for ever in line" in required.claim.goal.states[0]  # type: ignore[union-attr]


def test_a_value_out_of_its_domain_is_a_requirement_with_its_line() -> None:
    system = read("const one = 1\nrole A {\n  var x: 0..1\n  s: B!m(x) -> s { x = x + 1 }\n}\n" + PEER)
    (required,) = system.requirements
    assert required.line == 4
    assert system["A"].states[-1] == "x leaves 0..1 with 2 in line 4"
    assert not system["A"].outgoing("x leaves 0..1 with 2 in line 4")


def test_a_message_to_all_others_goes_to_each_once_in_any_order() -> None:
    system = read("role N[i: 1..3] {\n s: N[*]!m -> t\n t: N[_]?m -> t\n}")
    found = system["N[1]"]
    assert steps(found, "s") == ["N[2]!m -> s to N[3]", "N[3]!m -> s to N[2]"]
    assert steps(found, "s to N[3]") == ["N[3]!m -> t"]
    assert found.group("s") == ("s", "s to N[3]", "s to N[2]")
    assert rest_states(system).rest["N[1]"] == {"t"}, "a state in between is no rest state"


def test_a_message_to_nobody_is_an_internal_action() -> None:
    found = read("role N[i: 1..1] {\n s: N[*]!m -> t\n t:\n}")["N[1]"]
    assert found.transitions[0].action == Internal("nobody to send m")


def test_members_are_values_that_are_sent_to_and_compared() -> None:
    system = read(
        "role N[i: 1..2] {\n var who: N?\n s: N[j]?ask -> t { who = j }\n    timeout -> u\n"
        " t: N[who]!yes(i) -> s { who = none }\n u: N[*]!ask -> w\n w: N[_]?yes(k) if k != i -> s\n}"
    )
    assert steps(system["N[2]"], "t{who=N[1]}") == ["N[1]!yes(N[2]) -> s"]


def test_a_message_to_none_is_an_error_where_a_run_reaches_it() -> None:
    system = read("role N[i: 1..2] {\n var who: N?\n s: N[who]!m -> s\n}")
    assert system["N[1]"].states == ("N[none] is nobody in line 3",)


def test_neighbours_are_named_by_numbers() -> None:
    system = read("const n = 3\nrole N[i: 1..n] {\n s: N[number(i) mod n + 1]!m -> t\n t: N[_]?m -> s\n}")
    assert [system[f"N[{k}]"].transitions[0].action for k in (1, 2, 3)] == [
        Send("N[2]", "m"),
        Send("N[3]", "m"),
        Send("N[1]", "m"),
    ]


def test_a_named_message_that_nobody_sends_is_received_too() -> None:
    found = role("s: B?never -> t\n B?other(1) -> t\nt:")
    assert Receive("B", "never") in [t.action for t in found.transitions]
    assert Receive("B", "other(1)") in [t.action for t in found.transitions]


def test_default_rest_is_read_off_the_source() -> None:
    """Guards are left out: whether a timer may expire says nothing of where a role means to stay."""
    system = read(
        "const one = 1\nrole A {\n var x: 0..1\n s: B?m(v) -> s { x = v }\n timeout if x = 1 -> t\n t:\n}\n"
        "role B { var y: 0..1\n s: A!m(y) -> s { y = 1 - y } }"
    )
    assert rest_states(system).rest["A"] == {"s{x=0}", "s{x=1}", "t"}


def test_a_map_and_a_list_hold_what_was_put_into_them() -> None:
    body = "var m: map of 0..1 to 0..3\nvar l: list of 0..1 up to 2\n"
    body += "s: B?go -> t { m[1] = 3, l = l + [1] }\nt: B!m(m[1]) if size(l) = 1 -> u\nu:"
    found = role(body, "role B { s: A!go -> t\n t: A?m(_) -> s }")
    assert steps(found, "t{m={1: 3}, l=[1]}") == ["B!m(3) -> u"]


def test_too_many_values_are_refused_with_the_variable() -> None:
    roles = "role A { var x: 0..100000  s: B!m -> s { x = x + 1 } }  role B { s: A?m -> s }"
    system = read(f"const one = 1\n{roles}")
    assert in_part(system)
    with pytest.raises(InputError, match="'x' of A takes more than 1,000 values"):
        whole(system)
    with pytest.raises(InputError, match="1,000 values; a run with"):
        sp.check(system)
