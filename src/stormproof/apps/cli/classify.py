"""`stormproof classify`: where a system is in the paper's diagram of classes."""

from __future__ import annotations

import click
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ...kernel.model.faults import SCOPES
from ...kernel.model.status import Status
from ...languages import formats
from ...limits import Limits
from ...search.checks.report import Verdict
from ...surveys.classify import CLASSES, DAGGER, Membership, Standings, classify
from ...tell.draw.class_diagram import diagram_svg
from .console import console, print_json, progress_line, save_text, uninterrupted
from .options import effort_option, input_argument, json_option, limit_options, load_input
from .render import print_heading
from .signs import signed


@click.command("classify")
@input_argument
@effort_option
@click.option(
    "--max-k",
    type=int,
    metavar="N",
    help="The largest bound to try: 6 for survival, 10 for the k-properties.",
)
@click.option(
    "--corrupt-scope",
    type=click.Choice(SCOPES),
    default="channel",
    show_default=True,
    help="What a corrupted message may become.",
)
@click.option(
    "-o", "--output", metavar="PICTURE.svg", help="Also draw the diagram into this file; - prints it alone."
)
@click.option("--force", is_flag=True, help="Overwrite PICTURE.svg if it exists.")
@click.option("--survival", is_flag=True, help="Add survival and the requirements of FILE.")
@limit_options
@json_option
def command(
    source: str,
    format: str | None,
    effort: int,
    max_k: int | None,
    corrupt_scope: str,
    survival: bool,
    output: str | None,
    force: bool,
    limits: Limits,
    as_json: bool,
) -> int:
    """Which classes of systems does the system in FILE belong to?

    On perfect channels, and with loss, corruption or reordering on every channel; faults that FILE declares
    are ignored. Exit code 3 if a limit or Ctrl-C left something undecided, otherwise 0.

    \b
    Examples:
      stormproof classify alternating-bit
      stormproof classify shop.storm --survival
      stormproof classify shop.storm --max-k 3 -o place.svg
    """
    if output not in (None, "-"):
        formats.check_free(output, overwrite=force)
    system = load_input(source, format)
    with progress_line() as line:
        standings = classify(
            system,
            max_k=max_k,
            corrupt_scope=corrupt_scope,
            survival=survival,
            limits=limits,
            progress=line.show,
            effort=effort,
        )
    with uninterrupted():
        if output is not None:
            save_text(None if output == "-" else output, diagram_svg(standings), overwrite=force)
        if as_json:
            print_json(standings.to_json())
        elif output != "-":
            print_standings(console(), standings, source)
    return standings.exit_code


def print_standings(screen: Console, standings: Standings, source: str) -> None:
    print_heading(screen, standings.system, source)
    screen.print()
    if standings.standings:
        screen.print(standing_table(standings))
        screen.print()
    for remark in _remarks(standings):
        screen.print(Padding(Text(remark, style="dim"), (0, 0, 0, 2)))


def standing_table(standings: Standings) -> Table:
    table = Table(box=None, padding=(0, 1), pad_edge=True, header_style="dim")
    table.add_column("class", no_wrap=True)
    for name in standings.asked:
        table.add_column(name, no_wrap=True, min_width=len(name))
    for name, caption in CLASSES.items():
        shown = f"{caption} †" if name in DAGGER else caption
        outside = name in DAGGER and not standings.system.csa
        table.add_row(shown, *(_cell(s[name], outside) for s in standings.standings))
    for verdicts in zip(*(s.survival for s in standings.standings), strict=True):
        table.add_row(verdicts[0].property, *map(_survival_cell, verdicts))
    return table


def _survival_cell(verdict: Verdict) -> Text:
    """`✔` for channels of any length, `◐ ≤6` for those up to 6, `✘ 2` where two faults break it."""
    number = f" {verdict.faults}" if verdict.holds is False else ""
    number = number if verdict.up_to is None else f" ≤{verdict.up_to}"
    return signed(verdict.status, number)


def _cell(found: Membership, outside: bool = False) -> Text:
    """In brackets where the property is asked of a system that its class is not defined for."""
    if found.holds is None:
        return signed(Status.UNDECIDED) if found.applies else Text("–", style="dim")
    if not found.holds:
        return signed(Status.VIOLATED)
    words = signed(Status.PROVED, "" if found.k is None else f" k={found.k}")
    return Text(f"({words})", style="dim") if outside else words


def _remarks(standings: Standings) -> list[str]:
    """Why something is unknown, and what the verdicts say beside; each once, with where it belongs."""
    found: dict[str, list[str]] = {}
    for standing in standings.standings:
        for name, membership in standing.classes.items():
            if membership.holds is None and membership.reason:
                found.setdefault(f"{CLASSES[name]}: {membership.reason}", []).append(standing.interference)
        for note in standing.notes:
            found.setdefault(note, []).append(standing.interference)
    survival = "survival: ✘ with so many faults, ◐ ≤ for channels up to that length"
    return [
        *standings.notes,
        f"✘ k-properties: for no k up to {standings.max_k}; † defined on session automata",
        *([survival] if any(s.survival for s in standings.standings) else []),
        *(
            f"{'' if len(who) == len(standings.asked) else ', '.join(who) + ' · '}{what}"
            for what, who in found.items()
        ),
    ]
