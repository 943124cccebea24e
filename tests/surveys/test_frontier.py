"""The frontier of tolerated failures, against asking about every failure model."""

from __future__ import annotations

import random
import sys
from typing import Any

import pytest

import stormproof as sp
from stormproof import formats
from stormproof.checks.api import check
from stormproof.checks.report import Report, Verdict
from stormproof.errors import UsageError
from stormproof.model.actions import Channel
from stormproof.model.failures import Failures
from stormproof.model.system import System
from stormproof.surveys.antichains import maximal_sets, minimal_sets, subsets
from stormproof.surveys.frontier import Atom, choices, frontier, in_words
from tests.support.random_systems import random_system

FAULTS = ("loss", "corrupt", "reorder")


def brute(system: System, name: str, atoms: tuple[Atom, ...], k: int) -> tuple[set[object], set[object]]:
    """Every failure model asked: the maximal good sets and the minimal bad ones."""
    good: list[frozenset[int]] = []
    bad: list[frozenset[int]] = []
    for choice in subsets(len(atoms)):
        chosen = [atoms[i] for i in choice]
        on: dict[str, Any] = {f: [a.channel for a in chosen if a.fault == f] for f in FAULTS}
        failures = Failures(**on, crash=[a.process for a in chosen if a.process])
        answer = check(system, failures, k=k, properties=[name], replay=False)[name].holds
        assert answer is not None
        (good if answer else bad).append(choice)
    return (
        {frozenset(atoms[i] for i in c) for c in maximal_sets(good)},
        {frozenset(atoms[i] for i in c) for c in minimal_sets(bad)},
    )


@pytest.mark.parametrize("chunk", range(4))
@pytest.mark.parametrize("name", ["rsc", "k-wmc", "k-pg"])
def test_against_brute_force(chunk: int, name: str) -> None:
    for seed in range(chunk * 10, chunk * 10 + 10):
        rng = random.Random(f"{name} {seed}")
        system = random_system(rng, processes=rng.choice((2, 3)), internal=0.05)
        atoms = choices(system, processes=system.names[:1])[-6:] if system.channels else ()
        if not atoms:
            continue
        picked: dict[str, Any] = {
            "faults": {a.fault for a in atoms},
            "channels": [a.channel for a in atoms if a.channel] or None,
            "processes": [a.process for a in atoms if a.process],
        }
        found = frontier(system, name, k=2, **picked)
        good, bad = brute(system, name, found.atoms, 2)
        assert {frozenset(t) for t in found.tolerated} == good, seed
        assert {frozenset(b.atoms) for b in found.breaking} == bad, seed
        assert found.complete
        for breaking in found.breaking:
            assert breaking.verdict.holds is False and breaking.verdict.replayed is not False


def test_the_choices_that_count() -> None:
    system = sp.protocol("alternating-bit")
    assert len(choices(system)) == 6
    assert len(choices(system, faults=["loss"])) == 2
    assert choices(system, faults=["crash"]) == (
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

    monkeypatch.setattr(sys.modules[frontier.__module__], "check", interrupted)
    with pytest.raises(KeyboardInterrupt):
        frontier(sp.protocol("alternating-bit"), "k-mc")
    assert len(asked) == 1


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
            assert all(atom in atoms for atoms in found.tolerated), "it never matters"
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
    assert [str(a) for a in found.atoms][:2] == ["stop of Client", "stop of Lock"]
    alone = {str(b.atoms[0]) for b in found.breaking if len(b.atoms) == 1}
    assert {"stop of Client", "stop of Lock", "restart of Lock"} <= alone
    assert found.atoms[0].to_json() == {"stop": "Client"}
