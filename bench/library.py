"""How long small checks take: the library in one warm process, against another revision.

    python bench/library.py [--before PYTHON] [--property NAME ...] [--turns N] [--slowest N]

Every built-in protocol that both revisions have is checked under four failure models, for k up to 2 and
within 10,000 configurations: survival and the default properties, or those named. `--before` is the
interpreter of an environment in which the other revision is installed. The revisions take turns; of each
check, the least processor time counts.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from typing import Any

MODELS: dict[str, dict[str, bool]] = {
    "none": {},
    "loss": {"loss": True},
    "corruption": {"corrupt": True},
    "reordering": {"reorder": True},
}

#: Lists all protocols, and answers each name that it reads with the seconds under each failure model.
WORKER = """
import json, sys, time
import stormproof as sp
from stormproof import protocols

LIMITS = sp.Limits(states=10_000)

def seconds(system, chosen):
    started = time.process_time()
    sp.check(system, sp.Failures(**chosen), max_k=2, properties=ASKED, limits=LIMITS, threads=1)
    return time.process_time() - started

print(json.dumps(sorted(protocols.names())), flush=True)
for line in sys.stdin:
    system = sp.protocol(line.strip())
    print(json.dumps({name: seconds(system, chosen) for name, chosen in MODELS.items()}), flush=True)
"""


class Revision:
    """A process of one interpreter that checks what it is told."""

    def __init__(self, python: str, asked: list[str] | None) -> None:
        script = f"MODELS = {MODELS!r}\nASKED = {asked!r}\n{WORKER}"
        self._process = subprocess.Popen(
            [python, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.names: list[str] = self._answer()
        self.best: dict[tuple[str, str], float] = {}

    def check(self, name: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{name}\n")
        self._process.stdin.flush()
        for model, seconds in self._answer().items():
            self.best[name, model] = min(seconds, self.best.get((name, model), math.inf))

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def end(self) -> None:
        self._process.communicate()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--before", metavar="PYTHON")
    parser.add_argument("--property", action="append", metavar="NAME", help="ask for these only")
    parser.add_argument(
        "--turns", type=int, default=3, help="how often each check is run; the least time counts"
    )
    parser.add_argument("--slowest", type=int, default=10, metavar="N", help="how many checks are listed")
    chosen = parser.parse_args()
    revisions = [Revision(python, chosen.property) for python in (sys.executable, chosen.before) if python]
    names = sorted(set.intersection(*(set(revision.names) for revision in revisions)))
    for _ in range(chosen.turns + 1):  # the first turn warms up, which costs more
        for name in names:
            for revision in revisions:
                revision.check(name)
    for revision in revisions:
        revision.end()
    _print(revisions, chosen.slowest)


def _print(revisions: list[Revision], slowest: int) -> None:
    now = revisions[0].best
    total = sum(now.values())
    print(f"{len(now)} checks: {total:.2f} s, {1000 * total / len(now):.1f} ms each")
    before = revisions[-1].best
    if len(revisions) > 1:
        ratios = [now[key] / before[key] for key in now]
        middle = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"before: {sum(before.values()):.2f} s; now {total / sum(before.values()):.2f} times as long")
        print(f"of a single check: {middle:.2f} times as long (geometric mean), at most {max(ratios):.1f}")
    alone = len(revisions) == 1
    lost = {key: now[key] - (0 if alone else before[key]) for key in now}
    for key in sorted(lost, key=lambda key: -lost[key])[:slowest]:
        line = f"  {' '.join(key):45} {1000 * now[key]:7.1f} ms"
        print(line if alone else f"{line}, before {1000 * before[key]:7.1f} ms")


if __name__ == "__main__":
    main()
