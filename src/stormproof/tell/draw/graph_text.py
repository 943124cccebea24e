"""Automata and conflict graphs as text for other tools: DOT (Graphviz) and Mermaid."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from ...errors import printable
from ...kernel.model.process import Process, StateKind
from ...kernel.model.system import System
from .automaton import merge
from .chart.mermaid import mermaid_text
from .conflict_graph import ConflictPicture

_DOT_SHAPES = {
    StateKind.SENDING: "ellipse",
    StateKind.RECEIVING: "box",
    StateKind.MIXED: "hexagon",
    StateKind.FINAL: "doublecircle",
}
_DOT_STYLE = (
    'rankdir=TB; graph [fontname="Helvetica"]; node [fontname="Helvetica", fontsize=12, height=0.35]; '
    'edge [fontname="Helvetica", fontsize=11];'
)
#: Opening and closing of a Mermaid node by what the state does.
_MERMAID_SHAPES = {
    StateKind.SENDING: ("([", "])"),
    StateKind.RECEIVING: (">", "]"),
    StateKind.MIXED: ("{{", "}}"),
    StateKind.FINAL: ("(((", ")))"),
}


def quoted(words: object) -> str:
    """A DOT string: backslashes and quotes escaped, and `&`, at which Graphviz would read an entity."""
    shown = printable(words).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{shown.replace("&", "&amp;")}"'


def _lines(labels: Iterable[str]) -> str:
    inside = "\\n".join(quoted(line)[1:-1] for line in labels)
    return f'"{inside}"'


def _chosen(system: System, roles: Collection[str]) -> list[tuple[int, Process]]:
    return [(i, p) for i, p in enumerate(system) if not roles or p.name in roles]


def automata_dot(system: System, here: Mapping[str, str] | None = None, roles: Collection[str] = ()) -> str:
    """One cluster a process, all or those of `roles`; states of `here` are filled."""
    lines = [f"digraph {quoted(system.name or 'system')} {{", f"  {_DOT_STYLE}"]
    for i, process in _chosen(system, roles):
        lines += [f"  subgraph cluster_{i} {{", f"    label={quoted(process.name)};"]
        lines += [f"    {row}" for row in _dot_rows(process, i, (here or {}).get(process.name))]
        lines.append("  }")
    return "\n".join([*lines, "}"]) + "\n"


def _dot_rows(process: Process, index: int, here: str | None) -> list[str]:
    name = {s: f"p{index}_{j}" for j, s in enumerate(process.states)}
    rows = [f'p{index}_start [shape=point, label="", width=0.1, height=0.1];']
    for state, node in name.items():
        marked = ', style=filled, fillcolor="#ffe9a8", penwidth=2.5' if state == here else ""
        rows.append(f"{node} [label={quoted(state)}, shape={_DOT_SHAPES[process.kind(state)]}{marked}];")
    rows.append(f"p{index}_start -> {name[process.initial]};")
    loops, edges = merge(process.transitions)
    for (source, target), labels in {**{(s, s): ls for s, ls in loops.items()}, **edges}.items():
        rows.append(f"{name[source]} -> {name[target]} [label={_lines(labels)}];")
    return rows


def automata_mermaid(
    system: System, here: Mapping[str, str] | None = None, roles: Collection[str] = ()
) -> str:
    """A flowchart with a subgraph for each process, the last one first: Mermaid draws them from the right."""
    lines, marked = ["flowchart TB"], []
    for i, process in reversed(_chosen(system, roles)):
        name = {s: f"p{i}_{j}" for j, s in enumerate(process.states)}
        lines.append(f'  subgraph p{i} ["{mermaid_text(process.name)}"]')
        lines.append("    direction TB")
        for state, node in name.items():
            opening, closing = _MERMAID_SHAPES[process.kind(state)]
            lines.append(f'    {node}{opening}"{mermaid_text(state)}"{closing}')
            if (here or {}).get(process.name) == state:
                marked.append(node)
        lines += [f"    p{i}_start(( )) --> {name[process.initial]}"]
        loops, edges = merge(process.transitions)
        for (source, target), labels in {**{(s, s): ls for s, ls in loops.items()}, **edges}.items():
            words = "<br/>".join(mermaid_text(label) for label in labels)
            lines.append(f'    {name[source]} -->|"{words}"| {name[target]}')
        lines.append("  end")
    lines += [f"  style p{i}_start fill:#000,stroke:#000" for i, _ in _chosen(system, roles)]
    lines += [f"  style {node} stroke-width:4px" for node in marked]
    return "\n".join(lines) + "\n"


def conflict_dot(picture: ConflictPicture) -> str:
    lines = ["digraph conflict {", f"  {_DOT_STYLE}"]
    lines += [f"  n{i} [shape=box, label={_lines(node)}];" for i, node in enumerate(picture.nodes)]
    for a, b in picture.edges:
        bold = " [penwidth=2.5, color=firebrick]" if (a, b) in picture.cycle else ""
        lines.append(f"  n{a} -> n{b}{bold};")
    return "\n".join([*lines, "}"]) + "\n"


def conflict_mermaid(picture: ConflictPicture) -> str:
    lines = ["flowchart TB"]
    for i, node in enumerate(picture.nodes):
        words = "<br/>".join(mermaid_text(line) for line in node)
        lines.append(f'  n{i}["{words}"]')
    lines += [f"  n{a} {'==>' if (a, b) in picture.cycle else '-->'} n{b}" for a, b in picture.edges]
    return "\n".join(lines) + "\n"
