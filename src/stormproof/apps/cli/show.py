"""`stormproof show`: what was read."""

from __future__ import annotations

from math import log10

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...kernel.model.failures import Failures
from ...kernel.model.failures_text import describe_failures
from ...kernel.model.phrases import plural
from ...kernel.model.system import System
from ...languages.formats import system_to_json
from ...languages.formats.storm_requirements import write_requirement
from ...languages.formats.storm_write import write_durable, write_rest
from .console import console, print_json
from .options import input_argument, json_option, load_input
from .render import print_field, print_heading


@click.command("show")
@input_argument
@json_option
def command(source: str, format: str | None, as_json: bool) -> None:
    """Show the system in FILE: roles, states, channels, alphabets, classes.

    \b
    Examples:
      stormproof show alternating-bit
      stormproof show net.scm --json
    """
    system = load_input(source, format)
    if as_json:
        print_json({**system_to_json(system), "classes": _classes(system), "alphabets": _alphabets(system)})
    else:
        _print(console(), system, source)


def _classes(system: System) -> dict[str, object]:
    found = system.classification
    return {
        "csa": found.csa,
        "deterministic": found.deterministic,
        "directed": found.directed,
        "internal": found.internal,
        "mixed_states": [list(p) for p in found.mixed],
        "undirected_states": [list(p) for p in found.undirected],
        "nondeterministic_states": [list(p) for p in found.nondeterministic],
        # Python writes no integer of more than 4,300 digits; nobody reads one of 1,000.
        "product_size": system.product_size if system.product_size < 10**1000 else None,
    }


def _alphabets(system: System) -> dict[str, list[str]]:
    return {str(c): [str(m) for m in alphabet] for c, alphabet in system.alphabets.items()}


def _print(out: Console, system: System, source: str) -> None:
    print_heading(out, system, source)
    print_field(out, "product", _product(system.product_size))
    print_field(out, "failures", describe_failures(system, Failures().on(system)))
    out.print()
    out.print(_roles(system))
    if system.channels:
        out.print()
        out.print(_channels(system))
    _declarations(out, system)
    _offenders(out, system)


def _product(size: int) -> str:
    """In figures up to a quadrillion; beyond, its order of magnitude says more."""
    if size < 10**15:
        return plural(size, "control state")
    return f"about 10^{int(size.bit_length() * log10(2))} control states"


def _roles(system: System) -> Table:
    table = Table(box=None, padding=(0, 2), header_style="dim")
    for column in ("role", "initial", "states", "transitions", "unreachable", "crashes"):
        table.add_column(column, overflow="fold")
    for process in system:
        idle = len(process.states) - len(process.reachable())
        table.add_row(
            process.name,
            process.initial,
            str(len(process.states)),
            str(len(process.transitions)),
            str(idle) if idle else "",
            "" if process.reliable else "may crash",
        )
    return table


def _declarations(out: Console, system: System) -> None:
    """Services, rest and durable states and requirements, where the file has them."""
    services = [p.name for p in system if p.service]
    if services:
        out.print()
        out.print(Text(f"service: {', '.join(services)}"))
    for word, states in (("rest", write_rest(system)), ("durable", write_durable(system))):
        if states:
            out.print()
            out.print(Text(f"{word}: {states}"))
    if system.requirements:
        out.print()
    for requirement in system.requirements:
        out.print(Text(write_requirement(system, requirement)))


def _channels(system: System) -> Table:
    table = Table(box=None, padding=(0, 2), header_style="dim")
    table.add_column("channel", no_wrap=True)
    table.add_column("messages", overflow="fold")
    for channel, alphabet in system.alphabets.items():
        table.add_row(f"{channel.sender} → {channel.receiver}", ", ".join(str(m) for m in alphabet))
    return table


def _offenders(out: Console, system: System) -> None:
    found = system.classification
    for what, where in (
        ("mixed", found.mixed),
        ("not directed", found.undirected),
        ("not deterministic", found.nondeterministic),
    ):
        if where:
            out.print()
            out.print(Text(f"{what}: " + ", ".join(f"{p}.{s}" for p, s in where)))
