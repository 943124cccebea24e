"""What is said where there is no answer: in colour on a terminal, with --json as JSON on standard output."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Sequence
from typing import Any

import click

from ...errors import StormproofError

#: The parts of a mistake or a warning, each on lines of its own: place and kind, gutter, caret and hint.
_HEAD = re.compile(r"^(?P<place>\S.*?:\d+(?::\d+)?: )(?P<kind>error: |warning: )?(?P<said>.*)$")
_CARET = re.compile(r"^(?P<gutter> +\| )(?P<before> *)(?P<caret>\^+)(?P<hint>.*)$")
_QUOTED = re.compile(r"^(?P<gutter> *\d+ \| )(?P<text>.*)$")
_COLOURS = {"error: ": "red", "warning: ": "yellow"}


class Undecided(Exception):
    """A limit or Ctrl-C came before there was an answer; the message begins with `undecided`."""


def show_problem(text: str, err: bool = True) -> None:
    """A mistake or a warning as `StormproofError.report` and `str` write it; by default on standard error."""
    terminal = (sys.stderr if err else sys.stdout).isatty() and not os.environ.get("NO_COLOR")
    click.echo(coloured(text) if terminal else text, err=err)


def coloured(text: str) -> str:
    return "\n".join(_coloured_line(line) for line in text.split("\n"))


def _coloured_line(line: str) -> str:
    if caret := _CARET.match(line):
        parts = caret.groupdict()
        red, hint = click.style(parts["caret"], fg="red", bold=True), click.style(parts["hint"], fg="cyan")
        return click.style(parts["gutter"], dim=True) + parts["before"] + red + hint
    if quoted := _QUOTED.match(line):
        return click.style(quoted["gutter"], dim=True) + quoted["text"]
    if line.startswith("    "):
        return click.style(line, fg="cyan")
    head = _HEAD.match(line)
    if head is None:
        return click.style(line, bold=True)
    kind = head["kind"] or ""
    said = click.style(kind, fg=_COLOURS.get(kind, "red"), bold=True) if kind else ""
    return head["place"] + said + click.style(head["said"], bold=kind != "warning: ")


def problem_to_json(problem: StormproofError, file: str | None = None) -> dict[str, Any]:
    """A mistake as `lint --json` lists it."""
    place = problem.place
    return {
        "file": file if place is None else place.file,
        "line": place.line if place else None,
        "column": place.column if place else None,
        "severity": "error",
        "message": problem.message,
        "hint": problem.hint,
    }


def refusal_to_json(error: str, problem: StormproofError | None = None) -> dict[str, Any]:
    """`error`: what a person reads, in one text; `problems`: the mistakes in it, with their places."""
    found = [] if problem is None else [problem, *problem.others]
    return {"error": error, "problems": [problem_to_json(one) for one in found]}


def asks_json(arguments: Sequence[str]) -> bool:
    """Does the command line ask for JSON? It may be wrong in every other respect."""
    flags = list(arguments)
    return "--json" in flags[: flags.index("--")] if "--" in flags else "--json" in flags


def print_refusal(error: str, code: int, problem: StormproofError | None = None) -> None:
    """The JSON of an outcome without an answer."""
    from .console import print_json

    with contextlib.suppress(StormproofError, BrokenPipeError):  # nobody reads standard output any more
        print_json({"stormproof": 1, **refusal_to_json(error, problem), "exit_code": code})
