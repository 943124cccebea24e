"""The configurations that a goal asks for, as finitely many least ones: the checkers' own reading of goals.

Nothing is derived: words are tried. Whatever faults may do, whether a word is as asked depends on its first
message and on which messages it contains, and a longer word with the same first message satisfies what is
asked to be contained. So each word as asked contains one that is as asked and consists of its first message
and of what must be contained, each once. Where a demand is on the whole word, that is the only one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations, product
from typing import NamedTuple

from ...kernel.goals.cubes import Cube, Demand, accepted, heads, taken
from ...kernel.model.actions import CRASH, Channel, Message
from ...kernel.model.system import System
from .certificates import Control, Element
from .channel_forms import LENGTH, ChannelReading, Letters

Receptions = Mapping[Channel, frozenset[Message]]


class LeastWord(NamedTuple):
    """Words as asked contain it, with no more of the messages in `fixed` than it has."""

    word: Letters
    fixed: frozenset[str]


class LeastConfiguration(NamedTuple):
    element: Element
    fixed: tuple[frozenset[str], ...]


def goal_configurations(
    system: System, readings: Sequence[ChannelReading], cubes: Sequence[Cube], controls: Iterable[Control]
) -> Iterator[LeastConfiguration]:
    """Each configuration of the goal in one of the control states contains one of these."""
    made: dict[tuple[object, ...], list[LeastWord]] = {}
    for control in controls:
        at = dict(zip(system.names, control[0], strict=True))
        for cube in cubes:
            if all(at[p] in allowed for p, allowed in cube.states.items()):
                yield from _least(system, readings, cube, control, made)


def _least(
    system: System,
    readings: Sequence[ChannelReading],
    cube: Cube,
    control: Control,
    made: dict[tuple[object, ...], list[LeastWord]],
) -> Iterator[LeastConfiguration]:
    at = dict(zip(system.names, control[0], strict=True))
    waited = accepted(system, at) if cube.deadlock else {}
    used = {r.channel for r in readings}
    if waited is None or not all(d.holds(()) for c, d in cube.channels.items() if c not in used):
        return
    now = taken(system, at) if cube.stuck else {}
    each = []
    for i, (reading, mark) in enumerate(zip(readings, control[1], strict=True)):
        c = reading.channel
        key = (cube.channels.get(c, Demand()), mark, waited.get(c, frozenset()), now.get(c, frozenset()))
        here = (i, *key)
        if here not in made:
            made[here] = least_words(reading, *key)
        each.append(made[here])
    for words in product(*each):
        yield LeastConfiguration(
            Element(*control, tuple(w.word for w in words)), tuple(w.fixed for w in words)
        )


def least_words(
    reading: ChannelReading,
    demand: Demand,
    mark: bool,
    never: frozenset[Message],
    now: frozenset[Message],
) -> list[LeastWord]:
    """Those as demanded; faults bring nothing in `never` to the head, and the head is not in `now`."""

    def as_asked(word: Letters) -> bool:
        whole: tuple[Message, ...] = (*word, CRASH) if mark else word
        head_free = not now.intersection(whole[:1])
        return head_free and demand.holds(whole) and not heads(whole, reading.failure) & never

    found = [word for word in dict.fromkeys(_tried(reading, demand)) if as_asked(word)]
    normal = {word: reading.normal(word) for word in found}
    least = [
        w
        for w in dict.fromkeys(normal.values())
        if not any(v != w and reading.contains(w, v) for v in normal.values())
    ]
    made = []
    for w in least:
        above = [v for v in found if reading.contains(normal[v], w)]
        more = {m for m in reading.letters for v in above if v.count(m) > w.count(m) or as_asked((*v, m))}
        if reading.form == LENGTH:
            more = {m for m in reading.letters if more - {*w} or any(len(v) > len(w) for v in above)}
        made.append(LeastWord(w, frozenset(reading.letters) - more))
    return made


def _tried(reading: ChannelReading, demand: Demand) -> Iterator[Letters]:
    """A first message, and what must be contained in any order; or the whole word that is demanded."""
    if demand.word is not None:
        word = tuple(m for m in demand.word if isinstance(m, str))
        if all(m in reading.letters for m in word):
            yield word
        return
    needed = [m for m in dict.fromkeys((demand.head, *sorted(map(str, demand.contains - {CRASH})))) if m]
    if not all(m in reading.letters for m in needed):
        return
    for order in permutations(needed):
        yield order
        for first in reading.letters:
            yield (first, *order)
