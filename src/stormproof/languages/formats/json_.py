"""The exchange format: JSON, version 1 (schemas/system.schema.json). Everything converts to it without
loss."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...errors import ModelError
from ...kernel.model.actions import (
    ANY_TIME,
    CRASH,
    Action,
    Crash,
    Internal,
    Message,
    Receive,
    Send,
    Transition,
)
from ...kernel.model.faults import PROCESS_KINDS
from ...kernel.model.observer import Observer
from ...kernel.model.process import Process
from ...kernel.model.system import COMMUNICATIONS, PEER_TO_PEER, System
from ...kernel.model.timers import ANY, LATEST, MODES
from .json_disks import DISK, disk_to_json, read_disk
from .json_places import Path
from .json_requirements import read_requirements, requirement_to_json
from .json_values import Values, cuts_to_json, fault_to_json
from .read_data import read_json
from .text import SizeCount, Source, near, shorten

VERSION = 1

_SYSTEM = (
    *("stormproof", "name", "communication", "timers", "processes", "observers", "faults", "cuts"),
    "requirements",
)
_PROCESS = (
    *("name", "initial", "reliable", "service", "stop", "restart"),
    *("states", "rest", "durable", "atomic", "recovery", "disks", "transitions"),
)
_TRANSITION = (
    *("from", "to", "send", "receive", "internal", "timeout", "after", "at_any_time"),
    *("fault", "record", "saves"),
)
_OPENING = re.compile(r"\s*\{")


def sniff(text: str) -> bool:
    return _OPENING.match(text) is not None


def write(system: System) -> str:
    """The system as JSON, one transition per line."""
    data = to_json(system)
    lists = ("processes", "observers", "faults", "requirements")
    head = {k: v for k, v in data.items() if k not in lists}
    lines = [f"{_dump(k)}: {_dump(v)}" for k, v in head.items()]
    lines.append(_list("processes", [_process_text(p) for p in data["processes"]]))
    if system.observers:
        lines.append(_list("observers", [_dump(o) for o in data["observers"]]))
    lines.append(_list("faults", [_dump(f) for f in data["faults"]]))
    if system.requirements:
        lines.append(_list("requirements", [_dump(r) for r in data["requirements"]]))
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
    data: dict[str, Any] = {
        "stormproof": VERSION,
        "name": system.name,
        **({"communication": system.communication} if system.mailboxes else {}),
        **({"timers": system.timers} if system.timers != ANY else {}),
        "processes": [_process_to_json(p) for p in system],
        **_observers_to_json(system),
        "faults": [fault_to_json(f) for f in system.faults],
        **({"cuts": cuts_to_json(system.cuts)} if system.cuts else {}),
    }
    if system.requirements:
        data["requirements"] = [requirement_to_json(r) for r in system.requirements]
    return data


def _observers_to_json(system: System) -> dict[str, Any]:
    if not system.observers:
        return {}
    from .json_observers import observer_to_json

    return {"observers": [observer_to_json(o) for o in system.observers]}


def _process_to_json(process: Process) -> dict[str, Any]:
    data: dict[str, Any] = {"name": process.name, "initial": process.initial, "reliable": process.reliable}
    bare = Process(process.name, process.initial, process.transitions)
    if bare.states != process.states:
        data["states"] = list(process.states)
    if process.service:
        data["service"] = True
    data |= {kind.keyword: True for kind in PROCESS_KINDS if getattr(process, kind.keyword)}
    if process.rest is not None:
        data["rest"] = list(process.rest)
    if process.durable:
        data["durable"] = list(process.durable)
    data |= {} if not process.atomic else {"atomic": list(process.atomic)}
    data |= disk_to_json(process) if process.recovery or process.disks else {}
    saved = {row: {"saves": dict(values)} for row, values in process.saves}
    data["transitions"] = [
        {"from": t.source, "to": t.target, **_action_to_json(t.action), **saved.get(t, {})}
        for t in process.transitions
    ]
    return data


def _action_to_json(action: Action) -> dict[str, Any]:
    if isinstance(action, Internal):
        if action.timeout:
            return {"timeout": action.name, **_due_to_json(action)}
        fault: dict[str, Any] = {"fault": action.fault} if action.fault else {}
        fault |= {"record": True} if action.record else {}
        return {"internal": action.name, **fault}
    what = {"crash": True} if isinstance(action.message, Crash) else {"message": action.message}
    if isinstance(action, Send):
        return {"send": {"to": action.peer, **what}}
    return {"receive": {"from": action.peer, **what}}


def _due_to_json(timer: Internal) -> dict[str, Any]:
    if timer.after == ANY_TIME:
        return {"at_any_time": True}
    return {} if timer.after == 1 else {"after": timer.after}


def read(text: str, name: str = "<input>") -> System:
    source = Source(text, name)
    try:
        data = read_json(text, name, pairs=_object, halves=True)
    except _Twice as problem:
        at = text.find(_dump(problem.key))
        source.fail(f"the key '{shorten(problem.key)}' stands twice in one object", max(at, 0))
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


class _Reader(Values):
    """Checks an object against the format as it builds the system."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.budget = SizeCount(source)

    def system(self, data: Any) -> System:
        self.keys(data, _SYSTEM, ("stormproof", "processes"), (), "a system")
        if data["stormproof"] != VERSION or isinstance(data["stormproof"], bool):
            self.fail(
                f"version {data['stormproof']!r:.20} of the format is not known; this is version 1",
                ("stormproof",),
            )
        name = self.string(data.get("name", ""), ("name",))
        communication = self.string(data.get("communication", PEER_TO_PEER), ("communication",))
        if communication not in COMMUNICATIONS:
            problem = f"communication is {' or '.join(COMMUNICATIONS)}, not '{shorten(communication)}'"
            self.fail(problem, ("communication",), near(communication, COMMUNICATIONS))
        timers = self.string(data.get("timers", ANY), ("timers",))
        if timers not in MODES:
            problem = f"timers are {' or '.join(MODES)}, not '{shorten(timers)}'"
            self.fail(problem, ("timers",), near(timers, MODES))
        rows = self.array(data["processes"], ("processes",))
        processes: dict[str, Process] = {}
        for i, row in enumerate(rows):
            process = self.process(row, ("processes", i))
            if process.name in processes:
                path = ("processes", i, "name")
                self.fail(f"two processes are called '{shorten(process.name)}'", path, model=True)
            processes[process.name] = process
        self.peers(processes)
        faults = self.faults(data.get("faults", []), ("faults",), processes)
        watching = self.observers(data, processes)
        try:
            made = tuple(processes.values())
            system = System(
                made, name, faults, communication=communication, timers=timers, observers=watching
            )
        except ModelError as problem:
            self.fail(problem.message, ("processes",), problem.hint, model=True)
        cuts = self.cuts(data.get("cuts", []), ("cuts",), system)
        found = read_requirements(self, data.get("requirements", []), system)
        try:
            return replace(system, requirements=found, cuts=cuts)
        except ModelError as problem:
            self.fail(problem.message, ("requirements",), problem.hint, model=True)

    def observers(self, data: Any, processes: Mapping[str, Process]) -> tuple[Observer, ...]:
        if "observers" not in data:
            return ()
        from .json_observers import read_observers

        return read_observers(self, data["observers"], processes)

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
        saved = any(isinstance(row, dict) and "saves" in row for row in rows)
        self.states(data, path, initial, listed, transitions)
        reliable = self.flag(data.get("reliable", True), (*path, "reliable"))
        service = self.flag(data.get("service", False), (*path, "service"))
        words = [kind.keyword for kind in PROCESS_KINDS]
        faults: dict[str, Any] = {w: self.flag(data.get(w, False), (*path, w)) for w in words}
        try:
            process = Process(name, initial, transitions, listed, reliable, service=service)
            rest = self.some_states(data, "rest", path, process)
            durable = self.some_states(data, "durable", path, process) or ()
            atomic = self.some_states(data, "atomic", path, process) or ()
            kept = read_disk(self, data, path, process, transitions) if saved or DISK & data.keys() else {}
            return replace(process, rest=rest, durable=durable, atomic=atomic, **kept, **faults)
        except ModelError as problem:
            self.fail(problem.message, path, problem.hint, model=True)

    def some_states(self, data: Any, key: str, path: Path, process: Process) -> tuple[str, ...] | None:
        """Null, or left out, for the default ones."""
        if data.get(key) is None:
            return None
        rows = self.array(data[key], (*path, key))
        found = tuple(self.string(s, (*path, key, i)) for i, s in enumerate(rows))
        known = set(process.states)
        for i, state in enumerate(found):
            if state not in known:
                hint = near(state, process.states)
                self.fail(f"unknown state '{shorten(state)}'", (*path, key, i), hint, model=True)
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
        action = self.action(kinds[0], data[kinds[0]], (*path, kinds[0]), owner)
        if "fault" in data:
            known = [kind.keyword for kind in PROCESS_KINDS]
            if data["fault"] not in known or kinds != ["internal"]:
                self.fail(f"'fault' marks an internal action as a {' or a '.join(known)}", (*path, "fault"))
            action = Internal(data["internal"], fault=data["fault"])
        if "after" in data or "at_any_time" in data:
            action = self.timer(action, data, path)
        if "record" in data:
            if data["record"] is not True or kinds != ["internal"] or "fault" in data:
                self.fail("'record' is true, and marks an internal action", (*path, "record"))
            action = Internal(data["internal"], record=True)
        return Transition(source, action, target)

    def timer(self, action: Action, data: Any, path: Path) -> Internal:
        """A timer, and when it expires."""
        if not isinstance(action, Internal) or not action.timeout:
            self.fail("only a 'timeout' has 'after' or 'at_any_time'", path)
        if "at_any_time" not in data:
            return replace(action, after=self.number(data["after"], (*path, "after"), 1, LATEST))
        if "after" in data or data["at_any_time"] is not True:
            self.fail("'at_any_time' is true, and then there is no 'after'", (*path, "at_any_time"))
        return replace(action, after=ANY_TIME)

    def action(self, kind: str, data: Any, path: Path, owner: str) -> Action:
        if kind in ("internal", "timeout"):
            return Internal(self.string(data, path), timeout=kind == "timeout")
        end = "to" if kind == "send" else "from"
        self.keys(data, (end, "message", "crash"), (end,), path, f"a {kind}")
        peer = self.string(data[end], (*path, end))
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


__all__ = ["from_json", "read", "sniff", "to_json", "write"]
