"""Spans and logs of OpenTelemetry as OTLP has them in JSON: a document, or one per line.

Each span and each log record is a row: its attributes and those of its resource by their names, and `name`
and `kind` of a span, `body` and `severity` of a log record. Rows are in the order of their times, since a
span is written when it ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import InputError, ParseError, Place
from ...languages.formats.read_data import read_json

#: The kinds of spans by their numbers; some writers have the names.
_KINDS = ("UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER")

_PARTS = (("resourceSpans", "scopeSpans", "spans"), ("resourceLogs", "scopeLogs", "logRecords"))


def is_otlp(start: bytes) -> bool:
    """Does a file that begins so hold spans or logs of OpenTelemetry?"""
    head = start.lstrip()
    return head[:1] == b"{" and any(f'"{outer}"'.encode() in head for outer, _, _ in _PARTS)


def otlp_rows(path: str, text: str) -> list[tuple[int, dict[str, Any]]]:
    """The rows, each with its line, in the order of their times."""
    found: list[tuple[int, int, dict[str, Any]]] = []
    for line, document in _documents(path, text):
        try:
            found += _rows(document, line, text)
        except (TypeError, ValueError):
            raise ParseError("this is no JSON of OpenTelemetry", place=Place(path, line)) from None
    return [(line, row) for _, line, row in sorted(found, key=lambda row: row[0])]


def _documents(path: str, text: str) -> Iterator[tuple[int | None, Any]]:
    """Each document with its line; None for one over several lines."""
    lines = text.split("\n")
    try:
        whole = read_json(text)
    except InputError:
        whole = None
    if whole is not None:
        yield (1 if not text.strip().count("\n") else None), whole
        return
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield number, read_json(line)
            except InputError:
                if number == len(lines):  # torn: the process was killed while it wrote
                    return
                raise ParseError("this is no JSON of OpenTelemetry", place=Place(path, number)) from None


def _rows(document: Any, line: int | None, text: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
    for outer, middle, inner in _PARTS:
        for resource in _list(document, outer):
            shared = _attributes(resource.get("resource") or {})
            for scope in _list(resource, middle):
                for record in _list(scope, inner):
                    yield _time(record), line or _line_of(record, text), {**shared, **_row(record)}


def _list(record: Any, name: str) -> list[Mapping[str, Any]]:
    found = record.get(name) if isinstance(record, Mapping) else None
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def _row(record: Mapping[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    if "name" in record:
        kind = record.get("kind", 0)
        named = _KINDS[kind] if isinstance(kind, int) and kind < len(_KINDS) else str(kind)
        row |= {"name": record["name"], "kind": named.removeprefix("SPAN_KIND_")}
    if "body" in record:
        row |= {"body": _value(record["body"]), "severity": record.get("severityText")}
    return row | _attributes(record)


def _attributes(record: Mapping[str, Any]) -> dict[str, Any]:
    return {str(a.get("key")): _value(a.get("value")) for a in _list(record, "attributes")}


def _value(value: Any) -> Any:
    """`{"stringValue": "x"}`; whole numbers are texts in OTLP's JSON."""
    if not isinstance(value, Mapping) or len(value) != 1:
        return value
    ((kind, inner),) = value.items()
    if kind == "kvlistValue":
        return {str(v.get("key")): _value(v.get("value")) for v in _list(inner, "values")}
    if kind == "arrayValue":
        return [_value(v) for v in _list(inner, "values")]
    return int(inner) if kind == "intValue" else inner


def _time(record: Mapping[str, Any]) -> int:
    times = (record.get(name) for name in ("startTimeUnixNano", "timeUnixNano", "observedTimeUnixNano"))
    return next((int(time) for time in times if time not in (None, "", "0", 0)), 0)


def _line_of(record: Mapping[str, Any], text: str) -> int:
    """Where a span stands in a document over several lines; the first line where nothing tells."""
    identity = record.get("spanId")
    at = text.find(f'"{identity}"') if identity else 0
    return text.count("\n", 0, max(at, 0)) + 1
