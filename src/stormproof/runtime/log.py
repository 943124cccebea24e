"""What a role does, as NDJSON: one line per event, flushed at once, so that a log may be cut off anywhere."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import IO, Any

#: A line, and how many bytes of the log are before it.
LoggedAt = tuple[int, str]


class RunLog:
    """The log of one role; without a path nothing is written."""

    def __init__(self, role: str, path: str | Path | None) -> None:
        self._role = role
        self._path = None if path is None else Path(path)
        self._file: IO[bytes] | None = None

    def begin(self, continues: bool, recorded: LoggedAt | None) -> None:
        """Append to the file, without a line that an earlier run left unfinished. A role that has logged
        before, or continues from a durable point, has restarted. `recorded` is the event that led to that
        point: it was recorded first, and the process may have ended before it was logged."""
        if self._path is None:
            return
        data = self._path.read_bytes() if self._path.exists() else b""
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            os.truncate(self._path, whole)
        self._file = self._path.open("ab")
        if recorded is not None and recorded[0] == whole:
            self.write(recorded[1])
        if whole or continues:
            self.write(self.line("restart"))

    def line(self, do: str, peer: str | None = None, message: str | None = None, **more: Any) -> str:
        event: dict[str, Any] = {"do": do}
        event |= {} if peer is None else {"peer": peer}
        event |= {} if message is None else {"message": message}
        row = {"role": self._role, **event, **more, "time": time.time()}
        return json.dumps(row, ensure_ascii=False)

    def coming(self, line: str) -> LoggedAt | None:
        """The next line, and where it will begin; None without a file."""
        return None if self._file is None else (self._file.tell(), line)

    def write(self, line: str) -> None:
        if self._file is not None:
            self._file.write(line.encode("utf-8") + b"\n")
            self._file.flush()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
