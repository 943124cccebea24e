"""`stormproof fmt`: the one canonical layout of a .storm file, comments kept."""

from __future__ import annotations

import difflib
import os
from pathlib import Path
from typing import Any

import click

from ...errors import UsageError, visible
from ...languages import formats, protocols
from .console import print_json, print_text
from .options import json_option


@click.command("fmt")
@click.argument("sources", metavar="FILE...", nargs=-1, required=True)
@click.option("--write", "-w", is_flag=True, help="Rewrite the files in place.")
@click.option(
    "--check", "only_check", is_flag=True, help="Change nothing; exit 1 if a file is not canonical."
)
@click.option("--diff", is_flag=True, help="Change nothing; print what would change, and exit 1 if anything.")
@json_option
def command(sources: tuple[str, ...], write: bool, only_check: bool, diff: bool, as_json: bool) -> int:
    """Print FILE in the canonical layout of the .storm language.

    \b
    Examples:
      stormproof fmt shop.storm
      stormproof fmt --write *.storm
      stormproof fmt --diff shop.storm
      stormproof fmt --check protocols/*.storm
    """
    if [write, only_check, diff].count(True) > 1:
        raise UsageError("--write, --check and --diff say what becomes of the layout; give only one of them")
    if write and "-" in sources:
        raise UsageError("standard input cannot be rewritten in place; remove --write")
    rows: list[dict[str, Any]] = []
    for source in sources:
        text = _read(source, write)
        made = formats.fmt(text, source)
        rows.append({"file": source, "canonical": made == text})
        changes = _changes(source, text, made) if diff else []
        if diff:
            rows[-1]["diff"] = "".join(changes)
        if write and made != text:
            formats.save_over(Path(source), made, text)
        elif not (write or only_check or as_json):
            _print_changes(changes) if diff else print_text(made)
    bad = [str(row["file"]) for row in rows if not row["canonical"]]
    if as_json:
        print_json({"stormproof": 1, "files": rows})
    elif only_check and bad:
        click.echo("\n".join(f"{file}: not in the canonical layout" for file in bad))
    return 1 if (only_check or diff) and bad else 0


def _changes(source: str, text: str, made: str) -> list[str]:
    """A unified difference, which `patch` reads."""
    before, after = text.splitlines(keepends=True), made.splitlines(keepends=True)
    lines = difflib.unified_diff(before, after, source, f"{source} (canonical)")
    return [line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines]


def _print_changes(lines: list[str]) -> None:
    colours = {"+": "green", "-": "red", "@": "cyan"}
    for line in lines:
        shown = visible(line.rstrip("\n"))
        colour = None if os.environ.get("NO_COLOR") else colours.get(line[0])
        click.echo(click.style(shown, fg=colour) if colour else shown)


def _read(source: str, write: bool) -> str:
    """A file or standard input; a built-in protocol may be looked at in this way, and not rewritten."""
    if source in protocols.names() and not write and not os.path.lexists(source):
        return protocols.source(source)
    return formats.read_text(source)
