"""What theorems say of the verdicts, on random systems of any size that the engine manages."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from stormproof.kernel.model.actions import Internal, Transition
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.system import System
from tests.support.engine_queries import ALWAYS, decide, perfect, verdicts
from tests.support.random_systems import random_crash, random_system

MOST = 20_000
WEAKER = (("k-exh", "k-exh-literal"), ("k-exh", "k-exh-up-to-crash"), ("k-er", "k-er-up-to-crash"))


def directed(system: System) -> System:
    """Keep, in each state, the actions of the first peer only."""

    def keep(rows: tuple[Transition, ...]) -> tuple[Transition, ...]:
        peer: dict[str, str] = {}
        return tuple(
            r
            for r in rows
            if not isinstance(r.action, Internal)
            and peer.setdefault(r.source, r.action.peer) == r.action.peer
        )

    return System(tuple(replace(p, transitions=keep(p.transitions)) for p in system))


@pytest.mark.parametrize("chunk", range(4))
def test_a_directed_safe_csa_is_exhaustive(chunk: int) -> None:
    """Definitions 3.10: directed CSA without internal actions, perfect channels: k-safe implies k-exh."""
    safe = 0
    for seed in range(chunk * 10**6, chunk * 10**6 + 1000):
        rng = random.Random(seed)
        system = directed(random_system(rng, csa=True, internal=0.0, states=4, transitions=6))
        assert system.csa and system.directed
        k = rng.randint(1, 3)
        got = verdicts(decide(system, perfect(system), k, ALWAYS, most=MOST))
        if got and got["k-er"] and got["k-pg"]:
            safe += 1
            assert got["k-exh"] and got["k-exh-literal"], f"seed {seed}, k = {k}"
    assert safe > 20


@pytest.mark.parametrize("chunk", range(2))
def test_loss_everywhere_makes_every_send_possible(chunk: int) -> None:
    for seed in range(chunk * 10**6, chunk * 10**6 + 500):
        rng = random.Random(seed)
        system = random_system(rng)
        if rng.random() < 0.4:
            system = random_crash(rng, system)
        faults = Failures(loss=True, corrupt=rng.random() < 0.5, reorder=rng.random() < 0.5)
        got = verdicts(decide(system, faults.on(system), rng.randint(1, 3), ALWAYS, most=MOST))
        if got:
            assert got["k-exh"] and got["k-exh-up-to-crash"] and got["k-exh-literal"], f"seed {seed}"


@pytest.mark.parametrize("chunk", range(2))
def test_what_follows_from_what(chunk: int) -> None:
    """Perfect channels: k-er is k-wer. k = 1: reordering does nothing. Weaker follows from stronger."""
    for seed in range(chunk * 10**6, chunk * 10**6 + 500):
        rng = random.Random(seed)
        system = random_system(rng, states=4, transitions=6)
        if rng.random() < 0.4:
            system = random_crash(rng, system)
        got = verdicts(decide(system, perfect(system), rng.randint(1, 3), ALWAYS, most=MOST))
        if got:
            assert got["k-er"] == got["k-wer"], f"seed {seed}"
            for strong, weak in (
                ("k-exh", "k-exh-literal"),
                ("k-exh", "k-exh-up-to-crash"),
                ("k-er", "k-er-up-to-crash"),
            ):
                assert got[weak] or not got[strong], f"seed {seed}, {weak}"
        for loss, corrupt in ((False, False), (True, False), (False, True)):
            plain = Failures(loss=loss, corrupt=corrupt).on(system)
            swapped = Failures(loss=loss, corrupt=corrupt, reorder=True).on(system)
            one, two = (
                decide(system, plain, 1, ALWAYS, most=MOST),
                decide(system, swapped, 1, ALWAYS, most=MOST),
            )
            assert (one.states, one.violated) == (two.states, two.violated), f"seed {seed}"
