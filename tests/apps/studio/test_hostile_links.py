"""Links that somebody has made to hold the page up: each is a sentence, and the page goes on."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator
from typing import Any

import pytest

from stormproof.apps.studio.document import EXAMPLE
from tests.apps.studio.test_story import link_to, verdict
from tests.support.browser import CHROMIUM, Browser
from tests.support.studio_server import StudioServer


@pytest.fixture(scope="module")
def page() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("chromium is not installed: the studio is not driven in a real browser")
    browser = Browser()
    with StudioServer() as studio:
        browser.visit(studio.address)
        yield browser
    browser.close()


def visit(page: Browser, fragment: str) -> None:
    """The page afresh with this link."""
    host = page.value("location.origin")
    page.visit(f"{host}/{fragment}", new_page=True)
    page.until("document.querySelector('#title')?.textContent !== 'stormproof studio'")


def packed(data: bytes) -> str:
    return "#s=" + base64.urlsafe_b64encode(data).decode().rstrip("=")


def gigabyte() -> bytes:
    """A text of 1 GiB as a link: after a full flush, a piece can be repeated without packing it again."""
    parts = zlib.compressobj(9, wbits=-15)
    found = parts.compress(b'{"v":1,"text":"') + parts.flush(zlib.Z_FULL_FLUSH)
    piece = parts.compress(b"x" * 2**24) + parts.flush(zlib.Z_FULL_FLUSH)
    return found + piece * 64 + parts.compress(b'"}') + parts.flush()


@pytest.mark.browser
def test_a_link_that_unpacks_to_a_gigabyte_is_refused(page: Browser) -> None:
    link = packed(gigabyte())
    assert len(link) < 2_000_000, "a browser takes it"
    visit(page, link)
    page.until("document.querySelector('#status').textContent.includes('unpacks to more than 16 MiB')")
    assert "✔" in verdict(page), "the studio shows what it was started with"
    assert page.complaints() == []


def state(**more: Any) -> str:
    data = json.dumps({"v": 1, "text": EXAMPLE, **more}).encode()
    parts = zlib.compressobj(wbits=-15)
    return packed(parts.compress(data) + parts.flush())


UNREADABLE = [
    "#x",
    "#s=",
    "#s=%%%",
    packed(b"no deflate"),
    state()[:-30],
    state(run=5),
    state(run={"steps": "abc", "at": 0}),
    state(run={"steps": [None], "at": 1}),
    state(run={"steps": [], "at": "x"}),
    state(settings=[1]),
    state(text={"a": 1}),
    state(v=2),
]


@pytest.mark.browser
def test_a_link_that_is_none_is_said_to_be_none(page: Browser) -> None:
    for fragment in UNREADABLE:
        visit(page, fragment)
        page.until("document.querySelector('#status').textContent.includes('cannot be read')")
        assert page.complaints() == [], fragment[:80]
    assert "✔" in verdict(page)


SETTINGS: list[dict[str, Any]] = [
    {"loss": 5, "crash": 5, "stop": "Buyer", "budget": 7},
    {"loss": "x", "crash": True, "restart": {"a": 1}, "budget": {"total": "x"}},
    {"loss": [None, 5, ["Buyer"]], "crash": [None, {}], "partition": 5, "corrupt_map": {"a": 1}},
    {"__proto__": {"loss": True}, "constructor": 5, "under": []},
]


@pytest.mark.browser
def test_settings_of_other_types_leave_a_page_that_works(page: Browser) -> None:
    for settings in SETTINGS:
        visit(page, state(settings=settings, run={"steps": [{"do": {}}, {}], "at": 99}))
        page.until("document.querySelectorAll('#channel-faults tbody tr').length === 3")
        page.until("document.querySelector('#answer').ariaBusy === 'false'")
        page.value("document.querySelector('#channel-faults [aria-label=\"loss: every channel\"]').click()")
        page.until("document.querySelector('#answer').ariaBusy === 'false'")
        assert page.complaints() == [], settings
    visit(page, link_to(EXAMPLE, []))
    page.until("document.querySelector('#verdicts .violated')")
