"""Expressions that files bring along: what they match is what `re` says, in time that grows with the text."""

from __future__ import annotations

import random
import re

import pytest

from stormproof.live.conformance.linear_expression import LinearExpression, TooFree
from tests.support.patterns import processor_time

PIECES = ("a", "b", ".", r"\w", r"\S", r"\s", "[ab]", "[^a]", " ", r"\n", "x", "{", r"\}", r"\.")
REPEATS = ("", "", "*", "+", "*?", "+?", "{2}", "{1,}")
REFUSED = (
    *(r"(a+)+b", r"(?:a|b)", r"(a)\1", r"(?=a)", r"(?!a)", r"(?<=a)b", r"a?", r"a{1,3}", r"a{,3}", r"\bA"),
    *(r"(a){2}", r"(?i)a", r"(?P=x)", r"a*+", r"(?>a)", "a" * 2_000, r"a{999999}"),
)


def _random_expression(chance: random.Random) -> str:
    pieces = [chance.choice(PIECES) + chance.choice(REPEATS) for _ in range(chance.randrange(1, 7))]
    start, end = sorted((chance.randrange(len(pieces)), chance.randrange(len(pieces))))
    pieces[start] = "(?P<g>" + pieces[start]
    pieces[end] += ")"
    return chance.choice(("", "^")) + "".join(pieces) + chance.choice(("", "$"))


def test_it_matches_what_re_matches() -> None:
    """Everywhere in a text, one place after the other, so that what is known of failures is used."""
    chance, fits = random.Random(3), 0
    for _ in range(4_000):
        source = _random_expression(chance)
        theirs, ours = re.compile(source, re.MULTILINE), LinearExpression(source)
        text = "".join(chance.choice("aab  x{}.\n") for _ in range(chance.randrange(30)))
        on_text = ours.on(text)
        for at in range(len(text) + 1):
            expected, found = theirs.match(text, at), on_text(at)
            assert (found and found.span("g")) == (expected and expected.span("g")), (source, text, at)
            assert (found and found.end()) == (expected and expected.end()), (source, text, at)
            fits += expected is not None
    assert fits > 3_000


@pytest.mark.parametrize("source", REFUSED)
def test_what_might_take_long_is_refused(source: str) -> None:
    with pytest.raises(TooFree):
        LinearExpression(source)


@pytest.mark.parametrize("source", [r".*.*.*.*x", r"\S*a\S*b\S*c", r".*?a.*?a.*?c", r"\s*(?P<g>\s*)\s*\nx"])
@pytest.mark.parametrize("sign", ["a", "a ", "\n", "ab"])
def test_it_is_linear(source: str, sign: str) -> None:
    """Started at every place of a text."""
    text = sign * (40_000 // len(sign))
    with processor_time(10):
        on_text = LinearExpression(source).on(text)
        assert not any(on_text(at) for at in range(len(text)))
