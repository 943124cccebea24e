"""Computing the matrix: jobs of a campaign, one for each protocol, failure model and semantics."""

from __future__ import annotations

import builtins
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError, StormproofError, UsageError, did_you_mean
from ...kernel.model.channel_faults import FAULT_STEPS
from ...kernel.model.phrases import listed
from ...kernel.model.status import Status, status_of
from ...kernel.transform.prepare import SEMANTICS
from ...languages import formats
from ...languages.formats.read_data import understood
from ...limits import Limits
from ...search.checks.properties import K_ER, K_EXH, K_MC, K_PG, RSC
from ..campaign import Job, Plan, Results, jobs_of, run_campaign
from ..campaign.jobs import NAMED_FAILURES
from .corruption_shortcut import twin

#: The paper's table was made from runs with k = 1 and k = 2 (definitions 8.4).
AS_RUN_MAX_K = 2

#: The failure models that the encodings turn into actions.
ENCODED = ("loss", "corruption")


class Column(NamedTuple):
    """A failure model of `NAMED_FAILURES` and a property."""

    failures: str
    property: str


#: The columns of the paper's table, in its order.
PAPER_COLUMNS = (
    Column("none", K_MC.name),
    Column("none", RSC.name),
    Column("reordering", K_MC.name),
    Column("reordering", RSC.name),
    *(Column("loss", p) for p in (K_EXH.name, K_ER.name, K_PG.name, RSC.name)),
    *(Column("corruption", p) for p in (K_EXH.name, K_ER.name, K_PG.name, RSC.name)),
)


@dataclass(frozen=True)
class Cell:
    """One verdict. `k`: the least bound at which it holds; `steps`, `faults`: those of the witness. Of
    `survival`: it holds for channels up to the length `up_to`, None for any.

    `twin`: violated in the encoding because it is violated under the definitions that the encoding refines.
    """

    protocol: str
    failures: str
    property: str
    semantics: str
    holds: bool | None
    k: int | None = None
    reason: str = ""
    states: int = 0
    seconds: float = 0.0
    replayed: bool | None = None
    witness_k: int | None = None
    steps: int | None = None
    faults: int | None = None
    twin: bool = False
    survival: bool = False
    up_to: int | None = None

    @builtins.property
    def mark(self) -> str:
        """`✔2`: holds, the least k is 2; `✘`: for no k; `?`: undecided. Of survival `✔` for any channel
        length, `◐≤6` for those up to 6, `✘1`: it breaks with one fault."""
        sign = self.status.sign
        if self.holds:
            return f"{sign}{self.k or ('' if self.up_to is None else f'≤{self.up_to}')}"
        return f"{sign}{self.faults}" if self.holds is False and self.survival else sign

    @builtins.property
    def status(self) -> Status:
        return status_of(self.holds, self.up_to)

    def to_json(self) -> dict[str, Any]:
        names = ("protocol", "failures", "property", "semantics", "holds", "k", "reason", "states", "seconds")
        data: dict[str, Any] = {name: getattr(self, name) for name in names}
        data["status"] = self.status.value
        data["seconds"] = round(self.seconds, 6)
        data |= {"up_to": self.up_to} if self.survival else {}
        if self.steps is not None:
            witness = ("replayed", "witness_k", "steps", "faults")
            data["witness"] = {name.removeprefix("witness_"): getattr(self, name) for name in witness}
        return data


Key = tuple[str, Column, str]


@dataclass(frozen=True)
class Matrix:
    """Cells by protocol, column and semantics; `limit`: the seconds that a cell may take."""

    protocols: tuple[str, ...]
    columns: tuple[Column, ...]
    semantics: tuple[str, ...]
    cells: Mapping[Key, Cell]
    max_k: int
    seconds: float
    limit: float | None = None

    def cell(self, protocol: str, column: Column, semantics: str = "definition") -> Cell:
        return self.cells[protocol, column, semantics]

    @property
    def undecided(self) -> tuple[Cell, ...]:
        return tuple(c for c in self.cells.values() if c.holds is None)

    def to_json(self) -> dict[str, Any]:
        return {
            "stormproof": 1,
            "max_k": self.max_k,
            "seconds": round(self.seconds, 3),
            "limit": self.limit,
            "protocols": list(self.protocols),
            "columns": [list(c) for c in self.columns],
            "semantics": list(self.semantics),
            "cells": [c.to_json() for c in self.cells.values()],
        }


def run_table(
    protocols: Sequence[str],
    columns: Sequence[Column] = PAPER_COLUMNS,
    *,
    semantics: Sequence[str] = ("definition",),
    max_k: int = 10,
    limits: Limits | None = None,
    processes: int | None = None,
    results: Path | None = None,
    on_row: Callable[[dict[str, Any], int], None] | None = None,
) -> Matrix:
    """Every cell, each decided or undecided within the limits; `results` keeps the rows, to resume from.

    A job asks all bounded properties of one failure model together, and RSC by itself, so no cell takes
    longer than the time limit.
    """
    _check(columns, semantics)
    started = time.monotonic()
    limits = limits or Limits(seconds=300)
    asks = _first_asks(protocols, columns, semantics, max_k, limits)
    found: dict[Key, Cell] = {}
    with ExitStack() as stack:
        path = results or Path(stack.enter_context(tempfile.TemporaryDirectory())) / "rows.jsonl"
        kept = stack.enter_context(Results(path))
        total = len({ask.job.key for ask in asks})
        while asks:
            report = None if on_row is None else partial(_report, on_row, total)
            jobs = {ask.job.key: ask.job for ask in asks}
            run_campaign(list(jobs.values()), kept, processes=processes, on_row=report)
            with understood(str(path), "a file of campaign results"):
                cells = [cell for ask in asks for cell in _cells(ask, kept.rows[ask.job.key])]
            asks = _second_asks(asks, cells)
            total += len(asks)
            for cell in cells:
                found[cell.protocol, Column(cell.failures, cell.property), cell.semantics] = cell
    found = {key: _without_errors(cell, found) for key, cell in found.items()}
    names = tuple(sorted({key[0] for key in found}, key=lambda n: (_place(protocols, n), n)))
    order = [(p, Column(*c), s) for p in names for c in columns for s in semantics]
    cells_in_order = {key: found[key] for key in order}
    seconds = time.monotonic() - started
    return Matrix(names, tuple(columns), tuple(semantics), cells_in_order, max_k, seconds, limits.seconds)


def _without_errors(cell: Cell, found: Mapping[Key, Cell]) -> Cell:
    """Against RSC a run without errors does under every failure model, also where a limit was hit."""
    if cell.property != RSC.name or cell.holds is not None:
        return cell
    base = found.get((cell.protocol, Column("none", RSC.name), cell.semantics))
    return cell if base is None or base.holds is not False else replace(base, failures=cell.failures)


def _report(on_row: Callable[[dict[str, Any], int], None], total: int, row: dict[str, Any]) -> None:
    on_row(row, total)


def _place(protocols: Sequence[str], source: str) -> int:
    """Files that a pattern matched stand where the pattern was; they come sorted."""
    return protocols.index(source) if source in protocols else len(protocols)


def _check(columns: Iterable[Column], semantics: Iterable[str]) -> None:
    for column in columns:
        if column.failures not in NAMED_FAILURES:
            raise UsageError(
                f"unknown failure model '{column.failures}'; there are {', '.join(NAMED_FAILURES)}",
                hint=did_you_mean(column.failures, NAMED_FAILURES),
            )
    for each in semantics:
        if each not in SEMANTICS:
            raise UsageError(f"unknown semantics '{each}'; there are {listed(SEMANTICS)}")


@dataclass(frozen=True)
class CellQuestion:
    """A job and the semantics of its cells; `instead` is the job of the encoding that a twin stands for."""

    job: Job
    semantics: str
    instead: Job | None = None


def _first_asks(
    protocols: Sequence[str],
    columns: Sequence[Column],
    semantics: Sequence[str],
    max_k: int,
    limits: Limits,
) -> list[CellQuestion]:
    """The largest systems and the worst failures first, so that no long job is left to run alone."""
    asks: list[CellQuestion] = []
    for failures in dict.fromkeys(c.failures for c in columns):
        asked = tuple(dict.fromkeys(c.property for c in columns if c.failures == failures))
        bounded = tuple(p for p in asked if p.startswith("k-"))
        for each in semantics:
            for names in filter(None, (bounded, tuple(p for p in asked if p not in bounded))):
                plan = Plan(
                    files=tuple(protocols),
                    failures={failures: _arguments(failures, each)},
                    properties=names,
                    max_k=_largest(max_k, each) if names == bounded else None,
                    semantics=(each,),
                    limits=limits,
                )
                twins = each == "encoding" and failures == "corruption" and names == bounded
                asks += [_by_twin(job) if twins else _question(job, each) for job in jobs_of(plan)]
    worst = {"corruption": 0, "loss": 1, "none": 3}
    return sorted(asks, key=lambda a: (worst.get(a.job.failures_name, 2), -len(str(a.job.system))))


def _question(job: Job, semantics: str) -> CellQuestion:
    """Where nothing is lost or corrupted the encoding changes nothing: one job answers for both semantics."""
    unchanged = semantics == "encoding" and job.failures_name not in ENCODED and not job.system["faults"]
    return CellQuestion(replace(job, semantics="definition") if unchanged else job, semantics)


def _largest(max_k: int, semantics: str) -> int:
    return min(max_k, AS_RUN_MAX_K) if semantics == "as-run" else max_k


def _by_twin(job: Job) -> CellQuestion:
    """The encoding of corruption, first under the definitions where they settle it (`twin`)."""
    other = twin(formats.system_from_json(job.system))
    if other is None:
        return CellQuestion(job, "encoding")
    asked = replace(job, system=formats.system_to_json(other), semantics="definition")
    return CellQuestion(asked, "encoding", instead=job)


def _arguments(failures: str, semantics: str) -> dict[str, Any]:
    """The encoding of corruption sends any message of its sender (definitions 8.2)."""
    encoded = failures == "corruption" and semantics != "definition"
    scope = {"corrupt_scope": "sender"} if encoded else {}
    return {**NAMED_FAILURES[failures], **scope}


def _second_asks(asks: Sequence[CellQuestion], cells: Sequence[Cell]) -> list[CellQuestion]:
    """What the twins did not settle goes to the encoding itself."""
    settled = {(c.protocol, c.property) for c in cells if c.twin and c.holds is False}
    later = []
    for job in (ask.instead for ask in asks):
        if job is not None:
            left = tuple(p for p in job.properties or () if (job.source, p) not in settled)
            later += [CellQuestion(replace(job, properties=left), "encoding")] if left else []
    return later


def _cells(ask: CellQuestion, row: Mapping[str, Any]) -> list[Cell]:
    """The cells of a row; a job that died or was refused gives undecided ones that say so."""
    job = ask.job
    if row.get("error"):
        raise StormproofError(str(row["error"]))
    base = Cell(job.source, job.failures_name, "", ask.semantics, None, twin=ask.instead is not None)
    if row.get("died"):
        return [replace(base, property=p, reason=f"died: {row['died']}") for p in job.properties or ()]
    cells = [_explored(_cell(base, verdict), verdict, job.max_k) for verdict in row["verdicts"]]
    if {c.property for c in cells} != set(job.properties or ()):
        raise InputError(f"the result of {job.source} under {job.failures_name} lacks a verdict")
    return cells


def _explored(cell: Cell, verdict: Mapping[str, Any], max_k: int | None) -> Cell:
    """A cross says: for no k up to the largest. Where the time did not allow for that, the cell is open."""
    tried = verdict.get("tried")
    if cell.holds is not False or not tried or max_k is None or tried[-1]["k"] >= max_k:
        return cell
    reason = f"violated up to k = {tried[-1]['k']}; larger bounds were not explored in the time allowed"
    return replace(cell, holds=None, reason=reason)


def _cell(base: Cell, verdict: Mapping[str, Any]) -> Cell:
    cell = replace(
        base,
        property=verdict["property"],
        holds=verdict["holds"],
        k=verdict.get("k"),
        survival="up_to" in verdict,
        up_to=verdict.get("up_to"),
        reason=verdict["reason"],
        states=verdict["states"],
        seconds=verdict["seconds"],
    )
    if verdict["witness"] is None:
        return cell
    steps = verdict["witness"]["steps"]
    faults = verdict.get("faults") or sum(step["do"] in FAULT_STEPS for step in steps)
    return replace(
        cell,
        replayed=verdict.get("replayed"),
        witness_k=verdict.get("witness_k"),
        steps=len(steps),
        faults=faults,
    )
