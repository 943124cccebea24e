"""Standard output and error that are robust to closed pipes, full disks and terminals without Unicode.

A reader that closes the pipe (`| head`) does not change the exit code, which is that of the verdict. A full
disk is reported in one sentence. On a terminal that knows only ASCII the nearest signs are printed.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
from typing import Any, TextIO

from ...errors import OutputError

#: Signs of ours that have a likeness in ASCII; those of charts one for one, so that they stay in line.
_LIKENESS = {"≤": "<=", "≥": ">="} | dict(
    zip(
        "✔◐✘◇✕→⇝⇄⧉↻◷┷▶▷◀◁│├┤┼┊┄─╌━╮╯·–…■⌛⚡†×①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳",
        "+:x*x>~%&@o_>><<|||+:.--=\\/--.#?!*x123456789abcdefghijk",
        strict=True,
    )
)
_HANDLER = "stormproof.likeness"


def _likeness(problem: UnicodeError) -> tuple[str, int]:
    """What stands for the characters that an encoding lacks: a likeness, or the number of the character."""
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    lacking = problem.object[problem.start : problem.end]
    shown = (_LIKENESS.get(c) or c.encode("ascii", "backslashreplace").decode() for c in lacking)
    return "".join(shown), problem.end


class _Guarded(io.FileIO):
    """A file descriptor; when it cannot be written any more, the rest goes nowhere."""

    def __init__(self, descriptor: int, quiet: bool) -> None:
        super().__init__(descriptor, "wb", closefd=False)
        self._quiet = quiet

    def write(self, data: Any) -> int:
        try:
            return super().write(data) or 0
        except OSError as problem:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            if self._quiet or problem.errno == errno.EPIPE:
                return len(data)
            reason = (problem.strerror or str(problem)).lower()
            raise OutputError(f"standard output cannot be written: {reason}") from None


def guard() -> None:
    """Guard the process's own streams; called once, by the command and not by those who import it."""
    codecs.register_error(_HANDLER, _likeness)
    sys.stdout = _guarded(sys.stdout, quiet=False)
    sys.stderr = _guarded(sys.stderr, quiet=True)


def _guarded(stream: TextIO | Any, quiet: bool) -> Any:
    if stream is None:  # it was closed before the process began
        return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123
    try:
        descriptor = stream.fileno()
        stream.flush()
    except (AttributeError, OSError, ValueError):
        return stream  # closed, or no file
    return io.TextIOWrapper(
        io.BufferedWriter(_Guarded(descriptor, quiet)),
        encoding=stream.encoding,
        errors=_HANDLER,
        line_buffering=bool(stream.line_buffering) or quiet,
    )
