"""Alternatives that are never taken, because one before them always is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...kernel.data.syntax import DataMistake
from .alternatives import DataAlternative, FieldPattern, Peers
from .syntax import GO, RECEIVE


def forestalled(alternatives: Sequence[DataAlternative]) -> Iterator[DataMistake]:
    """Each alternative that an earlier one without guard always forestalls."""
    for at, later in enumerate(alternatives):
        for earlier in alternatives[:at]:
            if earlier.guard is None and _covers(earlier, later):
                yield _mistake(later)
                break
    certain = next((a for a in alternatives if a.kind == GO and a.guard is None), None)
    for other in alternatives if certain is not None else ():
        if other.kind != GO:
            written = other.written
            problem = "nothing is done here: the state is always left at once"
            hint = "give the alternative without action a guard"
            yield DataMistake(problem, written.start, written.end, hint)


def _covers(earlier: DataAlternative, later: DataAlternative) -> bool:
    if earlier.kind != later.kind or earlier.kind not in (GO, RECEIVE):
        return False
    if earlier.kind == GO:
        return True
    assert earlier.peers is not None and later.peers is not None
    if later.written.also or earlier.written.message != later.written.message:
        return False
    return _covers_peers(earlier.peers, later.peers) and all(
        _covers_pattern(one, other) for one, other in zip(earlier.patterns, later.patterns)
    )


def _covers_peers(one: Peers, other: Peers) -> bool:
    if one.role != other.role:
        return False
    if not one.family or (one.pattern is not None and one.pattern.equal is None):
        return True
    return _same(one.index, other.index)


def _covers_pattern(one: FieldPattern, other: FieldPattern) -> bool:
    return one.equal is None or _same(one.equal, other.equal)


def _same(one: object, other: object) -> bool:
    """Are both the same constant? Of other expressions nothing is claimed."""
    from ...kernel.data.evaluate import Compiled

    if not isinstance(one, Compiled) or not isinstance(other, Compiled):
        return False
    return one.constant and other.constant and one.value == other.value


def _mistake(later: DataAlternative) -> DataMistake:
    written = later.written
    hint = "the first that fits is taken; guard the earlier one, or write  or  in front of a choice"
    if later.kind == GO:
        hint = "the first whose condition holds is taken"
    return DataMistake(
        "this is never taken: an earlier alternative always is", written.start, written.end, hint
    )
