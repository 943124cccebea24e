"""`stormproof table`: protocols x failure models x properties."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.measure import Measurement
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from ...errors import OutputError, UsageError, did_you_mean
from ...kernel.model.faults import KINDS
from ...kernel.transform.prepare import SEMANTICS
from ...languages import formats, protocols
from ...languages.protocols.catalogue import TABLE
from ...limits import Limits
from ...search.certificates.bounded import MOST
from ...search.checks.properties import K_ER, K_EXH, K_PG, RECOVERS, known_properties
from ...surveys.campaign.jobs import NAMED_FAILURES, STANDARD_FAILURES
from ...surveys.paper_table import (
    PAPER_COLUMNS,
    Column,
    Matrix,
    PaperComparison,
    PaperRow,
    run_table,
)
from ...surveys.paper_table.cell_certificates import asked, certificate_of
from ...tell.draw.paper_table import (
    IMPOSSIBLE,
    RENDERERS,
    TableCell,
    TableView,
    agreement_lines,
    balance_lines,
    footnotes,
    grids,
    impossible_lines,
    part_of,
    render,
    split,
)
from ...trust.certificate_json import certificate_to_json
from .console import console
from .options import limits_of_each, split_list
from .signs import COLOURS

SUFFIXES = {".json": "json", ".csv": "csv", ".md": "markdown", ".tex": "latex", ".html": "html"}
SHORT = {kind.noun: kind.short for kind in KINDS}
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
STYLES = {status.sign: colour for status, colour in COLOURS.items()}


@click.command("table")
@click.argument("sources", metavar="[FILE...]", nargs=-1)
@click.option("--models", metavar="M,...", help=f"Failure models: {', '.join(NAMED_FAILURES)}.")
@click.option(
    "--property", "properties", multiple=True, metavar="NAME", help="A column of the table; may be repeated."
)
@click.option(
    "--max-k", type=click.IntRange(1), default=10, show_default=True, help="Search the least bound up to N."
)
@click.option(
    "--semantics",
    type=click.Choice([*SEMANTICS, "both"]),
    help="Faults as the paper defines them, as its evaluation encodes them, as the encodings were run (k up "
    "to 2), or the first two.",
)
@click.option("--compare", "against", type=click.Choice(["paper"]), help="Compare with the paper's table.")
@click.option(
    "--peer-files", metavar="DIR", help="Compare the starred rows as well: a folder with ReSCu's models."
)
@click.option("--to", "language", type=click.Choice(list(RENDERERS)), help="The output language.")
@click.option("-o", "--output", metavar="PATH", help="The file to write; its suffix determines the language.")
@click.option("--force", is_flag=True, help="Overwrite PATH if it exists.")
@click.option(
    "--certificates", metavar="DIR", help="Write a certificate of each bounded cell that holds, for replay."
)
@click.option("--results", metavar="PATH", help="Keep the results in this file, and resume from it.")
@click.option(
    "--processes",
    type=click.IntRange(1),
    metavar="N",
    help="Number of worker processes; default: one per core.",
)
@partial(limits_of_each, "cell")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
def command(
    sources: tuple[str, ...],
    models: str | None,
    properties: tuple[str, ...],
    max_k: int,
    semantics: str | None,
    against: str | None,
    peer_files: str | None,
    language: str | None,
    output: str | None,
    force: bool,
    certificates: str | None,
    results: str | None,
    processes: int | None,
    limits: Limits,
    as_json: bool,
) -> int:
    """Check many protocols under many failures; the least k for each property.

    FILEs are files, patterns or built-in protocols; without any, the sixteen protocols of the paper's table
    that the library has. No cell takes longer than five minutes, or than --timeout. Exits with 0 when every
    cell is decided, whatever it says, and with 3 otherwise.

    \b
    Examples:
      stormproof table --compare paper
      stormproof table --compare paper --peer-files ../rescu/examples
      stormproof table two-buyer ssh ftp --models none,loss --property k-wmc --property rsc
      stormproof table 'mine/*.storm' -o mine.html --certificates proofs
    """
    language = _language(language, output, as_json)
    directory = _directory(certificates)
    paper = _paper() if against else None
    peers = _peers(peer_files, paper)
    limits = Limits(limits.seconds or 300, limits.memory, limits.states)
    with _progress() as on_row:
        matrix = run_table(
            (*(sources or _rows(paper)), *peers),
            _columns(models, properties, own=bool(sources) and paper is None),
            semantics=_semantics(semantics, against),
            max_k=max_k,
            limits=limits,
            processes=processes,
            results=None if results is None else Path(results),
            on_row=on_row,
        )
    view = paper.compare(matrix, peers, limits) if paper else matrix
    _show(view, language, output, force)
    if directory is not None:
        _certify(matrix, directory, force)
    return 3 if matrix.undecided else 0


def _language(language: str | None, output: str | None, as_json: bool) -> str | None:
    """What to write; decided before anything runs."""
    if as_json:
        return "json"
    if output is not None and language is None:
        suffix = Path(output).suffix
        if suffix not in SUFFIXES:
            raise UsageError(
                f"the suffix '{suffix}' does not determine the language; add --to {'|'.join(RENDERERS)}"
            )
        return SUFFIXES[suffix]
    return language


def _columns(chosen_models: str | None, properties: tuple[str, ...], own: bool) -> tuple[Column, ...]:
    """The paper's columns, or those of its failure models, or the given properties under each model; under a
    model that the paper has not, the k-properties that it asks under loss. Survival comes first, except in
    the paper's own table."""
    known_properties(properties)
    chosen = split_list(chosen_models or "")
    for name in chosen:
        if name not in NAMED_FAILURES:
            raise UsageError(
                f"unknown failure model '{name}'; there are {', '.join(NAMED_FAILURES)}",
                hint=did_you_mean(name, NAMED_FAILURES),
            )
    if properties:
        return tuple(Column(m, p) for m in chosen or STANDARD_FAILURES for p in dict.fromkeys(properties))
    paper = tuple(c for c in PAPER_COLUMNS if not chosen or c.failures in chosen)
    others = [m for m in chosen if m not in STANDARD_FAILURES]
    asked = (*paper, *(Column(m, p.name) for m in others for p in (K_EXH, K_ER, K_PG)))
    models = dict.fromkeys(c.failures for c in asked)
    first = {m: (Column(m, RECOVERS.name),) if own else () for m in models}
    return tuple(c for m in models for c in (*first[m], *(c for c in asked if c.failures == m)))


def _semantics(semantics: str | None, against: str | None) -> tuple[str, ...]:
    chosen = semantics or ("both" if against else "definition")
    return ("definition", "encoding") if chosen == "both" else (chosen,)


def _paper() -> Any:
    """The published table, which is beside this package in its repository and not installed with it."""
    beside = Path(__file__).parents[4] / "paper"
    if find_spec("stormproof_paper") is None and (beside / "stormproof_paper").is_dir():
        sys.path.append(str(beside))
    try:
        return import_module("stormproof_paper")
    except ModuleNotFoundError:
        raise UsageError(
            "the published answers are not installed with stormproof",
            hint="they are in the folder paper of its repository: pip install ./paper",
        ) from None


def _rows(paper: Any) -> tuple[str, ...]:
    """The rows of the paper's table that the library has and, to compare, what it has of others."""
    parts = [row.part for row in paper.published() if row.part] if paper else []
    return (*protocols.groups()[TABLE], *parts)


def _peers(directory: str | None, paper: Any) -> dict[str, PaperRow]:
    if directory is None:
        return {}
    if paper is None:
        raise UsageError("--peer-files has rows of the paper's table: add --compare paper")
    return dict(paper.peer_rows(directory))


@contextmanager
def _progress() -> Iterator[Callable[[dict[str, Any], int], None] | None]:
    if not sys.stderr.isatty():
        yield None
        return
    bar = Progress(
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("starting", total=None)

        def on_row(row: dict[str, Any], total: int) -> None:
            bar.update(task, advance=1, total=total, description=f"{row['source']} · {row['failures']}")

        yield on_row


def _show(view: Matrix | PaperComparison, language: str | None, output: str | None, force: bool) -> None:
    if language is None:
        _print(console(), view)
        return
    text = render(view, language)
    if output is None:
        click.echo(text, nl=False)
    else:
        formats.save(output, text, overwrite=force)


def _certify(matrix: Matrix, directory: Path, force: bool) -> None:
    """A file for each cell that holds at some k; the definitions are explored for it, as far as that goes."""
    written = large = 0
    for cell in matrix.cells.values():
        if not cell.holds or cell.k is None:
            continue
        certificate = certificate_of(cell)
        if certificate is None:
            large += 1
            continue
        name = "-".join((_plain(cell.protocol), cell.failures, cell.property, cell.semantics))
        data = certificate_to_json(*asked(cell), certificate)
        formats.save(directory / f"{name}.json", json.dumps(data, ensure_ascii=False), overwrite=force)
        written += 1
    rest = f"; {large} cells have more than {MOST:,} configurations and no certificate" if large else ""
    message = f"{written} certificates in {directory}, each to be checked by `stormproof replay`{rest}"
    click.echo(message, err=True)


def _plain(source: str) -> str:
    """A protocol's name or path as a part of a file's name."""
    return re.sub(r"[^\w.]+", "-", source.removesuffix(".storm")).strip("-.")


def _directory(path: str | None) -> Path | None:
    """Made, if it is not there, before anything runs."""
    if path is None:
        return None
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise OutputError(f"no directory can be made at {path}: {problem.strerror}") from None
    return Path(path)


def _print(out: Console, view: Matrix | PaperComparison) -> None:
    matrix, comparison = split(view)
    for grid in grids(view):
        _print_grid(out, grid)
        out.print()
    if comparison is not None:
        for line in agreement_lines(comparison):
            out.print(Text(f"agree {line}"))
        out.print()
        for i, note in enumerate(footnotes(comparison), 1):
            out.print(Text(f"{i}. {note}"))
        out.print()
        out.print(Text(f"{IMPOSSIBLE}:"))
        for line in impossible_lines(comparison):
            out.print(Text(f"  {line}"))
        out.print()
        for line in balance_lines(comparison):
            out.print(Text(line))
    undecided = f", {len(matrix.undecided)} undecided" if matrix.undecided else ""
    limit = f", at most {matrix.limit:g} s per cell" if matrix.limit else ""
    out.print(Text(f"{len(matrix.cells)} cells{undecided} in {matrix.seconds:.1f} s{limit}", style="dim"))


def _print_grid(out: Console, grid: TableView) -> None:
    """As many failure models side by side as fit, the others below; marks and names are never cut off."""
    first, shown = 0, out.width
    while first < len(grid.columns):
        last = len(grid.columns)
        while last > first + 1 and _width(out, part_of(grid, first, last)) > shown:
            last -= 1
        last = _whole_models(grid, first, last)
        table = _table(part_of(grid, first, last))
        out.width = max(shown, _width(out, part_of(grid, first, last)))
        out.print(table)
        out.width = shown
        first = last
        if first < len(grid.columns):
            out.print()


def _whole_models(grid: TableView, first: int, last: int) -> int:
    """Cut between two failure models, if one fits."""
    starts = [i for i in range(first + 1, last + 1) if i == len(grid.columns) or grid.first[i]]
    return starts[-1] if starts else last


def _width(out: Console, grid: TableView) -> int:
    return Measurement.get(out, out.options.update(width=1000), _table(grid)).maximum


def _table(grid: TableView) -> Table:
    table = Table(title=grid.title, box=None, padding=(0, 1), header_style="dim", title_justify="left")
    table.add_column("protocol", no_wrap=True)
    before = None
    for column in grid.columns:
        model = SHORT.get(column.failures, column.failures) if column.failures != before else ""
        head = f"{model}\n{column.property}"
        table.add_column(head, justify="left", no_wrap=True)
        before = column.failures
    for name, boxes in grid.rows:
        table.add_row(Text(name), *map(_box, boxes))
    return table


def _box(box: TableCell) -> Text:
    text = Text(box.mark, style=STYLES[box.mark[0]])
    if box.note is not None:
        text.stylize("underline")
    if box.beside:
        text.append(f" ({box.beside})", style="dim")
    if box.note is not None:
        text.append(str(box.note).translate(RAISED), style="dim")
    return text
