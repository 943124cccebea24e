"""The protocol of docs/comparison.md in three languages: each tool that is here finds what the page says."""

from __future__ import annotations

import re
import runpy

import pytest

from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "comparison.md").read_text("utf-8")
MEASURED = runpy.run_path(str(ROOT / "bench" / "other_tools.py"))
FILES = {"stormproof": "outbox.storm", "SPIN": "outbox.pml", "TLC": "Outbox.tla"}


@pytest.mark.parametrize("name", FILES)
def test_a_tool_finds_the_bug_and_accepts_the_consumer_that_remembers(name: str) -> None:
    tool = MEASURED["present"]().get(name)
    if tool is None:
        pytest.skip(f"{name} is not installed")
    assert not MEASURED["ask"](tool, remembers=False).holds
    mended = MEASURED["ask"](tool, remembers=True)
    assert mended.holds
    assert f"{mended.configurations:,}" in PAGE


@pytest.mark.parametrize("name", FILES)
def test_the_page_counts_lines_as_they_are(name: str) -> None:
    row = re.search(rf"^\| {name} \| (\d+) \|", PAGE, re.MULTILINE)
    assert row is not None and int(row[1]) == MEASURED["lines"](FILES[name])
