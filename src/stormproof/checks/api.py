"""`check`: one system, one failure model, some properties, and the verdicts with their evidence."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace

from ..counterexample.rsc_witness import best_rsc_witness, rsc_witness
from ..engine.rsc import RscResult, rsc
from ..engine.watch import ProgressCallback
from ..errors import UsageError, did_you_mean
from ..limits import Limits, check_bound
from ..model.failures import Failures
from ..model.system import System
from ..narrate import reason
from ..transform import crash_handling
from ..transform.prepare import prepare
from . import half_duplex, implications
from .bound_search import bounded_verdicts
from .evidence import replayed
from .report import CRASH_PROPERTIES, DEFAULT_PROPERTIES, PROPERTIES, Report, Verdict
from .request import Question


def check(
    system: System,
    failures: Failures | None = None,
    *,
    k: int | None = None,
    max_k: int = 10,
    properties: Iterable[str] | None = None,
    limits: Limits | None = None,
    semantics: str = "definition",
    reduction: bool = True,
    threads: int | None = None,
    replay: bool = True,
    polish: bool = True,
    progress: ProgressCallback | None = None,
) -> Report:
    """Decide the properties of a system under a failure model.

    With `k` each k-property is asked at that bound; otherwise for the least k up to `max_k`, and *violated*
    means: for none of them. A limit that is hit gives *undecided*. Without `polish` a witness is the first
    that was found, which is quicker.

    >>> import stormproof as sp
    >>> system = sp.protocol("alternating-bit")
    >>> report = sp.check(system, sp.Failures(loss=True), properties=["k-wmc", "k-pg"])
    >>> report["k-wmc"].holds, report["k-wmc"].k, report["k-pg"].holds
    (True, 1, False)
    """
    started = time.monotonic()
    asked = failures or Failures()
    prepared, model, remarks = prepare(system, asked, semantics)
    names = _properties(properties, bool(model.unreliable))
    question = Question(
        given=system.with_unreliable(model.unreliable),
        system=prepared,
        model=model,
        bounds=_bounds(k, max_k),
        one_bound=k is not None,
        limits=limits or Limits(),
        reduction=reduction,
        threads=threads,
        progress=progress,
        replay=replay,
        polish=polish,
        notes=remarks,
        started=started,
    )
    verdicts = _verdicts(question, names)
    return Report(
        system=prepared,
        failures=asked,
        model=model,
        verdicts=verdicts,
        notes=remarks,
        semantics=semantics,
        seconds=time.monotonic() - started,
        given=question.given,
    )


def _bounds(k: int | None, max_k: int) -> tuple[int, ...]:
    for name, bound in (("k", k), ("max-k", max_k)):
        if bound is not None:
            check_bound(bound, name)
    return (k,) if k is not None else tuple(range(1, max_k + 1))


def _properties(asked: Iterable[str] | None, may_crash: bool) -> tuple[str, ...]:
    if asked is None:
        return DEFAULT_PROPERTIES + (CRASH_PROPERTIES if may_crash else ())
    names = tuple(dict.fromkeys([asked] if isinstance(asked, str) else asked))
    for name in names:
        if name not in PROPERTIES:
            raise UsageError(
                f"unknown property '{name}'; there are {', '.join(PROPERTIES)}",
                hint=did_you_mean(name, PROPERTIES),
            )
    return names


def _verdicts(question: Question, names: tuple[str, ...]) -> tuple[Verdict, ...]:
    """The verdicts in the order asked; all k-properties come from shared explorations.

    What has no bound is decided first: it takes little, and a search for the least k may take all the time.
    RSC may take half of the time at first, and what is left in the end.
    """
    unbounded = {"rsc": _rsc, "half-duplex": _half_duplex, "crash-handling": _crash_handling}
    found: dict[str, Verdict] = {}
    bounded = [name for name in names if name not in unbounded]
    for name in (n for n in names if n in unbounded):
        found[name] = unbounded[name](replace(question, share=0.5 if bounded else 1.0))
        if found[name].stopped == "interrupted":  # Ctrl-C is meant for the whole check
            rest = {n: Verdict(n, None, reason="interrupted before it was asked") for n in names}
            return tuple((rest | found).values())
    if bounded:
        found |= bounded_verdicts(question, bounded)
    if "rsc" in found and _out_of_time(question, found["rsc"]):
        found["rsc"] = _rsc(question)
    return tuple(found[name] for name in names)


def _out_of_time(question: Question, verdict: Verdict) -> bool:
    """It was stopped by its share of the time, and some is left."""
    left_over = question.seconds is not None and question.seconds > 0.1 * (question.limits.seconds or 0)
    return verdict.stopped == "time" and left_over


def _rsc(question: Question) -> Verdict:
    result = rsc(
        question.system,
        question.model,
        limits=question.limits,
        progress=question.progress,
        seconds=question.seconds,
    )
    return _unbounded(question, "rsc", result)


def _unbounded(question: Question, name: str, result: RscResult) -> Verdict:
    base = Verdict(
        name,
        result.holds,
        states=result.states,
        transitions=result.transitions,
        seconds=result.seconds,
    )
    if result.holds is None:
        why = implications.undecided(result.stopped, question.limits, None, result.states, [])
        return replace(base, reason=why, stopped=result.stopped)
    if result.violation is None:
        return replace(base, notes=implications.on_holding(question.system, question.model, name, None))
    made = best_rsc_witness if question.polish else rsc_witness
    witness = made(question.system, question.model, result.violation)
    proved, remark = replayed(question, name, None, witness)
    why = reason.reason(question.system, question.model, name, None, witness)
    return replace(base, witness=witness, reason=why, replayed=proved, notes=remark)


def _half_duplex(question: Question) -> Verdict:
    started = time.monotonic()
    answer = half_duplex.half_duplex(question.system, question.model, limits=question.limits)
    verdict = Verdict(
        "half-duplex",
        answer.holds,
        reason=answer.reason,
        states=answer.states,
        seconds=time.monotonic() - started,
        witness=answer.witness,
    )
    if answer.witness is None:
        return verdict
    proved, remark = replayed(question, "half-duplex", None, answer.witness)
    return replace(verdict, replayed=proved, notes=remark)


def _crash_handling(question: Question) -> Verdict:
    """Asked of the system as given: completion would make it true (paper, section 5)."""
    answer = crash_handling.crash_handling(question.given)
    rest = len(answer.sentences) - 1
    more = f"; and {rest} more, which `stormproof crash` lists" if rest > 0 else ""
    reason = f"{answer.sentences[0]}{more}" if answer.sentences else ""
    remark = () if answer.cleans_up else ("some resting state does not take dangling crash messages",)
    return Verdict("crash-handling", answer.holds, reason=reason, notes=remark if answer.holds else ())
