"""How long a small check takes: processor time against that of an interpreter that does nothing.

python bench/start.py [--runs N]
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


def seconds(arguments: list[str], cache: str) -> float:
    """Processor time of one run; bytecode is kept, as an installation keeps it."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *arguments],
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
    runs = parser.parse_args().runs
    best = dict.fromkeys(COMMANDS, float("inf"))
    with tempfile.TemporaryDirectory() as cache:
        for turn in range(runs + 1):
            for name, arguments in COMMANDS.items():
                used = seconds(arguments, cache)
                if turn:  # the first run compiles
                    best[name] = min(best[name], used)
    nothing = best["python -c pass"]
    for name, used in best.items():
        print(f"{name:42} {1000 * used:6.0f} ms  {used / nothing:5.1f} times `python -c pass`")


if __name__ == "__main__":
    main()
