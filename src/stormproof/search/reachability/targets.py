"""From a goal to the minimal configurations that backward search starts from (definitions 6.3, 6.4).

For each control state a cube asks something of each channel, which is brought into a few minimal words.
Where the channel loses messages, or where the demand grows with the content, covering one of them is enough
(`sufficient`). Where it is not, as with exact contents of a counter, the word must be met exactly on the
messages in `equal`: then coverability can only refute.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import permutations, product
from typing import NamedTuple

from ...kernel.goals.cubes import Cube, Demand, accepted, taken as cube_taken, untaken
from ...kernel.model.actions import CRASH, Channel, Message
from ...kernel.model.failures import ChannelFailure, FailureModel
from ...kernel.model.system import System
from ...trust.reachability.certificates import Control, Element
from ...trust.reachability.channel_forms import Letters
from ..engine.coverability import ChannelForm, Demanded, Wanted
from .channel_forms import Shape


class Option(NamedTuple):
    """A minimal word of one channel."""

    word: Letters
    equal: frozenset[str]
    sufficient: bool


class Target(NamedTuple):
    """A minimal configuration, which cube it is of, and what else must hold beside covering it."""

    element: Element
    equal: tuple[frozenset[str], ...]
    sufficient: bool
    cube: int


def targets(
    system: System,
    failures: FailureModel,
    cubes: tuple[Cube, ...],
    shapes: tuple[Shape, ...],
    controls: Iterable[Control],
) -> Iterator[Target]:
    """All of them, control state by control state."""
    place = {p.name: i for i, p in enumerate(system)}
    demands = [[(place[p], allowed) for p, allowed in cube.states.items()] for cube in cubes]
    deadlocks, stuck = (any(getattr(cube, flag) for cube in cubes) for flag in ("deadlock", "stuck"))
    for states, marks in controls:
        fitting = [i for i, d in enumerate(demands) if all(states[p] in allowed for p, allowed in d)]
        if not fitting:
            continue
        at = dict(zip(place, states, strict=True))
        taken = accepted(system, at) if deadlocks else None
        receptions = cube_taken(system, at) if stuck else None
        for i in fitting:
            if cubes[i].deadlock and taken is None:
                continue
            waited = taken if cubes[i].deadlock else None
            heads = receptions if cubes[i].stuck else None
            for options in _choices(failures, cubes[i], shapes, marks, waited, heads):
                element = Element(states, marks, tuple(o.word for o in options))
                yield Target(element, tuple(o.equal for o in options), all(o.sufficient for o in options), i)


def _choices(
    failures: FailureModel,
    cube: Cube,
    shapes: tuple[Shape, ...],
    marks: tuple[bool, ...],
    taken: dict[Channel, frozenset[Message]] | None,
    heads: Mapping[Channel, frozenset[Message]] | None,
) -> Iterator[tuple[Option, ...]]:
    """The ways to meet the cube; what receivers take is `taken` in a deadlock, `heads` if all are stuck."""
    used = {s.channel for s in shapes}
    for channel, demand in cube.channels.items():
        # A channel that no action names is always empty.
        if channel not in used and not demand.holds(()):
            return
    each = []
    waited = taken or {}
    for shape, mark in zip(shapes, marks, strict=True):
        channel = shape.channel
        stuck = (heads or {}).get(channel)
        if channel not in cube.channels and channel not in waited and stuck is None:
            each.append([_FREE])
            continue
        asked = cube.channels.get(channel, Demand())
        alternatives = [asked] if stuck is None else list(untaken(asked, stuck, shape.letters))
        failure, wanted = failures.on(channel), waited.get(channel)
        each.append([o for d in alternatives for o in options(shape, failure, d, wanted, mark)])
    yield from product(*each)


_FREE = Option((), frozenset(), True)


def options(
    shape: Shape, failure: ChannelFailure, demand: Demand, taken: frozenset[Message] | None, mark: bool
) -> list[Option]:
    """The minimal words of one channel; `taken`, in a deadlock: what its receiver would take."""
    if demand == Demand() and taken is None:
        return [_FREE]
    if demand.word is not None and (CRASH in demand.word) != mark:
        return []
    if CRASH in demand.contains and not mark:
        return []
    behind = taken is not None and CRASH in taken and mark
    if behind and (shape.loss or demand.word == (CRASH,)):
        return []  # the crash message comes to the head, and is taken
    found = _words(shape, failure, demand, taken or frozenset())
    return [o._replace(sufficient=False) if behind else o for o in found]


def _words(shape: Shape, failure: ChannelFailure, demand: Demand, taken: frozenset[Message]) -> list[Option]:
    exact = demand.word is not None
    asked = demand.word if demand.word is not None else _required(demand)
    word = tuple(m for m in asked if isinstance(m, str))
    if any(m not in shape.letters for m in word):
        return []
    if shape.form == ChannelForm.LENGTH:
        return _counts(shape, word, exact, taken)
    if not _stays(word, demand, failure, taken):
        return []
    everything = frozenset(shape.letters)
    if exact:
        return [Option(word, everything if not shape.loss else frozenset(), shape.loss)]
    alive = frozenset(m for m in shape.letters if not _may_rest(m, failure, taken))
    if shape.form == ChannelForm.MULTISET:
        must_be_gone = alive if not shape.loss and failure.reorder else frozenset()
        return [Option(word, must_be_gone, shape.loss or not alive)]
    orders = _orders(demand, word)
    return [Option(w, frozenset(), shape.loss or not alive) for w in orders]


def _required(demand: Demand) -> tuple[Message, ...]:
    """The head first, if one is asked for, and what is contained beside it."""
    rest = sorted(str(m) for m in demand.contains if isinstance(m, str) and m != demand.head)
    return ((demand.head,) if demand.head is not None else ()) + tuple(rest)


def _orders(demand: Demand, word: Letters) -> list[Letters]:
    """In a word, what is contained may come in any order behind the head."""
    first = 1 if demand.head is not None else 0
    return [word[:first] + rest for rest in permutations(word[first:])]


def _counts(shape: Shape, word: Letters, exact: bool, taken: frozenset[Message]) -> list[Option]:
    """A length stands for every word over the letters: if one of them is taken, the channel must be empty."""
    wanted = any(m in taken for m in shape.letters)
    if wanted and word:
        return []
    same = (exact or wanted) and not shape.loss
    copies = shape.letters[:1] * len(word)
    return [Option(copies, frozenset(shape.letters) if same else frozenset(), not same)]


def _stays(word: Letters, demand: Demand, failure: ChannelFailure, taken: frozenset[Message]) -> bool:
    """In a deadlock: can these messages stay, whatever the channel does?"""
    anywhere = failure.loss or failure.reorder
    fixed = demand.word is not None or demand.head is not None
    near = word if anywhere else word[:1] if fixed else ()
    return all(rests(m, failure, taken) for m in near)


def rests(message: str, failure: ChannelFailure, taken: frozenset[Message]) -> bool:
    """Neither it nor anything that it may become is taken."""
    return not ({message, *failure.becomes.get(message, ())} & taken)


def _may_rest(message: str, failure: ChannelFailure, taken: frozenset[Message]) -> bool:
    return any(rests(m, failure, taken) for m in (message, *failure.becomes.get(message, ())))


def wanted(cubes: Iterable[Cube], system: System) -> list[tuple[int, Wanted]]:
    """The cubes as the engine's forward search takes them, with their numbers."""
    used = set(system.channels)
    found = []
    for i, cube in enumerate(cubes):
        if all(c in used or d.holds(()) for c, d in cube.channels.items()):
            demands = [_demanded(c, d) for c, d in cube.channels.items() if c in used]
            known = set(system.messages)
            if all(m in known for d in demands for m in d.word):
                found.append((i, Wanted(cube.states, tuple(demands), cube.deadlock, cube.stuck)))
    return found


def _demanded(channel: Channel, demand: Demand) -> Demanded:
    if demand.word is not None:
        word = tuple(m for m in demand.word if isinstance(m, str))
        return Demanded(channel, CRASH in demand.word, True, word, None)
    contains = tuple(sorted(m for m in demand.contains if isinstance(m, str)))
    return Demanded(channel, True if CRASH in demand.contains else None, False, contains, demand.head)
