"""From the seconds of timeouts in Python to numbers of timers (definitions 16.1): by their greatest common
divisor, over all roles of a system."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import gcd

from ...errors import UsageError
from ...kernel.model.actions import ANY_TIME, Internal, Transition
from ...kernel.model.process import Process
from ...kernel.model.timers import LATEST

#: What `receive` takes for a timeout that may come at any moment, also where timers are on time.
AT_ANY_TIME = "any time"
#: In the place of microseconds: no number of seconds was given, or none pass. It is one unit.
_ONE_UNIT = -1


def microseconds(timeout: float | bool | str | None) -> int:
    """What stands for a timeout until those of all roles are known."""
    if timeout == AT_ANY_TIME:
        return ANY_TIME
    if isinstance(timeout, bool) or timeout is None or isinstance(timeout, str):
        return _ONE_UNIT
    return round(timeout * 10**6) or _ONE_UNIT


def with_numbers(processes: Iterable[Process]) -> list[Process]:
    """The processes with numbers of units in the place of microseconds."""
    found = list(processes)
    actions = (t.action for p in found for t in p.transitions)
    known = {a.after for a in actions if isinstance(a, Internal) and a.is_timer and a.after > 0}
    unit = gcd(*known)
    if known and max(known) // unit > LATEST:
        said = f"the timeouts of the roles have no common unit that is at least 1/{LATEST:,} of the longest"
        raise UsageError(said, hint="round them: timeout=0.5, timeout=30")
    return [
        replace(p, transitions=tuple(_numbered(t, unit) if _is_timer(t) else t for t in p.transitions))
        for p in found
    ]


def _is_timer(transition: Transition) -> bool:
    return isinstance(transition.action, Internal) and transition.action.is_timer


def _numbered(transition: Transition, unit: int) -> Transition:
    action = transition.action
    assert isinstance(action, Internal)
    return transition._replace(action=replace(action, after=max(action.after // (unit or 1), 1)))
