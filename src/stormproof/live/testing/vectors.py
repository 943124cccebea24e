"""`testgen --vectors`: the runs of the tests and the automaton of the role as JSON, for any language.

schemas/vectors.schema.json describes it; `runners` has what reads it in each language.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import UsageError, did_you_mean
from ...kernel.model.failures import Failures
from ...kernel.model.process import Process
from ...kernel.model.system import System
from ...limits import as_a_whole
from ...options import Knobs
from ...programs.extraction.naming import is_raised
from ..conformance.log import LogEvent, event_of, is_silent
from .generate import what_is_tested

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: Of the format.
VERSION = 1

#: The language of a runner, and its file.
RUNNERS = {
    "python": "stormproof_vectors.py",
    "javascript": "stormproof_vectors.mjs",
    "rust": "stormproof_vectors.rs",
    "go": "stormproof_vectors.go",
    "java": "StormproofVectors.java",
}
#: What drives an implementation for `testgen --serve`.
DRIVERS = {
    "python": "stormproof_random.py",
    "javascript": "stormproof_random.mjs",
    "rust": "stormproof_random.rs",
}


@as_a_whole
def vectors(
    system: System, role: str, failures: Failures | None = None, **knobs: Unpack[Knobs]
) -> dict[str, Any]:
    """What `stormproof testgen --vectors` writes: the runs of `sp.testgen` as data."""
    tested = what_is_tested(system, role, failures, **knobs)
    process = tested.model.system[role]
    return {
        "stormproof": "vectors",
        "version": VERSION,
        "protocol": system.name,
        "role": role,
        "failures": tested.report.assumed,
        "initial": process.initial,
        "raised": [state for state in process.states if is_raised(state)],
        "transitions": list(_transitions(process)),
        "vectors": [
            {"name": s.name.removeprefix("test_"), "about": s.about, "steps": list(map(_step, s.events))}
            for s in tested.scenarios
        ],
    }


def vectors_text(found: dict[str, Any]) -> str:
    """A line per transition and per step, so that a change of the protocol is a change of few lines."""
    lines = [f"  {json.dumps(k)}: {_value(v)}" for k, v in found.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _value(value: Any) -> str:
    if not isinstance(value, list) or not value:
        return json.dumps(value, ensure_ascii=False)
    return "[\n" + ",\n".join(map(_row, value)) + "\n  ]"


def _row(row: Any) -> str:
    if not isinstance(row, dict):
        return f"    {json.dumps(row, ensure_ascii=False)}"
    head = {name: value for name, value in row.items() if name != "steps"}
    steps = ",\n".join(f"      {json.dumps(step, ensure_ascii=False)}" for step in row["steps"])
    inside = f"[\n{steps}\n    ]" if steps else "[]"
    return f'    {json.dumps(head, ensure_ascii=False)[:-1]}, "steps": {inside}}}'


def _transitions(process: Process) -> Iterator[list[str]]:
    """From, what is done, peer, message, to. What nobody sees is `silent`; stops and crashes end a run."""
    for transition in process.transitions:
        event = LogEvent("silent") if is_silent(transition.action) else event_of(transition.action)
        if event.do not in ("stop", "crash"):
            message = "" if event.do == "timeout" else event.message
            yield [transition.source, event.do, event.peer, message, transition.target]


def _step(event: LogEvent) -> list[str]:
    return [event.do, event.peer, event.message] if event.peer else [event.do]


def runner(language: str) -> str:
    """The text of the runner for a language: one file without dependencies."""
    if language not in RUNNERS:
        hint = did_you_mean(language, RUNNERS) or f"there are runners for {', '.join(RUNNERS)}"
        raise UsageError(f"there is no runner for '{language}'", hint=hint)
    return _text(RUNNERS[language])


def runner_files(language: str) -> dict[str, str]:
    """What runs the vectors in a language, and what drives an implementation for `testgen --serve`."""
    found = {RUNNERS[language]: runner(language)}
    return found | ({DRIVERS[language]: _text(DRIVERS[language])} if language in DRIVERS else {})


def _text(file: str) -> str:
    return (Path(__file__).parent / "runners" / file).read_text("utf-8")
