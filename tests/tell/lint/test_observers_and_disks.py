"""Warnings about observers that say nothing, and about durable variables that stay in memory."""

from __future__ import annotations

import re

import pytest

from stormproof.languages import protocols
from stormproof.tell.lint.api import lint

ROLES = """role A { a: B!x -> b
  b: B?y -> c
  c: }
role B { d: A?x -> e
  e: A!y -> f
  f: }
"""


def said(text: str) -> list[tuple[int | None, str]]:
    return [(w.place.line, w.message) for w in lint(text)[1]]


def watching(alternatives: str, claim: str = "require r: never O@yes") -> list[tuple[int | None, str]]:
    return said(f"{ROLES}observer O {{\n no: {alternatives}\n yes: }}\n{claim}\n")


@pytest.mark.parametrize(
    "alternatives",
    ["A -> B!x -> yes", "A -> B?_ -> yes", "A@b -> yes", "restart A -> yes\n A@c -> yes", "B -> A?y -> yes"],
)
def test_nothing_is_said_of_an_observer_that_somebody_asks_about(alternatives: str) -> None:
    assert watching(alternatives) == []


def test_an_observer_that_nobody_asks_about() -> None:
    assert watching("A@b -> yes", "") == [(7, "nobody asks about the observer O")]
    assert watching("A@b -> yes", "rest O@yes") == [], "it counts for rest"


@pytest.mark.parametrize(
    ("alternatives", "line", "why"),
    [
        ("A@a -> yes", 8, "O never sees A@a: no action of A leads there"),
        ("A@b -> yes\n A@b -> no", 9, "O never takes A@b in 'no': what stands before it takes the same"),
        ("A -> B!_ -> yes\n A -> B!x -> no", 9, "O never takes A -> B!x in 'no'"),
        ("B -> A!x -> yes", 8, "O never sees B -> A!x: B never sends x to A"),
        ("A -> B?y -> yes", 8, "O never sees A -> B?y: B never receives y from A"),
    ],
)
def test_an_alternative_that_can_never_match(alternatives: str, line: int, why: str) -> None:
    ((place, message),) = watching(alternatives)
    assert place == line and message.startswith(why)


DATA = """role A {
  durable var n, m: 0..1 = 0
  a: B!x(n) -> b { n = 1, m = 1 }
  b: save n -> c
  c: B!x(m) -> c
}
service role B { d: A?x(_) -> d }
observer O { var k: 0..1 = 0
 w: A -> B?x(y) -> w { k = y } }
require r: never O.k = 1 & A@b
"""


def own(text: str) -> list[str]:
    """Without what is said of other things."""
    return [w for _, w in said(text) if re.search("nobody asks|never (sees|saves|takes)", w)]


def test_a_durable_variable_that_is_never_saved() -> None:
    assert own(DATA) == ["A never saves m: a restart brings back the first value"]
    assert own(DATA.replace("save n", "save")) == []


def test_an_observer_with_variables_that_nobody_asks_about() -> None:
    text = DATA.replace("save n", "save").replace("O.k = 1 & ", "")
    assert own(text) == ["nobody asks about the observer O"]


def test_the_library_has_neither() -> None:
    for name in protocols.names():
        text = protocols.source(name)
        if "observer" in text or "durable" in text:
            found = [w.message for w in lint(text)[1]]
            assert not [m for m in found if "nobody asks" in m or "never sees" in m or "never saves" in m], (
                name
            )
