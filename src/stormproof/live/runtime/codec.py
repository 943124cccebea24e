"""Messages and their fields as JSON, and back; anything else is garbage."""

from __future__ import annotations

import ast
import enum
import json
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from ...errors import InputError, UsageError
from ...languages.formats.read_data import read_json
from ...programs.extraction.requests import Received, send
from ...programs.extraction.role import Role, RoleCall
from ...programs.extraction.values import spell


class Garbage(ValueError):
    """What a peer sent is no message; the argument says why."""


def to_json(value: Any) -> Any:
    """A field or a durable parameter: tuples are lists, enum members `{"enum": "Phase.IDLE"}`, frozensets
    `{"set": [...]}`."""
    if isinstance(value, enum.Enum):
        return {"enum": f"{type(value).__name__}.{value.name}"}
    if isinstance(value, tuple):
        return [to_json(part) for part in value]
    if isinstance(value, frozenset):
        return {"set": [to_json(part) for part in sorted(value, key=spell)]}
    return value


def from_json(data: Any, enums: dict[str, Any]) -> Any:
    if isinstance(data, list):
        return tuple([from_json(part, enums) for part in data])
    if isinstance(data, dict) and isinstance(data.get("set"), list):
        try:
            return frozenset(from_json(part, enums) for part in data["set"])
        except TypeError:
            raise Garbage("a set holds what cannot be in one") from None
    if isinstance(data, dict):
        kind, _, name = str(data.get("enum", "")).partition(".")
        try:
            return enums[kind][name]
        except KeyError:
            raise Garbage(f"{str(data)[:80]} is no enum member that is known here") from None
    return data


def encode(message: Received, receiver: str) -> bytes:
    fields = [to_json(field) for field in message.fields]
    data = {"from": message.peer, "to": receiver, "name": message.name, "fields": fields}
    return json.dumps(data, separators=(",", ":")).encode("ascii")


def decode(data: bytes, receiver: str, enums: dict[str, Any]) -> Received:
    """The message to this receiver; Garbage if it is none."""
    try:
        found = read_json(data, halves=True)
    except InputError:
        raise Garbage("it is not JSON") from None
    if not isinstance(found, dict) or not isinstance(found.get("fields"), list):
        raise Garbage("it is not a message")
    peer, name, to = (found.get(key) for key in ("from", "name", "to"))
    if to != receiver:
        raise Garbage(f"it is addressed to {str(to)[:80]!r}")
    try:
        fields = tuple([from_json(field, enums) for field in found["fields"]])
        send(peer, name, *fields)  # type: ignore[arg-type] # refuses what no role could have sent
    except UsageError as problem:
        raise Garbage(problem.message[:200]) from None
    except RecursionError:
        raise Garbage("its fields are nested too deeply") from None
    return Received(str(peer), str(name), fields)


def enums_of(call: RoleCall) -> dict[str, Any]:
    """The enum classes that a role function can name: itself, or those of modules and roles that it names."""
    found: dict[str, Any] = {}
    seen: set[int] = set()
    queue: list[Any] = [call.role]
    for value in queue:
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, enum.EnumMeta):
            found.setdefault(value.__name__, value)
        elif isinstance(value, Role):
            cells = getattr(value.function, "__closure__", None) or ()
            queue += [cell.cell_contents for cell in cells]
            queue += _named(value.function.__globals__)
    return found


def _named(names: Mapping[str, Any]) -> list[Any]:
    """What a module names, and the enum classes of the modules that it names."""
    modules = [value for value in names.values() if isinstance(value, ModuleType)]
    inside = [v for module in modules for v in vars(module).values() if isinstance(v, enum.EnumMeta)]
    return [*names.values(), *inside]


def parse_message(peer: str, text: str, enums: Mapping[str, Any]) -> Received | None:
    """The message that is spelt so; None where a field is none that can be read here."""
    name, carries, inside = text.partition("(")
    if not carries:
        return Received(peer, name)
    try:
        fields = ast.parse(f"({inside.removesuffix(')')},)", mode="eval").body
        return Received(peer, name, _value(fields, enums))
    except (ValueError, SyntaxError, KeyError):
        return None


def _value(node: ast.expr, enums: Mapping[str, Any]) -> Any:
    """A literal or an enum member, `Phase.IDLE`, and tuples of these."""
    if isinstance(node, ast.Tuple):
        return tuple([_value(part, enums) for part in node.elts])
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return enums[node.value.id][node.attr]
    return ast.literal_eval(node)
