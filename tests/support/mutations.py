"""Files that are almost right: texts with a few bytes, lines, values or keys changed, from a seed."""

from __future__ import annotations

import json
import random
import re
from typing import Any

DEEP = 3_000
DIGITS = "9" * 5_000

#: What no reader expects where a value stands, as JSON; most are TOML too.
VALUES = (
    *("null", "true", "-1", "0", "1", "1.5", '""', '"A"', "[]", "{}", "[[]]", '[""]', "[null]", '{"a": 1}'),
    *(
        "NaN",
        "Infinity",
        "-Infinity",
        "inf",
        "nan",
        "1e999",
        "1e-999",
        DIGITS,
        "-" + DIGITS,
        "0x" + "f" * 5_000,
    ),
    *("9223372036854775807", "9223372036854775808", "2147483648", "4294967296", "1e18", "1e300"),
    *(
        '"\\ud800"',
        '"\\u0000"',
        '"\\u202e"',
        '"\\n"',
        '"->"',
        '"a->b->c"',
        '"*"',
        '"?["',
        '"' + "x" * 10_000 + '"',
    ),
    *("[" * DEEP + "]" * DEEP, '{"a":' * DEEP + "1" + "}" * DEEP, "[" * DEEP, "1979-05-27", "'a'"),
    *("[" * 300 + "]" * 300, '{"a":' * 300 + "1" + "}" * 300),
)
#: Bytes that texts break at.
BYTES = (
    *(b"\x00", b"\xff", b"\xed\xa0\x80", b"\xe2\x80\xae", b"\n", b"\r"),
    *(b'"', b"{", b"}", b"[", b"(", b"\\", b"/*", b"#"),
)

#: Values that a place in a JSON text is hardly for.
ODD: tuple[Any, ...] = (None, True, -1, 0, 2**40, 2**62, 1.5, "", "A", "\u202e", [], {}, [[]], {"a": []})

_VALUE = re.compile(r'"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?|\b(?:true|false|null)\b|\[\]|\{\}')


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Some text that differs from this one in one to three places."""
    for _ in range(chance.choice((1, 1, 2, 3))):
        data = chance.choice((_value, _value, _structure, _lines, _bytes, _cut))(data, chance)
    return data


def _value(data: bytes, chance: random.Random) -> bytes:
    text = data.decode("utf-8", "surrogateescape")
    found = list(_VALUE.finditer(text))
    if not found:
        return _bytes(data, chance)
    at = chance.choice(found)
    new = chance.choice(found).group() if chance.random() < 0.2 else chance.choice(VALUES)
    return (text[: at.start()] + new + text[at.end() :]).encode("utf-8", "surrogateescape")


def _structure(data: bytes, chance: random.Random) -> bytes:
    """A value anywhere in the tree of a JSON text replaced, left out, or put where another is."""
    try:
        whole = json.loads(data)
    except (ValueError, RecursionError):
        return _lines(data, chance)
    places = list(_places(whole))
    if not places:
        return _lines(data, chance)
    holder, key = chance.choice(places)
    other, at = chance.choice(places)
    kind = chance.randrange(4)
    if kind == 0:
        del holder[key]
    elif kind == 1:
        holder[key] = json.loads(json.dumps(other[at]))
    elif kind == 2 and isinstance(holder, list):
        holder.insert(key, json.loads(json.dumps(other[at])))
    else:
        holder[key] = chance.choice(ODD)
    return json.dumps(whole).encode()


def _places(value: Any) -> list[tuple[Any, Any]]:
    found, open_ = [], [value]
    while open_:
        at = open_.pop()
        keys = list(at) if isinstance(at, dict) else list(range(len(at))) if isinstance(at, list) else []
        found += [(at, key) for key in keys]
        open_ += [at[key] for key in keys]
    return found


def _lines(data: bytes, chance: random.Random) -> bytes:
    lines = data.split(b"\n")
    at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    kind = chance.randrange(4)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(at, lines[other])
    elif kind == 2:
        lines[at], lines[other] = lines[other], lines[at]
    else:
        lines[at] = lines[at] * chance.choice((2, 100))
    return b"\n".join(lines)


def _bytes(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    kind = chance.randrange(3)
    if kind == 0:
        return data[:at] + chance.choice(BYTES) * chance.choice((1, 1, 2, 5_000)) + data[at:]
    end = min(len(data), at + chance.choice((1, 2, 8)))
    if kind == 1:
        return data[:at] + data[end:]
    return data[:at] + bytes(chance.randrange(256) for _ in range(end - at)) + data[end:]


def _cut(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] if chance.random() < 0.5 else data[at:]
