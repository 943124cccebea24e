"""Reading and writing files: what cannot be read says why, and what is written is whole or not there."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stormproof.errors import FormatError, InputError, OutputError, ParseError, UsageError
from stormproof.languages import formats
from stormproof.languages.formats import registry

PING = "role A { s: B!ping -> end }\nrole B { s: A?ping -> end }\n"


def failing(path: Any, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        formats.load(path, **options)
    return str(caught.value)


def test_a_missing_file_is_guessed(tmp_path: Path) -> None:
    (tmp_path / "shop.storm").write_text(PING)
    assert "there is no such file" in failing(tmp_path / "shpo.storm")
    assert "did you mean 'shop.storm'?" in failing(tmp_path / "shpo.storm")


def test_a_directory_an_empty_file_and_a_name_that_is_none(tmp_path: Path) -> None:
    assert "directory" in failing(tmp_path)
    (tmp_path / "empty.storm").write_text(" \n\n")
    assert "it is empty" in failing(tmp_path / "empty.storm")
    assert "not a valid file name" in failing("a\0b.storm")


def test_bad_utf8_is_shown_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "bad.storm").write_bytes("role A {\n  é: B".encode() + b"\xff!m -> s }")
    message = failing(tmp_path / "bad.storm")
    assert "bad.storm:2:7: not UTF-8: byte 0xff" in message
    (tmp_path / "wide.storm").write_bytes(PING.encode("utf-16"))
    assert "UTF-16" in failing(tmp_path / "wide.storm")


def test_a_byte_order_mark_and_other_line_ends_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "ping.storm"
    path.write_bytes(b"\xef\xbb\xbf" + PING.replace("\n", "\r\n").encode())
    assert formats.load(path).names == ("A", "B")
    path.write_bytes(PING.replace("\n", "\r").encode())
    assert formats.load(path).names == ("A", "B")


def test_what_is_too_large_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "large.storm"
    path.write_text(PING)
    with pytest.raises(InputError, match="larger than"):
        formats.read_text(path, max_bytes=10)


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO(PING.encode())

    monkeypatch.setattr(sys, "stdin", Stdin())
    assert formats.load("-").names == ("A", "B")
    monkeypatch.setattr(sys, "stdin", type("S", (), {"buffer": io.BytesIO(b"role A {")})())
    assert failing("-").startswith("<stdin>:1:")


def test_a_system_without_a_name_is_called_after_its_file(tmp_path: Path) -> None:
    (tmp_path / "ping.storm").write_text(PING)
    assert formats.load(tmp_path / "ping.storm").name == "ping"
    assert formats.loads(PING).name == ""


def test_writing_never_overwrites_unless_told(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    formats.save(path, "new")
    assert path.read_text() == "new"
    with pytest.raises(OutputError, match="the file exists already"):
        formats.save(path, "newer")
    assert path.read_text() == "new"
    formats.save(path, "newer", overwrite=True)
    assert path.read_text() == "newer"
    assert [p.name for p in tmp_path.iterdir()] == ["out.json"]


def test_a_failed_write_leaves_the_old_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out.json"
    formats.save(path, "old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="no space left"):
        formats.save(path, "new", overwrite=True)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["out.json"]


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="directory"):
        formats.save(tmp_path, "x")
    with pytest.raises(OutputError, match="no such file"):
        formats.save(tmp_path / "none" / "x.json", "x")
    with pytest.raises(FormatError, match="surrogate"):
        formats.save(tmp_path / "x.json", "\ud800")


def test_links_rights_and_devices(tmp_path: Path) -> None:
    path, link = tmp_path / "real.json", tmp_path / "link.json"
    formats.save(path, "old")
    path.chmod(0o640)
    link.symlink_to(path)
    formats.save(link, "new", overwrite=True)
    assert path.read_text() == "new" and link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    formats.save("/dev/null", "gone")


def test_a_link_that_leads_nowhere_is_not_overwritten(tmp_path: Path) -> None:
    link = tmp_path / "link.json"
    link.symlink_to(tmp_path / "nowhere.json")
    with pytest.raises(OutputError):
        formats.save(link, "x")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (PING, "storm"),
        ("// hello\n\nunreliable role A { s: }", "storm"),
        ('{"stormproof": 1, "processes": [{"name": "A", "initial": "s", "transitions": []}]}', "json"),
        ("-- types\n/* of kmc */ A: rec x . B!a; x\nB: rec x . A?a; x", "kmc"),
        ("-- A: B!x; end\n.outputs A\n.state graph\n.marking q\n.end", "fsa"),
        ("/* x */ scm X :\nnb_channels = 0 ;\nautomaton a :\ninitial : 0\nstate 0 :", "scm"),
        ("// x\nstrict digraph A { 0; }", "dot"),
    ],
)
def test_a_language_is_found_by_content(text: str, language: str, tmp_path: Path) -> None:
    assert formats.detect(text, "<input>").name == language
    formats.loads(text)
    (tmp_path / "file").write_text(text)
    assert formats.load(tmp_path / "file").names == ("A", "B") if text == PING else True


def test_txt_is_machines_or_session_types(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A: B!x; end\nB: A?x; end")
    (tmp_path / "b.txt").write_text(".outputs A\n.state graph\n.marking q\n.end")
    assert formats.load(tmp_path / "a.txt").names == ("A", "B")
    assert formats.load(tmp_path / "b.txt").names == ("A",)
    (tmp_path / "c.txt").write_text("dear diary")
    assert "in none of the languages storm, json, kmc, fsa" in failing(tmp_path / "c.txt")
    (tmp_path / "d.txt").write_text(PING)
    assert formats.load(tmp_path / "d.txt").names == ("A", "B")


def test_a_language_can_be_forced(tmp_path: Path) -> None:
    (tmp_path / "ping.txt").write_text(PING)
    assert formats.load(tmp_path / "ping.txt", "storm").names == ("A", "B")
    with pytest.raises(UsageError, match=r"unknown language 'strom'.*\n.*did you mean 'storm'"):
        formats.loads(PING, "strom")
    with pytest.raises(UsageError, match="promela can be written but not read"):
        formats.loads(PING, "promela")


def test_a_wrong_suffix_is_pointed_out() -> None:
    with pytest.raises(ParseError, match="looks like storm: try --format storm"):
        formats.loads(PING, name="ping.json")


@pytest.fixture
def twin() -> Iterator[str]:
    """A second language that every .storm text fits."""
    storm = formats.FORMATS["storm"]
    registry.register(registry.Format("twin", (), storm.sniff, storm.read, None, "just like storm"))
    yield "twin"
    del formats.FORMATS["twin"]


def test_two_languages_that_fit_are_both_named_with_the_way_out(twin: str) -> None:
    with pytest.raises(FormatError) as caught:
        formats.loads(PING)
    assert "storm and twin" in str(caught.value)
    assert "--format storm or --format twin" in str(caught.value)
    assert formats.loads(PING, "twin").names == ("A", "B")


def test_what_is_only_read_is_not_written(twin: str) -> None:
    with pytest.raises(UsageError, match="twin can be read but not written"):
        formats.dumps(formats.loads(PING, "storm"), "twin")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a\nb\n", b"x\ny\n"),
        (b"a\r\nb", b"x\r\ny\r\n"),
        (b"\xef\xbb\xbfa\rb\r", b"\xef\xbb\xbfx\ry\r"),
        (b"a\r\nb\r\nc\n", b"x\r\ny\r\n"),
        (b"a", b"x\ny\n"),
        (None, b"x\ny\n"),
    ],
)
def test_a_file_keeps_its_line_ends_and_its_mark(before: bytes | None, after: bytes, tmp_path: Path) -> None:
    path = tmp_path / "text"
    if before is not None:
        path.write_bytes(before)
    formats.save_over(path, "x\ny\n", None if before is None else formats.read_text(path))
    assert path.read_bytes() == after
