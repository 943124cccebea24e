"""The report page: what it contains, and what it does in a real browser."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from stormproof.kernel.model.failures import Failures
from tests.support.example_runs import (
    EX1,
    LOSS,
    NASTY,
    nasty,
    run,
    sends,
    takes,
)
from tests.support.report_pages import holds, page_of, paper, reported, violated


class Balanced(HTMLParser):
    """Every element is closed, in order."""

    VOID = ("meta", "link", "input")

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value or "" for key, value in attrs if key == "id"]
        if tag not in self.VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert "svg" in self.stack, f"<{tag}/> outside of a picture"

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag


def check_html(page: str) -> None:
    parser = Balanced()
    parser.feed(page)
    parser.close()
    assert parser.stack == [] and len(set(parser.ids)) == len(parser.ids)
    assert not re.search(r"\bhttps?://(?!www\.w3\.org/2000/svg)", page), "the page names another"
    assert not re.search(r"\bon[a-z]+=", re.sub(r"<script>.*?</script>", "", page, flags=re.S)), "no handlers"


def test_the_page_is_well_formed_and_names_no_other() -> None:
    check_html(paper())


def test_cells_with_the_same_run_share_it() -> None:
    page = paper()
    assert page.count('class="run"') == 3
    assert "k-pg and k-mc under loss: violated" in page


def test_the_title_of_a_run_counts_many_properties_and_lists_them_below() -> None:
    names = ["k-exh", "k-er", "k-pg", "k-mc", "k-wmc"]
    reports = {"loss": reported(EX1, Failures(loss=True), *(violated(name, LOSS) for name in names))}
    page = page_of(EX1, reports)
    assert '<h3 tabindex="-1">5 properties under loss: violated</h3>' in page
    assert '<p class="facts">k-exh, k-er, k-pg, k-mc, k-wmc</p>' in page


def test_the_page_says_why_and_how_to_see_it_again() -> None:
    page = paper()
    assert "This is why rsc fails." in page and "stormproof check ex1 --property rsc" in page
    assert "out of time" in page, "an undecided cell says why"


def test_only_a_violation_of_rsc_shows_its_conflict_graph() -> None:
    assert paper().count('class="conflict"') == 1


def test_a_page_without_violations() -> None:
    page = page_of(EX1, {"none": reported(EX1, Failures(), holds("k-er"))})
    check_html(page)
    assert "Nothing that was asked is violated" in page


def test_nasty_names_are_only_text() -> None:
    system, witness = nasty()
    page = page_of(
        system,
        {NASTY: reported(system, Failures(loss=True), violated("k-pg", witness, NASTY))},
        explain=lambda report, verdict: NASTY,
        command=lambda report, verdict: NASTY,
        again=NASTY,
        about={NASTY: NASTY},
    )
    check_html(page)
    assert page.count("<script") == 2, "the data and the script of the page itself"


def test_sends_and_takes_are_used() -> None:
    """A run whose last message nobody takes is drawn with the message still in flight."""
    witness = run(sends("start", "s1"), takes("start", "r1"), sends("data", "s1"))
    reports = {"none": reported(EX1, Failures(), violated("k-er", witness))}
    assert "sp-hollow" in page_of(EX1, reports)


def test_the_page_begins_with_the_answer_and_its_first_run() -> None:
    reports = {
        "none": reported(EX1, Failures(), holds("recovers")),
        "loss": reported(EX1, Failures(loss=True), violated("k-pg", LOSS)),
    }
    page = page_of(EX1, reports, asked="loss")
    check_html(page)
    (said,) = re.findall(r'<p class="answer">(.*?)</p>', page)
    assert said == reports["loss"].answer and "does not have the property" in said
    first, verdicts = page.index('<section id="first"'), page.index('<section id="verdicts"')
    assert first < page.index('id="run-0"') < verdicts and page.count('id="run-0"') == 1
    assert '"first":"loss.k-pg"' in page, "it is open when the page is"
    without = page_of(EX1, reports, asked="none")
    assert "ex1 works without faults" in without and '<section id="first"' not in without
    assert '"first":null' in without and without.count('id="run-0"') == 1
