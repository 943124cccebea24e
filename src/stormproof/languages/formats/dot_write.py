"""Automata in Graphviz's DOT, written: one digraph per role."""

from __future__ import annotations

import json
import re

from ...kernel.model.actions import CRASH, Action, Internal, Send
from ...kernel.model.process import Process
from ...kernel.model.system import System
from .annotations import system_notes, write_notes
from .dot import BOLT, KEYWORDS, PLAIN


def write(system: System) -> str:
    """One digraph per role."""
    lines = write_notes(system_notes(system), "//")
    for process in system:
        if lines:
            lines.append("")
        lines += _digraph(process)
    return "\n".join(lines) + "\n"


def _digraph(process: Process) -> list[str]:
    point = "__start"
    while point in process.states:
        point += "_"
    lines = [f"digraph {_id(process.name)} {{", f"  {point} [shape=point];"]
    lines += [f"  {_id(state)};" for state in process.states]
    lines.append(f"  {point} -> {_id(process.initial)};")
    for source, action, target in process.transitions:
        lines.append(f"  {_id(source)} -> {_id(target)} [label={_quote(_label(action))}];")
    return [*lines, "}"]


def _id(name: str) -> str:
    """A role or a state; what DOT's quotes cannot hold is a JSON string within them."""
    if PLAIN.fullmatch(name) and name.lower() not in KEYWORDS:
        return name
    return _quote(_spell(name, r'^"|[\x00-\x1f]'))


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _spell(name: str, odd: str) -> str:
    """A name as it is, or as a JSON string where it would be misread."""
    if name != name.strip() or re.search(odd, name):
        return json.dumps(name, ensure_ascii=False)
    return name


def _label(action: Action) -> str:
    if isinstance(action, Internal):
        return _spell(action.name, r'[!?"\x00-\x1f]|^$')
    peer = _spell(action.peer, r'[!?"\x00-\x1f]')
    sign = "!" if isinstance(action, Send) else "?"
    message = BOLT if action.message is CRASH else _spell(str(action.message), rf'^"|[\x00-\x1f]|^{BOLT}$')
    return f"{peer}{sign}{message}"
