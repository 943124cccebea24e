"""Without any of the choices of a frontier: does a protocol with timers need them to be on time?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..kernel.model.clocks import has_timers
from ..kernel.model.status import Status
from ..kernel.model.system import System
from ..kernel.model.timers import ANY, ON_TIME, WORDS
from ..search.checks.report import Verdict

#: The mode of timers -> the verdict in it; None where that was not asked any more.
ByTimers = Mapping[str, Verdict | None]


def by_timers(system: System, base: Verdict | None, ask: Callable[[str], Verdict | None]) -> ByTimers:
    """Both modes, `base` being the verdict in that of the file; none of a system without timers, in which
    they are the same."""
    if not any(map(has_timers, system)):
        return {}
    return {mode: base if mode == (system.timers or ANY) else ask(mode) for mode in (ANY, ON_TIME)}


def status_in(verdict: Verdict | None) -> Status:
    return Status.UNDECIDED if verdict is None else verdict.status


def mode_in_words(mode: str, verdict: Verdict | None) -> str:
    """What stands behind the sign: `on time`, and how far that was decided."""
    status = status_in(verdict)
    if verdict is not None and status is Status.BOUNDED:
        return f"{WORDS[mode]} (up to channels of length {verdict.up_to})"
    return f"{WORDS[mode]} (undecided)" if status is Status.UNDECIDED else WORDS[mode]


def said_of_modes(found: ByTimers) -> str:
    """`✘ at any time, ✔ on time`; nothing where there are no timers."""
    return ", ".join(f"{status_in(v).sign} {mode_in_words(mode, v)}" for mode, v in found.items())


def modes_to_json(found: ByTimers) -> dict[str, dict[str, Any]]:
    return {mode: _mode_to_json(verdict) for mode, verdict in found.items()}


def _mode_to_json(verdict: Verdict | None) -> dict[str, Any]:
    if verdict is None:
        return {"status": Status.UNDECIDED.value, "up_to": None, "reason": "not asked within the limits"}
    return {"status": status_in(verdict).value, "up_to": verdict.up_to, "reason": verdict.reason}
