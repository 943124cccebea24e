"""Results as lines of JSON, appended and synced one by one: `kill -9` at any instant loses at most a line.

A line that was torn by a crash does not parse and is passed over; its job runs again. A row counts once,
whatever happens: rows carry the key of their job, and the first row of a key is the one that stands.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any

from ...errors import InputError, OutputError
from ...file_lock import lock
from ...kernel.model.status import Status, status_of
from ...languages.formats.read_data import read_json


class Results:
    """The file of a campaign, open for appending and locked against a second campaign."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: FileIO | None = None
        self.rows: dict[str, dict[str, Any]] = {}

    def __enter__(self) -> Results:
        try:
            self._open()
        except BaseException:
            self._close()
            raise
        return self

    def _open(self) -> None:
        try:
            # Unbuffered: after a write that failed nothing is left to be written once more when it is closed.
            self._file = self.path.open("a+b", buffering=0)
            lock(self._file.fileno())
        except BlockingIOError:
            raise OutputError(
                f"another campaign is writing to {self.path}; wait for it or name another file"
            ) from None
        except OSError as problem:
            raise OutputError(f"cannot write {self.path}: {problem.strerror}") from None
        text = self._text()
        self.rows = read_rows(text, str(self.path))
        if text and not text.endswith(b"\n"):
            self._append(b"\n")

    def _text(self) -> bytes:
        """What is there already; a device or a pipe has nothing to resume from."""
        assert self._file is not None
        if not stat.S_ISREG(os.fstat(self._file.fileno()).st_mode):
            return b""
        self._file.seek(0)
        return self._file.read()

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, where: TracebackType | None
    ) -> None:
        self._close()

    def add(self, row: dict[str, Any]) -> None:
        """Append a row and have it on the disk before anything else happens."""
        if row["key"] in self.rows:
            return
        self.rows[row["key"]] = row
        self._append(json.dumps(row, ensure_ascii=False).encode() + b"\n")

    def forget(self, keys: Iterable[str]) -> None:
        """These jobs run again; their new rows replace the old ones in the file's next reading."""
        for key in list(keys):
            if self.rows.pop(key, None) is not None:
                self._append(json.dumps({"forget": key}).encode() + b"\n")

    def _append(self, line: bytes) -> None:
        assert self._file is not None
        try:
            while line:
                line = line[self._file.write(line) :]
            with _where_it_can():
                os.fsync(self._file.fileno())
        except OSError as problem:
            raise OutputError(f"cannot write {self.path}: {problem.strerror}") from None


@contextmanager
def _where_it_can() -> Iterator[None]:
    """A device such as /dev/null, or a pipe, has nothing to sync."""
    try:
        yield
    except OSError as problem:
        if problem.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise


def read_rows(text: bytes, name: str) -> dict[str, dict[str, Any]]:
    """The rows of a results file by key; a file that is something else is refused, not appended to."""
    rows: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(text.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            row = read_json(line)
        except InputError:
            if not _torn(line):
                raise InputError(f"{name} is not a file of campaign results (line {number})") from None
            continue
        if isinstance(row, dict) and isinstance(row.get("forget"), str):
            rows.pop(row["forget"], None)
        elif _is_row(row):
            rows.setdefault(row["key"], row)
        else:
            raise InputError(f"{name} is not a file of campaign results (line {number})")
    return rows


#: What a row and its verdicts hold, as far as anything looks at it; `...`: it may be left out.
_ROW = {"key": str, "source": str, "failures": str, "semantics": str, "verdicts": list, "notes": (list, ...)}
_VERDICT = {"property": str, "holds": (bool, None), "k": (int, None, ...), "up_to": (int, None, ...)} | {
    "status": (str, ...),
    "reason": (str, ...),
    "requirement": (dict, ...),
    "witness": (dict, None, ...),
    "states": (int, ...),
    "seconds": (int, float, ...),
    "faults": (int, None, ...),
}


def _is_row(row: Any) -> bool:
    return _fits(row, _ROW) and all(_fits(verdict, _VERDICT) for verdict in row["verdicts"])


def _fits(data: Any, kinds: Mapping[str, Any]) -> bool:
    return isinstance(data, dict) and all(_is_of(data.get(key, ...), kind) for key, kind in kinds.items())


def _is_of(value: Any, kinds: Any) -> bool:
    """A truth value is no number."""
    allowed = kinds if isinstance(kinds, tuple) else (kinds,)
    return (value if value is None or value is ... else type(value)) in allowed


def _torn(line: bytes) -> bool:
    """Could this be the start of one of our lines, cut off by a crash? Nothing in it can be relied on."""
    return any(line.startswith(start) or start.startswith(line) for start in (b'{"key": "', b'{"forget": "'))


def summary(rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """How many verdicts of each kind, of those that an exit code depends on, and how many jobs died."""
    counts = {"jobs": 0, "holds": 0, "violated": 0, "undecided": 0, "died": 0}
    for row in rows:
        counts["jobs"] += 1
        if row.get("died"):
            counts["died"] += 1
        for verdict in row.get("verdicts", ()):
            if verdict.get("counts", True):
                counts[
                    {True: "holds", False: "violated", None: "undecided"}[status_of_row(verdict).passed]
                ] += 1
    return counts


def status_of_row(verdict: Mapping[str, Any]) -> Status:
    """Read off the answer, so that rows of earlier versions have one, too."""
    expected = not verdict.get("requirement", {}).get("violated", False)
    return status_of(verdict["holds"], verdict.get("up_to"), expected)
