"""`stormproof trace`: do these logs come from a run of the protocol?"""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console
from rich.text import Text

from ...errors import UsageError
from ...kernel.model.failures import Failures
from ...kernel.model.phrases import plural
from ...kernel.model.status import REPLAYED
from ...limits import Limits
from ...live.conformance.answer import TraceAnswer, Unexplained
from ...live.conformance.api import trace
from ...live.conformance.follow import LogFollower, follow
from ...live.conformance.log_map import LogMap, load_log_map
from ...live.conformance.read_log import RowMapper, read_logs, row_mapper
from ...tell.draw.chart.build import chart
from .console import console, counter_line, print_json, uninterrupted
from .options import failure_options, input_argument, json_option, limit_options, load_input
from .print_chart import print_chart

_STYLES = {True: "green", False: "red", None: "yellow"}

#: Longer runs are drawn only on request.
DRAWN = 60


@click.command("trace")
@input_argument
@click.argument("logs", metavar="LOG...", nargs=-1, required=True)
@failure_options
@click.option(
    "--from",
    "start",
    type=click.Choice(["start", "any"]),
    default="start",
    help="Where the logs begin: at the start of a run, or anywhere.",
)
@click.option("--cut-off", is_flag=True, help="Roles may have done more than their logs say.")
@click.option(
    "--field",
    "fields",
    metavar="FIELD=NAME",
    multiple=True,
    help="The name that role, do, peer or message has in the logs; may be repeated.",
)
@click.option(
    "--map", "map_file", metavar="FILE", help="A TOML file that says which fields of the LOGs hold an event."
)
@click.option(
    "--follow",
    "followed",
    is_flag=True,
    help="Compare one LOG while it grows, in bounded memory, up to the first event that does not conform.",
)
@click.option(
    "--role", "roles", metavar="R", multiple=True, help="With --follow: a role that logs; may be repeated."
)
@click.option("--idle", type=float, metavar="SECONDS", help="With --follow: end when LOG grows no more.")
@click.option(
    "--shiviz",
    metavar="REGEX",
    help="The LOGs are those of ShiViz with this parser expression; the usual ones need no option.",
)
@click.option(
    "--chart/--no-chart", "drawn", default=None, help=f"Draw the run; default: up to {DRAWN} steps."
)
@limit_options
@json_option
def command(
    source: str,
    logs: tuple[str, ...],
    format: str | None,
    failures: Failures,
    start: str,
    cut_off: bool,
    fields: tuple[str, ...],
    map_file: str | None,
    followed: bool,
    roles: tuple[str, ...],
    idle: float | None,
    shiviz: str | None,
    drawn: bool | None,
    limits: Limits,
    as_json: bool,
) -> Any:
    """Is there a run of the protocol in FILE with the events of the LOGs, and which fewest faults explain it?

    A log has one JSON object per line: {"role": "A", "do": "send", "peer": "B", "message": "m"}, with
    receive, timeout, stop, restart and crash likewise. No common clock is needed. A role without a log may do
    anything that the protocol lets it do. Exit codes: 0 conforms, 1 does not, 3 undecided.

    \b
    Examples:
      stormproof trace shop.storm buyer.ndjson seller.ndjson --loss
      stormproof trace shop.storm all.ndjson --field role=host --field do=event
      stormproof trace shop.storm run.log --shiviz '(?<host>\\w+) (?<event>.*) (?<clock>{.*})'
      stormproof trace shop.storm spans.json --map spans.toml     (OpenTelemetry)
      stormproof trace shop.storm shop.ndjson --follow --role Shop
    """
    if map_file is not None and fields:
        raise UsageError("--map says which fields hold an event, and --field too; give only one of them")
    mapping = dict(_field(text) for text in fields) if map_file is None else load_log_map(map_file)
    if followed:
        if start != "start" or cut_off or shiviz is not None or len(logs) != 1:
            hint = "leave out --from, --cut-off and --shiviz"
            raise UsageError("--follow compares one LOG of JSON lines, from the start of a run", hint=hint)
        system = load_input(source, format)
        follower = LogFollower(system, roles or _roles_in(logs[0], mapping), failures)
        return _told(_follow(follower, logs[0], row_mapper(mapping), idle), as_json, drawn)
    if roles or idle is not None:
        raise UsageError("--role and --idle are for --follow")
    answer = trace(
        lambda: load_input(source, format),
        logs,
        failures,
        start_anywhere=start == "any",
        cut_off=cut_off,
        fields=mapping,
        shiviz=shiviz,
        limits=limits,
    )
    return _told(answer, as_json, drawn)


def _told(answer: TraceAnswer, as_json: bool, drawn: bool | None) -> int:
    with uninterrupted():
        if as_json:
            print_json(answer.to_json())
        else:
            _print_answer(console(), answer, drawn)
    return answer.exit_code


def _roles_in(path: str, mapping: dict[str, str] | LogMap) -> list[str]:
    """The roles that have logged by now."""
    found = [log.role for log in read_logs([path], mapping)]
    if not found:
        raise UsageError("nothing is logged yet, so the roles that log are not known", hint="give --role R")
    return found


def _follow(follower: LogFollower, path: str, mapper: RowMapper, idle: float | None) -> TraceAnswer:
    """Until an event does not conform, the log grows no more, or Ctrl-C."""
    found: Unexplained | None = None
    with counter_line("events conform") as progress:
        try:
            for stuck in follow(follower, path, mapper, idle):
                found = stuck
                if progress is not None:
                    progress(follower.events, None)
        except KeyboardInterrupt:
            pass  # what is known so far is the answer
    return follower.answer(found)


def _field(text: str) -> tuple[str, str]:
    field, equals, name = text.partition("=")
    if not (field and equals and name):
        raise UsageError(f"--field: '{text}' is not a name for a field", hint="write role=host")
    return field, name


def _print_answer(out: Console, answer: TraceAnswer, drawn: bool | None) -> None:
    head, colon, rest = answer.headline().partition(":")
    out.print(Text(head, style=f"bold {_STYLES[answer.conforms]}") + Text(colon + rest), soft_wrap=True)
    for note in answer.notes:
        out.print(Text(f"note: {note}"), soft_wrap=True)
    for line in (*answer.faults, *answer.unexplained):
        out.print(Text(f"  {line}"), soft_wrap=True)
    if answer.run is None:
        return
    short = len(answer.run.steps) <= DRAWN
    if drawn or (drawn is None and short and answer.run.steps):
        out.print(Text(f"\nthe run, {plural(len(answer.run.steps), 'step')}, {REPLAYED}\n"))
        print_chart(out, chart(answer.system, answer.run))
