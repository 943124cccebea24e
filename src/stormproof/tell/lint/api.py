"""Warnings about a system, in the order of the file."""

from __future__ import annotations

from ...errors import did_you_mean
from ...kernel.data.system import DataSystem
from ...kernel.model.goal import NAMED
from ...kernel.model.part import in_part
from ...kernel.model.requirement import CLEAN, RECOVERS
from ...kernel.model.rest import rest_states
from ...kernel.model.system import System
from ...languages import formats
from ...languages.formats.storm_places import DataPlaces, NoPlaces, Places, read_with_places
from ...search.checks.properties import ALIASES, GOALS, PROPERTIES
from .data import data_warnings
from .disks import disk_warnings
from .messages import message_warnings
from .observers import observer_warnings
from .states import state_warnings
from .vacuous import vacuous_warnings
from .warning import Warning


def lint(text: str, name: str = "<input>", format: str | None = None) -> tuple[System, tuple[Warning, ...]]:
    """The system that a text describes, and what is hardly meant in it; an InputError where it is wrong."""
    return lint_with_places(text, name, format)[:2]


def lint_with_places(
    text: str, name: str, format: str | None = None, constants: formats.Constants | None = None
) -> tuple[System, tuple[Warning, ...], Places | NoPlaces]:
    """The same, and where the text says what."""
    chosen = formats.language_of(text, name, format)
    if chosen != "storm":
        system = formats.loads(text, chosen, name, constants)
        return system, warnings(system, NoPlaces(name)), NoPlaces(name)
    if constants:
        given = formats.loads(text, chosen, name, constants)
        found = places_in(name, chosen, given)
        return given, warnings(given, found), found
    read, places = read_with_places(text, name)
    return read, warnings(read, places), places


def lint_system(system: System, path: str, format: str | None = None) -> tuple[Warning, ...]:
    """What is hardly meant in a system that was read from a file, which is read again for its places."""
    return warnings(system, places_in(path, format, system))


def places_in(path: str, format: str | None = None, system: System | None = None) -> Places | NoPlaces:
    """Where a file that can be read says what; a system of roles with variables knows its places."""
    if isinstance(system, DataSystem):
        return DataPlaces(system, path)
    if formats.split_part(path) == (path, ""):
        text = formats.read_text(path)
        if formats.language_of(text, path, format) == "storm":
            return read_with_places(text, path)[1]
    return NoPlaces(path)


def warnings(system: System, places: Places | NoPlaces) -> tuple[Warning, ...]:
    """Each warning once, ordered by place."""
    if in_part(system):  # what is missing in a part may be in the rest
        return tuple(dict.fromkeys(_unknown_properties(system, places)))
    rest = rest_states(system)
    found = [w for process in system for w in state_warnings(process, rest, places)]
    found += message_warnings(system, places)
    found += data_warnings(system, places)
    found += observer_warnings(system, places)
    found += disk_warnings(system, places)
    found += _unknown_properties(system, places)
    found += vacuous_warnings(system, places)
    return tuple(sorted(dict.fromkeys(found), key=lambda w: (w.place.line or 0, w.place.column or 0)))


def _unknown_properties(system: System, places: Places | NoPlaces) -> list[Warning]:
    """Requirements are read before the table of properties is known; here it is."""
    found = []
    for i, requirement in enumerate(system.requirements):
        what = requirement.claim.what
        if requirement.claim.goal is None and what not in (RECOVERS, CLEAN, *ALIASES, *PROPERTIES):
            said = f"there is no property '{what}'"
            hint = f"write: never {what}" if what in NAMED else GOALS.get(what)
            found.append(Warning(said, places.requirement(i), hint or did_you_mean(what, PROPERTIES)))
    return found
