"""Links of a network that are cut for good (definitions 15.3)."""

from __future__ import annotations

import asyncio

import pytest

import stormproof as sp
from stormproof.errors import UsageError
from stormproof.live.runtime.faulty import FaultyNetwork
from stormproof.programs.extraction.requests import Received

SYSTEM = sp.loads("role A { s: B!x -> s\n B?y -> s }\nrole B { w: A?x -> v\n v: A!y -> w }")


class Counting:
    """A network that counts what reaches it."""

    def __init__(self) -> None:
        self.arrived: list[str] = []

    async def send(self, message: Received, receiver: str) -> None:
        self.arrived.append(receiver)


def test_nothing_goes_over_a_link_after_its_cut_in_either_direction() -> None:
    counted = Counting()
    model = sp.Failures(cut=True).on(SYSTEM)
    network = FaultyNetwork(counted, model, seed=3, rate=1.0)  # type: ignore[arg-type]

    async def talk() -> None:
        for n in range(400):
            sender, receiver = ("A", "B") if n % 2 else ("B", "A")
            await network.send(Received(sender, "x"), receiver)

    asyncio.run(talk())
    assert network.faults == 1 and 0 < len(counted.arrived) < 400
    network.storm = False
    before = len(counted.arrived)
    asyncio.run(network.send(Received("B", "x"), "A"))
    assert len(counted.arrived) == before


def test_what_a_cut_takes_down_needs_the_system() -> None:
    with pytest.raises(UsageError, match="depends on the system"):
        FaultyNetwork(Counting(), sp.Failures(cut=True), seed=1)  # type: ignore[arg-type]
