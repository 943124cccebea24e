"""The k-properties in the compact store: verdicts, counts and lengths of runs as in the ordinary one."""

from __future__ import annotations

import random

import pytest

from stormproof import _engine
from stormproof.kernel.model.failures import Failures
from stormproof.languages.protocols.generators.rings import dining_philosophers
from stormproof.limits import Limits
from stormproof.search.engine.k_properties import explore
from tests.support.engine_queries import decide, defined, random_question, verdicts

EACH = 300


@pytest.mark.parametrize("chunk", range(2))
def test_the_compact_store_decides_what_the_ordinary_one_decides(chunk: int) -> None:
    violated = 0
    for seed in range(chunk * 10**6, chunk * 10**6 + EACH):
        system, failures, k = random_question(seed)
        names = defined(failures)
        whole = decide(system, failures, k, names, most=3_000)
        if whole.stop != _engine.Stop.NONE:
            continue
        threads = random.Random(seed).randint(1, 3)
        found = decide(system, failures, k, names, compact=True, threads=threads, parallel_from=1)
        where = f"seed {seed}, k = {k}, {threads} threads"
        assert found.compact and found.stop == _engine.Stop.NONE, where
        assert verdicts(found) == verdicts(whole), where
        assert (found.states, found.transitions) == (whole.states, whole.transitions), where
        assert _lengths(found) == _lengths(whole), where
        violated += len(whole.violations)
    assert violated > EACH


def _lengths(answer: _engine.Answer) -> dict[str, int]:
    return {str(v.which): len(v.firings) for v in answer.violations}


@pytest.mark.parametrize("left_handed", [False, True])
def test_memory_that_runs_short_is_no_end(left_handed: bool) -> None:
    """Five philosophers take 4.4 MB in the ordinary store, and 1.6 MB in the compact one."""
    system = dining_philosophers(5, left_handed=left_handed)
    failures = Failures().on(system)
    names = ("k-exh", "k-er", "k-pg")
    short = Limits(memory="2MB")
    found = explore(system, failures, 1, properties=names, limits=short, reduction=False, symmetry=False)
    whole = explore(system, failures, 1, properties=names, reduction=False, symmetry=False)
    assert found.compact and not whole.compact and not found.stopped
    assert found.memory < 2_000_000 < whole.memory
    assert (found.states, found.transitions) == (whole.states, whole.transitions)
    assert found.holds == whole.holds
    assert {n: len(v.firings) for n, v in found.violations.items()} == {
        n: len(v.firings) for n, v in whole.violations.items()
    }


def test_memory_that_does_not_suffice_is_a_limit() -> None:
    system = dining_philosophers(5)
    found = explore(
        system,
        Failures().on(system),
        1,
        properties=["k-er"],
        limits=Limits(memory="1MB"),
        reduction=False,
        symmetry=False,
    )
    assert found.compact and found.stopped == "memory" and found.holds == {"k-er": None}
