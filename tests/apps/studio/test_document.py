"""The one file, and others who write it: nothing that somebody else has written is lost without a word."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from stormproof.apps.studio.document import Document, open_document, version_of
from stormproof.errors import InputError, OutputError
from tests.support.studio_server import StudioServer, TalkingPage


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "shop.storm"
    found.write_text("old")
    return found


def test_a_read_only_file_is_not_replaced(path: Path) -> None:
    path.chmod(0o444)
    with StudioServer(str(path)) as studio:
        page = TalkingPage(studio)
        said = page.ask("save", text="new", base=version_of("old"))
        assert "read-only" in said["problem"] and "chmod" in said["problem"]
    assert path.read_text() == "old"


@pytest.mark.parametrize("theirs", [b"caf\xe9", b"x" * (2**24 + 1)], ids=["another encoding", "too large"])
def test_what_cannot_be_read_is_not_overwritten(path: Path, theirs: bytes) -> None:
    document = open_document(str(path))
    path.write_bytes(theirs)
    document.look()
    assert document.trouble and document.text == "old"
    with pytest.raises(InputError):
        document.save("new", version_of("old"))
    assert path.read_bytes() == theirs
    path.write_text("mended")
    document.look()
    assert (document.trouble, document.text) == ("", "mended")


def test_of_two_windows_that_save_at_once_one_is_asked(path: Path) -> None:
    with StudioServer(str(path)) as studio:
        pages = [TalkingPage(studio), TalkingPage(studio)]
        for page, text in zip(pages, ("one", "two")):
            page.begin("save", text=text, base=version_of("old"))
        said = []
        for page in pages:
            while "answer" not in (news := page.next()):
                pass
            said.append(news["answer"])
        (saved,) = [text for text, answer in zip(("one", "two"), said) if "saved" in answer]
        (conflict,) = [answer["conflict"] for answer in said if "conflict" in answer]
        assert conflict == {"text": saved, "version": version_of(saved)} and path.read_text() == saved


def test_of_many_writers_each_save_is_kept_or_answered_with_a_conflict(path: Path) -> None:
    """Studios of several processes, as they know nothing of each other: each writes on what it has read, so
    that a save that was lost would be missing in the file."""
    path.write_text("")

    def write(name: str) -> None:
        document = open_document(str(path))
        for i in range(20):
            text = document.text
            while "conflict" in (said := document.save(f"{text}{name}{i}\n", version_of(text))):
                text = said["conflict"]["text"]

    writers = [threading.Thread(target=write, args=[name]) for name in "abc"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert sorted(path.read_text().split()) == sorted(f"{name}{i}" for name in "abc" for i in range(20))
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_a_file_that_appears_during_the_save_is_a_conflict(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.unlink()
    document = open_document(str(path))
    monkeypatch.setattr("os.fsync", lambda handle: path.write_text("theirs"))
    assert document.save("ours", "") == {"conflict": {"text": "theirs", "version": version_of("theirs")}}
    assert path.read_text() == "theirs"


def test_a_folder_that_is_gone_is_a_problem(path: Path) -> None:
    document = Document("x", "", path.parent / "none" / "x.storm")
    with pytest.raises(OutputError, match="no such file"):
        document.save("x", "")
