"""`stormproof crash`: does a system handle crashes, what is missing, and which crashes does it tolerate?"""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...errors import UsageError
from ...kernel.model.actions import CRASH_ACTION, Internal
from ...kernel.model.failures import Failures
from ...kernel.model.phrases import plural
from ...kernel.model.status import Status, status_of
from ...kernel.model.system import System
from ...kernel.transform.crash_completion import complete
from ...kernel.transform.crash_handling import CrashHandling, crash_handling, in_sentences
from ...languages import formats
from ...limits import Limits
from ...search.checks.properties import RECOVERS
from ...search.checks.report import Verdict
from ...surveys.crash_sets import CrashSets, assumptions, crash_sets, in_words
from .console import console, counter_line, print_json, save_text, uninterrupted
from .convert import target_language
from .options import (
    effort_option,
    failure_options,
    input_argument,
    json_option,
    limit_options,
    load_input,
    output_options,
    split_list,
)
from .signs import signed

_CRASH = Internal(CRASH_ACTION)


@click.command("crash")
@input_argument
@click.option("--reliable", metavar="P,Q", help="These never crash, all others may; 'none': all may.")
@click.option(
    "--complete", "completes", is_flag=True, help="Write the system with the missing transitions added."
)
@click.option("--clean-up", is_flag=True, help="Also let resting states receive dangling crash messages.")
@click.option(
    "--to", "target", metavar="LANGUAGE", help="The language to write; default: the suffix of -o, or storm."
)
@output_options
@click.option(
    "--sweep", "sweeps", is_flag=True, help="Ask survival of every set of processes that may crash."
)
@click.option("--max-size", type=click.IntRange(0), metavar="N", help="Sweep sets of at most N processes.")
@click.option("-k", "k", type=click.IntRange(1), metavar="N", help="Sweep: check at this bound only.")
@click.option(
    "--max-k",
    type=click.IntRange(1),
    metavar="N",
    help="Sweep: the largest bound to try: 6 for survival, 10 for the k-properties.",
)
@click.option(
    "--property",
    "properties",
    multiple=True,
    metavar="NAME",
    help="Sweep: check this property; may be repeated.",
)
@effort_option
@failure_options
@limit_options
@json_option
def command(
    source: str,
    format: str | None,
    reliable: str | None,
    completes: bool,
    clean_up: bool,
    target: str | None,
    output: str | None,
    force: bool,
    sweeps: bool,
    max_size: int | None,
    k: int | None,
    max_k: int | None,
    properties: tuple[str, ...],
    effort: int,
    failures: Failures,
    limits: Limits,
    as_json: bool,
) -> int:
    """Does FILE handle the crashes of its unreliable processes? If not, what is missing?

    The processes that may crash are those that FILE declares and --crash adds; with --reliable, all others.
    If none is named, every process may crash. The other failure flags are for --sweep, which asks for
    survival and shows the classes beside it; its exit code depends on survival, or on what --property names.

    \b
    Examples:
      stormproof crash client-server.storm --reliable Server
      stormproof crash client-server.storm --reliable Server --complete -o handled.storm
      stormproof crash two-phase-commit --sweep
      stormproof crash two-phase-commit --sweep --max-size 1 --property k-wmc-up-to-crash --json
    """
    system = load_input(source, format)
    _refuse_mixture(sweeps)
    if sweeps:
        with counter_line("sets of unreliable processes checked") as progress:
            found = crash_sets(
                system,
                failures,
                properties=properties or None,
                k=k,
                max_k=max_k,
                max_size=max_size,
                limits=limits,
                progress=progress,
                effort=effort,
            )
        with uninterrupted():
            print_json(found.to_json()) if as_json else print_sweep(console(), found)
        return found.exit_code
    assumed = _assume(system, reliable, failures)
    if completes or output is not None or clean_up:
        return _write(assumed, clean_up, target, output, force, as_json)
    answer = crash_handling(assumed)
    print_json(_to_json(assumed, answer)) if as_json else _print(console(), assumed, answer)
    return 0 if answer.holds else 1


#: Parameters that make sense with and without a sweep, and only without one; all others are for a sweep.
_ALWAYS = ("source", "format", "as_json", "crash", "sweeps")
_WRITING = ("reliable", "completes", "clean_up", "target", "output", "force")


def _refuse_mixture(sweeps: bool) -> None:
    """A flag that would be passed over in silence is refused."""
    ctx = click.get_current_context()
    for parameter in ctx.command.params:
        name, flag = str(parameter.name), max(parameter.opts, key=len)
        if name in _ALWAYS or ctx.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        if sweeps and name in _WRITING:
            raise UsageError(f"--sweep tries every assumption and writes nothing; remove {flag}")
        if not sweeps and name not in _WRITING:
            raise UsageError(f"{flag} has an effect with --sweep only; add --sweep or remove {flag}")


def _assume(system: System, reliable: str | None, failures: Failures) -> System:
    """Who may crash: as said, or everybody where nothing is said."""
    if reliable is None:
        unreliable = failures.on(system).unreliable
        return system.with_unreliable(unreliable or system.names)
    kept = [] if reliable.strip() == "none" and "none" not in system else split_list(reliable)
    for name in (*kept, *failures.crash):
        system[name]
    both = [name for name in kept if name in failures.crash]
    if both:
        raise UsageError(f"{both[0]} cannot be reliable and crash")
    return system.with_unreliable(n for n in system.names if n not in kept)


def _write(
    system: System, clean_up: bool, target: str | None, output: str | None, force: bool, as_json: bool
) -> int:
    done = complete(system, clean_up=clean_up)
    language = target_language(target, output, default="storm")
    text = formats.dumps(done, language)
    if output is not None or not as_json:
        save_text(output, text, overwrite=force)
    if as_json:
        where = {"output": output} if output is not None else {"text": text}
        print_json({**_to_json(system, crash_handling(system)), "language": language, **where})
    return 0


def _to_json(system: System, answer: CrashHandling) -> dict[str, Any]:
    return {
        "stormproof": 1,
        "name": system.name,
        "unreliable": list(system.unreliable),
        "crash_handling": answer.holds,
        "cleans_up": answer.cleans_up,
        "missing": [m.to_json() for m in answer.missing],
        "misplaced": [m.to_json() for m in answer.misplaced],
        "unclean": [m.to_json() for m in answer.unclean],
    }


def _print(out: Console, system: System, answer: CrashHandling) -> None:
    out.print(Text(f"{system.name or 'the system'}: {in_words(system.unreliable)} may crash"))
    drawn = [p.name for p in system if p.reliable and any(t.action == _CRASH for t in p.transitions)]
    if drawn:
        out.print(Text(f"note: {in_words(drawn)} is taken to be reliable here, but the file lets it crash"))
    handles = status_of(answer.holds)
    out.print(signed(handles, f" {'' if answer.holds else 'not '}crash-handling"))
    for sentence in (*in_sentences(answer.missing), *(m.sentence for m in answer.misplaced)):
        out.print(Text(f"  · {sentence}"), soft_wrap=True)
    said = {(m.process, m.state, m.action) for m in answer.missing}
    if answer.cleans_up:
        out.print(signed(Status.PROVED, " cleans up: every resting state takes dangling crash messages"))
    else:
        rest = [m for m in answer.unclean if (m.process, m.state, m.action) not in said]
        above = " the missing loops above" + (", and" if rest else "")
        more = "" if len(rest) == len(answer.unclean) else above
        out.print(Text(f"– does not clean up:{more}", style="yellow"))
        for sentence in in_sentences(rest):
            out.print(Text(f"  · {sentence}"), soft_wrap=True)
    if not answer.holds and not answer.misplaced:
        out.print(Text("add what is missing with --complete"), style="dim")


#: What the numbers of a column of survival mean.
SURVIVAL_CELLS = "recovers: ✔ any channel length, ◐ ≤n up to length n, ✘ n breaks with n faults"


def _number(verdict: Verdict) -> str:
    """The least k of a k-property; of survival the faults that break it, or the length of channels."""
    if verdict.survival and verdict.holds is False:
        return f" {verdict.faults}"
    if verdict.survival:
        return "" if verdict.up_to is None else f" ≤{verdict.up_to}"
    return "" if verdict.k is None else f" {verdict.k}"


def print_sweep(out: Console, found: CrashSets) -> None:
    """One row per set, one column per property; then what each property needs."""
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="dim")
    table.add_column("may crash", overflow="fold")
    for name in found.properties:
        header = name.replace("-up-to-crash", "\nup to\ncrash").replace("crash-h", "crash-\nh")
        table.add_column(header, justify="center", no_wrap=True)
    for row in found.rows:
        cells = []
        for verdict in row.verdicts:
            cells.append(signed(verdict.status, _number(verdict)))
        table.add_row(Text((", ".join(row.unreliable) or "nobody") + ("*" if row.completed else "")), *cells)
    out.print(Text(found.system.name, style="bold"))
    for note in found.notes:
        out.print(Text(f"note: {note}"))
    out.print(table)
    if RECOVERS.name in found.properties:
        out.print(Text(SURVIVAL_CELLS, style="dim"))
    if any(row.completed for row in found.rows):
        out.print(Text("* crash handling was missing and was completed", style="dim"))
    out.print()
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for name, words in assumptions(found):
        grid.add_row(Text(name), Text(words))
    out.print(grid)
    out.print()
    bound = "" if found.all_sets else f" of at most {found.largest}"
    out.print(Text(f"{plural(len(found.rows), 'set')} of processes{bound} in {found.seconds:.1f} s."))
