"""Witnesses as checks find them: every one becomes a sound chart that blames what its property is about."""

from __future__ import annotations

import random

import pytest
from rich.cells import cell_len

import stormproof as sp
from stormproof.kernel.model.system import System
from stormproof.tell.draw.chart.build import chart
from stormproof.tell.draw.chart.svg import chart_svg
from stormproof.tell.draw.chart.text import chart_text
from stormproof.tell.draw.conflict_graph import conflict_picture, conflict_svg
from tests.support.random_systems import random_failures, random_system
from tests.support.svg_checks import check_svg


@pytest.mark.parametrize("chunk", range(3))
def test_every_witness_can_be_drawn(chunk: int) -> None:
    for seed in range(chunk * 30, chunk * 30 + 30):
        rng = random.Random(seed)
        system = random_system(rng, unreliable=0.2)
        report = sp.check(system, random_failures(rng, system), max_k=2, limits=sp.Limits(seconds=20))
        for verdict in report:
            if verdict.holds is False and verdict.witness is not None:
                _draw(report.system, verdict.property, verdict.witness, seed)


def _draw(system: System, name: str, witness: sp.Witness, seed: int) -> None:
    picture = chart(system, witness)
    check_svg(chart_svg(picture))
    assert all(cell_len(line) <= 60 for line in chart_text(picture, 60).splitlines()), seed
    assert picture.states_at(len(witness.steps)) == dict(witness.states), seed
    if name == "k-pg":
        assert any(line.wait and line.wait.culprit for line in picture.lifelines), seed
    if name == "k-exh":
        assert any(line.wait and line.wait.sends for line in picture.lifelines), seed
    if name == "k-er":
        assert picture.culprit is not None and picture.flights[picture.culprit].position == 0, seed
    if name == "rsc":
        drawn = conflict_picture(witness)
        assert drawn.cycle, f"seed {seed}: a violation of RSC has a cyclic conflict graph"
        check_svg(conflict_svg(drawn))
