"""`stormproof check`: the main job."""

from __future__ import annotations

from typing import Any

import click

from ..checks.api import check
from ..checks.properties import PROPERTIES
from ..limits import Limits
from ..model.failures import Failures
from .console import console, print_json, progress_line
from .options import failure_options, input_argument, json_option, limit_options, load_input, question_options
from .render import print_examples, print_report, question_flags


@click.command("check", epilog="Properties: " + ", ".join(PROPERTIES))
@input_argument
@failure_options
@question_options
@click.option(
    "--semantics",
    type=click.Choice(["definition", "encoding"]),
    default="definition",
    show_default=True,
    help="Faults as the paper defines them, or as its evaluation encodes them.",
)
@click.option("--no-reduction", is_flag=True, help="Explore every interleaving.")
@click.option("--threads", type=click.IntRange(1, 256), metavar="N", help="Threads of a full exploration.")
@click.option("--no-replay", is_flag=True, help="Show violations without replaying them first.")
@click.option(
    "--examples", is_flag=True, help="Also a sample run for each property that holds, and coverage."
)
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
    semantics: str,
    no_reduction: bool,
    threads: int | None,
    no_replay: bool,
    examples: bool,
    as_json: bool,
) -> Any:
    """Does the protocol in FILE work under the failures?

    \b
    Examples:
      stormproof check alternating-bit --loss
      stormproof check shop.storm --corrupt-on Shop:Buyer --property k-wmc
      stormproof check two-phase-commit --crash Coordinator --json
      stormproof convert net.scm --to json | stormproof check - -k 3
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
            semantics=semantics,
            reduction=not no_reduction,
            threads=threads,
            replay=not no_replay,
            progress=progress,
        )
    samples = None
    if examples:
        from ..examples.find import examples as sample

        samples = sample(report, k)
    if as_json:
        data = report.to_json()
        if samples is not None:
            data["examples"] = samples.to_json()
        print_json(data)
    else:
        language = f" --format {format}" if format else ""
        print_report(console(), report, source, language + question_flags(k, max_k, properties))
        if samples is not None:
            print_examples(console(), samples)
    return report.exit_code
