"""What a role does, as NDJSON: one line per event, flushed at once, so that a log may be cut off anywhere."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import IO, Any


class RunLog:
    """The log of one role; without a path nothing is written."""

    def __init__(self, role: str, path: str | Path | None) -> None:
        self._role = role
        self._path = None if path is None else Path(path)
        self._file: IO[str] | None = None

    def _open(self, path: Path) -> IO[str]:
        """Append to the file; a line that an earlier run left unfinished stays a line of its own."""
        torn = path.exists() and not path.read_bytes().endswith(b"\n")
        file = path.open("a", encoding="utf-8")
        file.write("\n" if torn and path.stat().st_size else "")
        return file

    def write(self, do: str, peer: str | None = None, message: str | None = None, **more: Any) -> None:
        if self._path is None:
            return
        self._file = self._file or self._open(self._path)
        row: dict[str, Any] = {"role": self._role, "do": do}
        row |= {} if peer is None else {"peer": peer}
        row |= {} if message is None else {"message": message}
        self._file.write(json.dumps(row | more | {"time": time.time()}, ensure_ascii=False) + "\n")
        self._file.flush()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
