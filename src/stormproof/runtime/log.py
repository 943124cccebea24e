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

    def begin(self) -> None:
        """Open the file, which is there even if the role does nothing."""
        if self._path is not None:
            self._file = self._open(self._path)

    def _open(self, path: Path) -> IO[str]:
        """Append to the file, without a line that an earlier run left unfinished. Whoever has logged before
        has restarted."""
        data = path.read_bytes() if path.exists() else b""
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            path.write_bytes(whole)
        file = path.open("a", encoding="utf-8")
        if whole:
            file.write(self._line({"do": "restart"}))
            file.flush()
        return file

    def _line(self, event: dict[str, Any]) -> str:
        row = {"role": self._role, **event, "time": time.time()}
        return json.dumps(row, ensure_ascii=False) + "\n"

    def write(self, do: str, peer: str | None = None, message: str | None = None, **more: Any) -> None:
        if self._file is None:
            return
        event: dict[str, Any] = {"do": do}
        event |= {} if peer is None else {"peer": peer}
        event |= {} if message is None else {"message": message}
        self._file.write(self._line(event | more))
        self._file.flush()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
