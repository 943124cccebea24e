"""JSON and TOML from outside: whatever such a text holds, it is read, or refused with its place.

All that comes from outside is read here: Python's readers also fail with errors of their own kinds, for
nesting that is too deep and for numbers of thousands of digits, and accept what is no JSON.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ...errors import InputError, ParseError, Place, StormproofError
from .text import Source

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: The values that a name or a number of people's has; a number that is larger overflows somewhere.
_MOST = 2**63 - 1
_LARGE = re.compile(r"\d{19}|\d[eE]\+?\d{3}")
_HALF = re.compile(r"\\u[dD][89a-fA-F]")

#: Deeper tables, and keys of more parts in a line, are nobody's; reading the latter takes the square of them.
_DEEPEST, _MOST_PARTS = 100, 1_000

_Pairs = Callable[[list[tuple[str, Any]]], Any]


def read_json(
    text: str | bytes,
    name: str = "<input>",
    hint: str | None = None,
    pairs: _Pairs | None = None,
    halves: bool = False,
) -> Any:
    """The value of a JSON text; `pairs` makes the objects, as in `json`. `halves` of surrogate pairs are the
    caller's to refuse, or to keep where roles may send them."""
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8-sig")
        large = _LARGE.search(text)
        value = json.loads(
            text,
            object_pairs_hook=pairs,
            parse_constant=_no_constant,
            parse_int=_int if large else None,
            parse_float=_float if large else None,
        )
        if not halves and _HALF.search(text):
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as problem:
        said = f"not JSON: {problem.msg[0].lower()}{problem.msg[1:]}"
        place = Source(problem.doc, name).place(problem.pos)
        raise ParseError(said, place=place, hint=hint) from None
    except RecursionError:
        raise ParseError("not read: it is nested too deeply", place=Place(name), hint=hint) from None
    except UnicodeEncodeError:
        raise ParseError("a text holds half of a surrogate pair", place=Place(name), hint=hint) from None
    except _TooLarge as problem:
        assert isinstance(text, str) and large is not None
        raise ParseError(str(problem), place=Source(text, name).place(large.start()), hint=hint) from None
    except ValueError as problem:
        raise ParseError(f"not JSON: {problem}", place=Place(name), hint=hint) from None
    return value


def read_toml(text: str, name: str) -> dict[str, Any]:
    """The table that a TOML text describes."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.partition("=")[0].count(".") > _MOST_PARTS:
            raise ParseError("this key has too many parts", place=Place(name, number))
    try:
        found = tomllib.loads(text, parse_float=_float_or_infinite)
    except RecursionError:
        raise ParseError("not read: it is nested too deeply", place=Place(name)) from None
    except tomllib.TOMLDecodeError as problem:
        raise ParseError(f"not TOML: {problem}", place=Place(name)) from None
    except ValueError:  # Python's limit on the digits of a number, or _TooLarge
        raise ParseError("a number is too large", place=Place(name)) from None
    _check_toml(found, name)
    return found


def _check_toml(table: dict[str, Any], name: str) -> None:
    """Numbers that fit and no great depth, found without recursion."""
    level: list[Any] = [table]
    for _ in range(_DEEPEST):
        level = [v for value in level for v in _inside(value)]
        if any(isinstance(value, int) and abs(value) > _MOST for value in level):
            raise ParseError("a number is too large", place=Place(name))
        if not level:
            return
    raise ParseError("not read: it is nested too deeply", place=Place(name))


def _inside(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []


@contextmanager
def understood(name: str, what: str) -> Iterator[None]:
    """Values of the wrong kind, wherever they are first used, are one error about the file."""
    try:
        yield
    except StormproofError:
        raise
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError) as problem:
        raise InputError(f"{name} is not {what}: {type(problem).__name__} {problem}") from None


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is no number")


class _TooLarge(ValueError):
    """A number that no value of ours has."""

    def __str__(self) -> str:
        return "a number is too large"


def _int(digits: str) -> int:
    if len(digits) > 20 or abs(int(digits)) > _MOST:
        raise _TooLarge
    return int(digits)


def _float(digits: str) -> float:
    found = float(digits)
    if math.isinf(found):
        raise _TooLarge
    return found


def _float_or_infinite(digits: str) -> float:
    return float(digits) if digits.lstrip("+-") == "inf" else _float(digits)
