"""Every set of unreliable processes: the verdicts, and the weakest assumptions under which they hold."""

from __future__ import annotations

from itertools import combinations

import pytest

from stormproof.errors import UsageError
from stormproof.kernel.model.actions import CRASH, Internal, Receive, Send
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System
from stormproof.kernel.transform.crash_completion import complete
from stormproof.kernel.transform.crash_handling import crash_handling
from stormproof.languages.types.session import session_of_scribble
from stormproof.limits import Limits
from stormproof.search.checks.api import check
from stormproof.surveys.crash_sets import MOST_SETS, assumptions, crash_sets

RELAY = """global protocol Relay(role A, role B, role C) {
  a from A to B;
  b from B to C;
  c from C to A;
}"""


@pytest.fixture(scope="module")
def relay() -> System:
    return session_of_scribble(RELAY, "relay").system()


def test_all_sets_come_once_smallest_first(relay: System) -> None:
    found = crash_sets(relay, properties=["crash-handling", "k-wmc-up-to-crash"])
    expected = [c for size in range(4) for c in combinations(("A", "B", "C"), size)]
    assert [row.unreliable for row in found.rows] == expected
    assert found.all_sets


def test_the_verdicts_are_those_of_check(relay: System) -> None:
    found = crash_sets(relay, properties=["k-er", "k-er-up-to-crash", "rsc"])
    for row in found.rows:
        report = check(relay, Failures(crash=row.unreliable), properties=["k-er", "k-er-up-to-crash", "rsc"])
        assert [v.holds for v in row.verdicts] == [v.holds for v in report]
        assert row.completed == bool(row.unreliable)


def test_what_is_not_defined_under_the_failures_is_left_out(relay: System) -> None:
    whole = crash_sets(relay, max_size=0).properties
    assert set(whole) - set(crash_sets(relay, Failures(duplicate=True), max_size=0).properties) == {"rsc"}
    within = crash_sets(relay, Failures(loss=True, budget=1), max_size=0)
    assert within.properties == ("recovers", "crash-handling")


def test_which_crash_is_assumed_is_said(relay: System) -> None:
    assert crash_sets(relay, max_size=0, properties=["rsc"]).notes == ("a crash is announced to everybody",)
    stopped = crash_sets(relay, Failures(stop=["A"]), max_size=0, properties=["rsc"])
    assert stopped.notes == ("a stop is silent; a crash is announced to everybody",)


def test_weakest_assumptions_are_the_maximal_sets_that_hold(relay: System) -> None:
    found = crash_sets(relay, properties=["k-er", "crash-handling"])
    for name in found.properties:
        good = [frozenset(r.unreliable) for r in found.rows if r.holds(name)]
        maximal = {s for s in good if not any(s < other for other in good)}
        assert {frozenset(s) for s in found.weakest(name)} == maximal
    assert found.weakest("crash-handling") == ((),)
    assert dict(assumptions(found))["crash-handling"] == "holds when nobody crashes"


def test_a_property_that_is_not_monotone_is_said_to_be_so(client_server: System) -> None:
    """The paper's Figure 4(a) leaves a crash message; if both may crash, it is completed and cleans up."""
    found = crash_sets(client_server, properties=["k-er-up-to-crash", "k-exh"])
    holds = {row.unreliable: row.holds("k-er-up-to-crash") for row in found.rows}
    assert holds[("c",)] is False and holds[("c", "s")] is True
    words = dict(assumptions(found))
    assert words["k-er-up-to-crash"] == "holds when c and s may crash, but not when only c may"
    assert words["k-exh"] == "holds whoever crashes"


@pytest.fixture(scope="module")
def client_server() -> System:
    """The paper's Figure 4(a)."""
    return System(
        (
            Process(
                "c",
                "0",
                (
                    ("0", Send("s", "req"), "1"),
                    ("1", Receive("s", "res"), "2"),
                    ("0", Internal("crash"), "x"),
                    ("1", Internal("crash"), "x"),
                    ("x", Send("s", CRASH), "y"),
                ),
                reliable=False,
            ),
            Process(
                "s",
                "0",
                (
                    ("0", Receive("c", "req"), "1"),
                    ("1", Send("c", "res"), "2"),
                    ("0", Receive("c", CRASH), "3"),
                ),
            ),
        )
    )


def test_drawn_crashes_of_reliable_processes_do_not_count(client_server: System) -> None:
    """The paper's Figure 4(a) with nobody unreliable is the plain client and server: nothing crashes."""
    found = crash_sets(client_server, properties=["k-mc", "crash-handling"])
    by_set = {row.unreliable: row for row in found.rows}
    assert by_set[()].holds("k-mc") is True and by_set[("c",)].holds("k-mc") is False
    assert by_set[("c",)].holds("crash-handling") is True and not by_set[("c",)].completed
    assert by_set[("s",)].holds("crash-handling") is False and by_set[("s",)].completed


def test_sizes_can_be_bounded(relay: System) -> None:
    found = crash_sets(relay, properties=["rsc"], max_size=1)
    assert len(found.rows) == 4 and not found.all_sets and found.to_json()["largest"] == 1


def test_too_many_sets_are_refused() -> None:
    many = System(tuple(Process(f"P{i}", "0") for i in range(13)))
    with pytest.raises(UsageError, match=f"more than {MOST_SETS:,}"):
        crash_sets(many, properties=["rsc"])
    with pytest.raises(UsageError, match="every set"):
        crash_sets(many, Failures(crash=["P0"]))


def test_the_time_limit_is_for_the_whole_sweep(relay: System) -> None:
    found = crash_sets(relay, properties=["k-er"], limits=Limits(seconds=1e-9))
    assert all(row.holds("k-er") is None for row in found.rows)
    assert found.exit_code == 3
    assert "undecided" in dict(assumptions(found))["k-er"]


def test_progress_and_json(relay: System) -> None:
    seen: list[tuple[int, int | None]] = []
    found = crash_sets(relay, properties=["k-exh"], k=1, progress=lambda done, of: seen.append((done, of)))
    assert seen[-1] == (8, 8)
    data = found.to_json()
    assert data["processes"] == ["A", "B", "C"] and len(data["sets"]) == 8
    assert set(data["weakest"]) == {"k-exh"}


def test_interference_goes_with_crashes(relay: System) -> None:
    """Crash messages are left alone by loss, so completed systems stay crash-handling under it."""
    found = crash_sets(relay, Failures(loss=True), properties=["k-exh"], k=1)
    assert all(row.holds("k-exh") for row in found.rows)
    assert crash_handling(complete(relay.with_unreliable(["A"]))).holds
