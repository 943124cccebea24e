"""A short file that says which fields of a log hold an event: `stormproof trace --map FILE`.

    role = "service.name"                                     # the name of a field, dots lead into objects
    do = { field = "kind", values = { PRODUCER = "send", CONSUMER = "receive" } }
    peer = "peer.service"
    message = "name"
    where = { logger = "protocol" }                           # other lines are no events

A field may be `{ value = "Shop" }`, the same in every line. A line whose value `values` does not name is no
event.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InputError, Place, did_you_mean
from ...languages.formats.read_data import read_toml
from .read_log import FIELDS, LogRow

_OPTIONS = ("field", "value", "values")
_EXAMPLE = 'for example  role = "service.name"'


@dataclass(frozen=True)
class MappedField:
    """Where the field of an event comes from: a field of the line, or one `value` for all."""

    field: str | None = None
    value: str | None = None
    values: Mapping[str, str] | None = None

    def of(self, row: LogRow) -> tuple[Any, bool]:
        """The value, and whether the line can be an event."""
        if self.field is None:
            return self.value, True
        found = look_up(row, self.field)
        if self.values is None:
            return found, True
        return self.values.get(str(found)), str(found) in self.values


@dataclass(frozen=True)
class LogMap:
    """Turns a line into the fields of an event; None where it is none."""

    fields: Mapping[str, MappedField]
    where: Mapping[str, Any]

    def __call__(self, row: LogRow) -> LogRow | None:
        if any(look_up(row, name) != value for name, value in self.where.items()):
            return None
        found: dict[str, Any] = {}
        for name, mapped in self.fields.items():
            found[name], fits = mapped.of(row)
            if not fits:
                return None
        return {name: value for name, value in found.items() if value is not None}


def look_up(row: LogRow, name: str) -> Any:
    """The field of that name, or the one that its dots lead to; None where there is none."""
    if name in row:
        return row[name]
    first, dot, rest = name.partition(".")
    inner = row.get(first)
    return look_up(inner, rest) if dot and isinstance(inner, Mapping) else None


def load_log_map(path: str | Path) -> LogMap:
    """The map in a TOML file."""
    try:
        text = Path(path).read_text("utf-8")
    except OSError as problem:
        raise InputError(f"cannot be read: {problem.strerror}", place=Place(str(path))) from None
    except UnicodeDecodeError:
        raise InputError("this is no text in UTF-8", place=Place(str(path))) from None
    found = read_toml(text, str(path))
    where = found.pop("where", {})
    for name in found:
        if name not in FIELDS:
            hint = did_you_mean(name, FIELDS) or f"the fields are {', '.join(FIELDS)}, and where"
            raise InputError(f"an event has no field '{name}'", place=Place(str(path)), hint=hint)
    if not isinstance(where, dict):
        raise InputError("where is a table of fields and values", place=Place(str(path)), hint=_EXAMPLE)
    # A field that is not named is called as it is in an event.
    return LogMap({name: _mapped(str(path), name, found.get(name, name)) for name in FIELDS}, where)


def _mapped(path: str, name: str, given: Any) -> MappedField:
    if isinstance(given, str):
        return MappedField(given)
    if isinstance(given, dict) and ("field" in given) != ("value" in given) and given.keys() <= {*_OPTIONS}:
        values = given.get("values")
        texts = [v for k, v in given.items() if k != "values"]
        texts += [] if values is None else [*values.values()] if isinstance(values, dict) else [None]
        if all(isinstance(text, str) for text in texts):
            return MappedField(given.get("field"), given.get("value"), values)
    hint = f'write {name} = "FIELD", {{ field = "FIELD", values = {{ x = "y" }} }} or {{ value = "TEXT" }}'
    raise InputError(f"'{name}' does not say where it comes from", place=Place(path), hint=hint)
