"""Every culprit of a violated k-property, each with its best run: fewest faults, then fewest actions.

The engine lists the configurations that violate the property at the bound. Storms within the same bound reach
the same configurations (definitions 9.1) and are searched in the order of faults and actions, so the first to
meet a configuration of the list has the fewest faults.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ...kernel.model.failures import FailureModel
from ...kernel.model.rest import RestStates
from ...kernel.model.run import Witness
from ...kernel.model.survival import SurvivalModel
from ...kernel.model.system import System
from ...limits import Limits
from ..counterexample.culprits import culprit_run
from ..counterexample.storm_run import plain_witness
from ..engine.culprit_ends import CulpritEnds, every_end
from ..engine.effort import within
from ..engine.survival import FoundRun, storms_to

#: Configurations that violate a property, and configurations that a search for them may see.
MOST_ENDS, MOST_STATES = 4_000, 300_000


class CulpritRuns(NamedTuple):
    """The best run against each process, or each channel, that is to blame, the best of all first.
    `all_ends`: every configuration that violates the property was considered, so no run has fewer faults."""

    runs: tuple[Witness, ...]
    all_ends: bool


def culprit_runs(
    system: System, failures: FailureModel, k: int, property: str, limits: Limits
) -> CulpritRuns | None:
    """None: a limit was hit before anything was found."""
    limits = within(limits, MOST_STATES)
    found = every_end(system, failures, k, property, MOST_ENDS, limits)
    if found is None or not found[0]:
        return None
    groups, all_of_them = found
    storms = zip(groups, storms_to(_model(system, failures), groups, k, limits), strict=False)
    runs = [_run(system, failures, group, storm) for group, storm in storms if storm is not None]
    runs.sort(key=lambda run: (run.fault_count, len(run.acts)))
    complete = all_of_them and len(runs) == len(groups)
    return CulpritRuns(tuple(runs), complete) if runs else None


def _run(system: System, failures: FailureModel, ends: CulpritEnds, storm: FoundRun) -> Witness:
    run = plain_witness(system, storm)
    return culprit_run(system, failures, run, ends.at(run.end(system).states))


def _model(system: System, failures: FailureModel) -> SurvivalModel:
    """Every process that can crash may; no process counts as ended, so that all messages count."""
    nowhere = {name: frozenset[str]() for name in system.names}
    anybody = replace(failures, unreliable=system.names)
    return SurvivalModel(system, anybody, RestStates(nowhere, nowhere, nowhere))
