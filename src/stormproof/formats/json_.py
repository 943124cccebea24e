"""The exchange format: JSON, version 1 (schemas/system.schema.json). Everything converts to it without
loss."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NoReturn

from ..errors import ModelError
from ..model.actions import CRASH, Action, Internal, Message, Receive, Send, Transition
from ..model.faults import CORRUPTION, PLAIN_KINDS, SCOPES, ChannelFaults, Corruption
from ..model.process import Process
from ..model.system import System
from .json_places import Path, find
from .text import Budget, Source, near, shorten

VERSION = 1

_SYSTEM = ("stormproof", "name", "processes", "faults")
_PROCESS = ("name", "initial", "reliable", "service", "states", "rest", "transitions")
_TRANSITION = ("from", "to", "send", "receive", "internal", "timeout")
_OPENING = re.compile(r"\s*\{")
_FAULT = ("from", "to", *(kind.keyword for kind in (*PLAIN_KINDS, CORRUPTION)))


def sniff(text: str) -> bool:
    return _OPENING.match(text) is not None


def write(system: System) -> str:
    """The system as JSON, one transition a line."""
    data = to_json(system)
    head = {k: v for k, v in data.items() if k not in ("processes", "faults")}
    lines = [f"{_dump(k)}: {_dump(v)}" for k, v in head.items()]
    lines.append(_list("processes", [_process_text(p) for p in data["processes"]]))
    lines.append(_list("faults", [_dump(f) for f in data["faults"]]))
    return "{" + ",\n ".join(lines) + "}\n"


def _process_text(process: Mapping[str, Any]) -> str:
    head = ", ".join(f"{_dump(k)}: {_dump(v)}" for k, v in process.items() if k != "transitions")
    rows = ",\n     ".join(_dump(t) for t in process["transitions"])
    return "{" + head + ',\n   "transitions": [' + (f"\n     {rows}" if rows else "") + "]}"


def _list(key: str, items: list[str]) -> str:
    return f"{_dump(key)}: [" + "".join(f"{',' if i else ''}\n  {item}" for i, item in enumerate(items)) + "]"


def _dump(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False)


def to_json(system: System) -> dict[str, Any]:
    """The system as the exchange format's object."""
    return {
        "stormproof": VERSION,
        "name": system.name,
        "processes": [_process_to_json(p) for p in system],
        "faults": [_fault_to_json(f) for f in system.faults],
    }


def _process_to_json(process: Process) -> dict[str, Any]:
    data: dict[str, Any] = {"name": process.name, "initial": process.initial, "reliable": process.reliable}
    bare = Process(process.name, process.initial, process.transitions)
    if bare.states != process.states:
        data["states"] = list(process.states)
    if process.service:
        data["service"] = True
    if process.rest is not None:
        data["rest"] = list(process.rest)
    data["transitions"] = [
        {"from": t.source, "to": t.target, **_action_to_json(t.action)} for t in process.transitions
    ]
    return data


def _action_to_json(action: Action) -> dict[str, Any]:
    if isinstance(action, Internal):
        return {"timeout" if action.timeout else "internal": action.name}
    what = {"crash": True} if action.message is CRASH else {"message": action.message}
    if isinstance(action, Send):
        return {"send": {"to": action.peer, **what}}
    return {"receive": {"from": action.peer, **what}}


def _fault_to_json(fault: ChannelFaults) -> dict[str, Any]:
    data: dict[str, Any] = {"from": fault.sender, "to": fault.receiver}
    data |= {kind.keyword: True for kind in PLAIN_KINDS if fault.has(kind)}
    if fault.corrupt is not None:
        data["corrupt"] = {"scope": fault.corrupt.scope}
        if fault.corrupt.pairs is not None:
            data["corrupt"]["pairs"] = [list(pair) for pair in fault.corrupt.pairs]
    return data


def read(text: str, name: str = "<input>") -> System:
    source = Source(text, name)
    try:
        data = json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as problem:
        source.fail(f"not JSON: {problem.msg[0].lower()}{problem.msg[1:]}", problem.pos)
    except RecursionError:
        source.fail("nested too deeply to be a system", 0)
    except _Twice as problem:
        at = text.find(_dump(problem.key))
        source.fail(f"the key '{shorten(problem.key)}' stands twice in one object", max(at, 0))
    except ValueError as problem:
        source.fail(f"not JSON: {problem}", 0)
    return _Reader(source).system(data)


def from_json(data: Any, name: str = "<input>") -> System:
    """The inverse of `to_json`, for an object that is at hand already."""
    return _Reader(Source("", name)).system(data)


class _Twice(Exception):
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _Twice(key)
            seen.add(key)
    return made


_SURROGATE = re.compile("[\ud800-\udfff]")


class _Reader:
    """Checks an object against the format as it builds the system; every complaint has its place in
    the text."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.budget = Budget(source)

    def fail(self, message: str, path: Path, hint: str | None = None, model: bool = False) -> NoReturn:
        where = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in path).lstrip(".")
        start, end = find(self.source.text, path)
        shown = f"{message}, in {where}" if where else message
        if model:
            self.source.fail(shown, start, end, hint, ModelError)
        self.source.fail(shown, start, end, hint)

    def system(self, data: Any) -> System:
        self.keys(data, _SYSTEM, ("stormproof", "processes"), (), "a system")
        if data["stormproof"] != VERSION or isinstance(data["stormproof"], bool):
            self.fail(
                f"version {data['stormproof']!r:.20} of the format is not known; this is version 1",
                ("stormproof",),
            )
        name = self.string(data.get("name", ""), ("name",))
        rows = self.array(data["processes"], ("processes",))
        processes: dict[str, Process] = {}
        for i, row in enumerate(rows):
            process = self.process(row, ("processes", i))
            if process.name in processes:
                path = ("processes", i, "name")
                self.fail(f"two processes are called '{shorten(process.name)}'", path, model=True)
            processes[process.name] = process
        self.peers(processes)
        faults = self.faults(data.get("faults", []), processes)
        try:
            return System(tuple(processes.values()), name, faults)
        except ModelError as problem:
            self.fail(problem.message, ("processes",), problem.hint, model=True)

    def keys(self, data: Any, known: tuple[str, ...], needed: tuple[str, ...], path: Path, what: str) -> None:
        if not isinstance(data, dict):
            self.fail(f"{what} is an object", path)
        for key in data:
            if key not in known:
                hint = near(key, known) or f"known here: {', '.join(known)}"
                self.fail(f"unknown key '{shorten(key)}'", (*path, key), hint)
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

    def process(self, data: Any, path: Path) -> Process:
        self.keys(data, _PROCESS, ("name", "initial", "transitions"), path, "a process")
        name = self.string(data["name"], (*path, "name"))
        states = self.array(data.get("states", []), (*path, "states"))
        self.budget.state(0, max(len(states), 1))
        listed = tuple(self.string(s, (*path, "states", i)) for i, s in enumerate(states))
        initial = self.string(data["initial"], (*path, "initial"))
        rows = self.array(data["transitions"], (*path, "transitions"))
        self.budget.transition(0, len(rows))
        transitions = tuple(self.transition(t, (*path, "transitions", i), name) for i, t in enumerate(rows))
        self.states(data, path, initial, listed, transitions)
        reliable = self.flag(data.get("reliable", True), (*path, "reliable"))
        service = self.flag(data.get("service", False), (*path, "service"))
        try:
            process = Process(name, initial, transitions, listed, reliable, service=service)
            return replace(process, rest=self.rest(data, path, process))
        except ModelError as problem:
            self.fail(problem.message, path, problem.hint, model=True)

    def rest(self, data: Any, path: Path, process: Process) -> tuple[str, ...] | None:
        """Null, or left out, for the default rest states."""
        if data.get("rest") is None:
            return None
        rows = self.array(data["rest"], (*path, "rest"))
        found = tuple(self.string(s, (*path, "rest", i)) for i, s in enumerate(rows))
        known = set(process.states)
        for i, state in enumerate(found):
            if state not in known:
                hint = near(state, process.states)
                self.fail(f"unknown state '{shorten(state)}'", (*path, "rest", i), hint, model=True)
        return found

    def states(
        self, data: Any, path: Path, initial: str, listed: tuple[str, ...], rows: tuple[Transition, ...]
    ) -> None:
        """Where `states` is given, it lists every state."""
        if "states" not in data:
            return
        known = set(listed)
        if initial not in known:
            self.fail(
                f"the initial state '{shorten(initial)}' is not listed",
                (*path, "initial"),
                near(initial, listed),
                model=True,
            )
        for i, row in enumerate(rows):
            for end, state in (("from", row.source), ("to", row.target)):
                if state not in known:
                    here = (*path, "transitions", i, end)
                    hint = near(state, listed)
                    self.fail(f"unknown state '{shorten(state)}'", here, hint, model=True)

    def transition(self, data: Any, path: Path, owner: str) -> Transition:
        if not isinstance(data, dict):
            self.fail("a transition is an object", path)
        self.keys(data, _TRANSITION, ("from", "to"), path, "a transition")
        kinds = [k for k in ("send", "receive", "internal", "timeout") if k in data]
        if len(kinds) != 1:
            self.fail("a transition has one of 'send', 'receive', 'internal' and 'timeout'", path)
        source = self.string(data["from"], (*path, "from"))
        target = self.string(data["to"], (*path, "to"))
        return Transition(source, self.action(kinds[0], data[kinds[0]], (*path, kinds[0]), owner), target)

    def action(self, kind: str, data: Any, path: Path, owner: str) -> Action:
        if kind in ("internal", "timeout"):
            return Internal(self.string(data, path), timeout=kind == "timeout")
        end = "to" if kind == "send" else "from"
        self.keys(data, (end, "message", "crash"), (end,), path, f"a {kind}")
        peer = self.string(data[end], (*path, end))
        if peer == owner:
            verb = "sends to" if kind == "send" else "receives from"
            self.fail(f"{shorten(owner)} {verb} itself", (*path, end), model=True)
        return (Send if kind == "send" else Receive)(peer, self.message(data, path))

    def message(self, data: Any, path: Path) -> Message:
        if ("message" in data) == ("crash" in data):
            self.fail("this needs either 'message' or 'crash'", path)
        if "crash" in data:
            if data["crash"] is not True:
                self.fail("'crash' is true, or it is left out", (*path, "crash"))
            return CRASH
        name = self.string(data["message"], (*path, "message"))
        if not name:
            self.fail("a message needs a name", (*path, "message"))
        return name

    def peers(self, processes: Mapping[str, Process]) -> None:
        for i, process in enumerate(processes.values()):
            for j, row in enumerate(process.transitions):
                if isinstance(row.action, Internal) or row.action.peer in processes:
                    continue
                kind, end = ("send", "to") if isinstance(row.action, Send) else ("receive", "from")
                path = ("processes", i, "transitions", j, kind, end)
                peer = row.action.peer
                self.fail(f"unknown process '{shorten(peer)}'", path, near(peer, processes), model=True)

    def faults(self, data: Any, processes: Mapping[str, Process]) -> tuple[ChannelFaults, ...]:
        found: dict[tuple[str, str], ChannelFaults] = {}
        for i, row in enumerate(self.array(data, ("faults",))):
            fault = self.fault(row, ("faults", i), processes)
            key = (fault.sender, fault.receiver)
            if key in found:
                self.fail(f"the faults of {key[0]}->{key[1]} are declared twice", ("faults", i), model=True)
            found[key] = fault
        return tuple(found.values())

    def fault(self, data: Any, path: Path, processes: Mapping[str, Process]) -> ChannelFaults:
        self.keys(data, _FAULT, ("from", "to"), path, "a fault")
        ends = []
        for end in ("from", "to"):
            role = self.string(data[end], (*path, end))
            if role not in processes:
                hint = near(role, processes)
                self.fail(f"unknown process '{shorten(role)}'", (*path, end), hint, model=True)
            ends.append(role)
        if ends[0] == ends[1]:
            self.fail(f"there is no channel from {shorten(ends[0])} to itself", path, model=True)
        plain = {
            kind.keyword: self.flag(data.get(kind.keyword, False), (*path, kind.keyword))
            for kind in PLAIN_KINDS
        }
        corrupt = self.corruption(data.get("corrupt"), (*path, "corrupt"))
        return ChannelFaults(ends[0], ends[1], corrupt=corrupt, **plain)

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


__all__ = ["from_json", "read", "sniff", "to_json", "write"]
