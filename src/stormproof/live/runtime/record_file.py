"""The file of a durable record: a line that says whose it is, and one with a checksum per durable point."""

from __future__ import annotations

import json
import os
import stat
import zlib
from io import FileIO
from pathlib import Path
from typing import Any, NoReturn

from ...errors import InputError, OutputError, Place
from ...file_lock import lock
from ...languages.formats.read_data import read_json

#: Of the format. A record of another version is refused.
_VERSION = 2

_HINT = "name another file, or remove this one: the role then begins anew, and forgets what it has answered"


class RecordFile:
    """Open for one process at a time. A last line that was cut off is removed; anything else is refused."""

    def __init__(self, path: Path, role: str) -> None:
        self._path = path
        self._header = json.dumps({"stormproof": "record", "version": _VERSION, "role": role}).encode()
        self.lines: list[Any] = []
        try:
            # Unbuffered: after a write that failed nothing is left to be written once more when it is closed.
            self._file = FileIO(path, "a+")
        except OSError as problem:
            raise OutputError(f"cannot write {path}: {problem.strerror}") from None
        try:
            self._take_lock()
            self._read()
        except BaseException:
            self.close()
            raise

    def _take_lock(self) -> None:
        if not stat.S_ISREG(os.fstat(self._file.fileno()).st_mode):
            raise OutputError(f"cannot write {self._path}: a record is a file")
        try:
            lock(self._file.fileno())
        except BlockingIOError:
            raise OutputError(
                f"another role that runs writes to {self._path}; end it, or name another file"
            ) from None

    def _read(self) -> None:
        self._file.seek(0)
        data = self._file.readall()
        *whole, torn = data.split(b"\n")
        if not whole and self._header.startswith(torn):  # new, or its process ended when it was
            self._file.truncate(0)
            append(self._file, self._header + b"\n", self._path)
            return
        if not whole or whole[0] != self._header:
            self._refuse(whole[0] if whole else torn)
        self.lines = [self._checked(number, line) for number, line in enumerate(whole[1:], 2)]
        if torn:
            self._file.truncate(len(data) - len(torn))

    def _refuse(self, first: bytes) -> NoReturn:
        try:
            found = read_json(first)
        except InputError:
            found = None
        said, place = "this is not the record of a role", Place(str(self._path))
        if isinstance(found, dict) and found.get("stormproof") == "record":
            said = f"this is the record of the role {str(found.get('role'))[:80]!r}"
            if found.get("version") != _VERSION:
                said = f"this record is of the version {str(found.get('version'))[:20]}, not {_VERSION}"
        raise InputError(said, place=place, hint=_HINT)

    def _checked(self, number: int, line: bytes) -> Any:
        """What one line says; only the last one can have been cut off."""
        try:
            if line[:9] == _sum(line[9:]):
                return read_json(line[9:], halves=True)
        except InputError:
            pass
        raise InputError("the record is damaged", place=Place(str(self._path), number), hint=_HINT)

    def append(self, line: Any) -> None:
        """Have it on the disk before anything else happens."""
        data = json.dumps(line).encode("ascii")
        append(self._file, _sum(data) + data + b"\n", self._path)
        try:
            os.fsync(self._file.fileno())
        except OSError as problem:
            raise OutputError(f"cannot write {self._path}: {problem.strerror}") from None

    def close(self) -> None:
        self._file.close()


def _sum(data: bytes) -> bytes:
    return b"%08x " % zlib.crc32(data)


def append(file: FileIO, data: bytes, path: Path) -> None:
    """All of it or nothing, where the file can be cut; OutputError where it cannot be written."""
    before = file.seek(0, os.SEEK_END) if file.seekable() else None
    try:
        while data:
            data = data[file.write(data) :]
    except OSError as problem:
        if before is not None:
            file.truncate(before)
        raise OutputError(f"cannot write {path}: {problem.strerror}") from None
