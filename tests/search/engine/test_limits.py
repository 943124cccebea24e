"""Limits really stop a search, and then nothing is claimed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import textwrap
import time
from contextlib import AbstractContextManager

import pytest

from stormproof import _engine
from stormproof.errors import UsageError
from stormproof.kernel.model.ask import Ask
from stormproof.kernel.model.goal_forms import NOTHING
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.limits import Limits
from stormproof.search.checks.api import check
from stormproof.search.engine.k_properties import PROPERTIES, explore
from stormproof.search.engine.lowering import lower
from stormproof.search.engine.survival import survey
from tests.support.engine_queries import ALWAYS, pairs, perfect
from tests.support.paths import ROOT
from tests.support.processes import Process, started
from tests.support.random_mailboxes import random_mailboxes, searched

K_EXH = PROPERTIES["k-exh"]

#: 31**5, which is 28,629,151 configurations at k = 4: more than any of these limits lets through.
LARGE = pairs(5, "a", "b")


def child(text: str) -> AbstractContextManager[Process]:
    """A Python process that knows the large system and prints JSON."""
    setup = f"""
        import json, sys
        sys.path[:0] = [{str(ROOT)!r}]
        from tests.support.engine_queries import ALWAYS, pairs, perfect
        from stormproof.search.engine.k_properties import explore
        from stormproof.limits import Limits
        large = pairs(5, "a", "b")
    """
    code = textwrap.dedent(setup) + textwrap.dedent(text)
    return started([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize(("reduction", "most"), [(False, 5_000), (True, 5)])
def test_states(reduction: bool, most: int) -> None:
    """Reduction leaves 11 configurations."""
    found = explore(
        LARGE, perfect(LARGE), 4, properties=ALWAYS, limits=Limits(states=most), reduction=reduction
    )
    assert found.stopped == "states" and found.states >= most
    assert set(found.holds.values()) == {None} and not found.violations


@pytest.mark.parametrize("most", [1, 100, 5_000])
def test_a_limit_on_configurations_is_hardly_exceeded(most: int) -> None:
    """By the successors of one configuration, or of a few where they are generated in batches."""
    model = SurvivalModel(LARGE, perfect(LARGE), rest_states(LARGE))
    survived = survey(model, {"never": Ask(False, NOTHING)}, 4, limits=Limits(states=most), reduction=False)
    assert survived.stopped == "states" and most < survived.stored <= most + 10
    found = explore(LARGE, perfect(LARGE), 4, properties=ALWAYS, limits=Limits(states=most), reduction=False)
    assert found.stopped == "states" and most <= found.states <= 1.2 * most + 200


def test_a_limit_in_the_middle_of_the_passes_claims_nothing() -> None:
    """Memory for the exploration, and none for what configurations can reach: k-exh is violated here."""
    seed = next(s for s in range(1000) if K_EXH in _mailbox_answer(s, None).violated)
    limited = [_mailbox_answer(seed, most) for most in range(4000, 12000, 16)]
    assert any(answer.stop == _engine.Stop.MEMORY for answer in limited)
    assert all(K_EXH in a.violated for a in limited if K_EXH in a.decided)


def _mailbox_answer(seed: int, most: int | None) -> _engine.Answer:
    system, model = searched(*random_mailboxes(seed))
    return _engine.decide(lower(system, model).native, _engine.Monitor(None, most, None), 1, {K_EXH}, 1)


def test_a_limit_that_is_not_hit_changes_nothing() -> None:
    system = pairs(2, "a", "b")
    found = explore(system, perfect(system), 2, properties=ALWAYS, limits=Limits(states=49), reduction=False)
    assert found.stopped == "" and found.states == 49 and all(found.holds.values())
    found = explore(system, perfect(system), 2, properties=ALWAYS, limits=Limits(states=48), reduction=False)
    assert found.stopped == "states" and set(found.holds.values()) == {None}


@pytest.mark.parametrize("threads", [1, 2])
def test_time(threads: int) -> None:
    started = time.monotonic()
    found = explore(
        LARGE,
        perfect(LARGE),
        4,
        properties=ALWAYS,
        limits=Limits(seconds=0.3),
        reduction=False,
        threads=threads,
    )
    assert found.stopped == "time" and set(found.holds.values()) == {None}
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("threads", [1, 2])
def test_memory_is_really_kept(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The resident memory of a process grows by no more than the limit (and the allocator's last pages)."""
    monkeypatch.setenv("MALLOC_ARENA_MAX", "1")  # glibc keeps some 11 MB for each thread
    limit = 100 * 2**20
    with child(
        f"""
        def resident():
            with open("/proc/self/status") as status:
                return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024
        before = resident()
        found = explore(large, perfect(large), 4, properties=ALWAYS, limits=Limits(memory={limit}),
                        reduction=False, symmetry=False, threads={threads})
        print(json.dumps([found.stopped, found.memory, resident() - before, list(set(found.holds.values()))]))
        """
    ) as running:
        assert running.stdout is not None
        stopped, counted, grown, holds = json.loads(running.stdout.read())
    assert stopped == "memory" and holds == [None]
    assert counted <= limit
    assert grown <= limit + 32 * 2**20
    assert grown >= limit // 4, "it stopped long before the limit"


def test_a_tiny_memory_limit() -> None:
    found = explore(LARGE, perfect(LARGE), 4, properties=ALWAYS, limits=Limits(memory=100), reduction=False)
    assert found.stopped == "memory" and set(found.holds.values()) == {None}


def test_control_c() -> None:
    with child(
        """
        print("ready", flush=True)
        found = explore(large, perfect(large), 4, properties=ALWAYS, reduction=False)
        print(json.dumps([found.stopped, list(set(found.holds.values()))]))
        """
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        time.sleep(0.4)
        running.send_signal(signal.SIGINT)
        stopped, holds = json.loads(running.stdout.read())
        assert running.wait() == 0
    assert stopped == "interrupted" and holds == [None]


def test_questions_without_an_answer() -> None:
    with pytest.raises(UsageError, match="more than 4096 bits"):
        explore(LARGE, perfect(LARGE), 10**6, properties=ALWAYS)
    with pytest.raises(UsageError, match="at least 1"):
        explore(LARGE, perfect(LARGE), 0, properties=ALWAYS)
    with pytest.raises(UsageError, match="did you mean 'k-er'"):
        explore(LARGE, perfect(LARGE), 1, properties=["k-err"])


@pytest.mark.parametrize("threads", [-1, 0, 257])
def test_a_search_takes_between_1_and_256_threads(threads: int) -> None:
    with pytest.raises(UsageError, match=f"threads must be from 1 to 256, not {threads}"):
        explore(LARGE, perfect(LARGE), 1, properties=ALWAYS, threads=threads)
    with pytest.raises(UsageError, match=f"not {threads}"):
        check(pairs(1, "a"), properties=["rsc"], threads=threads)
