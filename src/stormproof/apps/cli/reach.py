"""`stormproof reach`: can this ever happen, with channels of any length?"""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console
from rich.text import Text

from ...errors import UsageError
from ...kernel.model.failures import Failures
from ...kernel.model.goal import NAMED
from ...kernel.model.phrases import plural
from ...kernel.model.status import REPLAYED
from ...limits import Limits
from ...search.reachability.answer import Answer
from ...search.reachability.api import reach
from ...search.reachability.channel_bounds import Bounds, channel_bounds
from ...search.reachability.pnml import pnml
from ...tell.draw.chart.build import chart
from .console import console, print_json, progress_line, save_text, uninterrupted
from .options import effort_option, failure_options, input_argument, json_option, limit_options, load_input
from .print_chart import print_chart

_STYLES = {"reachable": "red", "unreachable": "green", "undecided": "yellow"}


@click.command("reach", epilog="Named goals: " + ", ".join(NAMED))
@input_argument
@click.argument("goal", metavar="GOAL", required=False)
@failure_options
@click.option(
    "--bounds", "ask_bounds", is_flag=True, help="Compute how many messages each channel may hold instead."
)
@click.option(
    "--pnml", "pnml_file", metavar="FILE", help="Also write the system as a Petri net; - for standard output."
)
@click.option("--force", is_flag=True, help="Overwrite the file of --pnml if it exists.")
@click.option(
    "--certificate", is_flag=True, help="With --json: also print the certificate of an unreachable goal."
)
@click.option("--added-states", is_flag=True, help="Let named goals match states that crash handling added.")
@effort_option
@limit_options
@json_option
def command(
    source: str,
    format: str | None,
    goal: str | None,
    failures: Failures,
    limits: Limits,
    ask_bounds: bool,
    pnml_file: str | None,
    force: bool,
    certificate: bool,
    added_states: bool,
    effort: int,
    as_json: bool,
) -> Any:
    """Can the system in FILE ever reach GOAL under the failures, with channels of any length?

    GOAL names control states and, optionally, channel contents; what is not mentioned is unconstrained.
    The first word of the output is the answer. Exit codes: 0 unreachable, 1 reachable, 3 undecided.

    \b
    Examples:
      stormproof reach stop-and-wait Receiver@again0
      stormproof reach net.storm 'A@wait & B@idle & A->B=[d0, d1]' --reorder
      stormproof reach net.storm 'A->B contains d0 & deadlock'
      stormproof reach net.storm --bounds --reorder
    """
    if ask_bounds and goal is not None:
        raise UsageError(
            "--bounds asks about the channels and takes no goal", hint="leave out one of the two"
        )
    if failures.budget.limited and (ask_bounds or pnml_file is not None):
        flag = "--bounds" if ask_bounds else "--pnml"
        raise UsageError(f"{flag} is for any number of faults", hint="leave out --budget")
    system = load_input(source, format)
    if pnml_file is not None:
        save_text(None if pnml_file == "-" else pnml_file, pnml(system, failures), overwrite=force)
    if ask_bounds:
        with progress_line() as line:
            found = channel_bounds(system, failures, limits=limits, progress=line.show)
        print_json(found.to_json()) if as_json else _print_bounds(console(), found)
        return found.exit_code
    if goal is None:
        if pnml_file is not None:
            return 0
        raise UsageError(
            "there is no goal", hint="write one, like 'Sender@wait0' or deadlock, or ask for --bounds"
        )
    with progress_line() as line:
        answer = reach(
            system,
            goal,
            failures,
            limits=limits,
            progress=line.show,
            with_added_states=added_states,
            effort=effort,
        )
    with uninterrupted():
        if as_json:
            print_json(answer.to_json(certificate=certificate))
        else:
            _print_answer(console(), answer)
    return answer.exit_code


def _print_answer(out: Console, answer: Answer) -> None:
    line = Text(answer.answer, style=f"bold {_STYLES[answer.answer]}")
    line.append(f": {answer.because}", style="default")
    out.print(line, soft_wrap=True)
    for note in answer.notes:
        out.print(Text(f"note: {note}"), soft_wrap=True)
    if answer.run is not None:
        _print_run(out, answer)
    if answer.certificate is not None:
        out.print(
            Text(f"certificate: {answer.certificate.describe()}, accepted by the checker"), soft_wrap=True
        )
    if answer.answer == "undecided":
        for way in answer.tried:
            out.print(Text(f"  tried {way}"), soft_wrap=True)


def _print_run(out: Console, answer: Answer) -> None:
    assert answer.run is not None
    count = answer.run.fault_count
    faults = plural(count, "fault")
    if count:
        faults += " (no run has fewer)" if answer.fewest else " (fewer may suffice)"
    out.print(Text(f"run: {plural(len(answer.run.steps), 'step')}, {faults}, {REPLAYED}", style="bold"))
    out.print()
    print_chart(out, chart(answer.system, answer.run))


def _print_bounds(out: Console, found: Bounds) -> None:
    out.print(Text(found.answer, style="bold") + Text(f": {found.because}"), soft_wrap=True)
    for note in found.notes:
        out.print(Text(f"note: {note}"), soft_wrap=True)
    for channel, bound in found.channels.items():
        out.print(Text(f"  {channel}: {bound.describe()}"), soft_wrap=True)
