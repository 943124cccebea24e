"""A system without its first process, whose number the next one takes: what some files that were run are.

In kmc's machines partners are numbers. Without the first machine the others move up, and the numbers in their
actions stay: number 0 is now the second machine, and the last number is nobody's. A send to nobody never
happens, and neither does a reception from nobody.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...errors import UsageError
from ..model.actions import Internal, Receive, Send, Transition
from ..model.process import Process
from ..model.system import System

#: The process that nobody is: it has no transitions.
NOBODY = "nobody"


@dataclass(frozen=True)
class LostMachine:
    """What is left. `stuck`: the states, by process, in which a send to nobody waits for ever."""

    system: System
    stuck: frozenset[tuple[str, str]]


def without_first(system: System) -> LostMachine:
    """Drop the first process and keep the numbers. Sends to nobody are left out, and their states listed."""
    if len(system.processes) < 2:
        raise UsageError("a system of one process has none left without its first")
    left = system.processes[1:]
    number = {name: i for i, name in enumerate(system.names)}
    names = [p.name for p in left] + [NOBODY]

    def moved(process: Process) -> Iterator[Transition]:
        for source, action, target in process.transitions:
            if isinstance(action, Internal):
                yield Transition(source, action, target)
                continue
            peer = names[number[action.peer]]
            if peer != NOBODY or isinstance(action, Receive):
                yield Transition(source, type(action)(peer, action.message), target)

    processes = tuple(replace(p, transitions=tuple(moved(p))) for p in left)
    waits = any(a.peer == NOBODY for p in processes for s in p.states for a in p.receives(s))
    nobody = (Process(NOBODY, "0"),) if waits else ()
    last = system.names[-1]
    stuck = {
        (p.name, t.source)
        for p in left
        for t in p.transitions
        if isinstance(t.action, Send) and t.action.peer == last
    }
    return LostMachine(System((*processes, *nobody), name=system.name), frozenset(stuck))
