"""What a channel may hold where a run ends: one content, or all that the engine does not tell apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import dropwhile
from typing import NamedTuple

from ...kernel.model.actions import CRASH, Channel, Message, Word
from ...kernel.model.failures import FailureModel
from ...kernel.model.system import System
from ..engine.k_properties import ViolationEnd


class EndContent(NamedTuple):
    """`word`, or one that stands for the same ones (definitions 2.7): of the same messages where `any_order`,
    as long and with a crash message or without one where `any_letters`. `head`: the message that must stand
    first. `word` None: whatever it is."""

    word: Word | None = ()
    any_order: bool = False
    any_letters: bool = False
    head: Message | None = None

    def fits(self, word: Word) -> bool:
        if self.word is None:
            return True
        if self.head is not None and word[:1] != (self.head,):
            return False
        if self.any_letters:
            return len(word) == len(self.word) and (CRASH in word) == (CRASH in self.word)
        return Counter(word) == Counter(self.word) if self.any_order else word == self.word

    def example(self) -> Word:
        """One that fits: the word, with the head in front."""
        word = list(self.word or ())
        if self.head is not None:
            word.pop(word.index(self.head) if self.head in word else 0)
            word.insert(0, self.head)
        return tuple(word)

    def may_leave(self, word: Word, receptions: Word) -> bool:
        """May the messages of the channel be received in their order, and the rest be what stands at the end?
        What is received in between comes in front of them."""
        ahead = iter(receptions)
        rest = tuple(dropwhile(lambda message: message in ahead, word))
        if self.word is None:
            return True
        return len(rest) <= len(self.word) and (self.any_letters or not Counter(rest) - Counter(self.word))


def exactly(words: Mapping[Channel, Word]) -> dict[Channel, EndContent]:
    return {channel: EndContent(tuple(word)) for channel, word in words.items()}


def contents_of(system: System, failures: FailureModel, end: ViolationEnd) -> dict[Channel, EndContent]:
    """What the channels may hold where a violation ends: the engine keeps each in the coarsest form that
    loses nothing, and the message that is to blame must be at its head."""
    found = {}
    for i, (channel, word) in enumerate(zip(system.channels, end.words, strict=True)):
        head = end.head[1] if end.head is not None and end.head[0] == i else None
        letters = failures.only_length_matters(system, channel)
        found[channel] = EndContent(word, failures.on(channel).changes_order, letters, head)
    return found
