"""The studio as static files: built, served by a plain file server, and used in a real browser."""

from __future__ import annotations

import functools
import http.server
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from stormproof.apps.studio import alone
from stormproof.apps.studio.gallery import PAIRS, broken_text, fragment, gallery
from stormproof.languages import protocols
from stormproof.search.engine import survival
from stormproof.search.reachability import proofs
from tests.support import browser as browsers
from tests.support.browser import CHROMIUM, Browser
from tests.support.paths import ROOT

PYODIDE = ROOT / "studio/node_modules/pyodide"


@pytest.fixture
def no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (survival, proofs):
        monkeypatch.setattr(module, "has_engine", lambda: False)


def statuses(text: str, **settings: object) -> dict[str, str]:
    found = alone.check(text, settings, lambda said: None)
    return {row["property"]: row["status"] for row in found["verdicts"]}


@pytest.mark.usefixtures("no_engine")
def test_every_broken_protocol_of_the_gallery_is_shown_as_broken() -> None:
    for broken, _ in PAIRS:
        assert "violated" in statuses(broken_text(broken)).values(), broken


@pytest.mark.usefixtures("no_engine")
@pytest.mark.parametrize("mended", ["lock", "leader-read-index", "heartbeat-fenced", "chain-replication"])
def test_what_was_mended_is_not(mended: str) -> None:
    assert "violated" not in statuses(protocols.source(mended)).values()


@pytest.mark.usefixtures("no_engine")
def test_what_is_larger_is_undecided_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alone, "STATES", 50)
    found = alone.check(protocols.source("alternating-bit-retransmit"), {}, lambda said: None)
    (known,) = (row for row in found["verdicts"] if row["property"] == "apprentice")
    assert known["status"] == "undecided" and alone.ELSEWHERE in known["say"], "expected beyond the bounds"
    assert found["answer"].startswith("Undecided here")


def test_questions_without_an_answer_here() -> None:
    said = json.loads(alone.answer(json.dumps({"ask": "repairs", "text": ""}), lambda part: None))
    assert "stormproof studio" in said["problem"]
    assert "a string" in json.loads(alone.answer('{"ask": "check", "text": 1}', lambda part: None))["problem"]


def test_every_pair_is_a_link_with_its_text() -> None:
    links = [entry["link"] for pair in gallery() for entry in pair.values()]
    assert len(set(links)) == len(links) >= 23 and all(link.startswith("index.html#s=") for link in links)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    if not PYODIDE.exists():
        pytest.skip("Pyodide is not installed: cd studio && npm ci")
    subprocess.run(
        [sys.executable, ROOT / "scripts/build_alone", "--plain", tmp_path], check=True, capture_output=True
    )

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *arguments: object) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.browser
def test_a_page_without_a_server(site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No other host can be found from this browser, and nothing asks for one."""
    nowhere = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
    monkeypatch.setattr(browsers, "_FLAGS", (*browsers._FLAGS, nowhere))
    page = Browser()
    try:
        page.resize(1440, 900)
        page.visit(f"{site}/index.html#{fragment(broken_text('lock-forgetful'))}")
        page.until("document.querySelector('#verdicts .violated')", 120)
        assert page.value("document.querySelector('#answer-said').textContent").endswith(
            "`mutex-after-restart` breaks after 1 restart of Lock."
        )
        page.click("#verdicts .violated .watch")
        page.until("document.querySelector('#play-broken .wrong')")
        page.click("#share")
        link = page.until("document.querySelector('#link')?.value")
        assert link.startswith(f"{site}/index.html#s=")
        assert all(url.startswith(site) for url in page.requests())
        page.visit(f"{site}/gallery.html")
        assert page.value("document.querySelectorAll('.pair').length") == 2 * len(PAIRS)
        assert page.complaints() == []
    finally:
        page.close()
