"""When timers expire: at any time, or on time, while everything else takes no time (definitions 16.1)."""

from __future__ import annotations

from ...errors import UsageError, did_you_mean

#: The two worlds, as flags and JSON spell them.
ON_TIME, ANY = "on-time", "any-time"
MODES = (ON_TIME, ANY)
#: What one writes of timers, and says of them.
WORDS = {ON_TIME: "on time", ANY: "at any time"}

#: The largest number of a timer: a clock counts up to it, unit by unit.
LATEST = 60_000


def check_mode(given: object) -> str:
    """One of the modes; nothing, where the file decides."""
    if given is None or given == "":
        return ""
    if given not in MODES:
        hint = did_you_mean(str(given), MODES) or "write on-time or any-time"
        raise UsageError(f"timers are '{ON_TIME}' or '{ANY}', not '{given}'", hint=hint)
    return str(given)
