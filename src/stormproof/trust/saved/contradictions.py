"""What of a saved verdict cannot stand together, whatever its run and its certificate prove.

It looks at what the file says and searches nothing: flags against each other, the answer against its
evidence, the bounds that were tried against the answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...kernel.model.phrases import plural
from ...kernel.model.properties import RSC, Decision
from ...kernel.model.run import blamed
from ...kernel.model.status import status_of
from .saved_report import SavedVerdict

#: What a verdict may have beside its answer, by how it is decided.
_OF_SURVIVAL = frozenset(
    ("up_to", "faults", "fewest", "tolerated", "certificate", "fewest_certificate", "in_a_row")
)
_OF_BOUNDED = frozenset(("k", "faults", "fewest", "tried", "others"))


def contradiction(verdict: SavedVerdict, decision: Decision, unbounded: bool) -> str:
    """ "" where nothing in the verdict contradicts the rest of it. `unbounded`: what holds up to some channel
    length only was no answer."""
    found = (
        *_status(verdict, unbounded),
        *_answer(verdict),
        *_fields(verdict, decision),
        *_run(verdict, decision),
    )
    return next(iter((*found, *_run(verdict, decision), *_bounds(verdict, decision))), "")


def _status(verdict: SavedVerdict, unbounded: bool) -> Iterator[str]:
    """What it is said to amount to; results of earlier versions do not say."""
    expected = verdict.requirement is None or not verdict.requirement.violated
    means = status_of(verdict.holds, verdict.up_to, expected, unbounded).value
    if verdict.row.get("status", means) != means:
        yield f"it is said to be {verdict.row['status']!r:.40}, and its answer is {means!r}"


def _answer(verdict: SavedVerdict) -> Iterator[str]:
    """The answer against its evidence."""
    row, run = verdict.row, verdict.witness
    if verdict.holds is True and run is not None:
        yield "it is said to hold, and comes with a run against it"
    if run is None and any(row.get(key) is not None for key in ("replayed", "witness_k", "conflict")):
        yield "something is said of its run, and there is none"
    if run is None and (verdict.faults is not None or verdict.fewest or verdict.others):
        yield "faults or culprits of its run are named, and there is none"
    if run is not None and verdict.faults not in (None, run.fault_count):
        yield f"its run has {plural(run.fault_count, 'fault')}, not {verdict.faults}"
    if verdict.holds is not False and (verdict.fewest or verdict.others):
        yield "it is not violated, and names the fewest faults or the culprits of a violation"
    if verdict.fewest_certificate is not None and not verdict.fewest:
        yield "it comes with a certificate that no run has fewer faults, and does not say so"
    if verdict.fewest_certificate is not None and verdict.faults == 0:
        yield "its run has no fault, and comes with a certificate that no run has fewer"
    if verdict.holds is None and verdict.certificate is not None:
        yield "it is undecided, and comes with a certificate"
    if verdict.holds is not None and row.get("tolerated") is not None:
        yield "it is decided, and says how far the search for it came"


def _fields(verdict: SavedVerdict, decision: Decision) -> Iterator[str]:
    """What is only said of other kinds of properties."""
    survival = decision is Decision.SURVIVAL
    own = _OF_SURVIVAL if survival else _OF_BOUNDED if decision is Decision.BOUNDED else {"k"}
    for key in sorted((_OF_SURVIVAL | _OF_BOUNDED) - own):
        if verdict.row.get(key) is not None:
            yield f"'{key}' is nothing that is said of this property"
    if survival and verdict.witness is not None and verdict.faults is None:
        yield "it does not say how many faults its run has"
    if decision is not Decision.BOUNDED and verdict.k is not None:
        yield "there is a bound, and this property has none"
    if decision is Decision.CRASH_HANDLING and verdict.witness is not None:
        yield "it is a property of the text, and comes with a run"


def _run(verdict: SavedVerdict, decision: Decision) -> Iterator[str]:
    """What is said of a run beside its steps."""
    run = verdict.witness
    if run is None:
        return
    if decision is not Decision.RSC and (
        run.communication is not None or run.bags or verdict.row.get("conflict")
    ):
        yield f"it has what only runs against {RSC.name} have"
    if decision is Decision.SURVIVAL and run.culprit:
        yield "its run names a culprit, and nothing of the claim has one"
    if decision is not Decision.SURVIVAL and (run.ending or run.loop_from is not None):
        yield "its run says how it is stuck, as only those against survival do"
    named = [blamed(other.culprit) for _, other in verdict.others]
    if named != [name for name, _ in verdict.others] or blamed(run.culprit) in named:
        yield "the other culprits are not those of their runs"
    if len(set(named)) < len(named):
        yield "another culprit is named twice"


def _bounds(verdict: SavedVerdict, decision: Decision) -> Iterator[str]:
    """For which bounds, or lengths of channels, it speaks."""
    row = verdict.row
    if verdict.holds is not True and verdict.up_to is not None:
        yield "it does not hold, and is said to up to a length of channels"
    if decision is not Decision.BOUNDED:
        return
    asked, run_k, tried = row.get("k"), row.get("witness_k"), row.get("tried")
    if verdict.holds is True and asked is None:
        yield "it is said to hold, and not at which bound"
    if verdict.holds is False and run_k is not None and asked not in (None, run_k):
        yield f"it is said to be violated at k = {asked}, and its run respects the bound {run_k}"
    if tried is not None and not _fits(tried, verdict, asked, run_k):
        yield "the bounds that were tried do not fit the answer"


def _fits(tried: Any, verdict: SavedVerdict, asked: Any, run_k: Any) -> bool:
    """It holds at the last and at no other; or it is violated at the one of the run, and holds at none."""
    if not isinstance(tried, list) or not all(isinstance(t, dict) and {*t} == {"k", "holds"} for t in tried):
        return False
    answers = {t["k"]: t["holds"] for t in tried if type(t["k"]) is int and t["holds"] in (True, False, None)}
    if len(answers) < len(tried) or [*answers] != sorted(answers):
        return False
    if verdict.holds is True:
        return not any(a is True for a in [*answers.values()][:-1]) and [*answers.items()][-1:] == [
            (asked, True)
        ]
    return True not in answers.values() and (run_k is None or answers.get(run_k, True) is False)
