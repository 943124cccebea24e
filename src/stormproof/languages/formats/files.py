"""Files in and out: nothing half read, nothing half written, nothing overwritten by accident."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from ...errors import FormatError, InputError, OutputError, ParseError, Place, StormproofError, did_you_mean

#: A protocol is text that people or generators write; what is larger is hardly one, and is refused unread.
MAX_BYTES = 16 * 2**20

STDIN = "-"


def read_text(path: str | os.PathLike[str], max_bytes: int = MAX_BYTES, only_files: bool = False) -> str:
    """The text of a file, or of standard input for `-`; InputError says what keeps it from being read.
    `only_files`: pipes and devices are refused, which could take for ever to read."""
    name = display_name(path)
    if not name:
        raise InputError("the name of a file is missing: it is empty")
    try:
        data = _read(path, max_bytes, only_files)
    except FileNotFoundError:
        raise InputError("there is no such file", place=Place(name), hint=_near(Path(path))) from None
    except OSError as problem:
        raise InputError(f"cannot be read: {_reason(problem)}", place=Place(name)) from None
    except ValueError as problem:
        raise InputError(f"not a valid file name: {problem}", place=Place(name)) from None
    if len(data) > max_bytes:
        raise InputError(f"larger than {_mebibytes(max_bytes)}; refused", place=Place(name))
    return decode(data, name)


def _read(path: str | os.PathLike[str], max_bytes: int, only_files: bool) -> bytes:
    if only_files:
        from .replacing import read_regular

        return read_regular(Path(path), max_bytes)
    return _read_stdin(max_bytes) if os.fspath(path) == STDIN else _read_file(Path(path), max_bytes)


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Can it be read only once? Standard input, a named pipe, or what a shell puts for `<(command)`."""
    if os.fspath(path) == STDIN:
        return True
    try:
        return stat.S_ISFIFO(Path(path).stat().st_mode)
    except (OSError, ValueError):  # reading it says what is wrong
        return False


def display_name(path: str | os.PathLike[str]) -> str:
    """How errors call a file."""
    return "<stdin>" if os.fspath(path) == STDIN else os.fspath(path)


def _read_stdin(max_bytes: int) -> bytes:
    if sys.stdin is None:
        raise OSError(errno.EBADF, "it is closed")
    return sys.stdin.buffer.read(max_bytes + 1)


def _read_file(path: Path, max_bytes: int) -> bytes:
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "this is a directory, not a file")
    with path.open("rb") as file:
        return file.read(max_bytes + 1)


def _near(path: Path) -> str | None:
    """A file beside it that may be meant; the common suffix alone makes no likeness."""
    import difflib

    with contextlib.suppress(OSError, ValueError):
        beside = [p.name for p in path.parent.iterdir()]
        stems = difflib.get_close_matches(path.stem, [Path(name).stem for name in beside], n=20)
        return did_you_mean(path.name, [name for name in beside if Path(name).stem in stems])
    return None


def _mebibytes(amount: int) -> str:
    return f"{amount / 2**20:g} MiB"


def _reason(problem: OSError) -> str:
    return (problem.strerror or str(problem)).lower()


def decode(data: bytes, name: str) -> str:
    """Bytes as UTF-8; a wrong byte is shown with its place."""
    try:
        return clean(data.decode("utf-8"))
    except UnicodeDecodeError as problem:
        head = data.rfind(b"\n", 0, problem.start) + 1
        tail = data.find(b"\n", problem.start)
        line = data[head : tail if tail >= 0 else len(data)]
        raise ParseError(
            f"not UTF-8: byte 0x{data[problem.start]:02x} at offset {problem.start}",
            place=Place(
                name,
                data.count(b"\n", 0, problem.start) + 1,
                len(data[head : problem.start].decode("utf-8")) + 1,
                line.decode("utf-8", "replace"),
            ),
            hint=_encoding_hint(data),
        ) from None


def _encoding_hint(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "this looks like UTF-16; save it as UTF-8"
    return "save it as UTF-8"


def clean(text: str) -> str:
    """Without a byte order mark, and with one kind of line end."""
    text = text.removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def save(path: str | os.PathLike[str], text: str, overwrite: bool = False) -> None:
    """Write a file whole or not at all: into a temporary file beside it, which then takes its place.

    A file that is there already is left alone unless `overwrite` is given.
    """
    target = Path(path)
    data = _encoded(text)
    with _saving(target):
        _save(target, data, overwrite)


def _save(target: Path, data: bytes, overwrite: bool) -> None:
    from .replacing import create, replace

    if target.is_dir():
        raise IsADirectoryError(21, "it is a directory")
    if target.exists() and not target.is_file():
        # A pipe or a device (/dev/stdout) has no content to lose and no place to rename into.
        target.write_bytes(data)
    elif overwrite:
        replace(target, data)
    else:
        create(target, data)


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise FormatError("a name holds half of a surrogate pair, which UTF-8 cannot express") from None


@contextlib.contextmanager
def _saving(target: Path) -> Iterator[None]:
    """What goes wrong, in words."""
    try:
        yield
    except StormproofError:
        raise
    except FileExistsError:
        raise _taken(target) from None
    except OSError as problem:
        raise OutputError(f"cannot be written: {_reason(problem)}", place=Place(str(target))) from None
    except ValueError as problem:
        raise OutputError(f"not a valid file name: {problem}", place=Place(str(target))) from None


def save_over(path: str | os.PathLike[str], text: str, instead_of: str | None) -> None:
    """Write a new text into a file, with the line ends and the byte order mark that the file has, unless the
    file no longer holds the text that was read (FileChanged); None: there was no file."""
    from .replacing import FileChanged, create, read_regular, replace

    target = Path(path).resolve()
    with _saving(Path(path)):
        try:
            if instead_of is None:
                return create(target, _encoded(text))
        except FileExistsError:
            raise FileChanged(Path(path)) from None
        try:
            old = read_regular(target, MAX_BYTES)
        except FileNotFoundError:
            raise FileChanged(Path(path)) from None
        if decode(old, str(path)) != instead_of:
            raise FileChanged(Path(path))
        replace(target, _encoded(_like(old, text)), expected=old)


def _like(old: bytes, text: str) -> str:
    both = old.count(b"\r\n")
    ends = {"\n": old.count(b"\n") - both, "\r\n": both, "\r": old.count(b"\r") - both}
    mark = "\ufeff" if old.startswith(b"\xef\xbb\xbf") else ""
    return mark + text.replace("\n", max(ends, key=lambda end: ends[end]))


def check_free(path: str | os.PathLike[str], overwrite: bool = False) -> None:
    """Say before a long search, not after it, that its result has no place; `save` looks once more."""
    target = Path(path)
    if not overwrite and os.path.lexists(target) and (target.is_symlink() or target.is_file()):
        raise _taken(target)
    if target.is_dir():
        raise OutputError("cannot be written: it is a directory", place=Place(str(target)))
    if not target.parent.is_dir():
        raise OutputError("cannot be written: no such file or directory", place=Place(str(target)))


def _taken(target: Path) -> OutputError:
    return OutputError(
        "the file exists already",
        place=Place(str(target)),
        hint="it is overwritten only on request (on the command line: --force)",
    )
