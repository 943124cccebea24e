"""The checker of certificates that no calm run leads to a goal, however long channels grow (definitions
10.10).

A set of abstract configurations that contains the one where the storm ends, that no calm step leaves, and
in none of which the goal may hold. An abstract content stands for many: see `BlockContent`. This module reads
the definitions by itself and searches nothing; it shares plain data types with the engine and with
`semantics`, and the meaning of goals on states and heads with `replay_storm`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from ..errors import Refused
from ..kernel.model.actions import CRASH, Internal, Message, Receive, Send, Word, channel_of
from ..kernel.model.ask import Ask
from ..kernel.model.goal import And, Contains, Goal, Holds, Not, Or
from ..kernel.model.goal_forms import normal_form, observed_channels
from ..kernel.model.phrases import plural
from ..kernel.model.run import Witness
from ..kernel.model.survival import BlockSize, SurvivalModel
from .check_survival import SurvivalCheck
from .clocks import Time
from .observers import Watch
from .replay_storm import Judge, StormConfiguration, storm_end
from .survival_certificate import BlockContent, OutOfReach, bases

#: States, and the content of each channel.
BlockConfiguration = tuple[tuple[str, ...], tuple[BlockContent, ...]]


def check_violated(
    model: SurvivalModel, ask: Ask, witness: Witness, certificate: OutOfReach
) -> SurvivalCheck:
    """Step through the run, and check that no calm run from where its storm ends leads to the goal."""
    try:
        _check(model, ask.goal, storm_end(model, witness, ask), certificate)
    except Refused as why:
        return SurvivalCheck(False, str(why))
    shown = f"no calm step leaves {plural(len(certificate.numbers), 'abstract configuration')}"
    return SurvivalCheck(True, f"{shown}, and the goal may hold in none of them (any channel length)")


# ---- abstract contents ---------------------------------------------------------------------------------


def represent(word: Word, size: BlockSize) -> BlockContent:
    """The content that stands for this word, among others."""
    runs = [(message, len(list(same))) for message, same in groupby(word)]
    kept = tuple((message, min(count, size.counted + 1)) for message, count in runs[: size.blocks])
    return BlockContent(kept, frozenset(message for message, _ in runs[size.blocks :]))


def well_formed(content: BlockContent, size: BlockSize) -> bool:
    """A tail follows only the largest number of blocks."""
    counts = all(1 <= count <= size.counted + 1 for _, count in content.blocks)
    return counts and len(content.blocks) <= size.blocks and (not content.tail or full(content, size))


def full(content: BlockContent, size: BlockSize) -> bool:
    return len(content.blocks) == size.blocks


def put(content: BlockContent, message: Message, size: BlockSize) -> BlockContent:
    """The message behind everything."""
    blocks, tail = content
    if not tail and blocks and blocks[-1][0] == message:
        return BlockContent((*blocks[:-1], (message, min(blocks[-1][1] + 1, size.counted + 1))))
    if not tail and not full(content, size):
        return BlockContent((*blocks, (message, 1)))
    return BlockContent(blocks, tail | {message})


def taken(content: BlockContent, size: BlockSize) -> Iterator[BlockContent]:
    """Everything that may be left without the head."""
    (message, count), *rest = content.blocks
    if count > size.counted:
        yield content
    if count > 1:
        yield BlockContent(((message, count - 1), *rest), content.tail)
        return
    # What follows is a tail right behind the blocks that are left: it lengthens the last of them, and then it
    # ends or begins another block.
    lengths = [tuple(rest)]
    if rest and rest[-1][0] in content.tail:
        last, known = rest[-1]
        lengths = [(*rest[:-1], (last, n)) for n in range(known, size.counted + 2)]
    for blocks in lengths:
        yield BlockContent(blocks)
        for following in content.tail - {m for m, _ in blocks[-1:]}:
            yield BlockContent((*blocks, (following, 1)), content.tail)


def may_be(content: BlockContent, word: Word, size: BlockSize) -> bool:
    """Is this word among those that the content stands for?"""
    if not content.blocks:
        return content.tail.issuperset(word)
    (message, count), *rest = content.blocks
    most = len(word) if count > size.counted else count
    return any(
        word[:n] == (message,) * n and may_be(BlockContent(tuple(rest), content.tail), word[n:], size)
        for n in range(count, most + 1)
    )


def is_exact(content: BlockContent, size: BlockSize) -> bool:
    """Does it stand for a single word?"""
    return not content.tail and all(count <= size.counted for _, count in content.blocks)


# ---- the certificate -----------------------------------------------------------------------------------


def _check(model: SurvivalModel, goal: Goal, start: StormConfiguration, certificate: OutOfReach) -> None:
    size = certificate.blocks
    if min(size) < 1:
        raise Refused("an abstraction has at least one block, counted up to at least one")
    contents = [certificate.contents.get(c, ()) for c in model.system.channels]
    for table in contents:
        if not table or not all(well_formed(content, size) for content in table):
            raise Refused("a channel has no content, or one with other blocks than the abstraction")
    steps = AbstractSteps(model, goal, size)
    known = {steps.seen(*at) for at in _configurations(model, contents, certificate)}
    if steps.start(start) not in known:
        raise Refused("where the storm ends is not in the set")
    for at in known:
        if steps.may_hold(at):
            raise Refused(f"the goal may hold in the states {', '.join(at[0])}")
        for after in steps.calm(at):
            if after not in known:
                raise Refused(f"a calm step leads out of the set, from the states {', '.join(at[0])}")


def _configurations(
    model: SurvivalModel, contents: Sequence[Sequence[BlockContent]], certificate: OutOfReach
) -> Iterator[BlockConfiguration]:
    """The configurations that the numbers of a certificate stand for."""
    count = bases(model.system, contents)
    for number in certificate.numbers:
        digits = []
        for base in count:
            number, digit = divmod(number, base)
            digits.append(digit)
        if number:
            raise Refused("a number is not that of a configuration")
        states = tuple(p.states[digit] for p, digit in zip(model.system, digits))
        rest = digits[len(states) :]
        yield states, tuple(table[digit] for table, digit in zip(contents, rest))


class AbstractSteps:
    """Calm steps as an abstraction sees them, and whether a goal may hold."""

    def __init__(self, model: SurvivalModel, goal: Goal, size: BlockSize) -> None:
        self.model, self.size = model, size
        self.system, self.judge = model.system, Judge(model)
        self.watch, self.time = Watch(model), Time(model)
        self.goal, self.observed = normal_form(goal), observed_channels(goal, model.system)

    def start(self, place: StormConfiguration) -> BlockConfiguration:
        return self.seen(place.states, tuple(represent(word, self.size) for word in place.queues))

    def calm(self, at: BlockConfiguration) -> Iterator[BlockConfiguration]:
        return (self.seen(*after) for after in self._calm(*at))

    def may_hold(self, at: BlockConfiguration) -> bool:
        return self._may_hold(at, self.goal)

    def seen(self, states: tuple[str, ...], contents: tuple[BlockContent, ...]) -> BlockConfiguration:
        """Of a channel to a role that has ended only the head is looked at: it is never taken, unless it is
        the crash message, which is the last."""
        return states, tuple(
            BlockContent(((content.blocks[0][0], 1),))
            if content.blocks and content.blocks[0][0] is not CRASH and self._unseen(states, c)
            else content
            for c, content in enumerate(contents)
        )

    def _unseen(self, states: tuple[str, ...], c: int) -> bool:
        channel = self.system.channels[c]
        receiver = states[self.system.names.index(channel.receiver)]
        return receiver in self.model.rest.ended[channel.receiver] and channel not in self.observed

    def _calm(
        self, states: tuple[str, ...], contents: tuple[BlockContent, ...]
    ) -> Iterator[BlockConfiguration]:
        heads = [tuple(m for m, _ in content.blocks[:1]) for content in contents]
        for i, process in enumerate(self.system):
            for taken in process.outgoing(states[i]):
                action = taken.action
                if not self.time.allows(states, heads, process.name, taken):
                    continue
                after = self.watch.after((*states[:i], taken.target, *states[i + 1 :]), process.name, taken)
                after = self.time.after(after, process.name)
                if isinstance(action, Internal):
                    marked = (process.name, action.name) in self.model.process_faults
                    if not action.is_fault and not marked:
                        yield after, contents
                    continue
                if self.judge.net.goes_nowhere(states, process.name, action):
                    yield after, contents
                    continue
                c = self.system.channels.index(channel_of(process.name, action))
                for content in self._contents(states, contents[c], action, c):
                    yield after, (*contents[:c], content, *contents[c + 1 :])

    def _contents(
        self, states: tuple[str, ...], content: BlockContent, action: Send | Receive, c: int
    ) -> Iterator[BlockContent]:
        """What a calm step makes of a channel; nobody looks at a message to a role that has ended."""
        if isinstance(action, Receive):
            if content.blocks and content.blocks[0][0] == action.message:
                yield from taken(content, self.size)
            return
        ignored = content.blocks and self._unseen(states, c)
        yield content if ignored else put(content, action.message, self.size)

    def _may_hold(self, at: BlockConfiguration, goal: Goal) -> bool:
        """May the goal, in normal form, hold in some configuration that this one stands for?"""
        if isinstance(goal, And):
            return all(self._may_hold(at, part) for part in goal.parts)
        if isinstance(goal, Or):
            return any(self._may_hold(at, part) for part in goal.parts)
        atom, wanted = (goal.part, False) if isinstance(goal, Not) else (goal, True)
        if not isinstance(atom, Holds | Contains):
            heads = tuple(tuple(m for m, _ in content.blocks[:1]) for content in at[1])
            return self.judge.satisfies(StormConfiguration(at[0], heads), atom) is wanted
        c = self.system.channel_index.get(atom.channel)
        content = BlockContent() if c is None else at[1][c]
        if isinstance(atom, Contains):
            must = atom.message in [m for m, _ in content.blocks]
            may = must or atom.message in content.tail
        else:
            may = may_be(content, atom.word, self.size)
            must = may and is_exact(content, self.size)
        return may if wanted else not must
