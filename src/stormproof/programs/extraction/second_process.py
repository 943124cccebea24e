"""Extract once more in a second process, with another hash seed, where an endless expression can be ended.

What depends on the order of a set, on chance or on what another extraction left behind differs there.
"""

from __future__ import annotations

import contextlib
import json
import linecache
import logging
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from ...errors import ModelError, Place
from ...kernel.model.system import System
from ...python_process import python_process
from . import evaluate
from .role import RoleCall
from .source import shown_file

JOB, RESULT, TRACEBACK = "job.pickle", "result.json", "traceback.txt"
#: Written before the roles are evaluated: what ends the process from then on is one of them.
STARTED = "started"

#: Set in the second process, where a module that is imported again must not start a third.
SECOND = "STORMPROOF_SECOND_PROCESS"

_log = logging.getLogger("stormproof")
_FRAME = re.compile(r'^  File "(.*)", line (\d+) in ', re.MULTILINE)


@dataclass(frozen=True)
class SecondSystem:
    """What the second process has found: the transitions of each role as text, or what was wrong.

    The place is that of an expression which has reached a limit.
    """

    roles: Mapping[str, list[str]]
    problem: str = ""
    place: Mapping[str, Any] | None = None

    def compare(self, system: System) -> None:
        """ModelError where the systems differ."""
        if self.problem:
            raise _differs(f"the extraction fails: {self.problem}", None)
        for process in system:
            here, there = described(system)[process.name], self.roles.get(process.name, [])
            if here != there:
                lines = [line for line in (*here, *there) if (line in here) != (line in there)]
                state = (lines or here)[0].split(" --")[0]
                raise _differs(
                    f"{process.name} is another automaton: {(lines or here)[0]}", process.place(state)
                )


def _differs(what: str, place: Place | None) -> ModelError:
    return ModelError(
        f"in a second process {what}",
        place=place,
        hint="a role depends on chance, on the time or on the order of a set (sort it)",
    )


def described(system: System) -> dict[str, list[str]]:
    """Each role in lines that can be compared."""
    return {
        p.name: [p.initial, *map(str, p.transitions), *p.states, *p.durable, *map(str, p.disks)]
        for p in system
    }


def check_in_second_process(calls: Mapping[str, RoleCall]) -> SecondSystem | None:
    """The system as a second process extracts it; None, with a warning, where it cannot import the roles."""
    if SECOND in os.environ:
        return None
    try:
        job = pickle.dumps({name: (call.role, dict(call.arguments)) for name, call in calls.items()})
    except Exception as problem:
        _log.warning("roles are extracted in one process only: %s", problem)
        return None
    with tempfile.TemporaryDirectory(prefix="stormproof-") as folder:
        found = _run(Path(folder), job, [_module(call) for call in calls.values()])
    return found


def _module(call: RoleCall) -> tuple[str, str]:
    function = call.role.function
    return function.__module__, str(function.__code__.co_filename)


def _run(folder: Path, job: bytes, modules: list[tuple[str, str]]) -> SecondSystem | None:
    described = {"modules": modules, "seconds": evaluate.EXPRESSION_SECONDS, "roles": job}
    (folder / JOB).write_bytes(pickle.dumps(described))
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    # Roles are looked for where this process has found them.
    command, environment = python_process("stormproof.programs.extraction.second", str(folder), path=sys.path)
    done = subprocess.run(
        command,
        env={**environment, "PYTHONHASHSEED": seed, SECOND: "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    found = read_result(folder)
    if found is not None:
        return found
    said = done.stderr.decode("utf-8", "replace")
    _log.warning("roles are extracted in one process only: %s", why_ended(done.returncode, said))
    return None


def why_ended(code: int, said: str) -> str:
    """Why a process gave no answer: the signal that ended it, else what it said last, else its exit code."""
    if code < 0:
        with contextlib.suppress(ValueError):
            name = signal.Signals(-code).name
            often = ", as a process is that takes too much memory" if name == "SIGKILL" else ""
            return f"the second one was ended by {name}{often}"
    last = said.strip().splitlines()[-1:]
    return last[0] if last else f"the second one ended early, with exit code {code}"


def read_result(folder: Path) -> SecondSystem | None:
    """What a process wrote into a folder; LimitReached where an expression had to be ended."""
    if (folder / RESULT).exists():
        found = SecondSystem(**json.loads((folder / RESULT).read_text("utf-8")))
        if found.place is not None:
            place = Place(**{**found.place, "file": shown_file(found.place["file"])})
            raise evaluate.LimitReached(found.problem, place=place)
        return found
    stuck = _stuck((folder / TRACEBACK).read_text("utf-8")) if (folder / TRACEBACK).exists() else None
    if stuck is not None:
        raise evaluate.overdue(stuck, evaluate.EXPRESSION_SECONDS)
    if (folder / STARTED).exists():
        raise ModelError("evaluating a role ends the process", hint="a role ends with: return")
    return None


def _stuck(text: str) -> Place | None:
    """The line of the role that was evaluated: the caller of whatever ran, below the frame of `snippet`."""
    frames = _FRAME.findall(text)
    for (file, line), (caller, _) in pairwise(frames):
        if Path(caller).name == "snippet.py" and Path(caller).parent.name == "extraction":
            text = linecache.getline(file, int(line)).rstrip()
            column = len(text) - len(text.lstrip()) + 1
            return Place(shown_file(file), int(line), column, text, len(text) - column + 1)
    return None
