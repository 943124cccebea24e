"""Timers are drawn as clocks, and named so in every sentence and in saved runs."""

from __future__ import annotations

from stormproof import formats
from stormproof.draw.chart.build import chart, descriptions
from stormproof.draw.chart.mermaid import chart_mermaid
from stormproof.draw.chart.svg import chart_svg
from stormproof.draw.chart.text import chart_text
from stormproof.model.actions import Internal, Send
from stormproof.model.run import Act, Witness, witness_from_json
from stormproof.narrate.narrative import Narrative

SYSTEM = formats.loads(
    "role A { ask: B!q -> wait  wait: timeout -> ask  timeout late -> end }\nrole B { s: A?q -> s }"
)
STEPS = (
    Act("A", Send("B", "q"), "wait"),
    Act("A", Internal("timeout", timeout=True), "ask"),
    Act("A", Send("B", "q"), "wait"),
    Act("A", Internal("late", timeout=True), "end"),
)
RUN = Witness(STEPS, {"A": "end", "B": "s"}, {SYSTEM.channels[0]: ("q", "q")})


def test_a_timer_is_a_clock_in_every_picture() -> None:
    drawn = chart(SYSTEM, RUN)
    assert "◷ timeout late" in chart_text(drawn, 120)
    assert "Note over p0: ◷ timeout late" in chart_mermaid(drawn)
    assert chart_svg(drawn, style=False).count('class="sp-clock"') == 2


def test_a_timer_times_out_in_sentences() -> None:
    assert Narrative(SYSTEM, RUN).sentences() == ["A sends q, times out, sends q and times out (late)."]
    assert descriptions(chart(SYSTEM, RUN))[1] == "A times out"


def test_a_timer_is_a_timer_in_a_saved_run() -> None:
    assert witness_from_json(RUN.to_json()) == RUN
    assert RUN.to_json()["steps"][1]["timeout"] is True
