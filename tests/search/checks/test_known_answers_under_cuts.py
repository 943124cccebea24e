"""Protocols whose answer under cuts is known beforehand, each with its reason and a twin that differs."""

from __future__ import annotations

import pytest

import stormproof as sp
from stormproof.kernel.model.run import LinkCut

#: The service changes the view only when the primary has acknowledged the present one. Where that way is
#: dead, no acknowledgement ever comes, and nobody takes over. Losses do not show it: a primary that repeats
#: its acknowledgement survives them.
WAITS_FOR_THE_PRIMARY = """
role V { start: P!view -> pending
         pending: P?ack -> served
         served: P?ack -> served }
role P { idle: V?view -> acking
         acking: V!ack -> primary
         primary: timeout -> acking }
rest V@served, P@primary
require view: always possible V@served under cut on P -> V
"""
#: The service goes on to the backup after a while, whether or not the primary has acknowledged.
GOES_ON = """
role V { start: P!view -> pending
         pending: P?ack -> served
                  timeout -> promote
         promote: B!view -> second
         second: B?ack -> served
                 P?ack -> second
         served: P?ack -> served
                 B?ack -> served }
role P { idle: V?view -> acking
         acking: V!ack -> primary
         primary: timeout -> acking }
role B { idle: V?view -> acking
         acking: V!ack -> primary
         primary: }
require view: always possible V@served under cut on P -> V
"""
#: News go round in one direction: any cut link on the way stops them.
ONE_WAY = """
role A { has: B!news -> told
         told: }
role B { waits: A?news -> passes
         passes: C!news -> knows
         knows: }
role C { waits: B?news -> knows
         knows: }
require all: always possible B@knows & C@knows under cut, at most 1 cut
"""
#: News go round in both directions: with one link cut, everybody is reached from the other side.
BOTH_WAYS = """
role A { has: B!news -> half
         half: C!news -> told
         told: }
role B { waits: A?news -> passes
                C?news -> knows
         passes: C!news -> knows
         knows: A?news -> knows
                C?news -> knows }
role C { waits: A?news -> passes
                B?news -> knows
         passes: B!news -> knows
         knows: A?news -> knows
                B?news -> knows }
require all: always possible B@knows & C@knows under cut, at most 1 cut
"""


@pytest.mark.parametrize(
    ("text", "holds"),
    [(WAITS_FOR_THE_PRIMARY, False), (GOES_ON, True), (ONE_WAY, False), (BOTH_WAYS, True)],
)
def test_the_answer_is_the_known_one(text: str, holds: bool) -> None:
    report = sp.check(sp.loads(text))
    verdict = next(v for v in report if v.requirement is not None)
    assert verdict.holds is holds
    if not holds:
        assert verdict.witness is not None and verdict.faults == 1
        assert [type(step) for step in verdict.witness.steps].count(LinkCut) == 1


def test_losses_do_not_show_the_dead_direction() -> None:
    lossy = WAITS_FOR_THE_PRIMARY.replace("cut on", "loss on")
    verdict = next(v for v in sp.check(sp.loads(lossy)) if v.requirement is not None)
    assert verdict.holds
