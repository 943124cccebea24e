"""Bounds of channels, Karp and Miller's tree, and the Petri net, against exploration by the definitions."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest

from stormproof.errors import UsageError
from stormproof.kernel.model.actions import Channel, Receive, Send, Transition
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System
from stormproof.languages import protocols
from stormproof.limits import Limits
from stormproof.oracle.bounded import TooLarge, explore
from stormproof.search.engine.coverability import ChannelForm
from stormproof.search.reachability.channel_bounds import channel_bounds
from stormproof.search.reachability.channel_forms import shapes
from stormproof.search.reachability.karp_miller import INFINITY, KarpMiller
from stormproof.search.reachability.pnml import pnml
from tests.support.random_systems import random_duplication, random_failures, random_system

PUMP = System(
    (
        Process("A", "s", (Transition("s", Send("B", "x"), "s"), Transition("s", Send("B", "stop"), "t"))),
        Process("B", "s", (Transition("s", Receive("A", "x"), "u"), Transition("u", Send("A", "y"), "s"))),
    )
)


def test_a_loop_of_sends_is_unbounded_whatever_the_channel() -> None:
    for fault in (None, "loss", "reorder", "corrupt", "duplicate"):
        found = channel_bounds(PUMP, Failures(**({} if fault is None else {fault: True})))  # type: ignore[arg-type]
        assert found.answer == "unbounded" and found.exit_code == 1
        assert found.channels[Channel("A", "B")].bounded is False
        assert found.channels[Channel("A", "B")].loop == ("A B!x",)


def test_infinity_spreads() -> None:
    """What B makes of the messages of A is unbounded as well, though no loop of B is one of sends only."""
    found = channel_bounds(PUMP, Failures(reorder=True))
    assert found.channels[Channel("B", "A")].bounded is False


def test_one_message_that_stays_makes_a_channel_unbounded() -> None:
    """B answers x as often as it is delivered, so that only its duplication fills B→A."""
    once = Process("A", "s", (Transition("s", Send("B", "x"), "t"),))
    system = System((once, PUMP["B"]))
    assert channel_bounds(system, Failures(reorder=True)).answer == "bounded"
    found = channel_bounds(system, Failures(reorder=True, duplicate=True))
    assert found.channels[Channel("A", "B")].most == 1
    grows = found.channels[Channel("B", "A")]
    assert grows.bounded is False and grows.loop == ("B A?x, which stays", "B A!y")


def test_which_crash_was_assumed_is_said() -> None:
    found = channel_bounds(PUMP, Failures(stop=["A"], restart=["B"]))
    assert found.notes == (
        "A may stop silently, and nobody is informed",
        "B may restart in the initial state",
    )


def test_bounded_protocols_have_their_bound() -> None:
    for failures in (Failures(), Failures(reorder=True), Failures(corrupt=True)):
        found = channel_bounds(protocols.protocol("alternating-bit"), failures)
        assert found.answer == "bounded" and found.exit_code == 0
        assert {b.most for b in found.channels.values()} == {1}


@pytest.mark.parametrize("chunk", range(3))
def test_bounds_agree_with_exploration(chunk: int) -> None:
    known = 0
    for seed in range(chunk * 120, (chunk + 1) * 120):
        rng = random.Random(seed)
        system = random_system(rng, states=3, transitions=5)
        asked = (random_duplication if seed % 3 == 0 else random_failures)(rng, system)
        found = channel_bounds(system, asked, limits=Limits(states=1500))
        for k in (1, 2, 3):
            try:
                steps = explore(system, asked.on(system), k, most=300).steps
            except TooLarge:
                break
            for i, channel in enumerate(system.channels):
                longest, bound = max(len(at.words[i]) for at in steps), found.channels[channel]
                if bound.bounded:
                    assert bound.most is not None and bound.seen <= bound.most, seed
                    assert longest <= bound.most, (seed, k, channel)
                    known += 1
                elif bound.bounded is False and bound.run is not None:
                    assert bound.loop, seed
    assert known > 50


@pytest.mark.parametrize("chunk", range(4))
def test_the_tree_agrees_with_exploration(chunk: int) -> None:
    bounded = unbounded = 0
    for seed in range(chunk * 250, (chunk + 1) * 250):
        rng = random.Random(seed)
        system = random_system(rng, states=3, transitions=5)
        asked = replace(
            rng.choice((Failures(reorder=True), Failures(corrupt=True), Failures(loss=True, reorder=True))),
            duplicate=rng.choice((False, False, True)),
        )
        model = asked.on(system)
        forms = shapes(system, model)
        if any(s.form == ChannelForm.QUEUE for s in forms):
            continue
        tree = KarpMiller(system, model, forms).run(20_000)
        assert tree.finished
        for k in (1, 2, 3):
            try:
                found = explore(system, model, k, most=300)
            except TooLarge:
                break
            for i, channel in enumerate(system.channels):
                longest = max(len(at.words[i]) for at in found.steps)
                most = tree.bounds[channel]
                assert longest <= most, (seed, k, channel)
                if most == INFINITY:
                    unbounded += 1
                elif k > max(b for b in tree.bounds.values()):
                    bounded += 1
                    assert longest == most, (seed, k, channel)
    assert bounded > 20 and unbounded > 20


NAMESPACE = "{http://www.pnml.org/version-2009/grammar/pnml}"


def read_net(text: str) -> tuple[dict[str, int], list[tuple[dict[str, int], dict[str, int]]], dict[str, str]]:
    """Initial marking, transitions as (taken, put), names of places: a reader of its own."""
    page = ElementTree.fromstring(text).find(f"{NAMESPACE}net/{NAMESPACE}page")
    assert page is not None
    names, marking = {}, {}
    for place in page.findall(f"{NAMESPACE}place"):
        names[place.attrib["id"]] = place.findtext(f"{NAMESPACE}name/{NAMESPACE}text") or ""
        marking[place.attrib["id"]] = int(place.findtext(f"{NAMESPACE}initialMarking/{NAMESPACE}text") or 0)
    taken: dict[str, dict[str, int]] = {}
    put: dict[str, dict[str, int]] = {}
    for transition in page.findall(f"{NAMESPACE}transition"):
        taken[transition.attrib["id"]], put[transition.attrib["id"]] = {}, {}
    for arc in page.findall(f"{NAMESPACE}arc"):
        source, target = arc.attrib["source"], arc.attrib["target"]
        table, place_id = (taken[target], source) if source in names else (put[source], target)
        table[place_id] = table.get(place_id, 0) + 1
    return marking, [(taken[t], put[t]) for t in taken], names


def markings(text: str, most: int) -> set[frozenset[tuple[str, int]]] | None:
    start, steps, names = read_net(text)
    seen = {frozenset(start.items())}
    queue = [start]
    for at in queue:
        for taken, put in steps:
            if all(at[p] >= n for p, n in taken.items()):
                after = {p: n - taken.get(p, 0) + put.get(p, 0) for p, n in at.items()}
                key = frozenset(after.items())
                if key not in seen:
                    seen.add(key)
                    queue.append(after)
        if len(seen) > most:
            return None
    return {frozenset((names[p], n) for p, n in m if n) for m in seen}


def test_the_net_has_the_markings_of_the_system() -> None:
    compared = 0
    for seed in range(150):
        rng = random.Random(seed)
        system = random_system(rng, states=3, transitions=4)
        asked = Failures(reorder=True, loss=rng.random() < 0.5, duplicate=rng.random() < 0.4)
        model = asked.on(system)
        net = markings(pnml(system, asked), 300)
        if net is None:
            continue
        longest = max((n for m in net for name, n in m if "->" in name), default=0)
        found = explore(system, model, 2 * longest + 2, most=5000)
        assert {marking_of(system, model, at.states, at.words) for at in found.steps} == net, seed
        compared += 1
    assert compared > 40


def marking_of(
    system: System, model: object, states: tuple[str, ...], words: tuple[tuple[object, ...], ...]
) -> frozenset[tuple[str, int]]:
    found: dict[str, int] = {f"{p.name}.{s}": 1 for p, s in zip(system, states, strict=True)}
    for channel, word in zip(system.channels, words, strict=True):
        one = len(system.alphabet(channel)) == 1
        for message in word:
            name = str(channel) if one else f"{channel}.{message}"
            found[name] = found.get(name, 0) + 1
    return frozenset(found.items())


def test_what_is_no_net_is_refused() -> None:
    with pytest.raises(UsageError, match="keeps the order"):
        pnml(protocols.protocol("alternating-bit"))
    with pytest.raises(UsageError, match="crash messages"):
        pnml(protocols.protocol("crash-client-server"), Failures(reorder=True))
