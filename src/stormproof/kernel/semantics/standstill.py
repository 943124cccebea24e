"""Where time stands still though a timer waits (definitions 16.7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ..model.actions import PASSES, Configuration, Internal, Send, Transition, channel_of
from ..model.clocks import runs_timer
from ..model.process import Process
from ..model.storm_step import StormStep
from ..model.survival import SurvivalModel
from .explore import reached
from .faulty_steps import effect, stormy_steps

#: A step that was taken, and where it leads.
QuickStep = tuple[StormStep, Configuration]


class Standstill(NamedTuple):
    """While a timer of `role` waits, these steps go round from a configuration, and no time passes."""

    role: str
    at: Configuration
    steps: tuple[StormStep, ...]

    def sentence(self) -> str:
        """`time stands still while a timer of Lock waits: Client sends ask, Server receives ask`."""
        deeds = ", ".join(map(_deed, self.steps[:4]))
        more = ", ..." if len(self.steps) > 4 else ""
        return f"time stands still while a timer of {self.role} waits: {deeds}{more}, and so on for ever"


def _deed(step: StormStep) -> str:
    action = step.transition.action
    if isinstance(action, Internal):
        return f"{step.process} {action.verb}"
    return f"{step.process} {'sends' if isinstance(action, Send) else 'receives'} {action.message}"


def may_stand_still(model: SurvivalModel) -> bool:
    """Has some role a cycle that takes no time, with a send or an internal action in it? Without one,
    messages run out."""
    return model.extras.clocks is not None and any(_goes_round(model, p) for p in model.system)


def _goes_round(model: SurvivalModel, process: Process) -> bool:
    def following(state: str) -> Iterator[str]:
        return (t.target for t in process.outgoing(state) if _is_quick(model, process.name, t))

    rows = (t for s in process.reachable() for t in process.outgoing(s))
    acting = (t for t in rows if isinstance(t.action, Send | Internal) and _is_quick(model, process.name, t))
    return any(t.source in reached([t.target], following) for t in acting)


def _is_quick(model: SurvivalModel, process: str, transition: Transition) -> bool:
    """Does it take no time?"""
    action = transition.action
    if not isinstance(action, Internal):
        return True
    fault = model.process_fault(process, action) is not None
    return not fault and not action.timeout and action != PASSES


def standstill(
    model: SurvivalModel, starts: Iterable[Configuration], bound: int, most: int, calm: bool
) -> tuple[Standstill | None, bool]:
    """A loop without time that runs from there lead to, fault-free ones if `calm`; and whether everything was
    searched, with at most so many messages per channel and configurations."""
    graph: dict[Configuration, list[QuickStep]] = {}
    queue, whole = list(dict.fromkeys(starts)), True
    seen = set(queue)
    for at in queue:
        graph[at] = []
        for step in stormy_steps(model, at):
            if calm and not step.calm:
                continue
            after = effect(model, at, step)
            if _too_long(model, step, after, bound):
                whole = whole and not step.calm
                continue
            if step.calm and _is_quick(model, step.process, step.transition):
                graph[at].append((step, after))
            if after not in seen:
                if len(seen) >= most:
                    return _of_some_role(model, graph), False
                seen.add(after)
                queue.append(after)
    return _of_some_role(model, graph), whole


def _too_long(model: SurvivalModel, step: StormStep, after: Configuration, bound: int) -> bool:
    channel = channel_of(step.process, step.transition.action)
    if channel is None or not isinstance(step.transition.action, Send):
        return False
    return len(model.word(after, channel)) > bound


def _of_some_role(model: SurvivalModel, graph: Mapping[Configuration, list[QuickStep]]) -> Standstill | None:
    assert model.extras.clocks is not None
    for role, _ in model.extras.clocks.of:
        found = _while_waiting(model, graph, role)
        if found is not None:
            return found
    return None


def _while_waiting(
    model: SurvivalModel, graph: Mapping[Configuration, list[QuickStep]], role: str
) -> Standstill | None:
    process = model.system[role]
    edges = {
        at: [e for e in rows if e[0].process != role]
        for at, rows in graph.items()
        if runs_timer(process, model.state(at, role))
    }
    cycle = _cycle({at: [e for e in rows if e[1] in edges] for at, rows in edges.items()})
    return None if cycle is None else Standstill(role, cycle[0], cycle[1])


def _cycle(
    edges: Mapping[Configuration, list[QuickStep]],
) -> tuple[Configuration, tuple[StormStep, ...]] | None:
    """Some cycle: what can always go on, once everything that cannot is left out."""
    before: dict[Configuration, list[Configuration]] = {}
    for at, rows in edges.items():
        for _, after in rows:
            before.setdefault(after, []).append(at)
    left = {at: len(rows) for at, rows in edges.items()}
    ended = [at for at, count in left.items() if count == 0]
    for at in ended:
        for earlier in before.get(at, ()):
            left[earlier] -= 1
            if left[earlier] == 0:
                ended.append(earlier)
    alive = next((at for at, count in left.items() if count > 0), None)
    return None if alive is None else _follow(edges, left, alive)


def _follow(
    edges: Mapping[Configuration, list[QuickStep]], left: Mapping[Configuration, int], at: Configuration
) -> tuple[Configuration, tuple[StormStep, ...]]:
    met: dict[Configuration, int] = {}
    steps: list[StormStep] = []
    while at not in met:
        met[at] = len(steps)
        step, at = next(edge for edge in edges[at] if left[edge[1]] > 0)
        steps.append(step)
    return at, tuple(steps[met[at] :])
