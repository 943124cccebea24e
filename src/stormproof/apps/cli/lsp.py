"""`stormproof lsp`: the language server that editors start."""

from __future__ import annotations

import importlib.util
import logging

import click

from ...errors import MissingDependency


@click.command("lsp")
@click.option("--stdio", is_flag=True, help="Speak over standard input and output, as without this flag.")
def command(stdio: bool) -> int:
    """Start a language server for .storm files, on standard input and output.

    Editors start it; docs/editors.md says how. It underlines mistakes while you type, completes and renames
    names, and shows the verdicts of the last check above the protocol, its roles and its requirements.

    \b
    Example:
      stormproof lsp --stdio
    """
    if importlib.util.find_spec("pygls") is None:
        raise MissingDependency(
            "the language server needs pygls", hint="install it with: pip install 'stormproof[lsp]'"
        )
    from ..lsp.server import make_server

    logging.basicConfig(level=logging.ERROR)
    make_server().start_io()
    return 0
