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
from collections.abc import Iterable, Sequence
from typing import Any

import click

from ...errors import InternalError, StormproofError, UsageError, clipped, visible
from ...python_process import need_posix
from .problems import Undecided, asks_json, print_refusal, show_problem

#: The commands by what one does with them. Command -> the module of this package that holds it, as a click
#: command called `command`, and its summary.
GROUPS = {
    "Ask": {
        "check": ("check", "Does it survive, and how many faults does it take?"),
        "explain": ("explain", "Why does it break, and which lines repair it?"),
        "frontier": ("frontier", "Which failures does it survive, and which break it?"),
        "mutate": ("mutate", "Do the requirements notice small mistakes?"),
        "crash": ("crash", "Does it handle announced crashes?"),
        "classify": ("classify", "Which classes of systems is it in?"),
        "reach": ("reach", "Can a goal be reached, with channels of any length?"),
        "table": ("table", "Check many protocols under many failures."),
        "campaign": ("campaign", "Check thousands of files, resumable, on many workers."),
    },
    "Write": {
        "lint": ("lint", "Report mistakes and warnings."),
        "fmt": ("fmt", "Print a .storm file in the canonical layout."),
        "convert": ("convert", "Write the protocol in another language."),
        "compare": ("compare", "Are two protocols equal up to the names of states?"),
        "project": ("project", "Print the local session type of each role."),
        "generate": ("generate", "Write a protocol of a family with parameters."),
        "list": ("list_", "List the built-in protocols."),
    },
    "See": {
        "studio": ("studio", "Write, check and play a protocol in the browser."),
        "report": ("report", "Write a page to step through every run."),
        "draw": ("draw", "Draw automata, or a run as a sequence chart."),
        "show": ("show", "Show roles, states, channels and messages."),
    },
    "Trust and test": {
        "replay": ("replay", "Verify the runs and certificates of a saved result."),
        "trace": ("trace", "Do logs conform to the protocol?"),
        "testgen": ("testgen", "Write tests for implementations of a role."),
        "gate": ("gate", "Check, mutants and the code, in one command."),
    },
    "Set up": {
        "lsp": ("lsp", "Start the language server for .storm files."),
        "mcp": ("mcp", "Start the server for agents."),
        "completion": ("completion", "Print the completion script for a shell."),
    },
}
COMMANDS = {name: what for commands in GROUPS.values() for name, what in commands.items()}

#: Commands that start processes, stop them by signals, or share files between them.
POSIX_ONLY = {"campaign", "table", "studio", "lsp", "mcp"}

#: Where the context of a command keeps the command line as it was typed.
TYPED = "stormproof.typed"

HOLDS, VIOLATED, WRONG, UNDECIDED, DEFECT = 0, 1, 2, 3, 70


class _Help(click.HelpFormatter):
    """In colour, which click leaves out where there is no terminal."""

    def write_heading(self, heading: str) -> None:
        super().write_heading(click.style(heading, bold=True))

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        super().write_usage(prog, args, click.style("Usage: ", bold=True) if prefix is None else prefix)

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        coloured = [(click.style(name, fg="cyan"), said) for name, said in rows]
        super().write_dl(coloured, col_max, col_spacing)


class _Context(click.Context):
    formatter_class = _Help

    def __init__(self, *arguments: Any, **given: Any) -> None:
        super().__init__(*arguments, **given)
        self.color = False if os.environ.get("NO_COLOR") else self.color


class Commands(click.Group):
    """Loads a command's module only when it is needed, so that the tool starts at once."""

    context_class = _Context

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        if name in POSIX_ONLY:
            need_posix(f"stormproof {name}")
        command = importlib.import_module(f"{__name__}.{COMMANDS[name][0]}").command
        assert isinstance(command, click.Command)
        command.context_class = _Context
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The summaries by group, without loading twenty modules."""
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:<10}", summary) for name, (_, summary) in commands.items()])

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
    """The entry point: everything a user can cause ends in one clear message and an exit code; with --json
    in JSON, too."""
    typed = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = group.main(args=typed, standalone_mode=False)
        _leave(code if isinstance(code, int) else HOLDS)
    except click.exceptions.Exit as leaving:
        _leave(leaving.exit_code)
    except click.exceptions.NoArgsIsHelpError as asked:
        asked.show()
        _leave(WRONG)
    except click.ClickException as problem:
        said = io.StringIO()
        problem.show(said)
        shown = visible(clipped(said.getvalue())).rstrip("\n")
        _refuse(typed, shown, WRONG, UsageError(problem.format_message()))
    except StormproofError as problem:
        _refuse(typed, problem.report(), WRONG, problem)
    except Undecided as limit:
        _refuse(typed, str(limit), UNDECIDED)
    except (KeyboardInterrupt, click.exceptions.Abort):
        _refuse(typed, "undecided: interrupted", UNDECIDED)
    except BrokenPipeError:
        # The reader of our output went away (`| head`) before the answer: nobody is left to tell.
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
        _leave(UNDECIDED)
    except MemoryError:
        _refuse(typed, "undecided: out of memory; give a limit with --memory", UNDECIDED)
    except Exception as problem:
        _defect(typed, problem)


def _refuse(typed: Sequence[str], said: str, code: int, problem: StormproofError | None = None) -> None:
    show_problem(said)
    if asks_json(typed):
        print_refusal(said, code, problem)
    _leave(code)


def _leave(code: int) -> None:
    sys.exit(code)


def _defect(typed: Sequence[str], problem: Exception) -> None:
    """Anything else is a bug of stormproof, and says so."""
    if os.environ.get("STORMPROOF_DEBUG"):
        import traceback

        traceback.print_exc()
    what = str(problem) if isinstance(problem, InternalError) else f"{type(problem).__name__}: {problem}"
    what = visible(clipped(what))
    said = (
        f"stormproof: internal error, a defect of stormproof and not of your input: {what}\n"
        "    run it again with STORMPROOF_DEBUG=1 in the environment for the traceback, and report both"
    )
    _refuse(typed, said, DEFECT)
