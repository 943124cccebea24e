"""The meaning of goals: a disjunction of cubes, each a conjunction of demands on states and channels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace

from ...errors import UsageError
from ...records import dataclass
from ..model.actions import CRASH, Channel, Crash, Message, Receive, Word
from ..model.failures import ChannelFailure, FailureModel
from ..model.goal import AT_REST, And, At, Contains, Goal, Head, Holds, Named, Not, Or
from ..model.goal_forms import normal_form
from ..model.system import System
from .named import Meanings, quiet_states

#: Cases of a goal beyond which it is refused.
MOST_CUBES = 100_000
#: Cases that are put together where only some are needed: a few tenths of a second.
MOST_TRIED = 20_000


@dataclass(frozen=True)
class Demand:
    """What a cube asks of one channel: the whole word, or a head and messages contained. Excluded are the
    messages in `without` and the whole words in `other_than`."""

    word: Word | None = None
    head: str | None = None
    contains: frozenset[Message] = frozenset()
    without: frozenset[Message] = frozenset()
    other_than: frozenset[Word] = frozenset()

    def holds(self, word: Word) -> bool:
        if self.word is not None and word != self.word:
            return False
        if self.head is not None and word[:1] != (self.head,):
            return False
        return all(m in word for m in self.contains) and self.allows(word)

    def allows(self, word: Word) -> bool:
        """Is the word free of what is excluded?"""
        return word not in self.other_than and not any(m in word for m in self.without)

    @property
    def excludes(self) -> bool:
        return bool(self.without or self.other_than)

    def meet(self, other: Demand) -> Demand | None:
        """Both at once; None when they contradict each other."""
        words = {d.word for d in (self, other) if d.word is not None}
        heads = {d.head for d in (self, other) if d.head is not None}
        if len(words) > 1 or len(heads) > 1:
            return None
        word, head = next(iter(words), None), next(iter(heads), None)
        both = Demand(
            word,
            head,
            self.contains | other.contains,
            self.without | other.without,
            self.other_than | other.other_than,
        )
        if word is None:
            needed = both.contains | ({head} if head is not None else frozenset())
            return None if needed & both.without else both
        return Demand(word) if both.holds(word) else None


@dataclass(frozen=True)
class Cube:
    """A conjunction: allowed states per process, a demand per channel; `deadlock`: nobody will ever move,
    whatever the faults; `stuck`: no message at the head of a channel is taken by its receiver now."""

    states: Mapping[str, frozenset[str]] = field(default_factory=dict)
    channels: Mapping[Channel, Demand] = field(default_factory=dict)
    deadlock: bool = False
    stuck: bool = False

    def meet(self, other: Cube) -> Cube | None:
        states = dict(self.states)
        for process, allowed in other.states.items():
            states[process] = states.get(process, allowed) & allowed
            if not states[process]:
                return None
        channels = dict(self.channels)
        for channel, demand in other.channels.items():
            both = channels.get(channel, Demand()).meet(demand)
            if both is None:
                return None
            channels[channel] = both
        return Cube(states, channels, self.deadlock or other.deadlock, self.stuck or other.stuck)

    def relaxed(self) -> Cube:
        """Without what is excluded: whatever meets the cube meets this."""
        positive = {c: Demand(d.word, d.head, d.contains) for c, d in self.channels.items()}
        return Cube(self.states, positive, self.deadlock, self.stuck)

    @property
    def excludes(self) -> bool:
        return any(demand.excludes for demand in self.channels.values())

    def holds(
        self,
        system: System,
        failures: FailureModel,
        states: Mapping[str, str],
        words: Mapping[Channel, Word],
    ) -> bool:
        """Is this configuration, as it stands, one that the cube asks for?"""
        if any(states[p] not in allowed for p, allowed in self.states.items()):
            return False
        if any(not demand.holds(words.get(c, ())) for c, demand in self.channels.items()):
            return False
        if self.stuck and any(m.intersection(words.get(c, ())[:1]) for c, m in taken(system, states).items()):
            return False
        return not self.deadlock or is_deadlock(system, failures, states, words)


def holds(
    cubes: Iterable[Cube],
    system: System,
    failures: FailureModel,
    states: Mapping[str, str],
    words: Mapping[Channel, Word],
) -> bool:
    return any(cube.holds(system, failures, states, words) for cube in cubes)


def taken(system: System, states: Mapping[str, str]) -> Mapping[Channel, frozenset[Message]]:
    """What each channel's receiver takes now."""
    table: dict[Channel, set[Message]] = {}
    for process in system:
        for reception in process.receives(states[process.name]):
            table.setdefault(Channel(reception.peer, process.name), set()).add(reception.message)
    return {c: frozenset(messages) for c, messages in table.items()}


def untaken(demand: Demand, taken: frozenset[Message], letters: Iterable[str]) -> Iterator[Demand]:
    """The demand of a stuck channel as alternatives: it is empty, or nobody takes its head."""
    if demand.word is not None or demand.head is not None:
        first = demand.word[:1] if demand.word is not None else (demand.head,)
        if not taken.intersection(first):
            yield demand
        return
    if demand.holds(()):
        yield Demand(word=())
    if CRASH not in taken and demand.holds((CRASH,)):
        yield Demand(word=(CRASH,))
    for letter in letters:
        if letter not in taken:
            yield replace(demand, head=letter)


def accepted(system: System, states: Mapping[str, str]) -> dict[Channel, frozenset[Message]] | None:
    """What each channel's receiver takes now; None when somebody can send or act, or nobody waits."""
    table: dict[Channel, set[Message]] = {}
    for process in system:
        for _, action, _ in process.outgoing(states[process.name]):
            if not isinstance(action, Receive):
                return None
            table.setdefault(Channel(action.peer, process.name), set()).add(action.message)
    return {c: frozenset(messages) for c, messages in table.items()} or None


def is_deadlock(
    system: System, failures: FailureModel, states: Mapping[str, str], words: Mapping[Channel, Word]
) -> bool:
    """Nobody can send or act internally, somebody waits, and whatever channels do, nobody ever receives."""
    taken = accepted(system, states)
    if taken is None:
        return False
    return all(not (heads(words.get(c, ()), failures.on(c)) & messages) for c, messages in taken.items())


def heads(word: Word, failure: ChannelFailure) -> frozenset[Message]:
    """What faults may bring to the head of the channel; the crash message is last and does not move."""
    first = word if failure.loss else word[:1]
    if failure.reorder and word and word[0] is not CRASH:
        first = word if failure.loss else tuple(m for m in word if m is not CRASH)
    found: set[Message] = set(first)
    for message in first:
        if isinstance(message, str):
            found |= failure.becomes.get(message, frozenset())
    return frozenset(found)


def letters(system: System, failures: FailureModel, channel: Channel) -> tuple[str, ...]:
    """Every message, the crash message aside, that can ever stand in the channel or is named on it."""
    pool = [*system.alphabet(channel), *failures.on(channel).pool]
    return tuple(dict.fromkeys(m for m in pool if isinstance(m, str)))


def cubes(goal: Goal, system: System, failures: FailureModel) -> tuple[Cube, ...]:
    """The goal as a disjunction of cubes; contradictory ones are left out."""
    return tuple(_Expansion(system, failures).cubes(normal_form(goal)))


def first_cases(goal: Goal, system: System, failures: FailureModel) -> Iterator[Cube]:
    """The same cubes one by one, for whoever needs only some; a UsageError after `MOST_TRIED` attempts."""
    return _OneByOne(system, failures).cubes(normal_form(goal))


class _Expansion:
    """Goals in negation normal form to cubes."""

    def __init__(self, system: System, failures: FailureModel) -> None:
        self.system = system
        self.failures = failures
        self.meanings = Meanings(system, lambda channel: letters(system, failures, channel))

    def cubes(self, goal: Goal) -> Iterator[Cube]:
        if isinstance(goal, Or):
            for part in goal.parts:
                yield from self.cubes(part)
        elif isinstance(goal, And):
            yield from self._all(goal.parts)
        elif isinstance(goal, Not):
            yield from self._negated(goal.part)
        else:
            yield from self._literal(goal)

    def _all(self, parts: Sequence[Goal]) -> Iterable[Cube]:
        found = [Cube()]
        for part in parts:
            options = list(self.cubes(part))
            found = [both for a in found for b in options if (both := a.meet(b)) is not None]
            if len(found) > MOST_CUBES:
                raise UsageError(f"the goal has more than {MOST_CUBES:,} cases", hint="ask for less at once")
        return found

    def _literal(self, goal: Goal) -> Iterator[Cube]:
        if isinstance(goal, At):
            if goal.states:
                yield Cube(states={goal.process: frozenset(goal.states)})
        elif isinstance(goal, Holds):
            yield Cube(channels={goal.channel: Demand(word=goal.word)})
        elif isinstance(goal, Contains):
            yield Cube(channels={goal.channel: Demand(contains=frozenset({goal.message}))})
        elif isinstance(goal, Head):
            head = Demand(word=(CRASH,)) if isinstance(goal.message, Crash) else Demand(head=goal.message)
            yield Cube(channels={goal.channel: head})
        elif goal == Named("deadlock-for-good"):
            yield Cube(deadlock=True)
        elif goal == Named("deadlock"):
            quiet = Cube({p.name: quiet_states(p) for p in self.system}, stuck=True)
            busy = self.cubes(normal_form(Not(AT_REST)))
            yield from (both for cube in busy if (both := quiet.meet(cube)) is not None)
        else:
            assert isinstance(goal, Named)
            yield from self.cubes(normal_form(self.meanings.of(goal.name)))

    def _negated(self, goal: Goal) -> Iterator[Cube]:
        if isinstance(goal, At):
            others = frozenset(self.system[goal.process].states) - frozenset(goal.states)
            if others:
                yield Cube(states={goal.process: others})
        elif isinstance(goal, Contains):
            yield Cube(channels={goal.channel: Demand(without=frozenset({goal.message}))})
        elif isinstance(goal, Holds) and goal.word:
            yield Cube(channels={goal.channel: Demand(other_than=frozenset({goal.word}))})
        elif isinstance(goal, Holds):
            yield from self._heads(goal.channel, except_for=None)
        elif isinstance(goal, Head):
            yield Cube(channels={goal.channel: Demand(word=())})
            yield from self._heads(goal.channel, except_for=goal.message)
        else:
            assert isinstance(goal, Named)
            yield from self.cubes(normal_form(self.meanings.opposite(goal.name)))

    def _heads(self, channel: Channel, except_for: Message | None) -> Iterator[Cube]:
        """Something stands at the head, other than this."""
        here = self.system.alphabet(channel)
        standing: list[Message] = [*letters(self.system, self.failures, channel)]
        for message in (*standing, *(m for m in here if m is CRASH)):
            if message != except_for:
                yield from self._literal(Head(channel, message))


class _OneByOne(_Expansion):
    """Conjunctions in depth: a case is complete before the next one is begun."""

    def __init__(self, system: System, failures: FailureModel) -> None:
        super().__init__(system, failures)
        self.tried = 0

    def _all(self, parts: Sequence[Goal], so_far: Cube = Cube()) -> Iterator[Cube]:  # noqa: B008 (frozen)
        if not parts:
            yield so_far
            return
        for option in self.cubes(parts[0]):
            self.tried += 1
            if self.tried > MOST_TRIED:
                raise UsageError(f"the goal has more than {MOST_TRIED:,} cases")
            both = so_far.meet(option)
            if both is not None:
                yield from self._all(parts[1:], both)
