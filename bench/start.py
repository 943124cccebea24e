"""How long a small check takes: processor time against that of an interpreter that does nothing.

python bench/start.py [--runs N] [--before PYTHON]

`--before` is the interpreter of an environment in which another revision is installed, to take turns with.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

#: What a shell would start; each is run with the interpreter at hand.
START = "from stormproof_command import main; main()"
COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "stormproof --version": ["-c", START, "--version"],
    "stormproof check alternating-bit": ["-c", START, "check", "alternating-bit"],
    "stormproof check alternating-bit --loss": ["-c", START, "check", "alternating-bit", "--loss"],
}


def seconds(python: str, arguments: list[str], cache: str) -> float:
    """Processor time of one run; bytecode is kept, as an installation keeps it."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [python, *arguments],
        env={**environment, "PYTHONPYCACHEPREFIX": cache},
        stdout=subprocess.DEVNULL,
        cwd=Path(__file__).parent,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=10, help="how often each is run; the least time counts")
    parser.add_argument("--before", metavar="PYTHON")
    chosen = parser.parse_args()
    pythons = [sys.executable, *([chosen.before] if chosen.before else [])]
    best = {(name, python): float("inf") for name in COMMANDS for python in pythons}
    with tempfile.TemporaryDirectory() as cache:
        for turn in range(chosen.runs + 1):
            for name, python in best:
                used = seconds(python, COMMANDS[name], cache)
                if turn:  # the first run compiles
                    best[name, python] = min(best[name, python], used)
    _print(best, *pythons)


def _print(best: dict[tuple[str, str], float], now: str, before: str | None = None) -> None:
    nothing = best["python -c pass", now]
    for name in COMMANDS:
        used = best[name, now]
        line = f"{name:42} {1000 * used:6.0f} ms  {used / nothing:5.1f} times `python -c pass`"
        if before is not None:
            old = best[name, before]
            line += f"; before {1000 * old:6.0f} ms, now {used / old:.2f} times as long"
        print(line)


if __name__ == "__main__":
    main()
