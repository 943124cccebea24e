"""From the steps that a search found to a run with every fault explicit, ending where the goal is met."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...errors import InternalError
from ...kernel.goals.cubes import Cube
from ...kernel.model.actions import CRASH, Channel, Firing, Message, Receive, Send, Word
from ...kernel.model.failures import ChannelFailure, FailureModel
from ...kernel.model.run import Witness
from ...kernel.model.system import System
from ...trust.reachability.after_faults import settle
from ...trust.reachability.certificates import Element
from ...trust.replay import replay
from ..counterexample.build import build_witness
from ..counterexample.end_contents import exactly
from ..engine.coverability import ChannelForm, Taken
from .channel_forms import Shape


def make_run(
    system: System,
    failures: FailureModel,
    cube: Cube,
    steps: Sequence[Taken],
    final: Mapping[Channel, Word] | None,
    shortest: bool,
) -> Witness | None:
    """The run, or None when the steps are only those of an over-approximation.

    `final`: what the steps leave in the channels, before the faults that the goal itself needs.
    """
    moves = [
        Firing(t.process, t.transition) for t in steps if t.process is not None and t.transition is not None
    ]
    if final is None:
        return None
    ends = settle(system, failures, cube, _states(system, moves), final)
    if ends is None:
        return None
    try:
        return build_witness(system, failures, moves, exactly(ends), None, shortest=shortest)
    except InternalError:
        return None  # the steps were found where channels may do more than they do here


def with_marks(system: System, at: Element) -> dict[Channel, Word]:
    """The channels of a configuration, crash messages put back at their ends."""
    rows = zip(system.channels, at.marks, at.words, strict=True)
    return {channel: (*word, CRASH) if mark else word for channel, mark, word in rows}


def _states(system: System, moves: Sequence[Firing]) -> dict[str, str]:
    at = {p.name: p.initial for p in system}
    for process, transition in moves:
        at[process] = transition.target
    return at


def leftovers(
    failures: FailureModel, shapes: Sequence[Shape], steps: Sequence[Taken], last: Element
) -> dict[Channel, Word] | None:
    """What a run found backward leaves in each channel, before the goal's own faults; None: it is no run.

    `last` is the target that the search started from: lossy channels end in its words, and on the others
    the steps are played.
    """
    by_channel = {s.channel: s for s in shapes}
    words: dict[Channel, list[Message]] = {s.channel: [] for s in shapes}
    for step in steps:
        if step.channel is not None and not by_channel[step.channel].loss:
            shape = by_channel[step.channel]
            if not _play(words[step.channel], shape, failures.on(step.channel), step):
                return None
    final: dict[Channel, Word] = {c: tuple(w) for c, w in words.items()}
    for shape, mark, word in zip(shapes, last.marks, last.words, strict=True):
        if shape.loss:
            final[shape.channel] = (*word, CRASH) if mark else word
    return final


def _play(word: list[Message], shape: Shape, failure: ChannelFailure, step: Taken) -> bool:
    """One step on one channel without loss; False when it is not possible there."""
    if step.corruption is not None:
        if step.corruption[0] in word:
            word[word.index(step.corruption[0])] = step.corruption[1]
        return True
    assert step.transition is not None
    action = step.transition.action
    if isinstance(action, Send):
        word.append(action.message)
        return True
    assert isinstance(action, Receive)
    return _take(word, shape.form, failure, action.message, step.stays)


def accept_run(system: System, failures: FailureModel, cubes: Iterable[Cube], run: Witness) -> str:
    """ "" when the replay kernel accepts the run and it ends in the goal; otherwise what is wrong with it."""
    played = replay(system, failures, "reach", None, run)
    if not (played.ok and played.established):
        return played.message
    if not any(cube.holds(system, failures, run.states, run.channels) for cube in cubes):
        return "the run does not end in the goal"
    return ""


def _take(
    word: list[Message], form: ChannelForm, failure: ChannelFailure, message: Message, stays: bool
) -> bool:
    """Take a message from a channel without loss; False where that is not possible."""
    if message is CRASH:
        return bool(word) and word.pop(0) is CRASH
    if form == ChannelForm.LENGTH:
        fits = [i for i, m in enumerate(word) if m is not CRASH]
    else:
        reach = len(word) if failure.reorder else 1
        fits = [i for i, m in enumerate(word[:reach]) if failure.may_become(m, message)]
    if not fits:
        return False
    if not stays:
        del word[next((i for i in fits if word[i] == message), fits[0])]
    return True
