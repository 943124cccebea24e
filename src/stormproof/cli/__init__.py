"""The command line: parse, call, print. One module a command, loaded when it is asked for.

Exit codes: 0 everything asked holds, 1 something is violated, 2 the input or the command line is wrong,
3 undecided within the limits; where several apply, 2 before 1 before 3. 70 is a defect of stormproof.
"""

from __future__ import annotations

import importlib
import os
import shlex
import sys
import traceback
from collections.abc import Sequence

import click

from ..errors import InternalError, StormproofError

#: Command -> the module of this package that holds it, as a click command called `command`.
COMMANDS = {
    "check": "check",
    "lint": "lint",
    "show": "show",
    "convert": "convert",
    "compare": "compare",
    "fmt": "fmt",
    "list": "list_",
    "classify": "classify",
    "explain": "explain",
    "report": "report",
    "studio": "studio",
    "lsp": "lsp",
    "draw": "draw",
    "replay": "replay",
    "reach": "reach",
    "trace": "trace",
    "crash": "crash",
    "project": "project",
    "generate": "generate",
    "table": "table",
    "campaign": "campaign",
    "frontier": "frontier",
    "completion": "completion",
}

#: Where the context of a command keeps the command line as it was typed.
TYPED = "stormproof.typed"

HOLDS, VIOLATED, WRONG, UNDECIDED, DEFECT = 0, 1, 2, 3, 70


class Commands(click.Group):
    """Loads a command's module only when it is needed, so that the tool starts at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command = importlib.import_module(f"{__name__}.{COMMANDS[name]}").command
        assert isinstance(command, click.Command)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[TYPED] = shlex.join(["stormproof", *args])
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from ..errors import did_you_mean

            hint = did_you_mean(args[0], COMMANDS) or f"the commands are {', '.join(COMMANDS)}"
            raise click.UsageError(f"no command '{args[0]}'; {hint}", ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with:  stormproof check alternating-bit --loss",
)
@click.version_option(package_name="stormproof", prog_name="stormproof")
def group() -> None:
    """Does a message-passing protocol still work when messages are lost, corrupted or reordered, and when
    processes crash?

    FILE is a file in any of the languages that `stormproof convert --help` lists, `-` for standard input,
    or the name of a built-in protocol (`stormproof list`).

    \b
    Exit codes: 0 everything asked holds      1 something is violated
                2 the input is wrong          3 undecided within the limits
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """The entry point: everything a user can cause ends in one clear message and an exit code."""
    try:
        code = group.main(args=list(arguments) if arguments is not None else None, standalone_mode=False)
        _leave(code if isinstance(code, int) else HOLDS)
    except click.exceptions.Exit as leaving:
        _leave(leaving.exit_code)
    except click.ClickException as problem:
        problem.show()
        _leave(WRONG)
    except StormproofError as problem:
        click.echo(problem.report(), err=True)
        _leave(WRONG)
    except (KeyboardInterrupt, click.exceptions.Abort):
        click.echo("undecided: interrupted", err=True)
        _leave(UNDECIDED)
    except BrokenPipeError:
        # The reader of our output went away (`| head`): nobody is left to tell.
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
        _leave(HOLDS)
    except MemoryError:
        click.echo("undecided: out of memory; give a limit with --memory", err=True)
        _leave(UNDECIDED)
    except Exception as problem:
        _defect(problem)


def _leave(code: int) -> None:
    sys.exit(code)


def _defect(problem: Exception) -> None:
    """Anything else is a bug of stormproof, and says so."""
    if os.environ.get("STORMPROOF_DEBUG"):
        traceback.print_exc()
    what = str(problem) if isinstance(problem, InternalError) else f"{type(problem).__name__}: {problem}"
    click.echo(
        f"stormproof: internal error, a defect of stormproof and not of your input: {what}\n"
        "    run it again with STORMPROOF_DEBUG=1 in the environment for the traceback, and report both",
        err=True,
    )
    _leave(DEFECT)
