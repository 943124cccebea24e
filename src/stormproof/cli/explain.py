"""`stormproof explain`: why a property fails, in sentences."""

from __future__ import annotations

import click
from rich.text import Text

from ..checks.api import check
from ..explain.explanation import explanations
from ..limits import Limits
from ..model.failures import Failures
from .console import console, print_json, progress_line
from .options import failure_options, input_argument, json_option, limit_options, load_input, question_options


@click.command("explain")
@input_argument
@failure_options
@question_options
@limit_options
@json_option
def command(
    source: str,
    format: str | None,
    failures: Failures,
    limits: Limits,
    k: int | None,
    max_k: int,
    properties: tuple[str, ...],
    as_json: bool,
) -> int:
    """Why does the protocol in FILE not work under the failures?

    One paragraph per property that fails: what happens, who waits for what, what was lost, what nobody will
    ever send, and a repair if one was tried on that run and works.

    \b
    Examples:
      stormproof explain alternating-bit --loss
      stormproof explain two-phase-commit --crash Coordinator --property k-pg
    """
    system = load_input(source, format)
    with progress_line() as progress:
        report = check(
            system,
            failures,
            k=k,
            max_k=max_k,
            properties=properties or None,
            limits=limits,
            progress=progress,
        )
    told = explanations(report)
    if as_json:
        print_json(
            {"stormproof": 1, "notes": list(report.notes), "explanations": [e.to_json() for e in told]}
        )
        return report.exit_code
    out = console()
    paragraphs = [*(f"Note: {note}." for note in report.notes), *(e.text for e in told)]
    for i, paragraph in enumerate(paragraphs):
        if i:
            out.print()
        out.print(Text(paragraph))
    return report.exit_code
