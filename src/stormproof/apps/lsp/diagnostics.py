"""The problems that a worker found in a text, as an editor underlines them."""

from __future__ import annotations

from typing import Any

from lsprotocol import types as lsp

from ...errors import printable
from .open_text import OpenText

SOURCE = "stormproof"
_SEVERITY = {"error": lsp.DiagnosticSeverity.Error, "warning": lsp.DiagnosticSeverity.Warning}


def diagnostics(text: OpenText) -> list[lsp.Diagnostic]:
    return [diagnostic(text, problem) for problem in text.problems]


def diagnostic(text: OpenText, problem: dict[str, Any]) -> lsp.Diagnostic:
    said = [printable(words) for words in (problem["message"], problem.get("hint")) if words]
    return lsp.Diagnostic(
        range=text.range(*problem_span(text, problem)),
        message="\n".join(said),
        severity=_SEVERITY[problem["severity"]],
        source=SOURCE,
    )


def problem_span(text: OpenText, problem: dict[str, Any]) -> tuple[int, int]:
    """What is underlined: at least the whole name at the place of the problem."""
    start = text.line_start((problem.get("line") or 1) - 1) + (problem.get("column") or 1) - 1
    start = min(start, len(text.text))
    end = min(start + problem["width"], len(text.text))
    word = text.outline.at(start)
    return start, max(end, word.end) if word is not None and word.start == start else end
