"""Whatever a text is made of, it is recognised, and read or refused, in time that grows with its length."""

from __future__ import annotations

import pytest

from stormproof.apps.lsp.completion import LONGEST_LINE
from stormproof.errors import InputError
from stormproof.languages import formats
from tests.support.patterns import (
    ENDS,
    LENGTH,
    SIGNS,
    Applied,
    TooSlow,
    beginnings,
    patterns,
    processor_time,
    signs,
)

#: What is linear takes some milliseconds for a text; what takes the square of its length, about a minute.
SECONDS = 5.0

EVERY = patterns()
READERS = [f for f in formats.FORMATS.values() if f.read is not None]

#: Modules that apply their patterns to so many characters at most.
BOUNDED = {"stormproof.apps.lsp.completion": LONGEST_LINE}

#: How texts in a language begin, and a place in them where anything may follow.
STARTS = {
    "storm": ("role A {", "role A { a: B!", "role A = ", 'role A { a: B!"', "require x: never "),
    "json": ("{", '{"stormproof": 1, "name": "'),
    "kmc": ("A: ", "A: B!a<", "A: rec "),
    "fsa": (".outputs A\n.state graph\n", ".outputs A\n.state graph\nq0 1 ! "),
    "scm": ("scm a :\n", "scm a :\nnb_channels = 1 ;\nparameters :\n"),
    "dot": ("digraph A {", 'digraph A { a -> b [label="'),
    "scribble": ("global protocol A(", "global protocol A(role B, role C) {", "(*"),
    "ctx": ("s[a]: ", "s[a]: b⊕m("),
}


def test_the_patterns_are_found() -> None:
    """In modules, within functions, and those that users' expressions are compared with."""
    found = {p.where.partition(":")[0] for p in EVERY}
    assert {"stormproof.languages.formats.scm._SNIFF", "stormproof.limits"} <= found
    assert {
        "stormproof.live.conformance.read_shiviz.USUAL",
        "stormproof.languages.formats.storm_hints._EMPTY",
    } <= found


@pytest.mark.parametrize("applied", EVERY, ids=[p.where for p in EVERY])
def test_every_pattern_is_linear(applied: Applied) -> None:
    is_text = isinstance(applied.pattern.pattern, str)
    length = BOUNDED.get(applied.where.rpartition(".")[0], LENGTH)
    for start in beginnings(applied.pattern):
        for sign in signs(applied.pattern):
            for end in ENDS:
                text = start + sign * (length // len(sign)) + end
                for way in applied.ways:
                    what = f"{way} of {applied.pattern.pattern!r} on {start!r}, many {sign!r} and {end!r}"
                    _in_time(what, getattr(applied.pattern, way), text if is_text else text.encode())


@pytest.mark.parametrize("language", READERS, ids=[f.name for f in READERS])
def test_every_recogniser_is_linear(language: formats.Format) -> None:
    for start in ("", *STARTS[language.name]):
        for sign in SIGNS:
            text = start + sign * (LENGTH // len(sign))
            _in_time(f"{start!r} and many {sign!r}", language.sniff, text)


@pytest.mark.parametrize("language", READERS, ids=[f.name for f in READERS])
def test_every_reader_is_linear(language: formats.Format) -> None:
    """It refuses, in words, or has read it."""
    for start in ("", *STARTS[language.name]):
        for sign in SIGNS:
            _in_time(f"{start!r} and many {sign!r}", _read, language, start + sign * (LENGTH // len(sign)))


def _read(language: formats.Format, text: str) -> None:
    assert language.read is not None
    try:
        language.read(text, "x")
    except InputError as problem:
        assert len(str(problem)) < 100_000


def _in_time(what: str, call, *arguments) -> None:  # type: ignore[no-untyped-def]
    try:
        with processor_time(SECONDS):
            call(*arguments)
    except TooSlow:
        pytest.fail(f"more than {SECONDS} s for {what}")
