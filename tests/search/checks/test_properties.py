"""A property is one row of one table; a row that is incomplete fails here, not in a user's hands."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from stormproof.oracle import bounded
from stormproof.search.checks.api import _UNBOUNDED
from stormproof.search.checks.properties import PROPERTIES, Decision, Property, explanation
from stormproof.search.engine import k_properties
from stormproof.search.examples.demonstrate import _DEMONSTRATIONS
from stormproof.search.narrate import reason
from tests.support.paths import ROOT

SOURCE = ROOT / "src" / "stormproof"
ROWS = list(PROPERTIES.values())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_is_complete(row: Property) -> None:
    assert row.sentence and row.title
    for base in row.bases:
        assert not base.parts, "a part of a conjunction is decided by itself"
        survival = base.decision is Decision.SURVIVAL
        assert survival or base.original.name in _DEMONSTRATIONS, "no sample run shows it"
    if row.bounded:
        assert row.name in (bounded.CONJUNCTIONS if row.parts else bounded.VIOLATIONS), "no definition"
        assert row.parts or row.name in k_properties.PROPERTIES, "the engine does not know it"
        assert row.parts or explanation(row.name) is not reason.situations, "no sentence explains a violation"
    elif row.decision is not Decision.SURVIVAL:
        assert row.decision in _UNBOUNDED, "nothing decides it"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_conjunctions_are_those_of_the_definition(row: Property) -> None:
    assert tuple(p.name for p in row.parts) == bounded.CONJUNCTIONS.get(row.name, ())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_name_stands_in_few_files(row: Property) -> None:
    """Others refer to the row, so a property that is gone is an ImportError and not a KeyError."""
    quoted = re.compile(rf"""["']{re.escape(row.name)}["']""")
    found = [p for p in SOURCE.rglob("*.py") if quoted.search(p.read_text(encoding="utf-8"))]
    assert len(found) <= 8, found


def test_a_check_passes_through_few_packages() -> None:
    """At most 12 pairs of packages call each other in a check (`scripts/trace_layers`), of which one is the
    call back into `cli` when the answer is known."""
    command = [sys.executable, str(ROOT / "scripts" / "trace_layers"), "check", "alternating-bit", "--loss"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    count = re.search(r"(\d+) pairs of packages", done.stderr)
    assert count is not None and 0 < int(count[1]) <= 12, done.stderr
