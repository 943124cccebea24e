"""Durable variables that no action ever writes to the disk."""

from __future__ import annotations

from collections.abc import Iterator

from ...kernel.model.phrases import listed
from ...kernel.model.system import System
from ...languages.formats.storm_places import NoPlaces, Places
from .warning import Warning


def disk_warnings(system: System, places: Places | NoPlaces) -> Iterator[Warning]:
    """Each once: the members of a family are alike."""
    seen: set[str] = set()
    for process in system:
        family = process.name.partition("[")[0]
        if not process.disks or family in seen:
            continue
        seen.add(family)
        written = {name for _, content in process.saves for name, _ in content}
        if left := [name for name, _ in process.disks[0][0] if name not in written]:
            said = f"{family} never saves {listed(left)}: a restart brings back the first value"
            yield Warning(
                said, places.role(process.name), f"write, as an action: save {', '.join(left)} -> s"
            )
