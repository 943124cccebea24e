"""Observers in a whole check: the example with its broken twin, and what is shown and saved of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import stormproof as sp
from stormproof.trust.saved.replay_report import replay_result
from stormproof.trust.saved.saved_report import result_from_json

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def test_the_example_and_its_broken_twin() -> None:
    """The bank that knows what it has booked is proved for any length; the other needs no fault to fail."""
    once = {v.property: v for v in sp.check(sp.load(EXAMPLES / "booked-once.storm"))}
    assert once["once"].holds and once["once"].up_to is None
    assert once["booked"].holds and once["recovers"].holds
    twice = next(v for v in sp.check(sp.load(EXAMPLES / "booked-twice.storm")) if v.property == "once")
    assert twice.holds is False and twice.witness is not None and twice.witness.fault_count == 0
    assert twice.witness.states["Bookings"] == "more"


def test_a_run_shows_where_observers_are() -> None:
    report = sp.check(sp.load(EXAMPLES / "booked-twice.storm"))
    verdict = next(v for v in report if v.property == "once")
    assert verdict.witness is not None
    text = sp.chart(report.system, verdict.witness).to_text()
    assert "Bookings" in text.splitlines()[0] and "│ none" in text and "│ more" in text


def test_the_states_of_a_moment_are_those_of_roles() -> None:
    """A page marks them in the automata of the roles; the column of an observer is in the chart."""
    report = sp.check(sp.load(EXAMPLES / "booked-twice.storm"))
    verdict = next(v for v in report if v.property == "once")
    assert verdict.witness is not None
    drawn = sp.chart(report.system, verdict.witness)
    assert list(drawn.states_at(-1)) == ["Shop", "Bank"] and drawn.names[-1] == "Bookings"


def test_an_observer_that_is_not_asked_for_weakens_nothing() -> None:
    plain = sp.loads("role A { s: B!m -> t  t: }  role B { w: A?m -> w }")
    watched = sp.observe(plain, "observer O { none: A -> B?m -> one  one: }")
    for one, two in zip(sp.check(plain), sp.check(watched), strict=True):
        assert (one.property, one.holds, one.up_to) == (two.property, two.holds, two.up_to)


def test_a_saved_result_with_another_count_is_refused() -> None:
    system = sp.load(EXAMPLES / "booked-twice.storm")
    saved = sp.check(system, certificates=True).to_json()
    answers = replay_result(result_from_json(json.dumps(saved)))
    assert not [a for a in answers if a.proved is False]
    assert next(a for a in answers if a.property == "once").proved
    forged = json.loads(json.dumps(saved))
    for verdict in forged["verdicts"]:
        if verdict["property"] == "once":
            verdict["witness"]["ends"]["states"]["Bookings"] = "one"
    refused = replay_result(result_from_json(json.dumps(forged)))
    assert next(a for a in refused if a.property == "once").proved is False


@pytest.mark.parametrize("text", ["observer Bookings { s: A -> B!m -> s }", "role X { s: }"])
def test_observers_of_python_are_read_as_those_of_files(text: str) -> None:
    system = sp.load(EXAMPLES / "booked-once.storm")
    with pytest.raises(sp.StormproofError):
        sp.observe(system, text)
