"""Roles with variables: where they rest by default, whatever their values are."""

from __future__ import annotations

from collections.abc import Iterator

from ...kernel.data.system import DataSystem
from ...kernel.model.process import Process
from ...kernel.model.rest import rest_states
from ...kernel.model.system import System
from ...languages.formats.storm_places import NoPlaces, Places
from .warning import Warning


def data_warnings(system: System, places: Places | NoPlaces) -> Iterator[Warning]:
    """Each once: the members of a family are alike."""
    if not isinstance(system, DataSystem):
        return
    seen: set[str] = set()
    for process in system:
        family = _family(process)
        if family not in seen and process.name in system.data.local:
            seen.add(family)
            yield from _rests_whatever(system, process, places)


def _rests_whatever(system: DataSystem, process: Process, places: Places | NoPlaces) -> Iterator[Warning]:
    """A state that sends or acts with some values, and counts as rest with all of them."""
    declared = process.name in system.data.rest or not system.data.variables[_family(process)]
    resting = rest_states(system).rest[process.name]
    local = system.data.local[process.name]
    for state in () if declared else process.states:
        if state not in resting or process.kind(state).name in ("RECEIVING", "FINAL"):
            continue
        named = local[state].name
        said = f"{process.name} rests in '{named}' by default, whatever its variables are"
        members = "[*]" if "[" in process.name else ""
        line = f"rest {_family(process)}{members}@{named}"
        yield Warning(said, places.state(process.name, state), f"say where it rests: {line}{{x=0}}")
        return


def _family(process: Process) -> str:
    return process.name.partition("[")[0]
