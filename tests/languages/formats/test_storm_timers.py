"""Timers in texts: their names, their numbers, and when they expire."""

from __future__ import annotations

import pytest

import stormproof as sp
from stormproof.errors import InputError
from stormproof.kernel.model.actions import ANY_TIME, Internal
from stormproof.languages.formats import json_, storm
from stormproof.languages.formats.storm_fmt import fmt
from stormproof.languages.formats.storm_occurrences import outline
from stormproof.languages.formats.storm_write import write

FLAT = "role A {{ s: {} -> s }}"
DATA = "const n = 1\nrole A {{ s: {} -> s }}"


def timer(text: str) -> Internal:
    (row,) = storm.read(text)["A"].transitions
    assert isinstance(row.action, Internal) and row.action.timeout
    return row.action


SPELT = {
    "timeout": ("timeout", 1),
    "timeout after 3": ("timeout", 3),
    "timeout at any time": ("timeout", ANY_TIME),
    "timeout retry": ("retry", 1),
    "timeout retry after 20": ("retry", 20),
    "timeout retry at any time": ("retry", ANY_TIME),
    "timeout after": ("after", 1),
    'timeout "after" after 3': ("after", 3),
    "timeout after after 3": ("after", 3),
    "timeout at": ("at", 1),
    "timeout at after 2": ("at", 2),
    "timeout at at any time": ("at", ANY_TIME),
    "timeout any": ("any", 1),
    'timeout "at any time"': ("at any time", 1),
}


@pytest.mark.parametrize("wrap", [FLAT, DATA], ids=["flat", "data"])
@pytest.mark.parametrize("spelt", SPELT)
def test_names_and_numbers(spelt: str, wrap: str) -> None:
    name, after = SPELT[spelt]
    assert timer(wrap.format(spelt)) == Internal(name, timeout=True, after=after)


@pytest.mark.parametrize("spelt", SPELT)
def test_what_is_written_is_read_back(spelt: str) -> None:
    system = storm.read(FLAT.format(spelt))
    assert storm.read(write(system)) == system
    assert json_.read(json_.write(system)) == system


def test_a_guard_follows_the_number() -> None:
    first, second = "timeout after 2 if x = 0 -> s { x = 1 }", "timeout late at any time if x = 1 -> s"
    text = f"role A {{ var x: 0..1\n s: {first}\n {second} }}"
    rows = [t.action for t in storm.read(text)["A"].transitions]
    assert Internal("timeout", timeout=True, after=2) in rows
    assert Internal("late", timeout=True, after=ANY_TIME) in rows


@pytest.mark.parametrize("wrap", [FLAT, DATA], ids=["flat", "data"])
@pytest.mark.parametrize(
    ("spelt", "said"),
    [
        ("timeout retry after x", "expected a number, found 'x'"),
        ("timeout after 0", "a timer expires after 1 to 60,000 units of time"),
        ("timeout after 60001", "a timer expires after 1 to 60,000 units of time"),
        ("timeout at any", "expected 'time', found '->'"),
        ("timeout retry at once", "expected 'any', found 'once'"),
    ],
)
def test_mistakes_have_a_place(spelt: str, said: str, wrap: str) -> None:
    with pytest.raises(InputError) as found:
        storm.read(wrap.format(spelt))
    assert said in str(found.value) and ":" in str(found.value)


def test_the_file_says_when_timers_expire() -> None:
    for mode, written in (("on-time", "on time"), ("any-time", "at any time")):
        for body in (FLAT, DATA):
            text = f"protocol p\ntimers {written}\n" + body.format("timeout")
            assert storm.read(text).timers == mode
    assert storm.read(FLAT.format("timeout")).timers == "any-time"
    with pytest.raises(InputError, match="'on time' or 'at any time'"):
        storm.read("timers late\n" + FLAT.format("timeout"))


def test_a_requirement_says_when_timers_expire() -> None:
    text = FLAT.format("timeout") + "\nrequire never A@s under timers on time, stop A, at most 1 fault"
    system = storm.read(text)
    (under,) = (r.under for r in system.requirements)
    assert under is not None and under.timers == "on-time" and under.stop == ("A",)
    assert storm.read(write(system)) == system and json_.read(json_.write(system)) == system
    with pytest.raises(InputError, match="timers are on time or at any time"):
        storm.read(FLAT.format("timeout") + "\nrequire recovers under timers on time, timers at any time")


def test_the_mode_of_a_check_is_its_own_or_that_of_the_file() -> None:
    plain, on_time = (storm.read(head + FLAT.format("timeout")) for head in ("", "timers on time\n"))
    assert not sp.Failures().on(plain).on_time and sp.Failures().on(on_time).on_time
    assert sp.Failures(timers="on-time").on(plain).on_time
    assert not sp.Failures(timers="any-time").on(on_time).on_time
    with pytest.raises(sp.UsageError, match="timers are 'on-time' or 'any-time', not 'late'"):
        sp.Failures(timers="late")


def test_json_with_a_number_where_there_is_no_timer() -> None:
    for action in ('"internal": "work", "after": 2', '"internal": "work", "at_any_time": true'):
        with pytest.raises(InputError, match="only a 'timeout' has 'after' or 'at_any_time'"):
            json_.read(_json(action))
    with pytest.raises(InputError, match="'at_any_time' is true, and then there is no 'after'"):
        json_.read(_json('"timeout": "t", "after": 2, "at_any_time": true'))
    with pytest.raises(InputError, match="a number, 1 or more"):
        json_.read(_json('"timeout": "t", "after": 0'))


def _json(action: str) -> str:
    row = f'{{"from": "s", "to": "s", {action}}}'
    return f'{{"stormproof": 1, "processes": [{{"name": "A", "initial": "s", "transitions": [{row}]}}]}}'


def test_the_layout_keeps_the_words_apart() -> None:
    text = "timers on time\nrole A{s:timeout retry   after 3->s timeout   at any  time->s}"
    laid_out = fmt(text)
    assert "  s: timeout retry after 3 -> s\n     timeout at any time -> s\n" in laid_out
    assert fmt(laid_out) == laid_out


@pytest.mark.parametrize("wrap", [FLAT, DATA], ids=["flat", "data"])
def test_the_words_of_a_timer_are_no_names(wrap: str) -> None:
    for spelt, (name, _) in SPELT.items():
        found = [w.name for w in outline(wrap.format(spelt)).words if w.kind == "action"]
        assert found == ([] if name == "timeout" else [name]), spelt


def test_systems_whose_timers_differ_are_not_equal() -> None:
    first, second = (
        storm.read(FLAT.format("timeout")),
        storm.read("timers on time\n" + FLAT.format("timeout")),
    )
    (difference,) = sp.compare(first, second).differences
    assert difference.kind == "timers" and "at any time" in difference.sentence
