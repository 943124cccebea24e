"""The bound that a run needs."""

from __future__ import annotations

from stormproof.kernel.model.actions import Channel, Receive, Send
from stormproof.kernel.model.channel_faults import Duplicate, Lose
from stormproof.kernel.model.message_tracking import longest_content
from stormproof.kernel.model.run import Act

AB = Channel("A", "B")
SEND, TAKE, BACK = (
    Act("A", Send("B", "m"), "s"),
    Act("B", Receive("A", "m"), "s"),
    Act("B", Send("A", "m"), "s"),
)


def test_a_message_that_is_lost_as_it_is_sent_needs_no_room() -> None:
    assert longest_content(()) == 1
    assert longest_content((SEND, SEND)) == 2
    assert longest_content((SEND, SEND, Lose(AB, 0, "m"))) == 1
    assert longest_content((SEND, SEND, BACK, Lose(AB, 0, "m"))) == 2
    assert longest_content((SEND, SEND, SEND, Lose(AB, 0, "m"), Lose(AB, 0, "m"))) == 2


def test_a_copy_that_is_received_at_once_needs_no_room() -> None:
    assert longest_content((SEND, Duplicate(AB, 0, "m"), TAKE, TAKE)) == 1
