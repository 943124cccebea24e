"""Extraction agrees with the automata of the generators, which are made by hand, up to renaming.

The generators also receive messages that nobody sends, which extraction leaves out; so do these tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

import stormproof as sp
from stormproof.kernel.equivalence.isomorphism import isomorphism
from stormproof.kernel.model.actions import Message, Receive, Send
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System
from stormproof.programs.extraction.role import RoleCall


def without_dead_receptions(system: System) -> System:
    """Without receptions of what nobody sends, and what only they lead to: the least fixpoint."""
    sent: set[tuple[str, str, Message]] = set()
    while True:
        pruned = replace(system, processes=tuple(_receiving_only(p, sent) for p in system)).trim()
        now = {
            (p.name, t.action.peer, t.action.message)
            for p in pruned
            for t in p.transitions
            if isinstance(t.action, Send)
        }
        if now == sent:
            return pruned
        sent = now


def _receiving_only(process: Process, sent: set[tuple[str, str, Message]]) -> Process:
    rows = process.transitions
    kept = (
        t for t in rows if not isinstance(a := t.action, Receive) or (a.peer, process.name, a.message) in sent
    )
    return replace(process, transitions=tuple(kept))


def extracted(roles: Mapping[str, RoleCall], messages: Mapping[str, str]) -> System:
    """The system of the roles, with the messages as the generator spells them."""
    return System(sp.extract(dict(roles), second_process=False).processes).rename(messages=messages)


def assert_isomorphic(roles: Mapping[str, RoleCall], by_hand: System, messages: Mapping[str, str]) -> None:
    found, expected = extracted(roles, messages), without_dead_receptions(by_hand)
    assert found.names == expected.names
    for left, right in zip(found, expected, strict=True):
        assert isomorphism(replace(left, rest=None), right) is not None, left.name


@sp.role
def Node(holds: bool, before: str, after: str) -> Any:
    while True:
        if not holds:
            yield sp.receive(before)
        yield sp.send(after, "token")
        holds = False


def neighbours(name: str, i: int, size: int) -> tuple[str, str]:
    return f"{name}{(i - 2) % size + 1}", f"{name}{i % size + 1}"


@pytest.mark.parametrize(("size", "tokens"), [(2, 1), (4, 1), (4, 3)])
def test_a_ring(size: int, tokens: int) -> None:
    roles = {f"Node{i}": Node(i <= tokens, *neighbours("Node", i, size)) for i in range(1, size + 1)}
    assert_isomorphic(roles, sp.generate("ring", size=size, tokens=tokens), {})


@sp.role
def Source(after: str) -> Any:
    while True:
        yield sp.send(after, "item")


@sp.role
def Stage(before: str, after: str) -> Any:
    while True:
        yield sp.receive(before)
        yield sp.send(after, "item")


@sp.role
def Sink(before: str) -> Any:
    while True:
        yield sp.receive(before)


def test_a_pipeline() -> None:
    roles = {
        "Source": Source("Stage1"),
        "Stage1": Stage("Source", "Stage2"),
        "Stage2": Stage("Stage1", "Sink"),
    }
    assert_isomorphic({**roles, "Sink": Sink("Stage2")}, sp.generate("pipeline", stages=2), {})


@sp.role
def Sends(receiver: str, messages: int) -> Any:
    while True:
        for i in range(messages):
            yield sp.send(receiver, f"m{i + 1}")
        yield sp.receive(receiver)


@sp.role
def Confirms(sender: str, messages: int) -> Any:
    while True:
        for i in range(messages):
            yield sp.receive((sender, f"m{i + 1}"))
        yield sp.send(sender, "receipt")


def test_pairs() -> None:
    roles = {
        name: call
        for i in (1, 2)
        for name, call in (
            (f"Sender{i}", Sends(f"Receiver{i}", 3)),
            (f"Receiver{i}", Confirms(f"Sender{i}", 3)),
        )
    }
    assert_isomorphic(roles, sp.generate("pairs", pairs=2, messages=3), {})


@sp.role
def Hub(leaves: int) -> Any:
    while True:
        for i in range(1, leaves + 1):
            yield sp.send(f"Leaf{i}", "ask")
            yield sp.receive(f"Leaf{i}")


@sp.role
def Leaf() -> Any:
    while True:
        yield sp.receive("Hub")
        yield sp.send("Hub", "answer")


def test_a_star() -> None:
    roles = {"Hub": Hub(3), **{f"Leaf{i}": Leaf() for i in (1, 2, 3)}}
    assert_isomorphic(roles, sp.generate("star", leaves=3), {})


@sp.role
def Candidate(me: int, largest: bool, before: str, after: str) -> Any:
    yield sp.send(after, "id", me)
    while True:
        heard = yield sp.receive((before, "id") if largest else before)
        if heard.name == "leader":
            yield sp.send(after, "leader", *heard.fields)
            return
        if heard.fields[0] == me:
            yield sp.send(after, "leader", me)
            yield sp.receive((before, "leader"))
            return
        if heard.fields[0] > me:
            yield sp.send(after, "id", heard.fields[0])


@pytest.mark.parametrize("nodes", [2, 3, 5])
def test_leader_election(nodes: int) -> None:
    roles = {f"Node{i}": Candidate(i, i == nodes, *neighbours("Node", i, nodes)) for i in range(1, nodes + 1)}
    spelt = {f"{word}({i})": f"{word}{i}" for word in ("id", "leader") for i in range(1, nodes + 1)}
    assert_isomorphic(roles, sp.generate("leader-election", nodes=nodes), spelt)


@sp.role
def Philosopher(first: str, second: str) -> Any:
    while True:
        for fork in (first, second):
            yield sp.send(fork, "take")
            yield sp.receive((fork, "granted"))
        for fork in (first, second):
            yield sp.send(fork, "release")


@sp.role
def Fork(left: str, right: str) -> Any:
    while True:
        asked = yield sp.receive((left, "take"), (right, "take"))
        yield sp.send(asked.peer, "granted")
        yield sp.receive((asked.peer, "release"))


def test_dining_philosophers() -> None:
    people = {f"Philosopher{i}": Philosopher(f"Fork{i}", f"Fork{i % 3 + 1}") for i in (1, 2, 3)}
    forks = {f"Fork{i}": Fork(f"Philosopher{i}", f"Philosopher{(i - 2) % 3 + 1}") for i in (1, 2, 3)}
    assert_isomorphic({**people, **forks}, sp.generate("dining-philosophers"), {})
