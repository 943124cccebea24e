"""Short answers for programs that read words: the answer, the run that shows it, and what to do next."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...errors import StormproofError, UsageError
from ...kernel.model.failures import Failures, parse_channel
from ...kernel.model.faults import CUT, KINDS
from ...kernel.model.part import whole
from ...kernel.model.run import Witness
from ...kernel.model.system import System
from ...languages import formats, protocols
from ...languages.formats.storm_places import NoPlaces, Places, read_with_places
from ...limits import within
from ...live.conformance.api import trace
from ...options import Options
from ...search.checks.headline import claim, finding, with_extent
from ...search.checks.report import Report, Verdict
from ...search.reachability.api import reach
from ...surveys.frontier import Frontier, frontier
from ...surveys.mutants.api import mutate
from ...surveys.mutants.result import MutantResult
from ...surveys.timer_modes import modes_to_json
from ...tell.draw.chart.build import chart
from ...tell.draw.chart.text import chart_text
from ...tell.draw.graph_text import automata_mermaid
from ...tell.explain.explanation import explanations
from ...tell.explain.suggest import suggest
from ...tell.explain.trial import Question
from ...tell.lint.api import lint
from .pool import Said

#: The columns of a chart, and the most lines of any text in an answer.
WIDTH, LINES, MUTANTS = 80, 80, 20


def brief(question: Mapping[str, Any], options: Options) -> Said:
    """The answer to one question; what is wrong with the input is listed, with places."""
    asked = _QUESTIONS.get(str(question.get("do")))
    if asked is None:
        raise UsageError(f"there is no question '{question.get('do')}'")
    try:
        with within(options.limits.seconds):
            return asked(question, options)
    except StormproofError as problem:
        found = [_problem(p) for p in (problem, *problem.others)]
        return {"status": "wrong", "problems": found, "next": "Mend what is listed, then ask again."}


def _problem(problem: StormproofError) -> Said:
    place = problem.place
    where = {} if place is None or place.line is None else {"line": place.line, "column": place.column}
    return {**where, "message": problem.message} | ({"hint": problem.hint} if problem.hint else {})


def _system(question: Mapping[str, Any]) -> tuple[System, tuple[str, ...]]:
    """What the question is about, and the warnings about its text."""
    text, name = question["text"], str(question.get("name") or "protocol.storm")
    if question.get("library"):
        return protocols.protocol(name), ()
    if question.get("python"):
        from ...programs.extraction.load import load_protocol, split_python

        python = split_python(name)
        assert python is not None
        return load_protocol(*python), ()
    system, warnings = lint(text, name)
    return system, tuple(str(warning) for warning in warnings)


def _failures(question: Mapping[str, Any]) -> Failures:
    """As the command line takes them: `true` for all channels, or a list of channels."""
    given = dict(question.get("faults") or {})
    for kind in (*KINDS, CUT):
        if isinstance(given.get(kind.keyword), Sequence):
            given[kind.keyword] = [parse_channel(c) for c in given[kind.keyword]]
    return Failures(**given)


def _check(question: Mapping[str, Any], options: Options) -> Said:
    system, warnings = _system(question)
    report = Question(_failures(question), options).report(system)
    answer = _judged(report) | ({"warnings": list(warnings)} if warnings else {})
    broken = _broken(report)
    if broken is not None and broken.witness is not None:
        answer["run"] = _drawn(report.of(broken).system, broken.witness)
    return answer | {"next": _next(report, broken)}


def _judged(report: Report) -> Said:
    rows = [_row(report, v) for v in report if v.counts]
    return {"status": _status(report), "failures": report.assumed, "verdicts": rows} | (
        {"notes": list(report.notes)} if report.notes else {}
    )


def _status(report: Report) -> str:
    return {0: "survives", 1: "violated", 3: "undecided"}[report.exit_code]


def _row(report: Report, verdict: Verdict) -> Said:
    found = finding(verdict, not report.model.harmless, report.failures.budget) or verdict.word
    said = " · ".join(part for part in (claim(verdict), *with_extent(found, verdict)) if part)
    row = {"name": verdict.property, "status": verdict.status.value, "says": said}
    line = None if verdict.requirement is None else verdict.requirement.line
    return (
        row
        | ({} if line is None else {"line": line})
        | ({"notes": list(verdict.notes)} if verdict.notes else {})
    )


def _broken(report: Report) -> Verdict | None:
    """The violation to show: the requirements of the file first, then those with the fewest faults."""
    broken = [v for v in report if v.counts and not v.ok and v.holds is False]
    return min(broken, key=lambda v: (v.requirement is None, v.faults or 0), default=None)


def _next(report: Report, broken: Verdict | None) -> str:
    if broken is not None:
        return f"{broken.property} is violated: `explain` says why and which verified lines would repair it."
    if report.exit_code == 3:
        return "Undecided: make the protocol smaller, or start the server with larger limits."
    if any(v.up_to is not None for v in report if v.counts):
        return "Bounded is not proved for longer channels. `frontier` says which further faults break it."
    return "It holds. `frontier` says which further faults would break it; write requirements if it has none."


def _drawn(system: System, witness: Witness) -> str:
    return _clipped(chart_text(chart(system, witness), WIDTH))


def _clipped(text: str) -> str:
    lines = text.rstrip("\n").splitlines()
    more = [f"... {len(lines) - LINES} more lines"] if len(lines) > LINES else []
    return "\n".join([*lines[:LINES], *more])


def _explain(question: Mapping[str, Any], options: Options) -> Said:
    system = whole(_system(question)[0])
    failures = _failures(question)
    report = Question(failures, options).report(system)
    paragraphs = [
        e.text for e in explanations(report) if e.holds is not True and _counts(report, e.properties)
    ]
    repairs = suggest(system, failures, options=options, report=report) if _broken(report) is not None else ()
    text = question["text"] if _is_storm(question) else None
    found = [{"lines": s.lines(text), "text": s.insert(text) if text else None} for s in repairs]
    return {
        "status": _status(report),
        "paragraphs": paragraphs or ["Nothing that was asked is violated."],
        "repairs": [{k: v for k, v in repair.items() if v is not None} for repair in found],
        "next": _after_repairs(bool(paragraphs), bool(found)),
    }


def _counts(report: Report, names: Sequence[str]) -> bool:
    return any(v.counts for v in report if v.property in names)


def _after_repairs(broken: bool, found: bool) -> str:
    if not broken:
        return "`frontier` says which further faults would break it."
    if found:
        return "Each repair was verified. Read whether it is what you mean, then `check` its text."
    return "No repair of few lines was found: change the protocol where the paragraph says, then `check` it."


def _is_storm(question: Mapping[str, Any]) -> bool:
    if question.get("python") or question.get("library"):
        return False
    return formats.language_of(question["text"], str(question.get("name") or "protocol.storm")) == "storm"


def _reach(question: Mapping[str, Any], options: Options) -> Said:
    system, _ = _system(question)
    found = reach(system, str(question.get("goal", "")), _failures(question), limits=options.limits)
    answer: Said = {"status": found.answer, "because": found.because, "notes": list(found.notes)}
    if found.run is not None:
        answer |= {"faults": found.run.fault_count, "fewest": found.fewest}
        answer["run"] = _drawn(found.system, found.run)
    return answer | {
        "next": "`check` decides the requirements of the file; `require never GOAL` keeps this one."
    }


def _frontier(question: Mapping[str, Any], options: Options) -> Said:
    system, _ = _system(question)
    found = frontier(system, limits=options.limits)
    status = "undecided" if found.exit_code == 3 else "breaks" if found.breaking else "tolerates everything"
    return {
        "status": status,
        "tolerated": [[str(a) for a in t.atoms] for t in found.tolerated],
        "breaking": [
            {"faults": [str(a) for a in b.atoms], "because": found.reason(b)} for b in found.breaking
        ],
        "undecided": [[str(a) for a in atoms] for atoms in found.undecided],
        "notes": list(found.notes),
        **({"timers": modes_to_json(found.timers)} if found.timers else {}),
        "next": _after_frontier(found),
    }


def _after_frontier(found: Frontier) -> str:
    if not found.breaking:
        return "No failure model that was decided breaks it."
    return "`check` with the faults of one breaking set shows its run; `explain` looks for repairs."


def _mutate(question: Mapping[str, Any], options: Options) -> Said:
    """One job: the worker is one of several already."""
    system, places = whole(_system(question)[0]), _places(question)
    operators = question.get("operators") or None
    found = mutate(system, _failures(question), operators=operators, jobs=1, places=places, options=options)
    status = "undecided" if found.exit_code == 3 else "some survive" if found.survivors else "all noticed"
    return {
        "status": status,
        "counts": {
            "noticed": len(found.noticed),
            "equal": len(found.equal),
            "undecided": len(found.undecided),
        },
        "survivors": [_survivor(mutant) for mutant in found.survivors[:MUTANTS]],
        "more": max(0, len(found.survivors) - MUTANTS),
        "notes": list(found.notes),
        "next": _AFTER_SURVIVORS
        if found.survivors
        else "Each mistake that was tried and decided is noticed.",
    }


_AFTER_SURVIVORS = (
    "Where such a mistake matters, write a requirement: a suggestion holds, but may not be meant."
)


def _places(question: Mapping[str, Any]) -> Places | NoPlaces | None:
    """Where a .storm text says what."""
    if not _is_storm(question):
        return None
    return read_with_places(question["text"], str(question.get("name") or "protocol.storm"))[1]


def _survivor(mutant: MutantResult) -> Said:
    said: Said = {"change": mutant.words} | ({} if mutant.line is None else {"line": mutant.line})
    return said | ({} if mutant.suggestion is None else {"would_notice": str(mutant.suggestion)})


def _trace(question: Mapping[str, Any], options: Options) -> Said:
    system, _ = _system(question)
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"log{i}.ndjson" for i, _ in enumerate(question.get("logs", ()))]
        for path, text in zip(paths, question.get("logs", ())):
            path.write_text(text, "utf-8")
        found = trace(system, paths, _failures(question), limits=options.limits)
        explained = [str(e).replace(f"{folder}/", "") for e in (*found.faults, *found.unexplained)]
        headline = found.headline().replace(f"{folder}/", "")
    status = {True: "conforms", False: "does not conform", None: "undecided"}[found.conforms]
    answer: Said = {
        "status": status,
        "says": headline,
        "events": explained[:LINES],
        "notes": list(found.notes),
    }
    if found.run is not None and found.run.steps:
        answer["run"] = _drawn(found.system, found.run)
    return answer | {"next": _after_trace(found.conforms)}


def _after_trace(conforms: bool | None) -> str:
    if conforms:
        return "The log is explained by a run of the protocol."
    return "Compare the first event that is not explained with the protocol and with the code."


def _lint(question: Mapping[str, Any], options: Options) -> Said:
    _, warnings = _system(question)
    if not warnings:
        return {"status": "clean", "next": "`check` it with the faults that can happen."}
    return {
        "status": "warnings",
        "warnings": list(warnings),
        "next": "Mend what is not meant, then `check` it.",
    }


def _draw(question: Mapping[str, Any], options: Options) -> Said:
    system = whole(_system(question)[0])
    shown = automata_mermaid(system)
    return {
        "status": "drawn",
        "mermaid": _clipped(shown),
        "next": "`check` draws the run of a violation as text.",
    }


_QUESTIONS = {
    "lint": _lint,
    "check": _check,
    "explain": _explain,
    "reach": _reach,
    "frontier": _frontier,
    "mutate": _mutate,
    "trace": _trace,
    "draw": _draw,
}
