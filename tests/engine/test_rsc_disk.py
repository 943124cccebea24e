"""RSC on disk: verdicts and lengths of the search in memory, resumed where it was stopped."""

from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from stormproof import _engine
from stormproof.engine.rsc import rsc
from stormproof.limits import Limits
from stormproof.model.failures import FailureModel
from stormproof.protocols.generators.rings import dining_philosophers
from tests.engine.test_rsc import check_witness
from tests.engine.test_rsc_limits import chooser, crossing
from tests.engine.test_rsc_threads import random_case
from tests.support.example_systems import clients
from tests.support.rsc_answers import violation_of

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
            found = rsc(system, failures, limits=Limits(), symmetry=symmetry, disk=disk)
            assert not list(Path(folder).iterdir()), f"{where}: files are left behind"
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
