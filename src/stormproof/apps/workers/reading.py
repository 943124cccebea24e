"""A text while it is being written: its problems and, once it can be read, what it describes."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ...errors import InputError, StormproofError, clipped, meant_name
from ...kernel.model.actions import Channel
from ...kernel.model.clocks import has_timers
from ...kernel.model.failures import FailureModel, Failures
from ...kernel.model.faults import CUT, KINDS
from ...kernel.model.phrases import plural, queues
from ...kernel.model.system import System
from ...kernel.model.timers import ANY, ON_TIME, WORDS
from ...languages import formats
from ...languages.formats.storm_places import NoPlaces, Places
from ...tell.draw.automaton import draw_roles
from ...tell.lint.api import lint_with_places
from ...tell.lint.warning import Warning
from .settings import ROLE_FAULTS

#: How messages about the text call it.
NAME = "protocol.storm"

#: Automata with more states than this are not drawn while one types, and so many in all are drawn at once.
MOST_STATES, AT_ONCE = 120, 60

STORM = "storm"


@lru_cache(maxsize=8)
def placed_system(text: str) -> tuple[System, tuple[Warning, ...], Places | NoPlaces]:
    """The system that the text describes, its warnings, and where it says what; an InputError where it is
    wrong."""
    return lint_with_places(text, NAME, STORM)


def system_of(text: str) -> tuple[System, tuple[Warning, ...]]:
    return placed_system(text)[:2]


def read(
    text: str, before: Any = None, tell: Callable[[dict[str, Any]], None] | None = None
) -> dict[str, Any]:
    """The problems of the text and, where it can be read, its roles, channels and pictures. Where drawing
    takes a while, `tell` hears everything else first."""
    try:
        system, warnings, places = placed_system(text)
    except InputError as problem:
        return {"problems": _errors(problem), "converted": _converted(text)}
    problems, described = [_warning(w) for w in warnings], describe(system, places)
    if tell is not None and sum(len(p.states) for p in system) > AT_ONCE:
        tell({"partial": {"problems": problems, "system": described}})
    return {"problems": problems, "system": {**described, "pictures": pictures(system, before)}}


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


def describe(system: System, places: Places | NoPlaces) -> dict[str, Any]:
    """What the page shows of a system and completes names from; `lines`: where the text states the states."""
    return {
        "name": system.name,
        "facts": [
            plural(len(system.processes), "role"),
            queues(system),
            plural(len(system.messages), "message"),
        ],
        "roles": [
            {
                "name": p.name,
                "states": list(p.states),
                "lines": [places.state(p.name, s).line for s in p.states],
            }
            for p in system
        ],
        "channels": [
            {"ends": list(channel), "messages": [str(m) for m in system.alphabet(channel)]}
            for channel in system.channels
        ],
        "switches": _switches(system),
    }


def _switches(system: System) -> list[dict[str, Any]]:
    """What may go wrong, in groups: a row per place, a switch per kind of fault. `key` is what the settings
    of a page list, `all` what they say for every row; rows of one `group` may be folded."""
    declared = Failures().on(system)
    channels = [
        {
            "name": " → ".join(channel),
            "key": list(channel),
            "group": f"from {channel.sender}",
            "declared": _declared_on(declared, channel),
        }
        for channel in system.channels
    ]
    roles = [
        {"name": p.name, "key": p.name, "group": "", "declared": _declared_of(system, p.name)} for p in system
    ]
    kinds = [[kind.keyword, kind.noun] for kind in (*KINDS, CUT)]
    return [
        {"what": "channel", "kinds": kinds, "all": True, "rows": channels},
        {"what": "role", "kinds": [[kind, kind] for kind in ROLE_FAULTS], "all": None, "rows": roles},
        *_timers(system),
    ]


def _timers(system: System) -> list[dict[str, Any]]:
    """One switch for all timers: the mode that the file does not say. `title`: these are no faults."""
    if not any(map(has_timers, system)):
        return []
    other = ON_TIME if (system.timers or ANY) == ANY else ANY
    return [
        {
            "what": "timer",
            "title": "when timers expire",
            "kinds": [["timers", WORDS[other]]],
            "all": other,
            "rows": [],
        }
    ]


def _declared_on(model: FailureModel, channel: Channel) -> list[str]:
    """The faults of a channel that the file declares."""
    cuts = [CUT.keyword] if any(channel in cut for cut in model.cuts) else []
    return [*(kind.keyword for kind in model.on(channel).kinds), *cuts]


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
