"""What a verdict implies, and what it does not (definitions 1.5, 2.6, 3.10)."""

from __future__ import annotations

from collections.abc import Sequence

from ...kernel.model.failures import FailureModel
from ...kernel.model.faults import LOSS
from ...kernel.model.part import in_part
from ...kernel.model.phrases import plural
from ...kernel.model.system import System
from ...limits import Limits, format_memory
from ..engine.k_properties import Exploration
from .properties import K_OBI, K_SIBI, PROPERTIES, Guarantee

#: The violation was shown to last for all larger bounds, which were not explored (`all_bounds`).
LASTS = "no larger bound repairs this violation, so none needs exploring"

SIDE_CONDITIONS = (K_OBI.name, K_SIBI.name)


def candidate_for_any_length(system: System, model: FailureModel) -> bool:
    """The conditions of definitions 3.10 that need no search; 12.4 for mailboxes."""
    apart = not system.self_channels and not system.mailboxes and not in_part(system)
    return model.perfect and system.csa and not system.classification.internal and apart


def side_conditions(system: System, model: FailureModel, names: Sequence[str]) -> tuple[str, ...]:
    """k-obi and k-sibi, where they decide what k-mc and k-exh imply; a directed system has both."""
    if system.directed or not candidate_for_any_length(system, model):
        return ()
    return SIDE_CONDITIONS if any(PROPERTIES[n].guarantee for n in names) else ()


def implies_any_length(system: System, model: FailureModel, exploration: Exploration) -> bool:
    """The guard: perfect channels, CSA, no internal action, and directed or k-obi and k-sibi."""
    if not candidate_for_any_length(system, model):
        return False
    return system.directed or all(exploration.holds.get(name) for name in SIDE_CONDITIONS)


def on_holding(
    system: System, model: FailureModel, name: str, exploration: Exploration | None
) -> tuple[str, ...]:
    found = []
    guarantee = PROPERTIES[name].guarantee if exploration is not None else None
    if guarantee is Guarantee.SAFE and exploration is not None:
        found.append(_any_length(system, model, exploration, guarantee.value))
    if guarantee is Guarantee.EXISTENTIALLY_BOUNDED and exploration is not None:
        if implies_any_length(system, model, exploration):
            found.append(f"so the system is existentially {exploration.k}-bounded (Lange and Yoshida 2019)")
        if model.channels and model.everywhere(system, LOSS):
            found.append("holds by definition: every channel is lossy, so a full one never blocks a send")
    return (*found, *_common(system, model, name, exploration))


def on_failing(
    system: System, model: FailureModel, name: str, exploration: Exploration | None
) -> tuple[str, ...]:
    return _common(system, model, name, exploration)


def _any_length(system: System, model: FailureModel, exploration: Exploration, claim: str) -> str:
    k = exploration.k
    if implies_any_length(system, model, exploration):
        return f"so the system is {claim} (Lange and Yoshida 2019, Theorem 1)"
    return f"speaks of channels of length {k} only: {_why_not(system, model, exploration)}"


def _why_not(system: System, model: FailureModel, exploration: Exploration) -> str:
    if not model.perfect:
        return "under interference it says nothing of longer ones"
    if in_part(system):
        return "its automata are made in part"
    if not system.csa:
        return "the system is not a CSA"
    if system.classification.internal:
        return "the system has internal actions"
    if system.mailboxes:
        return "the processes communicate by mailboxes"
    if system.self_channels:
        return "a process sends to itself"
    if False in map(exploration.holds.get, SIDE_CONDITIONS):
        return "the system is neither directed nor k-obi and k-sibi"
    return "the system is not directed, and it is not known whether it is k-obi and k-sibi"


def _common(
    system: System, model: FailureModel, name: str, exploration: Exploration | None
) -> tuple[str, ...]:
    found = []
    if exploration is not None and not system.csa and not in_part(system):
        found.append("not a CSA, on which the k-properties are defined, so the paper's theorems do not apply")
    if exploration is not None and exploration.k == 1 and any(f.reorder for f in model.channels.values()):
        found.append("with k = 1 reordering can do nothing: this is the verdict without it")
    return tuple(found)


def undecided(stopped: str, limits: Limits, k: int | None, states: int, failed: Sequence[int]) -> str:
    """Which limit was hit, and what is known all the same."""
    limit = {
        "time": f"the time limit of {limits.seconds:g} s was reached" if limits.seconds else "out of time",
        "memory": f"the memory limit of {format_memory(limits.bytes or 0)} was reached",
        "states": f"the limit of {plural(limits.states, 'configuration')} was reached"
        if limits.states
        else "too many",
        "effort": "not decided within the effort",
        "interrupted": "interrupted",
        "worker": "a worker of the cluster was lost",
        "scheduler": "the scheduler of the cluster was lost",
    }.get(stopped, stopped or "not decided")
    where = "" if k is None else f" at k = {k}"
    known = f"; violated at k = {', '.join(map(str, failed))}" if failed else ""
    return f"{limit}{where} after {plural(states, 'configuration')}{known}"
