"""RSC on disk: verdicts and lengths of the search in memory, resumed where it was stopped."""

from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from stormproof import _engine
from stormproof.kernel.model.failures import FailureModel
from stormproof.languages.protocols.generators.rings import dining_philosophers
from stormproof.limits import Limits
from stormproof.search.engine.rsc import rsc
from tests.search.engine.test_rsc import check_witness
from tests.search.engine.test_rsc_limits import chooser, crossing
from tests.search.engine.test_rsc_threads import all_that_is_found, random_case
from tests.support.example_systems import clients
from tests.support.rsc_answers import ask_wide, violation_of

EACH = 60


@pytest.mark.parametrize("chunk", range(3))
def test_disk_decides_what_memory_decides(chunk: int) -> None:
    violated = held = 0
    for seed in range(chunk * 10**6, chunk * 10**6 + EACH):
        rng = random.Random(seed)
        system, failures = random_case(rng)
        whole = rsc(system, failures, limits=Limits(states=3_000), symmetry=False)
        if whole.stopped:
            continue
        where, symmetry = f"seed {seed}", rng.random() < 0.5
        with TemporaryDirectory() as folder:
            disk = _engine.DiskOptions(folder, "1", True, rng.choice((2, 7, 50)), 60, rng.choice((1, 40)))
            found, *others = (
                ask_wide(system, failures, n, symmetry=symmetry, disk=disk)
                for n in (1, rng.choice((2, 3, 4)))
            )
            assert not list(Path(folder).iterdir()), f"{where}: files are left behind"
        for other in others:
            assert all_that_is_found(other) == all_that_is_found(found), where
            assert other.on_disk == found.on_disk, where
        assert (found.holds, found.stopped) == (whole.holds, ""), where
        held += found.holds is True
        if found.violation is None:
            continue
        violated += 1
        assert len(found.violation.firings) == len(violation_of(whole).firings), where
        check_witness(system, failures, found)
    assert violated > 3 and held > 3


def test_what_others_can_stand_for_is_left_out(tmp_path: Path) -> None:
    """Sets of blocked channels, and of roles that depend on the pending send: only the largest are kept."""
    for system in (clients(6), chooser(5)):
        whole = rsc(system, FailureModel({}), limits=Limits(), symmetry=False)
        disk = _engine.DiskOptions(str(tmp_path), "1", True)
        found = rsc(system, FailureModel({}), limits=Limits(), symmetry=False, disk=disk)
        assert found.holds is whole.holds is True
        assert found.states < 3 * whole.states


def test_memory_first_then_disk(tmp_path: Path) -> None:
    """No philosopher's state stands for another: the counts are the same."""
    system = dining_philosophers(6)
    limits = Limits(memory="1MB", disk=str(tmp_path))
    found = rsc(system, FailureModel({}), limits=limits, symmetry=False)
    whole = rsc(system, FailureModel({}), limits=Limits(), symmetry=False)
    assert found.holds is whole.holds is True and found.on_disk > 0 and not found.stopped
    assert (found.states, found.transitions) == (whole.states, whole.transitions)
    assert rsc(system, FailureModel({}), limits=Limits(memory="1MB"), symmetry=False).stopped == "memory"


LARGE = {
    "philosophers": (dining_philosophers(4), 1_500),
    "clients": (clients(6), 1_000),
    "clients beside a violation": (crossing(clients(4), 9), 500),
}


@pytest.mark.parametrize("name", LARGE)
def test_files_do_not_depend_on_the_number_of_threads(name: str, tmp_path: Path) -> None:
    """Those that a limit leaves behind; any number of threads goes on from there."""
    system, most = LARGE[name]
    files, answers = [], []
    for n in (1, 2, 4):
        folder = tmp_path / str(n)
        folder.mkdir()
        disk = _engine.DiskOptions(str(folder), "1", True, 1000, 0)
        few = ask_wide(system, FailureModel({}), n, limits=Limits(states=most), symmetry=False, disk=disk)
        assert few.holds is None and few.stopped == "states"
        files.append({p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()})
        seldom = _engine.DiskOptions(str(folder), "1", True, 1000)  # a manifest for each piece takes long
        answers.append(ask_wide(system, FailureModel({}), 5 - n, symmetry=False, disk=seldom))
    assert len(files[0]) > 2 and files[0] == files[1] == files[2]
    assert len({all_that_is_found(answer) for answer in answers}) == 1 and not answers[0].stopped


def test_an_interrupted_search_is_undecided_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = _engine.search_rsc

    def interrupted(
        native: _engine.System, monitor: _engine.Monitor, *more: Any, **named: Any
    ) -> _engine.RscResult:
        monitor.interrupt()
        return search(native, monitor, *more, **named)

    disk = _engine.DiskOptions(str(tmp_path), "1", True, 500, 0)
    monkeypatch.setattr(_engine, "search_rsc", interrupted)
    found = ask_wide(clients(6), FailureModel({}), 3, disk=disk)
    assert (found.holds, found.stopped) == (None, "interrupted")
    monkeypatch.undo()
    assert ask_wide(clients(6), FailureModel({}), 2, disk=disk).holds is True


def test_a_limit_on_time_gives_undecided(tmp_path: Path) -> None:
    disk = _engine.DiskOptions(str(tmp_path), "1", True)
    late = ask_wide(clients(16), FailureModel({}), 3, limits=Limits(seconds=0.2), symmetry=False, disk=disk)
    assert (late.holds, late.stopped) == (None, "time")


def test_a_search_goes_on_where_a_limit_ended_it(tmp_path: Path) -> None:
    system = dining_philosophers(5)
    disk = _engine.DiskOptions(str(tmp_path), "1", True, 500, 0)
    few = rsc(system, FailureModel({}), limits=Limits(states=2_000), disk=disk)
    assert few.holds is None and few.stopped == "states" and list(tmp_path.iterdir())
    begun = _engine.DiskOptions(str(tmp_path), "1", False, 500, 0)  # no longer in memory first
    found = rsc(system, FailureModel({}), limits=Limits(), disk=begun)
    whole = rsc(system, FailureModel({}), limits=Limits(), wide_from=0)
    assert found.on_disk > 0 and not list(tmp_path.iterdir())
    assert (found.holds, found.states, found.transitions) == (True, whole.states, whole.transitions)


def test_a_violation_far_away_is_found_on_disk(tmp_path: Path) -> None:
    system = crossing(clients(5), 12)
    disk = _engine.DiskOptions(str(tmp_path), "1", True, 300, 0)
    found = rsc(system, FailureModel({}), limits=Limits(), disk=disk)
    assert len(violation_of(found).firings) == 28 and found.on_disk > 0
    check_witness(system, FailureModel({}), found)


def test_trouble_with_the_disk_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    disk = _engine.DiskOptions(str(tmp_path / "file"), "1", True)
    found = rsc(dining_philosophers(4), FailureModel({}), limits=Limits(), disk=disk)
    assert found.holds is None and str(tmp_path / "file") in found.stopped
