"""A check as SARIF 2.1.0: violations, mistakes and warnings, each at its line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from ...errors import Place
from ...search.checks.properties import PROPERTIES
from ...search.checks.report import Report, Verdict
from ..draw.chart.build import chart, descriptions
from .checked_file import CheckedFile
from .failure_text import sentence_of

#: The schema of the standard, by which editors and code hosts know what they read.
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

#: Rules that are no properties: what a file requires, and what is wrong with a file.
RULES = {
    "requirement": "a requirement of the file",
    "input": "the file does not describe a system",
    "lint": "allowed, and hardly ever meant",
}


#: What somebody can do about each of them.
HELP = {
    "requirement": "Read the run: either the protocol is wrong, or the requirement is. "
    "`stormproof explain FILE` says why, and searches for lines that repair it.",
    "input": "The message says what to write instead.",
    "lint": "The message says what was probably meant. `stormproof lint FILE` lists all warnings.",
}


def sarif(files: Sequence[CheckedFile], version: str, home: str | None = None) -> str:
    """`home`: where somebody can read about the tool, if that is known."""
    results = [result for file in files for result in _results(file)]
    used = dict.fromkeys(result["ruleId"] for result in results)
    driver = {"name": "stormproof", "version": version, "rules": [_rule(name) for name in used]}
    if home is not None:
        driver["informationUri"] = home
    run: dict[str, Any] = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    # What is as it should be is no result: a code host would show it as an alert.
    run["properties"] = {"verdicts": [_status(file, v) for file in files for v in file.verdicts]}
    return (
        json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2)
        + "\n"
    )


def _status(file: CheckedFile, verdict: Verdict) -> dict[str, str]:
    """Proved, bounded, violated, a known limit or undecided, with the sign that terminals have for it."""
    said = {"status": verdict.status.value, "sign": verdict.status.sign, "text": sentence_of(verdict)}
    return {"file": file.name, "name": verdict.property, **said}


def _rule(name: str) -> dict[str, Any]:
    sentence = RULES.get(name) or PROPERTIES[name].sentence
    whole = sentence[0].upper() + sentence[1:] + "."
    return {
        "id": name,
        "shortDescription": {"text": sentence},
        "fullDescription": {"text": whole},
        "help": {"text": f"{whole} {HELP.get(name, HELP['requirement'])}"},
    }


def _results(file: CheckedFile) -> Iterator[dict[str, Any]]:
    for error in file.errors:
        hint = f" ({error.hint})" if error.hint else ""
        yield _result("input", "error", f"{error.message}{hint}", file, error.place or Place(file.name))
    for warning in file.warnings:
        hint = f" ({warning.hint})" if warning.hint else ""
        yield _result("lint", "warning", f"{warning.message}{hint}", file, warning.place)
    for said, place in file.vacuous:
        yield _result("lint", "warning", said, file, place)
    for verdict in file.verdicts:
        if not verdict.ok:
            yield _violation(file, verdict)


def _violation(file: CheckedFile, verdict: Verdict) -> dict[str, Any]:
    """Undecided is a warning: nothing is known to be wrong."""
    report = file.report(verdict)
    undecided = verdict.ok is None
    message = f"{verdict.property}: {'undecided: ' if undecided else ''}{sentence_of(verdict)}"
    first, *others = file.places_of(verdict)
    rule = "requirement" if verdict.requirement is not None else verdict.property
    level = "warning" if undecided else "error"
    result = _result(rule, level, f"{message}. Failures: {report.assumed}.", file, first)
    related = [_location(file, place) for place in others if place != first]
    if related:
        result["relatedLocations"] = related
    if verdict.witness is not None:
        result["codeFlows"] = [{"threadFlows": [{"locations": _steps(file, report, verdict)}]}]
    return result


def _steps(file: CheckedFile, report: Report, verdict: Verdict) -> list[dict[str, Any]]:
    """The run, so that a viewer can step through it."""
    assert verdict.witness is not None
    words = descriptions(chart(report.system, verdict.witness, fold=False))
    return [
        {"location": {**_location(file, place), "message": {"text": said}}}
        for said, (_, place) in zip(words, file.step_places(verdict), strict=True)
    ]


def _result(rule: str, level: str, message: str, file: CheckedFile, place: Place) -> dict[str, Any]:
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": message},
        "locations": [_location(file, place)],
    }


def _location(file: CheckedFile, place: Place) -> dict[str, Any]:
    """Paths are relative to where the command runs, as code hosts expect them."""
    path = PurePath(place.file or file.name).as_posix()
    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(path)}}
    if place.line is not None:
        region: dict[str, int] = {"startLine": place.line}
        if place.column is not None:
            region |= {"startColumn": place.column, "endColumn": place.column + max(place.width, 1)}
        physical["region"] = region
    return {"physicalLocation": physical}
