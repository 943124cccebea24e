"""Campaigns: every job once, whatever dies; results that survive `kill -9`; resumed by the same command."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from stormproof.errors import InputError, OutputError, UsageError
from stormproof.limits import Limits
from stormproof.surveys.campaign import (
    Plan,
    Results,
    jobs_of,
    plan_from_toml,
    run as running,
    run_campaign,
    summary,
)
from stormproof.surveys.campaign.expected import agreements
from stormproof.surveys.campaign.generated import generated
from stormproof.surveys.campaign.jobs import Job
from stormproof.surveys.campaign.worker import run_job
from stormproof.surveys.worker_process import WorkerProcess
from tests.support.processes import started

FILES = ("alternating-bit", "client-server-logger", "commit-protocol")


def plan(**changes: Any) -> Plan:
    options: dict[str, Any] = {
        "files": FILES,
        "properties": ("k-wmc", "rsc"),
        "max_k": 2,
        "limits": Limits(seconds=60),
    }
    return Plan(**{**options, **changes})


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_every_cell_of_the_matrix_has_one_row(tmp_path: Path) -> None:
    jobs = jobs_of(plan(bounds=(1, 2)))
    assert len(jobs) == len(FILES) * 4 * 2
    with Results(tmp_path / "r.jsonl") as results:
        run_campaign(jobs, results, processes=2)
    rows = rows_of(tmp_path / "r.jsonl")
    assert sorted(str(r["key"]) for r in rows) == sorted(j.key for j in jobs)
    assert summary(rows)["died"] == 0
    assert all(len(r["verdicts"]) == 2 for r in rows)


def test_a_job_is_a_value_that_travels(tmp_path: Path) -> None:
    job = jobs_of(plan())[0]
    again = Job.from_json(json.loads(json.dumps(job.to_json())))
    assert again == job and again.key == job.key


def test_the_time_of_a_job_is_for_making_the_system_too(monkeypatch: pytest.MonkeyPatch) -> None:
    job = jobs_of(plan(limits=Limits(seconds=0.1)))[0]

    def endless(*_: Any, **__: Any) -> Any:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            pass
        raise AssertionError("this was not interrupted")

    monkeypatch.setattr("stormproof.search.checks.request.prepare", endless)
    row = run_job(job)
    assert row["died"] == "the time limit of 0.1 s was reached" and row["verdicts"] == []


def test_a_changed_file_is_another_job(tmp_path: Path) -> None:
    path = tmp_path / "x.storm"
    path.write_text("role A { s: B!m -> t  t: }\nrole B { s: A?m -> t  t: }\n")
    (before, *_) = jobs_of(plan(files=(str(path),)))
    path.write_text("role A { s: B!n -> t  t: }\nrole B { s: A?n -> t  t: }\n")
    (after, *_) = jobs_of(plan(files=(str(path),)))
    assert before.key != after.key


def test_another_version_asks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    (job, *_) = jobs_of(plan())
    before = job.key
    monkeypatch.setattr("stormproof.surveys.campaign.jobs.version", lambda name: "0.0.0")
    assert job.key != before


def test_resuming_asks_only_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, jobs = tmp_path / "r.jsonl", jobs_of(plan())
    with Results(path) as results:
        run_campaign(jobs[:5], results, processes=1)
    asked: list[str] = []
    original = running._Worker.run

    def spy(self: running._Worker, job: Job, stop: Any) -> object:
        asked.append(job.key)
        return original(self, job, stop)

    monkeypatch.setattr(running._Worker, "run", spy)
    with Results(path) as results:
        run_campaign(jobs, results, processes=1)
    assert sorted(asked) == sorted(j.key for j in jobs[5:])
    assert len(rows_of(path)) == len(jobs)


@pytest.mark.parametrize("cut", [1, 7, 40, 200])
def test_a_torn_line_is_passed_over_and_its_job_runs_again(tmp_path: Path, cut: int) -> None:
    path, jobs = tmp_path / "r.jsonl", jobs_of(plan())[:3]
    with Results(path) as results:
        run_campaign(jobs, results, processes=1)
    whole = path.read_bytes()
    last = whole.rstrip(b"\n").rfind(b"\n") + 1
    path.write_bytes(whole[: last + cut])
    with Results(path) as results:
        assert len(results.rows) == 2
        run_campaign(jobs, results, processes=1)
        assert len(results.rows) == 3
    with Results(path) as results:
        assert set(results.rows) == {j.key for j in jobs}


def test_a_torn_first_line_too(tmp_path: Path) -> None:
    path, jobs = tmp_path / "r.jsonl", jobs_of(plan())[:2]
    path.write_bytes(b'{"key": "abc", "sou')
    with Results(path) as results:
        run_campaign(jobs, results, processes=1)
    with Results(path) as results:
        assert set(results.rows) == {j.key for j in jobs}


@pytest.mark.parametrize("text", ["protocol X\n", '{"hello": 1}\n', "[1]\n"])
def test_a_file_that_is_something_else_is_refused_and_left_whole(tmp_path: Path, text: str) -> None:
    path = tmp_path / "other"
    path.write_text(text)
    with pytest.raises(InputError, match="not a file of campaign results"), Results(path):
        pass
    assert path.read_text() == text


def test_two_campaigns_cannot_write_one_file(tmp_path: Path) -> None:
    with Results(tmp_path / "r.jsonl"), pytest.raises(OutputError, match="another campaign"):
        Results(tmp_path / "r.jsonl").__enter__()


def test_a_worker_that_dies_is_a_row_that_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = jobs_of(plan())[:3]
    original, calls = WorkerProcess._started, list[int]()

    def murderous(self: WorkerProcess, arguments: tuple[str, ...]) -> subprocess.Popen[str]:
        process = original(self, arguments)
        calls.append(process.pid)
        if len(calls) == 2:
            os.kill(process.pid, signal.SIGKILL)
        return process

    monkeypatch.setattr(WorkerProcess, "_started", murderous)
    with Results(tmp_path / "r.jsonl") as results:
        run_campaign(jobs, results, processes=1)
        rows = [results.rows[j.key] for j in jobs]
    assert [bool(r.get("died")) for r in rows] == [False, True, False]
    assert "SIGKILL" in str(rows[1]["died"])


def command(path: Path, *more: str) -> list[str]:
    names = ("alternating-bit", "client-server-logger", "commit-protocol", "bargain")
    return [
        *(sys.executable, "-m", "stormproof", "campaign", *names, "-o", str(path)),
        *("--processes", "2", "--max-k", "3", *more),
    ]


def test_kill_minus_nine_at_any_instant(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    for pause in (0.6, 0.9, 1.2, 1.6):
        with started(command(path), stdout=subprocess.DEVNULL):
            time.sleep(pause)
    finished = subprocess.run(command(path, "--json"), capture_output=True, text=True, timeout=300)
    assert finished.returncode == 1, finished.stderr
    data = json.loads(finished.stdout)
    assert data["summary"]["jobs"] == 16 and data["summary"]["died"] == 0
    with Results(path) as results:
        assert len(results.rows) == 16


def test_a_killed_campaign_leaves_no_worker_behind(tmp_path: Path) -> None:
    """A long job, of minutes; the campaign is killed, and so cannot end its workers itself."""
    asked = ("campaign", "paxos-2p3a", "-o", str(tmp_path / "r.jsonl"), "--models", "none", "-k", "2")
    with started([sys.executable, "-m", "stormproof", *asked], stdout=subprocess.DEVNULL) as process:
        until = time.monotonic() + 60
        while not (workers := children(process.pid)) and time.monotonic() < until:
            time.sleep(0.1)
        process.kill()
        process.wait()
        assert workers
        while any(alive(w) for w in workers) and time.monotonic() < until:
            time.sleep(0.1)
        assert not any(alive(w) for w in workers)


def children(pid: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True)
    return [int(word) for word in found.stdout.split()]


def alive(pid: int) -> bool:
    found = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True)
    return bool(found.stdout.strip()) and not found.stdout.startswith("Z")


def test_a_full_disk_is_told() -> None:
    told = pytest.raises(OutputError, match="cannot write /dev/full: No space left")
    with told, Results(Path("/dev/full")) as results:
        results.add({"key": "k", "verdicts": []})


def test_results_that_nobody_keeps() -> None:
    with Results(Path("/dev/null")) as results:
        results.add({"key": "k", "verdicts": []})
        assert list(results.rows) == ["k"]


def test_a_plan_in_toml(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(
        """
        files = ["alternating-bit"]
        properties = ["k-er"]
        bounds = [1, 2]
        timeout = 10
        memory = "1GiB"
        [[failures]]
        name = "lossy data"
        loss = ["Sender->Receiver"]
        [[failures]]
        corrupt_map = [["Sender->Receiver", "d0", "d1"]]
        [[failures]]
        name = "stops"
        stop = ["Sender"]
        """
    )
    jobs = jobs_of(plan_from_toml(str(path)))
    assert [(j.failures_name, j.k) for j in jobs] == [
        ("lossy data", 1),
        ("lossy data", 2),
        ("failures 2", 1),
        ("failures 2", 2),
        ("stops", 1),
        ("stops", 2),
    ]
    assert jobs[0].memory == 2**30 and jobs[0].seconds == 10
    with Results(tmp_path / "r.jsonl") as results:
        run_campaign(jobs, results, processes=1)
        assert summary(results.rows.values())["died"] == 0
        found = {job.failures_name: results.rows[job.key] for job in jobs}
    assert found["lossy data"]["assumed"] == "loss on Sender→Receiver" and not found["lossy data"]["notes"]
    assert found["stops"]["notes"] == ["Sender may stop silently, and nobody is informed"]


GRID = """
properties = ["k-mc", "rsc"]
semantics = ["definition", "encoding"]
max_k = 1

[[failures]]
name = "none"
[[failures]]
name = "loss"
loss = true

[[generate]]
family = "ring"
size = [2, 3]
tokens = [1, 2]

[[generate]]
family = "dining-philosophers"
name = "two"
philosophers = 2
left-handed = [false, true]

[[expect]]
name = "safe"
holds = ["none k-mc", "none rsc"]
violated = ["loss k-mc"]

[[expect]]
name = "encoded"
semantics = "encoding"
violated = ["loss k-mc"]
"""


def test_a_grid_of_generated_systems_is_compared_with_what_is_expected(tmp_path: Path) -> None:
    path = tmp_path / "grid.toml"
    path.write_text(GRID)
    asked = plan_from_toml(str(path))
    jobs = jobs_of(asked)
    names = ["ring, size 2, tokens 1", "ring, size 2, tokens 2", "ring, size 3, tokens 1"]
    names += ["ring, size 3, tokens 2", "two", "two, left handed"]
    assert list(dict.fromkeys(j.source for j in jobs)) == names
    assert len(jobs) == 6 * 2 * 2 and {j.semantics for j in jobs} == {"definition", "encoding"}
    with Results(tmp_path / "r.jsonl") as results:
        run_campaign(jobs, results, processes=1)
        rows = [results.rows[j.key] for j in jobs]
    found = agreements(rows, asked.expect)
    assert found["ring, size 3, tokens 1"] == {"safe": (3, 0, 3), "encoded": (1, 0, 1)}
    assert found["two"]["safe"] == (2, 0, 3), "they may starve, and are not 1-MC"
    unknown = [{**row, "verdicts": []} for row in rows]
    assert str(agreements(unknown, asked.expect)["two"]["safe"]) == "0 (3 ?)"


def test_equal_systems_are_asked_once_and_equal_names_refused() -> None:
    table = {"family": "paxos", "as-published": True, "acceptors": 1, "opposite": [False, True]}
    assert len(generated([table], {})) == 1, "with one acceptor there is one order"
    with pytest.raises(UsageError, match="two systems of the campaign are called 'ring'"):
        generated([{"family": "ring"}, {"family": "ring", "size": 3}], {})


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[[generate]]\nsize = 3", "names its family"),
        ("[[generate]]\nfamily = 'ring'\nsise = 3", "ring has no parameter 'sise'"),
        ("[[generate]]\nfamily = 'ring'\nsize = ['a']", "size of ring is a whole number"),
        ("[generate]\nfamily = 'ring'", "a list of tables, each headed"),
        ("files = ['bargain']\n[[expect]]\nhold = []", "unknown key 'hold'"),
        ("files = ['bargain']\n[[expect]]\nholds = ['rsc']", 'like "loss k-er"'),
        ("files = ['bargain']\nproperties = ['rsc']\n[[expect]]\nholds = ['loss k-er']", "does not ask for"),
        ("files = ['bargain']\nproperties = ['rsc']\n[[expect]]\nholds = ['los rsc']", "did you mean 'loss'"),
        ("files = ['bargain']\n[[expect]]\nname = 'x'\nsemantics = 'no'", "unknown semantics 'no'"),
        ("files = ['bargain']\nsemantics = ['no']", "unknown semantics 'no'"),
        ("files = [", "not TOML"),
        ("filez = ['x']", "did you mean 'files'"),
        ("files = []", "at least one file"),
        ("files = ['alternating-bit']\nproperties = ['k-mcc']", "unknown property"),
        ("files = ['alternating-bit']\n[[failures]]\nlos = true", "did you mean 'loss'"),
        ("files = ['alternating-bit']\n[[failures]]\nloss = ['A->B']", "unknown role 'A'"),
        ("files = ['nothing-*.storm']", "no file matches"),
        ("files = ['alternating-bit']\nbounds = ['x']", "'bounds' is a list of whole numbers"),
        ("files = 3", "'files' is a list of names"),
        ("files = ['alternating-bit']\ntimeout = true", "'timeout' is a number of seconds"),
        ("files = ['alternating-bit']\n[failures]\nloss = true", "a list of tables"),
        ("files = ['alternating-bt']", "no built-in protocol of that name"),
    ],
)
def test_a_wrong_plan_gets_a_sentence_before_anything_runs(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(text)
    with pytest.raises((InputError, UsageError), match=sentence):
        jobs_of(plan_from_toml(str(path)))
