"""In which form each channel's content is kept, and whether that form is exact (definitions 2.7)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...kernel.goals.cubes import letters
from ...kernel.model.actions import CRASH, Channel
from ...kernel.model.failures import FailureModel
from ...kernel.model.system import System
from ..engine.coverability import ChannelForm

NAMES = {ChannelForm.QUEUE: "word", ChannelForm.MULTISET: "multiset", ChannelForm.LENGTH: "length"}


@dataclass(frozen=True)
class Shape:
    """`exact`: covering in this form is covering in the channel. A word is searched backward as if lossy,
    so a word channel without loss is not exact there; nor is a FIFO channel kept as a multiset.
    """

    channel: Channel
    form: ChannelForm
    exact: bool
    loss: bool
    letters: tuple[str, ...]
    crash: bool

    @property
    def zero_test(self) -> bool:
        """The crash message is taken from an otherwise empty channel, which a counter cannot test."""
        return self.crash and not self.loss


def shapes(system: System, failures: FailureModel) -> tuple[Shape, ...]:
    return tuple(_shape(system, failures, c) for c in system.channels)


def _shape(system: System, failures: FailureModel, channel: Channel) -> Shape:
    failure = failures.on(channel)
    pool = letters(system, failures, channel)
    crash = CRASH in system.alphabet(channel)
    if len(pool) <= 1 or (failure.total and failure.corrupt):
        return Shape(channel, ChannelForm.LENGTH, True, failure.loss, pool, crash)
    if failure.reorder:
        return Shape(channel, ChannelForm.MULTISET, True, failure.loss, pool, crash)
    return Shape(channel, ChannelForm.QUEUE, failure.loss, failure.loss, pool, crash)


def as_multisets(given: tuple[Shape, ...]) -> tuple[Shape, ...]:
    """Where a FIFO channel without loss is taken for a multiset instead of a lossy word."""
    return tuple(
        replace(s, form=ChannelForm.MULTISET) if s.form == ChannelForm.QUEUE and not s.exact else s
        for s in given
    )
