"""A file takes the place of another: with its rights, unless it is read-only, and over nobody's changes."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stormproof.errors import InputError, OutputError
from stormproof.languages import formats
from stormproof.languages.formats import replacing
from stormproof.languages.formats.replacing import FileChanged
from tests.support.command_line import Run, run

__all__ = ["run"]


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    found = tmp_path / "shop.storm"
    found.write_text("old")
    yield found
    assert [p.name for p in tmp_path.iterdir()] == ["shop.storm"], "nothing is left beside it"


def test_a_read_only_file_is_not_replaced(path: Path, run: Run) -> None:
    path.write_text("role  A { a: }")
    path.chmod(0o444)
    before = path.stat()
    with pytest.raises(OutputError, match="read-only"):
        formats.save_over(path, "new", "role  A { a: }")
    with pytest.raises(OutputError, match="read-only"):
        formats.save(path, "new", overwrite=True)
    said = run("fmt", "--write", str(path))
    assert said.code == 2 and "read-only" in said.err and "chmod" in said.err
    after = path.stat()
    assert path.read_text() == "role  A { a: }" and (after.st_ino, after.st_mode) == (
        before.st_ino,
        before.st_mode,
    )


def test_a_read_only_file_behind_a_link_is_not_replaced(path: Path, tmp_path: Path) -> None:
    path.chmod(0o444)
    link = tmp_path / "link.storm"
    link.symlink_to(path)
    with pytest.raises(OutputError, match="read-only"):
        formats.save_over(link, "new", "old")
    assert link.is_symlink() and path.read_text() == "old"
    path.chmod(0o600)
    formats.save_over(link, "new", "old")
    assert link.is_symlink() and path.read_text() == "new"
    link.unlink()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_the_owner_stays(path: Path) -> None:
    os.chown(path, 12345, 23456)
    path.chmod(0o2664)
    formats.save_over(path, "new", "old")
    after = path.stat()
    assert (after.st_uid, after.st_gid, stat.S_IMODE(after.st_mode)) == (12345, 23456, 0o2664)


def test_where_the_group_cannot_be_kept_the_new_one_may_do_no_more_than_everybody(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.chmod(0o2664)

    def refuse(*_: object) -> None:
        raise PermissionError(1, "operation not permitted")

    monkeypatch.setattr(os, "fchown", refuse)
    formats.save_over(path, "new", "old")
    assert path.read_text() == "new" and stat.S_IMODE(path.stat().st_mode) == 0o644


@pytest.mark.parametrize("special", ["/dev/zero", "/dev/full", "fifo"])
def test_pipes_and_devices_are_refused_at_once(special: str, tmp_path: Path) -> None:
    path = tmp_path / special
    if special == "fifo":
        os.mkfifo(path)
    with pytest.raises(InputError, match="a pipe or a device, not a file"):
        formats.read_text(path, only_files=True)
    with pytest.raises(OutputError, match="a pipe or a device, not a file"):
        formats.save_over(path, "new", "old")


def write_in_place(path: Path, text: str) -> None:
    path.write_text(text)


def write_and_rename(path: Path, text: str) -> None:
    other = path.with_name("of-an-editor")
    other.write_text(text)
    other.replace(path)


Write = Callable[[Path, str], None]
WRITERS = pytest.mark.parametrize("write", [write_in_place, write_and_rename])


@WRITERS
@pytest.mark.parametrize("can_exchange", [True, False])
def test_what_another_program_writes_during_the_writing_stays(
    write: Write, can_exchange: bool, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not can_exchange:
        monkeypatch.setattr(replacing, "_exchanging", lambda: None)
    monkeypatch.setattr(os, "fsync", lambda handle: write(path, "theirs"))
    with pytest.raises(FileChanged, match="has changed since it was read"):
        formats.save_over(path, "ours", "old")
    assert path.read_text() == "theirs"
    with pytest.raises(FileChanged):
        formats.save_over(path, "ours", None)
    monkeypatch.undo()
    path.unlink()
    with pytest.raises(FileChanged):
        formats.save_over(path, "ours", "theirs")
    formats.save_over(path, "ours", None)
    assert path.read_text() == "ours"


@WRITERS
@pytest.mark.parametrize("times", [1, 2])
def test_what_another_program_writes_at_the_very_moment_stays(
    write: Write, times: int, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the last look, and once more before what was displaced is put back."""
    if replacing._exchanging() is None:
        pytest.skip("this system cannot exchange two files in one step")
    exchange, written = replacing._exchange, iter(["theirs", "theirs again"][:times])

    def too_late(one: Path, other: Path) -> bool:
        text = next(written, None)
        if text is not None:
            write(path, text)
        return exchange(one, other)

    monkeypatch.setattr(replacing, "_exchange", too_late)
    with pytest.raises(FileChanged):
        formats.save_over(path, "ours", "old")
    assert path.read_text() == ["theirs", "theirs again"][times - 1]
