"""Where systems stand: the paper's figures by what it says of them, and the laws between the classes."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ElementTree

import pytest

import stormproof as sp
from stormproof.kernel.model.actions import Internal, Receive, Send, Transition
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System
from stormproof.languages.protocols import protocol
from stormproof.limits import Limits
from stormproof.surveys.classify import CLASSES, INTERFERENCES, Membership, Standing, Standings, classify
from stormproof.tell.draw.class_diagram import diagram_svg, place
from tests.support.equality import same_up_to_states
from tests.support.example_systems import figure_ex1, figure_exkmc
from tests.support.random_systems import random_system


def holding(standing: Standing) -> set[str]:
    return {name for name, found in standing.classes.items() if found.holds}


def test_the_librarys_figures_are_the_papers() -> None:
    ex1 = figure_ex1().rename({"s": "Sender", "r": "Receiver"})
    assert same_up_to_states(ex1, protocol("half-duplex"))
    exkmc = figure_exkmc().rename({"s": "S", "p": "P", "q": "Q", "r": "R"})
    assert same_up_to_states(exkmc, protocol("non-regular"))


def test_figure_ex1() -> None:
    """Half-duplex (so RSC) without errors, not half-duplex with any; s receives err and sends start in 1."""
    found = classify(figure_ex1(), max_k=2)
    assert {"half-duplex", "rsc", "fifo", "directed"} <= holding(found["perfect"])
    assert not any(found[fault]["half-duplex"].holds for fault in ("loss", "corruption", "reordering"))
    assert found["perfect"]["csa"] == Membership(False, reason="state 1 of s sends and receives")
    assert found["perfect"]["bounded"].holds is None, "the theorem is for CSA"
    assert found["loss"]["rsc"].holds is True


def test_figure_exkmc() -> None:
    """The paper's Figure 3: k-MC. A directed CSA, so 1-exhaustive makes it existentially 1-bounded."""
    found = classify(figure_exkmc(), max_k=2)
    everything = set(CLASSES) - {"half-duplex"}
    assert holding(found["perfect"]) == everything
    assert all(
        found["perfect"][name].k == 1 for name in ("k-exh", "k-er", "k-safe", "k-mc", "k-wmc", "bounded")
    )
    assert found["perfect"]["half-duplex"] == Membership(None, None, "defined for two processes", False)
    assert found["loss"]["bounded"].reason == "the theorem is for perfect channels"
    assert found["loss"]["rsc"].holds is False and found["loss"]["k-exh"].k == 1


def race(name: str) -> System:
    """C takes x from A and from B in either order: not directed, and its receptions race."""
    a = Process("A", "0", (Transition("0", Send("C", "x"), "1"),))
    b = Process("B", "0", (Transition("0", Send("C", "x"), "1"),))
    rows = [
        Transition("0", Receive("A", "x"), "a"),
        Transition("0", Receive("B", "x"), "b"),
        Transition("a", Receive("B", "x"), "2"),
        Transition("b", Receive("A", "x"), "2"),
    ]
    if name == "internal":
        rows.append(Transition("2", Internal("tau"), "2"))
    return System((a, b, Process("C", "0", tuple(rows))), name)


def choice() -> System:
    """A tells either B or C; not directed, but its sends both fit or both do not, and nothing races."""
    a = Process("A", "0", (Transition("0", Send("B", "x"), "1"), Transition("0", Send("C", "x"), "1")))
    return System((a, *(Process(n, "0", (Transition("0", Receive("A", "x"), "1"),)) for n in "BC")), "choice")


def test_undirected_systems_need_the_side_conditions() -> None:
    racing = classify(race("race"), max_k=2)["perfect"]
    assert racing["directed"].holds is False and racing["k-exh"].k == 1
    assert racing["bounded"].holds is None and "k-SIBI" in racing["bounded"].reason
    chosen = classify(choice(), max_k=2)["perfect"]
    assert chosen["directed"].holds is False
    assert chosen["bounded"] == Membership(True, 1, "1-exhaustive, 1-OBI and 1-SIBI")


def test_internal_actions_keep_the_theorem_out() -> None:
    found = classify(race("internal"), max_k=1)["perfect"]
    assert found["bounded"].reason == "the theorem is for CSA without internal actions"


@pytest.mark.parametrize("seed", range(25))
def test_the_classes_lie_in_each_other(seed: int) -> None:
    """k-MC in weakly k-MC in k-exhaustive and k-ER, k-MC in k-safe in k-ER; the least k never shrinks."""
    system = random_system(random.Random(seed))
    for standing in classify(system, max_k=2).standings:
        for small, large in (
            ("k-mc", "k-wmc"),
            ("k-mc", "k-safe"),
            ("k-wmc", "k-exh"),
            ("k-wmc", "k-er"),
            ("k-safe", "k-er"),
        ):
            if standing[small].holds:
                assert standing[large].holds, (small, large)
                assert (standing[large].k or 0) <= (standing[small].k or 0), (small, large)
        if standing["bounded"].holds:
            assert standing.interference == "perfect" or standing.report.model.perfect
            assert standing["k-exh"].holds and standing["csa"].holds
        column, row = place(standing)
        assert 0 <= column < 6 and 0 <= row < 3


def test_a_limit_leaves_doubt_and_says_so() -> None:
    found = classify(figure_exkmc(), max_k=1, limits=Limits(states=2))
    assert found.limited
    assert found["perfect"]["rsc"].holds is None and found["perfect"]["rsc"].applies


def marks(standings: Standings) -> dict[str, tuple[float, float]]:
    """Where each mark stands in the picture: the middle of its pill."""
    root = ElementTree.fromstring(diagram_svg(standings))
    space = "{http://www.w3.org/2000/svg}"
    found = {}
    for group in root.iter(f"{space}g"):
        box, words = group.find(f"{space}rect"), group.find(f"{space}text")
        assert box is not None and words is not None
        x, y = float(box.get("x", 0)), float(box.get("y", 0))
        middle = (x + float(box.get("width", 0)) / 2, y + float(box.get("height", 0)) / 2)
        found["".join(words.itertext()).removesuffix(" ?")] = middle
    return found


def regions(standings: Standings) -> dict[str, tuple[float, float, float, float]]:
    """The rectangles of the picture by the name that follows each."""
    root = ElementTree.fromstring(diagram_svg(standings))
    found, last = {}, None
    for element in root:
        kind = element.tag.rpartition("}")[2]
        if kind == "rect" and element.get("fill"):
            x, y, w, h = (float(element.get(key, 0)) for key in ("x", "y", "width", "height"))
            last = (x, y, x + w, y + h)
        elif kind == "text" and last is not None:
            found["".join(element.itertext())] = last
            last = None
    return found


INSIDE = {"rsc": "RSC", "k-exh": "k-exhaustive †", "k-er": "k-ER †", "k-safe": "k-safe †"}


@pytest.mark.parametrize("seed", range(25))
def test_each_mark_lies_in_just_its_classes(seed: int) -> None:
    system = [figure_ex1, figure_exkmc][seed]() if seed < 2 else random_system(random.Random(seed))
    standings = classify(system, max_k=1)
    where, drawn = marks(standings), regions(standings)
    assert set(where) == set(INTERFERENCES)
    assert len(set(where.values())) == len(where), "no mark covers another"
    for name, (x, y) in where.items():
        standing = standings[name]
        inside = {r for r, (x0, y0, x1, y1) in drawn.items() if x0 < x < x1 and y0 < y < y1}
        assert ("communicating session automata" in inside) == bool(standing["csa"].holds)
        for member, caption in INSIDE.items():
            belongs = bool(standing[member].holds) and (member == "rsc" or bool(standing["csa"].holds))
            assert (caption in inside) == belongs, (name, caption)


def test_a_name_that_is_not_there_gets_a_sentence() -> None:
    """As of a dictionary, and with the nearest name."""
    found = sp.classify(sp.protocol("two-buyer"), max_k=1)
    for wrong, near in ((lambda: found["los"], "loss"), (lambda: found["perfect"]["k-mcc"], "k-mc")):
        with pytest.raises(KeyError) as caught:
            wrong()
        assert isinstance(caught.value, sp.UnknownName) and f"did you mean '{near}'?" in str(caught.value)
    with pytest.raises(sp.StormproofError, match="there is no interference 'none'; there are perfect, loss"):
        found["none"]
