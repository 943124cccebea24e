"""What a person does in the studio, in a real browser: write, mend, ask, break, play, undo, share."""

from __future__ import annotations

import base64
import json
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stormproof.apps.workers.following import follow
from stormproof.apps.workers.playing import choices, game, read_steps
from stormproof.languages import protocols
from tests.support.browser import CHROMIUM, Browser
from tests.support.paths import ROOT
from tests.support.studio_server import StudioServer

#: A protocol with two mistakes: a role and a state that do not exist.
WRONG = """protocol Ping

role Client {
  ask: Sever!ping -> wait
  wait: Server?pong -> ask
}

role Server {
  idle: Client?ping -> anwser
  answer: Client!pong -> idle
}
"""


@pytest.fixture
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("chromium is not installed: the studio is not driven in a real browser")
    found = Browser()
    yield found
    found.close()


@pytest.fixture
def studio(browser: Browser) -> Iterator[StudioServer]:
    """Only where there is a browser: none is started to be stopped at once."""
    with StudioServer() as found:
        yield found


def look(page: Browser, name: str, dark: bool = False) -> None:
    """A screenshot, for people who look at them: set STORMPROOF_SCREENSHOTS to a folder."""
    folder = os.environ.get("STORMPROOF_SCREENSHOTS")
    if folder:
        page.look(Path(folder) / f"{name}.png", dark)


def text_of(page: Browser, selector: str) -> str:
    return str(page.value(f"document.querySelector({json.dumps(selector)}).textContent"))


def rewrite(page: Browser, text: str) -> None:
    """Type a text in place of what is there, line by line; the editor indents."""
    page.value("document.querySelector('.cm-content').focus()")
    page.chord("a", 65, control=True)
    page.chord("Delete", 46)
    for i, line in enumerate(text.split("\n")):
        if i:
            page.chord("Enter", 13)
        if line.strip():
            page.write(line.strip())


def problems(page: Browser) -> list[str]:
    found: list[str] = page.value("[...document.querySelectorAll('#problems li')].map(li => li.textContent)")
    return found


def verdict(page: Browser, name: str = "recovers") -> str:
    row = f"#verdicts [data-property={name}]"
    page.until(f"document.querySelector('#answer').ariaBusy === 'false' && document.querySelector('{row}')")
    return text_of(page, row)


def take(page: Browser, label: str) -> None:
    """Choose the next step with this label, and wait until it is taken."""
    before = text_of(page, "#play-say")
    page.click(f"#play-choices [aria-label={json.dumps(label)}]")
    page.until(f"document.querySelector('#play-say').textContent !== {json.dumps(before)}")


def shown(page: Browser) -> dict[str, Any]:
    """What the page shows of the run and the settings."""
    found: dict[str, Any] = page.value(
        """({say: document.querySelector('#play-say').textContent,
        rest: document.querySelector('#play-rest').dataset.rest,
        states: document.querySelector('#play-states').textContent,
        steps: [...document.querySelectorAll('#play-steps li')].map(li => li.textContent),
        loss: document.querySelector('#channel-faults [aria-label="loss: every channel"]').ariaPressed,
        text: document.querySelector('.cm-content').innerText,
        verdict: document.querySelector('#verdicts').textContent,
        lit: [...document.querySelectorAll('#play-automata .now text')].map(t => t.textContent)})"""
    )
    return found


@pytest.mark.browser
def test_the_story(studio: StudioServer, browser: Browser) -> None:
    page = browser
    page.resize(1280, 800)
    page.visit(studio.address)
    assert page.value("location.href") == f"http://{studio.host}/", "the token is dropped from the address"
    assert page.value("document.cookie") == "", "no script can read the cookie"
    assert "✔" in verdict(page), "the example is answered without a question"

    rewrite(page, "")
    page.until("document.querySelector('#problem-count').textContent === 'the text is empty'")
    page.click("#problems button")
    page.until("document.querySelector('.cm-content').innerText.includes('protocol Shop')")

    rewrite(page, WRONG)
    page.until("document.querySelector('#problems .error:nth-child(2)')?.textContent.includes('anwser')")
    said = problems(page)
    assert "unknown role 'Sever'" in said[0] and "did you mean 'Server'?" in said[0]
    assert "unknown state 'anwser'" in said[1] and "line 9" in said[1]
    page.until("document.querySelectorAll('.cm-lintRange-error').length === 2")
    assert page.value("document.querySelector('#play').inert"), "nobody plays what is no longer written"
    look(page, "mistakes")

    rewrite(page, WRONG.replace("Sever!", "Server!").replace("anwser", "answer"))
    page.until("document.querySelectorAll('#problems .error').length === 0")
    assert "✔" in verdict(page) and "come to rest" in verdict(page)

    page.click("#channel-faults [aria-label='loss: every channel']")
    page.until("document.querySelector('#verdicts .violated')")
    assert "breaks with 1 fault" in verdict(page)
    page.click("#verdicts .violated .watch")
    page.until("document.querySelector('#play-rest').dataset.rest === 'never'")
    assert "recovers breaks with 1 fault" in text_of(page, "#play-title")
    assert "cannot come to rest" in text_of(page, "#play-steps .lost")
    look(page, "broken")

    page.value("document.querySelector('.right').scrollTop = 0")
    page.value("document.querySelector('#play').focus({preventScroll: true})")
    page.press("n")
    page.until("document.querySelector('#play-say').textContent.startsWith('0 of 0')")
    assert page.value("document.querySelector('.right').scrollTop") == 0, "nothing moves but what is shown"
    calm = ["Client sends ping to Server", "Server receives ping from Client"]
    calm += ["Server sends pong to Client", "Client receives pong from Server"]
    for step in calm:
        take(page, step)
    assert text_of(page, "#play-rest").endswith("at rest")
    look(page, "playing", dark=True)
    take(page, "Client sends ping to Server: lost")
    before = shown(page)
    assert before["rest"] == "never" and text_of(page, "#play-none") == "Nothing can happen."
    assert len(before["steps"]) == 7, "the start, five steps and the loss in the fifth"
    assert "cannot come to rest" in before["steps"][-1]
    assert before["states"] == "Client in waitServer in idle" and before["lit"] == ["wait", "idle"]

    page.click("#play-undo")
    page.until("document.querySelector('#play-rest').dataset.rest === 'possible'")
    assert shown(page)["steps"] == before["steps"][:5] and shown(page)["lit"] == ["ask", "idle"]
    page.click("#play-redo")
    page.until("document.querySelector('#play-rest').dataset.rest === 'never'")
    assert shown(page) == before
    page.click("#play-undo")
    page.until("document.querySelector('#play-rest').dataset.rest === 'possible'")
    take(page, "Client sends ping to Server: lost")
    look(page, "played")

    leaves = "dispatchEvent(new Event('beforeunload', {cancelable: true}))"
    assert page.value(leaves) is False, "a text that is nowhere else is not thrown away without asking"
    page.click("#share")
    link = page.until("document.querySelector('#link')?.value")
    assert page.value(leaves) is True, "a link keeps it"
    assert link.startswith(f"http://{studio.host}/#s=") and studio.token not in link
    assert page.complaints() == [], "nothing went wrong in the page"
    assert all(url.startswith(f"http://{studio.host}/") for url in page.requests()), "nothing from elsewhere"

    page.visit(link, new_page=True)
    page.resize(1280, 800)
    page.until(
        "document.querySelector('#verdicts .violated') && document.querySelector('#play-rest').dataset.rest"
    )
    page.until("document.querySelector('#answer').ariaBusy === 'false'")
    assert shown(page) == before
    assert page.complaints() == []


def link_to(text: str, steps: list[dict[str, Any]]) -> str:
    """What *Share* would make."""
    state = {"v": 1, "text": text, "settings": {"loss": True}, "run": {"steps": steps, "at": len(steps)}}
    packed = zlib.compressobj(wbits=-15)
    data = packed.compress(json.dumps(state).encode()) + packed.flush()
    return "#s=" + base64.urlsafe_b64encode(data).decode().rstrip("=")


def round_of(text: str) -> list[dict[str, Any]]:
    """A hundred calm steps, the first that is possible each time."""
    playing = game(text, {})
    steps: list[dict[str, Any]] = []
    while len(steps) < 100:
        steps += choices(playing, follow(playing.model, read_steps(playing.model.system, steps)))[0]["steps"]
    return steps


@pytest.mark.browser
def test_a_link_with_a_hundred_steps(browser: Browser) -> None:
    """The names stay above the lifelines while the chart scrolls. A broken link says so."""
    text = protocols.source("alternating-bit")
    link = link_to(text, round_of(text))
    with StudioServer(link) as studio:
        page = browser
        page.resize(1280, 800)
        page.visit(studio.address)
        page.until("document.querySelector('#play-say').textContent.startsWith('100 of 100')", 60)
        assert page.value("location.hash") == link, "until something changes, the address is the link"
        page.until("document.querySelector('#play-chart [data-stretch]')")
        page.click("#play-whole")
        page.until("document.querySelectorAll('#play-chart [data-stretch]').length === 0")
        heads = "document.querySelector('#play-chart .sp-heads').getBoundingClientRect().top"
        box = "document.querySelector('#play-chart').getBoundingClientRect().top"
        scrolled = "document.querySelector('#play-chart').scrollTop"
        assert page.until(f"{scrolled} > 2000 && Math.abs({heads} - {box}) < 12")
        page.value("document.querySelector('#play').focus()")
        page.press("Home")
        page.until("document.querySelector('#play-say').textContent.startsWith('0 of 100')")
        page.until(f"{scrolled} === 0")
        look(page, "hundred")
        page.resize(768, 1024)
        page.click("#view-write")
        page.until("document.querySelector('#play').getClientRects().length === 0")
        # A hidden part has no focus, so no key: the slider moves as a script would move it.
        slider = "Object.assign(document.querySelector('#play-slider'), {value: 100})"
        page.value(f"{slider}.dispatchEvent(new Event('input'))")
        page.until("document.querySelector('#play-say').textContent.startsWith('100 of 100')")
        page.click("#view-play")
        assert page.until(f"{scrolled} > 2000"), "what was hidden is scrolled when it appears"
        page.visit(f"http://{studio.host}/{link[:-30]}", new_page=True)
        page.until("document.querySelector('#status').textContent.includes('cannot be read')")
        assert page.complaints() == []


@pytest.mark.browser
def test_keys_automata_files_and_a_narrow_page(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "ping.storm"
    path.write_text(WRONG.replace("Sever!", "Server!").replace("anwser", "answer"))
    with StudioServer(str(path), "--loss", "--budget", "1") as studio:
        page = browser
        page.resize(820, 1180)
        page.visit(studio.address)
        page.until("document.querySelector('#file-state').textContent === 'saved'")
        assert page.value("document.querySelector('#play').getClientRects().length") == 0, (
            "one view at a time"
        )
        page.click("#view-ask")
        assert "breaks with 1 fault" in verdict(page)
        assert text_of(page, "#answer-failures").endswith("at most 1 fault")
        look(page, "tablet-ask")
        page.click("#view-play")
        page.until("document.querySelectorAll('#play-automata .hit').length === 1")
        page.value("document.querySelector('#play').focus()")
        page.press("1")
        page.until("document.querySelector('#play-say').textContent.startsWith('1 of 1')")
        page.press("u")
        page.until("document.querySelector('#play-say').textContent.startsWith('0 of 0')")
        hit = "document.querySelector('#play-automata .hit')"
        page.value(f"{hit}.dispatchEvent(new MouseEvent('click', {{bubbles: true}}))")
        page.until("document.querySelectorAll('.menu [role=menuitem]').length === 2")
        look(page, "tablet-menu")
        page.click(".menu .fault")
        page.until("document.querySelector('#play-rest').dataset.rest === 'never'")
        assert page.value("document.activeElement.id") == "play", "its keys still work"
        look(page, "tablet-play", dark=True)

        page.click("#view-write")
        rewrite(page, path.read_text() + "// mine\n")
        page.until("document.querySelector('#file-state').textContent === 'changed, not saved'")
        path.write_text(path.read_text() + "// theirs\n")
        page.until("document.querySelector('#status').textContent.includes('changed on disk')")
        page.click("#status button:last-child")
        page.click("#save")
        page.until("document.querySelector('dialog')?.open")
        assert "// theirs" in path.read_text(), "never overwritten silently"
        page.click("dialog button:nth-of-type(2)")
        page.until("document.querySelector('#file-state').textContent === 'saved'")
        assert path.read_text().endswith("// mine\n")

        page.value("document.querySelector('#open').focus()")
        page.chord("Enter", 13)
        page.until("document.activeElement.ariaLabel === 'find a protocol'")
        assert text_of(page, "dialog h3") == "Everyday protocols, with requirements", "they come first"
        page.write("crash client")
        page.until("document.querySelectorAll('dialog .card:not([hidden])').length === 1")
        page.chord("Enter", 13)
        page.until("document.querySelector('#title').textContent === 'crash-client-server'")
        assert page.value("document.activeElement.id") == "open", "the focus is where it was"
        assert page.complaints() == []


LONG_NAMES = """protocol Reservation
role WarehouseInventoryReservationCoordinator {
  waitingForAReservation: CustomerFacingOrderProcessingGateway?requestReservationOfItems -> done
  done:
}
role CustomerFacingOrderProcessingGateway {
  ask: WarehouseInventoryReservationCoordinator!requestReservationOfItems -> reservationIsUnderway
  reservationIsUnderway:
}
"""


@pytest.mark.browser
def test_long_names_push_nothing_out_of_sight(browser: Browser) -> None:
    with StudioServer(link_to(LONG_NAMES, [])) as studio:
        page = browser
        for width in (1280, 1024, 768):
            page.resize(width, 800)
            page.visit(studio.address)
            for view in ("ask", "play"):
                page.value(f"document.querySelector('#view-{view}').click()")
                assert "breaks with 1 fault" in verdict(page)
                boxes = "[...document.querySelectorAll('main, .right, #ask, #play')]"
                assert page.value(f"{boxes}.every(box => box.scrollWidth <= box.clientWidth + 1)"), width
        assert page.complaints() == []


@pytest.mark.browser
def test_what_is_known_stays_known_when_a_longer_search_is_stopped(browser: Browser) -> None:
    with StudioServer(str(ROOT / "tests/languages/protocols/flat/raft-election.storm")) as studio:
        page = browser
        page.resize(1280, 800)
        page.visit(studio.address)
        decided = (
            "[...document.querySelectorAll('#verdicts li:not(.undecided)')].map(li => li.dataset.property)"
        )
        done = "document.querySelector('#answer').ariaBusy === 'false'"
        page.until(f"{done} && document.querySelector('#further').hidden === false")
        before = page.value(decided)
        page.click("#further")
        assert page.value("document.activeElement.id") == "stop", "the focus follows"
        page.click("#stop")
        page.until(f"{done} && document.querySelector('#answer-state').textContent.startsWith('stopped')")
        assert "elected" in before and set(before) <= set(page.value(decided))
        assert page.complaints() == []


@pytest.mark.browser
def test_what_no_requirement_notices_is_marked_by_line(studio: StudioServer, browser: Browser) -> None:
    page = browser
    page.visit(studio.address)
    rewrite(page, WRONG.replace("Sever!", "Server!").replace("anwser", "answer"))
    assert "✔" in verdict(page)
    page.click("#mutate")
    page.until("document.querySelector('#mutants li')")
    rows = page.value("[...document.querySelectorAll('#mutants li')].map(li => li.textContent)")
    assert any(
        row.startswith("line 4: Client in ask: without `Server!ping -> wait`: survives") for row in rows
    )
    assert text_of(page, "#mutate") == "Do the requirements notice?"
    assert "survive" in text_of(page, "#mutants-state")
    page.until("document.querySelectorAll('.cm-lintRange-info').length > 0")
    look(page, "mutants")
    page.click("#channel-faults [aria-label='loss: every channel']")
    page.until("document.querySelectorAll('.cm-lintRange-info').length === 0")
    assert page.value("document.querySelectorAll('#mutants li').length") == 0, "they were about no loss"
