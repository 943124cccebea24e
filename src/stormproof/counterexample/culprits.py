"""Every culprit of a violated k-property, each with its best run: fewest faults, then fewest actions.

The engine lists the configurations that violate the property at the bound. Storms within the same bound reach
the same configurations (definitions 9.1) and are searched in the order of faults and actions, so the first to
meet a configuration of the list has the fewest faults.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..engine.k_properties import ViolationEnd, every_end
from ..engine.survival import FoundRun, storms_to
from ..limits import Limits
from ..model.actions import CRASH, Channel, Word, pair_of
from ..model.failures import FailureModel
from ..model.rest import RestStates
from ..model.run import Witness
from ..model.survival import SurvivalModel
from ..model.system import System
from .channel_faults import same_messages
from .storm_run import storm_witness

#: Configurations that violate a property, and configurations that a search for them may see.
MOST_ENDS, MOST_STATES = 4_000, 300_000


class CulpritRuns(NamedTuple):
    """The best run against each process, or each channel, that is to blame, the best of all first.
    `all_ends`: every configuration that violates the property was considered, so no run has fewer faults."""

    runs: tuple[Witness, ...]
    all_ends: bool


def culprit_runs(
    system: System, failures: FailureModel, k: int, property: str, limits: Limits, seconds: float
) -> CulpritRuns | None:
    """None: a limit was hit before anything was found."""
    until = time.monotonic() + seconds
    states = MOST_STATES if limits.states is None else min(limits.states, MOST_STATES)
    within = replace(limits, states=states)
    found = every_end(system, failures, k, property, MOST_ENDS, within, seconds)
    if found is None or not found[0]:
        return None
    groups: dict[str, list[ViolationEnd]] = {}
    for end in found[0]:
        groups.setdefault(blamed(end.culprit), []).append(end)
    left = max(until - time.monotonic(), 0.001)
    ends = list(groups.values())
    storms = zip(ends, storms_to(_model(system, failures), ends, k, within, left), strict=False)
    runs = [_run(system, failures, group, storm) for group, storm in storms if storm is not None]
    runs.sort(key=lambda run: (run.fault_count, len(run.acts)))
    complete = found[1] and len(runs) == len(groups)
    return CulpritRuns(tuple(runs), complete) if runs else None


def blamed(culprit: Mapping[str, str]) -> str:
    """The process that is to blame or, where it is a message that is never received, the channel."""
    return culprit.get("process") or culprit.get("channel", "")


def _model(system: System, failures: FailureModel) -> SurvivalModel:
    """Every process that can crash may; no process counts as ended, so that all messages count."""
    nowhere = {name: frozenset[str]() for name in system.names}
    anybody = replace(failures, unreliable=system.names)
    return SurvivalModel(system, anybody, RestStates(nowhere, nowhere, nowhere))


def _run(system: System, failures: FailureModel, ends: Sequence[ViolationEnd], storm: FoundRun) -> Witness:
    run = storm_witness(system, storm)
    return replace(run, culprit=_culprit(system, failures, ends, run), calm_from=None)


def _culprit(
    system: System, failures: FailureModel, ends: Sequence[ViolationEnd], run: Witness
) -> dict[str, str]:
    """The culprit of the end that the run comes to; of a channel, with the message at its head, which in a
    mailbox that reorders may be another sender's."""
    at = run.end(system)
    end = next(e for e in ends if e.states == at.states and _stands_for(system, failures, e, at.words))
    culprit = dict(end.culprit)
    if "message" in culprit and "process" not in culprit:
        queues = run.channels.items()
        c, word = next((c, w) for c, w in queues if culprit["channel"] in {str(pair_of(c, m)) for m in w})
        culprit |= {"channel": str(pair_of(c, word[0])), "message": str(word[0])}
    return culprit


def _stands_for(system: System, failures: FailureModel, end: ViolationEnd, words: Sequence[Word]) -> bool:
    if end.head is not None and words[end.head[0]][:1] != (end.head[1],):
        return False
    rows = zip(system.channels, end.words, words, strict=True)
    return all(_alike(system, failures, channel, a, b) for channel, a, b in rows)


def _alike(system: System, failures: FailureModel, channel: Channel, a: Word, b: Word) -> bool:
    """Do both contents stand for the same ones (definitions 2.7)?"""
    if failures.only_length_matters(system, channel):
        return len(a) == len(b) and (CRASH in a) == (CRASH in b)
    return same_messages(failures.on(channel), a, b)
