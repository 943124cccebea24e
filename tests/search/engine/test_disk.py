"""Explorations on disk: the answers of the search in memory, whatever happens to process and files."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from stormproof import _engine
from stormproof.kernel.model.survival import BlockSize
from stormproof.limits import Limits
from stormproof.search.engine.survival import FoundRun, Survey, survey
from tests.support.disk_runs import answer, question, start
from tests.support.survival_questions import random_asks, random_model

EACH = 40
SHORT = (BlockSize(1, 1), BlockSize(2, 2))

#: Four philosophers at k = 1.
CONFIGURATIONS = 10_320
#: Of the search for RSC of five philosophers.
RSC_STATES = 23_313


@pytest.mark.parametrize("chunk", range(2))
def test_disk_gives_the_answers_of_memory(chunk: int) -> None:
    """So little room in memory that everything is written, in several threads, with and without reduction and
    symmetry."""
    for seed in range(chunk * 10**6, chunk * 10**6 + EACH):
        rng = random.Random(seed)
        model = random_model(rng, everything=seed % 4 == 1)
        asks, k = random_asks(rng, model), rng.randint(1, 3)
        some = {name: asks[name] for name in rng.sample(sorted(asks), rng.randint(1, len(asks)))}
        whole = survey(
            model, some, k, ladder=SHORT, reduction=False, symmetry=False, limits=Limits(states=3000)
        )
        if whole.stopped:
            continue
        saved = rng.random() < 0.5
        with TemporaryDirectory() as folder:
            found = survey(
                model,
                some,
                k,
                ladder=SHORT,
                reduction=saved,
                symmetry=saved,
                reduce_from=0 if saved else 20_000,
                threads=rng.randint(1, 3),
                parallel_from=1,
                disk=_engine.DiskOptions(folder, "1", True, rng.choice((2, 7, 50)), 60, rng.choice((1, 40))),
            )
            assert not list(Path(folder).iterdir()), f"seed {seed}: files are left behind"
        assert not found.stopped
        assert _answers(found) == _answers(whole), f"seed {seed}, k = {k}"
        if not saved and all(a.holds for a in whole.answers.values()):
            assert found.configurations == whole.configurations, f"seed {seed}, k = {k}"


def _answers(found: Survey) -> dict[str, tuple[object, ...]]:
    """What is claimed; of a violation also the number of faults, and of actions where it ends there."""
    return {name: (a.holds, a.up_to, a.fewest, _length(a.run)) for name, a in found.answers.items()}


def _length(run: FoundRun | None) -> tuple[int, int] | None:
    return None if run is None else (run.faults, run.storm if run.end is None else 0)


@pytest.mark.parametrize(
    ("name", "philosophers", "configurations"),
    [("clean", 4, CONFIGURATIONS), ("recovers", 4, 9_968), ("rsc", 5, RSC_STATES)],
)
def test_a_search_goes_on_after_it_was_killed(
    tmp_path: Path, name: str, philosophers: int, configurations: int
) -> None:
    rng = random.Random(18)
    killed = 0
    for _ in range(3):
        process = start(tmp_path, philosophers, 1000, name=name)
        _wait_for(tmp_path, "stormproof-*/manifest", process)
        time.sleep(rng.random() * 0.2)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            killed += 1
        process.communicate()
        if not list(tmp_path.iterdir()):
            break
    assert killed > 0
    assert answer(start(tmp_path, philosophers, 1000, name=name)) == (True, configurations, "")
    assert not list(tmp_path.iterdir())


def _wait_for(folder: Path, pattern: str, process: object) -> None:
    until = time.monotonic() + 30
    while not list(folder.glob(pattern)) and time.monotonic() < until and process.poll() is None:  # type: ignore[attr-defined]
        time.sleep(0.005)


@pytest.mark.parametrize(
    ("name", "philosophers", "whole"), [("clean", 4, CONFIGURATIONS), ("rsc", 5, RSC_STATES)]
)
def test_a_full_disk_is_a_sentence_and_nothing_is_lost(
    tmp_path: Path, name: str, philosophers: int, whole: int
) -> None:
    holds, configurations, stopped = answer(start(tmp_path, philosophers, 1000, largest=40_000, name=name))
    assert holds is None and 0 < configurations < whole
    assert stopped.startswith("the disk is full: ") and " cannot grow; make room" in stopped
    assert answer(start(tmp_path, philosophers, 1000, name=name)) == (True, whole, "")


def test_only_one_process_explores_in_a_folder(tmp_path: Path) -> None:
    process = start(tmp_path, 5, 1000)
    try:
        _wait_for(tmp_path, "stormproof-*/manifest", process)
        assert process.poll() is None
        _, _, stopped = answer(start(tmp_path, 5, 1000))
        assert stopped.startswith("another process is exploring in ")
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("manifest", "manifest is damaged"), ("layers", "layers is shorter than it was written")],
)
def test_a_file_that_was_cut_off_is_a_sentence(tmp_path: Path, name: str, sentence: str) -> None:
    _stopped_half_way(tmp_path)
    (file,) = tmp_path.glob(f"stormproof-*/{name}")
    os.truncate(file, file.stat().st_size // 2)
    found = _search(tmp_path)
    assert found.answers["clean"].holds is None
    assert sentence in found.stopped
    assert file.exists(), "what is damaged is left for the user to see"


def test_a_file_with_other_bytes_is_a_sentence(tmp_path: Path) -> None:
    _stopped_half_way(tmp_path)
    (file,) = tmp_path.glob("stormproof-*/layers")
    data = bytearray(file.read_bytes())
    data[0] ^= 64
    file.write_bytes(data)
    assert _search(tmp_path).stopped.endswith(f"layers is damaged; remove {file.parent} to start again")


def test_another_question_is_another_exploration(tmp_path: Path) -> None:
    _stopped_half_way(tmp_path)
    kept = sorted(tmp_path.rglob("*"))
    (tmp_path / "mine.txt").write_text("mine")
    model, asks = question(3, "clean")
    disk = _engine.DiskOptions(str(tmp_path), "1", True, 1000, 0, 200)
    assert survey(model, asks, 1, reduction=False, symmetry=False, disk=disk).answers["clean"].holds
    assert sorted(tmp_path.rglob("*")) == sorted([*kept, tmp_path / "mine.txt"])
    assert _search(tmp_path, states=None).configurations == CONFIGURATIONS
    assert [p.name for p in tmp_path.iterdir()] == ["mine.txt"]


def test_memory_first_then_disk(tmp_path: Path) -> None:
    model, asks = question(5, "clean")
    limits = Limits(memory="500kB", disk=str(tmp_path))
    found = survey(model, asks, 1, reduction=False, symmetry=False, limits=limits)
    assert found.answers["clean"].holds and found.configurations == 104_806 and found.on_disk > 0
    assert survey(model, asks, 1, reduction=False, symmetry=False, limits=Limits(memory="500kB")).stopped
    plenty = Limits(disk=str(tmp_path))
    assert survey(model, asks, 1, reduction=False, symmetry=False, limits=plenty).on_disk == 0


def test_what_must_stay_possible_takes_some_memory(tmp_path: Path) -> None:
    """A limit that leaves no room for the masks is a limit; more memory resumes the search."""
    model, asks = question(4, "recovers")
    disk = _engine.DiskOptions(str(tmp_path), "1", True, 100, 60, 200)
    small = survey(model, asks, 1, reduction=False, symmetry=False, limits=Limits(memory="20kB"), disk=disk)
    assert small.stopped == "memory" and small.answers["recovers"].holds is None
    assert survey(model, asks, 1, reduction=False, symmetry=False, disk=disk).answers["recovers"].holds
    assert not list(tmp_path.iterdir())


def _stopped_half_way(folder: Path) -> None:
    assert _search(folder, states=5000).stopped == "states"


def _search(folder: Path, states: int | None = 5000) -> Survey:
    model, asks = question(4, "clean")
    disk = _engine.DiskOptions(str(folder), "1", True, 1000, 0, 200)
    limits = Limits(states=states)
    return survey(
        model, asks, 1, reduction=False, symmetry=False, limits=limits, disk=disk, threads=3, parallel_from=1
    )
