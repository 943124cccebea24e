"""The command line: parse, call, print. One module per command, loaded when it is needed.

Exit codes: 0 everything asked holds, 1 something is violated, 2 the input or the command line is wrong,
3 undecided within the limits; where several apply, 2 before 1 before 3. 70 is a defect of stormproof.
"""

from __future__ import annotations

import importlib
import io
import os
import shlex
import sys
from collections.abc import Sequence

import click

from ...errors import InternalError, StormproofError, clipped, visible

#: Command -> the module of this package that holds it, as a click command called `command`, and its summary.
COMMANDS = {
    "check": ("check", "Does it survive, and how many faults does it take?"),
    "lint": ("lint", "Report mistakes and warnings."),
    "show": ("show", "Show roles, states, channels and messages."),
    "convert": ("convert", "Write the protocol in another language."),
    "compare": ("compare", "Are two protocols equal up to the names of states?"),
    "fmt": ("fmt", "Print a .storm file in the canonical layout."),
    "list": ("list_", "List the built-in protocols."),
    "classify": ("classify", "Which classes of systems is it in?"),
    "explain": ("explain", "Why does it break, and which lines repair it?"),
    "report": ("report", "Write a page to step through every run."),
    "studio": ("studio", "Write, check and play a protocol in the browser."),
    "lsp": ("lsp", "Start the language server for .storm files."),
    "draw": ("draw", "Draw automata, or a run as a sequence chart."),
    "replay": ("replay", "Verify the runs and certificates of a saved result."),
    "reach": ("reach", "Can a goal be reached, with channels of any length?"),
    "trace": ("trace", "Do logs conform to the protocol?"),
    "testgen": ("testgen", "Write tests for implementations of a role."),
    "crash": ("crash", "Does it handle announced crashes?"),
    "project": ("project", "Print the local session type of each role."),
    "generate": ("generate", "Write a protocol of a family with parameters."),
    "table": ("table", "Check many protocols under many failures."),
    "campaign": ("campaign", "Check many files under many failures, resumable, on many workers."),
    "frontier": ("frontier", "Which failures does it survive, and which break it?"),
    "completion": ("completion", "Print the completion script for a shell."),
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
        command = importlib.import_module(f"{__name__}.{COMMANDS[name][0]}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The summaries, without loading twenty modules."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[TYPED] = shlex.join(["stormproof", *args])
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from ...errors import did_you_mean

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
    """Does a message-passing protocol still work when messages are lost, corrupted, reordered or
    duplicated, and when processes crash, stop or restart?

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
        said = io.StringIO()
        problem.show(said)
        click.echo(visible(clipped(said.getvalue())), err=True, nl=False)
        _leave(WRONG)
    except StormproofError as problem:
        click.echo(problem.report(), err=True)
        _leave(WRONG)
    except (KeyboardInterrupt, click.exceptions.Abort):
        click.echo("undecided: interrupted", err=True)
        _leave(UNDECIDED)
    except BrokenPipeError:
        # The reader of our output went away (`| head`) before the answer: nobody is left to tell.
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
        _leave(UNDECIDED)
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
        import traceback

        traceback.print_exc()
    what = str(problem) if isinstance(problem, InternalError) else f"{type(problem).__name__}: {problem}"
    what = visible(clipped(what))
    click.echo(
        f"stormproof: internal error, a defect of stormproof and not of your input: {what}\n"
        "    run it again with STORMPROOF_DEBUG=1 in the environment for the traceback, and report both",
        err=True,
    )
    _leave(DEFECT)
