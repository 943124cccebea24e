"""What only .storm and JSON can say of a system, and the system without it, for all other languages."""

from __future__ import annotations

from dataclasses import replace

from ...kernel.model.actions import Internal, Transition
from ...kernel.model.process import Process
from ...kernel.model.system import PEER_TO_PEER, System
from ...kernel.model.timers import ANY
from ...kernel.transform.disks import without_disk


def plain(system: System, mailboxes: bool, process_faults: bool) -> tuple[System, tuple[str, ...]]:
    """The system without rest states, services, timers and the like, and what to say of each that it had.
    `mailboxes`: the language can say that processes communicate by them; `process_faults`: that they stop and
    restart, with what is durable."""
    dropped = []
    communication = system.communication if mailboxes else PEER_TO_PEER
    if system.communication != communication:
        dropped.append("mailboxes: each ordered pair of roles gets a channel of its own")
    if any(p.rest is not None for p in system):
        dropped.append("rest states, which are left out")
    if not process_faults and any(p.durable or p.recovery for p in system):
        dropped.append("durable states, which are left out")
    if not process_faults and any(p.disks for p in system):
        dropped.append("durable variables, whose saves become internal actions")
    if not process_faults and any(p.stop or p.restart for p in system):
        dropped.append("stops and restarts, which are left out")
    if any(p.service for p in system):
        dropped.append("services, which are left out")
    if any(_is_timer(t) for p in system for t in p.transitions):
        dropped.append("timers, which become internal actions")
    if system.observers:
        dropped.append("observers, which are left out")
    if system.requirements:
        dropped.append("requirements, which are left out")
    if not dropped:
        return system, ()
    processes = tuple(_plain(p, process_faults) for p in system)
    made = replace(
        system,
        processes=processes,
        requirements=(),
        observers=(),
        communication=communication,
        timers=ANY,
    )
    return made, tuple(dropped)


def _is_timer(transition: Transition) -> bool:
    return isinstance(transition.action, Internal) and transition.action.timeout


def _plain(process: Process, process_faults: bool) -> Process:
    rows = (
        Transition(t.source, Internal(str(t.action)), t.target) if _is_timer(t) else t
        for t in process.transitions
    )
    found = replace(process, transitions=tuple(rows), rest=None, service=False)
    return found if process_faults else without_disk(replace(found, stop=False, restart=False))
