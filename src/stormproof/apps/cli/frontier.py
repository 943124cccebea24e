"""`stormproof frontier`: exactly which failures a protocol tolerates, and how many faults break it."""

from __future__ import annotations

from dataclasses import replace

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...errors import UsageError
from ...kernel.model.budget import budget_of
from ...kernel.model.phrases import listed, plural
from ...kernel.model.status import Status
from ...limits import Limits
from ...surveys.choices import (
    CHANNEL_FAULTS,
    FAULTS,
    PROCESS_FAULTS,
    Atom,
    declared_kinds,
    fault_noun,
    in_words,
)
from ...surveys.claims import SURVIVAL, requirement_of
from ...surveys.fault_counts import FaultCount, FaultCounts, fault_counts
from ...surveys.frontier import BESIDE, Frontier, Tolerated, frontier
from ...surveys.timer_modes import mode_in_words, status_in
from .console import console, counter_line, print_json, uninterrupted
from .options import (
    budget_option,
    effort_option,
    input_argument,
    json_option,
    limit_options,
    load_input,
    split_list,
)
from .signs import COLOURS, signed


@click.command("frontier")
@input_argument
@click.option(
    "--property",
    "property_",
    default=SURVIVAL,
    show_default=True,
    metavar="NAME",
    help="What must hold: survival with the requirements of FILE, one of them, or a property.",
)
@click.option("--count", is_flag=True, help="Count instead: how many faults of each kind break it?")
@click.option(
    "-k", "k", type=click.IntRange(1), metavar="N", help="This bound only; for k-properties 1 if left out."
)
@click.option(
    "--faults",
    metavar="F,...",
    help=f"The faults to try: {', '.join(FAULTS)}, or all; by default those that FILE declares.",
)
@click.option("--channels", metavar="A:B,...", help="The channels to try; default: all in use.")
@click.option("--processes", metavar="P,...", help="The processes to try; default: all.")
@click.option(
    "--corrupt-scope",
    type=click.Choice(["channel", "sender", "system"]),
    default="channel",
    show_default=True,
    help="What a corrupted message may become.",
)
@budget_option
@click.option(
    "--max-size", type=click.IntRange(0), metavar="N", help="k-properties: sets of at most N choices."
)
@click.option("--file-faults", is_flag=True, help="What FILE declares may always happen, and is no choice.")
@effort_option
@limit_options
@json_option
def command(
    source: str,
    format: str | None,
    property_: str,
    count: bool,
    k: int | None,
    faults: str | None,
    channels: str | None,
    processes: str | None,
    corrupt_scope: str,
    budget: str | None,
    max_size: int | None,
    file_faults: bool,
    effort: int,
    limits: Limits,
    as_json: bool,
) -> int:
    """The maximal failures that FILE survives and the minimal ones that break it.

    Each choice is a fault on a channel or of a process; what FILE declares is a choice like the others. An
    announced crash is one only where the protocol as written handles it.

    \b
    Examples:
      stormproof frontier alternating-bit
      stormproof frontier alternating-bit-retransmit --count
      stormproof frontier four-player-game --property rsc
      stormproof frontier go-back-2 --property k-wmc -k 2 --faults loss,reorder
    """
    if count and max_size is not None:
        raise UsageError("--max-size does not go with --count; remove one of them")
    system = load_input(source, format)
    declared = () if faults is not None or file_faults else declared_kinds(system)
    asked = None if faults in (None, "all") else split_list(faults or "")
    chosen = {
        "k": k,
        "faults": declared or asked,
        "channels": None if channels is None else split_list(channels),
        "processes": None if processes is None else split_list(processes),
        "corrupt_scope": corrupt_scope,
        "file_faults": file_faults,
        "limits": limits,
        "effort": effort,
        "budget": budget_of(budget),
    }
    with counter_line("failure models asked") as progress:
        found: Frontier | FaultCounts
        if count:
            found = fault_counts(system, property_, progress=progress, **chosen)  # type: ignore[arg-type]
        else:
            found = frontier(system, property_, max_size=max_size, progress=progress, **chosen)  # type: ignore[arg-type]
    if declared and len(declared) < len(FAULTS):
        kinds = listed(map(fault_noun, declared))
        only = f"tried is what the file declares, {kinds}; --faults all tries every kind"
        found = replace(found, notes=(*found.notes, only))
    with uninterrupted():
        if as_json:
            print_json(found.to_json())
        elif isinstance(found, FaultCounts):
            print_counts(console(), found)
        else:
            print_frontier(console(), found)
    return found.exit_code


#: How many sets of each kind are listed, and how many channels or processes; JSON has them all.
MOST_LISTED, MOST_ROWS = 12, 100
#: What a choice does, as `Frontier.part` and `Frontier.status` say: its legend.
LEGEND = {
    ("alone", Status.VIOLATED): "breaks it alone",
    ("together", Status.VIOLATED): "breaks it together with others",
    ("open", Status.UNDECIDED): "undecided",
    ("", Status.PROVED): "tolerated",
    ("", Status.BOUNDED): "tolerated up to some channel length",
}


def print_frontier(out: Console, found: Frontier) -> None:
    _print_title(out, found, "" if found.k is None else f" at k = {found.k}")
    if found.without_faults is not None:
        out.print(signed(Status.VIOLATED, f" fails without any fault: {found.reason(found.without_faults)}"))
        _print_timers(out, found, 0)
        return
    for faults in (CHANNEL_FAULTS, PROCESS_FAULTS):
        if any(atom.fault in faults for atom in found.atoms):
            out.print()
            out.print(_map(found, [a for a in found.atoms if a.fault in faults]))
    _print_timers(out, found, max((len(a.place) + 2 for a in found.atoms), default=0))
    out.print(Text(_legend(found), "dim"))
    out.print()
    for sets in (_tolerated(found), _breaking(found)):
        if sets.row_count:
            out.print(sets)
    out.print()
    out.print(Text(_closing(found)))


def _print_title(out: Console, found: Frontier | FaultCounts, bound: str = "") -> None:
    budget = f", {found.budget}" if found.budget.limited else ""
    out.print(Text(f"{found.system.name}: {found.property}{bound}{budget}", "bold"))
    for note in found.notes:
        out.print(Text(f"note: {note}"))


def _print_timers(out: Console, found: Frontier, width: int) -> None:
    """In line with the tables above: does it hold without faults in each mode of timers?"""
    if not found.timers:
        return
    line = Text(f"  {'timers':{width}}  ")
    for mode, verdict in found.timers.items():
        line += Text("  ") + signed(status_in(verdict)) + Text(f" {mode_in_words(mode, verdict)}")
    out.print()
    out.print(line)


def _map(found: Frontier, atoms: list[Atom]) -> Table:
    """One row per channel or process, one column per fault: the effect of each choice."""
    rows: dict[str, dict[str, Atom]] = {}
    for atom in atoms:
        rows.setdefault(atom.place.replace("→", " → "), {})[atom.fault] = atom
    faults = [f for f in FAULTS if any(f in row for row in rows.values())]
    table = Table(box=None, padding=(0, 2), header_style="dim")
    table.add_column("", overflow="fold", min_width=max(len(a.place) + 2 for a in found.atoms))
    for fault in faults:
        table.add_column(fault_noun(fault), justify="center", overflow="fold", min_width=4)
    shown = _shown(found, rows)
    for place in shown:
        table.add_row(Text(place), *(_cell(found, rows[place].get(f)) for f in faults))
    if len(shown) < len(rows):
        table.add_row(Text(f"and {len(rows) - len(shown):,} more; --json lists all", "dim"))
    return table


def _shown(found: Frontier, rows: dict[str, dict[str, Atom]]) -> list[str]:
    """Of many rows those first in which a choice breaks it, in the order of all."""
    breaking = [
        p for p, row in rows.items() if any(found.part(a) in ("alone", "together") for a in row.values())
    ]
    chosen = set(list(dict.fromkeys([*breaking, *rows]))[:MOST_ROWS])
    return [place for place in rows if place in chosen]


def _cell(found: Frontier, atom: Atom | None) -> Text:
    return Text("") if atom is None else Text(found.sign(atom), COLOURS[found.status(atom)])


def _legend(found: Frontier) -> str:
    there = {(found.part(atom), found.status(atom)) for atom in found.atoms}
    words = [
        f"{status.sign}{BESIDE if part == 'together' else ''} {what}"
        for (part, status), what in LEGEND.items()
        if (part, status) in there
    ]
    words = [w if found.complete else w.replace(" tolerated", " tolerated alone") for w in words]
    signs = "".join(found.sign(atom) for atom in found.atoms)
    if any(letter.isdigit() for letter in signs):
        words[0] += ", with so many faults"
    words += ["≤ fewer are not excluded"] if "≤" in signs else []
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
    shown = _worth_listing(found)
    for i, tolerated in enumerate(shown[:MOST_LISTED]):
        head = Text("tolerates" if i == 0 else "", "bold green")
        words = Text(f"{tolerated.status.sign} {in_words(tolerated.atoms, found.system)}")
        grid.add_row(head, words, Text(found.extent(tolerated), "dim"))
    _add_rest(grid, len(shown))
    return grid


def _worth_listing(found: Frontier) -> list[Tolerated]:
    """Where not all is decided, choices that are tolerated alone are in the map already."""
    several = [t for t in found.tolerated if len(t.atoms) > 1]
    return several if several and not found.complete else list(found.tolerated)


def _breaking(found: Frontier) -> Table:
    grid = _grid()
    for i, breaking in enumerate(found.breaking[:MOST_LISTED]):
        head = Text("breaks at" if i == 0 else "", "bold red")
        grid.add_row(
            head,
            Text(f"{Status.VIOLATED.sign} {in_words(breaking.atoms)}"),
            Text(found.reason(breaking), "dim"),
        )
    _add_rest(grid, len(found.breaking))
    for i, atoms in enumerate(found.undecided[:MOST_LISTED]):
        grid.add_row(
            Text("undecided" if i == 0 else "", "bold yellow"),
            Text(f"{Status.UNDECIDED.sign} {in_words(atoms, found.system)}"),
        )
    _add_rest(grid, len(found.undecided))
    return grid


def _add_rest(grid: Table, count: int) -> None:
    if count > MOST_LISTED:
        grid.add_row("", Text(f"and {plural(count - MOST_LISTED, 'more set')}; --json lists all", "dim"))


def _closing(found: Frontier) -> str:
    good = plural(len(found.tolerated), "maximal tolerated set" if found.complete else "tolerated set")
    counted = f"{good}, {plural(len(found.breaking), 'minimal breaking set')}."
    if not found.complete:
        left = f"{plural(len(found.undecided), 'set')} undecided within the limits"
        searched = f"{found.models_in_words} failure models: {found.asked:,} searched, {left}"
        return f"{counted} {searched}. {found.seconds:.1f} s."
    if found.monotone:
        return (
            f"{counted} {found.models_in_words} failure models: {found.asked:,} decided by search, the rest "
            f"since {found.property} only gets worse with more faults. {found.seconds:.1f} s."
        )
    return f"{counted} Covered: {found.covered}. {found.seconds:.1f} s."


def print_counts(out: Console, found: FaultCounts) -> None:
    """A line per kind of fault, and all of them together."""
    _print_title(out, found)
    out.print()
    table = Table.grid(padding=(0, 2))
    for style in ({"no_wrap": True}, {"no_wrap": True}, {"overflow": "fold"}):
        table.add_column(**style)
    for row in found.counts:
        table.add_row(
            Text("  ") + signed(row.verdict.status), Text(row.name), Text(_count_words(row, found.property))
        )
    out.print(table)


def _count_words(row: FaultCount, asked: str) -> str:
    if row.verdict.holds is not False:
        return row.sentence
    name = requirement_of(row.verdict, asked)
    return f"{row.sentence}{f' ({name})' if name else ''}: {row.verdict.reason}"
