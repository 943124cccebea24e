"""`python -m bench`: every measurement, as ratios from this run on this machine.

python -m bench               all: start, library, engine, SPIN, growth, stores, disk, RSC, reachability,
                              logs, a cluster, other tools
python -m bench engine ...    one of them, with its own flags (`--help` tells them)
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

MEASUREMENTS = (
    "start",
    "library",
    "engine",
    "spin",
    "other_tools",
    "growth",
    "store",
    "disk",
    "rsc",
    "reach",
    "trace",
    "cluster",
)


def main() -> None:
    chosen, flags = (sys.argv[1:2], sys.argv[2:]) if sys.argv[1:2] else (list(MEASUREMENTS), [])
    for name in chosen:
        if name not in MEASUREMENTS:
            sys.exit(f"there is no measurement '{name}'; there are {', '.join(MEASUREMENTS)}")
        script = Path(__file__).with_name(f"{name}.py")
        print(f"== {name}", flush=True)
        sys.argv = [str(script), *flags]
        try:
            runpy.run_path(str(script), run_name="__main__")
        except SystemExit as leaving:
            if leaving.code:
                raise


if __name__ == "__main__":
    main()
