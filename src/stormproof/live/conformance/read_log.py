"""Logs as text: NDJSON, one event per line, OpenTelemetry's JSON, and the logs of ShiViz."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import IO, Any

from ...errors import InputError, ParseError, Place, did_you_mean
from ...languages.formats.read_data import read_json
from .log import LogEvent, RoleLog
from .read_otlp import is_otlp, otlp_rows
from .read_shiviz import is_shiviz, shiviz_rows

#: What a line of a log may say that the role did.
EVENTS = ("send", "sends", "sent", "receive", "timeout", "stop", "restart", "crash")
#: What roles in Python also log, which is nothing that a log has to show: a choice is seen by what follows.
NOTES = ("choose", "save", "end", "raise", "unexpected")

#: The fields of an event, by the names that they have unless others are given.
FIELDS = ("role", "do", "peer", "message")

LogRow = Mapping[str, Any]
#: Turns a line into the fields of an event; None: the line is not one.
RowMapper = Callable[[LogRow], LogRow | None]

#: Numbers after the name of a field, as times are. No name is a number, so lines that differ only in these
#: say the same; in a line without a backslash, `"` after a letter can only end the name of a field.
_NUMBERS = re.compile(rb'(?<=\w)": ?-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[,}\s])')
#: The same at the end of a line, where the runtime writes the time; this is found sooner.
_LAST_NUMBER = re.compile(rb"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?\}\n")
#: So many different lines are remembered.
_REMEMBERED = 100_000


def read_logs(
    paths: Iterable[str | Path],
    mapping: Mapping[str, str] | RowMapper | None = None,
    shiviz: str | None = None,
) -> list[RoleLog]:
    """The log of each role that the files have events of; a file may hold several roles. `shiviz`: the files
    are logs of ShiViz, which this expression divides."""
    logs: dict[str, RoleLog] = {}
    given: set[str] = set()
    for path in map(str, paths):
        if os.path.realpath(path) in given:
            raise InputError("this log is given twice", place=Place(path))
        given.add(os.path.realpath(path))
        try:
            with Path(path).open("rb") as file:
                _FileReader(path, logs, mapping).read(file, shiviz)
        except OSError as problem:
            raise InputError(f"cannot be read: {problem.strerror}", place=Place(path)) from None
    return list(logs.values())


class _FileReader:
    """Appends the events of one file to the logs of their roles."""

    def __init__(
        self, path: str, logs: dict[str, RoleLog], mapping: Mapping[str, str] | RowMapper | None
    ) -> None:
        self.path, self.logs, self.mapper = path, logs, row_mapper(mapping)
        self.remembers = not callable(mapping)  # a function may look at any number
        self.known: dict[bytes, tuple[RoleLog, int, str] | None] = {}

    def read(self, file: IO[bytes], shiviz: str | None) -> None:
        if shiviz is None and self._begins_as_otlp(file):
            for number, row in otlp_rows(self.path, _text_of(file.read())):
                self._add(row, number)
        elif shiviz is not None or self._begins_as_shiviz(file):
            self._read_shiviz(_text_of(file.read()), shiviz)
        else:
            self._read_lines(file)

    def _read_shiviz(self, text: str, expression: str | None) -> None:
        rows = list(shiviz_rows(self.path, text, expression))
        for i, (number, row) in enumerate(rows, start=1):
            try:
                self._add(row, number)
            except ParseError:
                whole = text.endswith("\n") and row.get("event") != ""  # its line comes after the clock
                if i < len(rows) or whole:
                    raise

    @staticmethod
    def _begins_as_otlp(file: IO[bytes]) -> bool:
        start = file.read(4096)
        file.seek(0)
        return is_otlp(start)

    @staticmethod
    def _begins_as_shiviz(file: IO[bytes]) -> bool:
        start = file.read(4096)
        file.seek(0)
        first = start.lstrip().partition(b"\n")[0]
        return _row(first) is None and is_shiviz(_text_of(start))

    def _read_lines(self, file: Iterable[bytes]) -> None:
        known, remembers = self.known, self.remembers
        for number, raw in enumerate(file, start=1):
            key = _without_numbers(raw) if remembers and b"\\" not in raw else b""
            if key in known:
                if (found := known[key]) is not None:
                    self._note(*found, number)
                continue
            if raw.strip() and not self._read_line(raw, number, key):
                return

    def _read_line(self, raw: bytes, number: int, key: bytes) -> bool:
        """The last line may be torn: a process that is killed while it writes leaves half of one."""
        row = _row(raw)
        if row is None:
            if not raw.endswith(b"\n"):
                return False
            raise _no_event(self.path, number)
        added = self._add(row, number)
        if key and len(self.known) < _REMEMBERED:
            self.known[key] = added
        return True

    def _note(self, log: RoleLog, code: int, do: str, number: int) -> None:
        """One more of the role's events. A send that is begun is open until it is said that it happened."""
        if do == "sent":
            if not log.open or log.open[-1] != len(log) - 1 or log.codes[-1] != code:
                problem = "nothing of this kind was to be sent: before 'sent' comes 'sends'"
                raise ParseError(problem, place=Place(self.path, number))
            log.open.pop()
            return
        if do == "sends":
            log.open.append(len(log))
        log.codes.append(code)
        log.lines.append(number)

    def _add(self, row: LogRow, number: int) -> tuple[RoleLog, int, str] | None:
        """The log, the code of the event and the word for it; None for a line that is not one."""
        mapped = self.mapper(row)
        if mapped is None or mapped.get("do") in NOTES:
            return None
        role, event = _event(self.path, number, mapped)
        log = self.logs.setdefault(role, RoleLog(role, self.path))
        if log.file != self.path:
            raise InputError(
                f"{role} has events in two files, {log.file} and {self.path}, so their order is unknown",
                place=Place(self.path, number),
                hint="join them in the order in which they were written",
            )
        found = (log, log.code(event), str(mapped["do"]))
        self._note(*found, number)
        return found


def event_in_line(path: str, number: int, raw: bytes, mapper: RowMapper) -> tuple[str, str, LogEvent] | None:
    """The role, the word for what it did and the event of a whole line; None for a line that is not one."""
    row = _row(raw)
    if row is None:
        raise _no_event(path, number)
    mapped = mapper(row)
    if mapped is None or mapped.get("do") in NOTES:
        return None
    role, event = _event(path, number, mapped)
    return role, str(mapped["do"]), event


def _no_event(path: str, number: int) -> ParseError:
    return ParseError(
        "this is not an event: a line is a JSON object such as "
        '{"role": "A", "do": "send", "peer": "B", "message": "m"}',
        place=Place(path, number),
    )


def row_mapper(mapping: Mapping[str, str] | RowMapper | None) -> RowMapper:
    """What turns a line into the fields of an event; other fields are ignored."""
    if callable(mapping):
        return mapping
    names = dict(mapping or {})
    for name in names:
        if name not in FIELDS:
            hint = did_you_mean(name, FIELDS) or f"the fields are {', '.join(FIELDS)}"
            raise InputError(f"an event has no field '{name}'", hint=hint)
    return lambda row: {field: row[key] for field in FIELDS if (key := names.get(field, field)) in row}


def _without_numbers(raw: bytes) -> bytes:
    """What lines that say the same have in common. A line that is cut before its last number is no line."""
    end = raw.rfind(b'": ')
    if end > 0 and _LAST_NUMBER.fullmatch(raw, end + 3):
        return raw[:end]
    return _NUMBERS.sub(b'"', raw)


def _row(raw: bytes) -> dict[str, Any] | None:
    try:
        row = read_json(raw)
    except InputError:
        return None
    return row if isinstance(row, dict) else None


def _text_of(data: bytes) -> str:
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n")


def _event(path: str, line: int, row: LogRow) -> tuple[str, LogEvent]:
    role, do = _text(path, line, row, "role"), _text(path, line, row, "do")
    if do not in EVENTS:
        hint = did_you_mean(do, EVENTS) or f"an event is one of {', '.join(EVENTS)}"
        raise ParseError(f"'{do}' is not an event", place=Place(path, line), hint=hint)
    if do in ("send", "sends", "sent", "receive"):
        peer, message = (_text(path, line, row, key) for key in ("peer", "message"))
        return role, LogEvent("receive" if do == "receive" else "send", peer, message)
    name = row.get("message")
    return role, LogEvent(do, "", name if isinstance(name, str) and do == "timeout" else "")


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
