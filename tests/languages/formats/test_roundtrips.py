"""`System -> text -> System` through every language that is read and written: equal, or refused in words."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from stormproof.errors import FormatError
from stormproof.kernel.model.actions import Internal
from stormproof.kernel.model.faults import ChannelFaults
from stormproof.kernel.model.system import System
from stormproof.languages import formats
from tests.support.equality import same_traces, same_up_to_states
from tests.support.odd_systems import odd_system, odd_systems, with_declarations
from tests.support.peer_files import peer_files
from tests.support.random_mailboxes import random_mailboxes

#: Languages that are read and written.
BOTH_WAYS = sorted(f.name for f in formats.FORMATS.values() if f.read and f.write)
#: Session types: trees that share no states, so that only traces come back. Those of `.ctx` are local types,
#: which many automata are not; it has tests of its own, and is asked here for what it can express.
TREES = {"kmc", "ctx"}
AUTOMATA = sorted({*BOTH_WAYS} - {"ctx"})
#: Languages without internal actions, which they refuse to write.
NO_INTERNAL = {"kmc", "fsa"}


def equal(language: str, first: System, second: System) -> bool:
    """Up to state names; for session types, up to traces."""
    return same_traces(first, second) if language in TREES else same_up_to_states(first, second)


def writable(system: System, language: str) -> System:
    """Without its internal actions, where the language has none; with them it is refused.

    A session type has no unreachable states, so what those do does not matter, unless corruption counts it.
    """
    if language == "kmc":
        system = system.trim()
    if language not in NO_INTERNAL or not any(p.has_internal for p in system):
        return system
    with pytest.raises(FormatError, match="no internal actions"):
        formats.dumps(system, language)
    bare = (
        replace(p, transitions=tuple(t for t in p.transitions if not isinstance(t.action, Internal)))
        for p in system
    )
    stripped = replace(system, processes=tuple(bare))
    return stripped.trim() if language == "kmc" else stripped


@pytest.mark.parametrize("language", AUTOMATA)
@pytest.mark.parametrize("chunk", range(4))
def test_whatever_a_system_may_have_comes_back(language: str, chunk: int) -> None:
    for seed in range(100 * chunk, 100 * chunk + 100):
        system = writable(odd_system(random.Random(seed)), language)
        text = formats.dumps(system, language)
        again = formats.loads(text, language)
        assert equal(language, system, again), f"seed {seed}:\n{text}"
        assert again.name == system.name, f"seed {seed}"
        found = formats.detect(text, "<input>").name
        assert found == language, f"seed {seed}: taken for {found}"


@pytest.mark.parametrize("language", AUTOMATA)
@settings(max_examples=40)
@given(system=odd_systems())
def test_text_system_text_system(language: str, system: System) -> None:
    """As a property, which shrinks: what has been read once is read again as the same."""
    system = writable(system, language)
    once = formats.loads(formats.dumps(system, language), language)
    twice = formats.loads(formats.dumps(once, language), language)
    assert equal(language, system, once) and equal(language, once, twice)


def test_mailboxes_come_back_from_scm_or_are_refused() -> None:
    """Also where each has one sender, and where nobody sends what is received; its receptions name no sender,
    so a system in which that matters is refused."""
    read = refused = 0
    for seed in range(400):
        system, _ = random_mailboxes(seed)
        system = replace(system, faults=_some_faults(random.Random(seed), system))
        try:
            text = formats.dumps(system, "scm")
        except FormatError as problem:
            assert "does not name the sender" in problem.message
            refused += 1
            continue
        again = formats.loads(text, "scm")
        assert again.mailboxes and same_up_to_states(system, again), f"seed {seed}:\n{text}"
        read += 1
    assert read > 200 and refused > 50


def _some_faults(rng: random.Random, system: System) -> tuple[ChannelFaults, ...]:
    """On pairs that need not have messages."""
    pairs = {(rng.choice(system.names), rng.choice(system.names)) for _ in range(rng.randrange(3))}
    return tuple(ChannelFaults(a, b, loss=True, duplicate=rng.random() < 0.5) for a, b in sorted(pairs))


@pytest.mark.parametrize("language", ["storm", "json"])
def test_the_two_own_languages_keep_even_state_names(language: str) -> None:
    for seed in range(1000, 1200):
        rng = random.Random(seed)
        system = with_declarations(rng, odd_system(rng))
        again = formats.loads(formats.dumps(system, language), language)
        assert again.processes == system.processes if language == "json" else _same_names(again, system), seed
        assert set(again.faults) == set(system.faults), seed


def _same_names(first: System, second: System) -> bool:
    """Equal but for the order of transitions of different states, which .storm groups."""
    return all(
        replace(a, transitions=()) == replace(b, transitions=()) and set(a.transitions) == set(b.transitions)
        for a, b in zip(first.processes, second.processes, strict=True)
    )


@pytest.mark.parametrize("language", BOTH_WAYS)
@pytest.mark.parametrize("path", [*peer_files("kmc", "*.txt"), *peer_files("dot", "*.dot")])
def test_other_tools_files_convert_to_every_language_and_back(path: Path, language: str) -> None:
    system = formats.load(path)
    if language == "ctx" and not (system.csa and system.directed):
        with pytest.raises(FormatError):
            formats.dumps(system, language)
        return
    again = formats.loads(formats.dumps(system, language), language)
    assert equal(language, system, again)
    text = formats.dumps(again, language)
    assert formats.dumps(formats.loads(text, language), language) == text


@pytest.mark.parametrize("path", [*peer_files("kmc", "*.txt"), *peer_files("dot", "*.dot")])
def test_other_tools_files_survive_a_chain_of_all_languages(path: Path) -> None:
    system = formats.load(path)
    passed = system
    for language in BOTH_WAYS:
        if language not in TREES:
            passed = formats.loads(formats.dumps(passed, language), language)
    assert same_up_to_states(system, passed)
