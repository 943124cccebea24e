"""What the words of the language mean that are no names: disks, observers, timers and cuts."""

from __future__ import annotations

from typing import NamedTuple

from ...languages.formats import storm_occurrences as words
from ...languages.formats.storm_occurrences import Outline

EXPLAINED = {
    "observer": "observer: watches what roles do, and never acts; goals speak of it as of a role",
    "durable": "durable P@s: the role P records the state s on its disk, by a step of its own after it "
    "has entered it; a restart goes on there",
    "durable var": "durable var: a variable whose value at the last save survives a restart",
    "save": "save: writes the durable variables to the disk; `save x, y` only these",
    "on restart": "on restart: where the role begins after a restart; with a name behind it, if the disk "
    "holds that state",
    "atomically": "atomically: the action that leads to the state and its record are one step",
    "recorded": "P@s recorded: the disk of P holds the state s, wherever P is",
    "timers": "timers: `on time`, they expire when nothing else can happen; `at any time`, whenever they "
    "like, which is so unless the file says otherwise",
    "on time": "timers on time: messages and actions take no time compared with timers, and the timer that "
    "is due first expires when nothing else can happen",
    "after": "after N: the timer is due N units of time after the role has entered the state, with timers on "
    "time",
    "at any time": "at any time: it may expire at any moment, also with timers on time",
    "cut": "cut: at some moment the channel loses what it holds, and all that is sent later; with A <-> B "
    "both directions at once",
    "partition": "partition: messages from one side to another may be lost; with `stays` at the end, all "
    "these channels are cut at once",
    "stays": "stays: all channels across the partition are cut at once, for good",
}
#: The most words of what is explained, and how many those are.
_PHRASES = {tuple(phrase.split()): line for phrase, line in EXPLAINED.items()}
_LONGEST = max(map(len, _PHRASES))


class WordMeaning(NamedTuple):
    """What the words between two offsets mean."""

    start: int
    end: int
    line: str


def explained(outline: Outline, offset: int) -> WordMeaning | None:
    """The longest phrase around the offset, unless its words name something."""
    here = next((i for i, w in enumerate(outline.words) if w.start <= offset <= w.end and _plain(w)), None)
    if here is None:
        return None
    for length in range(_LONGEST, 0, -1):
        for first in range(max(0, here - length + 1), here + 1):
            found = outline.words[first : first + length]
            line = _PHRASES.get(tuple(outline.text[w.start : w.end] for w in found))
            if line is not None and first + length > here and all(map(_plain, found)):
                return WordMeaning(found[0].start, found[-1].end, line)
    return None


def _plain(word: words.Occurrence) -> bool:
    return word.kind in (words.KEYWORD, words.FAULT)
