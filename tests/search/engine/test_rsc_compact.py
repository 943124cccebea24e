"""RSC in the compact store, with mailboxes and without: verdicts and lengths of the ordinary search."""

from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from stormproof import _engine
from stormproof.kernel.model.failures import FailureModel
from stormproof.languages.protocols.generators.rings import dining_philosophers
from stormproof.limits import Limits
from stormproof.search.engine.lowering import lower
from stormproof.search.engine.rsc import rsc
from tests.search.engine.test_rsc import check_witness
from tests.search.engine.test_rsc_limits import crossing
from tests.search.engine.test_rsc_mailbox_threads import by_mailbox, check_run
from tests.search.engine.test_rsc_threads import all_that_is_found, random_case
from tests.support.example_systems import clients
from tests.support.random_mailboxes import random_mailboxes, searched
from tests.support.rsc_answers import ask_wide, violation_of

EACH = 100


@pytest.mark.parametrize("chunk", range(2))
def test_the_compact_store_decides_what_memory_decides(chunk: int) -> None:
    violated = held = 0
    for seed in range(chunk * 10**6, chunk * 10**6 + EACH):
        rng = random.Random(seed)
        system, failures = random_case(rng)
        whole = rsc(system, failures, limits=Limits(states=3_000), symmetry=False)
        if whole.stopped:
            continue
        symmetry = rng.random() < 0.5
        one, several = (
            ask_wide(system, failures, n, symmetry=symmetry, compact=True) for n in (1, rng.choice((2, 3, 4)))
        )
        where = f"seed {seed}, symmetry {symmetry}"
        assert not one.stopped, where
        assert all_that_is_found(several) == all_that_is_found(one), where
        assert one.holds == whole.holds, where
        held += one.holds is True
        if one.violation is None:
            continue
        violated += 1
        assert len(one.violation.firings) == len(violation_of(whole).firings), where
        check_witness(system, failures, one)
    assert violated > 5 and held > 5


@pytest.mark.parametrize("chunk", range(2))
def test_mailboxes_in_every_store(chunk: int) -> None:
    """No state stands for others: where the verdict is that it holds, all three have the same states."""
    violated = held = 0
    for seed in range(chunk * 10**6, chunk * 10**6 + EACH):
        rng = random.Random(seed)
        given, failures = random_mailboxes(seed, transitions=rng.choice((4, 5, 6)))
        system, model = searched(given, failures)
        whole = ask_wide(system, model, 1, limits=Limits(states=3_000))
        if whole.stopped:
            continue
        threads, where = rng.randint(1, 3), f"seed {seed}"
        compact = ask_wide(system, model, threads, compact=True)
        with TemporaryDirectory() as folder:
            disk = _engine.DiskOptions(folder, "1", True, rng.choice((2, 7, 50)), 60, rng.choice((1, 40)))
            on_disk = ask_wide(system, model, threads, disk=disk)
            assert not list(Path(folder).iterdir()), f"{where}: files are left behind"
        assert on_disk.on_disk > 0, where
        for found in (compact, on_disk):
            assert (found.holds, found.stopped) == (whole.holds, ""), where
            if found.violation is None:
                assert (found.states, found.transitions) == (whole.states, whole.transitions), where
            else:
                assert len(found.violation.firings) == len(violation_of(whole).firings), where
                check_run(system, model, found, where)
        held, violated = held + (whole.holds is True), violated + (whole.holds is False)
    assert violated > 10 and held > 10


def search(native: _engine.System, memory: int, folder: str = "") -> tuple[_engine.RscResult, bool]:
    """What is found, and whether it came to the compact store."""
    disk, monitor = _engine.DiskOptions(folder, "1"), _engine.Monitor(None, memory, None)
    found = _engine.search_rsc(native, monitor, threads=2, wide_from=0, disk=disk)
    return found, monitor.compact


def test_memory_that_runs_short_is_no_end(tmp_path: Path) -> None:
    """First the ordinary store, then the compact one, then the disk: the same states with mailboxes."""
    native = lower(*by_mailbox(clients(7))).native
    whole, compact = search(native, 1 << 30)
    assert not whole.violated and not compact and whole.states > 20_000
    short, compact = search(native, whole.memory // 2)
    assert compact and short.memory <= whole.memory // 2 and short.on_disk == 0
    shorter, _ = search(native, 1 << 18, str(tmp_path))
    assert shorter.on_disk > 0
    for found in (short, shorter):
        assert (found.stop, found.violated) == (_engine.Stop.NONE, False)
        assert (found.states, found.transitions) == (whole.states, whole.transitions)


def test_where_memory_ends_the_search_is_undecided() -> None:
    found, compact = search(lower(dining_philosophers(6), FailureModel({})).native, 1 << 20)
    assert (found.stop, found.violated, compact) == (_engine.Stop.MEMORY, False, True)
    assert found.memory <= 1 << 20


def test_a_limit_on_states_gives_undecided() -> None:
    few = ask_wide(clients(6), FailureModel({}), 2, limits=Limits(states=500), symmetry=False, compact=True)
    assert (few.holds, few.stopped) == (None, "states")


def test_a_violation_far_away() -> None:
    system = crossing(clients(5), 12)
    found = ask_wide(system, FailureModel({}), 3, compact=True)
    assert found.holds is False
    check_witness(system, FailureModel({}), found)
