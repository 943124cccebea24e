"""The frontier on the report page: every choice a row, every set a column, each breaking set with its run."""

from __future__ import annotations

import re

import stormproof as sp
from stormproof.surveys.failure_models import survey
from stormproof.surveys.frontier import frontier
from stormproof.tell.draw.page.report import report_page


def test_the_page_shows_both_halves_and_links_each_breaking_set_to_its_run() -> None:
    system = sp.protocol("half-duplex")
    found = frontier(system, "rsc")
    page = report_page(system, survey(system, max_k=1), frontier=found)
    section = re.search(r'<section id="frontier">.*?</section>', page, re.DOTALL)
    assert section is not None
    for atom in found.atoms:
        assert str(atom) in section[0]
    dots = sum(len(t.atoms) for t in found.tolerated) + sum(len(b.atoms) for b in found.breaking)
    assert section[0].count("●") == dots > 0
    alone = sum(len(b.atoms) == 1 for b in found.breaking)
    assert len(re.findall(r"data-cell=", section[0])) == len(found.breaking) + alone == 5


def test_survival_shows_the_number_of_faults_in_each_cell() -> None:
    system = sp.protocol("alternating-bit")
    found = frontier(system)
    page = report_page(system, survey(system, properties=["recovers"]), frontier=found)
    section = re.search(r'<section id="frontier">.*?</section>', page, re.DOTALL)
    assert section is not None and "●" not in section[0]
    assert "note: a stop is silent; a restart goes to the initial state" in section[0]
    links = re.findall(r'data-cell="([^"]+)">✘ 1</a>', section[0])
    assert len(links) == len(found.breaking) == 10
    assert all(f'"{name}"' in page.split("</section>")[-1] for name in links), "each opens its run"
    assert '<th scope="col">✘ 1</th>' not in page, "breaking sets are no columns of the verdicts"
