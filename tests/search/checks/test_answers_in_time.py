"""Nothing delays or withholds an answer: Ctrl-C, and properties that nobody asked for by name."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import stormproof as sp
from stormproof.kernel.model.ask import RECOVERS, Ask, clean
from stormproof.kernel.model.goal import Holds
from stormproof.kernel.model.goal_forms import NOTHING
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.languages.protocols.generators.shapes import branching
from stormproof.limits import within
from stormproof.options import Options, Progress
from stormproof.search.checks import bound_search, survival
from stormproof.search.checks.outcome import Outcome
from stormproof.search.checks.request import AT_ONCE, Request, make_request
from stormproof.search.engine.effort import Effort
from stormproof.search.engine.k_properties import explore as real_explore
from stormproof.search.engine.survival import Survey, SurvivalAnswer, survey as real_survey
from tests.support.engine_queries import pairs

RETRANSMIT = sp.protocol("alternating-bit-retransmit")
ABP = sp.protocol("alternating-bit")


def interrupt_at(monkeypatch: pytest.MonkeyPatch, bound: int) -> None:
    """Ctrl-C while this bound is explored."""

    def survey(model: Any, asks: Any, k: int, **options: Any) -> Survey:
        if k < bound:
            return real_survey(model, asks, k, **options)
        nothing = {name: SurvivalAnswer(None) for name in asks}
        return Survey(k, nothing, 1_234, 0, 0.0, 0, None, 0, stopped="interrupted")

    monkeypatch.setattr(survival, "survey", survey)


def test_an_interrupt_leaves_what_smaller_bounds_have_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    interrupt_at(monkeypatch, 3)
    report = sp.check(RETRANSMIT, sp.Failures(loss=True))
    recovers = report["recovers"]
    assert recovers.holds and recovers.up_to == 2 and report.interrupted
    (note,) = recovers.notes
    assert note == "interrupted at k = 3 after 1,234 configurations: holds up to channels of length 2"
    assert report["rsc"].reason == "interrupted before it was asked"


def test_an_interrupt_at_the_first_bound_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    interrupt_at(monkeypatch, 1)
    system = sp.require(replace(RETRANSMIT, requirements=()), "require never deadlock under loss")
    report = sp.check(system, sp.Failures(loss=True))
    assert report["recovers"].holds is None and report.exit_code == 3
    assert report["recovers"].reason.startswith("interrupted at k = 1 after ")
    assert report["never deadlock"].reason == "interrupted before it was asked"


def request(properties: list[str] | None, effort: int) -> Request:
    return make_request(
        RETRANSMIT,
        sp.Failures(loss=True),
        k=None,
        max_k=None,
        properties=properties,
        semantics="definition",
        options=Options(effort=effort),
    )


def test_classes_have_an_effort_of_their_own() -> None:
    asked = request(None, effort=10)
    asked.effort.spend(1_000)
    assert asked.most_at(1) is None and asked.most_at(2) == 0
    late = asked.for_classes()
    assert late.most_at(1) == AT_ONCE and late.most_at(2) == 10 and late.most_at(8) == 1
    assert not request(["rsc"], effort=10).classes, "what is asked for by name takes what it needs"


def test_without_effort_the_first_bound_is_answered() -> None:
    report = sp.check(RETRANSMIT, sp.Failures(loss=True), effort=0)
    assert (report["recovers"].up_to, report["k-mc"].k) == (1, 1) and report["rsc"].holds is False


def test_rsc_that_nobody_asked_for_does_not_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    allowed: list[int | None] = []

    def slow(request: Request, most: int | None) -> Outcome:
        allowed.append(most)
        return Outcome("rsc", None, stopped="effort")

    api = sys.modules["stormproof.search.checks.api"]
    monkeypatch.setattr(api, "_UNBOUNDED", dict.fromkeys(api._UNBOUNDED, slow))
    report = sp.check(RETRANSMIT, sp.Failures(loss=True), effort=100_000)
    assert allowed == [100_000]
    assert report["rsc"].reason.startswith("not decided within the effort") and report.exit_code == 0


def after_the_answer(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], None]) -> None:
    """Something happens when the first class is asked for."""

    def ask(request: Request, most: int | None) -> Outcome:
        happens()
        return Outcome("rsc", True)

    api = sys.modules["stormproof.search.checks.api"]
    monkeypatch.setattr(api, "_UNBOUNDED", dict.fromkeys(api._UNBOUNDED, ask))


REQUIRED = sp.require(replace(RETRANSMIT, requirements=()), "require never deadlock under loss")


def test_the_answer_is_told_before_any_class_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[sp.Report] = []
    known: list[list[str]] = []
    after_the_answer(monkeypatch, lambda: known.append([v.property for report in told for v in report]))
    report = sp.check(REQUIRED, sp.Failures(loss=True), max_k=2, answered=told.append)
    assert known == [["never deadlock", "recovers", "clean"]]
    assert {v.property: v.holds for v in told[0]}.items() <= {v.property: v.holds for v in report}.items()
    sp.check(REQUIRED, sp.Failures(loss=True), max_k=2, properties=["k-er"], answered=told.append)
    assert len(told) == 1, "where no class follows, the report is the answer"


def test_an_interrupt_while_classes_are_asked_keeps_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    after_the_answer(monkeypatch, interrupt)
    report = sp.check(REQUIRED, sp.Failures(loss=True), max_k=2)
    assert report["recovers"].holds and report["never deadlock"].holds and report.exit_code == 0
    assert report["k-mc"].holds is None and report.interrupted


def test_requirements_share_the_effort_of_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    claims = ("never deadlock", "clean", "recovers", "always possible Sender@send0") * 2
    lines = [f"require r{i}: {claim} under loss" for i, claim in enumerate(claims)]
    system = sp.require(replace(RETRANSMIT, requirements=()), "\n".join(lines))
    parts: list[int] = []

    def survey(model: Any, asks: Any, k: int, most: int, **options: Any) -> Survey:
        parts.extend([most] * (k == 1))
        return real_survey(model, asks, k, most=most, **options)

    monkeypatch.setattr(survival, "survey", survey)
    sp.check(system, sp.Failures(loss=True), max_k=2, effort=100_000)
    assert parts[0] == 400_000 // 9, "nine questions share four times the effort of one"
    assert len(parts) == 9 and all(400_000 // 9 <= part <= 100_000 for part in parts)


def test_progress_says_what_smaller_bounds_have_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    names = ["recovers"]

    def survey(model: Any, asks: Any, k: int, options: Options, **others: Any) -> Survey:
        assert options.progress is not None
        options.progress(Progress(f"k = {k}", 1, 1, 1, 1.0))
        return real_survey(model, asks, k, replace(options, progress=None), **others)

    monkeypatch.setattr(survival, "survey", survey)
    sp.check(
        RETRANSMIT,
        sp.Failures(loss=True),
        max_k=3,
        properties=names,
        progress=lambda state: told.append(state.known),
    )
    assert told == [""] + [" · ".join(f"{n} up to channels of length {k}" for n in names) for k in (1, 2)]


def test_progress_says_which_bounds_of_a_k_property_are_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    def explore(system: Any, model: Any, k: int, options: Options, **others: Any) -> Any:
        assert options.progress is not None
        options.progress(Progress("", 1, 1, 1, 1.0))
        return real_explore(system, model, k, replace(options, progress=None), **others)

    monkeypatch.setattr(bound_search, "explore", explore)
    sp.check(
        branching(branches=1, bound=3, pairs=1),
        properties=["k-exh", "k-er"],
        progress=lambda state: told.append(state.known),
    )
    assert told == ["", *(" · ".join(f"{n} ✘ up to k = {k}" for n in ("k-exh", "k-er")) for k in (1, 2))]


def explored(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, tuple[str, ...]]]:
    """The bounds and the properties of each exploration, as they are made."""
    calls: list[tuple[int, tuple[str, ...]]] = []

    def explore(system: Any, model: Any, k: int, *, properties: Any, **options: Any) -> Any:
        calls.append((k, tuple(properties)))
        return real_explore(system, model, k, properties=properties, **options)

    monkeypatch.setattr(bound_search, "explore", explore)
    return calls


def test_k_properties_share_explorations_and_none_waits_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """What has held is not asked at larger bounds."""
    calls = explored(monkeypatch)
    report = sp.check(branching(branches=1, bound=3, pairs=1), properties=["k-exh", "k-er", "k-pg"])
    assert [verdict.k for verdict in report] == [3, 3, 1]
    assert calls == [(1, ("k-exh", "k-er", "k-pg")), *((k, ("k-exh", "k-er")) for k in (2, 3))]


def test_requirements_of_k_properties_share_explorations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those under the same failures and at the same bounds."""
    calls = explored(monkeypatch)
    lines = ["require a: k-wmc at 1 under loss", "require b: k-pg at 1 under loss", "require c: k-er at 2"]
    system = sp.require(replace(RETRANSMIT, requirements=()), "\n".join(lines))
    report = sp.check(system, sp.Failures(), properties=["a", "b", "c"])
    assert calls == [(1, ("k-exh", "k-er", "k-pg")), (2, ("k-er",))]
    alone = {n: sp.check(system, sp.Failures(), properties=[n])[n] for n in ("a", "b", "c")}
    assert {n: report[n].holds for n in alone} == {n: v.holds for n, v in alone.items()}


def test_survival_ends_at_the_first_violation() -> None:
    """A stream of 31**5 configurations at k = 4 reaches the goal with its second action."""
    system = pairs(5, "a", "b")
    model = SurvivalModel(system, sp.Failures(loss=True).on(system), rest_states(system))
    channel = system.channels[0]
    found = real_survey(model, {"never": Ask(False, Holds(channel, ("a", "b")))}, 4, reduction=False)
    assert found.answers["never"].holds is False and found.configurations < 2_000
    lossy = sp.Failures(loss=True).on(ABP)
    survived = SurvivalModel(ABP, lossy, rest_states(ABP))
    broken = real_survey(survived, {"recovers": RECOVERS}, 2)
    whole = real_survey(survived, {"never": Ask(False, NOTHING)}, 2)
    assert broken.answers["recovers"].run is not None and broken.answers["recovers"].run.faults == 1
    assert broken.configurations < whole.configurations


def test_an_interrupt_leaves_what_smaller_bounds_of_a_k_property_have_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def explore(system: Any, model: Any, k: int, **options: Any) -> Any:
        found = real_explore(system, model, k, **options)
        return found if k < 3 else replace(found, states=1_234, stopped="interrupted", holds={})

    monkeypatch.setattr(bound_search, "explore", explore)
    report = sp.check(branching(branches=1, bound=4, pairs=1), properties=["k-exh", "k-pg"])
    assert report["k-pg"].k == 1 and report["k-exh"].holds is False and report.interrupted
    assert report["k-exh"].notes[0] == "interrupted at k = 3 after 1,234 configurations: violated up to k = 2"


def test_a_violation_does_not_wait_for_what_only_makes_answers_stronger(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Once something is violated, larger bounds get a quarter of the effort that is left."""
    left: dict[int, int] = {}

    def survey(model: Any, asks: Any, k: int, most: int, **options: Any) -> Survey:
        left.setdefault(k, most)
        found = real_survey(model, asks, k, most=most, **options)
        violated = {"recovers": SurvivalAnswer(False, fewest=True)} if "recovers" in asks else {}
        return replace(found, answers={**found.answers, **violated})

    monkeypatch.setattr(survival, "survey", survey)
    system = replace(RETRANSMIT, requirements=())
    model = SurvivalModel(system, sp.Failures(loss=True).on(system), rest_states(system))
    asks = {"recovers": RECOVERS, "clean": clean(system, model.rest)}
    search = survival.GrowingBounds(model, asks, Effort(100_000), Options(), max_k=3)
    with within(300):
        found = survival.decide_survival(search)
    assert found["recovers"].holds is False and found["clean"].up_to == 3
    assert left[1] == 100_000 and 20_000 < left[3] <= left[2] <= 25_000
