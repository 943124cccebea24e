"""`stormproof list`: the built-in protocols."""

from __future__ import annotations

import click
from rich.text import Text

from ...languages import protocols
from ...languages.protocols.generators import FAMILIES
from .console import console, print_json, print_text
from .options import json_option


@click.command("list")
@click.argument("name", metavar="[NAME]", required=False)
@click.option("--source", "show_source", is_flag=True, help="Print the text of NAME.")
@json_option
def command(name: str | None, show_source: bool, as_json: bool) -> None:
    """List the built-in protocols by group, or describe one of them and its origin.

    \b
    Examples:
      stormproof list
      stormproof list two-buyer
      stormproof list two-buyer --source > mine.storm
    """
    if name is None and show_source:
        raise click.UsageError("--source needs the NAME of a protocol")
    if as_json:
        print_json({"stormproof": 1, **_one(name), "source": protocols.source(name)} if name else _all())
    elif name is None:
        _print_all()
    else:
        print_text(protocols.source(name) if show_source else protocols.about(name))


def _one(name: str) -> dict[str, object]:
    about = protocols.about(name)
    return {"name": name, "group": protocols.group(name), "title": protocols.title(name), "about": about}


def _all() -> dict[str, object]:
    return {
        "stormproof": 1,
        "protocols": [_one(name) for name in protocols.names()],
        "families": [
            {
                "name": family.name,
                "about": family.about,
                "parameters": [
                    {"name": p.name, "default": p.default, "about": p.about} for p in family.parameters
                ],
            }
            for family in FAMILIES.values()
        ],
    }


def _print_all() -> None:
    out = console()
    width = max(map(len, (*protocols.names(), *FAMILIES))) + 2
    for group, names in protocols.groups().items():
        out.print(Text(group, style="bold"))
        for name in names:
            out.print(_row(name, protocols.title(name), width), soft_wrap=True)
        out.print()
    out.print(Text("Families, for stormproof generate", style="bold"))
    for family in FAMILIES.values():
        out.print(_row(family.name, family.about, width), soft_wrap=True)


def _row(name: str, what: str, width: int) -> Text:
    return Text.assemble("  ", (name.ljust(width), "cyan"), what)
