"""Failure models: what each channel may do, resolved from flags and from the file."""

from __future__ import annotations

import pytest

from stormproof.errors import UsageError
from stormproof.kernel.model.actions import CRASH, Channel, Receive, Send
from stormproof.kernel.model.corruption import transitive_closure
from stormproof.kernel.model.failures import (
    PERFECT,
    ChannelFailure,
    FailureModel,
    Failures,
    parse_channel,
)
from stormproof.kernel.model.failures_json import model_from_json, model_to_json
from stormproof.kernel.model.faults import ChannelFaults, Corruption
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System

AB, BA = Channel("A", "B"), Channel("B", "A")


def system(*faults: ChannelFaults) -> System:
    a = Process(
        "A", "s", [("s", Send("B", "x"), "s"), ("s", Send("C", "z"), "s"), ("s", Receive("B", "r"), "s")]
    )
    b = Process("B", "s", [("s", Receive("A", "y"), "s"), ("s", Send("A", "r"), "s")], reliable=False)
    return System([a, b, Process("C", "s")], faults=faults)


def test_flags_on_all_or_on_some_channels() -> None:
    model = Failures(loss=True, reorder=["A->B"]).on(system())
    assert model.on(AB).loss and model.on(AB).reorder
    assert model.on(BA).loss and not model.on(BA).reorder


def test_who_and_where_are_lists() -> None:
    with pytest.raises(UsageError, match="restart lists roles, and True is no list"):
        Failures(restart=True)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="duplicate is true, false or a list of channels, not 3"):
        Failures(duplicate=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["A->B", "A:B", "A → B", "A→B"])
def test_ways_to_write_a_channel(text: str) -> None:
    assert parse_channel(text) == AB


@pytest.mark.parametrize("text", ["AB", "A->", ":B", ""])
def test_what_is_no_channel(text: str) -> None:
    with pytest.raises(UsageError, match="is not a channel"):
        parse_channel(text)


@pytest.mark.parametrize(
    ("scope", "pool"),
    [("channel", {"x", "y"}), ("sender", {"x", "y", "z"}), ("system", {"x", "y", "z", "r"})],
)
def test_corruption_scopes(scope: str, pool: set[str]) -> None:
    failure = Failures(corrupt=["A->B"], corrupt_scope=scope).on(system()).on(AB)
    assert set(failure.pool) == pool and failure.total
    assert all(failure.may_become(a, b) for a in pool for b in pool)
    assert not failure.may_become("x", CRASH) and not failure.may_become(CRASH, "x")
    assert failure.may_become(CRASH, CRASH)


def test_corruption_by_pairs_is_closed() -> None:
    failure = Failures(corrupt_map=[("A->B", "x", "y"), ("A->B", "y", "z")]).on(system()).on(AB)
    assert failure.becomes == {"x": {"y", "z"}, "y": {"z"}}
    assert not failure.total


def test_a_scope_and_pairs_that_leave_it() -> None:
    failure = Failures(corrupt=True, corrupt_map=[("A->B", "y", "z")]).on(system()).on(AB)
    assert failure.may_become("x", "z") and not failure.may_become("z", "x")


def test_file_faults_apply_unless_told() -> None:
    declared = system(ChannelFaults("A", "B", loss=True, corrupt=Corruption(pairs=(("x", "y"),))))
    model = Failures(reorder=True).on(declared)
    assert model.on(AB).loss and model.on(AB).reorder and model.on(AB).becomes == {"x": {"y"}}
    assert Failures(file_faults=False).on(declared).perfect


def test_who_may_crash() -> None:
    assert Failures(crash=["A"]).on(system()).unreliable == ("A", "B")


@pytest.mark.parametrize(
    ("failures", "sentence"),
    [
        (Failures(loss=["A->D"]), "unknown role 'D'"),
        (Failures(crash=["Z"]), "unknown role 'Z'"),
        (Failures(corrupt_map=[("A->B", "x", "nope")]), "unknown message 'nope'"),
    ],
)
def test_unknown_names_are_refused(failures: Failures, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        failures.on(system())


def test_closure_of_a_cycle_has_no_trivial_pairs() -> None:
    assert transitive_closure([("a", "b"), ("b", "a")]) == {"a": {"b"}, "b": {"a"}}


def test_a_channel_that_duplicates_is_not_perfect_and_keeps_that_in_json() -> None:
    failure = ChannelFailure(duplicate=True)
    assert not failure.perfect and failure.describe() == ("duplication",)
    model = FailureModel({AB: failure, BA: PERFECT}, ("B",))
    assert model_from_json(model_to_json(model)) == model


@pytest.mark.parametrize(
    "failures",
    [
        Failures(),
        Failures(loss=True, corrupt=["A->B"], reorder=[], corrupt_scope="system", crash=("A", "B")),
        Failures(stop="A", budget="2,loss=1", corrupt_map={"A->B": {"x": "y"}}, partition="A|B"),
        Failures(file_faults=False, as_written=True, budget=0, restart="B"),
    ],
    ids=str,
)
def test_failures_are_printed_as_they_are_written(failures: Failures) -> None:
    assert eval(repr(failures), {"Failures": Failures}) == failures


def test_what_is_as_by_default_is_not_printed() -> None:
    assert repr(Failures(loss=True, corrupt=["A->B"])) == "Failures(loss=True, corrupt=['A->B'])"
