"""DOT and Mermaid: whatever a name is, it is shown as it is, and is never syntax.

What Mermaid does to a text was seen with its release 11.17, label by label, in a browser; the tests here hold
the rules that came of it, and need neither. What Graphviz does is asked of Graphviz, where it is installed.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET

import pytest

from stormproof import Failures, check
from stormproof.errors import printable
from stormproof.kernel.model.actions import Receive, Send, Transition
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System
from stormproof.languages.protocols import names, protocol
from stormproof.tell.draw.chart.build import chart
from stormproof.tell.draw.chart.mermaid import chart_mermaid, mermaid_text
from stormproof.tell.draw.conflict_graph import conflict_picture
from stormproof.tell.draw.graph_text import (
    automata_dot,
    automata_mermaid,
    conflict_dot,
    conflict_mermaid,
    quoted,
)
from tests.support.example_runs import EX1, EXAMPLES

DOT = shutil.which("dot")
needs_dot = pytest.mark.skipif(DOT is None, reason="Graphviz is not installed")

ODD = [
    "end", "End", "loop", "direction LR", "subgraph", "style", "click", "note over", "participant", "graph",
    "a;b", "#35;", "<b>", 'say "hi"', "%% c", "%%{init: {}}%%", "a:b", "()", "[x]", "{y}", "|z|", "a\\nb",
    "a\\", "`code`", "`**b**`", "-->", "->>", "$$x$$", "&amp;", "&lt;", "&#65;", "\\N", "\\G", "fa:fa-car",
    "wrap: hi", "nowrap:x", "a\tb", "a\nb", "</script><img onerror=alert(1) src=x>", "Zoë 日本語",
    "\u202eabc", "x" * 300, "'",
]  # fmt: skip


def odd_system() -> System:
    """Two processes, every name of which is odd."""
    left, right = ODD[13], ODD[38]
    sends = tuple(Transition(s, Send(right, m), t) for s, m, t in zip(ODD, ODD[5:], ODD[1:]))
    takes = tuple(Transition(s, Receive(left, m), t) for s, m, t in zip(ODD, ODD[5:], ODD[1:]))
    return System((Process(left, ODD[0], sends), Process(right, ODD[0], takes)), name=ODD[15])


@pytest.mark.parametrize("name", ODD)
def test_a_mermaid_label_holds_nothing_that_mermaid_reads(name: str) -> None:
    """Quotes end a label, `#` and `;` make entities, `:` icons and layouts, a backslash breaks the line,
    backquotes and stars are Markdown, dollars formulas; `end` and `direction` are seen even inside quotes."""
    shown = mermaid_text(name)
    bare = re.sub(r"#\d+;", "", shown)
    assert not set(bare) & set('#;<>&"{}%\\`$:*\n\r') and not re.search(r"\b(end|direction)\b", bare, re.I)
    assert re.sub(r"#(\d+);", lambda code: chr(int(code[1])), shown) == printable(name)


def test_every_line_of_mermaid_is_one_statement() -> None:
    """A name adds no line: so many lines as with tame names, each of the shape that was meant."""
    system = odd_system()
    tame = System(tuple(_tamed(p, f"P{i}", f"P{1 - i}") for i, p in enumerate(system)))
    shape = re.compile(r'(?<=")[^"]*(?=")')
    odd_lines = [shape.sub("", line) for line in automata_mermaid(system).splitlines()]
    assert odd_lines == [shape.sub("", line) for line in automata_mermaid(tame).splitlines()]


def _tamed(process: Process, name: str, peer: str) -> Process:
    rows = []
    for j, t in enumerate(process.transitions):
        kind = Send if isinstance(t.action, Send) else Receive
        rows.append(Transition(f"s{j}", kind(peer, f"m{j}"), f"s{j + 1}"))
    return Process(name, "s0", tuple(rows))


def test_mermaid_says_whom_a_message_overtakes() -> None:
    shown = chart_mermaid(chart(*EXAMPLES["reordering"]))
    assert re.search(r"Note over p0,p1: end overtakes \(\d\)", shown.replace("#101;nd", "end"))


def test_processes_stand_from_left_to_right() -> None:
    """Mermaid draws unconnected subgraphs from the right."""
    lines = automata_mermaid(EX1).splitlines()
    where = {name: next(i for i, row in enumerate(lines) if f'["{name}"]' in row) for name in EX1.names}
    assert [*where] == [*EX1.names] and where["R"] < where["S"]
    assert lines.count("    direction TB") == 2


def texts(dot: str) -> tuple[dict[str, list[str]], list[str]]:
    """What Graphviz shows: the lines of each node by its id, and the labels of edges and clusters."""
    assert DOT is not None
    done = subprocess.run([DOT, "-Tsvg"], input=dot.encode(), capture_output=True, timeout=60)
    assert done.returncode == 0 and not done.stderr.strip(), done.stderr.decode()
    nodes, rest = {}, []
    space = "{http://www.w3.org/2000/svg}"
    for group in ET.fromstring(done.stdout).iter(f"{space}g"):
        lines = [(text.text or "").replace("\u00a0", " ") for text in group.findall(f"{space}text")]
        title = group.findtext(f"{space}title", "")
        if group.get("class") == "node":
            nodes[title] = lines
        else:
            rest += lines
    return nodes, rest


@needs_dot
def test_graphviz_shows_every_name_as_it_is() -> None:
    dot = (
        "digraph " + quoted(ODD[0]) + " {" + "".join(f"n{i} [label={quoted(x)}];" for i, x in enumerate(ODD))
    )
    nodes, _ = texts(dot + "}")
    assert nodes == {f"n{i}": [printable(name)] for i, name in enumerate(ODD)}


@needs_dot
def test_graphviz_draws_a_system_with_odd_names() -> None:
    system = odd_system()
    nodes, rest = texts(automata_dot(system, {system.names[0]: ODD[2]}))
    for i, process in enumerate(system):
        shown = {line for j in range(len(process.states)) for line in nodes[f"p{i}_{j}"]}
        assert shown == {printable(s) for s in process.states}
        assert printable(process.name) in rest
        assert {printable(str(t.action)) for t in process.transitions} <= set(rest)


@needs_dot
@pytest.mark.parametrize("name", [n for n in names() if n != "paxos-2p3a"])
def test_graphviz_draws_the_library(name: str) -> None:
    """All but one, of some 1,900 states, at which Graphviz spends most of a minute."""
    system = protocol(name)
    nodes, _ = texts(automata_dot(system))
    assert len(nodes) == sum(len(p.states) + 1 for p in system)


@needs_dot
def test_graphviz_draws_a_conflict_graph() -> None:
    report = check(protocol("half-duplex"), Failures(reorder=True), properties=["rsc"])
    witness = report["rsc"].witness
    assert witness is not None
    picture = conflict_picture(witness)
    nodes, _ = texts(conflict_dot(picture))
    assert [nodes[f"n{i}"] for i in range(len(picture.nodes))] == [list(node) for node in picture.nodes]
    assert conflict_mermaid(picture).count("==>") == 2
