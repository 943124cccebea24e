"""How every Python process of stormproof is started: with nothing of the current folder on its search path.

`python -m` and `python -c` look there first, and an empty entry of PYTHONPATH leads there: a `json.py` in the
folder of a protocol that somebody else wrote would run in place of Python's own.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from .errors import UsageError

#: Where stormproof is. It is imported from there: a file of that name may be found before it.
_PACKAGES = str(Path(__file__).parents[1])


def python_process(
    module: str, *arguments: str, path: Sequence[str] | None = None
) -> tuple[list[str], dict[str, str]]:
    """The command and the environment of a process that calls `main` of a module with the arguments.

    It finds modules where an installed Python does, or in the folders of `path`.
    """
    looked_in = "[p for p in sys.path if p]" if path is None else repr(list(path))
    start = (
        f"import sys; sys.path[:] = {looked_in}; sys.path.insert(0, {_PACKAGES!r}); import stormproof; "
        f"del sys.path[0]; from {module} import main; main(sys.argv[1:])"
    )
    return [sys.executable, *_flags(), "-c", start, *arguments], _environment()


def need_posix(what: str) -> None:
    """Refuse in words what needs processes and signals as POSIX has them."""
    if not hasattr(os, "fork"):
        hint = "use Linux or macOS for it; on Windows, the Windows Subsystem for Linux"
        raise UsageError(f"{what} needs a POSIX system", hint=hint)


def end_with(parent: int) -> None:
    """End this process when the one that has started it ends, even if it is killed."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def _flags() -> list[str]:
    """Those of this process that say where modules are looked for, and that asserts are left out."""
    given = {"-I": sys.flags.isolated, "-E": sys.flags.ignore_environment, "-s": sys.flags.no_user_site}
    return [*(flag for flag, on in given.items() if on), *["-O"] * sys.flags.optimize]


def _environment() -> dict[str, str]:
    """That of this process, without the entries of PYTHONPATH that are, or depend on, the current folder."""
    folders = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    kept = os.pathsep.join(f for f in folders if os.path.isabs(f) and not _is_current(f))  # noqa: PTH117
    others = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return others | ({"PYTHONPATH": kept} if kept else {})


def _is_current(folder: str) -> bool:
    try:
        return Path(folder).samefile(os.curdir)
    except OSError:  # one of them is not there
        return False
