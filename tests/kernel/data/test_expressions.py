"""Expressions over values: what they are, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from stormproof.errors import ParseError
from stormproof.kernel.data.evaluate import Failed, NameScope, compile
from stormproof.kernel.data.parse import ExpressionParser
from stormproof.kernel.data.syntax import DataMistake
from stormproof.kernel.data.tokens import WORD, Text
from stormproof.kernel.data.types import ListOf, MapOf, Maybe, MemberOf, Number, SetOf, Truth, WordOf
from stormproof.kernel.data.values import List, Map, Member, spell

SCOPE = NameScope(
    {
        "x": Number(0, 5),
        "y": Number(0, 5),
        "f": Truth(),
        "w": WordOf(("red", "green")),
        "s": SetOf(Number(0, 5)),
        "who": Maybe(MemberOf("N", 3)),
        "m": MapOf(Number(0, 5), WordOf(("red", "green"))),
        "l": ListOf(Number(0, 5), 3),
        "nobody": Maybe(MemberOf("N", 3)),
        "nothing": Maybe(Number(0, 5)),
        "no_set": Maybe(SetOf(Number(0, 5))),
    },
    {"three": 3},
    frozenset(("red", "green")),
    {"N": 3},
)
ENV = {
    "x": 2,
    "y": 5,
    "f": True,
    "w": "red",
    "s": frozenset((1, 2)),
    "who": Member("N", 2),
    "m": Map(((1, "red"),)),
    "l": List((4, 0)),
    "nobody": None,
    "nothing": None,
    "no_set": None,
}


def value(text: str) -> Any:
    tokens = Text(text, WORD)
    parser = ExpressionParser(tokens)
    made = compile(parser.parse(), SCOPE)
    assert parser.peek() is None, "the whole text is read"
    return made.run(ENV)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("x - y", -3),
        ("-x + 1", -1),
        ("(x - y) mod three", 0),
        ("(0 - 1) mod 3", 2),
        ("7 div 2", 3),
        ("(0 - 7) div 2", -4),
        ("min(x, y, 1)", 1),
        ("max(x, y)", 5),
        ("x < y and not x = y", True),
        ("x >= y or f", True),
        ("not f or w = red", True),
        ("f and y != 5", False),
        ("if x < 3 then y else x", 5),
        ("2 in s", True),
        ("3 not in s", True),
        ("size(s + {4})", 3),
        ("s - {1} = {2}", True),
        ("{} = s", False),
        ("some k in s: k > 1", True),
        ("all k in s: k > 1", False),
        ("two a, b in s: a < b", True),
        ("count(k in N: k != who)", 2),
        ("who = none", False),
        ("who in N", True),
        ("number(who) + 1", 3),
        ("m[1] = red", True),
        ("m[2] = none", True),
        ("l + [x] = [4, 0, 2]", True),
        ("l[0] + l[1]", 4),
        ("(x, w) = (2, red)", True),
        ("f and (y mod 1 = 0 or 1 mod x = 0)", True),
    ],
)
def test_an_expression_has_its_value(text: str, expected: Any) -> None:
    found = value(text)
    assert found == expected and type(found) is type(expected)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x + f", "'+' is not for 0..5 and bool"),
        ("f < f", "'<' is not for bool and bool"),
        ("w = blue", "unknown name 'blue'"),
        ("w = 1", "{red, green} is never equal to a number"),
        ("who = 2", "a member of N? is never equal to a number"),
        ("x in y", "'in' is not for 0..5 and 0..5"),
        ("not x", "'not' is not for 0..5"),
        ("if x then 1 else 2", "the condition is 0..5, and not bool"),
        ("if f then 1 else red", "which have no value in common"),
        ("{1, red}", "values of different types"),
        ("some k in s: f", "'k' is not read in the condition"),
        ("1 mod 0", "'mod' by zero"),
        ("x-y", "unknown name 'x-y'"),
    ],
)
def test_a_mistake_has_its_sentence(text: str, said: str) -> None:
    with pytest.raises(DataMistake) as problem:
        value(text)
    assert said in problem.value.message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x mod (x - 2)", "'mod' by zero"),
        ("l[2]", "there is no [2]"),
        ("nothing + 1", "'+' of none"),
        ("-nothing", "'-' of none"),
        ("nothing < 1", "'<' of none"),
        ("max(x, nothing)", "'max' of none"),
        ("number(nobody)", "'number' of none"),
        ("size(no_set)", "'size' of none"),
        ("1 in no_set", "'in' of none"),
        ("no_set + s", "'+' of none"),
        ("some k in no_set: k = 1", "'some' of none"),
    ],
)
def test_an_expression_may_have_no_value(text: str, said: str) -> None:
    with pytest.raises(Failed) as problem:
        value(text)
    assert said in problem.value.message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 +", "expected an expression, found the end"),
        ("(1", "expected ',' or ')', found the end"),
        ("if f then 1", "expected 'else', found the end"),
        ("1234567890", "a number has at most 9 digits"),
        ("(" * 60, "nested more than 50 deep"),
        ("some k: k = 1", "expected 'in'"),
    ],
)
def test_what_is_no_expression_is_refused_at_its_place(text: str, said: str) -> None:
    with pytest.raises(ParseError) as problem:
        value(text)
    assert said in problem.value.message


@pytest.mark.parametrize(("operator", "operand"), [("+", "1"), ("*", "1"), ("and", "f"), ("or", "f")])
def test_an_expression_is_as_long_as_it_can_be_read(operator: str, operand: str) -> None:
    """Each operator is a call within the one before, so a long one would exceed Python's stack."""
    value(f" {operator} ".join([operand] * 301))
    for count in (302, 50_000):
        with pytest.raises(DataMistake) as problem:
            value(f" {operator} ".join([operand] * count))
        assert problem.value.message == "an expression has at most 300 operators"
    with pytest.raises(DataMistake):
        value("l" + "[0]" * 50_000)


def test_minus_within_a_name_gets_a_hint() -> None:
    with pytest.raises(DataMistake) as problem:
        value("x-1")
    assert problem.value.hint == "minus has blanks around it: x - 1"


@pytest.mark.parametrize("text", ["{1, 2}", "[4, 0]", "(1, true)", "none", "{}", "N[2]"])
def test_a_value_is_spelt_as_it_is_read(text: str) -> None:
    assert spell(Member("N", 2) if text == "N[2]" else value(text)) == text
