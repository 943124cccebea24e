"""Proofs that no calm run leads to a goal, however long channels grow (definitions 10.10).

The content of a channel is represented by its first few blocks of equal messages, each counted up to some
number and "more" beyond it, and the set of messages that may follow in any order and number. Heads and
emptiness are exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import NamedTuple

from ..kernel.model.actions import Channel, Configuration, Internal, Message, Receive, Send, Word, channel_of
from ..kernel.model.goal import And, Contains, Goal, Holds, Not, Or
from ..kernel.model.goal_forms import normal_form, observed_channels
from ..kernel.model.storm_step import StormStep
from ..kernel.model.survival import BlockSize, SurvivalModel
from .bounded import TooLarge
from .cuts import down
from .rest import satisfies
from .steps import faulty_steps


class Blocks(NamedTuple):
    """All words that are these blocks, (message, count), followed by any messages of `tail`.

    A count above `BlockSize.counted` stands for that many or more. A tail follows only the largest number
    of blocks.
    """

    blocks: tuple[tuple[Message, int], ...] = ()
    tail: frozenset[Message] = frozenset()

    @property
    def head(self) -> tuple[Message, ...]:
        return (self.blocks[0][0],) if self.blocks else ()


def send(content: Blocks, message: Message, size: BlockSize) -> Blocks:
    """The message behind everything."""
    blocks, tail = content
    if tail:
        return Blocks(blocks, tail | {message})
    if blocks and blocks[-1][0] == message:
        count = min(blocks[-1][1] + 1, size.counted + 1)
        return Blocks((*blocks[:-1], (message, count)))
    if len(blocks) < size.blocks:
        return Blocks((*blocks, (message, 1)))
    return Blocks(blocks, frozenset({message}))


def receive(content: Blocks, size: BlockSize) -> Iterator[Blocks]:
    """Everything that may be left when the head is taken."""
    (message, count), *rest = content.blocks
    if count > size.counted:
        yield content
    if count > 1:
        yield content._replace(blocks=((message, count - 1), *rest))
    elif not content.tail:
        yield Blocks(tuple(rest))
    else:
        yield from _refilled(tuple(rest), content.tail, size)


def _refilled(
    blocks: tuple[tuple[Message, int], ...], tail: frozenset[Message], size: BlockSize
) -> Iterator[Blocks]:
    """The tail begins right behind the blocks: it is empty, or its first block is known from now on."""
    grown = [blocks]
    if blocks and blocks[-1][0] in tail:
        message, count = blocks[-1]
        grown = [(*blocks[:-1], (message, n)) for n in range(count, size.counted + 2)]
    for before in grown:
        yield Blocks(before)
        for message in tail - {m for m, _ in before[-1:]}:
            yield Blocks((*before, (message, 1)), tail)


def abstract(word: Word, size: BlockSize) -> Blocks:
    content = Blocks()
    for message in word:
        content = send(content, message, size)
    return content


class AbstractConfiguration(NamedTuple):
    states: tuple[str, ...]
    contents: tuple[Blocks, ...]


def calm_steps(
    model: SurvivalModel, at: AbstractConfiguration, size: BlockSize, observed: frozenset[Channel]
) -> Iterator[AbstractConfiguration]:
    """All calm steps of every configuration that is represented, and perhaps more."""
    system, steps = model.system, dict(faulty_steps(model, _with_heads(at)))
    cut = down(model, Configuration(at.states, ()))
    for i, process in enumerate(system):
        for transition in process.outgoing(at.states[i]):
            action, step = transition.action, StormStep(process.name, transition)
            if step not in steps:
                continue
            states = steps[step].states
            if isinstance(action, Internal):
                if model.process_fault(process.name, action) is None:
                    yield AbstractConfiguration(states, at.contents)
                continue
            channel = channel_of(process.name, action)
            assert channel is not None
            j = system.channel_index[channel]
            if isinstance(action, Send) and Channel(process.name, action.peer) in cut:
                yield AbstractConfiguration(states, at.contents)
                continue
            for content in _contents(model, at, channel, action, size, observed):
                yield AbstractConfiguration(states, (*at.contents[:j], content, *at.contents[j + 1 :]))


def _contents(
    model: SurvivalModel,
    at: AbstractConfiguration,
    channel: Channel,
    action: Send | Receive,
    size: BlockSize,
    observed: frozenset[Channel],
) -> Iterable[Blocks]:
    content = at.contents[model.system.channel_index[channel]]
    if not isinstance(action, Send):
        return receive(content, size) if content.head == (action.message,) else ()
    receiver = at.states[model.system.names.index(channel.receiver)]
    unseen = receiver in model.rest.ended[channel.receiver] and channel not in observed
    return (content,) if content.blocks and unseen else (send(content, action.message, size),)


def may_satisfy(model: SurvivalModel, at: AbstractConfiguration, goal: Goal, size: BlockSize) -> bool:
    """May some configuration that is represented satisfy the goal, which is in normal form?"""
    if isinstance(goal, And):
        return all(may_satisfy(model, at, part, size) for part in goal.parts)
    if isinstance(goal, Or):
        return any(may_satisfy(model, at, part, size) for part in goal.parts)
    atom, wanted = (goal.part, False) if isinstance(goal, Not) else (goal, True)
    if isinstance(atom, Holds | Contains):
        index = model.system.channel_index
        content = at.contents[index[atom.channel]] if atom.channel in index else Blocks()
        may, must = _holds(content, atom.word, size) if isinstance(atom, Holds) else _contains(content, atom)
        return may if wanted else not must
    return satisfies(model, _with_heads(at), atom) is wanted


def _with_heads(at: AbstractConfiguration) -> Configuration:
    """A configuration with the same states and heads, which is all that the other atoms look at."""
    return Configuration(at.states, tuple(content.head for content in at.contents))


def _contains(content: Blocks, atom: Contains) -> tuple[bool, bool]:
    """May the content have the message, and must it?"""
    must = any(m == atom.message for m, _ in content.blocks)
    return must or atom.message in content.tail, must


def _holds(content: Blocks, word: Word, size: BlockSize) -> tuple[bool, bool]:
    """May the content be this word, and must it?"""
    may = _matches(content.blocks, content.tail, word, size)
    exact = not content.tail and all(n <= size.counted for _, n in content.blocks)
    return may, may and exact


def _matches(
    blocks: tuple[tuple[Message, int], ...], tail: frozenset[Message], word: Word, size: BlockSize
) -> bool:
    if not blocks:
        return all(m in tail for m in word)
    (message, count), *rest = blocks
    run = len(list(takewhile(lambda m: m == message, word)))
    counts = range(count, run + 1) if count > size.counted else (count,)
    return any(n <= run and _matches(tuple(rest), tail, word[n:], size) for n in counts)


def proves_never(
    model: SurvivalModel, at: Configuration, goal: Goal, size: BlockSize, most: int | None = None
) -> bool:
    """No abstract calm run from here leads to where the goal may hold, so no calm run leads to the goal."""
    closed = invariant(model, at, goal, size, most)
    return closed is not None


def invariant(
    model: SurvivalModel, at: Configuration, goal: Goal, size: BlockSize, most: int | None = None
) -> frozenset[AbstractConfiguration] | None:
    """The abstract configurations of all calm runs from here, if the goal may hold in none; else None.

    Raises TooLarge past `most` of them."""
    wanted, observed = normal_form(goal), observed_channels(goal, model.system)
    start = AbstractConfiguration(at.states, tuple(abstract(w, size) for w in at.words))
    seen, queue = {start}, [start]
    while queue:
        here = queue.pop()
        if may_satisfy(model, here, wanted, size):
            return None
        if most is not None and len(seen) > most:
            raise TooLarge
        for after in calm_steps(model, here, size, observed):
            if after not in seen:
                seen.add(after)
                queue.append(after)
    return frozenset(seen)
