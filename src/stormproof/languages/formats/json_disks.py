"""What a process in the exchange format says of its disk: where it begins again, and what it saves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...kernel.model.actions import Transition
from ...kernel.model.process import DiskContent, Process
from .json_places import Path
from .json_values import Values
from .text import near, shorten

#: The keys of a process that speak of its disk, but for its durable states.
DISK = frozenset(("recovery", "disks"))


def disk_to_json(process: Process) -> dict[str, Any]:
    """Recovery code, and what the disk may hold."""
    recovery = [{**({"holds": disk} if disk else {}), "begin": state} for disk, state in process.recovery]
    disks = [{"holds": dict(held), "begin": state} for held, state in process.disks]
    return {**({"recovery": recovery} if recovery else {}), **({"disks": disks} if disks else {})}


def read_disk(
    values: Values, data: Any, path: Path, process: Process, rows: Sequence[Transition]
) -> dict[str, Any]:
    """The fields of the process; what they say together is checked by the process."""
    recovery: dict[str, str] = {}
    for i, row in enumerate(values.array(data.get("recovery", []), (*path, "recovery"))):
        here = (*path, "recovery", i)
        values.keys(row, ("holds", "begin"), ("begin",), here, "recovery code")
        disk = _state(values, row["holds"], (*here, "holds"), process) if "holds" in row else ""
        if disk in recovery:
            values.fail("where a restart leads is said twice", here, model=True)
        recovery[disk] = _state(values, row["begin"], (*here, "begin"), process)
    disks = []
    for i, row in enumerate(values.array(data.get("disks", []), (*path, "disks"))):
        here = (*path, "disks", i)
        values.keys(row, ("holds", "begin"), ("holds", "begin"), here, "what the disk may hold")
        held = _content(values, row["holds"], (*here, "holds"))
        disks.append((held, _state(values, row["begin"], (*here, "begin"), process)))
    saves = [
        (rows[i], _content(values, row["saves"], (*path, "transitions", i, "saves")))
        for i, row in enumerate(data["transitions"])
        if "saves" in row
    ]
    return {"recovery": recovery.items(), "disks": disks, "saves": saves}


def _state(values: Values, data: Any, path: Path, process: Process) -> str:
    state = values.string(data, path)
    if state not in process.states:
        values.fail(f"unknown state '{shorten(state)}'", path, near(state, process.states), model=True)
    return state


def _content(values: Values, data: Any, path: Path) -> DiskContent:
    """Durable variables with their values, as texts."""
    if not isinstance(data, dict) or not data:
        values.fail("this names durable variables with their values", path)
    return tuple((name, values.string(value, (*path, name))) for name, value in data.items())
