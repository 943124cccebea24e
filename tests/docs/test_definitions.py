"""docs/definitions.md is what the code cites: every number exists, and every module of its table."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.paths import DOCS, ROOT

PAGE = (DOCS / "definitions.md").read_text("utf-8")
NUMBERS = re.findall(r"^### (\d+\.\d+) ", PAGE, re.MULTILINE)
CHAPTERS = re.findall(r"^## (\d+)\. ", PAGE, re.MULTILINE)

#: `definitions 3.1`, `definitions 3.1 to 3.6, 5.7`, `Definitions 4.6, 4.7:`, across line breaks.
CITATION = re.compile(
    r"definitions(?:\]\(definitions\.md\))?((?:(?:,| to| and)?[\s/#]+\d+\.\d+)+)", re.IGNORECASE
)
CHAPTER = re.compile(r"definitions, chapters?((?:(?: and|,)?[\s/#]+\d+)+)", re.IGNORECASE)
#: Ways to cite what is not in the repository.
ELSEWHERE = re.compile(
    r"definitions, \*|semantics\.md|semantics, (?:section|part)|\bDefs?\. ?`?(?:irs|ksafe|kexh|wkmc|csa)|"
    r"Figure `?(?:ex\d|exkmc)|(?:Theorem|Lemma|Example) `?[a-z]{6,}"
)


def sources() -> list[Path]:
    roots = [ROOT / name for name in ("src", "engine", "tests", "bench", "docs")]
    found = [
        p for root in roots for p in root.rglob("*") if p.suffix in (".py", ".hpp", ".cpp", ".storm", ".md")
    ]
    return [p for p in found if p != Path(__file__).resolve()]


def test_definitions_are_numbered_in_order() -> None:
    assert [str(n) for n in range(1, len(CHAPTERS) + 1)] == CHAPTERS
    for chapter in CHAPTERS:
        mine = [n for n in NUMBERS if n.split(".")[0] == chapter]
        assert mine == [f"{chapter}.{i}" for i in range(1, len(mine) + 1)]


def test_every_number_that_is_cited_exists() -> None:
    cited = 0
    for path in sources():
        text = path.read_text("utf-8")
        for numbers in CITATION.findall(text):
            for number in re.findall(r"\d+\.\d+", numbers):
                cited += 1
                assert number in NUMBERS, f"{path} cites definitions {number}"
        for numbers in CHAPTER.findall(text):
            assert set(re.findall(r"\d+", numbers)) <= set(CHAPTERS), f"{path} cites chapters {numbers}"
    assert cited > 60


def test_nothing_outside_the_repository_is_cited() -> None:
    for path in sources():
        found = ELSEWHERE.search(path.read_text("utf-8"))
        assert found is None, f"{path} cites {found[0]!r}: cite docs/definitions.md"


def test_numbers_inside_the_page_exist() -> None:
    for number in re.findall(r"\((\d+\.\d+)\)", PAGE):
        assert number in NUMBERS


def test_the_modules_of_the_table_exist() -> None:
    rows = re.findall(r"^\| [^|]+ \| \d[^|]* \| ([^|]+) \|$", PAGE, re.MULTILINE)
    modules = re.findall(r"`([\w/]+)`", "".join(rows))
    assert len(modules) > 25
    for module in modules:
        assert (ROOT / "src" / "stormproof" / f"{module}.py").exists(), module
