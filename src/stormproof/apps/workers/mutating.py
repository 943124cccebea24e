"""Do the requirements of a text notice small mistakes in it? What survives, by line."""

from __future__ import annotations

from typing import Any

from ...options import Options
from ...surveys.mutants.api import mutate
from ...surveys.mutants.operators import written
from ...surveys.mutants.result import MutantResult
from ...tell.lint.api import lint_with_places
from .asking import Tell
from .settings import settings_on


def ask_for_mutants(text: str, settings: Any, options: Options, tell: Tell) -> dict[str, Any]:
    """The numbers, and a row for each mutant that survives or is undecided. A KeyboardInterrupt ends the
    search; what was not judged by then is undecided."""
    system, _, places = lint_with_places(text, "protocol.storm")
    found = mutate(
        system,
        settings_on(system, settings),
        jobs=1,
        places=places,
        progress=lambda done, of: tell({"progress": {"done": done, "of": of}}),
        options=options,
    )
    rows = (*found.survivors, *found.undecided)
    return {
        "summary": found.summary,
        "notes": list(found.notes),
        "mutants": [_row(result) for result in rows],
    }


def _row(result: MutantResult) -> dict[str, Any]:
    place = result.place
    return {
        "line": result.line,
        "column": None if place is None else place.column,
        "width": len(written(result.mutant.transition)),
        "words": result.words,
        "status": result.status.value,
        "reason": result.reason,
        "suggestion": None if result.suggestion is None else result.suggestion.line,
        "up_to": None if result.suggestion is None else result.suggestion.up_to,
    }
