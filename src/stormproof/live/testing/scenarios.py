"""What one role does in the runs of a report: those against what is violated, and samples of what holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...kernel.model.phrases import listed, plural
from ...kernel.model.process import Process
from ...kernel.model.run import Witness
from ...kernel.model.survival import SurvivalModel
from ...search.checks.report import Report, Verdict
from ...search.examples.find import examples
from ..conformance.log import LogEvent, event_of, is_silent
from .covering_runs import covering_runs
from .role_states import RoleStates
from .role_test import WAITS

#: Messages that are added at the end of a run.
MOST_MORE = 10


@dataclass(frozen=True)
class Scenario:
    """A test: its name, the sentence about its run, and what the role does in the run."""

    name: str
    about: str
    events: tuple[LogEvent, ...]


def scenarios(report: Report, model: SurvivalModel, role: str) -> tuple[Scenario, ...]:
    """One for each violating run and for each sample run, and runs that cover the transitions of the role.
    Runs in which the role does the same are one test. `model` is what the tests are about."""
    process = model.system[role]
    runs = [*_violated(report), *_samples(report)]
    found = [(name, about, _events(process, run)) for name, about, run in runs]
    covers = f"One of the runs that together take the transitions of {role}."
    found += [("covering", covers, to_its_end(process, events)) for events in covering_runs(model, role)]
    alike: dict[tuple[LogEvent, ...], list[tuple[str, str]]] = {}
    for name, about, events in found:
        alike.setdefault(events, []).append((name, about))
    names = _distinct(same[0][0] for same in alike.values())
    return tuple(
        Scenario(name, _about(role, same), events)
        for name, (events, same) in zip(names, alike.items(), strict=True)
    )


def _about(role: str, same: list[tuple[str, str]]) -> str:
    """The sentence about the first of some runs in which the role does the same, and what the others show."""
    (_, about), *others = same
    names = [name for name, _ in others if name != "covering"]
    return f"{about} {role} does the same in the runs for: {listed(names)}." if names else about


def _violated(report: Report) -> Iterator[tuple[str, str, Witness]]:
    for verdict in report:
        if verdict.holds is False and verdict.witness is not None:
            yield f"violated {verdict.property}", _sentence(verdict), verdict.witness
        for other in verdict.others:
            about = f"{verdict.property} is violated: {other.reason}."
            yield f"violated {verdict.property} {other.name}", about, other.witness


def _sentence(verdict: Verdict) -> str:
    faults = "" if not verdict.faults else f" with {plural(verdict.faults, 'fault')}"
    return f"{verdict.property} is violated{faults}: {verdict.reason}."


def _samples(report: Report) -> Iterator[tuple[str, str, Witness]]:
    for example in examples(report).runs:
        shows = listed(example.shows) or "the least bound"
        yield f"sample {shows}", f"A sample run for {shows}: {example.run.closing}.", example.run.witness


def _events(process: Process, run: Witness) -> tuple[LogEvent, ...]:
    """What the role does, up to where it crashes or stops; it waits in the end, if it can do nothing else.

    A requirement may have failures of its own, so its run may do what the role cannot do under those that the
    tests cover; it is followed up to there.
    """
    events: list[LogEvent] = []
    states = RoleStates.start(process)
    for act in run.project(process.name):
        event = event_of(act.action)
        if is_silent(act.action):
            continue
        event = LogEvent(event.do) if event.do == "timeout" else event
        if not states.after(event) or event.do in ("crash", "stop"):
            return tuple(events)
        states = states.after(event)
        events.append(event)
    return (*events, *(() if states.may_send else (WAITS,)))


def to_its_end(process: Process, events: Iterable[LogEvent]) -> tuple[LogEvent, ...]:
    """What the role does wrong after the last event would not be seen otherwise: what it must send then, as
    long as that is one message, and that it waits."""
    found = [*events]
    states = RoleStates.start(process)
    for event in found:
        states = states.waiting() if event == WAITS else states.after(event)
    for _ in range(MOST_MORE):
        following = states.possible_sends()
        if states.waiting() or len(following) != 1:
            break
        found.append(following[0])
        states = states.after(following[0])
    return (*found, *(() if states.may_send or found[-1:] == [WAITS] else (WAITS,)))


def _distinct(names: Iterable[str]) -> list[str]:
    """Names of test functions, every one different."""
    found: list[str] = []
    for name in names:
        base = "test_" + re.sub(r"\W+", "_", name.lower()).strip("_")[:60]
        same = sum(re.fullmatch(re.escape(base) + r"(_\d+)?", other) is not None for other in found)
        found.append(f"{base}_{same + 1}" if same else base)
    return found
