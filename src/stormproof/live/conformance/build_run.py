"""The run that the logs and the faults make, step by step, for charts and replay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ...kernel.model.actions import Channel, Internal, Message, Receive, Send, Transition
from ...kernel.model.run import Witness
from ...kernel.model.storm_step import StormStep
from ...kernel.model.survival import SurvivalModel
from ...search.counterexample.storm_run import storm_witness
from ...search.engine.survival import FoundRun
from .channel_faults import CALM, entering, overtaking, staying, staying_at
from .channel_plan import NEVER, ChannelPlan
from .explain_logs import LogsExplained, in_order
from .log import RoleLog, is_silent


@dataclass
class _Channel:
    """The messages in a channel, each with its send and the reception that will take it, in that order."""

    plan: ChannelPlan
    content: list[tuple[int, int, Message]] = field(default_factory=list)
    sent: int = 0
    received: int = 0

    def send(self, step: StormStep, message: Message) -> StormStep:
        send, self.sent = self.sent, self.sent + 1
        action_faults = self.plan.at_send.get(send, CALM)
        entered = entering(action_faults, message)
        if entered is not None:
            rank = self.plan.next_rank(send)
            ahead = sum(other <= rank for other, _, _ in self.content)
            action_faults = overtaking(action_faults, len(self.content) - ahead)
            self.content.insert(ahead, (rank, send, entered))
        return replace(step, **vars(action_faults))

    def receive(self, step: StormStep, message: Message) -> StormStep:
        j, self.received = self.received, self.received + 1
        _, send, form = self.content.pop(0)
        action_faults = self.plan.at_reception.get(j, CALM)
        stays = staying(action_faults, form)
        if stays is None:
            return step
        rank = self.plan.next_rank(send, j)
        place = sum(other < rank for other, _, _ in self.content) if rank != NEVER else 0
        self.content.insert(place, (rank, send, stays))
        return replace(step, **vars(staying_at(action_faults, place, form, message)))


def build_run(model: SurvivalModel, logs: Mapping[str, RoleLog], found: LogsExplained) -> Witness:
    """The explained events as a run of the system, with every fault explicit."""
    ways = {n: segments(found.paths[n].transitions_to(length)) for n, length in found.lengths.items()}
    channels = {c: _Channel(plan) for c, plan in found.plans.items()}
    steps: list[StormStep] = []
    for role, i in in_order(logs, found.lengths, found.plans):
        steps += [_step(model, channels, role, t) for t in ways[role][i]]
    faults = sum(sum(s.faults.values()) for s in steps)
    return storm_witness(model, FoundRun(tuple(steps), len(steps), faults))


def segments(path: list[Transition]) -> list[list[Transition]]:
    """The transitions of each event: silent ones first."""
    found: list[list[Transition]] = [[]]
    for transition in path:
        found[-1].append(transition)
        if not is_silent(transition.action):
            found.append([])
    return found


def _step(
    model: SurvivalModel, channels: Mapping[Channel, _Channel], role: str, transition: Transition
) -> StormStep:
    step, action = StormStep(role, transition), transition.action
    if isinstance(action, Send):
        return channels[Channel(role, action.peer)].send(step, action.message)
    if isinstance(action, Receive):
        return channels[Channel(action.peer, role)].receive(step, action.message)
    assert isinstance(action, Internal)
    return replace(step, process_fault=model.process_fault(role, action))
