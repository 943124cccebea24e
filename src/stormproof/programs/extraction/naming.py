"""Names of states that read well: `waiting{bit=0}`, else the line: `line5{bit=0}`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from .explore import Automaton
from .interpret import Frame, Raised, Returned, RolePoint, Waiting
from .lower import LOOP, SUBJECT
from .requests import ReceiveRequest, SendRequest, spell_short
from .values import ValueKey

ENDED, _RAISED = "ended", "raised "


def is_raised(state: str) -> bool:
    """Is this the name of a state in which an exception has escaped? No other name has a blank so early."""
    return state.startswith(_RAISED)


def state_names(automaton: Automaton) -> dict[ValueKey, str]:
    """A name for each point of a role, every one different."""
    points = list(automaton.points.values())
    names = [_short(point, automaton, loops=False) for point in points]
    names = _where_equal(names, [_short(point, automaton, loops=True) for point in points])
    longer = [name + _request(point) for name, point in zip(names, points, strict=True)]
    names = _where_equal(names, longer)
    return dict(zip(automaton.points, _distinct(names), strict=True))


def _where_equal(names: list[str], longer: list[str]) -> list[str]:
    """Longer names for those that several points have."""
    often = Counter(names)
    return [name if often[name] == 1 else more for name, more in zip(names, longer, strict=True)]


def _distinct(names: Iterable[str]) -> list[str]:
    """A number behind each name that was there before."""
    seen: Counter[str] = Counter()
    found: list[str] = []
    for name in names:
        seen[name] += 1
        while seen[name] > 1 and f"{name}#{seen[name]}" in seen:
            seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return found


def _short(point: RolePoint, automaton: Automaton, loops: bool) -> str:
    if isinstance(point, Returned):
        return ENDED
    if isinstance(point, Raised):
        return f"{_RAISED}{point.kind} in line {point.place.line}"
    base = point.request.at or f"line{point.line}"
    constant = automaton.call.arguments.keys() - point.frames[0].program.assigned.keys()
    shown = _variables(point.frames[0], constant, loops)
    for frame in point.frames[1:]:
        shown += [said for said in _variables(frame, set(), loops) if said not in shown]
    return f"{base}{{{', '.join(shown)}}}" if shown else base


def _variables(frame: Frame, constant: Iterable[str], loops: bool) -> list[str]:
    """`bit=0`, in the order of the source; `left=2` for a loop that has two more values."""
    order = [*frame.program.source.parameters, *frame.program.assigned]
    named = [n for n in dict.fromkeys(order) if n in frame.variables and n not in set(constant)]
    shown = [f"{n}={spell_short(frame.variables[n])}" for n in named if not n.startswith(SUBJECT)]
    through = [value for name, value in frame.variables.items() if name.startswith(LOOP)]
    return shown + [f"left={len(left)}" for left in through if loops]


def _request(point: RolePoint) -> str:
    """What tells apart two points of one line with equal variables."""
    if not isinstance(point, Waiting):
        return ""
    if isinstance(point.request, SendRequest):
        return f" {point.request.peer}!{point.request.message}"
    if isinstance(point.request, ReceiveRequest):
        return f" {'|'.join(point.request.peers)}?"
    return ""
