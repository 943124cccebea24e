"""`stormproof completion`: the script with which a shell completes commands and flags."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from ...errors import UsageError
from .console import print_json
from .options import json_option


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@json_option
def command(shell: str, as_json: bool) -> None:
    """Print the completion script for a shell.

    \b
    Example:
      stormproof completion bash > ~/.local/share/bash-completion/completions/stormproof
    """
    from . import group

    kind = get_completion_class(shell)
    if kind is None:
        raise UsageError(f"no completion for the shell '{shell}'")
    script = kind(group, {}, "stormproof", "_STORMPROOF_COMPLETE").source()
    if as_json:
        print_json({"stormproof": 1, "shell": shell, "script": script})
    else:
        click.echo(script)
