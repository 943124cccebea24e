"""Putting a file in the place of another: whole or not at all, and never over what was not expected there."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from ...errors import OutputError, Place
from ...file_lock import lock

#: The flag of renameat2 and renamex_np that exchanges two files, and what says "from here" to the former.
_EXCHANGE, _HERE = 2, -100


#: How a file is opened to be read: whatever it is, the reader does not wait. Windows has other flags.
_READ = os.O_RDONLY | sum(getattr(os, flag, 0) for flag in ("O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))


class FileChanged(OutputError):
    """What is there is not what was read; nothing has been written."""

    def __init__(self, target: Path) -> None:
        super().__init__(
            "the file has changed since it was read; nothing was written",
            place=Place(str(target)),
            hint="run the command again",
        )


def replace(target: Path, data: bytes, expected: bytes | None = None) -> None:
    """Give the file new content; `expected`: only if it has this content until the very moment."""
    target = target.resolve() if target.is_symlink() else target
    _refuse_read_only(target)
    with _beside(target, data) as temporary:
        if expected is None:
            temporary.replace(target)
        else:
            _replace_expected(temporary, target, data, expected)


def create(target: Path, data: bytes) -> None:
    """A new file; FileExistsError where there is one, even by someone who was a moment faster."""
    with _beside(target, data) as temporary:
        _link(temporary, target)


def read_regular(path: Path, most: int) -> bytes:
    """What the file holds. A pipe or a device is not opened: it could make the reader wait for ever."""
    _check_regular(path.stat())
    handle = os.open(path, _READ)
    with os.fdopen(handle, "rb") as file:
        _check_regular(os.fstat(handle))
        return file.read(most + 1)


def _check_regular(found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(21, "this is a directory, not a file")
    if not stat.S_ISREG(found.st_mode):
        raise OSError(22, "this is a pipe or a device, not a file")


def _refuse_read_only(target: Path) -> None:
    """A rename would not ask; and to root every file can be written, so the mode is looked at, too."""
    if not target.exists():
        return
    if not target.stat().st_mode & 0o222 or not os.access(target, os.W_OK):
        hint = "write somewhere else, or permit writing it: chmod u+w"
        raise OutputError("cannot be written: it is read-only", place=Place(str(target)), hint=hint)


@contextlib.contextmanager
def _beside(target: Path, data: bytes) -> Iterator[Path]:
    """A temporary file in the same folder with the data and the rights that the target has or will have."""
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:50]}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            _set_rights(file.fileno(), target)
        yield Path(name)
    finally:
        with contextlib.suppress(OSError):
            Path(name).unlink()


def _set_rights(handle: int, target: Path) -> None:
    """Owner, group and mode of the old file as far as we may, or the mode that a new file would get.

    Windows has none of these: there a file has the rights of its folder."""
    if sys.platform == "win32" or not hasattr(os, "fchmod"):
        return
    try:
        old = target.stat()
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        os.fchmod(handle, 0o666 & ~mask)
        return
    mode = stat.S_IMODE(old.st_mode)
    with contextlib.suppress(OSError):
        os.fchown(handle, old.st_uid, -1)
    try:
        os.fchown(handle, -1, old.st_gid)
    except OSError:  # another group may do no more than everybody
        mode = mode & ~0o2070 | (mode & 0o007) << 3
    os.fchmod(handle, mode)


def _link(temporary: Path, target: Path) -> None:
    """Unlike a rename, a link fails where the name is taken."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise
    except OSError:
        # A file system without hard links: look, then rename.
        if os.path.lexists(target):
            raise FileExistsError from None
        temporary.replace(target)


def _replace_expected(temporary: Path, target: Path, data: bytes, expected: bytes) -> None:
    """The two files change places in one step; only then can nobody have written in between. Where that is
    not possible, the last look is right before the rename."""
    with _one_at_a_time(target.parent):
        if not _holds(target, expected):
            raise FileChanged(target)
        if not _exchange(temporary, target):
            temporary.replace(target)
        elif not _holds(temporary, expected):
            _exchange(temporary, target)
            if not _holds(temporary, data):  # written after ours, so newer than what was put back
                _exchange(temporary, target)
            raise FileChanged(target)


@contextlib.contextmanager
def _one_at_a_time(folder: Path) -> Iterator[None]:
    """Nobody else who writes in this way builds on a text that is about to be taken back. It is not waited
    for long, and not needed where there are no locks: Windows cannot open a folder."""
    with contextlib.ExitStack() as opened:
        with contextlib.suppress(OSError):
            handle = os.open(folder, _READ)
            opened.callback(os.close, handle)
            for _ in range(200):
                with contextlib.suppress(BlockingIOError):
                    lock(handle)
                    break
                time.sleep(0.005)
        yield


def _holds(path: Path, data: bytes) -> bool:
    try:
        return read_regular(path, len(data)) == data
    except OSError:
        return False


def _exchange(one: Path, other: Path) -> bool:
    """False where the system or the file system cannot."""
    call = _exchanging()
    return call is not None and call(os.fsencode(one), os.fsencode(other)) == 0


@cache
def _exchanging() -> Callable[[bytes, bytes], int] | None:
    import ctypes

    if sys.platform not in ("darwin", "linux"):
        return None
    libc = ctypes.CDLL(None)
    if sys.platform == "darwin" and hasattr(libc, "renamex_np"):
        return lambda one, other: int(libc.renamex_np(one, other, _EXCHANGE))
    if sys.platform == "linux" and hasattr(libc, "renameat2"):
        return lambda one, other: int(libc.renameat2(_HERE, one, _HERE, other, _EXCHANGE))
    return None
