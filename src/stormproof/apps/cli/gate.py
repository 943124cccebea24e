"""`stormproof gate`: check, mutants and conformance of the code in one command."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ...errors import OutputError, UsageError
from ...kernel.data.system import DataSystem
from ...kernel.model.failures import Failures
from ...limits import Limits
from ...live.testing.run_vectors import PASSED, CodeReport
from ...surveys.gate import GateAnswer, gate
from .console import console, counter_line, print_json, save_text, uninterrupted
from .mutate import operator_option, places_of, print_mutants
from .options import (
    effort_option,
    failure_options,
    input_argument,
    json_option,
    limit_options,
    load_with_places,
    split_list,
)
from .render import print_answer

if TYPE_CHECKING:
    from ...languages.formats.storm_places import NoPlaces, Places
    from ...tell.lint.warning import Warning

_STYLES = {0: "green", 1: "red", 3: "yellow"}


@click.command("gate")
@input_argument
@click.option("--role", required=True, metavar="R", help="The role that the code implements.")
@click.option(
    "--run",
    "command_line",
    required=True,
    metavar="COMMAND",
    help="Runs the vectors of STORMPROOF_VECTORS against the code, and reports to STORMPROOF_REPORT.",
)
@failure_options
@click.option("--no-mutants", is_flag=True, help="Do not ask whether the requirements notice mistakes.")
@operator_option
@click.option(
    "--survivors", type=click.IntRange(0), default=0, metavar="N", help="So many mutants may survive (0)."
)
@effort_option
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="Worker processes (one per processor).")
@click.option("--junit", metavar="PATH", help="Also write JUnit XML; - for standard output.")
@click.option("--summary", metavar="PATH", help="Also write a summary for a pull request, in Markdown.")
@click.option("--github", is_flag=True, help="On GitHub Actions: add the summary to the page of the run.")
@limit_options
@json_option
def command(
    source: str,
    format: str | None,
    role: str,
    command_line: str,
    failures: Failures,
    no_mutants: bool,
    operators: tuple[str, ...],
    survivors: int,
    effort: int,
    jobs: int | None,
    junit: str | None,
    summary: str | None,
    github: bool,
    limits: Limits,
    as_json: bool,
) -> int:
    """Is the protocol in FILE right, do its requirements notice mistakes, and does the code do what it says?

    COMMAND is run by a shell, once. It tests an implementation of the role with the runs in the file
    STORMPROOF_VECTORS, and appends a line of JSON for each to the file STORMPROOF_REPORT: its vector, verdict
    (passed, failed, undecided) and steps, each with its transition and its handler. The runners of
    `stormproof testgen --vectors --runner` do so. --timeout is for all of it.

    Exit code 0: everything holds, and every vector passes. 1: a violation, a mutant that survives, a vector
    that fails or was not run, no report. 2: the input is wrong. 3: something is undecided.

    \b
    Examples:
      stormproof gate outbox.storm --role Relay --run "npm test"
      stormproof gate outbox.storm --role Relay --run "cargo test" --junit gate.xml --summary gate.md
    """
    if as_json and junit == "-":
        raise UsageError("--json and --junit - print to standard output; give only one of them")
    system, warnings, known = load_with_places(source, format)
    if isinstance(system, DataSystem) and not no_mutants:
        raise UsageError("mutants are made of roles without variables only", hint="add --no-mutants")
    with counter_line("mutants judged") as progress:
        answer = gate(
            system,
            role,
            command_line,
            failures,
            mutants=not no_mutants,
            operators=[name for text in operators for name in split_list(text)] or None,
            survivors=survivors,
            jobs=jobs,
            places=places_of(source) if known is None else known,
            progress=progress,
            limits=limits,
            effort=effort,
        )
    with uninterrupted():
        _save(answer, source, (warnings, known), junit, summary, github)
        if as_json:
            print_json(answer.to_json())
        elif junit != "-":
            print_gate(console(), answer)
    return answer.exit_code


def _save(
    answer: GateAnswer,
    source: str,
    read: tuple[tuple[Warning, ...], Places | NoPlaces | None],
    junit: str | None,
    summary: str | None,
    github: bool,
) -> None:
    from ...tell.ci.checked_file import CheckedFile
    from ...tell.ci.gate import gate_junit, gate_summary

    file = CheckedFile(source, answer.report, *read)
    if junit is not None:
        save_text(None if junit == "-" else junit, gate_junit(answer, file), overwrite=True)
    if summary is not None:
        save_text(summary, gate_summary(answer, file), overwrite=True)
    page = os.environ.get("GITHUB_STEP_SUMMARY") if github else None
    if page:
        try:
            with Path(page).open("a", encoding="utf-8") as opened:
                opened.write(gate_summary(answer, file))
        except OSError as problem:
            raise OutputError(f"the summary cannot be written to '{page}': {problem.strerror}") from None


def print_gate(out: Console, answer: GateAnswer) -> None:
    """The answer in a sentence, then the three parts."""
    out.print(Text(answer.headline, f"bold {_STYLES[answer.exit_code]}"))
    out.print()
    print_answer(out, answer.report)
    if answer.mutants is not None:
        out.print()
        print_mutants(out, answer.mutants)
    if answer.code is not None:
        out.print()
        _print_code(out, answer.code)
    if answer.stopped:
        out.print(Text(f"stopped: {answer.stopped}"))


def _print_code(out: Console, code: CodeReport) -> None:
    from ...tell.ci.gate import coverage_lines, failed_lines

    out.print(Text(f"implementation of {code.role}: {code.summary}", "bold"))
    for what in code.problems:
        out.print(Padding(Text(what, "red"), (0, 0, 0, 2), expand=False))
    shown = [result for result in code.results if result.verdict != PASSED]
    for i, result in enumerate(shown):
        out.print(Text(f"\n{result.name}: {result.verdict}"))
        lines = [*failed_lines(result)]
        # One chart is read; the others are in the JUnit file.
        for line in lines if i == 0 else lines[:2]:
            out.print(Text(f"  {line}"), soft_wrap=True)
    out.print(Text("\ntransitions and the handlers that do them", "bold"))
    for line in coverage_lines(code):
        out.print(Text(f"  {line}"), soft_wrap=True)
