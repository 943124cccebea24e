"""Requirements in the exchange format; goals are texts in the language of goals."""

from __future__ import annotations

from typing import Any

from ...errors import ParseError
from ...kernel.goals.parse import parse_goal
from ...kernel.model.goal import Goal, show
from ...kernel.model.requirement import COUNTED, PROCESS_FAULTS, Claim, Requirement, Under
from ...kernel.model.system import System
from ...kernel.model.timers import MODES
from .json_places import Path
from .json_values import Values, cuts_to_json, fault_to_json
from .text import Source

_REQUIREMENT = ("name", "violated", "claim", "after", "goal", "k", "under")
_UNDER = ("faults", "cuts", *PROCESS_FAULTS, "at_most", "timers")


def requirement_to_json(requirement: Requirement) -> dict[str, Any]:
    claim = requirement.claim
    data: dict[str, Any] = {"name": requirement.name} if requirement.name else {}
    data |= {"violated": True} if requirement.violated else {}
    data["claim"] = claim.what
    data |= {} if claim.after is None else {"after": show(claim.after)}
    data |= {} if claim.goal is None else {"goal": show(claim.goal)}
    data |= {} if claim.k is None else {"k": claim.k}
    if requirement.under is not None:
        data["under"] = _under_to_json(requirement.under)
    return data


def _under_to_json(under: Under) -> dict[str, Any]:
    data: dict[str, Any] = {"faults": [fault_to_json(f) for f in under.faults]} if under.faults else {}
    data |= {"cuts": cuts_to_json(under.cuts)} if under.cuts else {}
    data |= {word: list(getattr(under, word)) for word in PROCESS_FAULTS if getattr(under, word)}
    if under.at_most:
        data["at_most"] = [{"kind": kind, "number": number} for kind, number in under.at_most]
    data |= {"timers": under.timers} if under.timers else {}
    return data


def requirement_from_json(data: Any, system: System) -> Requirement:
    """The inverse of `requirement_to_json`, for an object that is at hand already."""
    return _requirement(Values(Source("", "<requirement>")), data, (), system)


def read_requirements(values: Values, data: Any, system: System) -> tuple[Requirement, ...]:
    rows = values.array(data, ("requirements",))
    return tuple(_requirement(values, row, ("requirements", i), system) for i, row in enumerate(rows))


def _requirement(values: Values, data: Any, path: Path, system: System) -> Requirement:
    values.keys(data, _REQUIREMENT, ("claim",), path, "a requirement")
    name = values.string(data.get("name", ""), (*path, "name"))
    violated = values.flag(data.get("violated", False), (*path, "violated"))
    what = values.string(data["claim"], (*path, "claim"))
    after = _goal(values, data["after"], (*path, "after"), system) if "after" in data else None
    goal = _goal(values, data["goal"], (*path, "goal"), system) if "goal" in data else None
    k = values.number(data["k"], (*path, "k"), 1) if "k" in data else None
    under = _under(values, data["under"], (*path, "under"), system) if "under" in data else None
    try:
        return Requirement(Claim(what, goal, k, after), name, violated, under)
    except ValueError as problem:
        values.fail(str(problem), path)


def _goal(values: Values, data: Any, path: Path, system: System) -> Goal:
    try:
        return parse_goal(values.string(data, path), system)
    except ParseError as problem:
        values.fail(problem.message, path, problem.hint)


def _under(values: Values, data: Any, path: Path, system: System) -> Under:
    values.keys(data, _UNDER, (), path, "the failures")
    faults = values.faults(data.get("faults", []), (*path, "faults"), system.names)
    cuts = values.cuts(data.get("cuts", []), (*path, "cuts"), system)
    chosen = {}
    for word in PROCESS_FAULTS:
        rows = values.array(data.get(word, []), (*path, word))
        chosen[word] = tuple(values.role(r, (*path, word, i), system.names) for i, r in enumerate(rows))
    rows = values.array(data.get("at_most", []), (*path, "at_most"))
    at_most = tuple(_at_most(values, row, (*path, "at_most", i)) for i, row in enumerate(rows))
    timers = values.string(data.get("timers", ""), (*path, "timers"))
    if timers and timers not in MODES:
        values.fail(f"timers are {' or '.join(MODES)}", (*path, "timers"))
    return Under(faults, at_most=at_most, timers=timers, cuts=cuts, **chosen)


def _at_most(values: Values, data: Any, path: Path) -> tuple[str | None, int]:
    values.keys(data, ("kind", "number"), ("number",), path, "a limit")
    kind = data.get("kind")
    if kind is not None and kind not in COUNTED:
        values.fail(f"a kind of fault is one of {', '.join(COUNTED)}", (*path, "kind"))
    return kind, values.number(data["number"], (*path, "number"), 0)
