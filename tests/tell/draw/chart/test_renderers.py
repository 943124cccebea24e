"""The charts drawn: well-formed, inside their frame, within their width, whatever the names are."""

from __future__ import annotations

import itertools
import random
import re
import xml.etree.ElementTree as ET
from collections import Counter

import pytest
from rich.cells import cell_len

from stormproof.errors import Place
from stormproof.kernel.model.actions import Channel, Internal, Receive, Send
from stormproof.kernel.model.channel_faults import Corrupt, Duplicate, Lose, Swap
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.run import Act
from stormproof.kernel.model.system import System
from stormproof.languages.protocols import protocol
from stormproof.search.checks.api import check
from stormproof.tell.draw.chart.build import Chart, chart
from stormproof.tell.draw.chart.layout import lay_out
from stormproof.tell.draw.chart.mermaid import chart_mermaid
from stormproof.tell.draw.chart.placing import Obstacles, PlacedText, _overlap, touches
from stormproof.tell.draw.chart.svg import chart_svg
from stormproof.tell.draw.chart.text import chart_lines, chart_text
from tests.support.example_runs import EX1, EXAMPLES, NASTY, SR, START, run, sends, takes
from tests.support.example_systems import process
from tests.support.random_systems import random_failures, random_system, random_witness
from tests.support.svg_checks import check_svg, texts


def classes(picture: Chart) -> list[str]:
    return [e.get("class", "") for e in ET.fromstring(chart_svg(picture)).iter()]


@pytest.mark.parametrize("name", EXAMPLES)
def test_svg_is_sound(name: str) -> None:
    check_svg(chart_svg(chart(*EXAMPLES[name], title=name)))


def test_long_names_of_processes_are_broken_and_not_clipped() -> None:
    buyer, bank, message = (
        "CustomerRelationshipManagementService",
        "Bank",
        "requestAuthorisationOfPayment(amount)",
    )
    system = System(
        (
            process(buyer, ("a", Send(bank, message), "b")),
            process(bank, ("c", Receive(buyer, message), "d")),
        )
    )
    drawn = chart_svg(chart(system, run(sends(message, "b", buyer, bank))))
    check_svg(drawn)
    shown = texts(drawn)
    assert {"CustomerRelationship", "ManagementService", bank, message} <= set(shown)


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


def random_chart(seed: int, length: int) -> Chart:
    rng = random.Random(seed)
    system = random_system(rng)
    return chart(system, random_witness(rng, system, random_failures(rng, system), length), fold=False)


@pytest.mark.parametrize("chunk", range(4))
def test_states_never_cover_one_another_and_no_name_its_own_line(chunk: int) -> None:
    for seed in range(chunk * 60, chunk * 60 + 60):
        picture = random_chart(seed, 90 if seed % 20 == 0 else 30)
        layout = lay_out(picture)
        states = [text.box for text in layout.texts if "sp-state" in text.kind.split()]
        for a, b in itertools.combinations(states, 2):
            apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
            assert apart, (seed, a, b)
        names = iter(text for text in layout.texts if "sp-label" in text.kind.split())
        for flight in picture.shown:
            for piece in range(len(flight.changes) + 1):
                own, name = layout.routes[flight.index].longest(piece), next(names)
                assert not touches(name.box, *own), (seed, name.words)


def test_a_name_crosses_a_line_rather_than_cover_the_edge_of_a_text() -> None:
    taken = Obstacles()
    taken.add_box((0.0, 0.0, 20.0, 12.0))
    taken.add_line((0.0, 40.0), (100.0, 40.0))
    edge, line = (PlacedText(x, y, "m", "", "m", 0) for x, y in ((27.0, 10.0), (60.0, 44.0)))
    assert 0 < _overlap(edge.box, (0.0, 0.0, 20.0, 12.0)) < 10
    assert taken.place([edge, line]) is line


def test_no_name_of_a_message_covers_another_text() -> None:
    """Its own line is the last that a name may stand on; the lines of others are better than a text."""
    found = check(protocol("go-back-n-too-few"), max_k=2, effort=100_000)["right"]
    assert found.witness is not None and found.own is not None
    texts = lay_out(chart(found.own.system, found.witness)).texts
    for name in (text for text in texts if "sp-label" in text.kind.split()):
        assert all(_overlap(name.box, other.box) == 0 for other in texts if other is not name), name.words


def test_names_of_messages_keep_off_the_lifelines() -> None:
    """Where many arrows cross, a name may stand near another arrow, but not on a lifeline."""
    report = check(protocol("half-duplex"), Failures(corrupt=True), properties=["k-exh"], k=4)
    witness = report["k-exh"].witness
    assert witness is not None
    layout = lay_out(chart(report.system, witness))
    for text in layout.texts:
        if "sp-label" in text.kind.split():
            assert not any(text.box[0] < x < text.box[2] for x in layout.x.values()), text.words


def test_every_fault_of_a_run_has_its_sign() -> None:
    """As many crosses, stars and marks of overtaking as the caption counts losses, corruptions and swaps."""
    seen: Counter[str] = Counter()
    for seed in range(200):
        picture = random_chart(seed, 30)
        shown = [e for e in ET.fromstring(chart_svg(picture)).iter() if e.get("data-at") is not None]
        for fault, kind in ((Lose, "sp-cross"), (Corrupt, "sp-changed-fill"), (Swap, "sp-ring")):
            wanted = {str(i) for i, step in enumerate(picture.steps) if isinstance(step, fault)}
            marked = {e.get("data-at") for e in shown if kind in e.get("class", "").split()}
            assert wanted <= marked, (seed, kind)
            seen[kind] += len(wanted)
    assert min(seen.values()) > 50


def test_a_swap_is_drawn_even_if_nothing_is_received() -> None:
    roles = (
        process("A", ("s", Send("B", "open"), "t"), ("t", Send("B", "data"), "u")),
        process("B", ("p", Receive("A", "open"), "q"), ("q", Receive("A", "data"), "r")),
    )
    steps = (sends("open", "t", "A", "B"), sends("data", "u", "A", "B"), Swap(Channel("A", "B"), 0))
    picture = chart(System(roles), run(*steps))
    assert "overtakes open, not received" in chart_text(picture)
    assert "overtakes open" in chart_mermaid(picture)
    open_, data = (lay_out(picture).routes[i] for i in (0, 1))
    assert open_.meets(data) is not None, "the arrows cross"


def test_a_late_swap_has_a_row_of_its_own() -> None:
    steps = (*START, sends("data", "s1"), sends("data", "s1"), sends("ack", "r0", "R", "S"), Swap(SR, 0))
    shown = chart_text(chart(EX1, run(*steps)))
    assert "data ⇄ data" in shown and "data overtakes data" in shown


@pytest.mark.parametrize("width", (40, 60, 80))
def test_what_a_message_became_is_always_legible(width: int) -> None:
    long, longer = "a-request-with-a-long-name", "an-answer-that-nobody-asked-for"
    roles = [
        process("Client", ("c", Send("Server", long), "c")),
        process("Server", ("s", Receive("Client", longer), "s")),
        *(process(f"Other{i}", ("o", Receive("Client", "x"), "o")) for i in range(3)),
    ]
    channel, send = Channel("Client", "Server"), sends(long, "c", "Client", "Server")
    taken = takes(longer, "s", "Server", "Client")
    at_once = (send, Corrupt(channel, 0, long, longer), taken)
    apart = (send, send, Corrupt(channel, 0, long, longer), taken)
    for steps in (at_once, apart, at_once[:2]):
        lines = chart_text(chart(System(tuple(roles)), run(*steps)), width).splitlines()
        assert any(long in line for line in lines) and any(longer in line for line in lines)


def test_the_pieces_of_a_text_chart_are_the_text_and_name_what_they_show() -> None:
    for name, kind, words in (
        ("loss", "lost", "✕"),
        ("corruption", "changed", "⇝"),
        ("loss", "wait", "⌛"),
        ("reordering", "overtakes", "overtakes"),
    ):
        lines = chart_lines(chart(*EXAMPLES[name]))
        assert "\n".join("".join(w for w, _ in line) for line in lines) == chart_text(chart(*EXAMPLES[name]))
        assert any(style == kind and words in piece for line in lines for piece, style in line), name


def with_copy(*received: Act) -> Chart:
    """`data` sent once, and duplicated."""
    return chart(EX1, run(*START, sends("data", "s1"), Duplicate(SR, 0, "data"), *received))


def test_a_duplicate_is_drawn_as_a_copy() -> None:
    picture = with_copy(takes("data", "r1"), takes("data", "r1"))
    check_svg(chart_svg(picture))
    found = Counter(kind for c in classes(picture) for kind in c.split())
    assert found["sp-copy"] == 1 and found["sp-copies"] == 2, "a line, and a sign of two squares"
    assert "(1) data is duplicated" in chart_mermaid(picture)


def test_a_message_that_stays_after_its_copy_was_received() -> None:
    picture = with_copy(takes("data", "r1"))
    check_svg(chart_svg(picture))
    lines = chart_text(picture).splitlines()
    assert any("①── data" in line and "copy" in line for line in lines)
    assert any("▷" in line and "not received" in line for line in lines)


def with_events() -> Chart:
    asks = process("P", ("p0", Send("Q", "ask"), "p1"), ("p1", Internal("retry", timeout=True), "p0"))
    answers = process(
        "Q",
        ("q0", Receive("P", "ask"), "q1"),
        ("q1", Internal("again"), "q0"),
        ("q0", Internal("halt"), "gone"),
    )
    steps = (
        Act("P", Send("Q", "ask"), "p1"),
        Act("Q", Receive("P", "ask"), "q1"),
        Act("Q", Internal("again"), "q0", fault="restart"),
        Act("P", Internal("retry", timeout=True), "p0"),
        Act("Q", Internal("halt"), "gone", fault="stop"),
        Act("P", Send("Q", "ask"), "p1"),
    )
    return chart(System((asks, answers)), run(*steps))


def test_timers_restarts_and_stops() -> None:
    picture = with_events()
    check_svg(chart_svg(picture))
    found = Counter(kind for c in classes(picture) for kind in c.split())
    assert found["sp-clock"] == 1 and found["sp-stop"] == 3, "a bar, and a break of two strokes"
    assert found["sp-life"] == 3, "the restarted lifeline is in two parts"
    lines = chart_text(picture).splitlines()
    assert any("◷ timeout retry" in line for line in lines) and any("↻ again" in line for line in lines)
    stop = next(i for i, line in enumerate(lines) if "┷ halt" in line)
    column = lines[stop].index("┷")
    assert all(line[column : column + 1].strip() in ("", "▷") for line in lines[stop + 1 :])


def test_what_repeats_for_ever_is_framed_and_says_what_grows() -> None:
    steps = (*START, sends("data", "s1"))
    picture = chart(EX1, run(*steps, ending="divergence", calm_from=2))
    assert picture.repeats == 2 and picture.grows == (SR,)
    check_svg(chart_svg(picture))
    assert any("sp-loop" in c.split() for c in classes(picture))
    assert "repeats for ever; S → R grows" in texts(chart_svg(picture))
    assert " repeats for ever; S → R grows " in chart_text(picture)
    assert "  loop for ever#59; S → R grows" in chart_mermaid(picture)
    assert [line.wait is None for line in picture.lifelines] == [True, True]


def test_who_takes_no_part_in_what_repeats_waits_for_ever() -> None:
    looping = process("P", ("p", Internal("retry"), "p"))
    waiting = process("Q", ("q", Receive("P", "news"), "r"))
    picture = chart(System((looping, waiting)), run(Act("P", Internal("retry"), "p")), repeats=0)
    assert picture.lifelines[0].wait is None and picture.lifelines[1].wait is not None


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


def test_every_form_says_where_the_states_of_a_program_are_written() -> None:
    rows = [("waiting{bit=0}", Send("B", "m"), "line7{bit=0}")]
    places = [("waiting{bit=0}", Place("abp.py", 11)), ("line7{bit=0}", Place("folder/abp.py", 7))]
    sender = Process("A", "waiting{bit=0}", rows, places=places)
    system = System([sender, Process("B", "idle", [("idle", Receive("A", "m"), "idle")])])
    drawn = chart(system, run(Act("A", Send("B", "m"), "line7{bit=0}")))
    svg = chart_svg(drawn)
    check_svg(svg)
    legend = [words for words in texts(svg) if " is " in words]
    assert ", ".join(legend) == "waiting is abp.py:11, line7 is abp.py:7"
    assert legend[0] in chart_text(drawn, 80)
    assert "waiting is abp.py#58;11" in chart_mermaid(drawn)
