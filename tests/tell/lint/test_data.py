"""Warnings about roles with variables: what is written once stands for several actions."""

from __future__ import annotations

from stormproof.languages.formats.storm_places import read_with_places
from stormproof.tell.lint.messages import message_warnings

FAMILY = """protocol ring
role N[i: 1..3] {
  begin: if number(i) = 1 -> first
         else -> wait
  first: N[2]!token(1) -> wait
  wait: N[_]?token(_) -> wait
        N[_]?TYPO -> wait
}
"""


def test_an_alternative_of_a_family_needs_a_counterpart_for_one_member_and_one_value() -> None:
    system, places = read_with_places(FAMILY.replace("        N[_]?TYPO -> wait\n", ""), "ring.storm")
    assert len([t for p in system for t in p.transitions if str(t.action).endswith("token(1)")]) > 1
    assert not list(message_warnings(system, places))


def test_an_alternative_without_any_counterpart_is_named_with_its_line() -> None:
    text = FAMILY.replace("N[_]?TYPO", "N[_]?tokn")
    system, places = read_with_places(text, "ring.storm")
    found = list(message_warnings(system, places))
    assert found and {w.place.line for w in found} == {7}
    assert all(w.message.startswith("nobody sends 'tokn'") for w in found)
