"""The frontier of tolerated failures as a part of the report page: a row a choice, a column a set of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...checks.report import Report
from ...model.phrases import plural
from ...surveys.frontier import Atom, Frontier, in_words
from ..svg import escape, html
from .report_data import Matrix


def breaking_reports(found: Frontier) -> dict[str, Report]:
    """The minimal breaking sets as failure models of the page, so that each opens its run."""
    return {f"✘ {i}": b.report for i, b in enumerate(found.breaking, 1)}


def frontier_section(found: Frontier, page: Matrix) -> str:
    bound = "" if found.k is None else f" at k = {found.k}"
    title = html("h2", escape(f"Frontier of {found.property}{bound}"))
    facts = f"{plural(len(found.tolerated), 'maximal tolerated set')}, "
    facts += f"{plural(len(found.breaking), 'minimal breaking set')}; covered: {found.covered}."
    table = html(
        "div", _table(found, page), class_="scroll", tabindex="0", role="region", aria_label="frontier"
    )
    return html(
        "section", title, html("p", escape(facts), class_="facts"), table, _words(found), id="frontier"
    )


def _table(found: Frontier, page: Matrix) -> str:
    sets = [set(atoms) for atoms in found.tolerated] + [set(b.atoms) for b in found.breaking]
    kinds = ["holds"] * len(found.tolerated) + ["violated"] * len(found.breaking)
    heads = [html("th", "choice", scope="col"), *_heads(found, page)]
    rows = []
    for atom in found.atoms:
        cells = [
            html("td", "●" if atom in s else "", class_=kind) for s, kind in zip(sets, kinds, strict=True)
        ]
        rows.append(html("tr", html("th", escape(atom), scope="row"), *cells))
    caption = html("caption", "A column a set of failures: ✔ tolerated and maximal, ✘ breaking and minimal.")
    return html("table", caption, html("thead", html("tr", *heads)), html("tbody", *rows), class_="matrix")


def _heads(found: Frontier, page: Matrix) -> list[str]:
    good = [html("th", f"✔ {i}", scope="col", class_="holds") for i in range(1, len(found.tolerated) + 1)]
    bad = []
    for mark in breaking_reports(found):
        cell = page.cells.get((mark, found.property))
        inside = mark if cell is None or cell.run is None else _link(mark, cell.id)
        bad.append(html("th", inside, scope="col", class_="violated"))
    return good + bad


def _link(words: str, cell: str) -> str:
    return html("a", escape(words), href=f"#{cell}", data_cell=cell)


def _words(found: Frontier) -> str:
    items = [_item("tolerates", atoms) for atoms in found.tolerated]
    items += [_item("breaks at", b.atoms, b.verdict.reason) for b in found.breaking]
    items += [_item("undecided", atoms) for atoms in found.undecided]
    return html("ul", *items, class_="notes")


def _item(what: str, atoms: Sequence[Atom], why: str = "") -> str:
    return html("li", escape(f"{what}: {in_words(atoms)}" + (f" ({why})" if why else "")))


def with_frontier(reports: Mapping[str, Report], found: Frontier | None) -> dict[str, Report]:
    """The failure models of a page, those of the frontier behind the others."""
    return {**reports, **(breaking_reports(found) if found is not None else {})}
