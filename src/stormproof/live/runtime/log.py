"""What a role does, as NDJSON: one line per event, flushed at once, so that a log may be cut off anywhere."""

from __future__ import annotations

import contextlib
import json
import time
from io import FileIO
from pathlib import Path
from typing import Any

from ...errors import InputError, OutputError, Place
from .record_file import append

#: Every line begins so.
_START = b'{"role": '


class RunLog:
    """The log of one role; without a path nothing is written."""

    def __init__(self, role: str, path: str | Path | None) -> None:
        self._role = role
        self._path = None if path is None else Path(path)
        self._file: FileIO | None = None

    def begin(self, continues: bool) -> None:
        """Append to the file, without a line that an earlier run left unfinished. A role that has logged
        before, or continues from what it saved, has restarted."""
        if self._path is None:
            return
        try:
            # Unbuffered: after a write that failed nothing is left to be written once more when it is closed.
            file = FileIO(self._path, "a+")
        except OSError as problem:
            raise OutputError(f"cannot write {self._path}: {problem.strerror}") from None
        with contextlib.ExitStack() as refused:
            refused.callback(file.close)
            whole = self._cut(file) if file.seekable() else 0
            refused.pop_all()
        self._file = file
        if whole or continues:
            self.write(self.line("restart"))

    def _cut(self, file: FileIO) -> int:
        """Remove a last line that was cut off; how long the log is then."""
        file.seek(0)
        data = file.readall()
        if not data.startswith(_START) and not _START.startswith(data):
            place, hint = Place(str(self._path)), "name another file"
            raise InputError("this is not the log of a role", place=place, hint=hint)
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            file.truncate(whole)
        return file.seek(whole)

    def line(self, do: str, peer: str | None = None, message: str | None = None, **more: Any) -> str:
        event: dict[str, Any] = {"do": do}
        event |= {} if peer is None else {"peer": peer}
        event |= {} if message is None else {"message": message}
        row = {"role": self._role, **event, **more, "time": time.time()}
        return json.dumps(row, ensure_ascii=False)

    def write(self, line: str) -> None:
        if self._file is not None:
            append(self._file, line.encode("utf-8") + b"\n", Path(self._file.name))

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
