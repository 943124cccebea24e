"""Roles that a second process cannot import: a copy of this one finds out whether their expressions end."""

from __future__ import annotations

import os
import signal
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path

from . import evaluate
from .role import RoleCall
from .second import extract_into, limited
from .second_process import SECOND, read_result


def check_in_fork(calls: Mapping[str, RoleCall]) -> None:
    """LimitReached where an expression takes too long, even inside C code, or too much memory."""
    if not hasattr(os, "fork") or SECOND in os.environ:
        return
    with tempfile.TemporaryDirectory(prefix="stormproof-") as folder:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which the copy does not need
            copy = os.fork()
        if copy == 0:
            _extract_and_end(Path(folder), calls)
        try:
            os.waitpid(copy, 0)
        except BaseException:
            os.kill(copy, signal.SIGKILL)
            os.waitpid(copy, 0)
            raise
        read_result(Path(folder))


def _extract_and_end(folder: Path, calls: Mapping[str, RoleCall]) -> None:
    """In the copy: nothing that this process was about to do happens there."""
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        with limited(folder, evaluate.EXPRESSION_SECONDS):
            extract_into(folder, calls)
    finally:
        os._exit(0)
