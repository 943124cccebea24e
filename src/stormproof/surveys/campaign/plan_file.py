"""A campaign described in a TOML file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import InputError, Place, did_you_mean
from ...languages import formats
from ...languages.formats.read_data import read_toml, understood
from ...limits import Limits, parse_memory
from .expected import expected_verdicts
from .jobs import STANDARD_FAILURES, Plan

#: For each key: is it a list, of what, and that in words.
_PLAN_KEYS: dict[str, tuple[bool, type | tuple[type, ...], str]] = {
    "files": (True, str, 'a list of names, like ["alternating-bit", "mine/*.storm"]'),
    "properties": (True, str, 'a list of names, like ["k-mc", "rsc"]'),
    "bounds": (True, int, "a list of whole numbers, like [1, 2]"),
    "max_k": (False, int, "a whole number"),
    "timeout": (False, (int, float), "a number of seconds"),
    "memory": (False, (int, str), 'an amount like "2GiB"'),
    "states": (False, int, "a whole number"),
    "semantics": (True, str, 'a list of "definition", "encoding" and "as-run", or one of them'),
    "failures": (True, dict, "a list of tables, each headed [[failures]]"),
    "generate": (True, dict, "a list of tables, each headed [[generate]]"),
    "expect": (True, dict, "a list of tables, each headed [[expect]]"),
}


def plan_from_toml(path: str) -> Plan:
    """A plan from a TOML file; files are relative to where the command runs, as in a shell."""
    text = formats.read_text(path)
    data = read_toml(text, path)
    for key in data:
        if key not in _PLAN_KEYS:
            raise InputError(
                f"unknown key '{key}'; there are {', '.join(_PLAN_KEYS)}",
                place=Place(path),
                hint=did_you_mean(key, _PLAN_KEYS),
            )
    if isinstance(data.get("semantics"), str):
        data["semantics"] = [data["semantics"]]
    _well_typed(data, path)
    with understood(path, "a plan"):
        return _plan(data)


def _well_typed(data: Mapping[str, Any], path: str) -> None:
    for key, value in data.items():
        many, kind, words = _PLAN_KEYS[key]
        values = value if many and isinstance(value, list) else [value]
        if isinstance(value, list) != many or not all(_is(v, kind) for v in values):
            raise InputError(f"'{key}' is {words}, not {value!r}", place=Place(path))


def _is(value: Any, kind: type | tuple[type, ...]) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _plan(data: Mapping[str, Any]) -> Plan:
    chosen: dict[str, Any] = {"states": data.get("states")}
    if "timeout" in data:
        chosen["seconds"] = float(data["timeout"])
    if "memory" in data:
        chosen["memory"] = parse_memory(data["memory"])
    rows = data.get("failures")
    models = STANDARD_FAILURES if rows is None else {_name(i, r): _rest(r) for i, r in enumerate(rows)}
    properties = data.get("properties")
    return Plan(
        files=tuple(data.get("files", ())),
        failures=models,
        properties=None if properties is None else tuple(properties),
        bounds=tuple(data.get("bounds", ())),
        max_k=data.get("max_k"),
        semantics=tuple(data.get("semantics", ("definition",))),
        limits=Limits(**chosen),
        generate=tuple(data.get("generate", ())),
        expect=tuple(expected_verdicts(i, row) for i, row in enumerate(data.get("expect", ()))),
    )


def _name(index: int, row: Mapping[str, Any]) -> str:
    return str(row.get("name") or f"failures {index + 1}")


def _rest(row: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in row.items() if k != "name"}
