"""The definitions of survival on systems whose answers are known."""

from __future__ import annotations

from typing import Any

import pytest

from stormproof.kernel.model.actions import (
    CRASH,
    Channel,
    Configuration,
    Internal,
    Message,
    Receive,
    Send,
)
from stormproof.kernel.model.ask import RECOVERS, Ask, clean
from stormproof.kernel.model.budget import Budget
from stormproof.kernel.model.failures import ChannelFailure, FailureModel
from stormproof.kernel.model.goal import At
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.storm_step import StormStep
from stormproof.kernel.model.survival import BlockSize, SurvivalModel
from stormproof.kernel.model.system import System
from stormproof.kernel.semantics.faulty_steps import effect, stormy_steps
from stormproof.kernel.semantics.goal_meaning import is_deadlock
from stormproof.languages import protocols
from stormproof.oracle.bounded import initial
from stormproof.oracle.channel_blocks import Blocks, abstract, proves_never, receive, send
from stormproof.oracle.survival import SlowVerdict, answer, explore_storms
from tests.support.survival_examples import model, role


def order() -> System:
    return System(
        (
            role("A", ("start", Send("B", "open"), "opened"), ("opened", Send("B", "data"), "done")),
            role("B", ("start", Receive("A", "open"), "opened"), ("opened", Receive("A", "data"), "done")),
        )
    )


def twice_two() -> System:
    """Violated with two faults while channels hold two messages, with one as soon as they hold three."""
    sends = [("s0", "x"), ("s1", "x"), ("s2", "y"), ("s3", "y")]
    return System(
        (
            role("A", *((s, Send("B", m), f"s{i + 1}") for i, (s, m) in enumerate(sends))),
            role(
                "B",
                ("w", Receive("A", "x"), "g"),
                ("g", Receive("A", "x"), "g"),
                ("g", Receive("A", "y"), "d"),
                ("d", Receive("A", "x"), "d"),
                ("d", Receive("A", "y"), "d"),
            ),
        )
    )


def test_two_messages_in_order() -> None:
    assert answer(model(order()), RECOVERS, 2) == SlowVerdict(True)
    assert answer(model(order()), RECOVERS, 1) == SlowVerdict(True, up_to=1)
    for asked in (model(order(), reorder=True), model(order(), loss=True)):
        found = answer(asked, RECOVERS, 2)
        assert (found.holds, found.faults) == (False, 1)
    assert answer(model(order(), reorder=True), RECOVERS, 1) == SlowVerdict(True, up_to=1)


def test_one_message_cannot_be_duplicated_into_a_role_that_has_ended() -> None:
    """The copy that stays waits for a role that has ended: at rest, but not clean."""
    one = System((role("A", ("s", Send("B", "m"), "t")), role("B", ("s", Receive("A", "m"), "t"))))
    asked = model(one, duplicate=True)
    assert answer(asked, RECOVERS, 1) == SlowVerdict(True)
    found = answer(asked, clean(one, asked.rest), 1)
    assert (found.holds, found.faults) == (False, 1)


@pytest.mark.parametrize(("k", "faults"), [(1, 2), (2, 2), (3, 1), (4, 1)])
def test_longer_channels_may_need_fewer_faults(k: int, faults: int) -> None:
    found = answer(model(twice_two(), loss=True, reorder=True), RECOVERS, k)
    assert (found.holds, found.faults) == (False, faults)


def test_a_budget_by_kind_counts_only_that_kind() -> None:
    system = twice_two()
    for budget, holds in [
        (Budget(0), True),
        (Budget(1), True),
        (Budget(2), False),
        (Budget(kinds={"loss": 1, "reordering": 0}), True),
        (Budget(kinds={"loss": 2, "reordering": 0}), False),
        (Budget(1, {"loss": 2}), True),
    ]:
        found = answer(model(system, budget=budget, loss=True, reorder=True), RECOVERS, 2)
        assert found.holds is holds, budget


def test_the_alternating_bit_needs_its_timer() -> None:
    system = protocols.protocol("alternating-bit")
    assert answer(model(system), RECOVERS, 1) == SlowVerdict(True)
    found = answer(model(system, loss=True), RECOVERS, 1)
    assert (found.holds, found.faults) == (False, 1)


@pytest.mark.parametrize("faults", [{}, {"loss": True}, {"duplicate": True}], ids=str)
def test_the_alternating_bit_with_a_timer_survives(faults: dict[str, Any]) -> None:
    system = protocols.protocol("alternating-bit-retransmit")
    assert answer(model(system, **faults), RECOVERS, 1) == SlowVerdict(True, up_to=1)


def test_a_server_that_has_gone_deaf() -> None:
    """The client repeats its request for ever to a server that has left: no k-property sees it, calm
    futures do."""
    system = System(
        (
            role(
                "Client",
                ("idle", Send("Server", "ask"), "wait"),
                ("wait", Receive("Server", "reply"), "done"),
                ("wait", Internal("timeout"), "again"),
                ("again", Send("Server", "ask"), "wait"),
            ),
            role(
                "Server",
                ("ready", Receive("Client", "ask"), "busy"),
                ("busy", Send("Client", "reply"), "deaf"),
                ("deaf", Receive("Client", "ask"), "deaf"),
            ),
        )
    )
    assert answer(model(system), RECOVERS, 1).holds is True
    found = answer(model(system, loss=True), RECOVERS, 1)
    assert (found.holds, found.faults) == (False, 1)


def test_calm_runs_may_use_more_than_the_storm() -> None:
    """With one bound for both, two roles that fill both channels and wait to send would look stuck."""
    pair = [("A", "B"), ("B", "A")]
    system = System(
        tuple(
            role(p, ("s", Send(q, "m"), "t"), ("t", Send(q, "m"), "u"), ("u", Receive(q, "m"), "v"),
                 ("v", Receive(q, "m"), "w"))
            for p, q in pair
        )
    )  # fmt: skip
    assert answer(model(system), RECOVERS, 1) == SlowVerdict(True, up_to=1)
    assert answer(model(system), RECOVERS, 1, slack=0).holds is None
    assert answer(model(system), RECOVERS, 2) == SlowVerdict(True)


def test_a_deadlock_is_not_at_rest() -> None:
    system = order()
    at = initial(system)
    assert not is_deadlock(model(system), at)
    waiting = System((role("A", ("s", Receive("B", "m"), "t")), role("B", ("s", Receive("A", "m"), "t"))))
    assert not is_deadlock(model(waiting, {"A": ["s"], "B": ["s"]}), initial(waiting))
    assert is_deadlock(model(waiting, {"A": ["t"]}), initial(waiting))


# ---- steps ---------------------------------------------------------------------------------------------


def after(
    asked: SurvivalModel, words: tuple[Message, ...], process: str
) -> set[tuple[tuple[Message, ...], int]]:
    """The contents of the only channel after a step of the process, with the faults that the step counts."""
    at = initial(asked.system)._replace(words=(words,))
    steps = [s for s in stormy_steps(asked, at) if s.process == process]
    return {(effect(asked, at, s).words[0], s.faults.total()) for s in steps}


def wire(failure: ChannelFailure, message: Message = "a") -> SurvivalModel:
    system = System((role("A", ("s", Send("B", message), "t")), role("B", ("s", Receive("A", message), "s"))))
    return SurvivalModel(system, FailureModel({Channel("A", "B"): failure}), rest_states(system))


def test_faults_strike_a_send() -> None:
    failure = ChannelFailure(loss=True, reorder=True, becomes={"a": frozenset("b")})
    assert after(wire(failure), ("c",), "A") == {
        (("c", "a"), 0),
        (("c",), 1),
        (("c", "b"), 1),
        (("a", "c"), 1),
        (("b", "c"), 2),
    }


def test_a_message_that_is_received_may_stay() -> None:
    keeps = ChannelFailure(duplicate=True)
    assert after(wire(keeps), ("a", "c"), "B") == {(("c",), 0), (("a", "c"), 1)}
    anywhere = ChannelFailure(duplicate=True, reorder=True)
    assert after(wire(anywhere), ("a", "c", CRASH), "B") == {
        (("c", CRASH), 0),
        (("a", "c", CRASH), 1),
        (("c", "a", CRASH), 1),
    }


def test_both_copies_may_be_corrupted() -> None:
    failure = ChannelFailure(duplicate=True, becomes={"b": frozenset("a")})
    assert after(wire(failure), ("b",), "B") == {(("b",), 2), (("a",), 3)}


def test_the_crash_message_is_never_touched() -> None:
    failure = ChannelFailure(loss=True, reorder=True, duplicate=True, becomes={"⚡": frozenset("a")})
    assert after(wire(failure, CRASH), ("a",), "A") == {(("a", CRASH), 0)}
    assert after(wire(failure, CRASH), (CRASH,), "B") == {((), 0)}


def test_only_unreliable_processes_crash() -> None:
    system = System(
        (
            role("A", ("s", Internal("crash"), "x"), ("s", Internal("stop"), "t")),
            role("B", ("s", Send("A", "m"), "s")),
        )
    )
    steps = {s.transition.action: s for s in stormy_steps(model(system), initial(system)) if s.process == "A"}
    assert set(steps) == {Internal("stop")} and steps[Internal("stop")].calm
    crashing = SurvivalModel(system, FailureModel({}, ("A",)), rest_states(system))
    kinds = [s.process_fault for s in stormy_steps(crashing, initial(system)) if s.process == "A"]
    assert kinds == ["crash", None]


# ---- goals and proofs ----------------------------------------------------------------------------------


def test_blocks_keep_heads_and_emptiness() -> None:
    size = BlockSize(2, 1)
    content = abstract(("a", "a", "b", "a"), size)
    assert content == Blocks((("a", 2), ("b", 1)), frozenset("a"))
    assert send(content, "c", size).tail == {"a", "c"}
    assert set(receive(content, size)) == {content, content._replace(blocks=(("a", 1), ("b", 1)))}
    last = Blocks((("b", 1),), frozenset("a"))
    assert set(receive(last, BlockSize(1, 1))) == {Blocks(), Blocks((("a", 1),), frozenset("a"))}


def test_the_sorcerers_apprentice_is_a_violation() -> None:
    """After one overtaking the alternating bit's repetitions circulate for ever: blocks prove it, fewer
    do not."""
    system = protocols.protocol("alternating-bit-retransmit")
    at = Configuration(("resend1", "expect1"), (("d1", "d0"), ()))
    asked = model(system, reorder=True)
    assert not proves_never(asked, at, RECOVERS.goal, BlockSize(1, 1))
    assert proves_never(asked, at, RECOVERS.goal, BlockSize(4, 1))


def test_storms_come_in_the_order_of_faults_and_actions() -> None:
    storm = explore_storms(model(twice_two(), loss=True), 2)
    keys = list(storm.best.values())
    assert keys == sorted(keys)
    for node, (before, step) in storm.before.items():
        assert isinstance(step, StormStep)
        assert storm.best[node][0] == storm.best[before][0] + step.faults.total()


def test_never_and_always_possible() -> None:
    asked = model(order(), loss=True)
    never = Ask(False, At("B", ("done",)))
    assert answer(asked, never, 2).faults == 0
    possible = Ask(True, At("B", ("opened",)))
    assert answer(model(order()), possible, 2).holds is False, "B goes on"
    assert answer(model(order()), Ask(True, At("B", ("opened", "done"))), 2) == SlowVerdict(True)
