"""A long run, drawn short: stretches in which nothing matters take little room, idle roles none.

What matters are the faults, the violation, the point of no return, what repeats, the start and the end, and
the steps around them. Every step keeps its place in time, so a message that is sent in a stretch and received
behind it is drawn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from ....errors import printable
from ....kernel.model.phrases import listed
from ....kernel.model.run import Act
from .data import Chart

#: Runs with fewer steps are drawn whole.
LONG = 30
#: Steps that are shown around what matters, and the fewest that are worth leaving out.
_AROUND, _WORTH = 4, 8
#: A chart with more roles leaves out those that do nothing.
MANY_ROLES = 4


def condensed(
    chart: Chart, matter: Iterable[int] = (), opened: Collection[int] = (), all_roles: bool = False
) -> Chart:
    """The chart with its stretches closed, but for those that begin at the steps `opened`; `matter`: steps
    that matter beside those that a chart knows of."""
    found = [range(r.start, r.stop) for r in _stretches(chart, set(matter)) if r.start not in opened]
    chart = replace(chart, stretches=tuple(found))
    return chart if all_roles else without_idle_roles(chart)


def without_idle_roles(chart: Chart) -> Chart:
    """Without the roles that neither act nor wait nor are sent anything; the legend names them."""
    active = {end for flight in chart.flights for end in flight.channel}
    active |= {act.process for act in chart.steps if isinstance(act, Act)}
    active |= {line.name for line in chart.lifelines if line.wait is not None and line.wait.culprit}
    active |= {line.name for line in chart.lifelines if line.watches}
    idle = [line.name for line in chart.lifelines if line.name not in active]
    if len(chart.lifelines) <= MANY_ROLES or not idle or not active:
        return chart
    said = f"not drawn: {listed(printable(name) for name in idle)}, which {_do(idle)} nothing in this run"
    kept = tuple(line for line in chart.lifelines if line.name in active)
    return replace(chart, lifelines=kept, places=(*chart.places, said), idle=tuple(idle))


def without_waits(chart: Chart) -> Chart:
    """Without what everybody waits for at the end: a run that goes on has no end yet."""
    return replace(chart, lifelines=tuple(replace(line, wait=None) for line in chart.lifelines))


def _do(names: list[str]) -> str:
    return "does" if len(names) == 1 else "do"


def _stretches(chart: Chart, matter: set[int]) -> list[range]:
    last = len(chart.steps) - 1
    if last + 1 < LONG:
        return []
    matter |= {0, last, *(i for i, step in enumerate(chart.steps) if _is_fault(step))}
    matter |= {at for at in (chart.no_return, chart.repeats) if at is not None}
    near = {i + d for i in matter for d in range(-_AROUND, _AROUND + 1)}
    found, start = [], 0
    for i in (*sorted(i for i in near if 0 <= i <= last), last + 1):
        if i - start >= _WORTH:
            found.append(range(start, i))
        start = i + 1
    return found


def _is_fault(step: object) -> bool:
    return not isinstance(step, Act) or step.fault is not None
