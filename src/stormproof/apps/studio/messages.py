"""What a page sends, as far as it can be read: JSON of limited depth with parts of the right types.

Whatever else comes over a socket is answered in words, here, before anything works on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import InputError
from ...languages.formats.read_data import read_json

#: How deep a message is nested at most; a page needs eight levels.
MOST_DEPTH = 32

#: The most configurations that a page may ask for.
MOST_EFFORT = 10**12

#: Part of a question -> its types and what they are called.
_PARTS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "text": (str, "a string"),
    "base": (str, "a string"),
    "name": (str, "a string"),
    "lane": (str, "a string"),
    "settings": (dict, "an object"),
    "steps": (list, "a list"),
    "marks": ((dict, type(None)), "an object"),
    "before": ((dict, type(None)), "an object"),
    "at": (int, "an integer"),
    "effort": (int, "an integer"),
}


def read_message(text: str | None) -> dict[str, Any]:
    """The message; an InputError where it is none. None stands for a binary one."""
    if text is None:
        raise InputError("a message is text, not bytes")
    said = read_json(text, "message", halves=True)  # a text may have half a character
    if not isinstance(said, dict):
        raise InputError("a message is a JSON object")
    _check_depth(said)
    return said


def check_question(question: Mapping[str, Any]) -> None:
    """An InputError where a part has another type than its name says."""
    for name, (kinds, words) in _PARTS.items():
        part = question.get(name)
        if name in question and (not isinstance(part, kinds) or isinstance(part, bool)):
            raise InputError(f"'{name}' in a question is {words}")
    if not 0 <= question.get("effort", 0) <= MOST_EFFORT:
        raise InputError(f"'effort' in a question is from 0 to {MOST_EFFORT:,} configurations")


def _check_depth(said: dict[str, Any]) -> None:
    """Level by level, without recursion: what is read may be deeper than what can be written."""
    level: list[Any] = [said]
    for _ in range(MOST_DEPTH):
        inner = [part for whole in level for part in (whole.values() if isinstance(whole, dict) else whole)]
        level = [part for part in inner if isinstance(part, dict | list)]
    if level:
        raise InputError(f"nested too deeply: a message has at most {MOST_DEPTH} levels")
