"""The studio and the report, looked at by axe-core in both colour schemes: labels, contrast, roles, order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import stormproof as sp
from stormproof.tell.draw.page.report import report_page
from tests.support.browser import CHROMIUM, Browser
from tests.support.paths import ROOT
from tests.support.studio_server import StudioServer

AXE = ROOT / "studio/node_modules/axe-core/axe.min.js"
FOUND = """axe.run(document, {resultTypes: ["violations"]}).then((result) => result.violations.map((rule) =>
  [rule.id, rule.help, ...rule.nodes.map((node) => node.target + ": " + node.failureSummary)].join("; ")))"""


@pytest.fixture
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    if not AXE.exists():
        pytest.skip("axe-core is not installed: cd studio && npm ci")
    found = Browser()
    found.resize(1280, 800)
    yield found
    found.close()


def violations(page: Browser) -> list[Any]:
    page.value(AXE.read_text("utf-8"))
    found = []
    for scheme in ("light", "dark"):
        page.prefer(scheme)
        found += [f"{scheme}: {rule}" for rule in page.value(FOUND)]
    return found


@pytest.mark.browser
def test_the_studio(browser: Browser) -> None:
    with StudioServer("alternating-bit", "--loss") as studio:
        browser.visit(studio.address)
        browser.until("document.querySelector('#answer').ariaBusy === 'false'")
        browser.click("#verdicts .violated .watch")
        browser.until("document.querySelector('#play-rest').dataset.rest === 'never'")
        browser.until("document.querySelector('#answer').ariaBusy === 'false'")
        assert violations(browser) == []
        browser.click("#play-back")
        browser.until("document.querySelectorAll('#play-choices button').length > 1")
        browser.click("#share")
        browser.until("document.querySelector('#link')?.value")
        assert violations(browser) == []


@pytest.mark.browser
def test_the_studio_with_a_long_text(browser: Browser) -> None:
    """Where the text has to be scrolled, steps can be taken, and one of them is chosen in a menu."""
    with StudioServer("tcp-close") as studio:
        browser.visit(studio.address)
        browser.until("document.querySelectorAll('#play-automata .hit').length > 0")
        browser.until("document.querySelector('#answer').ariaBusy === 'false'")
        browser.click("#classes summary")
        edge = "document.querySelector('#play-automata .hit')"
        browser.value(f"{edge}.dispatchEvent(new MouseEvent('click', {{bubbles: true}}))")
        browser.until("document.querySelector('.menu')")
        assert violations(browser) == []
        browser.click("#open")
        browser.until("document.querySelector('dialog .card')")
        assert violations(browser) == []


@pytest.mark.browser
def test_the_report(browser: Browser, tmp_path: Path) -> None:
    system = sp.protocol("alternating-bit")
    page = report_page(system, {"loss": sp.check(system, sp.Failures(loss=True), effort=20_000)})
    (tmp_path / "report.html").write_text(page, "utf-8")
    browser.open(tmp_path / "report.html")
    assert violations(browser) == []
    browser.click("td.violated a")
    browser.until("document.querySelector('.run.open')")
    assert violations(browser) == []
