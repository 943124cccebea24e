"""What is wrong where one goal must lead to another and does not: since when it is pending, and how the
protocol is stuck (definitions 10.18)."""

from __future__ import annotations

from ...kernel.model.ask import Ask
from ...kernel.model.fault_steps import Fault
from ...kernel.model.goal import mentioned
from ...kernel.model.rest import stopped_states
from ...kernel.model.run import Act, Witness
from ...kernel.model.survival import SurvivalModel
from ...trust.pending import becomes_pending, whole_steps
from ...trust.replay_storm import Judge, run
from .reason import RunEnd
from .survival import stuck


def unanswered(model: SurvivalModel, ask: Ask, end: RunEnd) -> str:
    """`deadlock, and nothing is in flight; pending since action 1`."""
    since = pending_since(model, ask, end.witness)
    return f"{stuck(end)}; pending {_since(since, end.witness)}{_stopped(model, ask, end)}"


def pending_since(model: SurvivalModel, ask: Ask, witness: Witness) -> int:
    """After how many steps of the run it became pending for the last time."""
    places, judge, channels = run(model, witness), Judge(model), model.system.channel_index
    start = len(witness.steps) if witness.calm_from is None else witness.calm_from
    steps = witness.steps[:start]
    whole = whole_steps(steps, places[: start + 1], lambda place, channel: place.queues[channels[channel]])
    since, pending = 0, False
    for i in (0, *whole):
        before, pending = pending, becomes_pending(ask, pending, places[i], judge.satisfies)
        since = i if pending and not before else since
    return since


def _since(steps: int, witness: Witness) -> str:
    """By the action that it began with; a fault may come first."""
    if steps == 0:
        return "from the beginning on"
    last = next(s for s in reversed(witness.steps[:steps]) if not isinstance(s, Fault))
    if isinstance(last, Act) and last.fault is not None:
        return f"since the {last.fault} of {last.process}"
    return f"since action {sum(isinstance(s, Act) and s.fault is None for s in witness.steps[:steps])}"


def _stopped(model: SurvivalModel, ask: Ask, end: RunEnd) -> str:
    """A role that has to be somewhere, and has stopped, is never there."""
    for name in mentioned(ask.goal):
        if end.state(name) in stopped_states(model.system[name]):
            return f"; {name} has stopped: if that is allowed, add | {name}@stopped"
    return ""
