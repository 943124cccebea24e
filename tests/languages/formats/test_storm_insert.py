"""Further lines in a .storm text are read back where they were meant to go, whatever the layout."""

from __future__ import annotations

import pytest

from stormproof.kernel.model.actions import Internal, Transition
from stormproof.languages.formats import loads
from stormproof.languages.formats.storm_insert import InsertionPoints, inserted

LAYOUTS = {
    "canonical": "role A {\n  s: B!m -> t\n  t: B?n -> s\n}\nrole B { u: A?m -> u }\n",
    "comment": "role A {\n  s: B!m -> t // a: }\n  // t: another\n  t: B?n -> s\n}\nrole B { u: A?m -> u }",
    "one line": "role A { s: B!m -> t t: B?n -> s } role B { u: A?m -> u }",
    "no blanks": "role A{s:B!m->t t:B?n->s}role B{u:A?m->u}",
    "spread": "role A {\n  s:\n    B!m\n    -> t\n  t:\n    B?n -> s\n}\nrole B { u: A?m -> u }\n",
    "quoted": 'role A {\n  "s": B!m -> "t"\n  t: B?n -> "s"\n}\nrole B { u: A?m -> u }\n',
}
TIMER = Internal("timeout", timeout=True)


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("state", ["s", "t"])
def test_an_alternative_goes_to_its_state(text: str, state: str) -> None:
    insertion = InsertionPoints(text).alternative("A", state, "timeout -> s")
    before, after = loads(text, "storm")["A"], loads(inserted(text, [insertion]), "storm")["A"]
    assert set(after.transitions) == {*before.transitions, Transition(state, TIMER, "s")}
    assert after.states == before.states


def test_an_alternative_is_aligned_and_below_the_line_that_is_named() -> None:
    text = LAYOUTS["comment"]
    insertion = InsertionPoints(text).alternative("A", "s", "timeout -> s")
    assert insertion.below == 2 and insertion.text == "     timeout -> s"
    assert inserted(text, [insertion]).splitlines()[2] == insertion.text


def test_a_state_that_is_not_listed_is_named_once() -> None:
    text = "role A {\n  s: B!m -> end\n}\nrole B {\n  u: A?m -> u\n}\n"
    points = InsertionPoints(text)
    both = [points.alternative("A", "end", f"B?{m} -> end") for m in "xy"]
    assert inserted(text, both).splitlines()[:4] == [
        "role A {",
        "  s: B!m -> end",
        "  end: B?x -> end",
        "       B?y -> end",
    ]
    assert len(loads(inserted(text, both), "storm")["A"].outgoing("end")) == 2


def test_a_state_without_alternatives_and_a_statement() -> None:
    text = "role A {\n  s: B!m -> done\n  done: // nothing\n}\nrole B { u: A?m -> u }\n\n"
    points = InsertionPoints(text)
    lines = [points.alternative("A", "done", "B?n -> done"), points.statement("rest A@done")]
    assert inserted(text, lines).splitlines()[2:5] == ["  done: // nothing", "        B?n -> done", "}"]
    system = loads(inserted(text, lines), "storm")
    assert system["A"].rest == ("done",) and len(system["A"].outgoing("done")) == 1


def test_session_types_take_no_alternatives() -> None:
    assert InsertionPoints("role A = B!m; end\nrole B { u: A?m -> u }").roles == ("B",)
