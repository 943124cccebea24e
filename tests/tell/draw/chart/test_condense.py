"""Long runs drawn short: nothing that matters is left out, and every step keeps its place in time."""

from __future__ import annotations

import itertools
import re

import stormproof as sp
from stormproof.apps.workers.following import follow
from stormproof.apps.workers.playing import choices, game, read_steps
from stormproof.languages import protocols
from stormproof.tell.draw.chart.build import Chart, chart
from stormproof.tell.draw.chart.condense import condensed, without_idle_roles
from stormproof.tell.draw.chart.svg import chart_svg

#: Twelve roles in a ring, of which two talk.
TWELVE = "".join(
    f"role R{i:02} {{ a: R{(i + 1) % 12:02}!hello -> b\n b: R{(i - 1) % 12:02}?hello -> c\n c: }}\n"
    for i in range(12)
)


def long_run(text: str, length: int) -> Chart:
    """Calm steps, with one loss in the middle."""
    playing = game(text, {"loss": True})
    steps: list[dict[str, object]] = []
    while len(steps) < length:
        offered = choices(playing, follow(playing.model, read_steps(playing.model.system, steps)))
        lossy = [c for c in offered if c["strikes"] == "lost"]
        steps += (lossy[0] if length // 2 <= len(steps) < length // 2 + 2 and lossy else offered[0])["steps"]
    run = follow(playing.model, read_steps(playing.model.system, steps))
    return chart(playing.model.system, run.witness(playing.model), fold=False)


def test_what_matters_is_drawn_whole() -> None:
    whole = long_run(protocols.source("alternating-bit-retransmit"), 100)
    short = condensed(whole, all_roles=True)
    assert len(short.stretches) == 2, "before and behind the loss"
    faults = {step for step in range(len(whole.steps)) if hasattr(whole.steps[step], "kind")}
    assert faults and not faults & short.small
    assert short.steps == whole.steps and short.flights == whole.flights
    assert condensed(whole, opened=[s.start for s in short.stretches]).stretches == ()
    assert condensed(whole, matter=range(100)).stretches == ()


def test_time_runs_down_in_a_picture_with_stretches() -> None:
    whole = long_run(protocols.source("alternating-bit-retransmit"), 100)
    short = chart_svg(condensed(whole, all_roles=True))
    heights = [float(y) for y in re.findall(r'data-y="([\d.]+)"', short)]
    assert len(heights) == len(whole.steps) and all(a < b for a, b in itertools.pairwise(heights))
    assert heights[-1] < 1_400 and "steps without a fault" in short


def test_short_runs_and_few_roles_stay_as_they_are() -> None:
    whole = long_run(protocols.source("alternating-bit-retransmit"), 20)
    assert condensed(whole) == whole


def test_twelve_roles_of_which_two_talk() -> None:
    system = sp.loads(TWELVE)
    playing = game(TWELVE, {})
    first = choices(playing, follow(playing.model, ()))[0]["steps"]
    run = follow(playing.model, read_steps(playing.model.system, first))
    whole = chart(system, run.witness(playing.model), fold=False)
    short = without_idle_roles(whole)
    assert len(short.lifelines) == 2 and len(short.idle) == 10
    assert "not drawn: R02" in short.places[-1] and short.places[-1].endswith("which do nothing in this run")
    width = re.search(r'width="([\d.]+)"', chart_svg(long_run(TWELVE, 24)))
    assert width is not None and float(width[1]) < 1_250
