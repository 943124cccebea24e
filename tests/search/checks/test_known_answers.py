"""Protocols that are in no library, whose answers are known beforehand, each with the reason for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

import stormproof as sp


@dataclass(frozen=True)
class Known:
    """What is asked, and the answer: for each name whether it holds, and with how many faults it breaks."""

    text: str
    failures: dict[str, Any]
    holds: dict[str, bool]
    faults: dict[str, int] = field(default_factory=dict)


PROTOCOLS = {
    # Nobody repeats anything: one fault loses either message, and its receiver waits for ever.
    "a ball that goes to and fro once": Known(
        "role A { a: B!ping -> w  w: B?pong -> d  d: }  role B { b: A?ping -> r  r: A!pong -> d  d: }",
        {"loss": True},
        {"recovers": False, "clean": True},
        {"recovers": 1},
    ),
    # A asks again until it hears. B answers whatever comes, also late; A takes what is late.
    "a question that is asked again": Known(
        "role A { a: B!q -> w  w: B?y -> d  timeout -> a  d: B?y -> d }"
        "service role B { b: A?q -> r  r: A!y -> b }",
        {"loss": True, "duplicate": True, "reorder": True},
        {"recovers": True, "clean": True},
    ),
    # The timer may expire early, so that two askings are under way without a fault: B serves twice.
    "a question without an identifier serves twice": Known(
        "role A { a: B!q -> w  w: B?y -> d  timeout -> a  d: B?y -> d }"
        "role B { b: A?q -> r1  r1: A!y -> once  once: A?q -> r2  r2: A!y -> twice  twice: A?q -> r2 }"
        "rest A@d, B@{b, once, twice}  require once: never B@twice  require served: always possible A@d",
        {"loss": True},
        {"once": False, "served": True, "recovers": True},
        {"once": 0},
    ),
    # The last message of a finite exchange can always be lost: whoever sends it is sure, the other is not.
    "two generals": Known(
        "role A { a: B!attack -> w  w: B?yes -> go  timeout -> no  go:  no: }"
        "role B { b: A?attack -> r  r: A!yes -> go  go: }"
        "rest A@{go, no}, B@{b, go}  require agree: never at rest & (A@no & B@go)",
        {"loss": True},
        {"agree": False, "recovers": True},
        {"agree": 0},
    ),
    # One token and three rooms: where it is lost nobody has it any more.
    "a token that is lost": Known(
        "role A { in: B!t -> out  out: C?t -> in }  role B { out: A?t -> in  in: C!t -> out }"
        "role C { out: B?t -> in  in: A!t -> out }  rest A@in, B@out, C@out"
        "  require one: never A@in & B@in  require again: always possible A@in",
        {"loss": True},
        {"one": True, "again": False, "recovers": False},
        {"again": 1, "recovers": 1},
    ),
    # With a timer that makes a new one it is not lost for good; but a timer may be early: then there are two.
    "a token that is made again": Known(
        "role A { in: B!t -> out  out: C?t -> in  timeout -> in }  role B { out: A?t -> in  in: C!t -> out }"
        "role C { out: B?t -> in  in: A!t -> out }  rest A@in, B@out, C@out"
        "  require one: never A@in & B@in  require again: always possible A@in",
        {"loss": True},
        {"one": False, "again": True},
        {"one": 0},
    ),
    # Eight ticks are under way when the detour through C comes first: no channel of up to six shows it.
    "a detour that overtakes eight ticks": Known(
        "role A { 0: B!t -> 1  1: B!t -> 2  2: B!t -> 3  3: B!t -> 4  4: B!t -> 5  5: B!t -> 6  6: B!t -> 7"
        "  7: B!t -> 8  8: C!go -> 9  9: }  role C { c: A?go -> g  g: B!go -> d  d: }"
        "role B { b: A?t -> b  C?go -> early  early: A?t -> late  late: A?t -> l2  l2: A?t -> l3"
        "  l3: A?t -> l4"
        "  l4: A?t -> l5  l5: A?t -> l6  l6: A?t -> l7  l7: A?t -> l8  l8: }"
        "rest B@{b, early, late, l2, l3, l4, l5, l6, l7, l8}  require order: never B@l8",
        {},
        {"order": False},
        {"order": 0},
    ),
    # Either answer is enough, so one voter may stop; with both gone nobody answers.
    "one of two is enough": Known(
        "role K { k: A!v -> k2  k2: B!v -> w  w: A?y -> d  B?y -> d  d: A?y -> d  B?y -> d }"
        "role A { a: K?v -> r  r: K!y -> d  d: }  role B { a: K?v -> r  r: K!y -> d  d: }"
        "  require heard: always possible K@d",
        {"stop": ["A", "B"]},
        {"heard": False},
        {"heard": 2},
    ),
}


@pytest.mark.parametrize("name", PROTOCOLS)
def test_the_answer_is_what_it_must_be(name: str) -> None:
    known = PROTOCOLS[name]
    failures = sp.Failures(**known.failures)
    report = sp.check(sp.loads(known.text), failures, classes=False, effort=100_000)
    assert {n: report[n].holds for n in known.holds} == known.holds
    for asked, faults in known.faults.items():
        verdict = report[asked]
        assert verdict.witness is not None and verdict.replayed, asked
        assert verdict.faults == verdict.witness.fault_count == faults, asked


def test_a_violated_run_breaks_where_it_must() -> None:
    """One loss of the first message is the end of it: the run is one send."""
    known = PROTOCOLS["a ball that goes to and fro once"]
    run = sp.check(sp.loads(known.text), sp.Failures(loss=True), classes=False)["recovers"].witness
    assert run is not None and len(run.acts) == 1 and run.calm_from == len(run.steps)
