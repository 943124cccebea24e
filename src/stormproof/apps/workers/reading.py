"""A text while it is being written: its problems and, once it can be read, what it describes."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ...errors import InputError, StormproofError, clipped, meant_name
from ...kernel.model.failures import Failures
from ...kernel.model.faults import KINDS
from ...kernel.model.phrases import plural, queues
from ...kernel.model.system import System
from ...languages import formats
from ...tell.draw.automaton import draw_roles
from ...tell.lint.api import lint
from ...tell.lint.warning import Warning
from .settings import ROLE_FAULTS

#: How messages about the text call it.
NAME = "protocol.storm"

#: Automata with more states than this are not drawn while one types.
MOST_STATES = 120

STORM = "storm"


@lru_cache(maxsize=8)
def system_of(text: str) -> tuple[System, tuple[Warning, ...]]:
    """The system that the text describes, and its warnings; an InputError where it is wrong."""
    return lint(text, NAME, STORM)


def read(text: str, before: Any = None) -> dict[str, Any]:
    """The problems of the text and, where it can be read, its roles, channels and pictures."""
    try:
        system, warnings = system_of(text)
    except InputError as problem:
        return {"problems": _errors(problem), "converted": _converted(text)}
    return {"problems": [_warning(w) for w in warnings], "system": describe(system, before)}


def find_problems(text: str) -> dict[str, Any]:
    """The problems of the text alone."""
    try:
        return {"problems": [_warning(w) for w in system_of(text)[1]]}
    except InputError as problem:
        return {"problems": _errors(problem)}


def format_text(text: str) -> dict[str, Any]:
    """The canonical layout of the text, comments kept."""
    return {"text": formats.fmt(text, NAME)}


def _converted(text: str) -> dict[str, str] | None:
    """What is no .storm text, and can be read in another language, as a .storm text."""
    try:
        language = formats.language_of(text, "<editor>")
        if language == STORM:
            return None
        return {"language": language, "text": formats.dumps(formats.loads(text, language), STORM)}
    except StormproofError:
        return None


def _errors(problem: StormproofError) -> list[dict[str, Any]]:
    return [_error(p) for p in (problem, *problem.others)]


def _error(problem: StormproofError) -> dict[str, Any]:
    place = problem.place
    return {
        "severity": "error",
        "line": place.line if place and place.line else 1,
        "column": place.column if place and place.column else 1,
        "width": place.width if place else 1,
        "message": problem.message,
        "hint": problem.hint,
        "meant": meant_name(problem.hint),
    }


def _warning(warning: Warning) -> dict[str, Any]:
    more = {"width": warning.place.width, "instead": warning.instead, "add": warning.line}
    more |= {"message": clipped(warning.message), "hint": warning.hint and clipped(warning.hint)}
    return {**warning.to_json(), **more}


def describe(system: System, before: Any = None) -> dict[str, Any]:
    """What the page shows of a system and completes names from."""
    declared = Failures().on(system)
    return {
        "name": system.name,
        "facts": [
            plural(len(system.processes), "role"),
            queues(system),
            plural(len(system.messages), "message"),
        ],
        "roles": [
            {"name": p.name, "states": list(p.states), "declared": _declared_of(system, p.name)}
            for p in system
        ],
        "channels": [
            {
                "ends": list(channel),
                "messages": [str(m) for m in system.alphabet(channel)],
                "declared": [kind.keyword for kind in declared.on(channel).kinds],
            }
            for channel in system.channels
        ],
        "pictures": pictures(system, before),
        "kinds": [[kind.keyword, kind.noun] for kind in KINDS],
        "role_kinds": list(ROLE_FAULTS),
    }


def _declared_of(system: System, role: str) -> list[str]:
    """The faults of a role that the file declares."""
    model = Failures().on(system)
    tables = {"crash": model.unreliable, "stop": model.stop, "restart": model.restart}
    return [kind for kind in ROLE_FAULTS if role in tables[kind]]


def pictures(system: System, before: Any) -> list[dict[str, Any]]:
    """Each automaton that is small enough; those that are alike are drawn once. `before` is where the states
    were in the last pictures, so that they stay there."""
    small = [p.name for p in system if len(p.states) <= MOST_STATES]
    if not small:
        return []
    drawn = draw_roles(system, small, before=_places(before))
    return [{"roles": list(d.roles), "svg": d.svg, "places": d.places} for d in drawn]


def _places(before: Any) -> dict[str, dict[str, float]]:
    """What a page sends back: role -> state -> place."""
    if not isinstance(before, dict):
        return {}
    tables = {str(role): table for role, table in before.items() if isinstance(table, dict)}
    return {
        role: {str(state): float(x) for state, x in table.items() if _is_place(x)}
        for role, table in tables.items()
    }


def _is_place(x: Any) -> bool:
    return isinstance(x, int | float) and abs(x) < 1e9
