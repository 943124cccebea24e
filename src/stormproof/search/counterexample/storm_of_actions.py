"""From a run in which faults happen at any moment to one in which they strike at a send or a reception.

The methods without a bound find runs of the first kind (definitions 2.5), requirements speak of those of the
second (9.1). Both reach the same configurations by the same actions. What is in one channel does not depend
on the others once the actions are fixed, so each channel is searched by itself, fewest faults first.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count

from ...kernel.model.actions import Channel, Internal, Receive, Send, Transition, Word, channel_of
from ...kernel.model.failures import ChannelFailure
from ...kernel.model.run import Witness
from ...kernel.model.storm_step import StormStep
from ...kernel.model.survival import SurvivalModel
from ...kernel.semantics.channel_faults import content_after, reception_strikes, send_strikes
from ..engine.survival import FoundRun

#: Contents of one channel that are seen before the search is given up.
MOST_CONTENTS = 20_000


def storm_of_actions(model: SurvivalModel, run: Witness, ending: str | None = None) -> FoundRun | None:
    """The run with the same actions and the same end, each channel with as few faults as possible; None where
    that takes too many contents to find. The budget is not looked at."""
    steps = _actions(model, run)
    for channel, events in _by_channel(steps).items():
        struck = _fewest_faults(
            [steps[i] for i in events], model.failures.on(channel), run.channels.get(channel, ())
        )
        if struck is None:
            return None
        for i, step in zip(events, struck, strict=True):
            steps[i] = step
    faults = sum(step.faults.total() for step in steps)
    return FoundRun(tuple(steps), len(steps), faults, ending, shortest=False)


def _actions(model: SurvivalModel, run: Witness) -> list[StormStep]:
    at = {p.name: p.initial for p in model.system}
    steps = []
    for act in run.acts:
        taken = Transition(at[act.process], act.action, act.state)
        fault = model.process_fault(act.process, act.action) if isinstance(act.action, Internal) else None
        steps.append(StormStep(act.process, taken, fault))
        at[act.process] = act.state
    return steps


def _by_channel(steps: Sequence[StormStep]) -> Mapping[Channel, list[int]]:
    found: dict[Channel, list[int]] = {}
    for i, step in enumerate(steps):
        channel = channel_of(step.process, step.transition.action)
        if channel is not None:
            found.setdefault(channel, []).append(i)
    return found


def _fewest_faults(
    steps: Sequence[StormStep], failure: ChannelFailure, final: Word
) -> tuple[StormStep, ...] | None:
    """Dijkstra over (how many of the steps are taken, the content); what strikes the next step is looked at
    only when one fault more is worth it."""
    number, ahead = count(), _ahead(steps, final)
    queue: list[tuple[int, int, Word, tuple[StormStep, ...], bool]] = [(0, next(number), (), (), False)]
    seen: set[tuple[int, Word, bool]] = set()
    while queue and len(seen) < MOST_CONTENTS:
        faults, _, word, taken, struck = heapq.heappop(queue)
        i = len(taken)
        if i == len(steps) and word == final:
            return taken
        if i == len(steps) or (i, word, struck) in seen or not _can_leave(word, ahead[i], failure):
            continue
        seen.add((i, word, struck))
        before = faults - 1 if struck else faults
        for step in _strikes(steps[i], word, failure) if struck else _calm(steps[i], word):
            cost = before + step.faults.total()
            heapq.heappush(queue, (cost, -next(number), content_after(word, step), (*taken, step), False))
        if not struck:
            heapq.heappush(queue, (faults + 1, -next(number), word, taken, True))
    return None


def _calm(step: StormStep, word: Word) -> Iterator[StormStep]:
    """The step as it is, where it is possible."""
    action = step.transition.action
    assert isinstance(action, Send | Receive)
    if isinstance(action, Send) or word[:1] == (action.message,):
        yield step


def _strikes(step: StormStep, word: Word, failure: ChannelFailure) -> Iterator[StormStep]:
    action = step.transition.action
    assert isinstance(action, Send | Receive)
    strikes = send_strikes if isinstance(action, Send) else reception_strikes
    return (replace(step, **vars(strike)) for strike in strikes(word, action.message, failure))


def _ahead(steps: Sequence[StormStep], final: Word) -> list[Word]:
    """What is received from each step on, and then stays."""
    found = [final]
    for step in reversed(steps):
        action = step.transition.action
        found.append((action.message, *found[-1]) if isinstance(action, Receive) else found[-1])
    return found[::-1]


def _can_leave(word: Word, ahead: Word, failure: ChannelFailure) -> bool:
    """Whatever is in the channel leaves it or stays in the end. Where every message is received once, it
    stays what it is and overtakes nobody any more once it is in the channel, so they leave in this order."""
    if not failure.matches_once:
        return len(word) <= len(ahead) and (bool(failure.becomes) or not Counter(word) - Counter(ahead))
    leaving = iter(ahead)
    return all(message in leaving for message in word)
