"""`stormproof report`: one page to send to others."""

from __future__ import annotations

import shlex
from importlib.metadata import version

import click

from ...kernel.model.failures import Failures
from ...kernel.model.phrases import plural
from ...languages import formats
from ...limits import Limits, is_over, why_interrupted
from ...search.checks.report import Report, Verdict
from ...search.examples.find import WHOLE_BUDGET, Examples, examples
from ...surveys.claims import asked_of
from ...surveys.failure_models import asked_column, survey
from ...surveys.frontier import frontier
from ...tell.draw.page.report import report_page
from ...tell.explain.explanation import explain
from . import TYPED, UNDECIDED
from .console import print_json, progress_line, save_text, uninterrupted
from .options import (
    effort_option,
    failure_options,
    input_argument,
    json_option,
    limit_options,
    load_input,
    output_options,
    question_options,
)
from .render import flags


@click.command("report")
@input_argument
@failure_options
@effort_option
@question_options
@click.option(
    "--frontier",
    "of",
    metavar="NAME",
    help="Add the frontier of survival, a requirement or a property, as `frontier` computes it.",
)
@click.option(
    "--examples",
    "with_examples",
    is_flag=True,
    help="Add a sample run for each property that holds, and coverage.",
)
@click.option("--no-replay", is_flag=True, help="Show violations without replaying them first.")
@output_options
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
    of: str | None,
    with_examples: bool,
    no_replay: bool,
    output: str | None,
    force: bool,
    as_json: bool,
) -> int:
    """Write a page with the automata of FILE, its verdicts, and every violation to step through.

    The verdicts are those under no failure, loss, corruption, reordering, crashes where somebody may crash,
    and the failures asked for.

    The page is one file that needs no network. The exit code is that of `check` with the same flags.

    \b
    Examples:
      stormproof report alternating-bit --loss -o report.html
      stormproof report shop.storm --crash Shop --timeout 60 -o shop.html --force
    """
    if output is not None:
        formats.check_free(output, overwrite=force)
    system = load_input(source, format)
    if of is not None:
        asked_of(system, of)  # a name that nothing has is said before the long search
    with progress_line() as line:
        reports = survey(
            system,
            failures,
            k=k,
            max_k=max_k,
            properties=properties or None,
            limits=limits,
            replay=not no_replay,
            progress=line.show,
            effort=effort,
        )
    edge, samples = None, {}
    try:
        if is_over() or any(r.interrupted for r in reports.values()):
            raise KeyboardInterrupt
        edge = None if of is None else frontier(system, of, k=k, limits=limits)
        samples = _samples(reports, k) if with_examples else {}
    except KeyboardInterrupt:
        if of is not None or with_examples:
            click.echo(f"the page has no frontier or no sample runs: {why_interrupted()}", err=True)
    with uninterrupted():
        page = report_page(
            system,
            reports,
            frontier=edge,
            examples=samples,
            explain=explain,
            command=lambda report, verdict: _again(_file(source, format), report, verdict),
            about={name: r.assumed for name, r in reports.items()},
            again=click.get_current_context().meta[TYPED],
            version=version("stormproof"),
            asked=asked_column(system, failures),
        )
        _write(page, reports, samples, output, force, as_json)
    asked = reports.get(asked_column(system, failures))
    return UNDECIDED if asked is None else asked.exit_code


def _samples(reports: dict[str, Report], k: int | None) -> dict[str, Examples]:
    """Sample runs under each model; the effort for them is shared out."""
    whole = 2 * WHOLE_BUDGET // len(reports)
    return {name: examples(report, k, whole=whole) for name, report in reports.items()}


def _file(source: str, format: str | None) -> str:
    """The file as a command line names it, with its language where that was given."""
    return ("FILE" if source == "-" else shlex.quote(source)) + (f" --format {format}" if format else "")


def _again(file: str, report: Report, verdict: Verdict) -> str:
    """The command that shows this verdict alone."""
    bound = f" -k {verdict.witness_k}" if verdict.witness_k is not None else ""
    if verdict.holds:
        bound = " --examples" + (f" -k {verdict.k}" if verdict.k is not None else "")
    return f"stormproof check {file}{flags(report)} --property {shlex.quote(verdict.property)}{bound}"


def _write(
    page: str,
    reports: dict[str, Report],
    samples: dict[str, Examples],
    output: str | None,
    force: bool,
    as_json: bool,
) -> None:
    if output is not None or not as_json:
        save_text(output, page, overwrite=force)
    violated = sum(v.ok is False for r in reports.values() for v in r)
    every = sum(len(r.verdicts) for r in reports.values())
    if as_json:
        where = {"output": output} if output is not None else {"text": page}
        models = {name: r.to_json() for name, r in reports.items()}
        for name, found in samples.items():
            models[name]["examples"] = found.to_json()
        print_json({"stormproof": 1, **where, "models": models})
    elif output is not None:
        click.echo(
            f"{output}: {plural(every, 'verdict')} under {plural(len(reports), 'failure model')}, "
            f"{violated} violated"
        )
