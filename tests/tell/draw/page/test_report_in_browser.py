"""The report page in a real browser: stepping, links, printing, names that are markup."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stormproof.kernel.model.actions import Receive, Send
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.run import Act, Witness
from stormproof.kernel.model.system import System
from stormproof.languages.protocols import protocol
from stormproof.search.examples.find import examples
from stormproof.surveys.failure_models import survey
from tests.support.browser import CHROMIUM, Browser
from tests.support.example_runs import (
    CRASH_RUN,
    CRASHING,
    EX1,
    LOSS,
    NASTY,
    nasty,
    run,
)
from tests.support.example_systems import process
from tests.support.report_pages import page_of, paper, reported, violated


def ring(count: int, rounds: int) -> tuple[System, Witness]:
    """A token that goes round; every step is its own."""
    names = [f"Station{i}" for i in range(count)]
    roles, steps = [], []
    for i, name in enumerate(names):
        before, after = names[i - 1], names[(i + 1) % count]
        give, take = ("give", Send(after, "token"), "wait"), ("wait", Receive(before, "token"), "give")
        roles.append(process(name, *((give, take) if i == 0 else (take, give))))
    for step in range(rounds):
        i = step % count
        after = names[(i + 1) % count]
        steps += [Act(names[i], Send(after, "token"), "wait"), Act(after, Receive(names[i], "token"), "give")]
    return System(tuple(roles), name="ring"), run(*steps)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("chromium is not installed: the page is not driven in a real browser")
    driven = Browser()
    yield driven
    driven.close()


Opened = Callable[..., Browser]


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Opened]:
    """opened(page, "#fragment") -> the browser with the page; at the end nothing may have gone wrong."""

    def load(page: str, fragment: str = "") -> Browser:
        path = tmp_path / "report.html"
        path.write_text(page, encoding="utf-8")
        browser.open(path, fragment)
        return browser

    yield load
    assert browser.complaints() == []
    assert browser.requests() == [(tmp_path / "report.html").as_uri()] * len(browser.requests())
    assert len({u.partition("#")[0] for u in browser.requests()}) <= 1


def said(browser: Browser) -> str:
    words = browser.value("document.querySelector('.run.open [data-say]').textContent")
    assert isinstance(words, str)
    return words


def current(browser: Browser) -> list[str]:
    """The local states that the automata show as current, in the order of the processes."""
    found = browser.value(
        "[...document.querySelectorAll('.run.open .now text:not(.sp-who)')].map(t => t.textContent)"
    )
    assert isinstance(found, list)
    return found


def in_channels(browser: Browser) -> list[str]:
    found = browser.value(
        "[...document.querySelectorAll('.run.open [data-channels] tr')].map(r => r.textContent)"
    )
    assert isinstance(found, list)
    return found


@pytest.mark.browser
def test_stepping_with_the_keyboard(opened: Opened) -> None:
    page = opened(paper())
    assert page.value("document.querySelectorAll('.run.open').length") == 0
    page.value("document.querySelector('[data-cell=\"corruption.k-er\"]').click()")
    page.wait(lambda: page.value("document.querySelectorAll('.run.open').length") == 1)
    assert said(page).startswith("7 of 7:") and current(page) == ["s1", "r0"]
    assert in_channels(page) == ["R → Sack", "S → Rdata"] or in_channels(page) == ["S → Rdata", "R → Sack"]
    page.press("Home")
    assert said(page) == "0 of 7: the start" and current(page) == ["s0", "r0"] and in_channels(page) == []
    page.press("ArrowLeft")
    assert said(page) == "0 of 7: the start", "nothing lies before the start"
    expected = [
        ("S sends start to R", ["s1", "r0"], ["S → Rstart"]),
        ("R receives start from S", ["s1", "r1"], []),
        ("S sends data to R", ["s1", "r1"], ["S → Rdata"]),
        ("data becomes end on S → R", ["s1", "r1"], ["S → Rend"]),
        ("R receives end from S", ["s1", "r2"], []),
    ]
    for number, (words, states, words_in) in enumerate(expected, 1):
        page.press("ArrowRight")
        assert said(page) == f"{number} of 7: {words}"
        assert current(page) == states and in_channels(page) == words_in
        assert page.value("location.hash") == f"#corruption.k-er/{number}"
    page.press("ArrowLeft")
    assert said(page) == "4 of 7: data becomes end on S → R" and current(page) == ["s1", "r1"]
    page.press("End")
    assert said(page).startswith("7 of 7:")
    page.press("Escape")
    assert page.value("document.querySelectorAll('.run.open').length") == 0
    assert page.value("document.activeElement.getAttribute('data-cell')") == "corruption.k-er"


@pytest.mark.browser
def test_the_chart_shows_what_has_happened_so_far(opened: Opened) -> None:
    page = opened(paper(), "#loss.k-pg/4")
    faint = "document.querySelectorAll('.run.open .chart .future').length"
    crosses = "document.querySelector('.run.open .chart .sp-cross').classList.contains('future')"
    assert page.value(crosses) is True and page.value(faint) > 0
    page.press("End")
    assert page.value(crosses) is False and page.value(faint) == 0


@pytest.mark.browser
def test_a_message_in_flight_is_drawn_as_far_as_it_has_come(opened: Opened) -> None:
    page = opened(paper(), "#reordering.rsc/6")
    so_far = "[...document.querySelectorAll('.run.open .sp-so-far')].map(p => p.getAttribute('d'))"
    (line,) = page.value(so_far)
    assert page.value("document.querySelectorAll('.run.open .in-flight').length") == 1, (
        "data, not yet received"
    )
    cursor = page.value("document.querySelector('.run.open .sp-cursor').getAttribute('d')")
    assert line.split()[-1] == re.findall(r"[\d.]+", cursor)[1]
    page.press("End")
    assert page.value(so_far) == []


@pytest.mark.browser
def test_a_link_leads_to_a_step_and_the_address_follows(opened: Opened) -> None:
    page = opened(paper(), "#reordering.rsc/6")
    assert said(page) == "6 of 11: R receives end from S"
    assert page.value("document.querySelector('.run.open path.taken').getAttribute('data-edge')") == "1:1:2"
    page.value("location.hash = '#loss.k-mc/1'")
    page.wait(lambda: said(page) == "1 of 6: S sends start to R")
    assert page.value("document.querySelector('td.current a').dataset.cell") == "loss.k-mc"
    page.value("location.hash = '#no-such-cell/9'")
    page.value("location.hash = '#loss.k-mc/99999'")
    page.wait(lambda: said(page).startswith("6 of 6"))


@pytest.mark.browser
def test_the_back_button_closes_a_run_and_forward_opens_it_where_it_was(opened: Opened) -> None:
    page = opened(paper())
    page.value("document.querySelector('[data-cell=\"loss.k-pg\"]').click()")
    page.wait(lambda: page.value("document.querySelectorAll('.run.open').length") == 1)
    page.press("Home")
    page.press("ArrowRight")
    page.value("history.back()")
    page.wait(lambda: page.value("document.querySelectorAll('.run.open').length") == 0)
    page.value("history.forward()")
    page.wait(lambda: page.value("document.querySelectorAll('.run.open').length") == 1)
    assert said(page) == "1 of 6: S sends start to R"


@pytest.mark.browser
def test_a_sample_run_of_a_property_that_holds_is_stepped_through(opened: Opened) -> None:
    reports = survey(protocol("half-duplex"), properties=["rsc", "k-er"])
    samples = {name: examples(report) for name, report in reports.items()}
    page = opened(page_of(protocol("half-duplex"), reports, examples=samples), "#none.k-er/2")
    assert said(page) == "2 of 6: Receiver receives start from Sender"
    title = page.value("document.querySelector('.run.open h3').textContent")
    assert title == "rsc and k-er under none: hold"
    page.press("End")
    assert current(page) == ["idle", "idle"] and in_channels(page) == []


@pytest.mark.browser
def test_a_message_that_is_markup_stays_a_message(opened: Opened) -> None:
    evil = "</script><img src=x onerror=alert(1)>"
    roles = (process("A", ("0", Send("B", evil), "1")), process("B", ("0", Receive("A", evil), "1")))
    system = System(roles, name=evil)
    reports = survey(system, Failures(loss=True), properties=["k-pg", "rsc"])
    samples = {name: examples(report) for name, report in reports.items()}
    page = opened(page_of(system, reports, examples=samples), "#loss.k-pg/1")
    assert evil in said(page) and page.value("document.images.length") == 0
    assert page.value("document.scripts.length") == 2


@pytest.mark.browser
def test_buttons_slider_and_clicks_on_the_chart(opened: Opened) -> None:
    page = opened(paper(), "#loss.k-pg/0")
    press = "document.querySelector('.run.open [data-go=\"{}\"]').click()"
    page.value(press.format("next"))
    assert said(page).startswith("1 of 6")
    page.value(press.format("last"))
    assert said(page).startswith("6 of 6")
    assert page.value("document.querySelector('.run.open [data-go=next]').disabled") is True
    page.value(
        "(() => { const s = document.querySelector('.run.open [data-slider]'); s.value = 3;"
        " s.dispatchEvent(new Event('input', {bubbles: true})) })()"
    )
    assert said(page).startswith("3 of 6")
    band = "document.querySelector('.run.open [data-step=\"1\"]')"
    page.value(f"{band}.dispatchEvent(new MouseEvent('click', {{bubbles: true}}))")
    assert said(page) == "2 of 6: R receives start from S"


@pytest.mark.browser
def test_nasty_names_do_nothing_in_a_browser(opened: Opened) -> None:
    system, witness = nasty()
    reports = {NASTY: reported(system, Failures(loss=True), violated("k-pg", witness, NASTY))}
    page = opened(page_of(system, reports, about={NASTY: NASTY}, again=NASTY))
    page.value("document.querySelector('[data-cell]').click()")
    page.wait(lambda: page.value("document.querySelectorAll('.run.open').length") == 1)
    page.press("ArrowLeft")
    assert "<script>alert(1)</script>" in said(page), "shown as text"
    assert page.value("document.scripts.length") == 2


@pytest.mark.browser
def test_the_policy_stops_what_an_escape_would_have_missed(browser: Browser, tmp_path: Path) -> None:
    """Markup put into the finished page by hand neither runs nor fetches, and the browser says so."""
    foreign = "<script>window.ran = 1</script><img src='http://127.0.0.1:9/x.png' onerror='window.ran = 2'>"
    path = tmp_path / "tampered.html"
    path.write_text(paper().replace("<body>", f"<body>{foreign}"), encoding="utf-8")
    browser.open(path, "#loss.k-pg/1")
    assert browser.value("window.ran === undefined") is True
    assert said(browser).startswith("1 of 6")
    browser.wait(lambda: len(browser.complaints()) >= 2)


@pytest.mark.browser
def test_twenty_roles_and_three_hundred_steps(opened: Opened) -> None:
    system, witness = ring(20, 150)
    assert len(witness.steps) == 300
    page = opened(page_of(system, {"none": reported(system, Failures(), violated("k-pg", witness))}))
    page.value("document.querySelector('[data-cell]').click()")
    page.wait(lambda: page.value("document.querySelectorAll('.run.open').length") == 1)
    assert said(page).startswith("300 of 300")
    page.press("Home")
    for _ in range(5):
        page.press("ArrowRight")
    assert said(page) == "5 of 300: Station2 sends token to Station3"
    who = page.value("[...document.querySelectorAll('.run.open .now .sp-who')].map(t => t.textContent)")
    assert current(page) == ["wait", "wait"] and who == ["Station1, Station2 + 17"], "alike, drawn once"
    page.press("End")
    box = "document.querySelector('.run.open .chart')"
    head = f"{box}.querySelector('.sp-heads rect').getBoundingClientRect().top"
    page.wait(lambda: abs(page.value(f"{head} - {box}.getBoundingClientRect().top")) < 12)
    line = "document.querySelector('.run.open .sp-cursor').getBoundingClientRect()"
    assert page.value(f"{line}.top < {box}.getBoundingClientRect().bottom"), "the last step is in sight"


@pytest.mark.browser
def test_crashes_are_stepped_through_too(opened: Opened) -> None:
    reports = {"crash": reported(CRASHING, Failures(), violated("k-pg", CRASH_RUN))}
    page = opened(page_of(CRASHING, reports), "#crash.k-pg/4")
    assert said(page) == "4 of 8: A crashes" and current(page) == ["x0", "b2", "c0"]
    page.press("End")
    assert sorted(in_channels(page)) == ["A → B⚡", "A → C⚡"]


@pytest.mark.browser
def test_print_shows_every_run_in_full(opened: Opened, tmp_path: Path) -> None:
    page = opened(paper(), "#loss.k-pg/2")
    page.ask("Emulation.setEmulatedMedia", media="print")
    shown = "[...document.querySelectorAll('.run')].every(r => getComputedStyle(r).display === 'block')"
    assert page.value(shown) is True
    assert page.value("getComputedStyle(document.querySelector('.run.open .controls')).display") == "none"
    faint = "getComputedStyle(document.querySelector('.run.open .chart .future')).opacity"
    assert page.value(faint) == "1", "nothing is faint on paper"
    page.paper(tmp_path / "report.pdf")
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
    page.ask("Emulation.setEmulatedMedia", media="")


@pytest.mark.browser
def test_light_and_dark_differ(opened: Opened, tmp_path: Path) -> None:
    page = opened(paper(), "#loss.k-pg/2")
    paint = (
        "[getComputedStyle(document.body).backgroundColor,"
        " getComputedStyle(document.querySelector('.sp-bg')).fill]"
    )
    seen = []
    for scheme in ("light", "dark"):
        page.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        seen.append(page.value(paint))
    assert seen[0][0] == seen[0][1] and seen[1][0] == seen[1][1], "pictures and page share their paper"
    assert seen[0] != seen[1]


@pytest.mark.browser
def test_everything_to_press_has_a_name(opened: Opened) -> None:
    page = opened(paper(), "#loss.k-pg/2")
    nameless = (
        "[...document.querySelectorAll('button, input, a, svg[role=img]')]"
        ".filter(e => !(e.getAttribute('aria-label') || e.textContent.trim())).length"
    )
    assert page.value(nameless) == 0
    assert page.value("document.documentElement.lang") == "en"
    assert page.value("document.querySelectorAll('th:not([scope])').length") == 0


@pytest.mark.browser
def test_the_page_steps_in_a_frame_of_a_notebook(opened: Opened) -> None:
    """There it has no address of its own, so that links cannot lead anywhere."""
    shown = reported(EX1, Failures(loss=True), violated("k-pg", LOSS))._repr_html_()
    page = opened(f"<meta charset='utf-8'>{shown.replace('sandbox=', 'data-was=')}")  # to look inside
    page.value("document.querySelector('iframe').closest('details').open = true")
    inside = "document.querySelector('iframe').contentDocument"
    page.until(f"{inside}?.querySelectorAll('[data-cell]').length === 1")
    page.value(f"{inside}.querySelector('[data-cell]').click()")
    said = f"{inside}.querySelector('.run.open [data-say]').textContent"
    last = len(LOSS.steps)
    assert page.value(said).startswith(f"{last} of {last}")
    page.value(f"{inside}.querySelector('.run.open [data-go=back]').click()")
    assert page.value(said).startswith(f"{last - 1} of {last}")
