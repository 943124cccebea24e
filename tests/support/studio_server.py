"""A studio as a person starts it: the command, its address, its cookie, and how a page talks to it."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

from websockets.sync.client import ClientConnection, connect

from tests.support.paths import STORMPROOF
from tests.support.processes import begin, end


class StudioServer:
    """`with StudioServer("alternating-bit", "--loss") as studio: ...`"""

    def __init__(self, *arguments: str, before: str = "", browser: str = "", cwd: Path | None = None) -> None:
        """`before` is Python that runs first in its process; `browser` a program that is opened."""
        self.said: tuple[str, str] | None = None
        start = [sys.executable, "-c", f"{before}\nfrom stormproof_command import main\nmain()"]
        options = [] if browser else ["--no-open"]
        self.process = begin(
            [*(start if before else [str(STORMPROOF)]), "studio", *options, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=cwd,
            env={**os.environ, "BROWSER": browser},
        )
        assert self.process.stdout is not None and self.process.stderr is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=([\w-]+)\S*", line)
        if not found:
            self.process.terminate()
            said = self.process.stderr.read()
            end(self.process)
            raise AssertionError(line + said)
        self.address, self.port, self.token = found[0], int(found[1]), found[2]
        self._cookie = ""

    def __enter__(self) -> StudioServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self, number: signal.Signals = signal.SIGINT) -> tuple[int, str, str]:
        if self.said is None:
            if self.process.poll() is None:
                self.process.send_signal(number)
            try:
                self.said = self.process.communicate(timeout=30)
            finally:
                end(self.process)
        out, err = self.said
        return self.process.returncode, out, err

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def get(self, path: str, **headers: str) -> tuple[int, dict[str, str], str]:
        """Status, headers and text; `host` is ours unless it is given."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            link.putrequest("GET", path, skip_host="host" in named)
            for name, value in named.items():
                link.putheader(name, value)
            link.endheaders()
            answer = link.getresponse()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read().decode()
        finally:
            link.close()

    def cookie(self) -> str:
        """What the browser that opened the address has; the address serves once."""
        if not self._cookie:
            _, headers, _ = self.get(f"/?token={self.token}")
            self._cookie = headers["set-cookie"].partition(";")[0]
        return self._cookie

    def socket(self, **headers: str) -> ClientConnection:
        """A socket as the page opens it, unless other headers are given; an empty one is left out."""
        chosen = {"origin": f"http://{self.host}", "cookie": self.cookie(), **headers}
        sent = {name: value for name, value in chosen.items() if value and name != "host"}
        where = headers.get("host", self.host)
        return connect(
            f"ws://{where}/socket",
            additional_headers=sent,
            sock=socket.create_connection(("127.0.0.1", self.port)),
            open_timeout=60,
            max_size=None,
            proxy=None,
        )


class TalkingPage:
    """A page without a browser: asks questions and reads the answers."""

    def __init__(self, studio: StudioServer) -> None:
        self.socket = studio.socket().__enter__()
        self.hello: dict[str, Any] = json.loads(self.socket.recv(timeout=120))["hello"]
        self.last = 0

    def send(self, message: dict[str, Any]) -> None:
        self.socket.send(json.dumps(message))

    def begin(self, kind: str, **question: Any) -> int:
        self.last += 1
        self.send({"id": self.last, "ask": kind, **question})
        return self.last

    def next(self, seconds: float = 120) -> dict[str, Any]:
        said: dict[str, Any] = json.loads(self.socket.recv(timeout=seconds))
        return said

    def ask(self, kind: str, **question: Any) -> dict[str, Any]:
        """The answer to this question, whatever else is said before it."""
        number = self.begin(kind, **question)
        while True:
            said = self.next()
            if said.get("id") == number and "progress" not in said and "partial" not in said:
                return said

    def close(self) -> None:
        self.socket.close()
