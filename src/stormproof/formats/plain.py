"""What only .storm and JSON can say of a system, and the system without it, for all other languages."""

from __future__ import annotations

from dataclasses import replace

from ..model.actions import Internal, Transition
from ..model.process import Process
from ..model.system import System


def plain(system: System) -> tuple[System, tuple[str, ...]]:
    """The system without rest states, services, timers and the like, and what to say of each that it had."""
    dropped = []
    if any(p.rest is not None for p in system):
        dropped.append("rest states, which are left out")
    if any(p.durable for p in system):
        dropped.append("durable states, which are left out")
    if any(p.stop or p.restart for p in system):
        dropped.append("stops and restarts, which are left out")
    if any(p.service for p in system):
        dropped.append("services, which are left out")
    if any(_is_timer(t) for p in system for t in p.transitions):
        dropped.append("timers, which become internal actions")
    if system.requirements:
        dropped.append("requirements, which are left out")
    if not dropped:
        return system, ()
    processes = tuple(_plain(p) for p in system)
    return replace(system, processes=processes, requirements=()), tuple(dropped)


def _is_timer(transition: Transition) -> bool:
    return isinstance(transition.action, Internal) and transition.action.timeout


def _plain(process: Process) -> Process:
    rows = (
        Transition(t.source, Internal(str(t.action)), t.target) if _is_timer(t) else t
        for t in process.transitions
    )
    return replace(
        process, transitions=tuple(rows), rest=None, service=False, stop=False, restart=False, durable=()
    )
