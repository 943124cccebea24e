"""Timers are drawn as clocks, and named so in every sentence and in saved runs."""

from __future__ import annotations

import pytest

from stormproof.kernel.model.actions import Internal, Send
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.run import Act, Witness, witness_from_json
from stormproof.languages import formats
from stormproof.search.checks.api import check
from stormproof.search.narrate.narrative import Narrative
from stormproof.tell.draw.chart.build import chart, descriptions
from stormproof.tell.draw.chart.mermaid import chart_mermaid
from stormproof.tell.draw.chart.svg import chart_svg
from stormproof.tell.draw.chart.text import chart_text

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


@pytest.mark.parametrize(
    ("timer", "sentence"),
    [
        ("", "A waits in wait for r, B has ended in end, and nothing is in flight"),
        (
            "timeout -> wait",
            "A waits in wait for r, nothing of that can arrive any more, and its timer leads to no send, "
            "reception or final state",
        ),
    ],
)
def test_who_waits_with_a_timer_that_does_not_help(timer: str, sentence: str) -> None:
    system = formats.loads(f"role A {{ wait: B?r -> end {timer} }}\nrole B {{ s: A!r -> end }}")
    found = check(system, Failures(loss=True), k=1, properties=["k-pg"])["k-pg"]
    assert found.reason == sentence and found.replayed
    if found.witness is not None:
        lines = {line.name: line for line in chart(system, found.witness).lifelines}
        assert lines["A"].wait is not None and lines["B"].wait is None


def test_a_timer_that_sends_or_ends_is_no_waiting_for_ever() -> None:
    for timer in ("timeout -> again  again: B!q -> wait", "timeout -> end"):
        system = formats.loads(f"role A {{ wait: B?r -> end  {timer} }}\nrole B {{ s: A!r -> end }}")
        assert check(system, Failures(loss=True), k=1, properties=["k-pg"])["k-pg"].holds


def test_a_stop_does_not_hide_who_waits() -> None:
    system = formats.loads("role A { wait: B?r -> end }\nrole B { s: A!r -> end }")
    found = check(system, Failures(stop=["A", "B"]), k=1, properties=["k-pg"])
    witness = found["k-pg"].witness
    assert witness is not None
    lines = {line.name: line for line in chart(found.system, witness).lifelines}
    assert lines["A"].wait is not None


def test_a_timer_is_a_timer_in_a_saved_run() -> None:
    assert witness_from_json(RUN.to_json()) == RUN
    assert RUN.to_json()["steps"][1]["timeout"] is True
