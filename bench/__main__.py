"""`python -m bench`: every measurement of the house, as ratios from this run on this machine.

python -m bench                 the engine, RSC, reachability
python -m bench engine ...      one of them, with its own flags (`--help` tells them)
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

ROOMS = ("engine", "rsc", "reach")


def main() -> None:
    chosen, flags = (sys.argv[1:2], sys.argv[2:]) if sys.argv[1:2] else (list(ROOMS), [])
    for room in chosen:
        if room not in ROOMS:
            sys.exit(f"there is no measurement '{room}'; there are {', '.join(ROOMS)}")
        script = Path(__file__).with_name(f"{room}.py")
        print(f"== {room}", flush=True)
        sys.argv = [str(script), *flags]
        try:
            runpy.run_path(str(script), run_name="__main__")
        except SystemExit as leaving:
            if leaving.code:
                raise


if __name__ == "__main__":
    main()
