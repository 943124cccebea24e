"""`stormproof fmt`: the one canonical layout of a .storm file, comments kept."""

from __future__ import annotations

import os
from pathlib import Path

import click

from ...errors import UsageError
from ...languages import formats, protocols
from .console import print_json, print_text
from .options import json_option


@click.command("fmt")
@click.argument("sources", metavar="FILE...", nargs=-1, required=True)
@click.option("--write", "-w", is_flag=True, help="Rewrite the files in place.")
@click.option(
    "--check", "only_check", is_flag=True, help="Change nothing; exit 1 if a file is not canonical."
)
@json_option
def command(sources: tuple[str, ...], write: bool, only_check: bool, as_json: bool) -> int:
    """Print FILE in the canonical layout of the .storm language.

    \b
    Examples:
      stormproof fmt shop.storm
      stormproof fmt --write *.storm
      stormproof fmt --check protocols/*.storm
    """
    if write and "-" in sources:
        raise UsageError("standard input cannot be rewritten in place; remove --write")
    rows = []
    for source in sources:
        text = _read(source, write)
        made = formats.fmt(text, source)
        rows.append({"file": source, "canonical": made == text})
        if write and made != text:
            formats.save_over(Path(source), made, text)
        elif not (write or only_check or as_json):
            print_text(made)
    bad = [str(row["file"]) for row in rows if not row["canonical"]]
    if as_json:
        print_json({"stormproof": 1, "files": rows})
    elif only_check and bad:
        click.echo("\n".join(f"{file}: not in the canonical layout" for file in bad))
    return 1 if only_check and bad else 0


def _read(source: str, write: bool) -> str:
    """A file or standard input; a built-in protocol may be looked at in this way, and not rewritten."""
    if source in protocols.names() and not write and not os.path.lexists(source):
        return protocols.source(source)
    return formats.read_text(source)
