"""How many configurations there are, counted by hand."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest

from stormproof.kernel.model.actions import Send, Transition
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System
from stormproof.languages.formats import load
from tests.support.engine_queries import ALWAYS, chain, crashing_stream, decide, pairs, perfect, stream
from tests.support.peer_files import peers

COMBINATIONS = [
    dict(zip(("loss", "corrupt", "reorder"), flags)) for flags in itertools.product((False, True), repeat=3)
]


def count(system: System, k: int, **faults: Any) -> int:
    return decide(system, Failures(**faults).on(system), k, ALWAYS).states


@pytest.mark.parametrize("k", [1, 2, 3, 7, 30])
@pytest.mark.parametrize("faults", COMBINATIONS, ids=str)
def test_one_message_is_a_length(k: int, faults: dict[str, bool]) -> None:
    assert count(System(stream("a")), k, **faults) == k + 1


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_two_messages_as_words_multisets_and_lengths(k: int) -> None:
    system = System(stream("a", "b"))
    words, multisets = 2 ** (k + 1) - 1, (k + 1) * (k + 2) // 2
    assert count(system, k) == words
    assert count(system, k, loss=True) == words
    assert count(system, k, reorder=True) == multisets
    assert count(system, k, reorder=True, loss=True) == multisets
    assert count(system, k, corrupt=True) == k + 1
    assert count(system, k, corrupt=True, reorder=True, loss=True) == k + 1
    assert count(system, k, corrupt_map=[("P->Q", "a", "b")]) == words
    assert count(system, k, corrupt_map=[("P->Q", "a", "b")], reorder=True) == multisets


@pytest.mark.parametrize("k", [1, 2, 4])
@pytest.mark.parametrize("faults", COMBINATIONS, ids=str)
def test_the_crash_message_counts_towards_the_bound(k: int, faults: dict[str, bool]) -> None:
    """P streams (k + 1), is crashed and silent (k + 1), has said so after fewer than k (k), is heard (1)."""
    assert count(crashing_stream("a"), k, **faults) == (k + 1) + (k + 1) + k + 1


@pytest.mark.parametrize("k", [2, 3])
def test_the_crash_message_stays_last_when_others_are_reordered(k: int) -> None:
    def multisets(n: int) -> int:
        return (n + 1) * (n + 2) // 2

    assert count(crashing_stream("a", "b"), k, reorder=True) == 2 * multisets(k) + multisets(k - 1) + 1


def test_a_channel_wider_than_a_word() -> None:
    """Forty different messages at k = 30: 181 bits. Pairs (sent, received) at most 30 apart."""
    system = System(chain(40))
    assert count(system, 30) == sum(41 - ahead for ahead in range(31))


def test_loss_leaves_any_subword() -> None:
    """Of the messages sent and not yet passed by the receiver any may be left: 2**n of n."""
    assert count(System(chain(3)), 3, loss=True) == sum((4 - ahead) * 2**ahead for ahead in range(4))


def test_wide_channels_under_loss_agree_with_narrow_ones() -> None:
    """The same runs, once with messages that need one word of 64 bits and once with two."""
    small = System(chain(5))
    unused = [f"u{i}" for i in range(1000)]
    sender, receiver = chain(5)
    padded = System((_with_unused(sender, unused), receiver))
    corruptions = [("P->Q", "m0", "m1"), ("P->Q", "m2", "m3")]
    for failures in (Failures(), Failures(loss=True), Failures(corrupt_map=corruptions)):
        narrow = decide(small, failures.on(small), 7, ALWAYS)
        wide = decide(padded, failures.on(padded), 7, ALWAYS)
        assert narrow.words < wide.words
        assert (narrow.states, narrow.transitions) == (wide.states, wide.transitions)
        assert narrow.violated == wide.violated


def _with_unused(process: Process, messages: list[str]) -> Process:
    rows = tuple(Transition("nowhere", Send("Q", m), "nowhere") for m in messages)
    return replace(process, transitions=process.transitions + rows)


def test_independent_streams_multiply() -> None:
    assert count(pairs(3, "a", "b"), 2) == 7**3
    assert count(pairs(4, "a"), 3, reorder=True) == 4**4


def test_the_elevator() -> None:
    system = load(peers("kmc", "elevator-extra.txt"))
    assert decide(system, perfect(system), 7, ALWAYS, threads=2).states == 579_360
