"""What the second process runs."""

from __future__ import annotations

import faulthandler
import importlib
import importlib.util
import json
import pickle
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import IO

from ..errors import StormproofError
from . import evaluate
from .build import build_system
from .explore import explore
from .interpret import Interpreter
from .load import leads_to
from .role import RoleCall
from .second_process import JOB, RESULT, TRACEBACK, SecondSystem, described

#: The name under which a script that was started itself is imported again, so that it does not start again.
_SCRIPT = "__stormproof_main__"


def main(given: str) -> None:
    """Extract the roles that a folder describes, and write into it what was found."""
    folder = Path(given)
    job = pickle.loads((folder / JOB).read_bytes())
    with (folder / TRACEBACK).open("w", encoding="utf-8") as traces:
        evaluate.watch = Watch(traces, job["seconds"]).begin
        for name, file in dict.fromkeys(job["modules"]):
            sys.modules[name] = load_again(name, file)
        calls = {name: RoleCall(*found) for name, found in pickle.loads(job["roles"]).items()}
        found = extract_here(calls)
        faulthandler.cancel_dump_traceback_later()
    (folder / RESULT).write_text(json.dumps(vars(found)), encoding="utf-8")


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


def extract_here(calls: dict[str, RoleCall]) -> SecondSystem:
    try:
        return SecondSystem(described(build_system(explore(calls, Interpreter()).values(), "")))
    except StormproofError as problem:
        return SecondSystem({}, problem.message)


class Watch:
    """Ends the process, with a traceback, when one expression takes too long, even inside C code."""

    def __init__(self, traces: IO[str], seconds: float) -> None:
        self.traces, self.seconds, self.since = traces, seconds, 0.0

    def begin(self) -> None:
        now = time.monotonic()
        if now - self.since > self.seconds / 10:
            self.since = now
            faulthandler.dump_traceback_later(self.seconds, exit=True, file=self.traces)
