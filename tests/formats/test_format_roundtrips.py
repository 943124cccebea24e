"""`System -> text -> System` through every language that is read and written: equal, or refused in words."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from formats_traces import same_traces

from shared import peer_files
from stormproof import formats
from stormproof.errors import FormatError
from stormproof.isomorphism import same_up_to_states
from stormproof.model import Internal, System
from strategies import odd_system

#: Languages of automata that are read and written; `.ctx`, which has only session types, is tested apart.
BOTH_WAYS = sorted(f.name for f in formats.FORMATS.values() if f.read and f.write and f.name != "ctx")
#: Languages without internal actions, which they refuse to write.
NO_INTERNAL = {"kmc", "fsa"}


def equal(language: str, first: System, second: System) -> bool:
    """Up to state names; for session types, up to traces."""
    return same_traces(first, second) if language == "kmc" else same_up_to_states(first, second)


@pytest.mark.parametrize("language", BOTH_WAYS)
@pytest.mark.parametrize("chunk", range(4))
def test_whatever_a_system_may_have_comes_back(language: str, chunk: int) -> None:
    for seed in range(100 * chunk, 100 * chunk + 100):
        system = odd_system(random.Random(seed))
        internal = any(isinstance(t.action, Internal) for p in system for t in p.transitions)
        try:
            text = formats.dumps(system, language)
        except FormatError:
            assert language in NO_INTERNAL and internal, f"seed {seed}"
            continue
        again = formats.loads(text, language)
        assert equal(language, system, again), f"seed {seed}:\n{text}"
        assert again.name == system.name, f"seed {seed}"
        found = formats.detect(text, "<input>").name
        assert found == language, f"seed {seed}: taken for {found}"


@pytest.mark.parametrize("language", ["storm", "json"])
def test_the_two_own_languages_keep_even_state_names(language: str) -> None:
    for seed in range(1000, 1200):
        system = odd_system(random.Random(seed))
        again = formats.loads(formats.dumps(system, language), language)
        assert again.processes == system.processes if language == "json" else _same_names(again, system), seed
        assert set(again.faults) == set(system.faults), seed


def _same_names(first: System, second: System) -> bool:
    """Equal but for the order of transitions of different states, which .storm groups."""
    return all(
        (a.name, a.initial, a.states, a.reliable, set(a.transitions))
        == (b.name, b.initial, b.states, b.reliable, set(b.transitions))
        for a, b in zip(first.processes, second.processes, strict=True)
    )


@pytest.mark.parametrize("language", BOTH_WAYS)
@pytest.mark.parametrize("path", [*peer_files("kmc", "*.txt"), *peer_files("dot", "*.dot")])
def test_other_tools_files_convert_to_every_language_and_back(path: Path, language: str) -> None:
    system = formats.load(path)
    again = formats.loads(formats.dumps(system, language), language)
    assert equal(language, system, again)
    text = formats.dumps(again, language)
    assert formats.dumps(formats.loads(text, language), language) == text


@pytest.mark.parametrize("path", [*peer_files("kmc", "*.txt"), *peer_files("dot", "*.dot")])
def test_other_tools_files_survive_a_chain_of_all_languages(path: Path) -> None:
    system = formats.load(path)
    passed = system
    for language in BOTH_WAYS:
        if language != "kmc":
            passed = formats.loads(formats.dumps(passed, language), language)
    assert same_up_to_states(system, passed)
