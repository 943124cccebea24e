"""Logs as text: NDJSON, one event per line, and the logs of ShiViz."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..errors import InputError, ParseError, Place, did_you_mean
from .log import LogEvent, RoleLog

#: What a line of a log may say that the role did.
EVENTS = ("send", "receive", "timeout", "stop", "restart", "crash")
#: What roles in Python also log, which is nothing that a log has to show: a choice is seen by what follows.
NOTES = ("choose", "end", "raise", "unexpected")

#: The fields of an event, by the names that they have unless others are given.
FIELDS = ("role", "do", "peer", "message")

LogRow = Mapping[str, Any]
#: Turns a line into the fields of an event; None: the line is not one.
RowMapper = Callable[[LogRow], LogRow | None]

_SHIVIZ_CLOCK = re.compile(r"^\s*(\S+)\s+(\{.*\})\s*$")


def read_logs(
    paths: Iterable[str | Path], mapping: Mapping[str, str] | RowMapper | None = None
) -> list[RoleLog]:
    """The log of each role that the files have events of; a file may hold several roles."""
    logs: dict[str, RoleLog] = {}
    for path in paths:
        for role, event, line in _events(str(path), _mapper(mapping)):
            log = logs.setdefault(role, RoleLog(role, str(path)))
            if log.file != str(path):
                raise InputError(
                    f"{role} has events in two files, {log.file} and {path}, so their order is unknown",
                    place=Place(str(path), line),
                    hint="join them in the order in which they were written",
                )
            log.append(event, line)
    return list(logs.values())


def _mapper(mapping: Mapping[str, str] | RowMapper | None) -> RowMapper:
    """What turns a line into the fields of an event; other fields are ignored."""
    if callable(mapping):
        return mapping
    names = dict(mapping or {})
    for name in names:
        if name not in FIELDS:
            hint = did_you_mean(name, FIELDS) or f"the fields are {', '.join(FIELDS)}"
            raise InputError(f"an event has no field '{name}'", hint=hint)
    return lambda row: {field: row[key] for field in FIELDS if (key := names.get(field, field)) in row}


def _events(path: str, mapper: RowMapper) -> Iterator[tuple[str, LogEvent, int]]:
    try:
        with Path(path).open("rb") as file:
            yield from _parsed(path, file, mapper)
    except OSError as problem:
        raise InputError(f"cannot be read: {problem.strerror}", place=Place(path)) from None


def _parsed(path: str, lines: Iterable[bytes], mapper: RowMapper) -> Iterator[tuple[str, LogEvent, int]]:
    """The last line may be torn: a process that is killed while it writes leaves half of one."""
    clock: str | None = None
    for number, raw in enumerate(lines, start=1):
        if not raw.strip():
            continue
        row = _row(raw)
        if row is None and (found := _SHIVIZ_CLOCK.match(raw.decode("utf-8", "replace"))):
            clock = found[1]
            continue
        if row is None and clock is None:
            if not raw.endswith(b"\n"):
                return
            raise ParseError(
                "this is not an event: a line is a JSON object such as "
                '{"role": "A", "do": "send", "peer": "B", "message": "m"}',
                place=Place(path, number),
            )
        if clock is not None and row is None:
            row = _shiviz(clock, raw.decode("utf-8", "replace").strip())
        elif clock is not None and row is not None:
            row = {"role": clock, **row}
        clock = None
        mapped = mapper(row or {})
        if mapped is not None and mapped.get("do") not in NOTES:
            yield _event(path, number, mapped)


def _row(raw: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(raw)
    except ValueError:
        return None
    return row if isinstance(row, dict) else None


def _shiviz(host: str, text: str) -> dict[str, Any]:
    """`send m to B`, `receive m from B`, `timeout`: how our own logs read there."""
    words = text.split()
    row: dict[str, Any] = {"role": host, "do": words[0].lower().rstrip("s") if words else ""}
    if len(words) == 4 and words[2] in ("to", "from"):
        row |= {"message": words[1], "peer": words[3]}
    return row


def _event(path: str, line: int, row: LogRow) -> tuple[str, LogEvent, int]:
    role, do = _text(path, line, row, "role"), _text(path, line, row, "do")
    if do not in EVENTS:
        hint = did_you_mean(do, EVENTS) or f"an event is one of {', '.join(EVENTS)}"
        raise ParseError(f"'{do}' is not an event", place=Place(path, line), hint=hint)
    if do in ("send", "receive"):
        peer, message = (_text(path, line, row, key) for key in ("peer", "message"))
        return role, LogEvent(do, peer, message), line
    name = row.get("message")
    return role, LogEvent(do, "", name if isinstance(name, str) and do == "timeout" else ""), line


def _text(path: str, line: int, row: LogRow, key: str) -> str:
    value = row.get(key)
    if isinstance(value, str) and value:
        return value
    what = "is missing" if value is None else f"is {json.dumps(value)[:40]}, not a name"
    raise ParseError(
        f"the field '{key}' {what}",
        place=Place(path, line),
        hint=f"if another field holds it, name it: --field {key}=NAME",
    )
