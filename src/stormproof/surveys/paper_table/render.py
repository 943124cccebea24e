"""The matrix as text for other programs: CSV, Markdown, LaTeX, HTML, JSON."""

from __future__ import annotations

import csv
import html
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby

from .comparison import Comparison, Difference
from .matrix import Cell, Column, Matrix
from .published import TIMEOUT

TITLES = {"definition": "Under the definitions", "encoding": "Under the paper's encodings"}


@dataclass(frozen=True)
class Box:
    """What stands in one cell: the mark, the published mark, and the number of its footnote."""

    mark: str
    published: str | None = None
    note: int | None = None

    @property
    def beside(self) -> str:
        """The published mark, where it is not the same."""
        return self.published or "" if self.note is not None or self.published == "to" else ""


@dataclass(frozen=True)
class Grid:
    """One semantics of a matrix, ready to be laid out in any language."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, tuple[Box, ...]], ...]

    @property
    def heads(self) -> list[tuple[str, int]]:
        """The failure models with the number of their columns."""
        return [(name, len(list(each))) for name, each in groupby(c.failures for c in self.columns)]


def split(view: Matrix | Comparison) -> tuple[Matrix, Comparison | None]:
    return (view.matrix, view) if isinstance(view, Comparison) else (view, None)


def grids(view: Matrix | Comparison) -> list[Grid]:
    """A grid for each semantics; footnotes are numbered through all of them, as `footnotes` lists them."""
    matrix, comparison = split(view)
    numbers = {
        (d.cell.protocol, d.cell.failures, d.cell.property, d.cell.semantics): i
        for i, d in enumerate(comparison.differences if comparison else (), 1)
    }

    def box(cell: Cell) -> Box:
        key = (cell.protocol, cell.failures, cell.property, cell.semantics)
        return Box(cell.mark, _published(comparison, cell), numbers.get(key))

    return [
        Grid(
            TITLES[semantics],
            matrix.columns,
            tuple(
                (name, tuple(box(matrix.cell(name, column, semantics)) for column in matrix.columns))
                for name in matrix.protocols
            ),
        )
        for semantics in matrix.semantics
    ]


def _published(comparison: Comparison | None, cell: Cell) -> str | None:
    if comparison is None or cell.protocol not in comparison.rows:
        return None
    value = comparison.rows[cell.protocol].cells.get(Column(cell.failures, cell.property))
    if value is None:
        return None
    return "to" if value == TIMEOUT else ("✔" if value else "✘")


def footnote(difference: Difference) -> str:
    cell = difference.cell
    published = "✔" if difference.published else "✘"
    return (
        f"{cell.protocol}, {cell.failures}, {cell.property}, {TITLES[cell.semantics].lower()}: "
        f"published {published}, here {cell.mark}; {difference.certificate}"
    )


def agreement_lines(comparison: Comparison) -> list[str]:
    """`loss: k-exh 13 of 16, ...`, one line for each semantics and failure model."""
    lines = []
    keys = dict.fromkeys((c.semantics, c.column.failures) for c in comparison.counts)
    for semantics, failures in keys:
        chosen = [c for c in comparison.counts if (c.semantics, c.column.failures) == (semantics, failures)]
        parts = [f"{c.column.property} {c.same} of {c.of}" for c in chosen]
        lines.append(f"{TITLES[semantics].lower()}, {failures}: {', '.join(parts)}")
    return lines


def impossible_lines(comparison: Comparison) -> list[str]:
    """The published cells of all rows that no reading of the definitions allows."""
    return [
        f"{each.row}, {each.column.failures}, {each.column.property}: published "
        f"{'✔' if each.published else '✘'}; {each.theorem}"
        for each in comparison.impossible
    ]


IMPOSSIBLE = "Published cells that no reading of the definitions allows"


def to_csv(view: Matrix | Comparison) -> str:
    matrix, comparison = split(view)
    notes = {d.cell: d.certificate for d in comparison.differences} if comparison else {}
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    extra = ["published", "certificate"] if comparison else []
    names = ["protocol", "failures", "property", "semantics", "holds", "k", "states", "seconds", "reason"]
    writer.writerow([*names, *extra])
    words = {True: "holds", False: "violated", None: "undecided"}
    marks = {"✔": "holds", "✘": "violated", "to": "timeout", None: ""}
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
            row += [marks[_published(comparison, cell)], notes.get(cell, "")]
        writer.writerow(row)
    return out.getvalue()


def to_markdown(view: Matrix | Comparison) -> str:
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
        notes = [f"{i}. {_md(footnote(d))}" for i, d in enumerate(comparison.differences, 1)]
        blocks.append("### Differences\n\n" + ("\n".join(notes) or "None."))
        blocks.append(f"### {IMPOSSIBLE}\n\n" + "\n".join(f"- {x}" for x in impossible_lines(comparison)))
    return "\n\n".join(blocks) + "\n"


def _md(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _markdown_box(box: Box) -> str:
    beside = f" ({box.beside})" if box.beside else ""
    return f"**{box.mark}**{beside} [{box.note}]" if box.note is not None else box.mark + beside


_TEX_MARKS = {"✔": r"\checkmark", "✘": r"\times", "?": "?"}


def to_latex(view: Matrix | Comparison) -> str:
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


def _tex_notes(comparison: Comparison) -> list[str]:
    notes = [
        f"\\par\\noindent$^{{{i}}}$ {_tex(footnote(d))}" for i, d in enumerate(comparison.differences, 1)
    ]
    return [
        *_tex_list("Agreement", agreement_lines(comparison)),
        "\\par\\noindent\\textbf{Differences}",
        *notes,
        "\\par\\bigskip",
        *_tex_list(IMPOSSIBLE, impossible_lines(comparison)),
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


def _tex_box(box: Box) -> str:
    k = f"_{{{box.mark[1:]}}}" if box.mark[1:] else ""
    mark = f"${_TEX_MARKS[box.mark[0]]}{k}$"
    beside = f"\\,({_tex(box.beside)})" if box.beside else ""
    return f"\\underline{{{mark}}}{beside}$^{{{box.note}}}$" if box.note is not None else mark + beside


_CSS = """
:root { color-scheme: light dark; --line: #8886; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0 2rem; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .6rem; text-align: center; }
th:first-child, td:first-child { text-align: left; }
th.first, td.first { border-left: 1px solid var(--line); } td small { color: GrayText; }
.holds { color: #1a7f37; } .violated { color: #cf222e; } .undecided { color: #9a6700; }
.differs { text-decoration: underline; font-weight: 600; } li { margin: .3rem 0; }
@media (prefers-color-scheme: dark) { .holds { color: #4ac26b; } .violated { color: #ff7b72; } }
"""


def to_html(view: Matrix | Comparison) -> str:
    """A page of its own, without scripts or anything from elsewhere."""
    matrix, comparison = split(view)
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>stormproof table</title>',
        f"<style>{_CSS}</style>\n</head>\n<body>\n<h1>Protocols under failures</h1>",
        f"<p>A tick is followed by the least k up to {matrix.max_k}; a cross: for none; ?: undecided.</p>",
        "<p>In brackets: the published cell, where it is another (to: time-out).</p>" if comparison else "",
        *(_html_grid(grid) for grid in grids(view)),
    ]
    if comparison:
        lines = "".join(f"<li>{html.escape(line)}</li>\n" for line in agreement_lines(comparison))
        notes = "".join(
            f'<li id="note{i}">{html.escape(footnote(d))}</li>\n'
            for i, d in enumerate(comparison.differences, 1)
        )
        parts += [f"<h2>Agreement</h2>\n<ul>\n{lines}</ul>", f"<h2>Differences</h2>\n<ol>\n{notes}</ol>"]
        never = "".join(f"<li>{html.escape(line)}</li>\n" for line in impossible_lines(comparison))
        parts.append(f"<h2>{IMPOSSIBLE}</h2>\n<ul>\n{never}</ul>")
    return "\n".join(parts) + "\n</body>\n</html>\n"


def _html_grid(grid: Grid) -> str:
    heads = "".join(f'<th class="first" colspan="{n}">{html.escape(h)}</th>' for h, n in grid.heads)
    first = [i == 0 or c.failures != grid.columns[i - 1].failures for i, c in enumerate(grid.columns)]
    names = "".join(
        f'<th class="{"first" * begins}">{html.escape(c.property)}</th>'
        for c, begins in zip(grid.columns, first, strict=True)
    )
    body = "".join(
        f"<tr><td>{html.escape(name)}</td>{''.join(map(_html_box, boxes, first))}</tr>\n"
        for name, boxes in grid.rows
    )
    return (
        f"<h2>{grid.title}</h2>\n<table>\n<thead><tr><th></th>{heads}</tr>\n<tr><th>protocol</th>{names}</tr></thead>\n"
        f"<tbody>\n{body}</tbody>\n</table>"
    )


def _html_box(box: Box, first: bool) -> str:
    kind = {"✔": "holds", "✘": "violated", "?": "undecided"}[box.mark[0]] + " first" * first
    beside = f" <small>({box.beside})</small>" if box.beside else ""
    if box.note is None:
        return f'<td class="{kind}">{box.mark}{beside}</td>'
    link = f'<sup><a href="#note{box.note}">{box.note}</a></sup>'
    return f'<td class="{kind}"><span class="differs">{box.mark}</span>{beside}{link}</td>'


def to_json(view: Matrix | Comparison) -> str:
    return json.dumps(view.to_json(), ensure_ascii=False, indent=2) + "\n"


RENDERERS: dict[str, Callable[[Matrix | Comparison], str]] = {
    "json": to_json,
    "csv": to_csv,
    "markdown": to_markdown,
    "latex": to_latex,
    "html": to_html,
}


def render(view: Matrix | Comparison, language: str) -> str:
    """The matrix, or its comparison with the paper, in one of `RENDERERS`."""
    return RENDERERS[language](view)
