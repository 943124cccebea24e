"""Survival at growing bounds: how the run that is shown ends."""

from __future__ import annotations

import stormproof as sp

#: B never takes x, and A waits for an answer after six of them.
SIX = """
role A { s0: B!x -> s1
  s1: B!x -> s2
  s2: B!x -> s3
  s3: B!x -> s4
  s4: B!x -> s5
  s5: B!x -> s6
  s6: B?answer -> end }
role B { w: A?y -> v
  v: A!answer -> end }
"""
#: B may send x for ever, or wait for what A never sends once it has sent some.
STOPS_OR_GROWS = """
role A { w: B?y -> end }
role B { s: A!x -> s
  A!x -> t
  t: A!x -> u
  u: A!x -> v
  v: A?z -> end }
"""
GROWS = """
role A { w: B?y -> end }
role B { s: A!x -> t
  t: A!x -> s }
"""


def test_a_deadlock_beyond_the_slack_is_no_divergence() -> None:
    for text, acts in ((SIX, 6), (STOPS_OR_GROWS, 3)):
        for k in (None, 1):
            verdict = sp.survives(sp.loads(text), k=k)
            assert verdict.holds is False and verdict.faults == 0 and verdict.replayed
            assert verdict.witness is not None and verdict.witness.ending == "deadlock"
            assert len(verdict.witness.acts) == acts and verdict.reason.startswith("deadlock")


def test_what_grows_without_end_diverges() -> None:
    verdict = sp.survives(sp.loads(GROWS), certificates=True)
    assert verdict.holds is False and verdict.witness is not None and verdict.replayed
    assert verdict.witness.ending == "divergence" and verdict.witness.loop_from is not None
    assert verdict.reason.startswith("divergence: B loops for ever while B→A grows")


def test_the_run_that_is_followed_to_its_end_has_its_certificate() -> None:
    verdict = sp.survives(sp.loads(SIX), certificates=True)
    assert verdict.witness is not None and verdict.witness.ending == "deadlock"
    assert verdict.certificate is not None and verdict.replayed
