"""What a run repeats for ever, and which channels grow meanwhile."""

from __future__ import annotations

import pytest

from stormproof.kernel.model.actions import Channel, Receive, Send
from stormproof.kernel.model.failures import FailureModel
from stormproof.kernel.model.repetition import Repetition, repetition
from stormproof.kernel.model.run import Act, Step, Witness
from stormproof.languages import formats
from stormproof.search.narrate.reason import RunEnd
from stormproof.search.narrate.survival import stuck

SYSTEM = formats.loads(
    "role A { s: B!x -> s  C!y -> s  C!z -> s }\nrole B { t: A?x -> t }\nrole C { u: A?w -> end }"
)
AB, AC = Channel("A", "B"), Channel("A", "C")
FULL = tuple(Act("A", Send("C", "y"), "s") for _ in range(3))
ROUND = (Act("A", Send("B", "x"), "s"),)


def run(steps: tuple[Step, ...], held: dict[Channel, tuple[str, ...]], **marks: int | str) -> Witness:
    return Witness(steps, {"A": "s", "B": "t", "C": "u"}, held, **marks)  # type: ignore[arg-type]


def test_the_channel_that_grows_is_named_and_not_the_fullest() -> None:
    witness = run((*FULL, *ROUND), {AB: ("x",), AC: ("y", "y", "y")}, ending="divergence", calm_from=3)
    assert repetition(SYSTEM, witness) == Repetition(3, (AB,))
    told = stuck(RunEnd(SYSTEM, FailureModel({}), None, witness))
    assert told == "divergence: A loops for ever while A→B grows; C does not receive y from A"


@pytest.mark.parametrize("since", [None, 2])
def test_a_round_that_leaves_the_channels_as_they_were_names_none(since: int | None) -> None:
    steps = (*FULL[:2], *ROUND, Act("B", Receive("A", "x"), "t"))
    witness = run(steps, {AC: ("y", "y")}, ending="divergence", calm_from=2, loop_from=2)
    assert repetition(SYSTEM, witness, since) == Repetition(2, ())
    told = stuck(RunEnd(SYSTEM, FailureModel({}), None, witness))
    assert told == "divergence: A and B loop for ever; C does not receive y from A"


def test_a_run_that_ends_repeats_nothing() -> None:
    assert repetition(SYSTEM, run(FULL, {AC: ("y", "y", "y")}, ending="deadlock")) == Repetition(None)
