"""One exploration on a real Dask cluster of separate processes: the same answers; none without a worker."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import stormproof as sp
from stormproof.errors import UsageError
from stormproof.kernel.model.ask import RECOVERS, Ask, clean
from stormproof.kernel.model.budget import Budget
from stormproof.kernel.model.goal import AT_REST, At
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.limits import EFFORT, Limits, within
from stormproof.options import Options, Progress, ProgressCallback
from stormproof.search.checks.implications import undecided
from stormproof.search.engine import cluster as cluster_module
from stormproof.search.engine.cluster import explore_on_cluster
from stormproof.search.engine.k_properties import explore
from stormproof.search.engine.survival import survey
from tests.search.engine.test_compact import claims
from tests.support.dask_cluster import Cluster

pytest.importorskip("distributed", reason="the optional package 'distributed' is not installed")

NAMES = ("k-exh", "k-er", "k-pg")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    started = Cluster(tmp_path_factory.mktemp("dask")).ready()
    yield started
    started.end()


@pytest.mark.parametrize(("name", "loss", "k"), [("elevator", False, 2), ("alternating-bit", True, 2)])
def test_the_same_answer_as_in_one_process(cluster: Cluster, name: str, loss: bool, k: int) -> None:
    system = sp.protocol(name)
    model = sp.Failures(loss=loss).on(system)
    there = explore_on_cluster(cluster.address, system, model, k, NAMES, Options())
    here = explore(system, model, k, properties=NAMES, reduction=False)
    assert (there.states, there.transitions, there.holds) == (here.states, here.transitions, here.holds)
    assert {n: len(v.firings) for n, v in there.violations.items()} == {
        n: len(v.firings) for n, v in here.violations.items()
    }
    assert there.traffic is not None and there.traffic.records > 0 and there.threads == 2


def test_check_on_a_cluster_replays_its_runs(cluster: Cluster) -> None:
    report = sp.check(
        sp.protocol("alternating-bit"),
        sp.Failures(loss=True),
        k=1,
        properties=["k-mc"],
        cluster=cluster.address,
    )
    assert report["k-mc"].holds is False and report["k-mc"].replayed


@pytest.mark.parametrize("name", ["alternating-bit", "two-phase-commit", "dining-philosophers"])
def test_the_same_json_as_in_one_process(
    cluster: Cluster, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`fewest` and `up_to` and the runs included: all but times, and the numbers of configurations, since a
    cluster leaves out nothing. Nothing is so small here that it is not sent to the cluster."""
    monkeypatch.setattr("stormproof.search.engine.survival.SMALL", 0)
    system, failures = sp.protocol(name), sp.Failures(loss=True)

    def told(cluster: str | None = None) -> object:
        report = sp.check(system, failures, classes=False, max_k=2, effort=10 * EFFORT, cluster=cluster)
        return _comparable(report.to_json())

    assert told(cluster.address) == told()


def _comparable(data: object) -> object:
    if isinstance(data, dict):
        left_out = ("seconds", "configurations", "states", "transitions")
        return {k: _comparable(v) for k, v in data.items() if k not in left_out or isinstance(v, dict)}
    return [_comparable(part) for part in data] if isinstance(data, list) else data


def test_bound_independence_on_a_cluster(cluster: Cluster) -> None:
    """Only where it is defined."""
    system = sp.protocol("elevator")
    names = ("k-obi", "k-sibi")
    perfect, lossy = sp.Failures().on(system), sp.Failures(loss=True).on(system)
    there = explore_on_cluster(cluster.address, system, perfect, 1, names, Options())
    here = explore(system, perfect, 1, properties=names)
    assert there.holds == here.holds and None not in there.holds.values()
    assert {n: len(v.firings) for n, v in there.violations.items()} == {
        n: len(v.firings) for n, v in here.violations.items()
    }
    undefined = explore_on_cluster(cluster.address, system, lossy, 1, names, Options())
    assert set(undefined.holds.values()) == {None}


def test_limits_hold(cluster: Cluster) -> None:
    system = sp.protocol("elevator")
    found = explore_on_cluster(
        cluster.address, system, sp.Failures().on(system), 3, NAMES, Options(Limits(states=50))
    )
    assert found.stopped == "states" and set(found.holds.values()) == {None} and found.states > 50


def killer(own: Cluster) -> ProgressCallback:
    """Kills a worker when there are some configurations."""

    def kill(state: Progress) -> None:
        if state.states > 100 and own.workers[1].poll() is None:
            os.killpg(own.workers[1].pid, signal.SIGKILL)
            own.workers[1].wait()

    return kill


def test_a_worker_that_is_killed_leaves_the_answer_undecided(tmp_path: Path) -> None:
    own = Cluster(tmp_path).ready()
    try:
        system = sp.protocol("elevator")
        model = sp.Failures().on(system)
        found = explore_on_cluster(own.address, system, model, 4, NAMES, Options(progress=killer(own)))
        assert found.stopped == "worker" and set(found.holds.values()) == {None} and found.states > 100
    finally:
        own.end()


# ---- survival ------------------------------------------------------------------------------------------

#: A budget of faults and a loss make several levels; in `tcp-close` calm runs use the slack.
STORMS = [("alternating-bit", True, 2), ("tcp-close", False, 2), ("idempotent-producer", True, 1)]


def storms(name: str, loss: bool) -> tuple[SurvivalModel, dict[str, Ask]]:
    system = sp.protocol(name)
    model = SurvivalModel(system, sp.Failures(loss=loss).on(system), rest_states(system), budget=Budget(2))
    return model, {"recovers": RECOVERS, "clean": clean(system, model.rest)}


def follows(model: SurvivalModel) -> dict[str, Ask]:
    """What one goal leads to, which is explored by itself."""
    first = next(iter(model.system))
    return {"follows": Ask(True, AT_REST, At(first.name, first.states[1:2]))}


def test_what_one_goal_leads_to_is_asked_there_too(cluster: Cluster) -> None:
    model, asks = storms("tcp-close", False)
    asks |= follows(model)
    there = survey(model, asks, 2, cluster=cluster.address, reduce_from=0)
    here = survey(model, asks, 2, reduction=False, symmetry=False)
    assert claims(there, 2) == claims(here, 2) and there.answers["follows"].holds is not None


@pytest.mark.parametrize(("name", "loss", "k"), STORMS)
def test_survival_has_the_same_answers_as_in_one_process(
    cluster: Cluster, name: str, loss: bool, k: int
) -> None:
    model, asks = storms(name, loss)
    there = survey(model, asks, k, cluster=cluster.address, reduce_from=0)
    here = survey(model, asks, k, reduction=False, symmetry=False)
    assert there.traffic is not None and there.traffic.records > 0
    assert claims(there, k) == claims(here, k)
    assert (there.configurations, there.hit_faults) == (here.configurations, here.hit_faults)


def test_what_is_small_is_explored_here() -> None:
    model, asks = storms("alternating-bit", True)
    nowhere = survey(model, asks, 1, cluster="tcp://127.0.0.1:1")
    assert nowhere.traffic is None and not nowhere.stopped


def test_limits_of_survival_hold(cluster: Cluster) -> None:
    model, asks = storms("tcp-close", False)
    found = survey(model, asks, 2, cluster=cluster.address, reduce_from=0, limits=Limits(states=500))
    assert found.stopped == "states" and found.stored > 500
    assert {a.holds for a in found.answers.values()} == {None}


def test_survival_is_undecided_when_a_worker_is_killed(tmp_path: Path) -> None:
    own = Cluster(tmp_path).ready()
    try:
        model, asks = storms("tcp-close", False)
        kill = killer(own)
        found = survey(model, asks, 2, cluster=own.address, reduce_from=0, progress=kill)
        assert found.stopped == "worker" and found.stored > 100
        assert {a.holds for a in found.answers.values()} == {None}
    finally:
        own.end()


def test_survival_is_undecided_when_the_scheduler_is_killed(tmp_path: Path) -> None:
    own = Cluster(tmp_path).ready()
    try:

        def kill(state: Progress) -> None:
            if state.states > 100 and own.scheduler.poll() is None:
                os.killpg(own.scheduler.pid, signal.SIGKILL)
                own.scheduler.wait()

        model, asks = storms("tcp-close", False)
        asks |= follows(model)
        found = survey(model, asks, 2, cluster=own.address, reduce_from=0, progress=kill)
        assert found.stopped == "scheduler" and found.stored > 100
        assert {a.holds for a in found.answers.values()} == {None}
        assert "the scheduler of the cluster was lost" in undecided(found.stopped, Limits(), 2, 100, ())
    finally:
        own.end()


def test_a_worker_that_hangs_does_not_outlast_the_time_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is it waited for in the end."""
    own = Cluster(tmp_path).ready()
    try:

        def halt(state: Progress) -> None:
            if state.states > 100:
                os.killpg(own.workers[1].pid, signal.SIGSTOP)

        model, asks = storms("tcp-close", False)
        limits = Limits(seconds=10)
        started = time.monotonic()
        with within(10):
            found = survey(model, asks, 2, cluster=own.address, reduce_from=0, limits=limits, progress=halt)
        assert found.stopped == "time" and found.stored > 100
        assert time.monotonic() - started < 10 + cluster_module._PATIENCE / 2
        monkeypatch.setattr(cluster_module, "_PATIENCE", 1.0)
        with pytest.raises(UsageError, match="does not answer"):
            survey(model, asks, 2, cluster=own.address, reduce_from=0)
    finally:
        own.end()


def test_a_worker_that_is_short_of_memory_does_not_hang(tmp_path: Path) -> None:
    """Dask pauses it: less than the process takes as it is."""
    own = Cluster(tmp_path, 2, "--memory-limit", "30MB").ready()
    try:
        model, asks = storms("tcp-close", False)
        found = survey(model, asks, 2, cluster=own.address, reduce_from=0, limits=Limits(seconds=None))
        assert "out of memory" in found.stopped
        assert {a.holds for a in found.answers.values()} == {None}
    finally:
        own.end()


def test_check_on_a_cluster_answers_survival(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Requirements too, with runs that are replayed."""
    monkeypatch.setattr("stormproof.search.engine.survival.SMALL", 0)
    system = sp.protocol("lock-forgetful")
    here, there = (
        [(v.property, v.holds, v.k, v.up_to, v.faults, v.replayed) for v in report if v.survival]
        for report in (sp.check(system, max_k=2, cluster=where) for where in (None, cluster.address))
    )
    assert there == here
    assert len(here) > 1 and any(replayed for *_, replayed in here)


def test_no_scheduler_gets_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stormproof.search.engine.cluster._CONNECT", 1.0)
    system = sp.protocol("elevator")
    with pytest.raises(UsageError, match="no Dask scheduler answers at"):
        explore_on_cluster("tcp://127.0.0.1:1", system, sp.Failures().on(system), 1, NAMES, Options())
