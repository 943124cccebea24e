"""The verdicts of the last check above the protocol, each role and each requirement."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lsprotocol import types as lsp

from ...languages.formats.storm_occurrences import StatementSpan
from ...search.checks.properties import RECOVERS
from .checks import Checked, sentence
from .open_text import OpenText
from .shown import title

CHECK, CANCEL, SHOW_RUN = "stormproof.check", "stormproof.cancel", "stormproof.showRun"


def lenses(text: OpenText, checked: Checked | None, running: bool) -> list[lsp.CodeLens]:
    found = [_lens(text, 0, *_button(text, running))]
    if checked is None:
        return found
    old = "" if checked.text == text.text else " (before the last change)"
    if checked.problem:
        found.append(_lens(text, 0, f"? not checked: {checked.problem}"))
    for verdict in checked.verdicts:
        if verdict["kind"] == "survival" and verdict["counts"]:
            found += _of_verdict(text, 0, verdict, old)
    for block in text.outline.blocks:
        found += _of_statement(text, block, checked, old)
    return found


def _button(text: OpenText, running: bool) -> tuple[str, str, list[Any]]:
    return ("checking; cancel", CANCEL, [text.uri]) if running else ("check", CHECK, [text.uri])


def _of_statement(text: OpenText, block: StatementSpan, checked: Checked, old: str) -> Iterator[lsp.CodeLens]:
    line = text.position(block.start).line + 1
    if block.kind == "require":
        for verdict in checked.verdicts:
            if verdict["line"] == line:
                yield from _of_verdict(text, block.start, verdict, old)
    elif block.kind == "role" and block.name is not None:
        recovers = checked.of(RECOVERS.name)
        if recovers is not None:
            yield _lens(text, block.start, _of_role(block.name.name, recovers) + old)


def _of_role(role: str, recovers: dict[str, Any]) -> str:
    """Where the role is when the protocol no longer comes to rest."""
    mark, run = recovers["mark"], recovers["run"]
    if recovers["ok"]:
        return f"{mark} can always come to rest"
    if run is None or role not in run["states"]:
        return f"{mark} undecided"
    return f"{mark} in {run['states'][role]} when the protocol breaks"


def _of_verdict(text: OpenText, start: int, verdict: dict[str, Any], old: str) -> Iterator[lsp.CodeLens]:
    yield _lens(text, start, sentence(verdict) + old)
    if verdict["run"] is not None:
        yield _lens(text, start, "show the run", SHOW_RUN, [text.uri, verdict["property"]])


def _lens(
    text: OpenText, start: int, words: str, command: str = "", arguments: list[Any] | None = None
) -> lsp.CodeLens:
    """A lens without a command is only read."""
    shown = lsp.Command(title(words), command, arguments=arguments)
    return lsp.CodeLens(text.range(start, start), shown)
