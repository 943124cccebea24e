"""`stormproof explain`: why a property fails, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import click
from rich.text import Text

from ...kernel.data.system import DataSystem
from ...kernel.model.failures import Failures
from ...kernel.model.requirement import NEVER
from ...kernel.model.system import System
from ...languages.formats.storm_insert import InsertionPoints
from ...limits import Limits, is_over, within
from ...options import Options
from ...search.checks.api import check
from ...search.checks.report import Report, Verdict
from ...tell.explain.explanation import Explanation, explanations
from ...tell.explain.judge import is_repairable
from ...tell.explain.suggest import CANDIDATES, suggest as find_repairs
from ...tell.explain.trial import Question
from .console import console, print_json, progress_line, uninterrupted
from .options import (
    effort_option,
    failure_options,
    input_argument,
    json_option,
    limit_options,
    load_with_text,
    question_options,
)

NO_REPAIR = "No repair was found; --suggest CANDIDATES tries more."

NOT_FOR_NEVER = (
    "No repair is searched for what must never be reached: lines that are added take no run away. "
    "Change those that lead there."
)

NOT_WITH_DATA = "Repairs are not searched for in a file with const, var or an index."


@click.command("explain")
@input_argument
@failure_options
@effort_option
@question_options
@click.option(
    "--suggest",
    type=click.IntRange(min=0),
    default=CANDIDATES,
    show_default=True,
    metavar="CANDIDATES",
    help="Try so many lines that might repair the protocol; 0 for none.",
)
@limit_options
@json_option
def command(
    source: str,
    format: str | None,
    failures: Failures,
    limits: Limits,
    effort: int,
    k: int | None,
    max_k: int,
    properties: tuple[str, ...],
    suggest: int,
    as_json: bool,
) -> int:
    """Why does the protocol in FILE not work under the failures?

    One paragraph per property that fails: what happens, who waits for what, what was lost, what nobody will
    ever send; on classes of systems only with --property. If the protocol does not survive, lines that repair
    it are searched: each suggestion was added to the protocol, and checked with it.

    \b
    Examples:
      stormproof explain client-server --loss
      stormproof explain two-phase-commit --crash Coordinator --property k-pg
    """
    system, text = load_with_text(source, format)
    options = Options(limits=limits, effort=effort)
    story = _Story(quiet=as_json)
    with progress_line() as line:
        question = Question(failures, options.but(progress=line.show), k, max_k)
        report = _asked(question, system, properties)
    explained = explanations(report)
    story.tell(report, explained)
    found, out = None, console()
    asks = suggest and not (report.interrupted or is_over())
    wanted = asks and any(is_repairable(v) for v in report)
    if asks and not wanted and any(_must_never_be_reached(v) for v in report):
        story.note(NOT_FOR_NEVER)
    elif wanted and isinstance(system, DataSystem):
        story.note(NOT_WITH_DATA)
    elif wanted:
        roles = None if text is None else InsertionPoints(text).roles
        asked: dict[str, Any] = {"k": k, "max_k": max_k, "options": options}
        whole = None if properties else report
        found = find_repairs(system, failures, candidates=suggest, roles=roles, report=whole, **asked)
    with uninterrupted():
        if as_json:
            data = {
                "stormproof": 1,
                "assumed": report.assumed,
                "notes": list(report.notes),
                "explanations": [e.to_json() for e in explained],
            }
            print_json(data if found is None else data | {"suggestions": [s.to_json(text) for s in found]})
        elif found == ():
            out.print(Text(f"\n{NO_REPAIR}"))
        for suggestion in () if as_json else found or ():  # lines to paste are never broken
            out.print(Text("\n".join(["", *suggestion.lines(text)])), soft_wrap=True)
    return report.exit_code


def _must_never_be_reached(verdict: Verdict) -> bool:
    required = verdict.requirement
    return required is not None and required.claim.what == NEVER and verdict.ok is False


def _asked(question: Question, system: System, properties: tuple[str, ...]) -> Report:
    """What is asked for by name, or survival and all requirements: the classes are explained if asked for."""
    if not properties:
        with within(question.options.limits.seconds):
            return question.report(system)
    how: dict[str, Any] = {"k": question.k, "max_k": question.max_k, "options": question.options}
    return check(system, question.failures, properties=properties, **how)


@dataclass
class _Story:
    """The paragraphs in the order in which they become known, each once."""

    quiet: bool
    printed: list[str] = field(default_factory=list)

    def note(self, sentence: str) -> None:
        if not self.quiet:
            console().print(Text(f"\n{sentence}"))

    def tell(self, report: Report, explained: Sequence[Explanation]) -> None:
        notes = [f"Failures: {report.assumed}.", *(f"Note: {note}." for note in report.notes)]
        new = [text for text in ("\n".join(notes), *(e.text for e in explained)) if text not in self.printed]
        if self.quiet or not new:
            return
        out = console()
        out.print(Text(("\n" if self.printed else "") + "\n\n".join(new)))
        out.file.flush()
        self.printed += new
