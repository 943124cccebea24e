"""What the second process runs, or a copy of this one where a second cannot import the roles."""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import importlib.util
import json
import pickle
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import IO

from ...errors import StormproofError
from . import evaluate
from .build import HORIZON, RoleMaking
from .evaluate import LimitReached
from .explore import programs
from .interpret import Interpreter
from .load import leads_to
from .role import RoleCall
from .second_process import JOB, RESULT, STARTED, TRACEBACK, SecondSystem, described

#: The name under which a script that was started itself is imported again, so that it does not start again.
_SCRIPT = "__stormproof_main__"
#: How much memory the process may take beside what it has.
_MEMORY = 4 << 30


def main(arguments: Sequence[str]) -> None:
    """Extract the roles that a folder describes, and write into it what was found."""
    folder = Path(arguments[0])
    job = pickle.loads((folder / JOB).read_bytes())
    with limited(folder, job["seconds"]):
        for name, file in dict.fromkeys(job["modules"]):
            sys.modules[name] = load_again(name, file)
        calls = {name: RoleCall(*found) for name, found in pickle.loads(job["roles"]).items()}
        extract_into(folder, calls)


def load_again(name: str, file: str) -> ModuleType:
    """The module, by its name if that leads to its file, else from the file."""
    if name != "__main__" and leads_to(name, Path(file)):
        return importlib.import_module(name)
    spec = importlib.util.spec_from_file_location(_SCRIPT if name == "__main__" else name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def extract_into(folder: Path, calls: Mapping[str, RoleCall]) -> None:
    """Write what was found into a folder."""
    (folder / STARTED).touch()
    found = extract_here(calls)
    (folder / RESULT).write_text(json.dumps(vars(found)), encoding="utf-8")


def extract_here(calls: Mapping[str, RoleCall]) -> SecondSystem:
    try:
        making = RoleMaking(programs(calls, Interpreter()), "")
        return SecondSystem(described(making.system_of(making.begin(HORIZON))))
    except LimitReached as problem:
        return SecondSystem({}, problem.message, None if problem.place is None else asdict(problem.place))
    except StormproofError as problem:
        return SecondSystem({}, problem.message)


@contextlib.contextmanager
def limited(folder: Path, seconds: float) -> Iterator[None]:
    """The process ends when an expression takes too long, and has an end of its memory."""
    with (folder / TRACEBACK).open("w", encoding="utf-8") as traces:
        evaluate.watch = _Watch(traces, seconds).begin
        _limit_memory()
        yield
        faulthandler.cancel_dump_traceback_later()


class _Watch:
    """Ends the process, with a traceback, when one expression takes too long, even inside C code."""

    def __init__(self, traces: IO[str], seconds: float) -> None:
        self.traces, self.seconds, self.since = traces, seconds, 0.0

    def begin(self) -> None:
        now = time.monotonic()
        if now - self.since > self.seconds / 10:
            self.since = now
            faulthandler.dump_traceback_later(self.seconds, exit=True, file=self.traces)


def _limit_memory() -> None:
    """What an expression takes beyond the limit is a MemoryError, where the system counts it."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        limit = pages * resource.getpagesize() + _MEMORY
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        if soft == resource.RLIM_INFINITY or limit < soft:
            resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
