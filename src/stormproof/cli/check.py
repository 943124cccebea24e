"""`stormproof check`: does it survive, how many faults does it take, which requirements hold?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from ..checks.api import check
from ..checks.properties import PROPERTIES
from ..checks.report import Report
from ..errors import StormproofError, UsageError
from ..formats.registry import readable
from ..limits import Limits
from ..model.failures import Failures
from ..model.phrases import plural
from . import HOLDS, UNDECIDED, VIOLATED, WRONG
from .console import console, print_json, progress_line
from .options import (
    effort_option,
    failure_options,
    json_option,
    limit_options,
    load_with_warnings,
    question_options,
)
from .render import print_examples, print_report, question_flags

#: Over several files, the first of these that occurs is the exit code.
PRECEDENCE = (WRONG, VIOLATED, UNDECIDED, HOLDS)


@click.command("check", epilog="Properties: " + ", ".join(PROPERTIES))
@click.argument("sources", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "--format", "format", metavar="LANGUAGE", help="Read FILE in this language instead of detecting it."
)
@failure_options
@effort_option
@question_options
@click.option("--unbounded", is_flag=True, help="What holds up to some channel length only is undecided.")
@click.option(
    "--semantics",
    type=click.Choice(["definition", "encoding"]),
    default="definition",
    show_default=True,
    help="Faults as the paper defines them, or as its evaluation encodes them.",
)
@click.option("--no-reduction", is_flag=True, help="Explore every interleaving.")
@click.option("--threads", type=int, metavar="N", help="Threads of a full exploration, 1 or 2.")
@click.option("--no-replay", is_flag=True, help="Show violations without replaying them first.")
@click.option("--examples", is_flag=True, help="Add a sample run for each property that holds, and coverage.")
@limit_options
@json_option
def command(
    sources: tuple[str, ...], format: str | None, unbounded: bool, examples: bool, as_json: bool, **asked: Any
) -> int:
    """Does the protocol in FILE survive the failures, and how many faults does it take to break it?

    Several files and folders may be given. The exit code depends on survival, on requirements, and on the
    properties named with --property; the classes of the paper are shown beside them.

    \b
    Examples:
      stormproof check alternating-bit --loss
      stormproof check shop.storm --corrupt-on Shop:Buyer --budget 2
      stormproof check protocols/ --loss
      stormproof check two-phase-commit --crash Coordinator --json
      stormproof check transfer.py:protocol --loss     (roles in Python; runs the file)
      stormproof convert net.scm --to json | stormproof check - -k 3 --property k-mc
    """
    files = _files(sources)
    answers: list[tuple[str, Report | StormproofError, Any]] = []
    for source in files:
        answers.append(_checked(source, format, examples, single=len(files) == 1, **asked))
        if not as_json:
            _print(console(), answers[-1], format, asked, len(files) > 1)
    codes = [_code(report, unbounded) for _, report, _ in answers]
    if as_json:
        _print_json(answers, single=len(files) == 1)
    elif len(files) > 1:
        _print_summary(console(), [source for source, _, _ in answers], codes)
    return next(code for code in PRECEDENCE if code in codes)


def _files(sources: tuple[str, ...]) -> list[str]:
    """The sources, a folder replaced by the files in it whose suffix some language has."""
    found: list[str] = []
    for source in sources:
        found += _inside(Path(source)) if source and _is_folder(source) else [source]
    return list(dict.fromkeys(found))


def _is_folder(source: str) -> bool:
    try:
        return Path(source).is_dir()
    except OSError:  # a name that is too long, which reading the file reports
        return False


def _inside(folder: Path) -> list[str]:
    suffixes = {suffix for language in readable() for suffix in language.suffixes}
    found = sorted(p for p in folder.rglob("*") if p.suffix.lower() in suffixes and p.is_file())
    if not found:
        raise UsageError(f"the folder {folder} has no file in a language that is read")
    return [str(path) for path in found]


def _checked(
    source: str, format: str | None, examples: bool, single: bool, **asked: Any
) -> tuple[str, Report | StormproofError, Any]:
    """The report on one source. Of several files, one that is wrong does not hold up the others."""
    try:
        report = _report(source, format, **asked)
    except StormproofError as problem:
        if single:
            raise
        return source, problem, None
    if not examples:
        return source, report, None
    from ..examples.find import examples as sample

    return source, report, sample(report, asked["k"])


def _report(
    source: str,
    format: str | None,
    *,
    failures: Failures,
    effort: float,
    limits: Limits,
    k: int | None,
    max_k: int | None,
    properties: tuple[str, ...],
    semantics: str,
    no_reduction: bool,
    threads: int | None,
    no_replay: bool,
) -> Report:
    system, warnings = load_with_warnings(source, format)
    for warning in warnings:
        click.echo(str(warning), err=True)
    with progress_line() as progress:
        return check(
            system,
            failures,
            k=k,
            max_k=max_k,
            properties=properties or None,
            limits=limits,
            semantics=semantics,
            reduction=not no_reduction,
            threads=threads,
            replay=not no_replay,
            progress=progress,
            effort=effort,
        )


def _code(answer: Report | StormproofError, unbounded: bool) -> int:
    if isinstance(answer, StormproofError):
        return WRONG
    limited = any(v.counts and v.survival and v.holds and v.up_to is not None for v in answer)
    return UNDECIDED if unbounded and limited and answer.exit_code == HOLDS else answer.exit_code


def _print(
    out: Console,
    answer: tuple[str, Report | StormproofError, Any],
    format: str | None,
    asked: dict[str, Any],
    several: bool,
) -> None:
    source, report, samples = answer
    if isinstance(report, StormproofError):
        click.echo(report.report(), err=True)
        return
    language = f" --format {format}" if format else ""
    flags = question_flags(asked["k"], asked["max_k"], asked["properties"])
    print_report(out, report, source, language + flags)
    if samples is not None:
        print_examples(out, samples)
    if several:
        out.rule(style="dim")


def _print_json(answers: list[tuple[str, Report | StormproofError, Any]], single: bool) -> None:
    rows = []
    for source, report, samples in answers:
        if isinstance(report, StormproofError):
            rows.append({"file": source, "error": str(report)})
            continue
        data = report.to_json()
        if samples is not None:
            data["examples"] = samples.to_json()
        rows.append(data if single else {"file": source, **data})
    print_json(rows[0] if single else {"stormproof": 1, "reports": rows})


def _print_summary(out: Console, sources: list[str], codes: list[int]) -> None:
    names = {HOLDS: "survive", VIOLATED: "violated", UNDECIDED: "undecided", WRONG: "not read"}
    counts = [
        f"{codes.count(code)} {names[code]}" for code in (HOLDS, VIOLATED, UNDECIDED, WRONG) if code in codes
    ]
    out.print(Text(f"{plural(len(sources), 'file')}: {', '.join(counts)}", style="bold"))
    for source, code in zip(sources, codes):
        if code != HOLDS:
            out.print(Text(f"  {names[code]}: {source}"))
