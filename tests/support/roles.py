"""Roles of a few lines for tests, and their extraction in this process alone."""

from __future__ import annotations

from typing import Any

import stormproof as sp
from stormproof.programs.extraction.system import ExtractedSystem
from tests.support.random_roles import define

OTHER = """
@role
def Q():
    while True:
        what = yield choose(0, 1, "0")
        yield send("P", "m", what)
"""


def extracted(body: str, others: str = OTHER, **names: Any) -> ExtractedSystem:
    """The system of a role P with this body, one statement per line, and a role Q that sends it anything."""
    lines = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    found = define(f"@role\ndef P():\n{lines}{others}", **names)
    return sp.extract(found["P"], found["Q"], second_process=False)
