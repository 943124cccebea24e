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
        self._file: IO[str] | None = None
        if path is not None:
            self._file = Path(path).open("a", encoding="utf-8")  # noqa: SIM115 - closed by `close`
            self._end_torn_line(Path(path))

    def _end_torn_line(self, path: Path) -> None:
        """A line that was cut off by the end of an earlier run stays a line of its own."""
        assert self._file is not None
        data = path.read_bytes()
        if data and not data.endswith(b"\n"):
            self._file.write("\n")

    def write(self, do: str, peer: str | None = None, message: str | None = None, **more: Any) -> None:
        if self._file is None:
            return
        row: dict[str, Any] = {"role": self._role, "do": do}
        row |= {} if peer is None else {"peer": peer}
        row |= {} if message is None else {"message": message}
        self._file.write(json.dumps(row | more | {"time": time.time()}, ensure_ascii=False) + "\n")
        self._file.flush()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
