"""Does it survive, does it do what its file requires, in which classes is it; violations with their runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import printable
from ...kernel.model.phrases import arrow, plural
from ...kernel.model.requirement import RECOVERS, Requirement
from ...kernel.model.run import step_to_json
from ...kernel.model.system import System
from ...languages.formats.storm_requirements import write_under
from ...options import Options, Progress
from ...search.checks.api import check
from ...search.checks.headline import claim, finding, number_of_faults, with_extent
from ...search.checks.report import Report, Verdict
from ...tell.explain.explanation import explain
from .meaning import meaning
from .reading import system_of
from .settings import settings_on

#: Hears `{"progress": ...}` and `{"partial": ...}`, what is known so far, before the answer.
Tell = Callable[[dict[str, Any]], None]


def whole_report(text: str, settings: Any, options: Options) -> Report:
    system, _ = system_of(text)
    return check(system, settings_on(system, settings), options=options)


def ask(text: str, settings: Any, options: Options, tell: Tell) -> dict[str, Any]:
    """The verdicts in the order in which they are read: requirements and survival, each of which is reported
    as soon as it is known, then the classes. A KeyboardInterrupt ends the search; partial results are
    returned."""
    system, _ = system_of(text)
    rows: dict[int, dict[str, Any]] = {}
    report = check(
        system,
        settings_on(system, settings),
        options=options,
        progress=lambda now: tell({"progress": _progress(now)}),
        found=lambda known: tell({"partial": _shown(known, rows)}),
    )
    return _shown(report, rows)


def _shown(report: Report, known: dict[int, dict[str, Any]]) -> dict[str, Any]:
    """`known`: the rows of verdicts that were told before, which say no more now."""
    for verdict in report:
        if id(verdict) not in known:
            known[id(verdict)] = _row(report, verdict)
    rows = [known[id(verdict)] for verdict in report]
    return {
        "answer": report.answer,
        "failures": report.assumed,
        "notes": list(report.notes),
        "verdicts": sorted(rows, key=lambda row: not row["counts"]),
        "facts": _facts(report),
        "stopped": report.interrupted,
        "more": report.interrupted or any(_can_say_more(v) for v in report),
    }


def _facts(report: Report) -> str:
    explored = max((v.states for v in report), default=0)
    return f"{plural(explored, 'configuration')} in {report.seconds:.2f} s"


def _can_say_more(verdict: Verdict) -> bool:
    """Would a longer search decide it, or for longer channels?"""
    if verdict.stopped or verdict.holds is None:
        return True
    return verdict.up_to is not None


def _row(report: Report, verdict: Verdict) -> dict[str, Any]:
    kind = "class"
    if verdict.requirement is not None:
        kind = "requirement"
    elif verdict.survival:
        kind = "survival"
    return {
        "property": verdict.property,
        "kind": kind,
        "counts": verdict.counts,
        "ok": verdict.ok,
        "status": verdict.status.value,
        "mark": verdict.status.sign,
        "word": verdict.word,
        "claim": claim(verdict),
        "say": _answer(report, verdict),
        "meaning": meaning(verdict),
        "notes": list(verdict.notes),
        "vacuous": list(verdict.vacuous),
        "line": None if verdict.requirement is None else verdict.requirement.line,
        "run": _run(report, verdict),
    }


def _answer(report: Report, verdict: Verdict) -> str:
    if not verdict.survival and verdict.requirement is None:
        bound = "" if verdict.k is None else f"k = {verdict.k}"
        return verdict.reason if verdict.holds is not True else bound
    found = finding(verdict, not report.model.harmless, report.failures.budget) or verdict.word
    return " · ".join(with_extent(found, verdict))


def _run(report: Report, verdict: Verdict) -> dict[str, Any] | None:
    """The run of a violation: its steps, what a chart has to know of its end, and the requirement, if it has
    failures of its own."""
    witness = verdict.witness
    if witness is None:
        return None
    system = report.given or report.system
    return {
        "under": None if verdict.requirement is None else own_failures(system, verdict.requirement),
        "steps": [step_to_json(s) for s in witness.steps],
        "why": explain(report.of(verdict), verdict) if verdict.holds is False else verdict.reason,
        "ends": _vector(verdict),
        "replayed": verdict.replayed,
        "states": dict(witness.states),
        "marks": {
            "length": len(witness.steps),
            "ending": witness.ending,
            "loop_from": witness.loop_from,
            "culprit": dict(witness.culprit),
            "name": verdict.property,
            "claim": claim(verdict),
            "say": _in_a_line(report, verdict),
            "expected": verdict.ok is not False,
            "no_return": _no_return(verdict),
        },
    }


def _in_a_line(report: Report, verdict: Verdict) -> str:
    """The verdict over its run: `lock: mutex breaks with 1 fault`."""
    called = report.system.name or "the protocol"
    if not verdict.survival:
        return f"{called}: {verdict.property} {verdict.word}"
    known = "known limit: " if verdict.ok is not False else ""
    return f"{called}: {known}{verdict.property} {number_of_faults(verdict)}"


def _vector(verdict: Verdict) -> str:
    """Where everybody is at the end, and what is in the channels: `A holding · B holding · A → B: x, y`."""
    witness = verdict.witness
    assert witness is not None
    roles = [f"{name} {state}" for name, state in witness.states.items()]
    held = [f"{arrow(c)}: {', '.join(map(str, word))}" for c, word in witness.channels.items() if word]
    return " · ".join(printable(part) for part in (*roles, *held))


def _no_return(verdict: Verdict) -> int | None:
    """The moment from which on a violated `always possible` or `leads to` cannot hold any more; of what comes
    to rest by itself the page says so already."""
    witness, requirement = verdict.witness, verdict.requirement
    if witness is None or requirement is None or not witness.ending or requirement.claim.what == RECOVERS:
        return None
    return witness.calm_from


def own_failures(system: System, requirement: Requirement) -> str | None:
    """How a requirement with failures of its own is called: those without a name may differ in them alone."""
    if requirement.under is None:
        return None
    return requirement.name or f"{requirement.title} under {write_under(system, requirement.under)}"


def _progress(now: Progress) -> dict[str, Any]:
    return {"task": now.task, "states": now.states, "seconds": round(now.seconds, 1), "known": now.known}
