"""The charts drawn: well-formed, inside their frame, within their width, whatever the names are."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ET

import pytest
from rich.cells import cell_len

from stormproof.draw.chart.build import Chart, chart
from stormproof.draw.chart.layout import lay_out
from stormproof.draw.chart.mermaid import chart_mermaid
from stormproof.draw.chart.svg import chart_svg
from stormproof.draw.chart.text import chart_text
from stormproof.model.actions import Receive, Send
from stormproof.model.fault_steps import Corrupt
from stormproof.model.run import Step
from stormproof.model.system import System
from tests.support.example_runs import EX1, EXAMPLES, NASTY, SR, run, sends, takes
from tests.support.example_systems import process
from tests.support.random_systems import random_failures, random_system, random_witness
from tests.support.svg_checks import check_svg, texts


def classes(picture: Chart) -> list[str]:
    return [e.get("class", "") for e in ET.fromstring(chart_svg(picture)).iter()]


@pytest.mark.parametrize("name", EXAMPLES)
def test_svg_is_sound(name: str) -> None:
    check_svg(chart_svg(chart(*EXAMPLES[name], title=name)))


def test_svg_signs() -> None:
    def has(name: str, kind: str) -> int:
        return sum(kind in c.split() for c in classes(chart(*EXAMPLES[name])))

    assert has("loss", "sp-cross") == 1 and has("perfect", "sp-cross") == 0
    assert has("corruption", "sp-after") == 1 and has("corruption", "sp-hollow") == 2
    assert has("reordering", "sp-ring") == 1 and has("perfect", "sp-ring") == 0
    assert has("crash", "sp-bolt") == 1 and has("crash", "sp-wait") == 1
    assert has("loss", "sp-wait") == 2
    assert has("rounds", "sp-frame") == 1


def test_svg_shows_the_names_that_a_corrupted_message_has() -> None:
    shown = texts(chart_svg(chart(*EXAMPLES["corruption"])))
    assert shown.count("data") == 2 and shown.count("end") == 1 and shown.count("start") == 1


def test_overtaking_arrows_cross() -> None:
    """The lines of `data` and `end` of the paper's e_o, read back from the picture, intersect."""
    root = ET.fromstring(chart_svg(chart(*EXAMPLES["reordering"])))
    lines = {}
    for element in root.iter():
        if "sp-line" in element.get("class", "").split():
            points = [float(x) for x in re.findall(r"-?[\d.]+", element.get("d", ""))]
            lines[element.get("data-at")] = points
    data, end = lines["2"], lines["3"]
    assert data[1] < end[1] and data[3] > end[3], "sent earlier, received later"


def test_time_runs_down_with_one_instant_a_step() -> None:
    root = ET.fromstring(chart_svg(chart(*EXAMPLES["reordering"])))
    ys = [float(e.get("data-y", "nan")) for e in root.iter() if e.get("class") == "sp-instant"]
    assert len(ys) == len(EXAMPLES["reordering"][1].steps)
    assert ys == sorted(ys) and len(set(ys)) == len(ys)


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("width", [20, 34, 60, 80, 200])
def test_text_stays_within_the_width(name: str, width: int) -> None:
    for line in chart_text(chart(*EXAMPLES[name]), width).splitlines():
        assert cell_len(line) <= width, line


def test_text_of_the_paper_s_lossy_run() -> None:
    """Drawn by hand first: the sketch of what a chart should look like."""
    assert chart_text(chart(*EXAMPLES["loss"])).splitlines() == [
        "   S                R",
        "s0 │                │ r0",
        "   ├──── start ────▶│",
        "s1 │                │ r1",
        "   ├───── data ────▶│",
        "   ├──── end ────✕  │    lost",
        "s2 │                │",
        "   ⌛ ack           ⌛ data, end",
    ]


def test_text_of_the_other_runs_says_what_happened() -> None:
    assert "data ⇝ end" in chart_text(chart(*EXAMPLES["corruption"]))
    assert "overtakes ①" in chart_text(chart(*EXAMPLES["reordering"]))
    assert "8 times" in chart_text(chart(*EXAMPLES["rounds"]))
    assert "⚡ crash" in chart_text(chart(*EXAMPLES["crash"]))
    assert chart_text(chart(*EXAMPLES["corruption"])).count("not received") == 2


def test_a_chart_too_wide_becomes_a_list() -> None:
    shown = chart_text(chart(*EXAMPLES["crash"]), 20)
    assert re.search(r"^ +4  A crashes", shown, re.M) and "⌛" in shown


def test_terminal_escapes_stay_inert() -> None:
    for width in (20, 60, 200):
        shown = chart_text(chart(*EXAMPLES["nasty"]), width)
        assert "\x1b" not in shown and "\x07" not in shown


def test_mermaid() -> None:
    shown = chart_mermaid(chart(*EXAMPLES["loss"])).splitlines()
    assert shown[0] == "sequenceDiagram" and "  participant p1 as R" in shown
    assert "  p0-xp1: #101;nd (lost)" in shown and "  Note over p1: ⌛ waits for data, #101;nd" in shown
    assert "  loop 8 times" in chart_mermaid(chart(*EXAMPLES["rounds"]))
    nasty = chart_mermaid(chart(*EXAMPLES["nasty"]))
    assert "<" not in nasty and NASTY not in nasty and '"' not in nasty


@pytest.mark.parametrize("chunk", range(4))
def test_random_charts_are_sound_in_every_form(chunk: int) -> None:
    for seed in range(chunk * 40, chunk * 40 + 40):
        rng = random.Random(seed)
        system = random_system(rng, internal=0.2)
        witness = random_witness(rng, system, random_failures(rng, system), rng.choice((0, 6, 25)))
        picture = chart(system, witness, fold=seed % 2 == 0)
        check_svg(chart_svg(picture))
        width = rng.choice((20, 40, 80, 120))
        assert all(cell_len(line) <= width for line in chart_text(picture, width).splitlines()), seed
        assert chart_mermaid(picture).startswith("sequenceDiagram\n"), seed


def test_a_label_hides_no_short_piece_of_an_arrow() -> None:
    """After a late corruption little way is left: the new name stands beside it."""
    steps: tuple[Step, ...] = (
        sends("start", "s1"),
        *(sends("data", "s1") for _ in range(20)),
        Corrupt(SR, 0, "start", "data"),
        takes("data", "r3"),
    )
    layout = lay_out(chart(EX1, run(*steps), fold=False))
    (x1, _), (x2, y2) = layout.routes[0].points[-2:]
    label = next(label for label in layout.labels if "sp-changed-text" in label.kind)
    right = label.box[2]
    assert right < x1 + (x2 - x1) / 2 and abs(label.y - y2) < 40


def test_a_crashed_state_stands_clear_of_the_bolt() -> None:
    picture = chart(*EXAMPLES["crash"])
    layout = lay_out(picture)
    at = next(line.crash for line in picture.lifelines if line.crash is not None)
    y = layout.state_y(at)
    assert y is not None and y - 6.5 > layout.y[at] + 13, "the pill begins below the tip of the bolt"


def test_a_narrow_arrow_shows_the_whole_name_where_it_fits() -> None:
    """Nine columns from line to line hold `├ token ▶│`."""
    names = [f"P{i}" for i in range(8)]
    roles = [
        process(n, ("w", Receive(names[i - 1], "token"), "w"))
        if i
        else process(n, ("w", Send("P1", "token"), "w"))
        for i, n in enumerate(names)
    ]
    steps = (sends("token", "w", "P0", "P1"), takes("token", "w", "P1", "P0"))
    shown = chart_text(chart(System(tuple(roles)), run(*steps)), 70)
    assert "├ token ▶│" in shown or "├─ token ▶│" in shown


def test_what_the_last_one_waits_for_stands_under_it_where_there_is_room() -> None:
    shown = chart_text(chart(*EXAMPLES["loss"]), 100).splitlines()
    assert shown[-1].split() == ["⌛", "ack", "⌛", "data,", "end"]
