"""The frontier of tolerated failures, against asking about every failure model; and how many faults break."""

from __future__ import annotations

import json
import random
import sys
import time
from dataclasses import replace
from importlib import resources
from typing import Any

import jsonschema
import pytest

import stormproof as sp
from stormproof.apps.cli.console import console
from stormproof.apps.cli.frontier import print_frontier
from stormproof.errors import UsageError
from stormproof.kernel.model.actions import Channel
from stormproof.kernel.model.budget import Budget
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.system import System
from stormproof.languages import formats
from stormproof.search.checks.api import check
from stormproof.search.checks.report import Report, Verdict
from stormproof.surveys import frontier as module
from stormproof.surveys.antichains import maximal_sets, minimal_sets, subsets
from stormproof.surveys.choices import FAULTS, Atom, choices, in_words
from stormproof.surveys.claims import decisive
from stormproof.surveys.fault_counts import fault_counts
from stormproof.surveys.frontier import Breaking, Frontier, Tolerated, frontier
from tests.support.random_systems import random_system

PAPER = ("loss", "corrupt", "reorder")


def brute(found: Frontier, name: str, k: int, as_written: bool) -> tuple[set[object], set[object]] | None:
    """Every failure model asked: the maximal good sets and the minimal bad ones; None if one is undecided."""
    good: list[frozenset[int]] = []
    bad: list[frozenset[int]] = []
    atoms = found.atoms
    for choice in subsets(len(atoms)):
        chosen = [atoms[i] for i in choice]
        asked: dict[str, Any] = {f: [a.channel or a.process for a in chosen if a.fault == f] for f in FAULTS}
        failures = Failures(**asked, file_faults=False, as_written=as_written)
        answer = check(found.system, failures, k=k, properties=[name], replay=False)[name].holds
        if answer is None:
            return None
        (good if answer else bad).append(choice)
    return (
        {frozenset(atoms[i] for i in c) for c in maximal_sets(good)},
        {frozenset(atoms[i] for i in c) for c in minimal_sets(bad)},
    )


def random_frontier(name: str, seed: int, kinds: tuple[str, ...]) -> Frontier | None:
    """The frontier of a random system over at most six choices, around three that are drawn."""
    rng = random.Random(f"{name} {seed}")
    system = random_system(rng, processes=rng.choice((2, 3)), internal=0.05)
    try:
        atoms = choices(system, kinds, processes=system.names[:1], as_written=False)
    except UsageError:
        return None
    atoms = tuple(rng.sample(atoms, min(3, len(atoms))))
    picked: dict[str, Any] = {
        "faults": {a.fault for a in atoms},
        "channels": {a.channel for a in atoms if a.channel},
        "processes": {a.process for a in atoms if a.process},
    }
    try:
        found = frontier(system, name, k=2, **picked)
    except UsageError:  # only the crash, which the protocol does not handle
        return None
    return found if len(found.atoms) <= 6 else None


@pytest.mark.parametrize("chunk", range(4))
@pytest.mark.parametrize("name", ["rsc", "k-wmc", "k-pg", "recovers", "clean"])
def test_against_brute_force(chunk: int, name: str) -> None:
    survival = name in ("recovers", "clean")
    kinds = (*PAPER, "duplicate", "stop", "restart") if survival else (*PAPER, "crash")
    compared = 0
    for seed in range(chunk * 10, chunk * 10 + 10):
        found = random_frontier(name, seed, kinds)
        expected = None if found is None else brute(found, name, 2, as_written=found.monotone)
        if found is None or expected is None:
            continue
        good, bad = expected
        compared += 1
        assert {frozenset(t.atoms) for t in found.tolerated} == good, seed
        assert {frozenset(b.atoms) for b in found.breaking} == bad, seed
        assert found.complete
        for breaking in found.breaking:
            assert breaking.verdict.holds is False and breaking.verdict.replayed is not False
    assert compared >= 3


def test_the_choices_that_count() -> None:
    system = sp.protocol("alternating-bit")
    assert len(choices(system)) == 12, "four faults of two channels, stop and restart of two processes"
    assert len(choices(system, faults=["loss"])) == 2
    with pytest.raises(UsageError, match="nothing to try"):
        choices(system, faults=["crash"])
    assert choices(system, faults=["crash"], as_written=False) == (
        Atom("crash", process="Sender"),
        Atom("crash", process="Receiver"),
    )
    assert choices(system, ["reorder"], ["Sender:Receiver"]) == (
        Atom("reorder", Channel("Sender", "Receiver")),
    )


@pytest.mark.parametrize(
    "options",
    [
        {"faults": ["fire"]},
        {"channels": ["Sender:Nobody"]},
        {"property": "k-mcc"},
        {"property": "crash-handling"},
        {"max_size": -1, "property": "k-er"},
        {"max_size": 1},
    ],
)
def test_a_wrong_question_gets_a_sentence(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        frontier(sp.protocol("alternating-bit"), **options)


def test_an_interrupt_ends_the_frontier_and_not_just_one_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that is interrupted is undecided and says so; the next failure model must not be asked."""
    asked = []

    def interrupted(system: System, failures: Failures, **options: object) -> Report:
        asked.append(failures)
        verdict = Verdict("k-mc", None, reason="interrupted at k = 1", stopped="interrupted")
        return Report(system, failures, failures.on(system), (verdict,))

    monkeypatch.setattr(sys.modules["stormproof.surveys.claims"], "check", interrupted)
    found = frontier(sp.protocol("alternating-bit"), "k-mc")
    assert len(asked) == 1 and not found.complete and found.exit_code == 3
    assert found.notes[-1] == "interrupted: what was not asked by then is undecided"


def test_many_choices_are_asked_up_to_a_size_and_it_says_so() -> None:
    found = frontier(sp.protocol("commit-protocol"), "k-er", k=1)
    assert len(found.atoms) > 12
    assert "sets of at most 2" in found.covered and "not monotone" in found.covered


def test_in_words() -> None:
    ab, ba = Channel("A", "B"), Channel("B", "A")
    atoms = [Atom("loss", ab), Atom("loss", ba), Atom("corrupt", ab), Atom("crash", process="C")]
    assert in_words(atoms) == "loss on A→B, B→A · corruption on A→B · crash of C"
    assert in_words([]) == "no failure at all"


def test_what_each_choice_does() -> None:
    """Alone, or only together with others: read off the minimal breaking sets."""
    found = frontier(sp.protocol("four-player-game"), "rsc")
    alone = {str(a) for a in found.atoms if found.part(a) == "alone"}
    ends = ("Alice→Dave", "Carol→Dave")
    assert alone == {f"{fault} on {end}" for fault in ("loss", "reordering") for end in ends}
    for atom in found.atoms:
        within = [b.atoms for b in found.breaking if atom in b.atoms]
        expected = "" if not within else "alone" if (atom,) in within else "together"
        assert found.part(atom) == expected
        if expected == "":
            assert all(atom in t.atoms for t in found.tolerated), "it never matters"
    assert not found.partial
    assert frontier(sp.protocol("four-player-game"), "k-er", max_size=1).partial


def test_a_choice_may_matter_only_together_with_others() -> None:
    """On random systems there are such, and they are in no breaking set of one choice."""
    pairs = 0
    for seed in range(60):
        system = random_system(random.Random(seed), processes=2)
        if system.channels:
            found = frontier(system, "rsc")
            for atom in found.atoms:
                if found.part(atom) == "together":
                    pairs += 1
                    assert all(len(b.atoms) > 1 for b in found.breaking if atom in b.atoms), seed
    assert pairs > 0


def test_stops_and_restarts_are_choices() -> None:
    """A lock that forgets that it is held: its restart breaks progress, and so does a stop of either role."""
    text = """
    role Client { ask: Lock!acquire -> wait
      wait: Lock?granted -> holding
      holding: Lock!release -> ask }
    role Lock { free: Client?acquire -> grant
      grant: Client!granted -> held
      held: Client?release -> free }
    """
    found = frontier(formats.loads(text), "k-pg", faults=["stop", "restart"])
    assert [str(a) for a in found.atoms][:2] == ["stop of Client", "restart of Client"]
    alone = {str(b.atoms[0]) for b in found.breaking if len(b.atoms) == 1}
    assert {"stop of Client", "stop of Lock", "restart of Lock"} <= alone
    assert found.atoms[0].to_json() == {"fault": "stop", "process": "Client"}


TIMER = """
protocol Ask
role Client { ask: Server!get -> wait
  wait: Server?page -> done
        timeout -> ask
  done: Server?page -> done }
service role Server { idle: Client?get -> serve
  serve: Client!page -> idle }
require answer: always possible Client@done
"""
#: One loss is made up for by the second message; two are not.
TWICE = """
protocol Twice
role A { s0: B!x -> s1
  s1: B!x -> s2
  s2: }
role B { w: A?x -> d
  d: A?x -> d }
"""


def test_survival_is_the_default_with_the_number_of_faults_of_each_cell() -> None:
    found = frontier(formats.loads(TWICE), faults=["loss", "stop"])
    assert found.property == "survival" and found.monotone and found.complete
    signs = {str(a): found.sign(a) for a in found.atoms}
    assert signs == {"loss on A→B": "✘ 2", "stop of A": "✘ 1", "stop of B": "✔"}
    assert [(in_words(t.atoms), found.extent(t)) for t in found.tolerated] == [
        ("stop of B", "any channel length")
    ]
    within = frontier(formats.loads(TWICE), faults=["loss", "stop"], budget=Budget(1))
    assert within.sign(within.atoms[0]) == "✔", "one loss is survived"


def test_requirements_count_and_a_bound_is_named() -> None:
    found = frontier(formats.loads(TIMER), faults=["loss", "stop"], effort=0)
    signs = {str(a): found.sign(a) for a in found.atoms}
    assert signs["loss on Client→Server"] == signs["loss on Server→Client"] == "◐"
    assert signs["stop of Client"].startswith("✘"), "survival does not break, and the requirement does"
    broken = {str(b.atoms[0]): found.reason(b) for b in found.breaking}
    assert broken["stop of Client"].startswith("answer: ")
    assert all("up to channels of length" in found.extent(t) for t in found.tolerated)
    recovers = frontier(formats.loads(TIMER), "recovers", faults=["stop"], processes=["Client"], effort=0)
    assert not recovers.breaking
    assert frontier(formats.loads(TIMER), "answer", faults=["loss"], effort=0).property == "answer"


def test_what_fails_without_faults_is_the_whole_answer() -> None:
    found = frontier(sp.protocol("stop-and-wait"))
    assert found.without_faults is not None and found.asked == 1
    assert found.tolerated == () and found.exit_code == 1


def test_faults_of_the_file_are_choices_unless_they_are_kept() -> None:
    declared = TWICE.replace("role A", "faults A -> B: loss, corrupt(x => y)\nrole A", 1)
    system = formats.loads(declared)
    found = frontier(system, faults=["loss", "corrupt"])
    assert {str(a): found.sign(a) for a in found.atoms} == {
        "loss on A→B": "✘ 2",
        "corruption on A→B": "✘ 1",
    }
    (corrupted,) = [b.report.model for b in found.breaking if b.atoms[0].fault == "corrupt"]
    assert corrupted.on(Channel("A", "B")).becomes == {"x": {"y"}}, "as the file says"
    kept = choices(system, ["loss", "corrupt", "reorder"], declared=True)
    assert [a.fault for a in kept] == ["reorder"]


def test_how_many_faults() -> None:
    found = fault_counts(formats.loads(TWICE), faults=["loss", "reorder", "stop"])
    assert [row.fault for row in found.counts] == ["loss", "reorder", "stop", "together"]
    assert found["loss"].sentence == "survives any single loss; 2 break it"
    assert found["reorder"].sentence == "survives any number of reorderings, any channel length"
    assert found["stop"].sentence == "1 stop breaks it"
    assert found["together"].sentence == "1 fault breaks it" and found.exit_code == 1
    with pytest.raises(UsageError, match="no count of 'lost'"):
        found["lost"]
    with pytest.raises(UsageError, match="no number of faults"):
        fault_counts(formats.loads(TWICE), "k-mc")


def test_counts_within_a_budget_say_so() -> None:
    system, kinds = formats.loads(TWICE), ["loss", "reorder", "stop"]
    found = fault_counts(system, faults=kinds, budget=Budget(1))
    assert found["loss"].sentence == "survives every run with at most 1 fault, any channel length"
    by_kind = fault_counts(system, faults=kinds, budget=Budget(None, {"loss": 1, "stop": 0}))
    assert by_kind["loss"].sentence == "survives every run with at most 1 loss, any channel length"
    assert by_kind["reorder"].sentence == "survives any number of reorderings, any channel length"
    together = "survives every run with at most 1 loss and 0 stops, any channel length"
    assert by_kind["together"].sentence == together


def test_counts_say_which_crash_was_assumed() -> None:
    found = fault_counts(formats.loads(TWICE), faults=["loss", "stop", "restart"])
    assert found.notes == ("a stop is silent; a restart goes to the initial state or the last durable one",)


@pytest.mark.parametrize("name", ["rsc", "half-duplex"])
def test_what_is_not_defined_under_duplication_has_no_frontier_there(name: str) -> None:
    system = formats.loads(TWICE)
    with pytest.raises(UsageError, match=f"{name} is not defined under duplication"):
        frontier(system, name, faults=["loss", "duplicate"])
    with pytest.raises(UsageError, match="any number of faults only"):
        frontier(system, name, budget=Budget(1))
    declared = formats.loads(TWICE.replace("role A", "faults A -> B: duplicate\nrole A", 1))
    with pytest.raises(UsageError, match=f"{name} is not defined under duplication"):
        frontier(declared, name, file_faults=True)
    assert frontier(declared, name).complete, "unless the file's faults are kept"


def test_json_follows_its_schema() -> None:
    text = (resources.files("stormproof") / "schemas" / "frontier.schema.json").read_text("utf-8")
    system = formats.loads(TIMER)
    few: dict[str, Any] = {"faults": ["loss", "stop"], "effort": 0}
    for found in (frontier(system, **few), frontier(system, "rsc"), fault_counts(system, **few)):
        jsonschema.validate(json.loads(json.dumps(found.to_json())), json.loads(text))


def test_one_fault_is_the_fewest_where_none_breaks_it_for_any_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the search for a choice by itself had no time to show it."""
    monkeypatch.setattr(module, "decisive", lambda report: replace(decisive(report), fewest=False))
    order = "role A { s: B!open -> m\n m: B!data -> e\n e: }\nrole B { s: A?open -> m\n m: A?data -> e\n e: }"
    found = frontier(formats.loads(order, "storm"), faults=["loss", "stop"])
    assert [found.sign(atom) for atom in found.atoms] == ["✘ 1", "✘ 1", "✔"]
    endless = frontier(formats.loads("role A { s: B!m -> s }\nrole B { s: A?m -> t\n t: }", "storm"), k=1)
    assert {found.verdict.fewest for found in endless.breaking} == {False}


def many_choices(count: int) -> Frontier:
    """Nothing was decided in time but the last two choices, of which one breaks it."""
    roles = "\n".join(
        f"role R{i} {{ a: R{(i + 1) % count}!x -> a  R{i - 1 if i else count - 1}?x -> a }}"
        for i in range(count)
    )
    system = formats.loads(roles, "storm")
    atoms = choices(system, ("loss", "stop"))
    report = check(sp.protocol("alternating-bit"), Failures(loss=True))
    broken = replace(report.verdicts[0], holds=False)
    return Frontier(
        system=system,
        property="survival",
        k=None,
        atoms=atoms,
        tolerated=(Tolerated(atoms[-2:-1]),),
        breaking=(Breaking(atoms[-1:], report, broken),),
        undecided=tuple((atom,) for atom in atoms[:-2]),
        asked=len(atoms) + 1,
        covered="",
        monotone=True,
        complete=False,
        seconds=1.0,
        survival=True,
    )


def test_thousands_of_choices_are_shown_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    """After the deadline: so with no more than somebody reads, the breaking ones among it."""
    found = many_choices(1500)
    start = time.process_time()
    print_frontier(console(), found)
    assert time.process_time() - start < 5
    shown = capsys.readouterr().out
    text = " ".join(shown.split())
    assert shown.count("\n") < 300
    assert text.count("and 1,400 more; --json lists all") == 2
    assert text.count("and 2,986 more sets; --json lists all") == 1
    assert "R1499 ✘" in text, "what breaks it is in the map"
    assert "2^3000 failure models: 3,001 searched" in text
    json.dumps(found.to_json())


def test_the_number_of_failure_models_may_be_too_long_to_write() -> None:
    found = replace(many_choices(3), atoms=many_choices(3).atoms * 4000)
    assert json.loads(json.dumps(found.to_json()))["failure_models"] is None
