"""Values of the exchange format, checked as they are read; every error has its place in the text."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from typing import Any, NoReturn

from ...errors import InputError, ModelError
from ...kernel.model.actions import Channel
from ...kernel.model.cuts import Cut, is_link, sides_apart
from ...kernel.model.faults import CORRUPTION, PLAIN_KINDS, SCOPES, ChannelFaults, Corruption
from ...kernel.model.system import System
from .json_places import Path, find
from .read_data import read_json
from .text import Source, near, shorten

_FAULT = ("from", "to", *(kind.keyword for kind in (*PLAIN_KINDS, CORRUPTION)))

_SURROGATE = re.compile("[\ud800-\udfff]")


class KeyTwice(InputError):
    """A key stands twice in one object, so that readers differ on what the text says."""


class _Twice(Exception):
    pass


def load_json(text: str, name: str, hint: str | None = None) -> Any:
    """The value of a JSON text; InputError where it is none, KeyTwice where it says something twice."""
    try:
        return read_json(text, name, hint, pairs=_object)
    except _Twice as problem:
        raise KeyTwice(f"the key '{shorten(str(problem))}' stands twice in one object") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _Twice(next(key for i, key in enumerate(keys) if key in keys[:i]))
    return made


def canonical_json(value: Any) -> str:
    """One text per value, whatever the order of keys."""
    return json.dumps(value, sort_keys=True)


def same_json(one: Any, other: Any) -> bool:
    """Are they the same JSON value? In Python 1, 1.0 and True are equal."""
    return canonical_json(one) == canonical_json(other)


def fault_to_json(fault: ChannelFaults) -> dict[str, Any]:
    data: dict[str, Any] = {"from": fault.sender, "to": fault.receiver}
    data |= {kind.keyword: True for kind in PLAIN_KINDS if fault.has(kind)}
    if fault.corrupt is not None:
        data["corrupt"] = {"scope": fault.corrupt.scope}
        if fault.corrupt.pairs is not None:
            data["corrupt"]["pairs"] = [list(pair) for pair in fault.corrupt.pairs]
    return data


def cuts_to_json(cuts: Iterable[Cut]) -> list[list[list[str]]]:
    return [[list(channel) for channel in cut] for cut in cuts]


class Values:
    """Reads values; what is not as it should be is an error."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def fail(
        self,
        message: str,
        path: Path,
        hint: str | None = None,
        model: bool = False,
        within: Path | None = None,
    ) -> NoReturn:
        """An error at a path; `within` is the path that the message names, if it is another."""
        start, end = find(self.source.text, path)
        path = path if within is None else within
        where = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in path).lstrip(".")
        shown = f"{message}, in {where}" if where else message
        if model:
            self.source.fail(shown, start, end, hint, ModelError)
        self.source.fail(shown, start, end, hint)

    def keys(self, data: Any, known: tuple[str, ...], needed: tuple[str, ...], path: Path, what: str) -> None:
        if not isinstance(data, dict):
            self.fail(f"{what} is an object", path)
        for key in data:
            if key not in known:
                hint = near(key, known) or f"known here: {', '.join(known)}"
                self.fail(f"unknown key '{shorten(key)}'", (*path, key), hint, within=path)
        for key in needed:
            if key not in data:
                self.fail(f"{what} needs '{key}'", path)

    def string(self, data: Any, path: Path) -> str:
        if not isinstance(data, str):
            self.fail("a name is a string", path)
        if _SURROGATE.search(data):
            self.fail("a name holds half of a surrogate pair", path)
        return data

    def flag(self, data: Any, path: Path) -> bool:
        if not isinstance(data, bool):
            self.fail("this is true or false", path)
        return data

    def array(self, data: Any, path: Path) -> list[Any]:
        if not isinstance(data, list):
            self.fail("this is a list", path)
        return data

    def number(self, data: Any, path: Path, least: int, most: int | None = None) -> int:
        if not isinstance(data, int) or isinstance(data, bool) or data < least:
            self.fail(f"this is a number, {least} or more", path)
        if most is not None and data > most:
            self.fail(f"this is a number, {most:,} or less", path)
        return data

    def role(self, data: Any, path: Path, known: Collection[str]) -> str:
        role = self.string(data, path)
        if role not in known:
            self.fail(f"unknown process '{shorten(role)}'", path, near(role, known), model=True)
        return role

    def faults(self, data: Any, path: Path, known: Collection[str]) -> tuple[ChannelFaults, ...]:
        found: dict[tuple[str, str], ChannelFaults] = {}
        for i, row in enumerate(self.array(data, path)):
            fault = self.fault(row, (*path, i), known)
            key = (fault.sender, fault.receiver)
            if key in found:
                self.fail(f"the faults of {key[0]}->{key[1]} are declared twice", (*path, i), model=True)
            found[key] = fault
        return tuple(found.values())

    def fault(self, data: Any, path: Path, known: Collection[str]) -> ChannelFaults:
        self.keys(data, _FAULT, ("from", "to"), path, "a fault")
        ends = [self.role(data[end], (*path, end), known) for end in ("from", "to")]
        plain = {
            kind.keyword: self.flag(data.get(kind.keyword, False), (*path, kind.keyword))
            for kind in PLAIN_KINDS
        }
        corrupt = self.corruption(data.get("corrupt"), (*path, "corrupt"))
        return ChannelFaults(ends[0], ends[1], corrupt=corrupt, **plain)

    def cuts(self, data: Any, path: Path, system: System) -> tuple[Cut, ...]:
        """Lists of channels, each of which is a pair of roles."""
        rows = enumerate(self.array(data, path))
        return tuple(dict.fromkeys(self.cut(row, (*path, i), system) for i, row in rows))

    def cut(self, data: Any, path: Path, system: System) -> Cut:
        found = []
        for i, pair in enumerate(self.array(data, path)):
            if not (isinstance(pair, list) and len(pair) == 2):
                self.fail("a channel is a list of two roles", (*path, i))
            ends = [self.role(end, (*path, i, j), system.names) for j, end in enumerate(pair)]
            found.append(Channel(*ends))
        cut = tuple(dict.fromkeys(found))
        if len(cut) != 1 and not is_link(cut) and len(sides_apart(cut, system.names, system.pairs)) < 2:
            hint = "a cut is one channel, both channels of a link, or all channels across a partition"
            self.fail("these channels are no cut", path, hint, model=True)
        return cut

    def corruption(self, data: Any, path: Path) -> Corruption | None:
        if data is None or data is False:
            return None
        if data is True:
            return Corruption()
        self.keys(data, ("scope", "pairs"), (), path, "corruption")
        scope = self.string(data.get("scope", "channel"), (*path, "scope"))
        if scope not in SCOPES:
            self.fail(f"the scope of a corruption is one of {', '.join(SCOPES)}", (*path, "scope"))
        if data.get("pairs") is None:
            return Corruption(scope)
        pairs = []
        for i, pair in enumerate(self.array(data["pairs"], (*path, "pairs"))):
            if not (isinstance(pair, list) and len(pair) == 2):
                self.fail("a pair is a list of two messages", (*path, "pairs", i))
            pairs.append(
                (self.string(pair[0], (*path, "pairs", i, 0)), self.string(pair[1], (*path, "pairs", i, 1)))
            )
        return Corruption(scope, tuple(pairs))
