"""A knob is a field of `Options`, an option of the command line, and the place that uses it."""

from __future__ import annotations

import ast
from dataclasses import fields
from pathlib import Path

import pytest

import stormproof as sp
from stormproof.limits import time_left
from stormproof.options import Knobs, Options, Progress, QuietKnobs, with_knobs

SOURCE = Path(sp.__file__).parent
NAMES = tuple(field.name for field in fields(Options))

#: A knob with one place of use touches so many files: its field, its command, and that place.
MOST = 3

#: These touch more, each for a reason. `limits` and `progress` are not listed: whatever takes time has
#: limits, and whatever can be watched has progress, with a check or without.
REASONS = {
    "reduction": "the k-properties and survival are two questions of the engine",
    "symmetry": "the k-properties, survival and RSC are three questions of the engine",
    "threads": "used where symmetry is; how many an exploration had is also a part of its answer",
    "cluster": "the k-properties and survival go to a cluster each in its way",
    "replay": "runs and certificates are replayed, and two commands have --no-replay",
    "polish": "runs and what there is to say of verdicts are for readers, and mutants have none",
    "unbounded": "verdicts and reports say so, and replay reads it",
    "effort": "each command that checks has --effort, and surveys share it out",
    "certificates": "three methods make certificates, and a table keeps them in a folder of this name",
    "classes": "the page without a server decides none: that needs the engine",
    "found": "the terminal and the studio show what is known while the rest is asked",
}
FREE = ("limits", "progress")


def names_used(path: Path) -> set[str]:
    """What is passed as a keyword, taken as an argument, or read from options."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.keyword | ast.arg) and node.arg is not None:
            found.add(node.arg)
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value).endswith("options"):
            found.add(node.attr)
    return found


def files_of(knob: str) -> list[str]:
    sources = (p for p in sorted(SOURCE.rglob("*.py")) if p.name != "options.py" or p.parent != SOURCE)
    return [str(p.relative_to(SOURCE)) for p in sources if knob in names_used(p)]


@pytest.mark.parametrize("knob", [name for name in NAMES if name not in FREE])
def test_a_knob_touches_few_files(knob: str) -> None:
    files = files_of(knob)
    assert files, f"nothing uses {knob}"
    assert (1 + len(files) > MOST) == (knob in REASONS), files


def test_every_field_is_a_keyword_argument() -> None:
    assert set(Knobs.__annotations__) == set(NAMES)
    assert set(NAMES) - set(QuietKnobs.__annotations__) == {"progress"}


def test_options_and_keyword_arguments_say_the_same() -> None:
    system, few = sp.protocol("elevator"), sp.Limits(states=20)
    whole = sp.check(system, k=2, properties=["k-mc"], options=Options(few, threads=1))
    apart = sp.check(system, k=2, properties=["k-mc"], limits=few, threads=1)
    assert [v.holds for v in whole] == [v.holds for v in apart]
    assert [v.reason for v in whole] == [v.reason for v in apart]
    assert whole.verdicts[0].stopped == "states"


def test_a_keyword_argument_changes_the_options_that_are_given() -> None:
    options = Options(threads=2)
    assert options.but(threads=3).threads == 3 and options.but(threads=None) is options
    assert options.but(effort=1).threads == 2


def test_the_seconds_of_options_are_for_all_that_a_check_does() -> None:
    """The deadline is that of the whole, not of each search."""
    left: list[float | None] = []
    asked = Options(sp.Limits(seconds=7), answered=lambda report: left.append(time_left()))
    sp.check(sp.protocol("alternating-bit"), options=asked)
    assert len(left) == 1 and left[0] is not None and left[0] <= 7


def test_what_is_no_knob_of_a_check_is_left_for_the_engine() -> None:
    options, rest = with_knobs(Options(threads=2), {"reduction": False, "reduce_from": 0})
    assert (options.threads, options.reduction, rest) == (2, False, {"reduce_from": 0})


def test_an_unknown_knob_is_refused() -> None:
    with pytest.raises(TypeError, match="depth"):
        sp.check(sp.protocol("alternating-bit"), depth=3)  # type: ignore[call-arg]


def test_progress_says_what_is_known_besides() -> None:
    told: list[Progress] = []
    options = Options(progress=told.append).knowing("recovers is violated")
    assert options.progress is not None
    options.progress(Progress("k = 2", 1, 1, 1, 1.0))
    assert [(p.task, p.known) for p in told] == [("k = 2", "recovers is violated")]
    assert Options().knowing("nothing").progress is None
