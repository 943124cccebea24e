"""What a repair keeps, read literally: traces of runs without faults, one by one (definitions 10.17)."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ..kernel.model.actions import Action, Configuration, Internal, Send, Transition
from ..kernel.model.process import Process
from ..kernel.model.survival import SurvivalModel
from .bounded import initial
from .rest import at_rest
from .steps import bounded_steps

#: A run: who takes which transition; and its trace: who is seen to do what.
TakenSteps = tuple[tuple[str, Transition], ...]
SeenTrace = tuple[tuple[str, Action], ...]


def runs(model: SurvivalModel, k: int, length: int) -> Iterator[tuple[TakenSteps, Configuration]]:
    """Every run with at most so many steps, and where it ends."""
    edge: list[tuple[TakenSteps, Configuration]] = [((), initial(model.system))]
    for _ in range(length + 1):
        yield from edge
        edge = [
            ((*run, (step.process, step.transition)), after)
            for run, at in edge
            for step, after in bounded_steps(model, at, k, frozenset())
            if after is not None
        ]


def traces(
    model: SurvivalModel, k: int, length: int, added: Collection[tuple[str, Transition]] = ()
) -> tuple[set[SeenTrace], set[SeenTrace]]:
    """The traces of these runs, and those after which everybody rests."""
    found: set[SeenTrace] = set()
    resting: set[SeenTrace] = set()
    for run, end in runs(model, k, length):
        trace = seen(model, run, added)
        found.add(trace)
        if at_rest(model, end):
            resting.add(trace)
    return found, resting


def seen(model: SurvivalModel, run: TakenSteps, added: Collection[tuple[str, Transition]]) -> SeenTrace:
    """The run without timers, what was added, and sends on the way back from it."""
    trace: list[tuple[str, Action]] = []
    home: dict[str, str] = {}
    for role, step in run:
        process, goal = model.system[role], home.pop(role, None)
        closer = goal is not None and 0 <= sends(process, step.target, goal) < sends(
            process, step.source, goal
        )
        if (role, step) in added:
            ways = [s for s in (goal, step.source) if s is not None and sends(process, step.target, s) >= 0]
            home.update({role: ways[0]} if ways and ways[0] != step.target else {})
        elif isinstance(step.action, Send) and goal is not None and closer:
            home.update({role: goal} if goal != step.target else {})
        elif not (isinstance(step.action, Internal) and step.action.timeout):
            trace.append((role, step.action))
    return tuple(trace)


def sends(process: Process, start: str, goal: str) -> int:
    """How many sends lead from one state to the other; -1 where sends alone do not."""
    reached, count = {start}, 0
    while goal not in reached:
        outgoing = (t for s in reached for t in process.outgoing(s) if isinstance(t.action, Send))
        more = reached | {t.target for t in outgoing}
        if more == reached:
            return -1
        reached, count = more, count + 1
    return count
