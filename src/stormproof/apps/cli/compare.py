"""`stormproof compare`: are two systems the same, up to the names of their states?"""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from ...errors import UsageError
from ...kernel.equivalence.compare import Comparison, compare
from ...kernel.model.phrases import arrow
from ...kernel.model.status import Status
from ...kernel.model.system import System
from ...languages import formats
from ...languages.formats import dot
from . import HOLDS, UNDECIDED, VIOLATED
from .console import console, print_json
from .options import json_option, load_input
from .signs import signed

#: So many messages that were taken for one are listed.
LISTED = 8


@click.command("compare")
@click.argument("files", metavar="LEFT... RIGHT...", nargs=-1, required=True)
@click.option("--with", "others", multiple=True, metavar="FILE", help="A file of RIGHT; may be repeated.")
@click.option("--any-roles", is_flag=True, help="Also try to rename the roles.")
@click.option("--traces", is_flag=True, help="Require equal traces only.")
@click.option("--format", "format", metavar="LANGUAGE", help="Read all files in this language.")
@json_option
def command(
    files: tuple[str, ...],
    others: tuple[str, ...],
    any_roles: bool,
    traces: bool,
    format: str | None,
    as_json: bool,
) -> int:
    """Are LEFT and RIGHT equal up to the names of their states? If not, where do they differ?

    Each is a FILE in any language, or several DOT files, one per role. --with separates two groups of DOT
    files. Messages that differ only in the spelling of a payload's sort (int and i32) count as equal, and
    are listed. Unreachable states, the order of the roles and the protocol's name do not count.

    Exit codes: 0 equal, 1 different, 2 the input is wrong, 3 undecided.

    \b
    Examples:
      stormproof compare auth.nuscr auth_C.dot auth_S.dot
      stormproof compare C.dot S.dot --with C2.dot --with S2.dot
      stormproof compare shop.storm shop.ctx --traces
      stormproof compare elevator elevator.kmc --any-roles --json
    """
    left, right = _sides(files, others, format)
    called = _called(left, right)
    first, second = (_load(group, format) for group in (left, right))
    found = compare(first, second, any_roles=any_roles, called=called)
    if as_json:
        print_json(found.to_json())
    else:
        _print(console(), found, called, traces)
        if found.differences[:1] and found.differences[0].kind == "roles" and not any_roles:
            if compare(first, second, any_roles=True):
                console().print(Text("  they are equal up to the names of roles: --any-roles", style="dim"))
    return _code(found, traces)


def _code(found: Comparison, traces: bool) -> int:
    if traces and found.same_traces is not False and not found.equal:
        around = [d for d in found.differences if d.kind != "automata"]
        if not around:
            return UNDECIDED if found.same_traces is None else HOLDS
    if found.equal is None:
        return UNDECIDED
    return HOLDS if found.equal else VIOLATED


def _sides(
    files: tuple[str, ...], others: tuple[str, ...], format: str | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which files are LEFT and which are RIGHT."""
    if others:
        return files, others
    if len(files) == 1:
        raise UsageError("two systems are needed to compare; give the file of the other one as well")
    if len(files) == 2:
        _refuse_roles_of_one(files[0], files[1], format)
        return files[:1], files[1:]
    drawn = tuple(f for f in files if _is_dot(f, format))
    rest = tuple(f for f in files if f not in drawn)
    if len(rest) != 1:
        raise UsageError(
            "it is not clear which of these files are one system",
            hint="only DOT files, one per role, make one system together; name the other system with --with",
        )
    return (drawn, rest) if files[0] in drawn else (rest, drawn)


def _is_dot(file: str, format: str | None) -> bool:
    if file == "-" or not Path(file).is_file():
        return False
    return (format or formats.detect(formats.read_text(file), file).name) == "dot"


def _refuse_roles_of_one(left: str, right: str, format: str | None) -> None:
    """Two DOT files that each bring in the other are one system, which is no comparison."""
    if not (_is_dot(left, format) and _is_dot(right, format)) or Path(left) == Path(right):
        return
    beside = [Path(name) for _, name in dot.companions(formats.read_text(left), Path(left))]
    if Path(right) in beside:
        raise UsageError(
            f"{left} and {right} are two roles of one system",
            hint="give the system to compare it with, too: another file, or DOT files with --with",
        )


def _load(group: tuple[str, ...], format: str | None) -> System:
    return load_input(group[0], format) if len(group) == 1 else formats.load(group, format)


def _called(left: tuple[str, ...], right: tuple[str, ...]) -> tuple[str, str]:
    """What sentences call the two: the file's name where it tells them apart."""
    for whole in (False, True):
        ours, theirs = (_group(group, whole) for group in (left, right))
        if ours != theirs:
            return ours, theirs
    return "the first", "the second"


def _group(files: tuple[str, ...], whole: bool) -> str:
    names = ["stdin" if f == "-" else f if whole else Path(f).name for f in files]
    return " + ".join(names if len(names) <= 2 else [names[0], f"{len(names) - 1} more"])


def _print(out: Console, found: Comparison, called: tuple[str, str], traces: bool) -> None:
    pair = f"{called[0]} and {called[1]}"
    if found.equal is None:
        out.print(Text(f"? undecided: {found.reason}", style="yellow"), soft_wrap=True)
    elif found.equal:
        names = "states and roles" if _renamed(found) else "states"
        out.print(signed(Status.PROVED, f" {pair} are equal up to the names of {names}"), soft_wrap=True)
    elif traces and _code(found, traces) == HOLDS:
        out.print(signed(Status.PROVED, f" {pair} have the same traces"), soft_wrap=True)
    else:
        out.print(signed(Status.VIOLATED, f" {pair} differ"), soft_wrap=True)
    for difference in found.differences:
        out.print(Text(f"  · {difference.sentence}"), soft_wrap=True)
    if _renamed(found):
        out.print(Text(f"  roles: {', '.join(_renamed(found))}"), soft_wrap=True)
    _print_spellings(out, found)


def _renamed(found: Comparison) -> list[str]:
    return [f"{ours} is {theirs}" for ours, theirs in found.roles.items() if ours != theirs]


def _print_spellings(out: Console, found: Comparison) -> None:
    if found.identified:
        many = len(found.identified)
        out.print(Text("  taken for the same message, though spelt differently:"))
        for spelling in found.identified[:LISTED]:
            words = f"{spelling.first} and {spelling.second} on {arrow(spelling.channel)}"
            out.print(Text(f"  · {words}", style="dim"), soft_wrap=True)
        if many > LISTED:
            out.print(Text(f"  · and {many - LISTED} more (--json lists all)", style="dim"))
