"""The protocols with constants in `examples`, beside the flat ones of the library for the same numbers."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import stormproof as sp
from stormproof.kernel.model.system import System
from stormproof.languages import protocols
from stormproof.languages.formats import fmt
from stormproof.tell.lint.api import lint
from tests.support.paths import ROOT

FILES = sorted((ROOT / "examples").glob("*.storm"))


def example(name: str, **constants: int) -> System:
    return sp.load(ROOT / "examples" / f"{name}.storm", constants=constants)


def without_requirements(system: System) -> System:
    return replace(system, requirements=())


def verdicts(system: System) -> dict[str, bool | None]:
    return {v.property: v.ok for v in sp.check(system, effort=0, classes=False)}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_example_is_laid_out_and_has_no_warnings(path: Path) -> None:
    text = path.read_text()
    assert fmt(text) == text
    assert not lint(text)[1]
    lines = [line for line in text.splitlines() if line and not line.startswith("//")]
    assert len(lines) <= 40


def flat(name: str) -> System:
    """The same with a state for each value, and 0 and 1 as contents."""
    text = (Path(__file__).with_name("flat") / f"{name}.storm").read_text("utf-8")
    return sp.loads(re.sub(r", ([xy])\)", lambda m: f", {'xy'.index(m[1])})", text))


def test_go_back_n_is_that_with_a_state_for_each_value() -> None:
    """There contents alternate, which is enough for an odd number of numbers."""
    text = protocols.source("go-back-n")
    ours, theirs = sp.loads(re.sub(r"div numbers( mod 2)?", "mod 2", text)), flat("go-back-2-mod-3")
    assert sp.compare(without_requirements(ours), without_requirements(theirs)).equal
    assert verdicts(ours) == verdicts(theirs)


def test_a_window_as_large_as_the_numbers_breaks_go_back_n_as_the_flat_one() -> None:
    ours, theirs = protocols.protocol("go-back-n-too-few"), flat("go-back-2-mod-2")
    assert sp.compare(without_requirements(ours), without_requirements(theirs)).equal
    assert verdicts(ours) == verdicts(theirs)


def test_two_phase_commit_is_that_of_the_library() -> None:
    ours, theirs = example("two-phase-commit"), protocols.protocol("two-phase-commit")
    ours = replace(ours, processes=tuple(replace(p, rest=None) for p in ours))
    assert sp.compare(without_requirements(ours), without_requirements(theirs), any_roles=True).equal
    assert verdicts(example("two-phase-commit")) == verdicts(theirs)


@pytest.mark.parametrize("participants", [1, 3, 4])
def test_two_phase_commit_is_atomic_among_any_number(participants: int) -> None:
    found = verdicts(example("two-phase-commit", participants=participants))
    assert set(found.values()) == {True}


RAFT = protocols.source("raft-election")


@pytest.mark.parametrize(("nodes", "terms"), [(2, 1), (3, 1), (3, 2)])
def test_raft_elects_one_leader_a_term(nodes: int, terms: int) -> None:
    system = sp.loads(RAFT, constants={"nodes": nodes, "terms": terms})
    (verdict,) = sp.check(replace(system, faults=()), effort=0, properties=["one-leader"])
    assert verdict.holds


def test_raft_decides_as_the_flat_protocol_with_a_state_for_each_value() -> None:
    """The flat one asks its peers in a fixed order, and so the two are not the same automata."""
    theirs = sp.load(Path(__file__).with_name("flat") / "raft-election.storm")
    ours = sp.loads(RAFT)
    assert [r.name for r in ours.requirements] == [r.name for r in theirs.requirements]
    for system in (ours, theirs):
        assert all(v.ok for v in sp.check(system, max_k=1, effort=0, classes=False))


def test_without_a_majority_raft_has_two_leaders() -> None:
    text = RAFT.replace("size(votes) * 2 > nodes", "size(votes) > 0")
    (verdict,) = sp.check(sp.loads(text), properties=["one-leader"])
    assert verdict.holds is False
