"""The answer in a sentence: what breaks first, after which faults; the bound before what is claimed."""

from __future__ import annotations

import json

import pytest

import stormproof as sp
from stormproof.kernel.model.system import System

#: A asks B. A loss leaves both waiting; B never has the message twice, and the reply may be overtaken.
ASK = """
protocol Ask
role A { ask: B!query -> wait
         wait: B?reply -> done
         done: }
role B { idle: A?query -> busy
         busy: A!reply -> idle }
rest B@idle
"""
#: B may be asked without bound, so that nothing is proved for any channel length by small searches.
FLOOD = """
protocol Flood
role A { s: B!x -> s
            B!y -> t
         t: B?z -> u
         u: }
role B { s: A?x -> s
            A?y -> t
         t: A!z -> u
         u: }
"""


def ask(*lines: str) -> System:
    return sp.loads("\n".join((ASK, *lines)))


def answer(system: System, **failures: object) -> str:
    return sp.check(system, sp.Failures(**failures), classes=False).answer  # type: ignore[arg-type]


def test_what_survives_says_so() -> None:
    assert answer(ask()) == "Ask works without faults, for any channel length."
    assert answer(ask(), reorder=True) == "Ask survives, for any channel length."


def test_the_fault_that_breaks_it_is_named_with_its_place() -> None:
    assert answer(ask(), loss=True) == "Ask does not survive: `recovers` breaks after 1 loss on A→B."
    stopped = "Ask does not survive: `recovers` breaks after 1 stop of B."
    assert answer(ask(), stop=["B"]) == stopped


def test_a_requirement_goes_before_survival_and_fewer_faults_before_its_place_in_the_file() -> None:
    """`early` breaks without a fault, `late` only after one, and so does `recovers`."""
    lines = ("require late: always possible A@done under loss", "require early: never A@done")
    report = sp.check(ask(*lines), sp.Failures(loss=True), classes=False)
    assert [v.property for v in report] == ["late", "early", "recovers", "clean"]
    assert report.shown is report["early"]
    assert report.answer == (
        "Ask does not survive: `early` fails without any fault; 2 others are violated, too."
    )
    alone = sp.check(ask(lines[0]), sp.Failures(loss=True), classes=False)
    assert alone.shown is alone["late"], "a requirement goes before `recovers` with as many faults"


def test_a_known_limit_is_no_violation() -> None:
    limited = ask("expect violated lossy: recovers under loss")
    assert answer(limited) == "Ask works without faults, for any channel length (1 known limit, as expected)."
    mended = ask("expect violated odd: recovers under reorder")
    assert answer(mended) == "`odd` of Ask is expected to be violated, and holds."


def test_the_bound_comes_first() -> None:
    report = sp.check(sp.loads(FLOOD), sp.Failures(duplicate=True), max_k=2, classes=False)
    (bound,) = {v.up_to for v in report if v.counts}
    assert bound == 2, "nothing proves it for any length"
    assert report.answer == (
        "A sends any number of messages to B in a row, more than this answer covers: "
        "with up to 2 messages per channel Flood survives; beyond that it is not decided."
    )
    assert report.to_json()["answer"] == report.answer
    bounded = sp.check(sp.protocol("alternating-bit-retransmit"), max_k=2, classes=False)
    assert bounded.answer.startswith("With up to 2 messages per channel"), "nobody sends two in a row"


def test_a_bound_below_what_is_sent_in_a_row_is_said_before_all_else() -> None:
    """The window of two fits into channels of length 2, and not into those of length 1."""
    window = sp.protocol("go-back-n")
    small, large = (sp.check(window, max_k=k, classes=False) for k in (1, 2))
    row = {"sender": "Sender", "receiver": "Receiver", "messages": 2}
    said = "Sender sends up to 2 messages to Receiver in a row"
    bounded = [v for v in small if v.up_to is not None]
    assert bounded and small.answer.startswith(f"{said}, more than this answer covers: with up to 1 message")
    for verdict in bounded:
        assert verdict.to_json()["in_a_row"] == row
        assert f": {said} · up to channels of length 1" in str(verdict)
    assert all(v.in_a_row is None and "in_a_row" not in v.to_json() for v in large)
    assert large.answer.startswith("With up to 2 messages") and said not in str(large)


def test_what_is_not_decided_is_not_said_to_hold() -> None:
    report = sp.check(sp.loads(FLOOD), limits=sp.Limits(states=1), classes=False)
    assert report.exit_code == 3
    assert report.answer == "Undecided: nothing was found against Flood, and `recovers` could not be decided."


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["k-mc"], "alternating-bit has the property `k-mc` at k = 1."),
        (["k-mc", "rsc"], "alternating-bit has the properties `k-mc` at k = 1 and `rsc`."),
    ],
)
def test_properties_that_are_asked_by_name(names: list[str], said: str) -> None:
    assert sp.check(sp.protocol("alternating-bit"), properties=names).answer == said


def test_a_property_that_fails() -> None:
    report = sp.check(
        sp.protocol("alternating-bit"), sp.Failures(loss=True), k=1, properties=["k-pg", "k-mc"]
    )
    assert report.answer == (
        "alternating-bit does not have the property `k-pg` at k = 1; 1 other is violated, too."
    )
    assert json.loads(json.dumps(report.to_json()))["answer"] == report.answer


def test_classes_are_decided_where_nothing_is_asked_by_name() -> None:
    """In Python they are, unless told; what is asked by name is decided anyway."""
    assert "k-mc" in [v.property for v in sp.check(ask())]
    assert [v.property for v in sp.check(ask(), classes=False)] == ["recovers", "clean"]
    assert [v.property for v in sp.check(ask(), properties=["k-mc"], classes=False)] == ["k-mc"]
