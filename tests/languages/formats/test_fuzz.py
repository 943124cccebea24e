"""Whatever the text, the answer is a system or an error for the user; never anything else, and soon."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from stormproof.errors import StormproofError
from stormproof.kernel.model.system import System
from stormproof.languages import formats
from tests.support.odd_systems import odd_system

READ = sorted(f.name for f in formats.FORMATS.values() if f.read)
BOTH_WAYS = sorted(f.name for f in formats.FORMATS.values() if f.read and f.write)
GOLDEN = Path(__file__).with_name("golden")

#: Pieces that the languages are made of, so that arbitrary texts get somewhere.
PIECES = (
    *(
        "role",
        "protocol",
        "faults",
        "unreliable",
        "internal",
        "crash",
        "mu",
        "end",
        "rec",
        "A",
        "B",
        "x",
        "0",
        "1",
    ),
    *(
        "{",
        "}",
        "(",
        ")",
        "<",
        ">",
        "!",
        "?",
        "->",
        "<->",
        "=>",
        ":",
        ";",
        ",",
        ".",
        "=",
        "*",
        '"',
        "\\",
        "'",
    ),
    *(
        "//",
        "/*",
        "*/",
        "--",
        "#",
        "\n",
        " ",
        "\t",
        "stormproof:",
        "message",
        "channel",
        "state",
        "loss",
        "corrupt",
    ),
    *(
        "digraph",
        "label",
        "[",
        "]",
        "start",
        "strict",
        ".outputs",
        ".state graph",
        ".marking",
        ".end",
        "q0",
        "m",
    ),
    *("scm", "nb_channels", "parameters", "real", "automaton", "initial", "to", "when", "true", "lossy"),
    *(
        '{"stormproof": 1, "processes": [',
        '"name":',
        '"transitions":',
        '"send":',
        "null",
        "\ud800",
        "\x00",
        "é",
    ),
)


def attempt(text: str, language: str | None) -> System | None:
    try:
        return formats.loads(text, language)
    except StormproofError as problem:
        assert str(problem)
        return None


@pytest.mark.parametrize("language", [*READ, None])
@settings(max_examples=60)
@given(text=st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join)))
def test_any_text(language: str | None, text: str) -> None:
    attempt(text, language)


@pytest.mark.parametrize("language", BOTH_WAYS)
@settings(max_examples=40)
@given(seed=st.integers(0, 2**32))
def test_a_valid_text_cut_off_or_changed(language: str, seed: int) -> None:
    rng = random.Random(seed)
    try:
        text = formats.dumps(odd_system(rng), language)
    except StormproofError:
        return
    attempt(text[: rng.randrange(len(text) + 1)], language)
    for _ in range(3):
        attempt(mutate(rng, text), rng.choice((language, None)))


def mutate(rng: random.Random, text: str) -> str:
    start = rng.randrange(len(text))
    end = min(len(text), start + rng.choice((0, 1, 5, 30)))
    piece = rng.choice((*PIECES, "", text[end : end + 10], text[start:end] * 2))
    return text[:start] + piece + text[end:]


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32))
def test_the_formatter_on_changed_texts(seed: int) -> None:
    rng = random.Random(seed)
    text = mutate(rng, (GOLDEN / "messy.storm").read_text(encoding="utf-8"))
    try:
        once = formats.fmt(text)
    except StormproofError:
        return
    assert formats.fmt(once) == once


@settings(max_examples=60)
@given(data=st.binary(max_size=60))
def test_any_bytes(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("bytes") / "file"
    path.write_bytes(data)
    try:
        formats.load(path)
    except StormproofError as problem:
        assert str(problem)


DEEP = 100_000
LARGE: dict[str, tuple[str | None, Callable[[], str]]] = {
    "deep JSON": ("json", lambda: '{"processes": ' * DEEP),
    "deep JSON lists": ("json", lambda: "[" * DEEP),
    "deep choices": (
        "storm",
        lambda: "role A = " + "B!{m; " * DEEP + "end" + "}" * DEEP + "\nrole B = mu x. A?m; x",
    ),
    "deep brackets": ("storm", lambda: "role A = " + "(" * DEEP + "end" + ")" * DEEP),
    "deep recursion": (
        "storm",
        lambda: "role A = " + "".join(f"mu t{i}. B!m; " for i in range(50_000)) + "t0",
    ),
    "deep payload": ("storm", lambda: "role A { s: B!m" + "(" * DEEP + ")" * DEEP + " -> s }"),
    "deep kmc choices": ("kmc", lambda: "A: " + "{B!m; " * DEEP + "end" + "}" * DEEP + "\nB: rec x . A?m; x"),
    "deep kmc recursion": (
        "kmc",
        lambda: "A: " + "".join(f"rec t{i} . " for i in range(DEEP)) + "B!m; t0\nB: end",
    ),
    "deep graphs": ("dot", lambda: "digraph A " + "{" * DEEP),
    "many comments": (None, lambda: "/* */" * DEEP + "/* "),
    "many slashes": ("storm", lambda: "role A { s: " + "// " * DEEP * 10),
    "many quotes": ("dot", lambda: "digraph A { " + '"' * DEEP * 10),
    "many blanks": ("storm", lambda: "role A { s: " + " " * DEEP * 50),
    "one long name": ("storm", lambda: "role A { " + "a-" * DEEP * 20 + "a: }"),
    "many lines": ("fsa", lambda: ".outputs A\n.state graph\n" + "\n" * DEEP * 50),
    "a million states": ("storm", lambda: "role A {" + "".join(f"s{i}:\n" for i in range(1_000_000)) + "}"),
    "a million kmc states": ("kmc", lambda: "A: " + "B!m; " * 1_000_000 + "end\nB: end"),
    "a million machine states": (
        "fsa",
        lambda: (
            ".outputs\n.state graph\n"
            + "".join(f"{i} 1 ! m {i + 1}\n" for i in range(1_000_000))
            + ".marking 0\n.end"
        ),
    ),
    "fifty million letters": (None, lambda: "x" * 50_000_000),
}


@pytest.mark.parametrize("name", LARGE)
def test_what_is_huge_is_read_or_refused_within_seconds(name: str) -> None:
    """In seconds of processor time, since the machine may be busy with other things."""
    language, make = LARGE[name]
    text = make()
    start = time.process_time()
    attempt(text, language)
    assert time.process_time() - start < 20


def test_a_large_file_is_not_even_read(tmp_path: Path) -> None:
    path = tmp_path / "large.storm"
    with path.open("wb") as file:
        file.truncate(50_000_000)
    with pytest.raises(StormproofError, match="larger than 16 MiB"):
        formats.load(path)
