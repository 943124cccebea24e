"""How the browser gets the address: not by its command line, which every user of the machine can read."""

from __future__ import annotations

import os
import re
import signal
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest

from tests.support.browser import CHROMIUM, Browser
from tests.support.studio_server import StudioServer


@pytest.fixture
def program(tmp_path: Path) -> str:
    """A browser that writes down its command line and does not return."""
    found = tmp_path / "browser"
    found.write_text(
        f"#!/bin/sh\ncd {tmp_path}\nprintf '%s\\n' $$ \"$@\" > part && mv part said\n"
        "exec sleep 600 > /dev/null 2>&1\n"
    )
    found.chmod(0o755)
    return str(found)


@pytest.fixture
def arguments(tmp_path: Path) -> Iterator[list[str]]:
    """Its arguments, once `wait_for` has seen them."""
    found: list[str] = []
    yield found
    said = tmp_path / "said"
    if said.exists():
        with suppress(ProcessLookupError):
            os.kill(int(said.read_text().splitlines()[0]), signal.SIGKILL)


def wait_for(path: Path, arguments: list[str]) -> Path:
    """The file that the browser was told to open."""
    end = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < end, "no browser was started"
        time.sleep(0.02)
    arguments += path.read_text().splitlines()[1:]
    (address,) = arguments
    assert address.startswith("file:///")
    return Path(unquote(urlparse(address).path))


def test_the_browser_is_given_a_file_that_nobody_else_reads(
    tmp_path: Path, program: str, arguments: list[str]
) -> None:
    with StudioServer(browser=program) as studio:
        page = wait_for(tmp_path / "said", arguments)
        assert studio.token not in " ".join(arguments)
        assert stat.S_IMODE(page.stat().st_mode) == 0o600
        assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700
        (address,) = re.findall(r'url=([^"]+)"', page.read_text("utf-8"))
        assert address == f"http://{studio.host}/?token={studio.token}"
        assert studio.cookie()
        assert not page.parent.exists(), "it has led the browser here"
        assert studio.stop(signal.SIGTERM)[::2] == (0, ""), "although the browser runs"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_file_that_nobody_opened_is_removed_at_the_end(
    tmp_path: Path, program: str, arguments: list[str], number: signal.Signals
) -> None:
    with StudioServer(browser=program) as studio:
        page = wait_for(tmp_path / "said", arguments)
        assert page.exists()
        assert studio.stop(number)[0] == 0
    assert not page.parent.exists()


@pytest.mark.browser
def test_a_real_browser_gets_from_the_file_to_the_page_and_loads_it_again(
    tmp_path: Path, program: str, arguments: list[str]
) -> None:
    """A strict cookie is not sent where a file led: neither at once nor when the page is loaded again."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed: the studio is not driven in a real browser")
    page = Browser()
    try:
        with StudioServer("alternating-bit", browser=program) as studio:
            there = f"location.href === 'http://{studio.host}/'"
            ready = f"{there} && document.querySelector('#title')?.textContent === 'alternating-bit'"
            page.ask("Page.navigate", url=wait_for(tmp_path / "said", arguments).as_uri())
            page.until(ready)
            page.value("window.before = true")
            page.ask("Page.reload")
            page.until(f"{ready} && window.before === undefined")
            page.visit(studio.address, new_page=True)
            page.until(ready)
            assert page.complaints() == []
    finally:
        page.close()
