"""Explorations on disk in processes of their own, to be killed or to run out of room."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from stormproof.kernel.model.ask import RECOVERS, Ask, clean
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.languages.protocols.generators.rings import dining_philosophers

#: Arguments: the folder, philosophers, configurations in memory, the largest file in bytes (0: any), the ask
#: or rsc.
SCRIPT = """
import json, resource, sys
from stormproof import _engine
from stormproof.search.engine.rsc import rsc
from stormproof.search.engine.survival import survey
from stormproof.limits import Limits
from stormproof.kernel.model.failures import FailureModel
from stormproof.languages.protocols.generators.rings import dining_philosophers
from tests.support.disk_runs import question

folder, number, records, largest, name = sys.argv[1], *map(int, sys.argv[2:5]), sys.argv[5]
if largest:
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
disk = _engine.DiskOptions(folder, "1", True, records, 0, 200)
if name == "rsc":
    system = dining_philosophers(number)
    found = rsc(
        system, FailureModel({}), limits=Limits(), symmetry=False, disk=disk, threads=3, parallel_from=1
    )
    print(json.dumps([found.holds, found.states, found.stopped]))
    sys.exit()
model, asks = question(number, name)
found = survey(model, asks, 1, reduction=False, symmetry=False, disk=disk, threads=3, parallel_from=1)
answer = found.answers[name]
print(json.dumps([answer.holds, found.configurations, found.stopped]))
"""
ROOT = Path(__file__).resolve().parents[2]


def question(number: int, name: str) -> tuple[SurvivalModel, dict[str, Ask]]:
    """So many dining philosophers, and what is asked of them: `clean` or `recovers`."""
    system = dining_philosophers(number, left_handed=name == "recovers")
    rest = rest_states(system)
    ask = {"clean": clean(system, rest), "recovers": RECOVERS}[name]
    return SurvivalModel(system, Failures().on(system), rest), {name: ask}


def start(
    folder: Path, number: int, records: int, largest: int = 0, name: str = "clean"
) -> subprocess.Popen[str]:
    arguments = [str(folder), *map(str, (number, records, largest)), name]
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *arguments], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )


def answer(process: subprocess.Popen[str]) -> tuple[bool | None, int, str]:
    """The verdict, the configurations, and what stopped it."""
    out, _ = process.communicate(timeout=60)
    holds, configurations, stopped = json.loads(out)
    return holds, configurations, stopped
