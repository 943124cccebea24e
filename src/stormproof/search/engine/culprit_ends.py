"""The configurations that violate a k-property, by who is to blame.

There are thousands, so they keep the numbers of the engine; only those that a run comes to are named.
"""

from __future__ import annotations

from collections.abc import Sequence

from ... import _engine
from ...kernel.model.actions import pair_of
from ...kernel.model.failures import FailureModel
from ...kernel.model.system import System
from ...limits import Limits
from ...records import dataclass
from .k_properties import ONE_HEAD, PROPERTIES, ViolationEnd, end_in_names
from .lowering import Lowered, lower
from .watch import watch


@dataclass(frozen=True, eq=False)
class CulpritEnds:
    """Those that blame the same process, or the same channel, the nearest first. `heads`: what matters is the
    message at the head of one channel."""

    lowered: Lowered
    numbered: list[_engine.End]
    heads: bool

    def at(self, states: Sequence[str]) -> list[ViolationEnd]:
        """Those in these local states."""
        numbers = [p.states.index(s) for p, s in zip(self.lowered.system, states, strict=True)]
        return [end_in_names(self.lowered, e, self.heads) for e in self.numbered if e.states == numbers]

    def rows(self, forms: Sequence[_engine.ContentForm]) -> set[tuple[int, ...]]:
        """Each as one row of numbers, with each channel in its form."""
        forms_of = [(f is _engine.ContentForm.LENGTH, f is _engine.ContentForm.MULTISET) for f in forms]
        return {tuple(_row(end, forms_of, self.heads)) for end in self.numbered}


def every_end(
    system: System,
    failures: FailureModel,
    k: int,
    property: str,
    most: int,
    limits: Limits,
) -> tuple[list[CulpritEnds], bool] | None:
    """The configurations that violate a property, at most so many; and whether these are all. None: a limit
    was hit."""
    lowered = lower(system, failures)

    def search(monitor: _engine.Monitor) -> _engine.Answer:
        return _engine.decide(lowered.native, monitor, k, {PROPERTIES[property]}, 1, every_end=most)

    answer = watch(search, limits, f"k = {k}")
    if answer.stop is _engine.Stop.INTERRUPTED:
        raise KeyboardInterrupt
    if answer.stop is not _engine.Stop.NONE:
        return None
    ends = [end for violation in answer.violations for end in violation.ends]
    groups: dict[object, list[_engine.End]] = {}
    for end in ends[:most]:
        groups.setdefault(_culprit(lowered, end), []).append(end)
    heads = property in ONE_HEAD
    return [CulpritEnds(lowered, group, heads) for group in groups.values()], len(ends) <= most


def _culprit(lowered: Lowered, end: _engine.End) -> object:
    """The process to blame or, where it is a message that is never received, the pair of processes."""
    if end.process is not None or end.channel is None:
        return end.process
    channel, message = lowered.channels[end.channel], end.message
    return channel if message is None else pair_of(channel, lowered.messages[message])


def _row(end: _engine.End, forms: Sequence[tuple[bool, bool]], heads: bool) -> list[int]:
    """`forms`: of which channels the length counts, and of which the multiset."""
    row = end.states
    for content, (length, multiset) in zip(end.contents, forms, strict=True):
        row.append(len(content))
        if length:
            row.append(int(_CRASH in content))
        elif content:
            row += sorted(content) if multiset else content
    if heads:
        assert end.channel is not None and end.message is not None
        row += (end.channel, end.message)
    return row


#: The number of the crash message.
_CRASH = 0
