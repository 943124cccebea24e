"""Verdicts as lines of a terminal: sign, name, what is claimed, what was found."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from ...records import dataclass
from ...search.checks.headline import claim, extent, finding, number_of_faults, proof
from ...search.checks.properties import PROPERTIES, RECOVERS
from ...search.checks.report import Report, Verdict
from .signs import signed

#: With fewer columns a text stands below its name.
_LEAST = 12

#: Names that are wider stand in a line of their own, and what was found is broken.
_WIDEST_NAME, _WIDEST_FINDING = 20, 28

#: A claim that takes more lines in its column has the whole width below.
_MOST_LINES = 4

#: With fewer columns for the claim, what was found stands behind it.
_LEAST_CLAIM = 20


@dataclass(frozen=True)
class Row:
    """`claim`: what is claimed, or of a property without more words why it fails; `found`: the answer;
    `why`: what there is to say below."""

    verdict: Verdict
    claim: str
    found: str
    why: tuple[str, ...] = ()


def print_rows(console: Console, report: Report, verdicts: Sequence[Verdict]) -> None:
    """All of them in the same columns."""
    rows = [_row(report, verdict) for verdict in verdicts]
    name = min(max(cell_len(row.verdict.property) for row in rows), _WIDEST_NAME)
    found = min(max(cell_len(row.found) for row in rows), _WIDEST_FINDING)
    for row in rows:
        _print_row(console, row, name, found)


def _row(report: Report, verdict: Verdict) -> Row:
    said, why = claim(verdict), _reason(report, verdict)
    below = tuple(part for part in (_longer_rows(report, verdict), proof(verdict)) if part)
    found = _found(verdict)
    if verdict.holds and not verdict.survival and not said:
        return Row(verdict, PROPERTIES[verdict.property].sentence, found)
    if said:
        return Row(verdict, said, found, (why, *below) if why else below)
    if verdict.holds:
        meaning = finding(verdict, not report.model.harmless, report.failures.budget)
        return Row(verdict, " · ".join(filter(None, (meaning, _crashes(report, verdict)))), found, below)
    return Row(verdict, why, found, below)


def _longer_rows(report: Report, verdict: Verdict) -> str:
    """Who sends more messages in a row than the bound, unless the answer begins with that."""
    said = "" if verdict.in_a_row is None else str(verdict.in_a_row)
    return "" if report.answer.startswith(said) else said


def _found(verdict: Verdict) -> str:
    """`any channel length`, `breaks with 1 fault`, `holds, k = 2`, `known limit: breaks with 1 fault`."""
    beside = "" if verdict.counts or verdict.ok else ", not required"
    if verdict.requirement is not None and verdict.requirement.violated and verdict.holds is not None:
        return finding(verdict, faults_possible=True)
    if not verdict.survival:
        bound = "" if verdict.k is None else f", k = {verdict.k}"
        return f"{verdict.word}{bound}"
    if verdict.holds is None:
        return verdict.word
    return extent(verdict) if verdict.holds else f"{number_of_faults(verdict)}{beside}"


def _reason(report: Report, verdict: Verdict) -> str:
    """Why it is violated or undecided; a conjunction names the part that fails, whose own row says why."""
    if verdict.ok:
        return ""
    head, colon, _ = verdict.reason.partition(": ")
    part = head.partition(" fails")[0]
    said = part != verdict.property and any(v.property == part and v.holds is False for v in report)
    return head if colon and said else verdict.reason


def _crashes(report: Report, verdict: Verdict) -> str:
    """Survival of a crash that everybody learns of says little of one that nobody does."""
    said = verdict.property == RECOVERS.name and report.model.unreliable
    return "crashes are announced to everybody" if said else ""


def _print_row(console: Console, row: Row, name_width: int, found_width: int) -> None:
    name = Text("  ") + signed(row.verdict.status) + f" {filled(row.verdict.property, name_width)}  "
    if cell_len(row.verdict.property) > name_width:
        print_beside(console, name[:4], name[4:])
        name = Text(" " * (name_width + 6))
    room = console.width - name.cell_len - found_width - 3
    if room < _LEAST_CLAIM:
        words = " · ".join(part for part in (row.claim, row.found) if part)
        print_beside(console, name, Text(words), margin=1)
    else:
        _print_columns(console, name, (row.claim, room), (row.found, found_width))
    for why in row.why:
        print_beside(console, Text(" " * name.cell_len), Text(why, style="dim"), margin=1)


def _print_columns(console: Console, name: Text, claim: tuple[str, int], found: tuple[str, int]) -> None:
    """Both wrapped, each in its own column."""
    left, right = (Text(text).wrap(console, width, overflow="fold") for text, width in (claim, found))
    if len(left) > _MOST_LINES:
        _print_columns(console, name, ("", claim[1]), found)
        print_beside(console, Text(" " * name.cell_len), Text(claim[0]), margin=1)
        return
    for text, answer in zip_longest(left, right, fillvalue=Text("")):
        line = name + filled(text.plain, claim[1]) + "  " + answer
        line.rstrip()
        console.print(line, soft_wrap=True)
        name = Text(" " * name.cell_len)


def print_beside(console: Console, name: Text, text: Text, margin: int = 0) -> None:
    """The text beside its name, in as many lines as it takes; below a name that leaves no room."""
    room = console.width - name.cell_len - margin
    if room < _LEAST:
        console.print(name)
        name, room = Text("    "), max(console.width - 4, 1)
    for line in text.wrap(console, room, overflow="fold"):
        console.print(name + line, soft_wrap=True)
        name = Text(" " * name.cell_len)


def filled(text: str, width: int) -> str:
    return text + " " * (width - cell_len(text))
