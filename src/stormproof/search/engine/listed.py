"""What a certificate of survival lists, as the engine found it: states by number, contents by name."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import NamedTuple

from ... import _engine
from ...kernel.model.actions import Message, Word
from ...records import dataclass
from .lowering import Lowered

#: The faults of a configuration that only calm runs lead to.
_NOTHING = 2**32 - 1


class ListedConfiguration(NamedTuple):
    """`counts`: the faults of each kind that the budget limits, in the order of `FAULT_KINDS`; `faults`: the
    fewest of a storm that leads there, None if only calm runs do; `rank`: the actions to the goal."""

    states: tuple[int, ...]
    counts: tuple[int, ...]
    contents: tuple[Word, ...]
    rank: int
    faults: int | None


#: Blocks of equal messages with their counts, and the messages that may follow.
ListedBlocks = tuple[tuple[tuple[Message, int], ...], frozenset[Message]]


@dataclass(frozen=True)
class Listed:
    """One configuration after the other, as the engine writes them; `limited`: how many kinds of faults the
    budget limits."""

    lowered: Lowered
    limited: int
    native: _engine.Certified

    @property
    def too_large(self) -> bool:
        return self.native.too_large

    def configurations(self) -> Iterator[ListedConfiguration]:
        """Those of a property that holds, by rank."""
        codes, messages = _numbers("H", self.native.codes), self.lowered.messages
        processes, channels = len(self.lowered.system.processes), len(self.lowered.channels)
        first = processes + self.limited
        words: dict[bytes, Word] = {}
        at = 0
        for rank, faults in zip(_numbers("I", self.native.ranks), _numbers("I", self.native.faults)):
            states, counts = tuple(codes[at : at + processes]), tuple(codes[at + processes : at + first])
            at += first
            contents = []
            for _ in range(channels):
                end = at + 1 + codes[at]
                key = codes[at + 1 : end].tobytes()
                if key not in words:
                    words[key] = tuple(messages[n] for n in codes[at + 1 : end])
                contents.append(words[key])
                at = end
            spent = None if faults == _NOTHING else faults
            yield ListedConfiguration(states, counts, tuple(contents), rank, spent)

    def abstract(self) -> Iterator[tuple[tuple[int, ...], tuple[ListedBlocks, ...]]]:
        """Those from which no calm run leads to the goal: states and contents."""
        codes, at = _numbers("H", self.native.codes), 0
        processes, channels = len(self.lowered.system.processes), len(self.lowered.channels)
        while at < len(codes):
            states = tuple(codes[at : at + processes])
            at += processes
            contents = []
            for _ in range(channels):
                content, at = self._blocks(codes, at)
                contents.append(content)
            yield states, tuple(contents)

    def _blocks(self, codes: array[int], at: int) -> tuple[ListedBlocks, int]:
        messages = self.lowered.messages
        middle = at + 1 + 2 * codes[at]
        end = middle + 1 + codes[middle]
        pairs = zip(codes[at + 1 : middle : 2], codes[at + 2 : middle : 2])
        tail = frozenset(messages[n] for n in codes[middle + 1 : end])
        return (tuple((messages[m], n) for m, n in pairs), tail), end


def _numbers(kind: str, raw: bytes) -> array[int]:
    found = array(kind)
    found.frombytes(raw)
    return found
