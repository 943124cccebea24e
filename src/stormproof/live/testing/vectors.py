"""`testgen --vectors`: the runs of the tests and the automaton of the role as JSON, for any language.

schemas/vectors.schema.json describes it; `runners` has what reads it in each language.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import UsageError, did_you_mean
from ...kernel.model.actions import Transition
from ...kernel.model.failures import Failures
from ...kernel.model.process import Process
from ...kernel.model.system import System
from ...limits import as_a_whole
from ...options import Knobs
from ...programs.extraction.naming import is_raised
from ..conformance.log import LogEvent, event_of, is_silent
from .generate import RoleUnderTest, what_is_tested
from .role_states import RoleStates, recording_at_once
from .role_test import WAITS
from .scenarios import Scenario, to_its_end

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
#: From, what is done, peer, message, to.
TransitionRow = tuple[str, str, str, str, str]

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
    return vectors_of(what_is_tested(system, role, failures, **knobs))


def vectors_of(tested: RoleUnderTest) -> dict[str, Any]:
    process = recording_at_once(tested.model.system[tested.role])
    return {
        "stormproof": "vectors",
        "version": VERSION,
        "protocol": tested.report.system.name,
        "role": tested.role,
        "failures": tested.report.assumed,
        "initial": process.initial,
        "raised": [state for state in process.states if is_raised(state)],
        "transitions": [list(row) for t in process.transitions if (row := transition_row(t)) is not None],
        "vectors": [
            {"name": vector_name(s), "about": s.about, "steps": list(map(_step, s.events))}
            for s in vector_scenarios(tested)
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


def vector_scenarios(tested: RoleUnderTest) -> list[Scenario]:
    """The runs of the tests, as far as an implementation can be taken that sends at once what it sends: none
    of them restarts between what is decided and what is sent."""
    process = tested.model.system[tested.role]
    found: dict[tuple[LogEvent, ...], Scenario] = {}
    for scenario in tested.scenarios:
        events = tuple(_before_cut(process, scenario.events))
        events = events if len(events) == len(scenario.events) else to_its_end(process, events)
        found.setdefault(events, replace(scenario, events=events))
    return [
        scenario
        for events, scenario in found.items()
        if not any(len(other) > len(events) and other[: len(events)] == events for other in found)
    ]


def _before_cut(process: Process, events: tuple[LogEvent, ...]) -> Iterator[LogEvent]:
    states = RoleStates.start(process)
    for event in events:
        if event.do == "restart" and not states.waiting():
            return
        states = states.waiting() if event == WAITS else states.after(event)
        yield event


def vector_name(scenario: Scenario) -> str:
    return scenario.name.removeprefix("test_")


def transition_row(transition: Transition) -> TransitionRow | None:
    """From, what is done, peer, message, to. What nobody sees is `silent`; None for stops and crashes, which
    end a run."""
    event = LogEvent("silent") if is_silent(transition.action) else event_of(transition.action)
    if event.do in ("stop", "crash"):
        return None
    message = "" if event.do == "timeout" else event.message
    return transition.source, event.do, event.peer, message, transition.target


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
