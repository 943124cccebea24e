"""The trusted kernel for survival: is this a run with these faults, and is its end what the claim says?

A reading of the definitions of its own: it shares plain data types with the rest, no code with the engine or
`semantics`. It takes each step in channels of any length, fault by fault. `never`: the end satisfies the
goal. `always possible`: no calm run from where the storm ends leads to the goal, by a search of its own; the
claim is established where that search ends by itself. `leads to`: the same, and it is pending there.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..errors import Refused
from ..kernel.model.actions import Channel, Internal, Message, Receive, Send, Transition, Word, channel_of
from ..kernel.model.ask import Ask
from ..kernel.model.fault_steps import Fault
from ..kernel.model.faults import CUT
from ..kernel.model.goal import AT_REST, And, At, Contains, Goal, Head, Holds, Not, Or
from ..kernel.model.run import Act, LinkCut, Replay, Step, Witness
from ..kernel.model.survival import SurvivalModel
from .channel_faults import after_fault
from .clocks import Time
from .links import Net
from .observers import Watch
from .pending import pending_after

#: Configurations that the search of calm futures may see.
BUDGET = 10_000

Queues = dict[Channel, tuple[Message, ...]]


class StormConfiguration(NamedTuple):
    """States in the order of the processes, contents in the order of the channels."""

    states: tuple[str, ...]
    queues: tuple[tuple[Message, ...], ...]

    def __str__(self) -> str:
        contents = (f"[{', '.join(map(str, word))}]" for word in self.queues)
        return f"the states {', '.join(self.states)} with {' '.join(contents)}"


def replay_storm(model: SurvivalModel, ask: Ask | None, witness: Witness, budget: int = BUDGET) -> Replay:
    """Step through the run; then establish the claim against the ask, if there is one."""
    try:
        if ask is None:
            run(model, witness)
            return Replay(True, True, "the run is one of the system, step by step")
        judge = Judge(model)
        if ask.always:
            return _never_again(judge, storm_end(model, witness, ask), ask.goal, budget)
        if not judge.satisfies(run(model, witness)[-1], ask.goal):
            raise Refused("the run does not end in the goal that must never be reached")
        return Replay(True, True, "the run is one of the system and ends in the goal")
    except Refused as why:
        return Replay(False, False, str(why))


def storm_end(model: SurvivalModel, witness: Witness, ask: Ask) -> StormConfiguration:
    """Where the faults end; what follows is calm. Of what one goal leads to: it is pending there."""
    places = run(model, witness)
    start = len(witness.steps) if witness.calm_from is None else witness.calm_from
    if not 0 <= start <= len(witness.steps) or any(not _calm(step) for step in witness.steps[start:]):
        raise Refused("a fault occurs after the step from which the run is said to be calm")
    judge, channels = Judge(model), model.system.channel_index
    if ask.after is not None and not pending_after(
        ask,
        witness.steps[:start],
        places[: start + 1],
        lambda place, channel: place.queues[channels[channel]],
        judge.satisfies,
    ):
        raise Refused("nothing is pending where the run begins to be calm: no goal has to follow")
    return places[start]


def _never_again(judge: Judge, start: StormConfiguration, goal: Goal, budget: int) -> Replay:
    seen, queue = {start}, deque([start])
    while queue and len(seen) <= budget:
        place = queue.popleft()
        if judge.satisfies(place, goal):
            raise Refused("a calm run from the end of the storm leads to the goal")
        for after in judge.calm(place):
            if after not in seen:
                seen.add(after)
                queue.append(after)
    if queue:
        return Replay(True, False, f"its calm futures have more than {budget} configurations")
    return Replay(True, True, f"none of its {len(seen)} calm futures leads to the goal")


def wrong_ending(model: SurvivalModel, witness: Witness) -> str:
    """What the run says of how it is stuck, and is not so; of a run that was replayed."""
    places, judge, since = run(model, witness), Judge(model), witness.loop_from
    end, nothing_more = places[-1], next(judge.calm(places[-1]), None) is None
    if witness.ending in ("deadlock", "rest"):
        rests = judge.satisfies(end, AT_REST)
        right = nothing_more and rests is (witness.ending == "rest") and since is None
    elif witness.ending == "livelock":
        right = since is not None and _goes_round(model, places[since:], grows=False)
    elif witness.ending == "divergence":
        right = since is None or _goes_round(model, places[since:], grows=True)
    else:
        right = witness.ending == "" and since is None
    return "" if right else f"the run does not end in what it says: {witness.ending or 'nothing'}"


def _goes_round(model: SurvivalModel, places: list[StormConfiguration], grows: bool) -> bool:
    """Does it come back to where it was? What a role has not received when it has ended, it never will."""
    if len(places) < 2 or places[0].states != places[-1].states:
        return False
    state = dict(zip(model.system.names, places[0].states))
    pairs = zip(model.system.channels, places[0].queues, places[-1].queues)
    return all(
        a == b or (len(b) > len(a) and (grows or state[c.receiver] in model.rest.ended[c.receiver]))
        for c, a, b in pairs
    )


def _calm(step: Step) -> bool:
    return isinstance(step, Act) and step.fault is None


# ---- the run -------------------------------------------------------------------------------------------


def run(model: SurvivalModel, witness: Witness) -> list[StormConfiguration]:
    """Where each step leads; the faults of a step stand right after a send, before a reception."""
    states, watch, time = {p.name: p.initial for p in model.system}, Watch(model), Time(model)
    net = Net(model)
    queues: Queues = dict.fromkeys(model.system.channels, ())
    found = [_place(model, states, queues)]
    for i, step in enumerate(witness.steps):
        if isinstance(step, Act):
            before, heads = tuple(states.values()), [queue[:1] for queue in queues.values()]
            taken = _act(model, net, i, step, states, queues)
            if not time.allows(before, heads, step.process, taken):
                raise Refused(f"step {i}: {step.action} of {step.process} is not on time")
            after = watch.after(tuple(states.values()), step.process, taken)
            states = dict(zip(states, time.after(after, step.process), strict=True))
        elif isinstance(step, LinkCut):
            net.check(i, tuple(states.values()), step.channels)
            states = dict(zip(states, net.down(tuple(states.values()), step.channels), strict=True))
            queues = dict(zip(queues, net.left(tuple(queues.values()), step.channels), strict=True))
        else:
            _check_place(i, step, witness.steps)
            queues[step.channel] = _content(model, i, step, queues.get(step.channel, ()))
        found.append(_place(model, states, queues))
    held = {c: q for c, q in queues.items() if q}
    shown = {name: state for name, state in states.items() if name not in net.hidden}
    if (shown, held) != (dict(witness.states), {c: q for c, q in witness.channels.items() if q}):
        raise Refused("the run does not end where the witness says")
    kinds = Counter(_kind(step) for step in witness.steps)
    del kinds[""]
    if not model.budget.allows(kinds.total(), kinds):
        raise Refused("the run has more faults than are allowed")
    return found


def _kind(step: Step) -> str:
    """The kind of fault that it is, or nothing."""
    if isinstance(step, LinkCut):
        return CUT.noun
    return step.fault or "" if isinstance(step, Act) else step.kind.noun


def _place(model: SurvivalModel, states: Mapping[str, str], queues: Queues) -> StormConfiguration:
    return StormConfiguration(tuple(states[p.name] for p in model.system), tuple(queues.values()))


def _act(
    model: SurvivalModel, net: Net, i: int, step: Act, states: dict[str, str], queues: Queues
) -> Transition:
    here = states.get(step.process)
    taken = None if here is None else Transition(here, step.action, step.state)
    if here is None or step.process in net.hidden or taken not in model.system[step.process].outgoing(here):
        raise Refused(f"step {i}: {step.process} cannot do {step.action} from '{here}' to '{step.state}'")
    if isinstance(step.action, Internal) and step.fault != _fault_of(model, step.process, step.action):
        raise Refused(f"step {i}: {step.action} of {step.process} is not marked as the fault that it is")
    nowhere = net.goes_nowhere(tuple(states.values()), step.process, step.action)
    states[step.process] = step.state
    channel = channel_of(step.process, step.action)
    if nowhere:
        return taken
    if channel is not None and isinstance(step.action, Send):
        queues[channel] = (*queues[channel], step.action.message)
    elif channel is not None and isinstance(step.action, Receive):
        if queues[channel][:1] != (step.action.message,):
            raise Refused(f"step {i}: {step.action.message} is not at the head of {channel}")
        queues[channel] = queues[channel][1:]
    return taken


def _fault_of(model: SurvivalModel, process: str, action: Internal) -> str | None:
    if action.crashes:
        if process not in model.failures.unreliable:
            raise Refused(f"{process} does not crash in this failure model")
        return "crash"
    return action.fault or model.process_faults.get((process, action.name))


def _check_place(i: int, step: Fault, steps: tuple[Step, ...]) -> None:
    """Faults occur at a send or a reception on their channel: nothing else stands between."""
    before = next((s for s in reversed(steps[:i]) if not isinstance(s, Fault)), None)
    after = next((s for s in steps[i:] if not isinstance(s, Fault)), None)
    before, after = (s if isinstance(s, Act) else None for s in (before, after))
    sent = before and isinstance(before.action, Send) and channel_of(before.process, before.action)
    taken = after and isinstance(after.action, Receive) and channel_of(after.process, after.action)
    if step.channel not in (sent, taken):
        raise Refused(f"step {i}: a fault of {step.channel} occurs at no send and no reception there")


def _content(model: SurvivalModel, i: int, step: Fault, queue: Word) -> Word:
    """What the fault leaves in its channel."""
    if not 0 <= step.position < len(queue):
        raise Refused(f"step {i}: {step.channel} has no message at {step.position} that a fault may affect")
    left = after_fault(step, queue, model.failures.on(step.channel))
    if left is None:
        raise Refused(f"step {i}: {step} is not a fault that {step.channel} may have there")
    return left


# ---- goals and calm futures ----------------------------------------------------------------------------


class Judge:
    """Evaluates goals and takes calm steps, in channels of any length."""

    def __init__(self, model: SurvivalModel) -> None:
        self.model, self.system = model, model.system
        self.watch, self.time, self.net = Watch(model), Time(model), Net(model)

    def calm(self, place: StormConfiguration) -> Iterator[StormConfiguration]:
        for i, process in enumerate(self.system):
            for taken in process.outgoing(place.states[i]):
                queues: tuple[Word, ...] | None = place.queues
                if not self.net.goes_nowhere(place.states, process.name, taken.action):
                    queues = self._after(process.name, taken.action, place.queues)
                if queues is not None and self.time.allows(place.states, place.queues, process.name, taken):
                    states = (*place.states[:i], taken.target, *place.states[i + 1 :])
                    states = self.watch.after(states, process.name, taken)
                    yield StormConfiguration(self.time.after(states, process.name), queues)

    def _after(
        self, name: str, action: Send | Receive | Internal, queues: tuple[tuple[Message, ...], ...]
    ) -> tuple[tuple[Message, ...], ...] | None:
        channel = channel_of(name, action)
        if channel is None or isinstance(action, Internal):
            assert isinstance(action, Internal)
            fault = action.is_fault or (name, action.name) in self.model.process_faults
            return None if fault else queues
        n = self.system.channel_index[channel]
        if isinstance(action, Send):
            after = (*queues[n], action.message)
        elif queues[n][:1] == (action.message,):
            after = queues[n][1:]
        else:
            return None
        return (*queues[:n], after, *queues[n + 1 :])

    def satisfies(self, place: StormConfiguration, goal: Goal) -> bool:
        if isinstance(goal, And):
            return all(self.satisfies(place, part) for part in goal.parts)
        if isinstance(goal, Or):
            return any(self.satisfies(place, part) for part in goal.parts)
        if isinstance(goal, Not):
            return not self.satisfies(place, goal.part)
        if isinstance(goal, At):
            return place.states[self.system.names.index(goal.process)] in goal.states
        if isinstance(goal, Holds | Contains | Head):
            return self._content(place, goal)
        if goal.name == "at rest":
            return self._at_rest(place)
        if goal.name == "deadlock":
            return not self._at_rest(place) and next(self.calm(place), None) is None
        raise Refused(f"the goal '{goal.name}' is unknown")

    def _content(self, place: StormConfiguration, goal: Holds | Contains | Head) -> bool:
        n = self.system.channel_index.get(goal.channel)
        queue = () if n is None else place.queues[n]
        if isinstance(goal, Holds):
            return queue == goal.word
        return goal.message in (queue if isinstance(goal, Contains) else queue[:1])

    def _at_rest(self, place: StormConfiguration) -> bool:
        names = self.system.names
        rest, ended = self.model.rest.rest, self.model.rest.ended
        if any(state not in rest[name] for name, state in zip(names, place.states)):
            return False
        return all(
            not queue or place.states[names.index(c.receiver)] in ended[c.receiver]
            for c, queue in zip(self.system.channels, place.queues)
        )
