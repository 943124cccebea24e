"""From what the engine found, actions with silent faults, to a run in which every fault is a step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...errors import InternalError
from ...kernel.model.actions import Channel, Firing, Receive, Send, channel_of
from ...kernel.model.failures import FailureModel
from ...kernel.model.run import Act, Witness
from ...kernel.model.storm_step import StormStep
from ...kernel.model.system import System
from ..engine.k_properties import Violation
from ..engine.rsc import RscViolation
from ..engine.survival import FoundRun
from .culprits import culprit_run
from .end_contents import EndContent, contents_of
from .explain_firings import explain
from .storm_run import plain_witness


def violation_witness(system: System, failures: FailureModel, violation: Violation, k: int) -> Witness:
    """The run against a k-property with the fewest faults for its actions."""
    ends = contents_of(system, failures, violation.end)
    made = build_witness(system, failures, violation.firings, ends, k, shortest=violation.shortest)
    return culprit_run(system, failures, made, [violation.end])


def rsc_witness(system: System, failures: FailureModel, violation: RscViolation) -> Witness:
    """The run with the fewest faults that has these actions and this communication."""
    pairs, shortest = violation.communication, violation.shortest
    made = build_witness(system, failures, violation.firings, None, None, pairs, shortest=shortest)
    return replace(made, culprit=violation.culprit, bags=failures.bags if system.mailboxes else ())


def build_witness(
    system: System,
    failures: FailureModel,
    moves: Sequence[Firing],
    ends: Mapping[Channel, EndContent] | None,
    bound: int | None,
    communication: Sequence[tuple[int, int]] | None = None,
    *,
    shortest: bool = True,
) -> Witness:
    """The run that these moves make with the fewest faults.

    A channel that `ends` does not name ends empty; `ends` None: any content will do. `bound` None is no
    bound. `communication` pairs receptions with sends, both as indices into `moves`; the run then realises
    it, and has it with the indices of its steps. Raises `InternalError` where no run was found.
    """
    steps = explain(failures, [StormStep(*move) for move in moves], ends, bound, communication)
    if isinstance(steps, Channel):
        raise InternalError(_impossible(steps, moves, (ends or {}).get(steps)))
    found = FoundRun(steps, len(steps), 0, shortest=shortest)
    made = replace(plain_witness(system, found), calm_from=None)
    if communication is None:
        return made
    at = [i for i, step in enumerate(made.steps) if isinstance(step, Act)]
    return replace(made, communication=tuple(sorted((at[r], at[s]) for r, s in communication)))


def _impossible(channel: Channel, moves: Sequence[Firing], end: EndContent | None) -> str:
    actions = [t.action for process, t in moves if channel_of(process, t.action) == channel]
    sends = [(isinstance(a, Send), a.message) for a in actions if isinstance(a, Send | Receive)]
    events = " ".join(f"{'!' if send else '?'}{message}" for send, message in sends)
    word = None if end is None else end.word
    ending = "" if word is None else f", ending with [{', '.join(map(str, word))}]"
    return f"no interference makes this sequence of actions possible on {channel}: {events}{ending}"
