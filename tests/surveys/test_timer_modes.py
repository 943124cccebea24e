"""The line for timers of a frontier: both modes, each as a check with that mode says."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import resources

import jsonschema
import pytest

import stormproof as sp
from stormproof.apps.cli.console import console
from stormproof.apps.cli.frontier import print_frontier
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.status import Status
from stormproof.search.checks.api import check
from stormproof.surveys.claims import asked_of, decisive
from stormproof.surveys.frontier import Frontier, frontier
from stormproof.surveys.timer_modes import status_in

#: A answers at once, and B gives up when its timer expires: with timers at any time it may be too early.
RACE = """protocol race
role A { ask: B!go -> wait
  wait: B?done -> done
  done: }
role B { idle: A?go -> work
       timeout -> gone
  work: A!done -> over
  over:
  gone: }
"""
UNTIMED = RACE.replace("timeout", "internal give-up")
SCHEMA = json.loads(resources.files("stormproof.schemas").joinpath("frontier.schema.json").read_text())


def shown(found: Frontier, capsys: pytest.CaptureFixture[str]) -> str:
    print_frontier(console(), found)
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("said", ["", "timers on time\n", "timers at any time\n"])
def test_both_modes_are_what_checks_say(said: str, capsys: pytest.CaptureFixture[str]) -> None:
    system = sp.loads(RACE.replace("role A", f"{said}role A", 1), "storm")
    found = frontier(system, faults=["loss"])
    asked = asked_of(system, "survival").system
    for mode, verdict in found.timers.items():
        failures = Failures(timers=mode, as_written=True)
        assert verdict is not None
        assert verdict.holds == decisive(check(asked, failures, properties=())).holds
    assert [v.holds for v in found.timers.values() if v is not None] == [False, True]
    data = found.to_json()
    jsonschema.validate(data, SCHEMA)
    assert {m: d["status"] for m, d in data["timers"].items()} == {
        "any-time": "violated",
        "on-time": "proved",
    }
    assert "timers ✘ at any time ✔ on time" in shown(found, capsys)


def test_protocols_without_timers_and_classes_of_the_paper_have_no_such_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for found in (frontier(sp.loads(UNTIMED, "storm")), frontier(sp.loads(RACE, "storm"), "rsc")):
        assert found.timers == {} and "timers" not in found.to_json()
        assert "at any time" not in shown(found, capsys)


def test_what_was_not_asked_is_undecided(capsys: pytest.CaptureFixture[str]) -> None:
    found = frontier(sp.loads(RACE, "storm"), faults=["loss"])
    found = replace(found, timers={**found.timers, "on-time": None})
    jsonschema.validate(found.to_json(), SCHEMA)
    assert found.to_json()["timers"]["on-time"]["status"] == "undecided"
    assert "? on time (undecided)" in shown(found, capsys)


def test_a_limit_is_no_tick() -> None:
    """Messages pile up, and one configuration is all that may be looked at."""
    system = sp.loads(RACE.replace("ask: B!go -> wait", "ask: B!go -> ask\n B!go -> wait"), "storm")
    found = frontier(system, faults=["loss"], limits=sp.Limits(states=1))
    assert [status_in(v).value for v in found.timers.values()].count("proved") == 0
    assert status_in(found.timers["on-time"]) is Status.UNDECIDED
