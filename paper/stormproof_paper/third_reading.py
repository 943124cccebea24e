"""Why a published cell is what it is: the encodings as they were run, a theorem, or an open difference.

The first author's working files are public (March 2025, before the paper). What they show and the text does
not say is in definitions 8.4: which messages the encoding of loss drops, that only k = 1 and 2 were asked,
that a run at k = 2 timed out, and that some encoded files lost their first machine
(`transform.lost_machine`). The answers are kmc's, whose reduction is not always right (`kmc_answers`,
definitions 8.5).
"""

from __future__ import annotations

from functools import cache

from stormproof.kernel.model.actions import Internal
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.system import System
from stormproof.kernel.transform.lost_machine import LostMachine, without_first
from stormproof.kernel.transform.paper_encodings import encode, resolve
from stormproof.limits import MOST as UNLIMITED, Limits
from stormproof.oracle.bounded import TooLarge, TransitionSystem, explore, holds
from stormproof.search.checks.api import check
from stormproof.search.checks.properties import PROPERTIES, RSC, base_names
from stormproof.search.engine.rsc import rsc
from stormproof.surveys.campaign.jobs import NAMED_FAILURES, load_source
from stormproof.surveys.paper_table.comparison import CONJECTURED, IMPOSSIBLE, OPEN, REPRODUCED, Cause
from stormproof.surveys.paper_table.matrix import AS_RUN_MAX_K, ENCODED, Cell, Column

from .differences import contradicted
from .kmc_answers import as_encoded_file, kmc_answers
from .published import Published

#: Configurations of a system that lost a machine; without it, next to nothing happens in most of them.
MOST = 3_000

THE_ENCODING = "the published cell is that of the encoding as it was run"
OF_THE_PROCESS = "as it was run, the encoding drops any message that the process receives from anyone"
TIMED_OUT = "the recorded run at k = 2 timed out, so only k = 1 was asked"
SMALL_BOUNDS = "only k = 1 and 2 were asked, and it holds from k = {k} on"
KMC = "the tool that was run answers so, and its reduction is unsound for systems that are not directed"
NO_LOSS = "the encoded file is the one without loss; "
EXCHANGED = (
    "the tool that was run answers so for the encoding of {other}, with which the row looks exchanged, and "
    "its reduction is unsound for that encoding, which is not deterministic"
)
LOST = "the file that was run lost its first machine, and what is left waits for itself"
LOST_TOO = "so it is if the file that was run lost its first machine, as the files of three other rows did"


def cause(
    cell: Cell, value: bool, row: Published, system: System, limits: Limits, encoded: Cell | None = None
) -> Cause:
    """Why a published cell differs from one of ours; `encoded` is the cell of the encodings, if it is known.

    Of the starred rows no encoded file is public, so that one lost its first machine is a conjecture there.
    """
    column = Column(cell.failures, cell.property)
    bound = 1 if cell.failures in row.timed_out else AS_RUN_MAX_K
    if cell.failures in row.lost_machine:
        answer = lost_reading(system, column, bound, limits)
    else:
        answer = _of_encoding(column, bound, encoded)
        answer = as_run(system, column, bound, limits) if answer is None else answer
    if answer is value:
        return Cause(REPRODUCED, _words(cell, value, row, system, limits))
    if _by_kmc(system, row, column, bound) is value:
        return Cause(REPRODUCED, _words_of_kmc(row, cell.failures))
    theorem = contradicted(row, column, cell.semantics)
    if theorem:
        return Cause(IMPOSSIBLE, theorem)
    if row.file and lost_reading(system, column, bound, limits) is value:
        return Cause(CONJECTURED, LOST_TOO)
    return Cause(OPEN, row.remarks.get(cell.failures, ""))


def _of_encoding(column: Column, bound: int, encoded: Cell | None) -> bool | None:
    """Only the encoding of loss was run otherwise than described: the other cells need no new search."""
    if encoded is None or encoded.holds is None or column.failures == "loss":
        return None
    return encoded.holds and (encoded.k or 0) <= bound


def _words(cell: Cell, value: bool, row: Published, system: System, limits: Limits) -> str:
    if cell.failures in row.lost_machine:
        return LOST
    column = Column(cell.failures, cell.property)
    if cell.failures in row.timed_out and as_run(system, column, AS_RUN_MAX_K, limits) is not value:
        return TIMED_OUT
    if cell.semantics == "definition":
        return THE_ENCODING
    return SMALL_BOUNDS.format(k=cell.k) if (cell.k or 0) > AS_RUN_MAX_K else OF_THE_PROCESS


def _words_of_kmc(row: Published, failures: str) -> str:
    if failures in row.exchanged:
        return EXCHANGED.format(other=row.exchanged[failures])
    return NO_LOSS + KMC if failures in row.unencoded else KMC


def _by_kmc(system: System, row: Published, column: Column, bound: int) -> bool | None:
    """The answer of the tool, for the file that was run as far as that is known."""
    other = row.exchanged.get(column.failures)
    return kmc_reading(
        system if other is None else load_source(other), column, bound, column.failures not in row.unencoded
    )


@cache
def kmc_reading(system: System, column: Column, bound: int, encoded: bool) -> bool | None:
    """The answer of kmc, for some k up to the bound; `encoded`: the faults are part of the file."""
    parts = base_names([column.property]) if column.property in PROPERTIES else ()
    if any(isinstance(t.action, Internal) for p in system for t in p.transitions):
        return None
    failures = Failures(**NAMED_FAILURES[column.failures])
    if encoded and column.failures in ENCODED:
        system = as_encoded_file(encode(system, resolve(system, failures), as_run=True)[0])
    answers = [kmc_answers(system, k, bag=failures.reorder is True) for k in range(1, bound + 1)]
    if not parts or any(a is None or not set(parts) <= set(a) for a in answers):
        return None
    return any(all(a[part] for part in parts) for a in answers if a is not None)


@cache
def as_run(system: System, column: Column, bound: int, limits: Limits) -> bool | None:
    """The verdict under the encoding as it was run, for some k up to the bound."""
    found = check(
        system,
        Failures(**NAMED_FAILURES[column.failures]),
        max_k=bound,
        properties=[column.property],
        limits=limits,
        semantics="as-run",
        replay=False,
        polish=False,
        effort=UNLIMITED,
    )
    return found[column.property].holds


@cache
def lost_reading(system: System, column: Column, bound: int, limits: Limits) -> bool | None:
    """The same of the system without its first machine; by the definitions, since it is small."""
    lost = without_first(system)
    changed, model = encode(
        lost.system, resolve(lost.system, Failures(**NAMED_FAILURES[column.failures])), as_run=True
    )
    if column.property == RSC.name:
        return rsc(changed, model, limits=limits).holds
    if column.property not in PROPERTIES:
        return None
    try:
        reached = [explore(changed, model, k, MOST) for k in range(1, bound + 1)]
    except TooLarge:
        return None
    return any(all(_holds(lost, ts, part) for part in base_names([column.property])) for ts in reached)


def _holds(lost: LostMachine, ts: TransitionSystem, name: str) -> bool:
    """A send to nobody never fires, so its state is one against k-exhaustivity."""
    names = lost.system.names
    if name == "k-exh" and any(not lost.stuck.isdisjoint(zip(names, at.states)) for at in ts.steps):
        return False
    return holds(ts, name)
