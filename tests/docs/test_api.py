"""docs/api.md lists every public name, with a line and an example, and no other."""

from __future__ import annotations

import re

import stormproof as sp
from tests.support.document_blocks import blocks
from tests.support.paths import DOCS

PAGE = (DOCS / "api.md").read_text("utf-8")


def test_every_public_name_has_a_line() -> None:
    rows = re.findall(r"^\| (`sp\..*?) \| \w.* \|$", PAGE, re.MULTILINE)
    listed = [name for row in rows for name in re.findall(r"`sp\.(\w+)`", row)]
    assert sorted(listed) == sorted(sp.__all__)


def test_every_public_name_has_an_example() -> None:
    code = "".join(block.text for block in blocks(PAGE) if block.language == "python")
    used = set(re.findall(r"\bsp\.(\w+)", code))
    assert used == set(sp.__all__)
