"""The frontier on the report page: every choice a row, every set a column, each breaking set with its run."""

from __future__ import annotations

import re

import stormproof as sp
from stormproof.draw.page.frontier import with_frontier
from stormproof.draw.page.report import report_page
from stormproof.surveys.failure_models import survey
from stormproof.surveys.frontier import frontier


def test_the_page_shows_both_halves_and_links_each_breaking_set_to_its_run() -> None:
    system = sp.protocol("half-duplex")
    found = frontier(system, "rsc")
    page = report_page(system, with_frontier(survey(system, max_k=1), found), frontier=found)
    section = re.search(r'<section id="frontier">.*?</section>', page, re.DOTALL)
    assert section is not None
    for atom in found.atoms:
        assert str(atom) in section[0]
    dots = sum(len(t) for t in found.tolerated) + sum(len(b.atoms) for b in found.breaking)
    assert section[0].count("●") == dots > 0
    assert len(re.findall(r"data-cell=", section[0])) == len(found.breaking) == 3
