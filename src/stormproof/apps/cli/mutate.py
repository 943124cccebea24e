"""`stormproof mutate`: do the requirements notice small mistakes in the protocol?"""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ...errors import UsageError
from ...kernel.model.failures import Failures
from ...languages import formats, protocols
from ...languages.formats.storm_places import NoPlaces, Places, read_with_places
from ...limits import EFFORT, Limits
from ...surveys.mutants.api import mutate
from ...surveys.mutants.judge import MutantFate
from ...surveys.mutants.operators import OPERATORS
from ...surveys.mutants.result import MutantResult, Mutants
from .console import console, counter_line, print_json, save_text, uninterrupted
from .options import failure_options, input_argument, json_option, limit_options, load_with_places, split_list

COLOURS = {
    MutantFate.NOTICED: "green",
    MutantFate.EQUAL: "dim",
    MutantFate.SURVIVES: "red",
    MutantFate.UNDECIDED: "yellow",
}


#: Which mistakes are made.
operator_option = click.option(
    "--operator",
    "operators",
    multiple=True,
    metavar="NAME,...",
    help=f"Only these mistakes: {', '.join(OPERATORS)}.",
)


@click.command("mutate")
@input_argument
@failure_options
@operator_option
@click.option("--all", "show_all", is_flag=True, help="List the mutants that are noticed or equal, too.")
@click.option("--no-suggest", is_flag=True, help="Look for no requirement that would notice a survivor.")
@click.option(
    "--effort",
    type=click.IntRange(min=0),
    default=EFFORT // 5,
    show_default=True,
    metavar="N",
    help="For each mutant: so many configurations for what only makes an answer stronger.",
)
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="Worker processes (one per processor).")
@click.option(
    "--junit", metavar="PATH", help="Also write JUnit XML, a case per mutant; - for standard output."
)
@limit_options
@json_option
def command(
    source: str,
    format: str | None,
    failures: Failures,
    operators: tuple[str, ...],
    show_all: bool,
    no_suggest: bool,
    effort: int,
    jobs: int | None,
    junit: str | None,
    limits: Limits,
    as_json: bool,
) -> int:
    """Do the requirements of FILE notice small mistakes in it?

    Each mutant is the protocol with one mistake in one role. It is noticed if `recovers` or a requirement
    that FILE meets is violated then, equal if it behaves as the protocol does, and else it survives: nothing
    that is required depends on what was changed. Then a requirement that would notice it is shown, if one is
    found; FILE meets it, and only you know whether it is meant. --timeout and --max-states are limits; what
    they leave open is undecided.

    Exit code 0: no mutant survives. 1: some survive. 2: the input is wrong. 3: none is known to survive, and
    some are undecided.

    \b
    Examples:
      stormproof mutate lock
      stormproof mutate shop.storm --operator delete,timer --junit mutants.xml
    """
    if as_json and junit == "-":
        raise UsageError("--json and --junit - print to standard output; give only one of them")
    system, _, known = load_with_places(source, format)
    with counter_line("mutants judged") as progress:
        found = mutate(
            system,
            failures,
            operators=[name for text in operators for name in split_list(text)] or None,
            jobs=jobs,
            suggest=not no_suggest,
            places=places_of(source) if known is None else known,
            progress=progress,
            limits=limits,
            effort=effort,
        )
    with uninterrupted():
        if junit is not None:
            _save(junit, found, source)
        if as_json:
            print_json(found.to_json())
        elif junit != "-":
            print_mutants(console(), found, show_all)
    return found.exit_code


def places_of(name: str) -> Places | NoPlaces:
    """Where the text of a built-in protocol says what."""
    return read_with_places(protocols.source(name), name)[1]


def _save(path: str, found: Mutants, source: str) -> None:
    from ...tell.ci.mutants import mutants_junit

    text = mutants_junit(found, formats.display_name(source))
    save_text(None if path == "-" else str(Path(path)), text, overwrite=True)


def print_mutants(out: Console, found: Mutants, show_all: bool = False) -> None:
    """The numbers first, then what survives, line by line, and what would notice it."""
    out.print(Text(f"{found.system.name}: {found.summary}", "bold"))
    shown = found.results if show_all else (*found.survivors, *found.undecided)
    for result in shown:
        _print_result(out, result)
    asked = ", ".join(title for title, met in found.requirements if met)
    if asked:
        out.print(Padding(Text(f"asked: {asked}", "dim"), (1, 0, 0, 0), expand=False))
    if found.assumed:
        out.print(Text(f"under: {found.assumed}", "dim"))
    for note in found.notes:
        out.print(Text(f"note: {note}"))


def _print_result(out: Console, result: MutantResult) -> None:
    place = result.place
    where = "" if place is None or place.line is None else f"{place.file}:{place.line} "
    what = Text(where, "dim")
    what.append(f"{result.words}: ")
    what.append(result.status.value, COLOURS[result.status])
    what.append(f" by {result.by}" if result.by else "")
    what.append(f" ({result.reason})" if result.reason else "")
    out.print(Padding(what, (0, 0, 0, 2), expand=False))
    if result.suggestion is not None:
        extent = "" if result.suggestion.up_to is None else f" (up to {result.suggestion.up_to} messages)"
        hint = Text(f"{result.suggestion.line}{extent}", "cyan")
        out.print(Padding(hint, (0, 0, 0, 6), expand=False), soft_wrap=True)
