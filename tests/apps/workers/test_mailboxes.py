"""Playing a protocol with mailboxes: its steps, what its mailboxes hold, and the way to rest."""

from __future__ import annotations

from stormproof.apps.workers.playing import play, show_me

TEXT = """protocol Order
communication mailbox
role Buyer { start: Clerk!order -> done  done: }
role Bank { start: Clerk!paid -> done  done: }
role Clerk { start: Buyer?order -> ordered  ordered: Bank?paid -> done  done: }
"""


def test_a_run_is_played_to_where_it_is_stuck() -> None:
    start = play(TEXT, {}, [], 0)
    assert [choice["say"] for choice in start["choices"]] == [
        "Buyer sends order to Clerk",
        "Bank sends paid to Clerk",
    ]
    paid = start["choices"][1]["steps"]
    both = play(TEXT, {}, [*paid, *start["choices"][0]["steps"]], 2)
    assert both["problem"] == "" and both["choices"] == [] and both["rest"][1:] == ["never", "never"]
    assert both["moments"][2]["in"] == [["mailbox of Clerk", ["paid from Bank", "order from Buyer"]]]


def test_the_way_to_rest() -> None:
    steps = play(TEXT, {}, [], 0)["choices"][0]["steps"]
    way = show_me(TEXT, {}, steps)["steps"]
    assert sorted(step["do"] for step in way) == ["receive", "receive", "send"]
    assert play(TEXT, {"loss": True}, [*steps, *way], 4)["rest"][4] == "possible"
