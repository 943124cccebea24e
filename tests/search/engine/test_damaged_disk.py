"""Folders of explorations that were damaged, or are of something else: no wrong verdict, and a way out."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import stormproof as sp
from stormproof import _engine
from stormproof.kernel.model.ask import clean
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.limits import Limits
from stormproof.search.engine.survival import Survey, survey
from tests.support.disk_runs import question

#: Three philosophers at k = 1.
CONFIGURATIONS = 1_002


def search(folder: Path, states: int | None = None, version: str = "1") -> Survey:
    model, asks = question(3, "clean")
    disk = _engine.DiskOptions(str(folder), version, True, 300, 0, 200)
    limits = Limits(states=states)
    return survey(model, asks, 1, reduction=False, symmetry=False, limits=limits, disk=disk, threads=1)


@pytest.fixture(scope="module")
def half(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with half of an exploration."""
    folder = tmp_path_factory.mktemp("half")
    assert search(folder, 668).stopped == "states"
    return folder


def copies(half: Path, pattern: str, copy: Path) -> Iterator[tuple[Path, bytes]]:
    """One file of a new copy of the folder, and what is in it; again and again."""
    (name,) = {path.relative_to(half) for path in half.glob(f"*/{pattern}")}
    while True:
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(half, copy)
        yield copy / name, (half / name).read_bytes()


def assert_undecided_or_right(found: Survey, folder: Path, where: str) -> None:
    holds = found.answers["clean"].holds
    if holds is None:
        assert found.stopped.startswith(f"{folder}/stormproof-"), where
        assert f"; remove {folder}/stormproof-" in found.stopped, where
        assert found.stopped.endswith(" to start again"), where
    else:
        assert (holds, found.configurations, found.stopped) == (True, CONFIGURATIONS, ""), where


@pytest.mark.parametrize(("pattern", "step"), [("manifest", 3), ("layers", 37), ("run-*", 5)])
def test_a_byte_that_was_changed(half: Path, tmp_path: Path, pattern: str, step: int) -> None:
    """Everywhere in the manifest, and in the heads and the indices behind the blocks of the others."""
    files, copy = copies(half, pattern, tmp_path / "copy"), tmp_path / "copy"
    size = len(next(files)[1])
    undecided = 0
    for at in sorted({*range(0, size, step), *range(40), *range(size - 40, size)}):
        file, data = next(files)
        file.write_bytes(data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :])
        found = search(copy)
        assert_undecided_or_right(found, copy, f"{pattern}, byte {at}")
        undecided += found.answers["clean"].holds is None
    assert undecided > 50


@pytest.mark.parametrize("pattern", ["manifest", "layers", "run-*"])
def test_a_file_that_was_cut_removed_or_replaced(half: Path, tmp_path: Path, pattern: str) -> None:
    files, copy = copies(half, pattern, tmp_path / "copy"), tmp_path / "copy"
    size = len(next(files)[1])
    for length in {0, 1, size // 3, size - 1}:
        file, data = next(files)
        file.write_bytes(data[:length])
        found = search(copy)
        assert_undecided_or_right(found, copy, f"{pattern}, {length} bytes")
        assert pattern != "manifest" or found.answers["clean"].holds is None, (
            "what is there is not overwritten"
        )
    file, _ = next(files)
    file.unlink()
    assert_undecided_or_right(search(copy), copy, f"no {pattern}")
    file, _ = next(files)
    file.unlink()
    file.mkdir()
    found = search(copy)
    assert found.answers["clean"].holds is None and str(file) in found.stopped


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="whoever is root may read everything")
@pytest.mark.parametrize("pattern", ["manifest", "layers", "run-*", "lock"])
def test_a_file_that_may_not_be_read(half: Path, tmp_path: Path, pattern: str) -> None:
    file, _ = next(copies(half, pattern, tmp_path / "copy"))
    file.chmod(0)
    found = search(tmp_path / "copy")
    assert found.answers["clean"].holds is None and str(file) in found.stopped


def test_another_version_begins_anew_and_leaves_what_is_there(half: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(half, copy)
    before = {path: path.read_bytes() for path in copy.glob("*/*")}
    found = search(copy, version="2")
    assert found.answers["clean"].holds and found.configurations == CONFIGURATIONS
    assert {path: path.read_bytes() for path in copy.glob("*/*")} == before


# ---- folders of other questions ----

#: Messages are numbered as they come, so that both words begin alike.
WORD, OTHER = ("ab" + "abbabaabbaababba".translate(t) * 2 for t in ({}, str.maketrans("ab", "ba")))


def chain(word: str) -> SurvivalModel:
    """One role sends the letters of a word to another; a third loses time."""
    sends = "\n".join(f"  s{i}: B!{letter} -> s{i + 1}" for i, letter in enumerate(word))
    takes = "\n".join(f"  s{i}: A?{letter} -> s{i + 1}" for i, letter in enumerate(word))
    end = f"\n  s{len(word)}:\n"
    text = f"role A {{\n{sends}{end}}}\nrole B {{\n{takes}{end}}}\n"
    system = sp.loads(text, "storm")
    return SurvivalModel(system, Failures().on(system), rest_states(system))


def search_chain(folder: Path, word: str, states: int | None) -> Survey:
    model = chain(word)
    disk = _engine.DiskOptions(str(folder), "1", True, 10, 0, 200)
    asks = {"clean": clean(model.system, model.rest)}
    return survey(
        model, asks, 2, reduction=False, symmetry=False, limits=Limits(states=states), disk=disk, threads=1
    )


def test_files_of_another_question_of_the_same_shape_are_not_read(tmp_path: Path) -> None:
    """The same numbers of configurations in files of the same lengths, and other configurations in them."""
    one, other = tmp_path / "one", tmp_path / "other"
    for folder, word in ((one, WORD), (other, OTHER)):
        folder.mkdir()
        assert search_chain(folder, word, 60).stopped == "states"
    (mine,), (foreign,) = one.iterdir(), other.iterdir()
    assert mine.name != foreign.name
    assert {p.name: p.stat().st_size for p in mine.glob("[lr]*")} == {
        p.name: p.stat().st_size for p in foreign.glob("[lr]*")
    }, "or this shows nothing"
    manifest = (mine / "manifest").read_bytes()
    shutil.copytree(foreign, mine, dirs_exist_ok=True)
    found = search_chain(one, WORD, None)
    assert found.answers["clean"].holds is None
    assert found.stopped == f"{mine}/ belongs to another question; remove {mine}/ to start again"
    (mine / "manifest").write_bytes(manifest)
    found = search_chain(one, WORD, None)
    assert found.answers["clean"].holds is None
    assert " is damaged; remove " in found.stopped
