"""Pictures of automata and conflict graphs: sound, complete, in time; and their text forms."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import pytest

import stormproof as sp
from stormproof.kernel.model.actions import Channel, Internal, Receive, Send
from stormproof.kernel.model.channel_faults import Corrupt
from stormproof.kernel.model.process import StateKind
from stormproof.kernel.model.run import Act
from stormproof.kernel.model.system import System
from stormproof.languages import protocols
from stormproof.tell.draw import automaton
from stormproof.tell.draw.automaton import automaton_svg, draw_roles, groups_of, system_svg
from stormproof.tell.draw.conflict_graph import conflict_picture, conflict_svg
from stormproof.tell.draw.graph_text import automata_dot, automata_mermaid, conflict_dot, conflict_mermaid
from stormproof.tell.draw.layout import layered
from stormproof.tell.draw.layout.layered import Box, RoutedEdge, lay_out
from stormproof.tell.draw.layout.ordering import crossings, order_ranks
from tests.support.example_runs import CORRUPTION, CRASHING, EX1, EXAMPLES, NASTY, REORDERING, nasty, run
from tests.support.example_systems import process
from tests.support.paths import ROOT
from tests.support.random_systems import random_failures, random_system, random_witness
from tests.support.svg_checks import check_svg, texts


def kinds(svg: str, kind: str) -> int:
    return sum(kind in e.get("class", "").split() for e in check_svg(svg).iter())


def test_every_state_and_action_is_shown() -> None:
    shown = texts(system_svg(EX1))
    for member in EX1:
        assert member.name in shown and set(member.states) <= set(shown)
        for transition in member.transitions:
            assert str(transition.action) in shown


def test_long_names_can_be_read() -> None:
    """They are broken where they have parts; nothing is clipped, and lines stay beside their edges."""
    long = "authorisePaymentRequestWithRiskScore(amount, currency)"
    state = "checking_the_risk_score_of_the_customer"
    shown = texts(automaton_svg(process("P", ("a", Send("MerchantSettlementService", long), state))))
    assert not any("…" in line for line in shown) and "MerchantSettlementService!" in shown
    assert long.replace(" ", "") in "".join(shown).replace(" ", "") and state in "".join(shown)


def test_parallel_edges_are_one_with_several_labels() -> None:
    rows = [("a", Send("Q", m), "b") for m in "xyz"] + [("a", Internal("t"), "a"), ("a", Internal("u"), "a")]
    svg = automaton_svg(process("P", *rows))
    edges = re.findall(r'data-edge="0:(\d+):(\d+)"', svg)
    assert sorted(edges) == [("0", "0"), ("0", "1")]
    assert {"Q!x", "Q!y", "Q!z", "t", "u"} <= set(texts(svg))


def test_shapes_tell_the_kinds_apart() -> None:
    from stormproof.tell.draw.automaton import outline

    shapes = {kind: tuple(outline(kind, (0, 0), 20, 24)) for kind in StateKind}
    assert len(set(shapes.values())) == 4
    assert kinds(system_svg(CRASHING), "sp-inner") > 0, "final states have a double border"


def test_where_a_witness_ends_is_highlighted() -> None:
    assert kinds(system_svg(EX1, here={"S": "s1", "R": "r2"}), "sp-here") == 2
    assert kinds(system_svg(EX1), "sp-here") == 0


@pytest.mark.parametrize("chunk", range(4))
def test_random_automata_are_sound_and_keep_apart(chunk: int) -> None:
    for seed in range(chunk * 15, chunk * 15 + 15):
        rng = random.Random(seed)
        system = random_system(
            rng, states=rng.choice((1, 4, 10)), transitions=rng.choice((2, 8, 25)), messages=3
        )
        check_svg(system_svg(system))
        check_svg(automaton_svg(system.processes[0]))
        _boxes_keep_apart(system)


def _boxes_keep_apart(system: System) -> None:
    for member in system:
        states = list(member.states)
        boxes: dict[Hashable, Box] = {s: Box(20, 25, 26) for s in states}
        edges = [RoutedEdge(t.source, t.target, 40, 16) for t in member.transitions if t.source != t.target]
        drawing = lay_out(boxes, edges)
        areas = [(x - 20, y - 13, x + 25, y + 13) for x, y in drawing.nodes.values()]
        areas += [(x - 20, y - 8, x + 20, y + 8) for x, y in (e.label for e in edges)]
        for i, a in enumerate(areas):
            for b in areas[:i]:
                apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
                assert apart, (system, a, b)
        for edge in edges:
            ys = [y for _, y in edge.points]
            assert ys in (sorted(ys), sorted(ys, reverse=True)), "an edge goes one way all the way"


def test_the_layout_has_a_time_limit() -> None:
    rng = random.Random(1)
    rows = [(f"s{rng.randrange(500)}", Internal(f"i{i}"), f"s{rng.randrange(500)}") for i in range(2500)]
    big = process("Big", *rows)
    start = time.monotonic()
    svg = automaton_svg(big, seconds=0.2)
    assert time.monotonic() - start < 20, "without the limit it takes more than 45 s"
    check_svg(svg)
    assert set(big.states) <= set(texts(svg))


def test_crossings_are_counted() -> None:
    down: dict[Hashable, list[Hashable]] = {"a": ["y"], "b": ["x"], "x": [], "y": []}
    assert crossings([["a", "b"], ["x", "y"]], down) == 1
    assert crossings([["b", "a"], ["x", "y"]], down) == 0


def test_a_planar_automaton_is_drawn_without_crossings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The crash edge of A jumps over a1, whose other successor then has to go to the other side."""
    found = []

    def spy(
        ranks: list[list[Hashable]],
        links: Sequence[tuple[Hashable, Hashable]],
        tick: Callable[[], None],
        before: object,
    ) -> list[list[Hashable]]:
        ordered = order_ranks(ranks, links, tick)
        down = {n: [b for a, b in links if a == n] for row in ranks for n in row}
        found.append(crossings(ordered, down))
        return ordered

    monkeypatch.setattr(layered, "order_ranks", spy)
    system_svg(CRASHING)
    system_svg(EX1)
    assert found == [0] * 5


def test_nasty_names_are_inert() -> None:
    system, _ = nasty()
    svg = system_svg(system)
    check_svg(svg)
    assert "<script" not in svg
    dot = automata_dot(system)
    assert '\\"' in dot and "\n\x07" not in dot
    mermaid = automata_mermaid(system)
    assert "<script" not in mermaid and NASTY not in mermaid


def test_dot() -> None:
    lines = automata_dot(EX1, {"S": "s1"}).splitlines()
    assert lines[0] == 'digraph "ex1" {' and lines[-1] == "}"
    assert '    p0_1 -> p0_1 [label="R!data"];' in lines
    assert sum("style=filled" in line for line in lines) == 1


def test_mermaid() -> None:
    lines = automata_mermaid(EX1, {"R": "r2"}).splitlines()
    assert lines[0] == "flowchart TB" and '    p0_1 -->|"R!data"| p0_1' in lines
    assert lines[-1] == "  style p1_2 stroke-width:4px"


#: The paper's example on valid communications (section 3), with the communication in which a became c.
VALIDCOMMS = System(
    (
        process("p", ("0", Send("q", "a"), "1"), ("1", Receive("q", "b"), "2"), ("2", Send("q", "c"), "3")),
        process("q", ("0", Send("p", "b"), "1"), ("1", Receive("p", "c"), "2")),
    )
)
VALIDCOMMS_RUN = run(
    Act("p", Send("q", "a"), "1"),
    Act("q", Send("p", "b"), "1"),
    Act("p", Receive("q", "b"), "2"),
    Act("p", Send("q", "c"), "3"),
    Corrupt(Channel("p", "q"), 0, "a", "c"),
    Act("q", Receive("p", "c"), "2"),
    communication=((5, 0), (2, 1)),
)


def test_the_conflict_graph_of_the_paper_s_example() -> None:
    """The conflict graph in the paper's section 3: {1,5} and {2,3} before each other, {2,3} before {4}."""
    picture = conflict_picture(VALIDCOMMS_RUN)
    assert [node[1] for node in picture.nodes] == ["{1, 5}", "{2, 3}", "{4}"]
    assert picture.nodes[0][0] == "p → q: a ⇝ c"
    assert set(picture.edges) == {(0, 1), (1, 2), (1, 0)}
    assert picture.cycle == {(0, 1), (1, 0)}
    assert kinds(conflict_svg(picture), "sp-cycle") == 2
    assert conflict_dot(picture).count("penwidth") == 2 and conflict_mermaid(picture).count("==>") == 2


def test_without_a_communication_the_steps_say_who_is_matched() -> None:
    import dataclasses

    bare = dataclasses.replace(VALIDCOMMS_RUN, communication=None)
    assert conflict_picture(bare) == conflict_picture(VALIDCOMMS_RUN)


def test_conflict_graphs_of_the_paper_s_runs() -> None:
    assert conflict_picture(REORDERING).cycle, "data is sent before ack is taken, and taken after it is sent"
    assert not conflict_picture(CORRUPTION).cycle


@pytest.mark.parametrize("name", EXAMPLES)
def test_conflict_graphs_are_sound(name: str) -> None:
    check_svg(conflict_svg(conflict_picture(EXAMPLES[name][1])))


def test_random_conflict_graphs_are_sound() -> None:
    for seed in range(40):
        rng = random.Random(seed)
        system = random_system(rng)
        witness = random_witness(rng, system, random_failures(rng, system), rng.choice((0, 8, 20)))
        picture = conflict_picture(witness)
        check_svg(conflict_svg(picture))
        assert conflict_dot(picture).endswith("}\n") and conflict_mermaid(picture).startswith("flowchart")


def test_nodes_that_differ_in_the_names_of_their_peers_are_drawn_once() -> None:
    raft = sp.load(ROOT / "tests/languages/protocols/flat/raft-election.storm")
    (group,) = groups_of(raft, raft.names)
    assert group.names == ("N1", "N2", "N3") and group.remark == "names as for N1"
    where = {"N1": "grant1_N2", "N2": "grant1_N1", "N3": "follower0"}
    shown = texts(system_svg(raft, here=where))
    assert {"N1, N2, N3", "N1, N2", "N3"} <= set(shown), "each where it is"
    others = sp.loads(
        "role A { ask: C!x -> end }\nrole B { tell: C!x -> end }\nrole C { c: A?x -> d\n d: B?x -> end }"
    )
    assert [g.names for g in groups_of(others, others.names)] == [("A",), ("B",), ("C",)]


def test_only_automata_that_have_changed_are_laid_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    laid_out: list[object] = []

    def counted(*arguments: Any) -> Any:
        laid_out.append(arguments)
        return lay_out(*arguments)

    monkeypatch.setattr(automaton, "lay_out", counted)
    system = sp.protocol("two-phase-commit")
    places = {d.roles[0]: d.places for d in draw_roles(system, system.names) if d.roles}
    draw_roles(system, system.names, before=places)
    drawn = len(laid_out)
    again = sp.loads(protocols.source("two-phase-commit") + "// more\n", "storm")
    draw_roles(again, again.names, before=places)
    assert len(laid_out) == drawn
    changed = sp.loads(protocols.source("two-phase-commit").replace("prepare_b", "second"), "storm")
    draw_roles(changed, changed.names, before=places)
    assert len(laid_out) == drawn + 1, "the coordinator; the others are as they were"
