"""A command that runs the vectors of a role against an implementation, and what it reports of them.

The report is not believed where it can be checked: a vector that passes must say what its run says, and what
fails is followed through the protocol up to what no transition allows.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...kernel.model.actions import Transition
from ...kernel.model.phrases import listed, plural
from ...languages.formats import loads
from ...languages.formats.read_data import read_json
from ...limits import Limits, why_interrupted
from ..conformance.answer import TraceAnswer
from ..conformance.api import trace
from ..conformance.log import LogEvent, RoleLog
from ..conformance.role_paths import RolePath, role_path
from .generate import RoleUnderTest
from .role_states import RoleStates
from .role_test import WAITS
from .vectors import TransitionRow, transition_row, vector_name, vector_scenarios, vectors_of, vectors_text

PASSED, FAILED, UNDECIDED, NOT_RUN = "passed", "failed", "undecided", "not run"
#: Of several reports on one vector the first of these counts.
_WORST = (FAILED, UNDECIDED, PASSED)

HANDLERS = ("start", "receive", "expire", "restart")

#: Configurations in which the other roles are looked for, to draw what an implementation does wrong.
_SEARCHED = 20_000


@dataclass(frozen=True)
class VectorResult:
    """`why` it failed or stayed undecided; `answer` has the run up to what no transition allows."""

    name: str
    about: str
    verdict: str
    why: str = ""
    answer: TraceAnswer | None = None

    def to_json(self) -> dict[str, Any]:
        return {"vector": self.name, "verdict": self.verdict, "why": self.why}


@dataclass(frozen=True)
class RealisedTransition:
    """A transition of the role, and the handlers that did it; none: never."""

    transition: TransitionRow
    handlers: tuple[str, ...]

    @property
    def words(self) -> str:
        source, do, peer, message, target = self.transition
        event = str(LogEvent(do, peer, message))
        return f"{source}: {event} -> {target}"

    def to_json(self) -> dict[str, Any]:
        return {"transition": list(self.transition), "handlers": list(self.handlers)}


@dataclass(frozen=True)
class CodeReport:
    """What became of the vectors; `problems` are what is wrong with the command or its report. `stopped`: the
    command was ended, and why."""

    role: str
    results: tuple[VectorResult, ...]
    coverage: tuple[RealisedTransition, ...]
    problems: tuple[str, ...] = ()
    stopped: str = ""

    def with_verdict(self, verdict: str) -> tuple[VectorResult, ...]:
        return tuple(result for result in self.results if result.verdict == verdict)

    @property
    def never(self) -> tuple[RealisedTransition, ...]:
        return tuple(row for row in self.coverage if not row.handlers)

    def __bool__(self) -> bool:
        return self.exit_code == 0

    @property
    def exit_code(self) -> int:
        not_run = self.with_verdict(NOT_RUN) if not self.stopped else ()
        if self.with_verdict(FAILED) or not_run or self.problems:
            return 1
        return 3 if self.stopped or self.with_verdict(UNDECIDED) else 0

    @property
    def summary(self) -> str:
        counts = [(v, len(self.with_verdict(v))) for v in (FAILED, NOT_RUN, UNDECIDED)]
        found = [f"{n} {'fail' if v == FAILED else v}" for v, n in counts if n]
        passed = f"{len(self.with_verdict(PASSED))} of {plural(len(self.results), 'vector')} pass"
        done = (
            f"{len(self.coverage) - len(self.never)} of {plural(len(self.coverage), 'transition')} realised"
        )
        stopped = [f"stopped: {self.stopped}"] if self.stopped else []
        return ", ".join([passed, *found, done, *stopped])

    def to_json(self) -> dict[str, Any]:
        return {
            "role": self.role,
            "exit_code": self.exit_code,
            "problems": list(self.problems),
            "stopped": self.stopped or None,
            "vectors": [result.to_json() for result in self.results],
            "coverage": [row.to_json() for row in self.coverage],
        }


def run_vectors(tested: RoleUnderTest, command: str) -> CodeReport:
    """Run a command of a shell, which finds the vectors and writes its report where the environment says."""
    with tempfile.TemporaryDirectory(prefix="stormproof-") as folder:
        vectors, report = Path(folder) / "vectors.json", Path(folder) / "report.ndjson"
        vectors.write_text(vectors_text(vectors_of(tested)), "utf-8")
        code, stopped = _run(command, {"STORMPROOF_VECTORS": str(vectors), "STORMPROOF_REPORT": str(report)})
        written = report.read_bytes() if report.exists() else None
    return judge_report(tested, written, code, stopped)


def _run(command: str, told: Mapping[str, str]) -> tuple[int, str]:
    """Its exit code, and why it was ended, if it was. What it prints goes to standard error."""
    try:
        output: int | None = sys.stderr.fileno()
    except (AttributeError, OSError):
        output = None
    alone = os.name == "posix"
    process = subprocess.Popen(
        command, shell=True, env={**os.environ, **told}, stdout=output, start_new_session=alone
    )
    try:
        return process.wait(), ""
    except KeyboardInterrupt:
        if alone:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()
        return 0, why_interrupted()


def judge_report(tested: RoleUnderTest, written: bytes | None, code: int, stopped: str = "") -> CodeReport:
    """What a command that ended with this code says of the vectors; `written` is None without a report."""
    problems: list[str] = []
    rows = _rows(written, problems)
    asked = vector_scenarios(tested)
    names = {vector_name(scenario) for scenario in asked}
    problems += [
        f"the report speaks of a vector '{name}', which there is not" for name in rows.keys() - names
    ]
    judge = _Judge(tested)
    results = tuple(
        judge.result(vector_name(s), s.about, s.events, rows.get(vector_name(s), ())) for s in asked
    )
    failed = any(result.verdict in (FAILED, NOT_RUN) for result in results)
    if code and not failed:
        problems.append(f"the command ended with code {code}, though no vector failed")
    return CodeReport(tested.role, results, judge.coverage(), () if stopped else tuple(problems), stopped)


def _rows(written: bytes | None, problems: list[str]) -> dict[str, list[Mapping[str, Any]]]:
    """The lines of a report, by vector."""
    if written is None or not written.strip():
        what = "wrote no report" if written is None else "wrote an empty report"
        problems.append(
            f"the command {what}: it appends a line for each vector to the file STORMPROOF_REPORT"
        )
    found: dict[str, list[Mapping[str, Any]]] = {}
    for number, line in enumerate((written or b"").splitlines(), start=1):
        try:
            row = read_json(line) if line.strip() else None
        except InputError:
            row = {}
        if row is None:
            continue
        if isinstance(row, dict) and isinstance(row.get("vector"), str) and row.get("verdict") in _WORST:
            found.setdefault(row["vector"], []).append(row)
        else:
            problems.append(f"line {number} of the report names no vector with its verdict")
    return found


class _Judge:
    """Follows what implementations report through the protocol, and keeps which handler did what."""

    def __init__(self, tested: RoleUnderTest) -> None:
        self.tested = tested
        self.process = tested.model.system[tested.role]
        reachable = set(self.process.reachable())
        taken = (self._row(t) for t in self.process.transitions if t.source in reachable)
        self._handlers: dict[TransitionRow, dict[str, None]] = {row: {} for row in taken if row is not None}

    def _row(self, transition: Transition) -> TransitionRow | None:
        """As the protocol has it; None for what nobody sees."""
        row = transition_row(transition)
        if row is None or row[1] == "silent":
            return None
        source, do, peer, message, target = row
        return self.tested.test.user_state(source), do, peer, message, self.tested.test.user_state(target)

    def coverage(self) -> tuple[RealisedTransition, ...]:
        return tuple(RealisedTransition(row, tuple(handlers)) for row, handlers in self._handlers.items())

    def result(
        self, name: str, about: str, events: Sequence[LogEvent], rows: Sequence[Mapping[str, Any]]
    ) -> VectorResult:
        if not rows:
            return VectorResult(name, about, NOT_RUN, "the report does not speak of it")
        found = [self._judged(events, row) for row in rows]
        verdict, why, answer = min(found, key=lambda one: _WORST.index(one[0]))
        return VectorResult(name, about, verdict, why, answer)

    def _judged(
        self, events: Sequence[LogEvent], row: Mapping[str, Any]
    ) -> tuple[str, str, TraceAnswer | None]:
        verdict, why = str(row["verdict"]), str(row.get("why") or "")
        if verdict == UNDECIDED:
            return UNDECIDED, why, None
        steps = [*_steps(row)]
        done = [event for event, _ in steps]
        path = role_path(self.process, RoleLog.of(self.tested.role, done))
        self._count(path, [handler for _, handler in steps])
        if path.length < len(done):
            answer = self._drawn(done[: path.length + 1])
            return FAILED, why or self._not_allowed(done, path.length), answer
        if verdict == PASSED and done != [event for event in events if event != WAITS]:
            said = listed(map(str, done)) or "nothing"
            return FAILED, f"it is said to pass, but not to do what the vector says; it {said}", None
        return verdict, why, self._drawn(done) if verdict == FAILED else None

    def _count(self, path: RolePath, handlers: Sequence[str]) -> None:
        visible = [
            row
            for transition in path.transitions_to(path.length)
            if (row := self._row(transition)) is not None
        ]
        for row, handler in zip(visible, handlers):
            self._handlers[row][handler] = None

    def _not_allowed(self, done: Sequence[LogEvent], length: int) -> str:
        states = RoleStates.start(self.process)
        for event in done[:length]:
            states = states.after(event)
        before = ", ".join(map(str, done[:length])) or "nothing"
        return f"it {done[length]}; the protocol allows: {listed(states.possible(), 'or')}. Before: {before}"

    def _drawn(self, done: Sequence[LogEvent]) -> TraceAnswer:
        """A run of all roles in which it does this."""
        system = loads(self.tested.text, "storm")
        log = RoleLog.of(self.tested.role, done)
        return trace(system, [log], limits=Limits(states=_SEARCHED))


def _steps(row: Mapping[str, Any]) -> Iterator[tuple[LogEvent, str]]:
    """What a row says was done, and in which handler; what is no step ends it."""
    steps = row.get("steps")
    for step in steps if isinstance(steps, list) else ():
        event = step.get("transition") if isinstance(step, dict) else None
        if not isinstance(event, list) or not event or not all(isinstance(part, str) for part in event):
            return
        do, peer, message = (*event, "", "")[:3]
        yield LogEvent(do, peer, message), str(step.get("handler") or "?")
