"""`stormproof campaign`: many checks, whose results survive interruptions."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from ...errors import UsageError
from ...kernel.model.budget import NO_BUDGET
from ...kernel.model.failures import Failures
from ...kernel.model.phrases import plural
from ...kernel.transform.prepare import SEMANTICS
from ...limits import Limits
from ...surveys.campaign import Plan, Results, jobs_of, plan_from_toml, run_campaign, summary
from ...surveys.campaign.expected import Agreement, agreements
from ...surveys.campaign.jobs import NAMED_FAILURES, STANDARD_FAILURES
from ...surveys.campaign.results import status_of_row
from ...surveys.campaign.table_rows import rows_csv
from .console import console, print_json, save_text
from .options import failure_options, json_option, limits_of_each, split_list


@click.command("campaign")
@click.argument("sources", metavar="[PLAN.toml | FILE...]", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    metavar="PATH",
    required=True,
    help="Results as lines of JSON; an existing file is resumed.",
)
@click.option(
    "--models", metavar="M,...", help=f"Failure models: {', '.join(NAMED_FAILURES)}; or use the flags."
)
@failure_options
@click.option(
    "--property", "properties", multiple=True, metavar="NAME", help="Check this property; may be repeated."
)
@click.option(
    "-k",
    "bounds",
    multiple=True,
    type=click.IntRange(1),
    metavar="N",
    help="Check at this bound; may be repeated.",
)
@click.option(
    "--max-k",
    type=click.IntRange(1),
    metavar="N",
    help="Without -k: the largest bound to try; 6 for survival, 10 for the k-properties.",
)
@click.option("--semantics", type=click.Choice(SEMANTICS), default="definition")
@click.option(
    "--processes",
    type=click.IntRange(1),
    metavar="N",
    help="Number of worker processes; default: one per core.",
)
@click.option(
    "--on",
    metavar="dask://HOST:PORT",
    help="Run on the workers of a Dask scheduler. "
    "Dask uses pickle and no authentication: use a network that you trust, or TLS (docs/cluster.md).",
)
@click.option("--retry", is_flag=True, help="Run jobs that died or were undecided again.")
@click.option("--csv", "csv_file", metavar="PATH", help="Also write a line per verdict as CSV, for tables.")
@partial(limits_of_each, "job")
@json_option
def command(
    sources: tuple[str, ...],
    output: str,
    models: str | None,
    failures: Any,
    properties: tuple[str, ...],
    bounds: tuple[int, ...],
    max_k: int | None,
    semantics: str,
    processes: int | None,
    on: str | None,
    retry: bool,
    csv_file: str | None,
    limits: Limits,
    as_json: bool,
) -> int:
    """Check many files under many failure models, each job in its own process.

    Run the same command again to resume: jobs with a result are not repeated. The limits apply to each job.

    \b
    Examples:
      stormproof campaign 'protocols/*.storm' --models none,loss --property k-wmc -o results.jsonl
      stormproof campaign nightly.toml -o nightly.jsonl --on dask://10.0.0.7:8786
    """
    plan = _plan(sources, models, failures, properties, bounds, max_k, semantics, limits)
    jobs = jobs_of(plan)
    with Results(Path(output)) as results:
        if retry:
            results.forget(k for k, row in results.rows.items() if _unfinished(row))
        done = sum(job.key in results.rows for job in jobs)
        with _dashboard(len(jobs), done) as on_row:
            run_campaign(jobs, results, processes=processes, on=on, on_row=on_row)
        rows = [{**job.row, **results.rows[job.key]} for job in jobs]
    if csv_file is not None:
        save_text(csv_file, rows_csv(rows), overwrite=True)
    counts = summary(rows)
    agree = agreements(rows, plan.expect) if plan.expect else {}
    if as_json:
        print_json({"stormproof": 1, "summary": counts, "rows": rows, **_agreements_to_json(agree)})
    else:
        out = console()
        out.print(_agreement_table(agree) if agree else _row_table(rows))
        for note in _notes(rows):
            out.print(Text(f"note: {note}"))
        out.print()
        _print_counts(out, counts, done)
    return _exit_code(counts)


def _notes(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Each once, with the systems that it is on: a fault that changes nothing changes nothing in many."""
    about: dict[str, dict[str, None]] = {}
    for row in rows:
        for note in row.get("notes", ()):
            about.setdefault(note, {})[row["source"]] = None
    for note, sources in about.items():
        first, *others = sources
        yield f"{first}{f' and {len(others)} more' if others else ''}: {note}"


def _plan(
    sources: tuple[str, ...],
    models: str | None,
    failures: Any,
    properties: tuple[str, ...],
    bounds: tuple[int, ...],
    max_k: int | None,
    semantics: str,
    limits: Limits,
) -> Plan:
    if any(s.endswith(".toml") for s in sources):
        if len(sources) > 1:
            raise UsageError("a campaign has one plan; name the TOML file alone")
        return plan_from_toml(sources[0])
    return Plan(
        files=sources,
        failures=_models(models, failures),
        properties=properties or None,
        bounds=bounds,
        max_k=max_k,
        semantics=(semantics,),
        limits=limits,
    )


def _models(names: str | None, failures: Any) -> Mapping[str, Mapping[str, Any]]:
    """The named standard models, and the one that the flags describe, if any."""
    chosen: dict[str, Mapping[str, Any]] = {}
    common = {"budget": failures.budget.to_json()} if failures.budget.limited else {}
    for name in split_list(names or ""):
        if name not in NAMED_FAILURES:
            raise UsageError(f"unknown failure model '{name}'; there are {', '.join(NAMED_FAILURES)}")
        chosen[name] = {**NAMED_FAILURES[name], **common}
    from ...kernel.model.failures_json import failures_to_json

    asked = failures_to_json(failures)
    if failures.within(NO_BUDGET) != Failures(corrupt_scope=failures.corrupt_scope):
        chosen["as asked"] = asked
    return chosen or {name: {**model, **common} for name, model in STANDARD_FAILURES.items()}


def _unfinished(row: Mapping[str, Any]) -> bool:
    return bool(row.get("died")) or any(v["holds"] is None and v.get("counts", True) for v in row["verdicts"])


def _exit_code(counts: Mapping[str, int]) -> int:
    if counts["violated"]:
        return 1
    return 3 if counts["undecided"] or counts["died"] else 0


@contextmanager
def _dashboard(total: int, done: int) -> Iterator[Callable[[dict[str, Any]], None] | None]:
    """One line on a terminal: how far, how long still, what died."""
    if not sys.stderr.isatty():
        yield None
        return
    started, count, died = time.monotonic(), 0, 0
    errors = Console(stderr=True, highlight=False, markup=False)
    with Live(console=errors, transient=True, refresh_per_second=4) as live:

        def on_row(row: dict[str, Any]) -> None:
            nonlocal count, died
            count += 1
            died += bool(row.get("died"))
            rate = (time.monotonic() - started) / count
            rest = int(rate * (total - done - count))
            left = f"{rest // 60}:{rest % 60:02d} left"
            live.update(Text(f"{done + count} of {total} jobs · {left} · {died} died · {row['source']}"))

        yield on_row


def _row_table(rows: list[dict[str, Any]]) -> Table:
    several = len({row["semantics"] for row in rows}) > 1
    table = Table(box=None, padding=(0, 2), header_style="dim")
    for column in ("file", "failures", *(["semantics"] if several else []), "k", "verdicts"):
        table.add_column(column, overflow="fold")
    for row in rows:
        semantics = [row["semantics"]] if several else []
        k = "" if row["k"] is None else str(row["k"])
        table.add_row(row["source"], row["failures"], *semantics, k, _verdicts(row))
    return table


def _agreement_table(agree: Mapping[str, Mapping[str, Agreement]]) -> Table:
    """How many verdicts of each system are as expected."""
    table = Table(box=None, padding=(0, 1), header_style="dim")
    table.add_column("as expected", overflow="fold")
    for name, found in next(iter(agree.values())).items():
        table.add_column(f"{name}, of {found.expected}")
    for source, columns in agree.items():
        table.add_row(source, *map(str, columns.values()))
    return table


def _agreements_to_json(agree: Mapping[str, Mapping[str, Agreement]]) -> dict[str, Any]:
    rows = [{"source": s, **{n: a.to_json() for n, a in found.items()}} for s, found in agree.items()]
    return {"as_expected": rows} if rows else {}


def _print_counts(out: Console, counts: Mapping[str, int], resumed: int) -> None:
    parts = [plural(n, "job") if what == "jobs" else f"{n} {what}" for what, n in counts.items()]
    again = f" ({resumed} from an earlier run)" if resumed else ""
    out.print(Text(", ".join(parts) + again))


def _verdicts(row: Mapping[str, Any]) -> Text:
    if row.get("died") or row.get("error"):
        return Text(f"died: {row['died']}" if row.get("died") else str(row["error"]), "yellow")
    return Text("  ".join(f"{v['property']} {status_of_row(v).sign}{_number(v)}" for v in row["verdicts"]))


def _number(verdict: Mapping[str, Any]) -> str:
    """The least k; of survival, for which channels it holds, or how many faults break it."""
    if "up_to" not in verdict:
        return str(verdict["k"] or "")
    if verdict["holds"] is False:
        return str(verdict["faults"])
    return "" if verdict["up_to"] is None else f"≤{verdict['up_to']}"
