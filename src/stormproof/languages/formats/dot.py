"""Automata in Graphviz's DOT: one digraph per role, edges labelled `Peer!message` or `Peer?message`.

The first state listed is the initial one, unless an edge without a label leads to one from a node
called `start` or
drawn as a point. `Peer?⚡` is the crash message; a label without `!` and `?` is an internal action. A
part of a label
that would be misread is a JSON string. What DOT cannot say stands in notes (`// stormproof: ...`).
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ...errors import ModelError
from ...kernel.model.actions import CRASH, Action, Internal, Message, Receive, Send, Transition
from ...kernel.model.process import Process
from ...kernel.model.system import System
from .annotations import Notes, read_notes
from .text import SizeCount, Source, Tokens, guess, shorten

_LEX = re.compile(
    r"(?P<skip>\s+)|(?P<comment>//[^\n]*|/\*.*?\*/|#[^\n]*)"
    r'|(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<punct>->|--|[\[\]{};,=:+])'
    r"|(?P<word>-?(?:\.\d+|\d+(?:\.\d*)?)(?![\w.])|\w+)|(?P<wrong>.)",
    re.DOTALL,
)
_SNIFF = re.compile(
    r"(?:\s|//[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/|#[^\n]*\n)*(?:strict\s+)?digraph\b", re.IGNORECASE
)
KEYWORDS = ("node", "edge", "graph", "digraph", "subgraph", "strict")
PLAIN = re.compile(r"[A-Za-z_]\w*|[0-9]+", re.ASCII)
_LABEL = re.compile(r'("(?:[^"\\]|\\.)*"\s*|[^!?"]*)([!?])(.*)', re.DOTALL)
_STARTS = re.compile(r"_*(?:start|init)\d*", re.IGNORECASE)
BOLT = "⚡"


def sniff(text: str) -> bool:
    return _SNIFF.match(text) is not None


@dataclass
class _Edge:
    source: str
    target: str
    label: str | None
    start: int
    end: int


@dataclass
class _Graph:
    file: Source
    name: str
    start: int
    nodes: dict[str, int] = field(default_factory=dict)
    points: set[str] = field(default_factory=set)
    edges: list[_Edge] = field(default_factory=list)


def read(text: str, name: str = "<input>") -> System:
    return read_several([(text, name)])


def read_several(texts: Iterable[tuple[str, str]]) -> System:
    """One system from several texts, each with its name for errors."""
    graphs: dict[str, _Graph] = {}
    notes: list[Notes] = []
    for text, name in texts:
        source = Source(text, name)
        tokens = Tokens(source, _LEX)
        notes.append(read_notes(source, [(s, s + len(c)) for s, c in tokens.comments]))
        for graph in _graphs(tokens):
            if graph.name in graphs:
                message = f"two graphs are called '{shorten(graph.name)}'"
                source.fail(message, graph.start, graph.start + len(graph.name), kind=ModelError)
            graphs[graph.name] = graph
    if not graphs:
        source.fail("there is no graph here", source.end(), hint="a role is  digraph Role { ... }")
    processes = tuple(_process(graph, graphs) for graph in graphs.values())
    first = next(iter(graphs.values()))
    try:
        system = System(processes)
    except ModelError as problem:
        first.file.fail(problem.message, first.start, hint=problem.hint, kind=ModelError)
    for note in notes:
        system = note.complete(system)
    return system


def companions(text: str, path: Path) -> list[tuple[str, str]]:
    """The files beside one that holds a single role, whose names have another role's in its place."""
    from .files import read_text

    graphs = _graphs(Tokens(Source(text, str(path)), _LEX))
    known = {g.name for g in graphs}
    found: list[tuple[str, str]] = []
    if len(graphs) != 1:
        return found
    own = re.compile(rf"(?<![^\W_]){re.escape(graphs[0].name)}(?![^\W_])")
    todo = _peers(graphs[0])
    while todo:
        peer = todo.pop(0)
        beside = path.with_name(own.sub(peer, path.name)) if PLAIN.fullmatch(peer) else path
        if peer in known or beside == path or not beside.is_file():
            continue
        known.add(peer)
        more = read_text(beside)
        found.append((more, str(beside)))
        for graph in _graphs(Tokens(Source(more, str(beside)), _LEX)):
            known.add(graph.name)
            todo += _peers(graph)
    return found


def _peers(graph: _Graph) -> list[str]:
    matches = [_LABEL.fullmatch(e.label.strip()) for e in graph.edges if e.label is not None]
    return list(dict.fromkeys(m.group(1).strip() for m in matches if m is not None))


def _graphs(tokens: Tokens) -> list[_Graph]:
    found, budget = [], SizeCount(tokens.source)
    while tokens.kind != "end of file":
        if tokens.kind == "word" and tokens.text.lower() == "strict":
            tokens.at += 1
        if not (tokens.kind == "word" and tokens.text.lower() == "digraph"):
            tokens.fail("'digraph'")
        tokens.at += 1
        start = tokens.start
        if tokens.kind == "{":
            tokens.fail("the role's name", "write  digraph Role { ... }")
        name = _part(_identifier(tokens, "the role's name"))
        if not name:
            tokens.source.fail("a role needs a name", start)
        graph = _Graph(tokens.source, name, start)
        tokens.expect("{")
        while not tokens.take("}"):
            _statement(tokens, graph, budget)
        found.append(graph)
    return found


def _identifier(tokens: Tokens, what: str) -> str:
    if tokens.kind == "quoted":
        value = _unquote(tokens.expect("quoted"))
        while tokens.take("+"):
            value += _unquote(tokens.expect("quoted", "a quoted string"))
        return value
    return tokens.expect("word", what)


_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "l": "\n", "r": "\n", "\n": "", '"': '"', "\\": "\\"}


def _unquote(spelt: str) -> str:
    return _ESCAPE.sub(lambda m: _ESCAPES.get(m.group(1), m.group(0)), spelt[1:-1])


def _statement(tokens: Tokens, graph: _Graph, budget: SizeCount) -> None:
    if tokens.take(";") or tokens.take(","):
        return
    start, word = tokens.start, tokens.text.lower() if tokens.kind == "word" else ""
    if word == "subgraph" or tokens.kind == "{":
        tokens.source.fail("a role is one graph without subgraphs", start, start + max(len(word), 1))
    if word in KEYWORDS and tokens.kinds[tokens.at + 1] == "[":
        tokens.at += 1
        _attributes(tokens)
        return
    nodes = [(_part(_identifier(tokens, "a state, an edge or '}'")), start)]
    if tokens.take("="):
        _identifier(tokens, "a value")
        return
    if tokens.kind == "--":
        tokens.fail("'->'", "a digraph's edges are directed")
    while tokens.take("->"):
        nodes.append((_part(_identifier(tokens, "a state")), tokens.starts[tokens.at - 1]))
    end = tokens.starts[tokens.at - 1] + len(tokens.texts[tokens.at - 1])
    attributes = _attributes(tokens)
    for node, where in nodes:
        if node not in graph.nodes:
            graph.nodes[node] = where
            budget.state(where)
    if len(nodes) == 1 and attributes.get("shape") in ("point", "none", "plaintext"):
        graph.points.add(nodes[0][0])
    for (source, _), (target, _) in itertools.pairwise(nodes):
        graph.edges.append(_Edge(source, target, attributes.get("label"), start, end))
        budget.transition(start)


def _attributes(tokens: Tokens) -> dict[str, str]:
    found: dict[str, str] = {}
    while tokens.take("["):
        while not tokens.take("]"):
            if tokens.take(",") or tokens.take(";"):
                continue
            key = _identifier(tokens, "an attribute or ']'")
            found[key] = _identifier(tokens, "a value") if tokens.take("=") else "true"
    return found


def _process(graph: _Graph, roles: dict[str, _Graph]) -> Process:
    starts = _starts(graph)
    states = [n for n in graph.nodes if n not in starts]
    if not states:
        graph.file.fail(f"role {graph.name} has no state", graph.start, graph.start + len(graph.name))
    initials = list(dict.fromkeys(t for targets in starts.values() for t in targets))
    if len(initials) > 1:
        message = (
            f"role {graph.name} has {len(initials)} initial states: {', '.join(map(shorten, initials[:3]))}"
        )
        graph.file.fail(message, graph.start, graph.start + len(graph.name), kind=ModelError)
    rows = []
    for edge in graph.edges:
        if edge.source not in starts:
            rows.append(Transition(edge.source, _action(graph, edge, roles), edge.target))
    try:
        return Process(graph.name, initials[0] if initials else states[0], tuple(rows), tuple(states))
    except ModelError as problem:
        graph.file.fail(problem.message, graph.start, hint=problem.hint, kind=ModelError)


def _starts(graph: _Graph) -> dict[str, list[str]]:
    """The nodes that are no states but only point at the initial one, with what they point at."""
    candidates = {n for n in graph.nodes if n in graph.points or _STARTS.fullmatch(n)}
    unlabelled: dict[str, list[str]] = {}
    for edge in graph.edges:
        candidates.discard(edge.target)
        if edge.label is None:
            unlabelled.setdefault(edge.source, []).append(edge.target)
        else:
            candidates.discard(edge.source)
    return {n: unlabelled[n] for n in graph.nodes if n in candidates and n in unlabelled}


def _action(graph: _Graph, edge: _Edge, roles: dict[str, _Graph]) -> Action:
    if edge.label is None:
        graph.file.fail("this edge has no label", edge.start, edge.end, 'write  [label="Peer!message"]')
    label = edge.label
    whole = _json_string(label)
    match = None if whole is not None else _LABEL.fullmatch(label.strip())
    if match is None:
        return Internal(label if whole is None else whole)
    spelt, sign, rest = (part.strip() for part in match.groups())
    peer, message = _part(spelt), _message(rest)
    if peer not in roles:
        hint = (
            guess(peer, roles, "Roles") + "; a role's graph may be in a file of its own: give all the files"
        )
        graph.file.fail(f"unknown role '{shorten(peer)}'", edge.start, edge.end, hint, ModelError)
    if message == "":
        graph.file.fail("a message needs a name", edge.start, edge.end)
    return (Send if sign == "!" else Receive)(peer, message)


def _json_string(text: str) -> str | None:
    """The string that a text is in JSON, or None when it is not one."""
    if text[:1] != '"':
        return None
    try:
        value = json.loads(text)
        value.encode("utf-8")
    except (ValueError, AttributeError):
        return None
    return value if isinstance(value, str) else None


def _part(text: str) -> str:
    value = _json_string(text)
    return text if value is None else value


def _message(text: str) -> Message:
    return CRASH if text == BOLT else _part(text)
