"""`stormproof frontier`: exactly which failures a protocol tolerates."""

from __future__ import annotations

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..checks.properties import RSC
from ..limits import Limits
from ..model.faults import KINDS
from ..model.phrases import plural
from ..surveys.frontier import FAULTS, PROCESS_FAULTS, Atom, Frontier, frontier, in_words
from .console import console, counter_line, print_json
from .options import input_argument, json_option, limit_options, load_input, split_list


@click.command("frontier")
@input_argument
@click.option(
    "--property", "property_", default=RSC.name, show_default=True, help="The property that must hold."
)
@click.option(
    "-k", "k", type=click.IntRange(1), default=1, show_default=True, help="The bound of a k-property."
)
@click.option("--faults", metavar="F,...", help=f"The faults to try: {', '.join(FAULTS)}.")
@click.option("--channels", metavar="A:B,...", help="The channels to try; default: all in use.")
@click.option("--crash", metavar="P,...", help="The processes whose crash to try; default: none.")
@click.option(
    "--corrupt-scope",
    type=click.Choice(["channel", "sender", "system"]),
    default="channel",
    show_default=True,
    help="What a corrupted message may become.",
)
@click.option(
    "--max-size", type=click.IntRange(0), metavar="N", help="k-properties: sets of at most N choices."
)
@click.option("--no-file-faults", is_flag=True, help="Ignore the faults that FILE declares.")
@limit_options
@json_option
def command(
    source: str,
    format: str | None,
    property_: str,
    k: int,
    faults: str | None,
    channels: str | None,
    crash: str | None,
    corrupt_scope: str,
    max_size: int | None,
    no_file_faults: bool,
    limits: Limits,
    as_json: bool,
) -> int:
    """The maximal failures that FILE tolerates and the minimal ones that break it.

    \b
    Examples:
      stormproof frontier alternating-bit --property rsc
      stormproof frontier go-back-2 --property k-wmc -k 2 --faults loss,reorder
      stormproof frontier two-phase-commit --property k-er-up-to-crash --faults crash
    """
    system = load_input(source, format)
    with counter_line("failure models asked") as progress:
        found = frontier(
            system,
            property_,
            k=k,
            faults=None if faults is None else split_list(faults),
            channels=None if channels is None else split_list(channels),
            processes=None if crash is None else split_list(crash),
            corrupt_scope=corrupt_scope,
            file_faults=not no_file_faults,
            max_size=max_size,
            limits=limits,
            progress=progress,
        )
    if as_json:
        print_json(found.to_json())
    else:
        print_frontier(console(), found)
    return found.exit_code


#: How many tolerated sets are listed; JSON has them all.
MOST_LISTED = 12
WORDS = {**{kind.keyword: kind.noun for kind in KINDS}, **{fault: fault for fault in PROCESS_FAULTS}}
#: What a choice does, as `Frontier.part` says: its sign, colour and legend.
PARTS = {
    "alone": ("✘", "bold red", "breaks it alone"),
    "together": ("◐", "yellow", "breaks it together with others"),
    "open": ("?", "yellow", "undecided"),
    "": ("✔", "green", "in no minimal breaking set"),
}


def print_frontier(out: Console, found: Frontier) -> None:
    bound = "" if found.k is None else f" at k = {found.k}"
    out.print(Text(f"{found.system.name}: {found.property}{bound}", "bold"))
    if all(b.atoms for b in found.breaking):
        out.print()
        out.print(_map(found))
        out.print(Text(_legend(found), "dim"))
        out.print()
    for sets in (_tolerated(found), _breaking(found)):
        if sets.row_count:
            out.print(sets)
    out.print()
    out.print(Text(_closing(found)))


def _map(found: Frontier) -> Table:
    """One row per channel or process, one column per fault: the effect of each choice."""
    rows: dict[str, dict[str, Atom]] = {}
    for atom in found.atoms:
        rows.setdefault(" → ".join(atom.channel or (str(atom.process),)), {})[atom.fault] = atom
    faults = [f for f in WORDS if any(f in row for row in rows.values())]
    table = Table(box=None, padding=(0, 2), header_style="dim")
    table.add_column("", overflow="fold")
    for fault in faults:
        table.add_column(WORDS[fault], justify="center", no_wrap=True)
    for place, row in rows.items():
        table.add_row(Text(place), *(Text(*_sign(found, row.get(f))) for f in faults))
    return table


def _sign(found: Frontier, atom: Atom | None) -> tuple[str, str]:
    return ("", "") if atom is None else PARTS[found.part(atom)][:2]


def _legend(found: Frontier) -> str:
    there = {found.part(atom) for atom in found.atoms}
    words = [f"{sign} {what}" for part, (sign, _, what) in PARTS.items() if part in there]
    among = " among those asked" if found.partial else ""
    return "  " + "   ".join(words) + among


def _grid() -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True, width=9)
    grid.add_column(overflow="fold")
    grid.add_column(overflow="fold")
    return grid


def _tolerated(found: Frontier) -> Table:
    grid = _grid()
    for i, atoms in enumerate(found.tolerated[:MOST_LISTED]):
        grid.add_row(Text("tolerates" if i == 0 else "", "bold green"), Text("✔ " + in_words(atoms)))
    rest = len(found.tolerated) - MOST_LISTED
    if rest > 0:
        grid.add_row("", Text(f"and {plural(rest, 'more maximal set')}; --json lists all", "dim"))
    return grid


def _breaking(found: Frontier) -> Table:
    grid = _grid()
    for i, breaking in enumerate(found.breaking):
        head = Text("breaks at" if i == 0 else "", "bold red")
        grid.add_row(head, Text("✘ " + in_words(breaking.atoms)), Text(breaking.verdict.reason, "dim"))
    for i, atoms in enumerate(found.undecided):
        grid.add_row(Text("undecided" if i == 0 else "", "bold yellow"), Text("? " + in_words(atoms)))
    return grid


def _closing(found: Frontier) -> str:
    good = plural(len(found.tolerated), "maximal tolerated set")
    counted = f"{good}, {plural(len(found.breaking), 'minimal breaking set')}."
    if found.monotone:
        return (
            f"{counted} {found.models:,} failure models: {found.asked:,} decided by search, the rest since "
            f"{found.property} only gets worse with more faults. {found.seconds:.1f} s."
        )
    return f"{counted} Covered: {found.covered}. {found.seconds:.1f} s."
