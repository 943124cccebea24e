"""Warnings: each of them where it is meant, with its place, and none where nothing is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stormproof.languages import formats, protocols
from stormproof.tell.lint.api import lint, lint_system
from tests.support.command_line import Run, run

__all__ = ["run"]

SHOP = """role Buyer {
  ask: Shop!pay -> wait
  wait: Shop?receipt -> done
  done:
}
role Shop {
  idle: Buyer?payy -> paid
  paid: Buyer!receipt -> done
  done:
  refund: Buyer!receipt -> done
}
"""
CLEAN = SHOP.replace("payy", "pay").replace("  refund: Buyer!receipt -> done\n", "")


def warned(text: str) -> list[str]:
    return [str(w).removeprefix("x.storm:") for w in lint(text, "x.storm", "storm")[1]]


def test_states_that_nothing_enters_and_messages_that_one_side_misspells() -> None:
    assert warned(SHOP) == [
        "2:8: warning: Shop never receives 'pay' from Buyer; it receives 'payy'",
        "7:9: warning: nobody sends 'payy' to Shop; Buyer sends 'pay'",
        "10:3: warning: nothing leads to 'refund' in Shop",
    ]
    assert warned(CLEAN) == []


def test_a_cycle_that_is_entered_only_from_itself_cannot_be_reached() -> None:
    found = warned("role A { s: B!m -> s  x: B!m -> y  y: B!m -> x }\nrole B { s: A?m -> s }")
    assert found == [
        "1:23: warning: the state 'x' cannot be reached in A",
        "1:36: warning: the state 'y' cannot be reached in A",
    ]


def test_what_a_corruption_makes_is_sent() -> None:
    text = "role A { s: B!m -> s }\nrole B { s: A?m -> s  A?n -> s }\n"
    assert warned(text) == ["2:23: warning: nobody sends 'n' to B"]
    assert warned(text + "faults A -> B: corrupt(m => n)") == []


def test_roles_that_never_communicate() -> None:
    text = CLEAN + "role Idle { s: }\nrole Busy { s: internal work -> s }\n"
    assert warned(text) == [
        "11:6: warning: Idle does nothing",
        "12:6: warning: Busy never sends or receives a message",
    ]


def test_roles_that_can_never_rest() -> None:
    text = "role A { s: B!m -> t  t: B!n -> t }\nrole B { s: A?m -> s  A?n -> s }\n"
    (found,) = warned(text)
    assert found.startswith("1:23: warning: A can never rest once it is in 't'")
    assert warned(text + "rest A@{s, t}") == []
    (found,) = warned(text.replace("B!n -> t", "B!n -> s") + "rest A@{}")
    assert "A can never rest (" in found
    (found,) = warned("role A { s: B?m -> t  t: B!n -> u  u: B?m -> t }\nrole B { s: A!m -> w  w: A?n -> s }")
    assert "A can never rest once it is in 't' (say where it does: rest A@u)" in found


TIMER = """role A {
  ask: B!q -> wait
  wait: B?a -> done
        timeout -> NEXT
  done: B?a -> done
  other: B!bye -> over
  over:
}
role B { s: A?q -> t  A?bye -> s  t: A!a -> s }
"""


def timed(target: str) -> list[str]:
    return [w for w in warned(TIMER.replace("NEXT", target)) if "timer" in w or "timeout" in w]


def test_timers_without_a_way_back() -> None:
    assert timed("ask") == []
    assert timed("done") == []
    assert timed("over") == [], "a role that has ended ignores what comes late"
    (found,) = timed("other")
    assert found.startswith("4:9: warning: after the timeout in 'wait', A never receives 'a' again")


def test_timers_that_lead_into_a_state_that_rests_by_default() -> None:
    text = (
        "role A { ask: B!q -> wait  wait: B?a -> ask  timeout -> ask }\nrole B { s: A?q -> t  t: A!a -> s }\n"
    )
    (found,) = warned(text)
    assert "1:46: warning: the timer in 'wait' leads back to 'ask', which counts as rest by default" in found
    assert "rest A@" in found
    assert warned(text + "rest A@ask") == []


def test_a_property_that_does_not_exist() -> None:
    (found,) = warned(CLEAN + "require k-mcc")
    assert found == "11:9: warning: there is no property 'k-mcc' (did you mean 'k-mc'?)"
    (found,) = warned(CLEAN + "require deadlock\nrequire safe\nrequire progress at 1\n")
    assert found == "11:9: warning: there is no property 'deadlock' (write: never deadlock)"
    assert warned(CLEAN + "require k-mc at 2\nrequire clean\nrequire never at rest") == []


def test_what_the_corruption_of_a_requirement_makes_is_sent() -> None:
    text = "role A { s: B!x -> t t: } role B { w: A?x -> v A?y -> v v: }"
    assert warned(text) != []
    assert warned(text + "expect violated forged: never B@v under corrupt(x => y)") == []


def test_other_languages_have_no_places_but_the_file(tmp_path: Path) -> None:
    path = tmp_path / "shop.json"
    path.write_text(formats.dumps(formats.loads(SHOP), "json"))
    found = lint_system(formats.load(path), str(path))
    assert [str(w).partition(": ")[0] for w in found] == [str(path)] * 3


@pytest.mark.parametrize("name", protocols.names())
def test_warnings_about_the_library_point_into_it(name: str) -> None:
    text = protocols.source(name)
    for warning in lint(text, name, "storm")[1]:
        assert warning.place.line is not None and warning.place.line <= text.count("\n") + 1


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.storm"
    path.write_text(SHOP)
    return path


def test_the_command(run: Run, shop: Path) -> None:
    found = run("lint", shop)
    assert found.code == 0 and found.out.count("warning: ") == 3
    assert run("lint", shop, "--strict").code == 2
    shop.write_text(CLEAN)
    found = run("lint", shop, "--strict")
    assert (found.code, found.out, found.err) == (0, "no mistakes and no warnings in 1 file\n", "")


def test_the_command_reports_the_mistakes_of_all_files(run: Run, shop: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.storm"
    wrong.write_text("role A {\n  s: B!m\n  t: B!m -> t\n}\nrole B { s: A?m - s }\n")
    found = run("lint", wrong, shop)
    assert found.code == 2
    assert f"{wrong}:2:9: error: expected '->', found the end of the line" in found.out
    assert f"{shop}:10:3: warning: nothing leads to 'refund' in Shop" in found.out
    rows = json.loads(run("lint", wrong, shop, "--json").out)["problems"]
    assert [(r["severity"], r["line"]) for r in rows] == [
        ("error", 2),
        ("error", 5),
        ("warning", 2),
        ("warning", 7),
        ("warning", 10),
    ]


def test_a_check_shows_warnings_apart_from_its_answer(run: Run, shop: Path) -> None:
    found = run("check", shop)
    assert found.err.count("warning: ") == 3 and "warning: " not in found.out
    assert json.loads(run("check", shop, "--json").out)


def test_standard_input_is_read_once(run: Run) -> None:
    found = run("lint", "-", stdin=SHOP)
    assert found.code == 0 and "<stdin>:10:3: warning: " in found.out


def test_an_internal_action_called_timeout_is_no_timer() -> None:
    text = "role A { s: B!x -> t\n t: internal timeout -> s }\nrole B { w: A?x -> w }"
    (found,) = (w for w in lint(text)[1] if "timer" in w.message)
    assert found.place.line == 2 and "is no timer: it takes no time" in found.message
    assert found.hint == "write: timeout -> s"


def test_a_timer_that_another_one_forestalls_never_expires_on_time() -> None:
    text = "role A { s: B!x -> t\n t: timeout -> s\n timeout late after 2 -> s }\nrole B { w: A?x -> w }"
    said = [w.message for w in lint(text)[1] if "on time" in w.message]
    assert said == [
        "in 't' another timer of A is due after 1, so that `timeout late after 2` never expires on time"
    ]
