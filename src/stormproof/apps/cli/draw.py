"""`stormproof draw`: automata, the run that violates a property, its conflict graph."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ...errors import UsageError, did_you_mean
from ...kernel.model.failures import Failures
from ...kernel.model.system import System
from ...limits import Limits
from ...search.checks.api import check
from ...search.checks.report import Report, Verdict
from ...tell.draw.automaton import system_svg
from ...tell.draw.chart.build import Chart, chart
from ...tell.draw.chart.mermaid import chart_mermaid
from ...tell.draw.chart.svg import chart_svg
from ...tell.draw.chart.text import chart_text
from ...tell.draw.conflict_graph import conflict_picture, conflict_svg
from ...tell.draw.graph_text import automata_dot, automata_mermaid, conflict_dot, conflict_mermaid
from . import UNDECIDED
from .console import console, print_json, progress_line, save_text
from .options import (
    effort_option,
    failure_options,
    input_argument,
    json_option,
    limit_options,
    load_input,
    output_options,
)
from .print_chart import print_chart
from .problems import Undecided

#: What can be drawn -> in which forms, the first by default.
FORMS = {
    "automata": ("svg", "dot", "mermaid"),
    "chart": ("text", "svg", "mermaid"),
    "conflict": ("svg", "dot", "mermaid"),
}
_SUFFIXES = {
    ".svg": "svg",
    ".dot": "dot",
    ".gv": "dot",
    ".mmd": "mermaid",
    ".mermaid": "mermaid",
    ".txt": "text",
}


@click.command("draw")
@input_argument
@click.option(
    "--what",
    type=click.Choice(list(FORMS)),
    default="automata",
    show_default=True,
    help="The automata, the chart of a run that violates a property, or that run's conflict graph.",
)
@click.option(
    "--role", "roles", multiple=True, metavar="R", help="Automata: only this role; may be repeated."
)
@click.option("--to", "form", metavar="FORM", help="svg, dot, mermaid or text; default: the suffix of -o.")
@failure_options
@click.option("--property", "property_", metavar="NAME", help="The property or requirement that is violated.")
@click.option("-k", "k", type=int, metavar="N", help="Check at this bound only.")
@effort_option
@click.option("--width", type=click.IntRange(20), metavar="COLUMNS", help="Text: the largest width.")
@click.option(
    "--layout-time", type=float, default=4.0, show_default=True, help="Time limit for the layout, in seconds."
)
@output_options
@limit_options
@json_option
def command(
    source: str,
    format: str | None,
    what: str,
    roles: tuple[str, ...],
    form: str | None,
    failures: Failures,
    limits: Limits,
    property_: str | None,
    k: int | None,
    effort: int,
    width: int | None,
    layout_time: float,
    output: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Draw the system in FILE, or a run of it that violates a property.

    With --property, the states where the run that violates it ends are marked in the automata.

    \b
    Examples:
      stormproof draw alternating-bit -o bit.svg
      stormproof draw shop.storm --role Buyer --to dot
      stormproof draw alternating-bit --loss --what chart --property k-pg
      stormproof draw elevator --reorder --what conflict --property rsc -o cycle.svg
    """
    system = load_input(source, format)
    form = _form(what, form, output)
    if roles and what != "automata":
        raise UsageError(f"--role picks automata; a {what} has all roles")
    _pick(system, roles)
    found: tuple[Report, Verdict] | None = None
    if what != "automata" or property_ is not None:
        found = _violation(system, failures, property_, k, limits, effort)
    drawn: Chart | None = None
    if what == "chart":
        assert found is not None and found[1].witness is not None
        drawn = chart(found[0].system, found[1].witness, title=_title(system.name or source, found[1]))
        text = _chart(drawn, form, width)
    elif what == "conflict":
        assert found is not None
        text = _conflict(*found, form, layout_time)
    else:
        text = _automata(system, roles, found, form, layout_time)
    if drawn is not None and form == "text" and output is None and not as_json and console().is_terminal:
        print_chart(console(), drawn, width or max(console().width, 20))
        return
    _write(text, what, form, output, force, as_json, drawn)


def _title(name: str, verdict: Verdict) -> str:
    if verdict.requirement is not None:
        return f"{name}: {verdict.property} is violated"
    return f"{verdict.property} of {name}"


def _form(what: str, form: str | None, output: str | None) -> str:
    if form is None and output is not None:
        form = _SUFFIXES.get(Path(output).suffix.lower())
        if form is None:
            raise UsageError(
                f"the suffix of '{output}' does not determine the form; add --to {'|'.join(FORMS[what])}"
            )
    form = form or FORMS[what][0]
    if form not in FORMS[what]:
        raise UsageError(
            f"{what} cannot be drawn as '{form}'; there are {', '.join(FORMS[what])}",
            hint=did_you_mean(form, FORMS[what]),
        )
    return form


def _pick(system: System, roles: tuple[str, ...]) -> None:
    for role in roles:
        if role not in system:
            raise UsageError(
                f"unknown role '{role}'; roles here: {', '.join(system.names)}",
                hint=did_you_mean(role, system.names),
            )


def _violation(
    system: System,
    failures: Failures,
    property_: str | None,
    k: int | None,
    limits: Limits,
    effort: int,
) -> tuple[Report, Verdict]:
    """The first violated verdict that has a run, of a property or of a requirement of the file."""
    names = None if property_ is None else [property_]
    asked = tuple(r for r in system.requirements if r.title == property_)
    if asked:
        system, names = replace(system, requirements=asked), []
    with progress_line() as line:
        report = check(
            system, failures, k=k, properties=names, limits=limits, progress=line.show, effort=effort
        )
    for verdict in report:
        if verdict.holds is False and verdict.witness is not None:
            return report.of(verdict), verdict
    words = ", ".join(f"{v.property} {'is ' if v.holds is None else ''}{v.word}" for v in report)
    if report.exit_code == UNDECIDED:
        raise Undecided(f"undecided, so there is no run to draw: {words}")
    raise UsageError(
        f"there is no run to draw: {words}", hint="ask for more failures, or another property with --property"
    )


def _chart(drawn: Chart, form: str, width: int | None) -> str:
    if form == "svg":
        return chart_svg(drawn)
    if form == "mermaid":
        return chart_mermaid(drawn)
    return chart_text(drawn, width or max(console().width, 20)) + "\n"


def _conflict(report: Report, verdict: Verdict, form: str, seconds: float) -> str:
    assert verdict.witness is not None
    picture = conflict_picture(verdict.witness)
    if form == "svg":
        return conflict_svg(picture, seconds=seconds)
    return conflict_dot(picture) if form == "dot" else conflict_mermaid(picture)


def _automata(
    system: System, roles: tuple[str, ...], found: tuple[Report, Verdict] | None, form: str, seconds: float
) -> str:
    """The automata as given, or as they were checked where a run is marked in them."""
    here = None
    if found is not None and found[1].witness is not None:
        system = found[0].system
        witness = found[1].witness
        here = chart(system, witness).states_at(len(witness.steps))
    if form == "svg":
        return system_svg(system, here=here, seconds=seconds, roles=roles)
    return (automata_dot if form == "dot" else automata_mermaid)(system, here, roles)


def _write(
    text: str, what: str, form: str, output: str | None, force: bool, as_json: bool, drawn: Chart | None
) -> None:
    if output is not None or not as_json:
        save_text(output, text, overwrite=force)
    if as_json:
        data: dict[str, Any] = {"stormproof": 1, "what": what, "form": form}
        data |= {"output": output} if output is not None else {"text": text}
        if drawn is not None:
            data["chart"] = drawn.to_json()
        print_json(data)
