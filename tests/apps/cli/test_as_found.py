"""Verdicts are told as they are found, and with fail-fast a violation ends the check."""

from __future__ import annotations

import pytest

import stormproof as sp
from stormproof.search.checks import api
from stormproof.search.checks.so_far import FAIL_FAST
from tests.support.command_line import Run

#: `first` breaks without a fault; the others have failures of their own, so that each is asked by itself.
PROTOCOL = """
protocol Fast
role A { s: B!x -> t  t: }
role B { s: A?x -> t  t: }
require first: never B@t
require second: recovers under none
require third: recovers under loss
"""


def test_each_verdict_is_told_once_it_is_known() -> None:
    told: list[list[str]] = []
    report = sp.check(sp.loads(PROTOCOL), found=lambda known: told.append([v.property for v in known]))
    assert [len(names) for names in told] == [1, 2, 3, 4, 5]
    assert told[0] == ["first"], "the violation goes first"
    assert told[-1] == ["first", "second", "third", "recovers", "clean"]
    assert [v.property for v in report][:5] == told[-1]


def test_fail_fast_asks_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("asked after a violation")

    monkeypatch.setattr(api, "request_of", never)
    monkeypatch.setattr(api, "_decide_properties", never)
    report = sp.check(sp.loads(PROTOCOL), fail_fast=True, classes=False)
    assert report["first"].holds is False and report["first"].replayed and report.exit_code == 1
    assert [report[name].reason for name in ("second", "third")] == [FAIL_FAST, FAIL_FAST]
    assert report["second"].holds is None, "what was not asked is undecided"


def test_without_a_violation_fail_fast_changes_nothing() -> None:
    system = sp.loads(PROTOCOL.replace("never B@t", "never A@t & B@s & deadlock"))
    kept = sp.check(system, classes=False).to_json()["verdicts"]
    fast = sp.check(system, classes=False, fail_fast=True).to_json()["verdicts"]
    timeless = [[{k: v for k, v in row.items() if k != "seconds"} for row in rows] for rows in (kept, fast)]
    assert [row["holds"] for row in kept] == [True, True, False, True, True]
    assert timeless[0] == timeless[1], "the last question is violated, and nothing comes after it"


def test_a_known_limit_does_not_end_the_check() -> None:
    expected = PROTOCOL.replace("require first: never B@t", "expect violated first: never B@t under none")
    report = sp.check(sp.loads(expected), fail_fast=True, classes=False)
    assert report["second"].holds and report["third"].holds is False


def test_of_several_files_the_first_that_is_violated_is_the_last(run: Run) -> None:
    whole = run("check", "alternating-bit", "http", "smtp", "--loss", "--fail-fast")
    assert whole.code == 1 and "--fail-fast: 2 files not checked" in whole.out
    assert "http does not survive" not in whole.out
