"""Runs in which time passes, played step by step."""

from __future__ import annotations

import stormproof as sp
from stormproof.apps.workers.playing import play, show_me

TEXT = """timers on time
role A {
  idle: timeout start after 2 -> ask
  ask: B!x -> done
  done:
}
role B {
  w: A?x -> v
  v:
}
require never: never B@v
"""


def test_time_passes_as_steps_of_nobody() -> None:
    witness = sp.check(sp.loads(TEXT))["never"].witness
    assert witness is not None
    steps = witness.to_json()["steps"]
    assert [step["do"] for step in steps] == ["pass", "pass", "internal", "send", "receive"]
    shown = play(TEXT, {}, steps, 1)
    assert shown["problem"] == "" and [c["say"] for c in shown["choices"]] == ["a unit of time passes"]
    assert [m["say"] for m in shown["moments"]][:4] == [
        "the start",
        "a unit of time passes",
        "a unit of time passes",
        "A times out (start)",
    ]
    assert show_me(TEXT, {}, [])["steps"] == steps
