"""Signals end the studio, whatever it waits for, and leave nothing half written and nothing behind."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from stormproof.apps.studio.document import EXAMPLE
from stormproof.apps.studio.stopping import LAST
from tests.apps.workers.test_pool import LONG
from tests.support.studio_server import StudioServer, TalkingPage

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "shop.storm"
    found.write_text(EXAMPLE)
    return found


def test_the_end_comes_within_two_seconds() -> None:
    assert LAST < 2


def test_a_pipe_in_place_of_the_file_hangs_nothing(path: Path) -> None:
    with StudioServer(str(path)) as studio:
        page = TalkingPage(studio)
        base = page.hello["document"]["version"]
        path.unlink()
        os.mkfifo(path)
        assert "a pipe or a device" in page.next()["trouble"]
        assert "a pipe or a device" in page.ask("save", text="x", base=base)["problem"]
        assert page.ask("read", text=EXAMPLE)["answer"]["problems"] == []
        assert stat.S_ISFIFO(path.stat().st_mode)
        path.unlink()
        path.write_text(EXAMPLE)
        assert page.next() == {"trouble": ""}
        code, out, err = studio.stop(signal.SIGTERM)
        assert (code, err) == (0, "") and out.endswith("stopped\n")


@pytest.mark.parametrize("device", ["fifo", "/dev/zero"])
def test_a_pipe_or_a_device_is_not_opened_as_the_file(tmp_path: Path, device: str) -> None:
    path = tmp_path / "shop.storm"
    if device == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to(device)
    command = [sys.executable, "-m", "stormproof", "studio", "--no-open", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2 and "a pipe or a device, not a file" in done.stderr


Waiting = Callable[[StudioServer], AbstractContextManager[None]]


@contextmanager
def busy_worker(studio: StudioServer) -> Iterator[None]:
    page = TalkingPage(studio)
    page.send({"id": 1, **LONG})
    while "progress" not in page.next():
        pass
    yield


@contextmanager
def idle_connections(studio: StudioServer) -> Iterator[None]:
    """One that says nothing, one in the middle of a request, one that reads nothing of a large answer."""
    found = [socket.create_connection(("127.0.0.1", studio.port)) for _ in range(3)]
    found[1].sendall(b"GET / HTTP/1.1\r\nHost: ")
    host, cookie = f"Host: {studio.host}\r\n", f"Cookie: {studio.cookie()}\r\n"
    found[2].sendall(f"GET /assets/studio.js HTTP/1.1\r\n{host}{cookie}\r\n".encode() * 50)
    time.sleep(0.2)
    yield
    for connection in found:
        connection.close()


@contextmanager
def deaf_page(studio: StudioServer) -> Iterator[None]:
    """It never reads: neither what it asked for nor that the socket is closed."""
    headers = [
        f"Host: {studio.host}",
        f"Origin: http://{studio.host}",
        f"Cookie: {studio.cookie()}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    ]
    request = "GET /socket HTTP/1.1\r\n" + "\r\n".join(headers) + "\r\n\r\n"
    question = json.dumps({"ask": "library", "id": "x" * 60_000, "name": "two-buyer"}).encode()
    frame = b"\x81\xfe" + len(question).to_bytes(2, "big") + b"\0\0\0\0" + question
    with socket.create_connection(("127.0.0.1", studio.port)) as connection:
        connection.settimeout(0.5)
        connection.sendall(request.encode())
        try:
            for _ in range(500):
                connection.sendall(frame)
        except TimeoutError:
            pass  # the server waits until somebody reads its answers
        yield


@pytest.mark.parametrize("waiting", [busy_worker, idle_connections, deaf_page])
def test_nothing_that_is_waited_for_delays_the_end(waiting: Waiting) -> None:
    with StudioServer() as studio, waiting(studio):
        code, out, err = studio.stop(signal.SIGTERM)
    assert (code, err) == (0, "") and out.endswith("stopped\n")


#: Every look at the file, from the second on, takes for ever, as on a server of files that is gone.
HANGING = """
import time
from stormproof.apps.studio import document
look = document._on_disk
def hanging(path):
    document._on_disk = lambda path: time.sleep(10_000)
    return look(path)
document._on_disk = hanging
"""


def test_a_file_that_cannot_be_read_to_its_end_delays_no_end(path: Path) -> None:
    with StudioServer(str(path), before=HANGING) as studio:
        page = TalkingPage(studio)
        page.begin("save", text="x", base="")
        time.sleep(1.5)  # by then the file is being looked at
        assert TalkingPage(studio).ask("read", text=EXAMPLE)["answer"]["problems"] == []
        code, out, err = studio.stop(signal.SIGTERM)
    assert (code, err) == (0, "") and out.endswith("stopped\n")
    assert path.read_text() == EXAMPLE


#: A signal in the middle of the writing.
INTERRUPTED = """
import os, signal
fsync = os.fsync
def interrupted(handle):
    os.write(handle, b"half")
    os.kill(os.getpid(), signal.{name})
    os.ftruncate(handle, os.lseek(handle, 0, 1) - 4)
    fsync(handle)
os.fsync = interrupted
"""


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_during_a_save_leaves_the_old_file_or_the_new_one(
    path: Path, number: signal.Signals
) -> None:
    new = EXAMPLE + "// mine\n"
    with StudioServer(str(path), before=INTERRUPTED.format(name=number.name)) as studio:
        page = TalkingPage(studio)
        page.begin("save", text=new, base=page.hello["document"]["version"])
        out, err = studio.process.communicate(timeout=60)
    assert (studio.process.returncode, err) == (0, "") and out.endswith("stopped\n")
    assert path.read_text() in (EXAMPLE, new)
    assert [p.name for p in path.parent.iterdir()] == [path.name], "nothing is left beside it"


def test_a_signal_that_is_ignored_stays_ignored(path: Path) -> None:
    """As under nohup."""
    with StudioServer(
        str(path), before="import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)"
    ) as studio:
        studio.process.send_signal(signal.SIGHUP)
        assert TalkingPage(studio).ask("read", text=EXAMPLE)["answer"]["problems"] == []
        assert studio.stop(signal.SIGTERM)[0] == 0
