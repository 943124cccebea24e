"""What is said of longer channels where a k-property holds."""

from __future__ import annotations

import pytest

from stormproof.kernel.model.actions import Receive, Send
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.system import System
from stormproof.search.checks.implications import on_holding
from stormproof.search.engine.k_properties import explore
from tests.support.example_systems import process

#: P chooses between Q and R, again and again, so one channel may be full when the other is not.
CHOOSING = System(
    (
        process("P", ("s", Send("Q", "a"), "s"), ("s", Send("R", "b"), "s")),
        process("Q", ("q", Receive("P", "a"), "q")),
        process("R", ("r", Receive("P", "b"), "r")),
    )
)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("k-exh",), "it is not known whether it is k-obi and k-sibi"),
        (("k-exh", "k-obi", "k-sibi"), "the system is neither directed nor k-obi and k-sibi"),
    ],
)
def test_what_was_not_asked_is_not_denied(asked: tuple[str, ...], said: str) -> None:
    model = Failures().on(CHOOSING)
    found = explore(CHOOSING, model, 1, properties=asked)
    assert said in str(on_holding(CHOOSING, model, "k-mc", found))
