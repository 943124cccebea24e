"""`stormproof check`: does it survive, how many faults does it take, which requirements hold?"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.text import Text

from ...errors import OutputError, StormproofError, UsageError
from ...kernel.model.failures import Failures
from ...kernel.model.phrases import plural
from ...kernel.model.system import System
from ...kernel.transform.prepare import SEMANTICS
from ...languages.formats.files import display_name
from ...limits import Limits, is_over, why_interrupted
from ...records import dataclass
from ...search.checks.api import check
from ...search.checks.properties import PROPERTIES
from ...search.checks.report import Report
from . import HOLDS, UNDECIDED, VIOLATED, WRONG
from .console import console, print_json, progress_line, save_text, uninterrupted
from .files import files_of
from .options import (
    disk_option,
    effort_option,
    failure_options,
    json_option,
    limit_options,
    load_with_places,
    mailbox_option,
    question_options,
    set_option,
)
from .problems import refusal_to_json, show_problem
from .render import print_answer, print_end, print_examples, print_known, question_flags
from .side_by_side import side_by_side

if TYPE_CHECKING:
    from ...languages.formats.storm_places import NoPlaces, Places
    from ...tell.ci.checked_file import CheckedFile
    from ...tell.lint.warning import Warning

#: Over several files, the first of these that occurs is the exit code.
PRECEDENCE = (WRONG, VIOLATED, UNDECIDED, HOLDS)


@click.command("check", epilog="Properties: " + ", ".join(PROPERTIES))
@click.argument("sources", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "--format", "format", metavar="LANGUAGE", help="Read FILE in this language instead of detecting it."
)
@mailbox_option
@set_option
@failure_options
@effort_option
@question_options
@click.option(
    "--strict",
    is_flag=True,
    help="Warnings, requirements that say nothing and faults that change nothing are errors.",
)
@click.option("--unbounded", is_flag=True, help="What holds up to some channel length only is undecided.")
@click.option(
    "--semantics",
    type=click.Choice(SEMANTICS),
    default="definition",
    show_default=True,
    help="Faults as the paper defines them, as its evaluation encodes them, or as the encodings were run.",
)
@click.option("--no-reduction", is_flag=True, help="Explore every interleaving.")
@click.option("--no-symmetry", is_flag=True, help="Explore what differs only in the names of roles, too.")
@click.option(
    "--threads", type=int, metavar="N", help="Threads of large searches; by default one per processor."
)
@click.option(
    "--dask",
    "cluster",
    metavar="ADDRESS",
    help="Explore on the workers of this Dask scheduler, without reduction and symmetry. "
    "Dask uses pickle and no authentication: use a network that you trust, or TLS (docs/cluster.md).",
)
@click.option("--no-replay", is_flag=True, help="Show violations without replaying them first.")
@click.option(
    "--certificate",
    "certificates",
    is_flag=True,
    help="Prove what is said of survival and requirements; --json includes the proofs.",
)
@click.option("-v", "--verbose", is_flag=True, help="Decide the classes of the paper, too, and show them.")
@click.option("--fail-fast", is_flag=True, help="Ask nothing more once a violation is known.")
@click.option("--examples", is_flag=True, help="Add a sample run for each property that holds, and coverage.")
@click.option("--junit", metavar="PATH", help="Also write the verdicts as JUnit XML; - for standard output.")
@click.option(
    "--sarif", metavar="PATH", help="Also write violations, mistakes and warnings as SARIF, with their lines."
)
@click.option(
    "--github",
    is_flag=True,
    help="On GitHub Actions: annotate the lines, and add a summary with the charts to the page of the run.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    default=1,
    metavar="N",
    help="Check so many files at a time, each in a process of its own with the limits that are given.",
)
@limit_options
@disk_option
@json_option
def command(
    sources: tuple[str, ...],
    format: str | None,
    strict: bool,
    verbose: bool,
    jobs: int,
    examples: bool,
    junit: str | None,
    sarif: str | None,
    github: bool,
    as_json: bool,
    **asked: Any,
) -> int:
    """Does the protocol in FILE survive the failures, and how many faults does it take to break it?

    Several files and folders may be given. The exit code depends on survival, on requirements, and on the
    properties named with --property; with -v the classes of the paper are shown beside them.

    \b
    Examples:
      stormproof check alternating-bit --loss
      stormproof check shop.storm --corrupt-on Shop:Buyer --budget 2
      stormproof check protocols/ --loss
      stormproof check two-phase-commit --crash Coordinator --json
      stormproof check transfer.py:protocol --loss     (roles in Python; runs the file)
      stormproof convert net.scm --to json | stormproof check - -k 3 --property k-mc
    """
    printed = [as_json, junit == "-", sarif == "-"].count(True)
    if printed > 1:
        raise UsageError("--json, --junit - and --sarif - print to standard output; give only one of them")
    if printed and github:
        raise UsageError("--github prints annotations to standard output; write reports to files beside it")
    files = files_of(sources)
    question = _question(format, **asked)
    printers = {source: _Printer(source, question, verbose, quiet=printed > 0) for source in files}
    answers: list[Answered] = []
    for answered in _answers(printers, jobs, format=format, examples=examples, verbose=verbose, **asked):
        answers.append(answered)
        with uninterrupted():
            printers[answered.source].warn(answered.warnings)
            if not as_json:
                printers[answered.source].finish(answered, len(files) > 1)
            if strict:
                _say_what_is_strict(answered)
        if answered.interrupted or is_over():
            break
        if asked["fail_fast"] and _code(answered, strict) == VIOLATED:
            break
    codes = [_code(a, strict) for a in answers] + [UNDECIDED] * (len(files) > len(answers))
    with uninterrupted():
        if junit is not None or sarif is not None or github:
            _save(junit, sarif, github, answers)
        if as_json:
            _print_json(answers, single=len(files) == 1)
        elif len(files) > 1 and not printed:
            stopped = answers[-1].interrupted or is_over()
            _print_summary(console(), files, codes, len(files) - len(answers), stopped)
    return next(code for code in PRECEDENCE if code in codes)


class Unanswered(StormproofError):
    """Nothing is known of a file: the process that checked it has died."""


class Interrupted(Unanswered):
    """Ctrl-C, SIGTERM or the deadline came before anything was known of a file."""


@dataclass(frozen=True)
class Answered:
    """One file that was checked, and sample runs where they were asked for."""

    source: str
    answer: Report | StormproofError
    warnings: tuple[Warning, ...] = ()
    places: Places | NoPlaces | None = None
    samples: Any = None

    @property
    def interrupted(self) -> bool:
        return (
            self.answer.interrupted
            if isinstance(self.answer, Report)
            else isinstance(self.answer, Interrupted)
        )


def _answers(printers: dict[str, _Printer], jobs: int, **asked: Any) -> Iterator[Answered]:
    """One for each source, in their order, until Ctrl-C."""
    if jobs == 1 or len(printers) == 1:
        for source, printer in printers.items():
            yield _checked_or_interrupted(source, printer, **asked)
        return
    if asked["threads"] is None:
        asked["threads"] = max(1, (os.cpu_count() or 1) // jobs)
    sources, done = list(printers), 0
    silent = _Printer("", "", verbose=False, quiet=True, silent=True)
    found = side_by_side(
        sources,
        lambda source: _checked_or_interrupted(source, silent, **asked),
        jobs,
        lambda source, death: Answered(source, Unanswered(f"undecided: {death}")),
    )
    with closing(found), progress_line() as line:
        try:
            line.say(f"0 of {plural(len(sources), 'file')}")
            for done, answered in enumerate(found, start=1):
                with line.hidden():
                    yield answered
                line.say(f"{done} of {plural(len(sources), 'file')}")
        except KeyboardInterrupt:
            with line.hidden():
                yield Answered(sources[done], Interrupted(f"undecided: {why_interrupted()}"))


def _checked_or_interrupted(source: str, printer: _Printer, **asked: Any) -> Answered:
    try:
        return _checked(source, printer=printer, **asked)
    except KeyboardInterrupt:
        return Answered(source, Interrupted(f"undecided: {why_interrupted()}"))


def _checked(source: str, format: str | None, examples: bool, printer: _Printer, **asked: Any) -> Answered:
    """The report on one source. Of several files, one that is wrong does not hold up the others."""
    try:
        system, warnings, places = load_with_places(source, format)
    except StormproofError as problem:
        return Answered(source, problem)
    printer.warn(warnings)
    try:
        report = _report(system, printer, **asked)
    except StormproofError as problem:
        return Answered(source, problem, warnings, places)
    answered = Answered(source, report, warnings, places)
    if not examples or answered.interrupted:
        return answered
    from ...search.examples.find import examples as sample

    try:
        return replace(answered, samples=sample(report, asked["k"]))
    except KeyboardInterrupt:
        click.echo(f"{source}: no sample runs: {why_interrupted()}", err=True)
        return answered


def _report(
    system: System,
    printer: _Printer,
    *,
    failures: Failures,
    effort: int,
    unbounded: bool,
    limits: Limits,
    k: int | None,
    max_k: int | None,
    properties: tuple[str, ...],
    semantics: str,
    no_reduction: bool,
    no_symmetry: bool,
    threads: int | None,
    cluster: str | None,
    no_replay: bool,
    certificates: bool,
    verbose: bool,
    fail_fast: bool,
) -> Report:
    with progress_line() as line:

        def answered(report: Report) -> None:
            with line.hidden(), uninterrupted():
                printer.answer(report)

        return check(
            system,
            failures,
            k=k,
            max_k=max_k,
            properties=properties or None,
            limits=limits,
            semantics=semantics,
            reduction=not no_reduction,
            symmetry=not no_symmetry,
            threads=threads,
            cluster=cluster,
            replay=not no_replay,
            progress=line.show,
            effort=effort,
            unbounded=unbounded,
            certificates=certificates,
            classes=verbose,
            fail_fast=fail_fast,
            found=lambda known: line.show_above(lambda screen: print_known(screen, known)),
            answered=answered,
        )


def _code(answered: Answered, strict: bool) -> int:
    """A violation stays one where something else is wrong, too."""
    answer = answered.answer
    if isinstance(answer, StormproofError):
        return UNDECIDED if isinstance(answer, Unanswered) else WRONG
    wrong = strict and (answered.warnings or answer.vacuous)
    return WRONG if wrong and answer.exit_code != VIOLATED else answer.exit_code


def _say_what_is_strict(answered: Answered) -> None:
    """Why the exit code is not that of the answer; warnings are on standard error already."""
    vacuous = answered.answer.vacuous if isinstance(answered.answer, Report) else ()
    for said in vacuous:
        show_problem(f"{display_name(answered.source)}: error: {said} (--strict)")


def _save(junit_file: str | None, sarif_file: str | None, github: bool, answers: list[Answered]) -> None:
    """What CI reads is written anew each time."""
    from importlib.metadata import version

    from ...tell.ci.checked_file import CheckedFile
    from ...tell.ci.junit import junit
    from ...tell.ci.sarif import sarif

    files = [CheckedFile(a.source, a.answer, a.warnings, a.places) for a in answers]
    if junit_file is not None:
        save_text(None if junit_file == "-" else junit_file, junit(files), overwrite=True)
    if sarif_file is not None:
        text = sarif(files, version("stormproof"), _home())
        save_text(None if sarif_file == "-" else sarif_file, text, overwrite=True)
    if github:
        _show_on_github(files)


def _home() -> str | None:
    """Where the project is, if the package was released from there."""
    from importlib.metadata import metadata

    urls = metadata("stormproof").get_all("Project-URL") or []
    return next((url.partition(", ")[2] for url in urls if url.startswith("Homepage, ")), None)


def _show_on_github(files: Sequence[CheckedFile]) -> None:
    """Annotations on standard output, which the runner reads; the summary where it says."""
    from ...tell.ci.github import summary, workflow_commands

    click.echo(workflow_commands(files), nl=False)
    page = os.environ.get("GITHUB_STEP_SUMMARY")
    if page:
        try:
            with open(page, "a", encoding="utf-8") as file:  # noqa: PTH123
                file.write(summary(files))
        except OSError as problem:
            raise OutputError(f"the summary cannot be written to '{page}': {problem.strerror}") from None


def _question(format: str | None, k: int | None, max_k: int | None, properties: Any, **_: Any) -> str:
    """The flags that ask the same of the same file, failures aside."""
    return (f" --format {format}" if format else "") + question_flags(k, max_k, properties)


@dataclass
class _Printer:
    """Prints the warnings and the answer on one file as soon as they are known, and below it the classes when
    they are; a silent one leaves that to another process."""

    source: str
    question: str
    verbose: bool
    quiet: bool
    answered: bool = False
    silent: bool = False
    warned: bool = False

    def warn(self, warnings: Sequence[Warning]) -> None:
        if not self.silent and not self.warned:
            for warning in warnings:
                show_problem(str(warning))
        self.warned = True

    def answer(self, report: Report) -> None:
        if self.quiet or self.answered:
            return
        out = console()
        print_answer(out, report)
        out.file.flush()
        self.answered = True

    def finish(self, checked: Answered, several: bool) -> None:
        report, out = checked.answer, console()
        if isinstance(report, StormproofError):
            show_problem(report.report())
            return
        self.answer(report)
        if self.quiet:
            return
        print_end(out, report, self.source, self.question, self.verbose)
        if checked.samples is not None:
            print_examples(out, checked.samples)
        if several:
            out.rule(style="dim")
            out.file.flush()


def _print_json(answers: list[Answered], single: bool) -> None:
    rows = []
    for answer in answers:
        source, report = answer.source, answer.answer
        if isinstance(report, StormproofError):
            if single and not answer.interrupted:
                raise report
            mistake = None if isinstance(report, Unanswered) else report
            rows.append({"file": source, **refusal_to_json(str(report), mistake)})
            continue
        data = report.to_json()
        if answer.samples is not None:
            data["examples"] = answer.samples.to_json()
        rows.append(data if single else {"file": source, **data})
    alone = single and isinstance(answers[0].answer, Report)
    print_json(rows[0] if alone else {"stormproof": 1, "reports": rows})


def _print_summary(out: Console, sources: list[str], codes: list[int], rest: int, stopped: bool) -> None:
    names = {HOLDS: "survive", VIOLATED: "violated", UNDECIDED: "undecided", WRONG: "not read"}
    counts = [
        f"{codes.count(code)} {names[code]}" for code in (HOLDS, VIOLATED, UNDECIDED, WRONG) if code in codes
    ]
    out.print(Text(f"{plural(len(sources), 'file')}: {', '.join(counts)}", style="bold"))
    for source, code in zip(sources, codes):
        if code != HOLDS:
            out.print(Text(f"  {names[code]}: {source}"))
    if rest > 0:
        why = why_interrupted() if stopped else "--fail-fast"
        out.print(Text(f"  {why}: {plural(rest, 'file')} not checked"))
