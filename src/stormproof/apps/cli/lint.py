"""`stormproof lint`: mistakes and warnings, without a check."""

from __future__ import annotations

from typing import Any

import click

from ...errors import InputError
from ...kernel.model.phrases import plural
from .console import print_json
from .files import files_of
from .options import json_option, load_with_places
from .problems import problem_to_json, show_problem


@click.command("lint")
@click.argument("sources", metavar="FILE...", nargs=-1, required=True)
@click.option("--format", "format", metavar="LANGUAGE", help="Read the files in this language.")
@click.option("--strict", is_flag=True, help="Treat warnings as errors.")
@json_option
def command(sources: tuple[str, ...], format: str | None, strict: bool, as_json: bool) -> int:
    """Report mistakes and warnings in FILE, without checking the protocol.

    Several files and folders may be given. Warnings are about what is allowed and hardly ever meant: a state
    that nothing leads to, a message that nobody sends or receives, a role that cannot rest, a timer that
    leads astray. Exit code 2 for mistakes, and with --strict for warnings.

    \b
    Examples:
      stormproof lint shop.storm
      stormproof lint --strict protocols/
    """
    rows: list[dict[str, Any]] = []
    files = files_of(sources)
    for source in files:
        rows += _lint(source, format, as_json)
    if as_json:
        print_json({"stormproof": 1, "problems": rows})
    elif not rows:
        click.echo(f"no mistakes and no warnings in {plural(len(files), 'file')}")
    wrong = any(strict or row["severity"] == "error" for row in rows)
    return 2 if wrong else 0


def _lint(source: str, format: str | None, quiet: bool) -> list[dict[str, Any]]:
    """The problems of one file, printed unless they are to be JSON."""
    try:
        _, found, _ = load_with_places(source, format)
    except InputError as problem:
        if not quiet:
            show_problem(problem.report(), err=False)
        return [problem_to_json(p, source) for p in (problem, *problem.others)]
    if not quiet:
        for warning in found:
            show_problem(str(warning), err=False)
    return [warning.to_json() for warning in found]
