"""Sends of which a log does not say whether they happened, since the role was killed then: each is taken as
either (definitions 14.9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from ...kernel.model.phrases import plural
from .answer import TraceAnswer
from .log import RoleLog

#: Of more open sends not every choice is tried.
MOST_CHOICES = 64


def readings(logs: Mapping[str, RoleLog]) -> Iterator[dict[str, RoleLog]]:
    """The logs with every choice of open sends that have not happened; the fewest first."""
    open_ = [(name, i) for name, log in logs.items() for i in log.open]
    for count in range(len(open_) + 1):
        for chosen in combinations(open_, count):
            gone = {name: [i for n, i in chosen if n == name] for name in logs}
            yield {name: log.without(gone[name]) if log.open else log for name, log in logs.items()}


def better(one: TraceAnswer | None, other: TraceAnswer) -> TraceAnswer:
    """What conforms goes before what is not known, and that before what does not; then fewer faults."""
    return other if one is None or _rank(other) < _rank(one) else one


def _rank(answer: TraceAnswer) -> tuple[int, int]:
    return {True: 0, None: 1, False: 2}[answer.conforms], len(answer.faults)


def not_all_tried(logs: Mapping[str, RoleLog]) -> str:
    """Why nothing is concluded where no reading that was tried conforms."""
    count = sum(len(log.open) for log in logs.values())
    return f"{plural(count, 'send')} may have happened or not, and not every choice was tried"
