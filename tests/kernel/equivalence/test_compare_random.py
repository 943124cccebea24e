"""Equality up to names against the definitions: every bijection and every trace of tiny random automata."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import permutations, product

import pytest

from stormproof.kernel.equivalence.compare import compare
from stormproof.kernel.equivalence.trace_difference import of_traces
from stormproof.kernel.model.actions import Action, Channel, Internal, Receive, Send, Transition
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System
from tests.support.equality import rename_states
from tests.support.example_systems import all_channels

SPELLINGS = ("m(int)", "m(i32)", "m(integer)", "n")


def tiny(rng: random.Random) -> System:
    def automaton(name: str, peer: str) -> Process:
        states = [f"q{i}" for i in range(rng.randint(1, 3))]
        words = rng.sample(SPELLINGS, rng.randint(1, 2))
        rows = [
            (rng.choice(states), rng.choice((Send, Receive))(peer, rng.choice(words)), rng.choice(states))
            for _ in range(rng.randint(0, 4))
        ]
        return Process(name, states[0], tuple(rows))

    return System([automaton("A", "B"), automaton("B", "A")])


def shuffled(rng: random.Random, system: System) -> System:
    """Other names of states, and of the messages of each channel."""
    words = {
        c: dict(zip(SPELLINGS[:3], rng.sample(SPELLINGS[:3], 3), strict=True)) for c in all_channels(system)
    }

    def respelt(name: str, action: Action) -> Action:
        assert isinstance(action, Send | Receive)
        channel = Channel(name, action.peer) if isinstance(action, Send) else Channel(action.peer, name)
        return replace(action, message=words[channel].get(str(action.message), action.message))

    processes = []
    for p in system:
        names = dict(zip(p.states, rng.sample(p.states, len(p.states)), strict=True))
        rows = tuple(Transition(s, respelt(p.name, a), t) for s, a, t in p.transitions)
        processes.append(rename_states(replace(p, transitions=rows), names))
    return System(tuple(processes))


def brute_equal(first: System, second: System) -> bool:
    """Some bijection of each channel's messages that changes nothing but a sort's spelling, and nothing at
    all where a system has two spellings of it, and some bijection of each role's states."""
    channels = all_channels(first)
    options = [list(bijections(first.alphabet(c), second.alphabet(c))) for c in channels]
    for choice in product(*options):
        words = dict(zip(channels, choice, strict=True))
        if all(brute_isomorphic(first[n], second[n], words) for n in first.names):
            return True
    return False


def bijections(ours: tuple[object, ...], theirs: tuple[object, ...]) -> list[dict[object, object]]:
    """From their messages to ours: all as they are, or one spelling for the other where each has just one."""

    def spelt(alphabet: tuple[object, ...]) -> int:
        return sum(m != "n" for m in alphabet)

    exact = {m: m for m in theirs}
    if spelt(ours) == spelt(theirs) == 1:
        one, other = (next(m for m in alphabet if m != "n") for alphabet in (ours, theirs))
        return [exact, {**exact, other: one}]
    return [exact]


def brute_isomorphic(a: Process, b: Process, words: dict[Channel, dict[object, object]]) -> bool:
    a, b = a.trim(), b.trim()
    if len(a.states) != len(b.states):
        return False

    def act(action: Action) -> tuple[object, ...]:
        assert isinstance(action, Send | Receive)
        channel = Channel(b.name, action.peer) if isinstance(action, Send) else Channel(action.peer, b.name)
        return type(action), words[channel][action.message]

    mine = {(s, type(x), x.message, t) for s, x, t in a.transitions if not isinstance(x, Internal)}
    for images in permutations(a.states):
        names = dict(zip(b.states, images, strict=True))
        if (
            names[b.initial] == a.initial
            and {(names[s], *act(x), names[t]) for s, x, t in b.transitions} == mine
        ):
            return True
    return False


@pytest.mark.parametrize("chunk", range(5))
def test_compare_agrees_with_all_bijections(chunk: int) -> None:
    equal = respelt = 0
    for seed in range(chunk * 400, chunk * 400 + 400):
        rng = random.Random(seed)
        first = tiny(rng)
        second = shuffled(rng, first) if rng.random() < 0.7 else tiny(rng)
        expected = brute_equal(first, second)
        found = compare(first, second)
        equal, respelt = equal + expected, respelt + bool(expected and found.identified)
        assert found.equal == expected, seed
        assert bool(found.differences) != expected, seed
    assert equal > 100 and respelt > 30


def traces(process: Process, longest: int) -> set[tuple[Action, ...]]:
    found: set[tuple[Action, ...]] = set()
    layer: set[tuple[tuple[Action, ...], str]] = {((), process.initial)}
    for _ in range(longest + 1):
        found |= {word for word, _ in layer}
        layer = {((*word, t.action), t.target) for word, s in layer for t in process.outgoing(s)}
    return found


def test_the_trace_that_parts_two_automata_is_shortest() -> None:
    """By enumeration of all traces of length up to 4; automata of three states may part later, or never."""
    parted = 0
    for seed in range(1000):
        rng = random.Random(seed)
        left, right = (tiny(rng)["A"] for _ in range(2))
        ours, theirs = traces(left, 4), traces(right, 4)
        found, complete = of_traces(left, right)
        assert complete
        shortest = min((len(word) for word in ours ^ theirs), default=None)
        if found is None:
            assert shortest is None, seed
            continue
        parted += 1
        assert (len(found.trace) + 1 == shortest) if shortest else len(found.trace) >= 4, seed
        if shortest:
            assert found.trace in ours and found.trace in theirs, seed
            assert {(*found.trace, a) for a in set(found.left) ^ set(found.right)} <= ours ^ theirs, seed
    assert parted > 500
