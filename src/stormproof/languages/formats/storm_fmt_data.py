"""Blanks in a .storm text with data: expressions, patterns, updates, indices."""

from __future__ import annotations

import itertools

from .storm_fmt_tokens import PrintedToken
from .storm_scan import Trace

_TIGHT_BEFORE = (",", ";", ":", ")", "]", "@", ".", "?")
_TIGHT_BEHIND = ("(", "[", "@", ".")
_COMPARED = ("<", ">", "!")


def set_data_blanks(words: list[PrintedToken], trace: Trace) -> None:
    """Blanks between two words of one line. A sign that may mean two things, as `-` and `=`, stands as its
    author has put it."""
    in_goal = {i for first, last in trace.goals for i in range(first, last)}
    for i, (before, word) in enumerate(itertools.pairwise(words), 1):
        braces = i in trace.updates or i - 1 in trace.updates
        word.space = braces or not _tight(words, i, before, word, i in in_goal)


def _tight(words: list[PrintedToken], i: int, before: PrintedToken, word: PrintedToken, goal: bool) -> bool:
    adjacent = before.end == word.start
    if word.text == "=" and before.text in _COMPARED:
        return adjacent
    if word.text == "=" or before.text == "=":
        compares = before.text == "=" and words[i - 2].text in _COMPARED
        return adjacent and not compares and (goal or _in_values(words, i))
    if word.text == "!" or before.text == "!":
        return _tight_mark(words, i, before, word, goal)
    if word.text in _TIGHT_BEFORE or before.text in _TIGHT_BEHIND:
        return True
    if "->" in (word.text, before.text):
        return adjacent and goal
    if word.text == "{":
        return before.text == "@" or (adjacent and words[i - 2].text == "@")
    if word.text == "}" or before.text == "{":
        return True
    if word.text == "[" and words[i - 2].text == "role":
        return True
    if before.text == "?":
        return word.text != "}"
    return adjacent and (word.text in ("(", "[") or before.text == "-")


def _in_values(words: list[PrintedToken], i: int) -> bool:
    """Are these the values of a state, `A@waiting{bit=0}`, or a channel's content?"""
    before = [word.text for word in words[max(0, i - 40) : i]]
    return words[i].text == "[" or ("@" in before and "{" in before[before.index("@") :])


def _tight_mark(
    words: list[PrintedToken], i: int, before: PrintedToken, word: PrintedToken, goal: bool
) -> bool:
    """A send, a negation, or the first half of `!=`."""
    if word.text != "!":
        return True
    unequal = i + 1 < len(words) and words[i + 1].text == "=" and words[i + 1].start == word.end
    return before.text == "(" if unequal or goal else True
