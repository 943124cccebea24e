"""A check for GitHub Actions: annotations beside the lines of a change, and a summary with the charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...errors import Place, visible
from ...search.checks.report import Report, Verdict
from ..draw.chart.build import chart
from ..draw.chart.text import chart_text
from .checked_file import CheckedFile
from .failure_text import COLUMNS, sentence_of

#: GitHub shows as many annotations of one kind and step, and a summary of at most a MiB.
MOST_ANNOTATIONS, MOST_BYTES = 10, 1_000_000


def workflow_commands(files: Sequence[CheckedFile]) -> str:
    """The annotations, a line each; of each kind as many as are shown."""
    shown: dict[str, list[str]] = {}
    for kind, title, words, place in (found for file in files for found in _findings(file)):
        lines = shown.setdefault(kind, [])
        if len(lines) < MOST_ANNOTATIONS:
            lines.append(_command(kind, title, words, place))
    return "".join(line + "\n" for lines in shown.values() for line in lines)


def _findings(file: CheckedFile) -> Iterator[tuple[str, str, str, Place]]:
    for error in file.errors:
        yield "error", "mistake", _hinted(error.message, error.hint), error.place or Place(file.name)
    for verdict in file.verdicts:
        if not verdict.ok:
            kind = "error" if verdict.ok is False else "warning"
            yield kind, verdict.property, sentence_of(verdict), file.place(verdict)
    for warning in file.warnings:
        yield "warning", "lint", _hinted(warning.message, warning.hint), warning.place


def _hinted(message: str, hint: str | None) -> str:
    return f"{message} ({hint})" if hint else message


def _command(kind: str, title: str, words: str, place: Place) -> str:
    where = {"file": place.file, "line": place.line, "col": place.column, "title": title}
    given = ",".join(f"{name}={_property(str(value))}" for name, value in where.items() if value is not None)
    return f"::{kind} {given}::{_data(words)}"


def _data(text: str) -> str:
    """As the runner reads it: what would end the line, or the value, is a percent sign and digits."""
    return visible(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def summary(files: Sequence[CheckedFile]) -> str:
    """A table of verdicts for each file, and the chart of each violation as long as there is room."""
    text = "## stormproof\n"
    for file in files:
        part = "\n".join(_section(file))
        if len((text + part).encode()) > MOST_BYTES:
            return text + "\nThe rest does not fit into a summary; the JUnit file has all of it.\n"
        text += part
    return text


def _section(file: CheckedFile) -> Iterator[str]:
    yield f"\n### {cell(file.name)}\n"
    for error in file.errors:
        yield from ("", *fenced(error.drawn()))
    if isinstance(file.answer, Report):
        yield from ("| | requirement | |", "| --- | --- | --- |")
        for verdict in file.verdicts:
            yield f"| {verdict.status.sign} | {cell(verdict.property)} | {cell(sentence_of(verdict))} |"
        yield f"\nFailures: {cell(file.answer.assumed)}."
        for verdict in file.verdicts:
            yield from _run(file, verdict)
    yield ""


def _run(file: CheckedFile, verdict: Verdict) -> Iterator[str]:
    if verdict.ok is False and verdict.witness is not None:
        drawn = chart_text(chart(file.report(verdict).system, verdict.witness), COLUMNS)
        yield f"\n<details><summary>how {cell(verdict.property)} is violated</summary>\n"
        yield from fenced(drawn)
        yield "\n</details>"


def fenced(text: str) -> Iterator[str]:
    """In a fence that is longer than any run of backticks in it."""
    longest = max((len(run) for run in _backticks(text)), default=0)
    fence = "`" * max(3, longest + 1)
    yield from (f"{fence}text", visible(text), fence)


def _backticks(text: str) -> Iterator[str]:
    yield from (run for run in "".join(c if c == "`" else " " for c in text).split())


def cell(text: str) -> str:
    """Text that is neither Markdown nor HTML, in one line."""
    shown = visible(text).replace("\n", " ").replace("&", "&amp;").replace("<", "&lt;")
    return "".join(f"\\{c}" if c in "\\`*_|[]" else c for c in shown)
