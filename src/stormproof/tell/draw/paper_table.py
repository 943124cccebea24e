"""The table of protocols and failure models as text for other programs: CSV, Markdown, LaTeX, HTML, JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby

from ...kernel.model.status import Status, status_of
from ...surveys.paper_table import Cell, CellDifference, Column, Matrix, PaperComparison
from ...surveys.paper_table.comparison import TIMEOUT, Balance
from .page.render_template import asset, render_template
from .page.report_data import css_class

TITLES = {
    "definition": "Under the definitions",
    "encoding": "Under the paper's encodings",
    "as-run": "Under the encodings as they were run",
}


@dataclass(frozen=True)
class TableCell:
    """What stands in one cell: the mark, the published mark, and the number of its footnote."""

    mark: str
    published: str | None = None
    note: int | None = None

    @property
    def beside(self) -> str:
        """The published mark, where it is not the same."""
        return self.published or "" if self.note is not None or self.published == "to" else ""


@dataclass(frozen=True)
class TableView:
    """One semantics of a matrix, ready to be laid out in any language."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, tuple[TableCell, ...]], ...]

    @property
    def heads(self) -> list[tuple[str, int]]:
        """The failure models with the number of their columns."""
        return [(name, len(list(each))) for name, each in groupby(c.failures for c in self.columns)]

    @property
    def first(self) -> list[bool]:
        """Which columns are the first of their failure model."""
        return [i == 0 or c.failures != self.columns[i - 1].failures for i, c in enumerate(self.columns)]


def part_of(grid: TableView, first: int, last: int) -> TableView:
    """Some of its columns; only the first part has the title."""
    rows = tuple((name, boxes[first:last]) for name, boxes in grid.rows)
    return TableView("" if first else grid.title, grid.columns[first:last], rows)


def split(view: Matrix | PaperComparison) -> tuple[Matrix, PaperComparison | None]:
    return (view.matrix, view) if isinstance(view, PaperComparison) else (view, None)


def grids(view: Matrix | PaperComparison) -> list[TableView]:
    """A grid for each semantics; footnotes are numbered through all of them, as `footnotes` lists them."""
    matrix, comparison = split(view)
    numbers = {
        (d.cell.protocol, d.cell.failures, d.cell.property, d.cell.semantics): i
        for i, d in enumerate(comparison.differences if comparison else (), 1)
    }

    def box(cell: Cell) -> TableCell:
        key = (cell.protocol, cell.failures, cell.property, cell.semantics)
        return TableCell(cell.mark, _published(comparison, cell), numbers.get(key))

    return [
        TableView(
            TITLES[semantics],
            matrix.columns,
            tuple(
                (
                    comparison.title(name) if comparison else name,
                    tuple(box(matrix.cell(name, column, semantics)) for column in matrix.columns),
                )
                for name in matrix.protocols
            ),
        )
        for semantics in matrix.semantics
    ]


def _published(comparison: PaperComparison | None, cell: Cell) -> str | None:
    if comparison is None or cell.protocol not in comparison.rows:
        return None
    value = comparison.rows[cell.protocol].cells.get(Column(cell.failures, cell.property))
    if value is None:
        return None
    return "to" if value == TIMEOUT else status_of(bool(value)).sign


def footnote(comparison: PaperComparison, difference: CellDifference) -> str:
    cell, cause = difference.cell, difference.cause
    published = status_of(bool(difference.published)).sign
    name = comparison.title(cell.protocol)
    why = {
        "reproduced": "reproduced by the third reading: ",
        "conjectured": "a conjecture: ",
        "impossible": "impossible by any reading: ",
    }
    end = why.get(cause.status, "open: " if cause.words else "open") + cause.words
    also = "" if cause.status == "impossible" and cause.words in difference.certificate else f"; {end}"
    return (
        f"{name}, {cell.failures}, {cell.property}, {TITLES[cell.semantics].lower()}: "
        f"published {published}, here {cell.mark}; {difference.certificate}{also}"
    )


def footnotes(comparison: PaperComparison) -> list[str]:
    return [footnote(comparison, d) for d in comparison.differences]


def balance_lines(comparison: PaperComparison) -> list[str]:
    """What became of the published cells, the open ones by name, and the rows that are not compared."""
    lines = [_balance_line(b) for b in comparison.balances]
    lines += [
        f"open: {comparison.title(d.cell.protocol)}, {d.cell.failures}, {d.cell.property} "
        f"({d.cell.semantics}): published {status_of(bool(d.published)).sign}, {_OURS[d.kind]}"
        for d in comparison.differences
        if d.cause.status == "open"
    ]
    return lines + _not_compared(comparison)


#: What is shown against a published cell that stays unexplained, by the kind of its certificate.
_OURS = {
    "witness": "against which there is a replayed run",
    "runs": "against which there is a replayed certificate",
    "theorem": "against which there is a theorem",
    "exhaustive": "which no configuration confirms",
}


def _balance_line(balance: Balance) -> str:
    more = (
        f" and {balance.conjectured} more if a file that is not public also lost its first machine"
        if balance.conjectured
        else ""
    )
    undecided = f"; undecided within the limits: {balance.undecided}" if balance.undecided else ""
    return (
        f"{TITLES[balance.semantics].lower()}: {balance.cells} cells: {balance.agreeing} agree; "
        f"reproduced by the third reading: {balance.reproduced}{more}; "
        f"impossible by any reading: {balance.impossible}; open: {balance.open}{undecided}"
    )


def _not_compared(comparison: PaperComparison) -> list[str]:
    files = [row.row for row in comparison.missing if row.file]
    gone = [row.row for row in comparison.missing if not (row.file or row.part or row.protocol)]
    lines = [f"not compared, its file was not found: {name}" for name in gone]
    if files:
        lines.append(f"not compared without ReSCu's files (--peer-files): {', '.join(files)}")
    return lines


def agreement_lines(comparison: PaperComparison) -> list[str]:
    """`loss: k-exh 13 of 16, ...`, one line for each semantics and failure model."""
    lines = []
    keys = dict.fromkeys((c.semantics, c.column.failures) for c in comparison.counts)
    for semantics, failures in keys:
        chosen = [c for c in comparison.counts if (c.semantics, c.column.failures) == (semantics, failures)]
        parts = [f"{c.column.property} {c.same} of {c.of}" for c in chosen]
        lines.append(f"{TITLES[semantics].lower()}, {failures}: {', '.join(parts)}")
    return lines


def impossible_lines(comparison: PaperComparison) -> list[str]:
    """The published cells of all rows that no reading of the definitions allows."""
    return [
        f"{each.row}, {each.column.failures}, {each.column.property}: published "
        f"{status_of(bool(each.published)).sign}; {each.theorem}"
        for each in comparison.impossible
    ]


IMPOSSIBLE = "Published cells that no reading of the definitions allows"


def to_csv(view: Matrix | PaperComparison) -> str:
    matrix, comparison = split(view)
    notes = {d.cell: d.certificate for d in comparison.differences} if comparison else {}
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    causes = {d.cell: d.cause for d in comparison.differences} if comparison else {}
    extra = ["published", "certificate", "status", "cause"] if comparison else []
    names = ["protocol", "failures", "property", "semantics", "holds", "k", "states", "seconds", "reason"]
    writer.writerow([*names, *extra])
    words = {True: "holds", False: "violated", None: "undecided"}
    marks = {Status.PROVED.sign: "holds", Status.VIOLATED.sign: "violated", "to": "timeout", None: ""}
    for cell in matrix.cells.values():
        row: list[object] = [
            cell.protocol,
            cell.failures,
            cell.property,
            cell.semantics,
            words[cell.holds],
            cell.k or "",
        ]
        row += [cell.states, round(cell.seconds, 6), cell.reason]
        if comparison:
            why = causes.get(cell)
            row += [marks[_published(comparison, cell)], notes.get(cell, "")]
            row += [why.status, why.words] if why else ["", ""]
        writer.writerow(row)
    return out.getvalue()


def to_markdown(view: Matrix | PaperComparison) -> str:
    _, comparison = split(view)
    blocks = []
    for grid in grids(view):
        heads = [f"{c.failures} {c.property}" for c in grid.columns]
        lines = [f"### {grid.title}", "", f"| protocol | {' | '.join(heads)} |"]
        lines.append("| --- |" + " :-: |" * len(heads))
        for name, boxes in grid.rows:
            lines.append(f"| {_md(name)} | {' | '.join(_markdown_box(b) for b in boxes)} |")
        blocks.append("\n".join(lines))
    if comparison:
        blocks.append("### Agreement\n\n" + "\n".join(f"- {line}" for line in agreement_lines(comparison)))
        notes = [f"{i}. {_md(note)}" for i, note in enumerate(footnotes(comparison), 1)]
        blocks.append("### Differences\n\n" + ("\n".join(notes) or "None."))
        blocks.append(f"### {IMPOSSIBLE}\n\n" + "\n".join(f"- {x}" for x in impossible_lines(comparison)))
        blocks.append("### Balance\n\n" + "\n".join(f"- {_md(x)}" for x in balance_lines(comparison)))
    return "\n\n".join(blocks) + "\n"


def _md(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _markdown_box(box: TableCell) -> str:
    beside = f" ({box.beside})" if box.beside else ""
    return f"**{box.mark}**{beside} [{box.note}]" if box.note is not None else box.mark + beside


_TEX_MARKS = {
    Status.PROVED.sign: r"\checkmark",
    Status.BOUNDED.sign: r"\oslash",
    Status.VIOLATED.sign: r"\times",
    Status.UNDECIDED.sign: "?",
}


def to_latex(view: Matrix | PaperComparison) -> str:
    """Tabulars that need amssymb and graphicx; a cell that differs is underlined, with its note."""
    _, comparison = split(view)
    lines = ["% needs \\usepackage{amssymb,graphicx}"]
    for grid in grids(view):
        lines += [f"\\par\\noindent\\textbf{{{_tex(grid.title)}}}\\par\\smallskip\\noindent"]
        # A wide table is shrunk to the line, a narrow one is left as it is.
        lines += [r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"]
        lines += ["\\begin{tabular}{l" + "c" * len(grid.columns) + "}", "\\hline"]
        lines.append("".join(f" & \\multicolumn{{{n}}}{{c}}{{{_tex(h)}}}" for h, n in grid.heads) + r" \\")
        lines.append("Protocol" + "".join(f" & {_tex(c.property)}" for c in grid.columns) + r" \\ \hline")
        for name, boxes in grid.rows:
            lines.append(_tex(name) + "".join(f" & {_tex_box(b)}" for b in boxes) + r" \\")
        lines += ["\\hline", "\\end{tabular}}\\par\\bigskip", ""]
    return "\n".join(lines + (_tex_notes(comparison) if comparison else [])) + "\n"


def _tex_notes(comparison: PaperComparison) -> list[str]:
    notes = [f"\\par\\noindent$^{{{i}}}$ {_tex(x)}" for i, x in enumerate(footnotes(comparison), 1)]
    return [
        *_tex_list("Agreement", agreement_lines(comparison)),
        "\\par\\noindent\\textbf{Differences}",
        *notes,
        "\\par\\bigskip",
        *_tex_list(IMPOSSIBLE, impossible_lines(comparison)),
        *_tex_list("Balance", balance_lines(comparison)),
    ]


def _tex_list(title: str, items: list[str]) -> list[str]:
    rows = [f"\\item {_tex(item)}" for item in items]
    head = f"\\par\\noindent\\textbf{{{_tex(title)}}}"
    return [head, "\\begin{itemize}", *rows, "\\end{itemize}"] if rows else []


def _tex(text: str) -> str:
    escapes = {c: f"\\{c}" for c in "&%$#_{}"}
    escapes |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    escapes |= {"<": r"$<$", ">": r"$>$", "≤": r"$\le$", "→": r"$\to$"}
    escapes |= {mark: f"${code}$" for mark, code in _TEX_MARKS.items() if mark != "?"}
    return "".join(escapes.get(c, c) for c in text)


def _tex_box(box: TableCell) -> str:
    k = "_{" + box.mark[1:].replace("≤", r"\leq ") + "}" if box.mark[1:] else ""
    mark = f"${_TEX_MARKS[box.mark[0]]}{k}$"
    beside = f"\\,({_tex(box.beside)})" if box.beside else ""
    return f"\\underline{{{mark}}}{beside}$^{{{box.note}}}$" if box.note is not None else mark + beside


_KINDS = {status.sign: css_class(status) for status in Status}


def to_html(view: Matrix | PaperComparison) -> str:
    """A self-contained page without scripts."""
    matrix, comparison = split(view)
    return render_template(
        "paper_table",
        style=asset("paper_table.css"),
        max_k=matrix.max_k,
        comparison=comparison is not None,
        grids=grids(view),
        kinds=_KINDS,
        agreement=agreement_lines(comparison) if comparison else [],
        differences=footnotes(comparison) if comparison else [],
        impossible_title=IMPOSSIBLE,
        impossible=impossible_lines(comparison) if comparison else [],
        balance=balance_lines(comparison) if comparison else [],
    )


def to_json(view: Matrix | PaperComparison) -> str:
    return json.dumps(view.to_json(), ensure_ascii=False, indent=2) + "\n"


RENDERERS: dict[str, Callable[[Matrix | PaperComparison], str]] = {
    "json": to_json,
    "csv": to_csv,
    "markdown": to_markdown,
    "latex": to_latex,
    "html": to_html,
}


def render(view: Matrix | PaperComparison, language: str) -> str:
    """The matrix, or its comparison with the paper, in one of `RENDERERS`."""
    return RENDERERS[language](view)
