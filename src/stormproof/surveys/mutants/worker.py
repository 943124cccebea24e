"""A worker process that judges mutants: a line names the protocol and the mutant, a line is the answer."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from ...kernel.model.failures_json import failures_from_json, failures_to_json
from ...kernel.model.system import System
from ...languages import formats
from ...limits import Limits, interrupting, why_interrupted, within
from ...options import Options
from ...python_process import end_with
from ..worker_process import WorkerDied, WorkerProcess
from .judge import Judged, MutantFate, Original
from .operators import Mutant, mutants
from .questions import CheckQuestion

#: What a worker may take beyond the time that is left, before it is ended.
GRACE_SECONDS = 10.0


def to_text(protocol: Original, memory: int | None) -> str:
    """All that a worker needs to know of a protocol."""
    question = protocol.question
    options = question.options
    return json.dumps(
        {
            "system": formats.system_to_json(protocol.system),
            "failures": failures_to_json(question.failures),
            "k": question.k,
            "max_k": question.max_k,
            "effort": options.effort,
            "reduction": options.reduction,
            "symmetry": options.symmetry,
            "unbounded": options.unbounded,
            "states": options.limits.states,
            "memory": memory,
            "met": sorted(protocol.met),
            "open": sorted(protocol.open),
        }
    )


@lru_cache(maxsize=1)
def _known(text: str) -> tuple[Original, tuple[Mutant, ...]]:
    data: Mapping[str, Any] = json.loads(text)
    system: System = formats.system_from_json(data["system"])
    failures, _ = failures_from_json(data["failures"])
    options = Options(
        Limits(None, data["memory"], data["states"]),
        reduction=data["reduction"],
        symmetry=data["symmetry"],
        unbounded=data["unbounded"],
        effort=data["effort"],
        threads=1,
        replay=False,
        polish=False,
    )
    question = CheckQuestion(failures, options, data["k"], data["max_k"])
    return Original(system, question, (data["met"], data["open"])), mutants(system)


def judge(protocol: Original, mutant: Mutant, seconds: float | None) -> Judged:
    """Within the time that is left; a mutant that it does not suffice for is undecided."""
    with within(seconds):
        try:
            with interrupting():
                return protocol.judged(mutant)
        except KeyboardInterrupt:
            return Judged(mutant.number, MutantFate.UNDECIDED, reason=why_interrupted())
        except MemoryError:
            return Judged(mutant.number, MutantFate.UNDECIDED, reason="out of memory")


def main(arguments: Sequence[str]) -> None:
    # Ctrl-C is the parent's to handle: it ends the workers itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with, args=(int(arguments[0]),), daemon=True).start()
    for line in sys.stdin:
        asked: Mapping[str, Any] = json.loads(line)
        protocol, made = _known(asked["protocol"])
        found = judge(protocol, made[asked["mutant"] - 1], asked["seconds"])
        row = {"number": found.number, "status": found.status.value, "by": found.by, "reason": found.reason}
        sys.stdout.write(json.dumps(row, ensure_ascii=True) + "\n")
        sys.stdout.flush()


class MutantWorker:
    """The other end of such a process."""

    def __init__(self, protocol: str, seconds_left: Any) -> None:
        self._protocol, self._left = protocol, seconds_left
        self._process = WorkerProcess("stormproof.surveys.mutants.worker")

    def run(self, mutant: Mutant, stop: threading.Event) -> Judged | None:
        """The mutant judged; undecided where the worker dies."""
        left = self._left()
        asked = {"protocol": self._protocol, "mutant": mutant.number, "seconds": left}
        most = None if left is None else left + GRACE_SECONDS
        try:
            answer = self._process.ask(json.dumps(asked), stop, most)
        except WorkerDied as death:
            return Judged(mutant.number, MutantFate.UNDECIDED, reason=f"its worker process was {death}")
        if answer is None:
            return None
        row: Mapping[str, Any] = json.loads(answer)
        return Judged(row["number"], MutantFate(row["status"]), row["by"], row["reason"])

    def end(self) -> None:
        self._process.end()
