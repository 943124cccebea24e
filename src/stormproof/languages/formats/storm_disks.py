"""What a .storm text says of disks: recovery code in a role, and what is recorded with the action."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from ...errors import ModelError
from ...kernel.data.syntax import Name
from ...kernel.model.process import Process
from ...kernel.model.system import System
from ...programs.data.syntax import RecoverySyntax
from .storm_names import Names
from .storm_scan import BLANK, NAME, Cursor, quote
from .text import shorten

#: How recovery code begins: no alternative has two words before its arrow, but for actions.
_RECOVERY = re.compile(rf"on[ \t]+restart(?:{BLANK}->|[ \t]+(?:{NAME}){BLANK}->)")
_HINT = "write  on restart -> state,  or  on restart durable-state -> state"


def begins_recovery(text: str, at: int) -> bool:
    """Does `on restart ->` or `on restart x ->` begin here?"""
    return text.startswith("on", at) and _RECOVERY.match(text, at) is not None


def parse_recovery(cursor: Cursor) -> RecoverySyntax:
    """`on restart -> s`, or `on restart x -> s`."""
    cursor.mark("recovery")
    cursor.keyword("on")
    cursor.keyword("restart")
    disk = None
    if not cursor.text.startswith("->", cursor.skip()):
        name, start = cursor.name("a durable state", _HINT)
        disk = Name(name, start, cursor.at)
    cursor.expect("->", _HINT)
    name, start = cursor.name("the state in which it begins again", _HINT)
    return RecoverySyntax(disk, Name(name, start, cursor.at))


def with_recovery(names: Names, system: System, declared: Mapping[str, list[RecoverySyntax]]) -> System:
    """The system whose roles begin again where they say."""
    processes = (_recovering(names, p, declared[p.name]) if declared.get(p.name) else p for p in system)
    return replace(system, processes=tuple(processes))


def _recovering(names: Names, process: Process, rows: list[RecoverySyntax]) -> Process:
    found: dict[str, str] = {}
    for row in rows:
        named = [row.state, *([row.disk] if row.disk is not None else [])]
        if not all(names.state(process.name, name.name, name.start) for name in named):
            continue
        disk = row.disk.name if row.disk is not None else ""
        at = row.disk or row.state
        if disk in found:
            said = f"where a restart of {shorten(process.name)} leads is said twice"
            names.fail(said, at.start, at.end, "leave one of the two lines out")
        elif disk and disk not in process.recordable:
            not_held(names, process.name, at)
        else:
            found[disk] = row.state.name
    try:
        return replace(process, recovery=tuple(found.items()))
    except ModelError as problem:
        names.fail(problem.message, rows[0].state.start, rows[0].state.end, problem.hint or "")
        return process


def not_held(names: Names, role: str, disk: Name) -> None:
    """A restart cannot depend on what the disk never holds."""
    hint = f"declare it: durable {quote(role)}@{quote(disk.name)}"
    names.fail(f"{shorten(disk.name)} is no durable state of {shorten(role)}", disk.start, disk.end, hint)
