"""Verified repairs of a text: for an editor the lines to insert, for a page the whole text, too."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any

from ...kernel.data.system import DataSystem
from ...languages.formats.storm_insert import InsertionPoints
from ...options import Options
from ...tell.explain.suggest import suggest
from ...tell.explain.suggestion import Suggestion
from .reading import system_of
from .settings import settings_on

#: Lines around each change of a diff.
_AROUND = 1


def ask_for_repairs(text: str, settings: Any, options: Options) -> dict[str, Any]:
    """Each with the lines to insert below the ends of others, the text with them, and the diff. `why`: why
    none is searched."""
    system, _ = system_of(text)
    if isinstance(system, DataSystem):
        return {"repairs": [], "why": "no repair is searched for roles with variables, constants or families"}
    roles = InsertionPoints(text).roles
    found = suggest(system, settings_on(system, settings), options=options, roles=roles)
    why = "" if roles else "no repair is searched for roles that are written as session types"
    return {"repairs": [_repair(text, s) for s in found], "why": why}


def _repair(text: str, suggestion: Suggestion) -> dict[str, Any]:
    mended = suggestion.insert(text)
    return {
        "title": suggestion.title,
        "claims": list(suggestion.said),
        "lines": [[i.offset, i.text] for i in suggestion.insertions(text)],
        "text": mended,
        "diff": list(_diff(text, mended)),
    }


def _diff(before: str, after: str) -> Iterator[dict[str, Any]]:
    """The lines that differ, with one around them: a sign, the number in the new text, the line."""
    number, lines = 0, list(difflib.ndiff(before.splitlines(), after.splitlines()))
    lines = [line for line in lines if not line.startswith("?")]
    near = {i + d for i, line in enumerate(lines) if line[0] in "+-" for d in range(-_AROUND, _AROUND + 1)}
    for i, line in enumerate(lines):
        number += line[0] != "-"
        if i in near:
            yield {"sign": line[0], "line": number, "text": line[2:]}
