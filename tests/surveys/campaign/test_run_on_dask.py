"""Campaigns through a real Dask scheduler with two worker processes, one of which is killed midway."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from stormproof.errors import UsageError
from stormproof.limits import Limits
from stormproof.surveys.campaign import Plan, Results, jobs_of, run_campaign, summary
from tests.support.dask_cluster import Cluster

pytest.importorskip("distributed", reason="the optional package 'distributed' is not installed")


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    started = Cluster(tmp_path)
    yield started
    started.end()


def test_nothing_lost_and_nothing_twice_when_a_worker_is_killed(tmp_path: Path, cluster: Cluster) -> None:
    plan = Plan(
        files=("alternating-bit", "commit-protocol"),
        properties=("k-wmc", "rsc"),
        bounds=(1, 2),
        limits=Limits(seconds=60),
    )
    jobs, seen = jobs_of(plan), []

    def on_row(row: dict[str, object]) -> None:
        seen.append(row["key"])
        if len(seen) == 4:
            os.killpg(cluster.workers[0].pid, signal.SIGKILL)

    with Results(tmp_path / "r.jsonl") as results:
        run_campaign(jobs, results, on=cluster.address, on_row=on_row)
        assert set(results.rows) == {j.key for j in jobs}
        assert summary(results.rows.values())["died"] == 0
    assert len(seen) == len(set(seen)) == len(jobs)
    assert cluster.workers[0].poll() is not None
    lines = (tmp_path / "r.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == len(jobs)


def test_when_the_scheduler_is_killed_the_jobs_that_are_left_can_be_tried_again(
    tmp_path: Path, cluster: Cluster
) -> None:
    """Nobody decides them, and what was found before is kept."""
    jobs = jobs_of(
        Plan(files=("alternating-bit", "commit-protocol"), bounds=(1, 2), limits=Limits(seconds=60))
    )

    def on_row(row: dict[str, object]) -> None:
        if cluster.scheduler.poll() is None:
            os.killpg(cluster.scheduler.pid, signal.SIGKILL)

    with Results(tmp_path / "r.jsonl") as results:
        run_campaign(jobs, results, on=cluster.address, on_row=on_row)
        assert set(results.rows) == {j.key for j in jobs}
        died = [row["died"] for row in results.rows.values() if row.get("died")]
        assert 0 < len(died) < len(jobs)
        assert set(died) == {"the scheduler of the cluster was lost"}


@pytest.mark.parametrize("address", ["localhost:1", "dask://", "http://127.0.0.1:1"])
def test_a_wrong_address_gets_a_sentence(tmp_path: Path, address: str) -> None:
    jobs = jobs_of(Plan(files=("alternating-bit",)))
    with Results(tmp_path / "r.jsonl") as results, pytest.raises(UsageError, match="is not a scheduler"):
        run_campaign(jobs, results, on=address)
