"""A real browser, driven over its debugging pipe with nothing but the standard library."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
    "--window-size=1300,1000",
)

#: The browser reads its orders from descriptor 3 and answers on 4.
_LAUNCH = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 20) for end in sys.argv[1:3]]
os.dup2(ends[0], 3)
os.dup2(ends[1], 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Navigated(AssertionError):
    """The page was left while it was being asked."""


class Browser:
    """One page; `events` keeps everything that the browser said on its own account."""

    def __init__(self) -> None:
        assert CHROMIUM is not None
        self.profile = tempfile.mkdtemp(prefix="stormproof-browser-")
        to_read, self._out = os.pipe()
        self._in, to_write = os.pipe()
        ends = [str(to_read), str(to_write)]
        browser = [CHROMIUM, *_FLAGS, f"--user-data-dir={self.profile}", "about:blank"]
        command = [sys.executable, "-c", _LAUNCH, *ends, *browser]
        self._process = subprocess.Popen(
            command, pass_fds=(to_read, to_write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(to_read)
        os.close(to_write)
        self._buffer = b""
        self._last = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        try:
            self._attach()
        except BaseException:
            self.close()
            raise

    def _attach(self) -> None:
        def pages() -> list[str]:
            targets = self.ask("Target.getTargets")["targetInfos"]
            return [t["targetId"] for t in targets if t["type"] == "page"]

        found = self.wait(pages)
        self._target(found[0])

    def _target(self, target: str) -> None:
        self._session = None
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def wait(self, look: Callable[[], Any], seconds: float = 20.0) -> Any:
        """Until something is true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with contextlib.suppress(Navigated):
                if found := look():
                    return found
            time.sleep(0.02)
        raise AssertionError(f"the browser did not get there within {seconds} s")

    def ask(self, method: str, **parameters: Any) -> Any:
        self._last += 1
        order: dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if self._session is not None:
            order["sessionId"] = self._session
        os.write(self._out, json.dumps(order).encode() + b"\0")
        while True:
            message = self._next()
            if message.get("id") == self._last:
                if "navigated" in message.get("error", {}).get("message", ""):
                    raise Navigated(message["error"])
                assert "error" not in message, message["error"]
                return message["result"]
            self.events.append(message)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], 30)
            assert ready, "the browser does not answer"
            piece = os.read(self._in, 1 << 20)
            assert piece, "the browser is gone"
            self._buffer += piece
        line, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        return message

    def open(self, path: Path, fragment: str = "") -> None:
        """Load a page afresh, even when only its fragment differs."""
        self.ask("Page.navigate", url="about:blank")
        self.wait(lambda: self.value("location.href") == "about:blank")
        self.events.clear()
        self.ask("Page.navigate", url=path.as_uri() + fragment)
        self.wait(lambda: self.value("document.readyState === 'complete' && location.protocol === 'file:'"))

    def visit(self, address: str, new_page: bool = False) -> None:
        """Load an address of a server, in another page of the same browser if asked."""
        if new_page:
            self._session = None
            self._target(self.ask("Target.createTarget", url="about:blank")["targetId"])
        self.events.clear()
        self.ask("Page.navigate", url=address)
        there = "document.readyState === 'complete' && location.protocol === 'http:'"
        self.wait(lambda: self.value(f"{there} && !location.search.includes('token=')"))

    def until(self, script: str, seconds: float = 60.0) -> Any:
        """Wait until a script in the page has a value that is true."""
        try:
            return self.wait(lambda: self.value(f"(v => v instanceof Node || v)({script})"), seconds)
        except AssertionError:
            raise AssertionError(f"never true in the page: {script}") from None

    def click(self, selector: str) -> None:
        """Press the mouse in the middle of an element, which must be there and visible."""
        find = f"document.querySelector({json.dumps(selector)})"
        self.until(f"{find} !== null && {find}.getClientRects().length > 0 && !{find}.disabled")
        self.value(f"{find}.scrollIntoView({{block: 'center', inline: 'center'}})")
        box = self.value(
            f"(({{x, y, width, height}}) => [x + width / 2, y + height / 2])({find}.getBoundingClientRect())"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def chord(self, key: str, code: int, control: bool = False) -> None:
        """A key with its code, perhaps with Ctrl."""
        more = {"modifiers": 2 if control else 0, "windowsVirtualKeyCode": code}
        typed = {"text": "\r"} if key == "Enter" else {}
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, **more, **typed)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key, **more)

    def write(self, text: str) -> None:
        """Type into what has the focus."""
        self.ask("Input.insertText", text=text)

    def resize(self, width: int, height: int) -> None:
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def value(self, script: str) -> Any:
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def complaints(self) -> list[dict[str, Any]]:
        """Errors on the console, exceptions, and dialogs that a script opened."""
        self.value("1")
        bad = ("Runtime.exceptionThrown", "Page.javascriptDialogOpening")
        found = [e for e in self.events if e.get("method") in bad]
        found += [
            e
            for e in self.events
            if e.get("method") == "Log.entryAdded" and e["params"]["entry"]["level"] in ("error", "warning")
        ]
        found += [
            e
            for e in self.events
            if e.get("method") == "Runtime.consoleAPICalled" and e["params"]["type"] in ("error", "warning")
        ]
        return found

    def requests(self) -> list[str]:
        """Every address that was asked for since the page was opened, the page's own included."""
        self.value("1")
        sent = [
            e["params"]["request"]["url"]
            for e in self.events
            if e.get("method") == "Network.requestWillBeSent"
        ]
        return [url for url in sent if not url.startswith("data:")]

    def prefer(self, scheme: str) -> None:
        """`light` or `dark`."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.ask("Emulation.setEmulatedMedia", features=[feature])

    def look(self, to: Path, dark: bool = False, whole: bool = False) -> None:
        """A screenshot."""
        self.prefer("dark" if dark else "light")
        shot = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        to.write_bytes(base64.b64decode(shot["data"]))

    def paper(self, to: Path) -> None:
        printed = self.ask("Page.printToPDF", printBackground=True)
        to.write_bytes(base64.b64decode(printed["data"]))

    def close(self) -> None:
        try:
            self._session = None
            self.ask("Browser.close")
        except (AssertionError, OSError):
            self._process.kill()
        self._process.wait(timeout=20)
        os.close(self._out)
        os.close(self._in)
        shutil.rmtree(self.profile, ignore_errors=True)
