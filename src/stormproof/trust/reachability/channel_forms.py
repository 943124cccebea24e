"""In which form a checker reads a channel's content (definitions 2.7): the checkers' own reading."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from ...kernel.goals.cubes import letters
from ...kernel.model.actions import Channel
from ...kernel.model.failures import ChannelFailure, FailureModel
from ...kernel.model.system import System

#: Whether order matters, only how often each message is there, or only how many messages there are.
QUEUE, MULTISET, LENGTH = FORMS = ("word", "multiset", "length")

#: Contents of a channel without the crash message.
Letters = tuple[str, ...]


class ChannelReading(NamedTuple):
    """A channel, the faults on it, what may stand in it, and the form in which nothing of it is lost."""

    channel: Channel
    failure: ChannelFailure
    letters: Letters
    form: str

    def normal(self, word: Letters) -> Letters:
        """The one way in which equal contents are written: a multiset sorted, a length with one letter."""
        if self.form == LENGTH:
            return self.letters[:1] * len(word)
        return tuple(sorted(word)) if self.form == MULTISET else word

    def contains(self, large: Letters, small: Letters) -> bool:
        """Is the small content in the large one, in this form?"""
        if self.form == LENGTH:
            return len(small) <= len(large)
        if self.form == MULTISET:
            return not Counter(small) - Counter(large)
        rest = iter(large)
        return all(m in rest for m in small)


def channel_forms(system: System, failures: FailureModel) -> tuple[ChannelReading, ...]:
    return tuple(_form(failures.on(c), c, letters(system, failures, c)) for c in system.channels)


def _form(failure: ChannelFailure, channel: Channel, pool: Letters) -> ChannelReading:
    alike = len(pool) <= 1 or (failure.corrupt and failure.total)
    form = LENGTH if alike else MULTISET if failure.reorder else QUEUE
    return ChannelReading(channel, failure, pool, form)
