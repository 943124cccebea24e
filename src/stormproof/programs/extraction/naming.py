"""Names of states that read well: `waiting{bit=0}`, else the line: `line5{bit=0}`."""

from __future__ import annotations

from collections.abc import Iterable, Set

from ..automata.names import StableNames, with_values
from .interpret import Frame, Raised, Returned, RolePoint, Waiting
from .program import HIDDEN
from .requests import ReceiveRequest, SendRequest, spell_short
from .role import RoleCall

ENDED, _RAISED = "ended", "raised "


def is_raised(state: str) -> bool:
    """Is this the name of a state in which an exception has escaped? No other name has a blank so early."""
    return state.startswith(_RAISED)


def stable_names(call: RoleCall) -> StableNames[RolePoint]:
    """A name for each point of a role, every one different."""
    constant = call.arguments.keys()

    def longer(point: RolePoint) -> str:
        return _short(point, constant, loops=True)

    return StableNames(
        lambda point: _short(point, constant, loops=False),
        longer,
        lambda point: longer(point) + _request(point),
    )


def _short(point: RolePoint, arguments: Set[str], loops: bool) -> str:
    if isinstance(point, Returned):
        return ENDED
    if isinstance(point, Raised):
        return f"{_RAISED}{point.kind} in line {point.place.line}"
    base = point.request.at or f"line{point.line}"
    constant = arguments - point.frames[0].program.assigned.keys()
    shown = _variables(point.frames[0], constant, loops)
    for frame in point.frames[1:]:
        shown += [said for said in _variables(frame, set(), loops) if said not in shown]
    return with_values(base, shown)


def _variables(frame: Frame, constant: Iterable[str], loops: bool) -> list[str]:
    """`bit=0`, in the order of the source; `item: 2 left` in a loop that has two more
    values."""
    order = [*frame.program.source.parameters, *frame.program.assigned]
    named = [n for n in dict.fromkeys(order) if n in frame.variables and n not in set(constant)]
    shown = [f"{n}={spell_short(frame.variables[n])}" for n in named if not n.startswith(HIDDEN)]
    through = frame.program.loops.items() if loops else ()
    return shown + [
        f"{target}: {len(frame.variables[n])} left" for n, target in through if n in frame.variables
    ]


def _request(point: RolePoint) -> str:
    """What tells apart two points of one line with equal variables."""
    if not isinstance(point, Waiting):
        return ""
    if isinstance(point.request, SendRequest):
        return f" {point.request.peer}!{point.request.message}"
    if isinstance(point.request, ReceiveRequest):
        return f" {'|'.join(point.request.peers)}?"
    return ""
