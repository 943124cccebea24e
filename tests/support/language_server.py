"""A language server as an editor starts it, in a folder of the test's choice."""

from __future__ import annotations

import json
import subprocess
import threading
from pathlib import Path
from typing import Any

from tests.support.paths import STORMPROOF

#: A server that has not answered by then is ended.
SECONDS = 60.0


class LanguageServer:
    """`with LanguageServer(cwd) as server: server.request(...)`"""

    def __init__(self, cwd: Path, environment: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [STORMPROOF, "lsp"],
            cwd=cwd,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._last = 0
        self._patience = threading.Timer(SECONDS, self.process.kill)
        self._patience.start()

    def __enter__(self) -> LanguageServer:
        self.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.notify("initialized", {})
        return self

    def __exit__(self, *_: object) -> None:
        self._patience.cancel()
        self.process.kill()
        self.process.communicate()

    def open(self, path: Path) -> None:
        document = {
            "uri": path.as_uri(),
            "languageId": "storm",
            "version": 1,
            "text": path.read_text("utf-8"),
        }
        self.notify("textDocument/didOpen", {"textDocument": document})

    def notify(self, method: str, parameters: Any) -> None:
        self._send({"method": method, "params": parameters})

    def request(self, method: str, parameters: Any) -> Any:
        self._last += 1
        self._send({"id": self._last, "method": method, "params": parameters})
        while True:
            said = self.read()
            if said.get("id") == self._last and "method" not in said:
                return said.get("result")

    def heard(self, method: str) -> Any:
        """The parameters of the next such notification."""
        while (said := self.read()).get("method") != method:
            pass
        return said["params"]

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        assert length, "the language server has ended"
        found: dict[str, Any] = json.loads(self.process.stdout.read(length))
        return found
