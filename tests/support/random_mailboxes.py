"""Random systems that communicate by mailboxes, with faults that mailboxes may have."""

from __future__ import annotations

import random
from dataclasses import replace

from stormproof.kernel.model.failures import FailureModel, Failures
from stormproof.kernel.model.system import MAILBOX, System
from stormproof.kernel.transform.mailboxes import with_senders
from tests.support.random_systems import random_crash, random_failures, random_system


def random_mailboxes(seed: int, crashes: bool = True, transitions: int = 4) -> tuple[System, Failures]:
    """A system in which most mailboxes have several senders, as it is given, and what may go wrong."""
    rng = random.Random(seed)
    receivers = rng.choice((1, 2, 2, 3))
    system = random_system(
        rng, rng.choice((2, 3, 3, 3, 4)), to_self=0.3, receivers=receivers, transitions=transitions
    )
    if crashes and seed % 4 == 0:
        system = random_crash(rng, system)
    system = replace(system, communication=MAILBOX)
    return system, _failures(rng, system)


def _failures(rng: random.Random, system: System) -> Failures:
    """Loss, corruption and duplication by sender and receiver; reordering by receiver."""
    if rng.random() < 0.3:
        return Failures()
    owners = [name for name in system.names if rng.random() < 0.4]
    moved = tuple(c for c in system.channels if c.receiver in owners)
    return replace(random_failures(rng, system), reorder=moved)


def searched(system: System, failures: Failures) -> tuple[System, FailureModel]:
    """As the engine and the definitions see it: every message with its sender."""
    return with_senders(system), failures.on(system)
