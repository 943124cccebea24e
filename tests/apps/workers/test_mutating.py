"""What the studio hears of mutants: what survives, by line."""

from __future__ import annotations

from typing import Any

import pytest

from stormproof.apps.workers.worker import answer
from stormproof.errors import UsageError

OFFER = """protocol offer
role Client { ask: Server!ask -> wait
  wait: Server?offer -> served
  served: }
service role Server { idle: Client?ask -> answer
  answer: Client!offer -> idle }
require served: always possible Client@served
"""


def ask(text: str, told: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    question = {"ask": "mutants", "text": text, "seconds": 30, "memory": 2**30, **more}
    return answer(question, told.append)


def test_what_survives_has_its_line_and_what_would_notice_it() -> None:
    told: list[dict[str, Any]] = []
    found = ask(OFFER, told)
    assert told[0] == {"progress": {"done": 1, "of": len(told)}} and len(told) > 10
    assert found["summary"].startswith(f"{len(told)} mutants: ") and found["notes"] == []
    twice = next(row for row in found["mutants"] if "`Client!offer` is sent twice" in row["words"])
    assert (twice["line"], twice["column"], twice["status"]) == (6, 11, "survives")
    assert twice["width"] == len("Client!offer -> idle")
    assert twice["suggestion"].startswith(("require ", "expect violated ")) and twice["up_to"] is None


def test_the_faults_of_the_page_count() -> None:
    """Under loss the client may wait for ever: nothing that is required holds."""
    found = ask(OFFER, [], settings={"loss": True})
    assert "recovers is violated for the protocol itself, so it notices nothing" in found["notes"]


def test_roles_with_variables_are_refused_in_words() -> None:
    text = """protocol alternating
role Sender {
  var bit: 0..1 = 0
  ask: Receiver!data(bit) -> ask { bit = (bit + 1) mod 2 }
}
role Receiver {
  open: Sender?data(_) -> open
}
"""
    with pytest.raises(UsageError, match="without variables"):
        ask(text, [])
