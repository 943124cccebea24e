"""The server: questions of pages, the one file, stopping."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

import stormproof as sp
from stormproof.apps.studio.document import open_document
from stormproof.apps.studio.server import listen
from stormproof.errors import MissingDependency, UsageError
from stormproof.languages import protocols
from tests.support.command_line import Run, run
from tests.support.studio_server import StudioServer, TalkingPage

__all__ = ["run"]

SHOP = open_document(None).text


def test_two_pages_a_newer_question_and_a_stop(tmp_path: Path) -> None:
    with StudioServer("alternating-bit", "--loss", "--budget", "3") as studio:
        first, second = TalkingPage(studio), TalkingPage(studio)
        assert first.hello["settings"]["loss"] is True and first.hello["settings"]["budget"]["total"] == 3
        assert first.hello["document"]["text"] == protocols.source("alternating-bit")
        large = sp.dumps(sp.generate("paxos", proposers=2, acceptors=3, retries=2), "storm")
        slow = first.begin("check", text=large, settings={"loss": True, "reorder": True}, effort=6_000_000)
        quick = first.begin("check", text=SHOP, settings={"loss": True}, effort=10_000)
        assert second.ask("read", text="role {")["answer"]["problems"]
        said = first.next()
        while "answer" not in said:
            said = first.next()
        assert said["id"] == quick != slow, "the newer question ends the older one"
        assert [v["ok"] for v in said["answer"]["verdicts"] if v["counts"]] == [False]
        first.begin("check", text=large, settings={"loss": True, "reorder": True}, effort=6_000_000)
        while "progress" not in first.next():
            pass
        first.send({"stop": "check"})
        while "answer" not in (said := first.next()):
            pass
        assert said["answer"]["stopped"] and said["answer"]["verdicts"], "what is known by then"
        assert "no question" in second.ask("dance", text="")["problem"]
        second.send({"quit": True})
        time.sleep(0.1)
        code, out, err = studio.stop()  # by Ctrl-C, while it stops already
        assert (code, err) == (0, "") and out.endswith("stopped\n")


def test_the_file_is_never_overwritten_silently(tmp_path: Path) -> None:
    path = tmp_path / "shop.storm"
    path.write_text(SHOP)
    with StudioServer(str(path)) as studio:
        page = TalkingPage(studio)
        base = page.hello["document"]["version"]
        saved = page.ask("save", text=SHOP + "// mine\n", base=base)["answer"]["saved"]
        assert path.read_text() == SHOP + "// mine\n"
        path.write_text(SHOP + "// theirs\n")
        changed = page.next()["changed"]
        assert changed["text"] == SHOP + "// theirs\n", "a change on disk is noticed"
        conflict = page.ask("save", text=SHOP + "// again\n", base=saved)["answer"]["conflict"]
        assert conflict == changed and path.read_text() == SHOP + "// theirs\n"
        other = TalkingPage(studio)
        saved = page.ask("save", text=SHOP, base=changed["version"])["answer"]["saved"]
        assert path.read_text() == SHOP
        assert other.next()["changed"] == {"text": SHOP, "version": saved}, "another page has saved it"
        path.unlink()
        assert other.next()["changed"] == {"text": SHOP, "version": ""}, "it is gone"
        assert page.ask("save", text=SHOP, base=saved)["answer"] == {"saved": saved}
        assert path.read_text() == SHOP
        assert studio.stop(signal.SIGTERM)[0] == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["shop.storm"]


def test_the_file_keeps_its_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "shop.storm"
    path.write_bytes(b"\xef\xbb\xbf" + SHOP.rstrip().replace("\n", "\r\n").encode())
    with StudioServer(str(path)) as studio:
        page = TalkingPage(studio)
        document = page.hello["document"]
        assert document["text"] == SHOP.rstrip(), "the page has one kind of line ends"
        page.ask("save", text=document["text"] + "\n// mine", base=document["version"])
        expected = SHOP.rstrip() + "\n// mine"
        assert path.read_bytes() == b"\xef\xbb\xbf" + expected.replace("\n", "\r\n").encode()
        studio.stop(signal.SIGTERM)


def test_workers_end_with_the_server(tmp_path: Path) -> None:
    with StudioServer() as studio:
        page = TalkingPage(studio)
        page.ask("read", text=SHOP)
        children = Path(f"/proc/{studio.process.pid}/task/{studio.process.pid}/children")
        if not children.exists():
            pytest.skip("this system does not list the children of a process")
        workers = [int(pid) for pid in children.read_text().split()]
        assert workers
        studio.process.kill()
        studio.process.communicate()
    _gone(workers)


def _gone(workers: list[int]) -> None:
    end = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in workers):
        assert time.monotonic() < end, "a worker outlives its server"
        time.sleep(0.05)


def test_what_can_be_opened(tmp_path: Path) -> None:
    new = tmp_path / "new.storm"
    assert (open_document(str(new)).path, open_document(str(new)).text) == (new, "")
    other = tmp_path / "net.json"
    other.write_text(sp.dumps(sp.protocol("alternating-bit"), "json"))
    converted = open_document(str(other))
    assert converted.path is None and sp.loads(converted.text).names == ("Sender", "Receiver")
    broken = tmp_path / "broken.storm"
    broken.write_text("%$")
    assert open_document(str(broken)).text == "%$", "an editor is for what is broken"


def test_mistakes_of_the_command_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="port"):
        listen(70_000)
    assert run("studio", "--port", "-1").code == 2
    assert "no built-in protocol" in run("studio", "altrnating-bit").err
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    said = run("studio")
    assert said.code == 2 and "pip install 'stormproof[studio]'" in said.err
    assert issubclass(MissingDependency, sp.StormproofError)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_the_start_stops_it(number: signal.Signals) -> None:
    """The address is printed before the server runs."""
    for delay in (0.0, 0.0, 0.001, 0.01, 0.05, 0.2):
        with StudioServer() as studio:
            time.sleep(delay)
            code, out, err = studio.stop(number)
        assert (code, err) == (0, "") and out.endswith("stopped\n"), delay
