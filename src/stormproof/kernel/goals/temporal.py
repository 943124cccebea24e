"""Words of temporal logic, and how what they mean is required here."""

from __future__ import annotations

_LATER = (
    "what must remain possible is written: require always possible Client@done; "
    + "what must follow: require Client@asked leads to Client@done"
)
_ALWAYS = "what must hold in every configuration is written: require never !Client@done"
_POSSIBLE = (
    "whether something can be reached is asked with `stormproof reach FILE GOAL`; in a file it is "
    + ("required that it remains possible: require always possible Client@done")
)
_UNTIL = "a goal is about one moment; write: require never GOAL, or require always possible GOAL"

TEMPORAL = {
    **dict.fromkeys(
        ("eventually", "finally", "inevitably", "inevitable", "sometime", "F", "AF", "GF"), _LATER
    ),
    **dict.fromkeys(("always", "globally", "henceforth", "invariantly", "forever", "G", "AG"), _ALWAYS),
    **dict.fromkeys(("possible", "possibly", "reachable", "exists", "EF"), _POSSIBLE),
    **dict.fromkeys(("until", "unless", "next", "once", "EG", "AX", "EX", "X", "U", "W"), _UNTIL),
}
