"""The patterns of the page and of the grammar for editors take time that grows with the length of a text.

They mean the same in Python, as far as time goes, once classes of letters are written as it writes them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from tests.support.paths import ROOT
from tests.support.patterns import ENDS, LENGTH, beginnings, processor_time, signs

#: Lines that are longer are not coloured by Visual Studio Code (`editor.maxTokenizationLineLength`).
COLOURED = 20_000
#: So many characters before the cursor are searched by `matchBefore` of CodeMirror.
LINE_BEFORE = 250
SECONDS = 2.0

SCRIPTS = [
    *sorted((ROOT / "studio/src").glob("*.js")),
    *sorted((ROOT / "src/stormproof/tell/draw/page/assets").glob("*.js")),
    *sorted((ROOT / "editors/vscode/src").glob("*.js")),
]
#: A literal stands where a value may begin; what is applied to `before` sees the end of a line.
LITERAL = re.compile(
    r"(?<=[(=:,\[?&|!{])( ?)/(?![/*])((?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)/([a-z]*)(.{0,14})"
)
LONGEST_LINE = re.compile(r"^const LONGEST_LINE = (\d+);$", re.MULTILINE)
CLASSES = {r"[\p{L}_]": r"[^\W\d]", r"\p{L}\p{N}_": r"\w"}
FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "g": 0, "u": 0}


def literals() -> Iterator[tuple[str, re.Pattern[str], int]]:
    for path in SCRIPTS:
        text = path.read_text("utf-8")
        for found in LITERAL.finditer(text):
            _, source, flags, after = found.groups()
            for theirs, ours in CLASSES.items():
                source = source.replace(theirs, ours)
            longest = LONGEST_LINE.search(text)
            length = int(longest[1]) if longest is not None and "(before)" in after else LENGTH
            length = LINE_BEFORE if text[: found.start()].endswith("matchBefore(") else length
            yield f"{path.name}:{source}", re.compile(source, sum(FLAGS[f] for f in flags)), length


def rules() -> Iterator[tuple[str, re.Pattern[str], int]]:
    folder = ROOT / "editors/vscode"
    for rule in json.loads((folder / "syntaxes/storm.tmLanguage.json").read_text("utf-8"))["patterns"]:
        yield rule["match"][:60], re.compile(rule["match"]), COLOURED
    configuration = json.loads((folder / "language-configuration.json").read_text("utf-8"))
    for source in (configuration["wordPattern"], *configuration["indentationRules"].values()):
        yield source, re.compile(source), COLOURED


EVERY = [*literals(), *rules()]


def test_the_patterns_are_found() -> None:
    """As many as lines in which a pattern is written; none is made of texts."""
    applied = re.compile(
        r"\.(?:test|exec|matchAll|match|replace|matchBefore|split)\((?=/)|/\w*\.(?:test|exec)\("
    )
    found = {where.partition(":")[0] for where, _, _ in literals()}
    for path in SCRIPTS:
        text = path.read_text("utf-8")
        assert "new RegExp" not in text and "RegExp(" not in text
        assert not applied.search(text) or path.name in found
    assert len(list(literals())) >= 20 and len(list(rules())) >= 25


@pytest.mark.parametrize(("where", "pattern", "length"), EVERY, ids=[where for where, _, _ in EVERY])
def test_every_pattern_is_linear(where: str, pattern: re.Pattern[str], length: int) -> None:
    for start in beginnings(pattern):
        for sign in signs(pattern):
            for end in ENDS:
                text = start + sign * (length // len(sign)) + end
                with processor_time(SECONDS):
                    pattern.search(text)
