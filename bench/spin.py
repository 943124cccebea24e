"""The k-properties against SPIN's exploration of the same transition system, and against another revision.

    python bench/spin.py [--before PYTHON] [--turns N]

SPIN is built with `-O3 -DSAFETY -DNOREDUCE`; skipped where `spin` or a C compiler is absent. k-exh, k-er and
k-pg are decided together, in one thread, with neither reduction nor symmetry. `--before` is the interpreter
of an environment in which the other revision is installed. SPIN and the revisions take turns; of each, the
least processor time counts.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import stormproof as sp
from stormproof.kernel.model.system import System
from stormproof.languages.formats.promela import write
from stormproof.languages.protocols.generators.rings import dining_philosophers

#: Answers each question that it reads, a text and a bound, with configurations and processor seconds, of the
#: exploration and of all. Older revisions number the properties.
WORKER = """
import json, sys, time
import stormproof as sp
from stormproof import _engine
from stormproof.search.engine.k_properties import PROPERTIES
from stormproof.search.engine.lowering import lower

NAMES = ("k-exh", "k-er", "k-pg")
numbered = not isinstance(PROPERTIES, dict)
asked = sum(1 << PROPERTIES.index(p) for p in NAMES) if numbered else {PROPERTIES[p] for p in NAMES}
for line in sys.stdin:
    text, k = json.loads(line)
    system = sp.loads(text)
    native = lower(system, sp.Failures().on(system)).native
    started = time.process_time()
    found = _engine.decide(native, _engine.Monitor(None, None, None), k, asked, 1)
    print(json.dumps([found.states, found.explored_cpu, time.process_time() - started]), flush=True)
"""


class Revision:
    """A process of one interpreter that decides what it is told."""

    def __init__(self, python: str) -> None:
        self._process = subprocess.Popen(
            [python, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def decide(self, system: System, k: int) -> tuple[int, float, float]:
        """Configurations, and the processor time of the exploration and of all."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps([sp.dumps(system, "storm"), k]) + "\n")
        self._process.stdin.flush()
        states, explored, whole = json.loads(self._process.stdout.readline())
        return states, explored, whole

    def end(self) -> None:
        self._process.communicate()


@contextmanager
def compiled(system: System, k: int) -> Iterator[Path]:
    """SPIN's verifier of a system."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler is not None
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "system.pml").write_text(write(system, k))
        subprocess.run(["spin", "-o3", "-a", "system.pml"], cwd=folder, check=True, capture_output=True)
        flags = ["-O3", "-DSAFETY", "-DNOREDUCE", "-w", "-o", "pan", "pan.c"]
        subprocess.run([compiler, *flags], cwd=folder, check=True, capture_output=True)
        yield Path(folder, "pan")


def explore(verifier: Path) -> tuple[int, float]:
    """SPIN's states and processor seconds for the whole exploration."""
    command = [str(verifier), "-m20000000", "-w26", "-E"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=verifier.parent, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    stored = re.search(r"(\d+) states, stored", done.stdout)
    assert stored is not None, done.stdout
    return int(stored[1]), after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def measure(title: str, system: System, k: int, revisions: dict[str, Revision], turns: int) -> None:
    """Print how many times as fast as SPIN each revision is."""
    best: dict[str, float] = {}
    counts = set()

    def note(what: str, seconds: float) -> None:
        best[what] = min(seconds, best.get(what, seconds))

    with compiled(system, k) as verifier:
        for _ in range(turns):
            states, seconds = explore(verifier)
            counts.add(states)
            note("SPIN", seconds)
            for name, revision in revisions.items():
                states, explored, whole = revision.decide(system, k)
                counts.add(states)
                note(f"exploration {name}", explored)
                note(f"whole check {name}", whole)
    assert len(counts) == 1, f"SPIN and the engine count differently: {sorted(counts)}"
    theirs = best.pop("SPIN")
    print(f"{title}: {counts.pop():,} configurations, SPIN {theirs:.2f} s")
    for what in sorted(best):
        print(f"  {what}: {best[what]:.3f} s, {theirs / best[what]:.1f} times as fast", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--before", metavar="PYTHON")
    parser.add_argument("--turns", type=int, default=3, help="how often each is run; the least time counts")
    chosen = parser.parse_args()
    if not shutil.which("spin") or not (shutil.which("cc") or shutil.which("gcc")):
        print("skipped: spin or a C compiler is not installed")
        return
    pythons = {"before": chosen.before, "now": sys.executable}
    with ExitStack() as ending:
        revisions = {name: Revision(python) for name, python in pythons.items() if python}
        for revision in revisions.values():
            ending.callback(revision.end)
        elevator = sp.protocol("elevator")
        cases = [(f"elevator, k = {k}", elevator, k) for k in (7, 8, 9)]
        cases += [(f"{n} philosophers, k = 1", dining_philosophers(n), 1) for n in (4, 5)]
        for title, system, k in cases:
            measure(title, system, k, revisions, chosen.turns)


if __name__ == "__main__":
    main()
