"""Edits that an editor offers: the name that was probably meant, a missing `rest` line, verified repairs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lsprotocol import types as lsp

from ...languages.formats.storm_insert import InsertionPoints
from ...languages.formats.storm_occurrences import MESSAGE
from ...languages.formats.storm_scan import quote, write_message
from .checks import Checked
from .diagnostics import diagnostic, problem_span
from .open_text import OpenText
from .shown import title


def actions(text: OpenText, wanted: lsp.Range, checked: Checked | None) -> list[lsp.CodeAction]:
    found = []
    for problem in text.problems:
        place = text.range(*problem_span(text, problem))
        if place.start.line <= wanted.end.line and wanted.start.line <= place.end.line:
            found += list(_fixes(text, problem))
    if checked is not None and checked.text == text.text:
        found += [_repair(text, repair) for repair in checked.repairs]
    return found


def _fixes(text: OpenText, problem: dict[str, Any]) -> Iterator[lsp.CodeAction]:
    start, end = problem_span(text, problem)
    if meant := problem.get("meant"):
        yield _action(text, f"Write {quote(meant)}", [(start, end, quote(meant))], problem)
    if instead := problem.get("instead"):
        word = next((w for w in text.outline.words if w.start >= start and w.kind == MESSAGE), None)
        if word is not None:
            spelt = write_message(instead)
            yield _action(text, f"Write {spelt}", [(word.start, word.end, spelt)], problem)
    if line := problem.get("add"):
        at = InsertionPoints(text.text).statement(line).offset
        yield _action(text, f"Add: {line}", [(at, at, f"\n{line}")], problem)


def _repair(text: OpenText, repair: dict[str, Any]) -> lsp.CodeAction:
    return _action(text, repair["title"], [(at, at, f"\n{line}") for at, line in repair["lines"]])


def _action(
    text: OpenText, words: str, edits: list[tuple[int, int, str]], problem: dict[str, Any] | None = None
) -> lsp.CodeAction:
    changes = [lsp.TextEdit(text.range(start, end), new) for start, end, new in edits]
    return lsp.CodeAction(
        title=title(words),
        kind=lsp.CodeActionKind.QuickFix,
        diagnostics=None if problem is None else [diagnostic(text, problem)],
        edit=lsp.WorkspaceEdit(changes={text.uri: changes}),
    )
