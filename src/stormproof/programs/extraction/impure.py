"""Calls of built-in functions that depend on more than their arguments, or do more than return a value.

Clocks, chance, files, sockets, the system and the environment: two evaluations may agree by chance, so these
calls are refused as they are made. `sys.setprofile` announces every call that Python code makes.
"""

from __future__ import annotations

import contextlib
import datetime
import gc
import io
import os
import random
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, FunctionType, ModuleType
from typing import Any

from ...errors import StormproofError

#: Modules in C of which every function is refused, and the names under which they are known.
_MODULES = {
    "time": "time",
    "posix": "os",
    "nt": "os",
    "_socket": "socket",
    "select": "select",
    "signal": "signal",
    "_signal": "signal",
    "_posixsubprocess": "subprocess",
    "_winapi": "subprocess",
    "_ctypes": "ctypes",
    "_uuid": "uuid",
    "gc": "gc",
}
#: Functions of those modules that compute with their arguments and nothing else.
_PURE = frozenset(("fspath", "_path_normpath", "_path_splitroot", "_path_splitroot_ex"))
_FUNCTIONS = frozenset(("open", "print", "input", "breakpoint", "start_new_thread", "start_joinable_thread"))
_FILES = (io.FileIO, io.BufferedReader, io.BufferedWriter, io.BufferedRandom, io.TextIOWrapper)
_CHANGING = (*_FILES, socket.socket, random.Random)
_NOW = frozenset(("now", "utcnow", "today"))
_ENVIRONMENT = {f.__code__ for f in vars(type(os.environ)).values() if isinstance(f, FunctionType)}
_LIBRARY = str(Path(os.__file__).parent) + os.sep
_HERE = str(Path(__file__).parent) + os.sep


class _Stop(BaseException):
    """Stops the call that was refused; what a role calls does not catch this by accident."""


@contextlib.contextmanager
def refusing_impure_calls() -> Iterator[None]:
    """StormproofError at the first such call, unless a profiler is at work already."""
    if sys.getprofile() is not None:
        yield
        return
    refused: list[str] = []

    def announced(frame: FrameType, event: str, what: Any) -> None:
        if event == "c_call":
            name = _impure(what, frame)
        elif event == "call" and frame.f_code in _ENVIRONMENT:
            name = "os.environ"
        else:
            return
        if name is not None and not _importing(frame):
            refused.append(_as_called(frame, name))
            raise _Stop

    collecting = gc.isenabled()
    gc.disable()  # what others do whenever garbage is collected is not called by the role
    sys.setprofile(announced)
    try:
        yield
    except _Stop:
        pass
    finally:
        sys.setprofile(None)
        if collecting:
            gc.enable()
    if refused:
        raise StormproofError(
            f"this calls {refused[0]}, which depends or acts on more than its arguments",
            hint="give the role what it needs as a parameter; for chance, yield sp.choose(...)",
        )


def _impure(function: Any, frame: FrameType) -> str | None:
    """The name of a built-in function that is refused."""
    owner, name = function.__self__, function.__name__
    if isinstance(owner, ModuleType):
        if name in _FUNCTIONS or (function is id and _written_by_a_user(frame)):
            return str(name)
        known = _MODULES.get(owner.__name__)
        return None if known is None or name in _PURE else f"{known}.{name}"
    if isinstance(owner, _CHANGING):
        return f"random.{name}" if isinstance(owner, random.Random) else f"{type(owner).__name__}.{name}"
    if name in _NOW and isinstance(owner, type) and issubclass(owner, datetime.date):
        return f"{owner.__name__}.{name}"
    return None


def _written_by_a_user(frame: FrameType) -> bool:
    """Not in this package or in Python, which compare identities to see whether a value contains itself."""
    file = frame.f_code.co_filename
    return not file.startswith(("<", _LIBRARY, _HERE))


def _importing(frame: FrameType | None) -> bool:
    """Is a module imported for the first time? That reads files, and runs the module."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _as_called(frame: FrameType | None, name: str) -> str:
    """The function of Python's library that the user's code has called: `random.randint`."""
    while frame is not None and frame.f_code.co_filename.startswith(_LIBRARY):
        module, function = str(frame.f_globals.get("__name__", "")), frame.f_code.co_name
        if not module.startswith("_") and not function.startswith("_"):
            name = f"{module}.{function}"
        frame = frame.f_back
    return name
