"""Limits that make no sense are refused with the name of their option, and signs have a likeness in ASCII."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from stormproof.apps.cli.streams import _likeness
from tests.support.command_line import Run, run

__all__ = ["run"]


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        ("--timeout", "0"),
        ("--timeout", "-1"),
        ("--timeout", "nan"),
        ("--max-states", "0"),
        ("--memory", "0"),
        ("--memory", "lots"),
    ],
)
def test_the_option_is_named(run: Run, flag: str, value: str) -> None:
    found = run("check", "alternating-bit", flag, value)
    assert found.code == 2 and found.err.startswith(flag) and value in found.err


def test_comparisons_keep_their_meaning_in_ascii() -> None:
    text = "k ≤ 3, k ≥ 1"
    for sign, shown in (("≤", "<="), ("≥", ">=")):
        at = text.index(sign)
        assert _likeness(UnicodeEncodeError("ascii", text, at, at + 1, "")) == (shown, at + 1)


@pytest.mark.parametrize(
    "command", ["check", "explain", "report", "draw", "classify", "crash", "frontier", "reach"]
)
def test_every_command_that_searches_larger_bounds_has_an_effort(run: Run, command: str) -> None:
    assert "--effort" in run(command, "--help").out
    assert "--effort must be 0 or more, not -1" in run(command, "alternating-bit", "--effort", "-1").err


def test_a_check_goes_on_on_disk(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "philosophers.storm"
    run("generate", "dining-philosophers", "--philosophers", "4", "--left-handed", "-o", str(file))
    asked = ("check", str(file), "--property", "recovers", "-k", "1", "--no-reduction", "--no-symmetry")
    found = run(*asked, "--memory", "100KB")
    assert found.code == 3 and "the memory limit of 97.7 KiB was reached" in found.out
    found = run(*asked, "--memory", "100KB", "--disk", str(tmp_path / "explorations"))
    assert found.code == 0
    assert not list((tmp_path / "explorations").iterdir())


def test_a_damaged_exploration_is_undecided_and_says_what_to_do(run: Run, tmp_path: Path) -> None:
    file, folder = tmp_path / "philosophers.storm", tmp_path / "explorations"
    run("generate", "dining-philosophers", "--philosophers", "4", "--left-handed", "-o", str(file))
    flags = ("--property", "recovers", "-k", "1", "--no-reduction", "--no-symmetry", "--memory", "100KB")
    asked = ("check", str(file), *flags, "--disk", str(folder))
    assert run(*asked, "--max-states", "6000").code == 3
    (own,) = folder.glob("stormproof-*")
    for data in (b"", b"stormproof exploration", b"stormproof exploration 0.1.0\nend 0\n", b"\xff\0" * 100):
        (own / "manifest").write_bytes(data)
        found = run(*asked)
        said = "".join(found.out.split())  # the path may be broken anywhere
        assert found.code == 3 and "manifestisdamaged;remove" in said and "tostartagain" in said
        assert "Traceback" not in found.err and "✔" not in found.out
        assert (own / "manifest").read_bytes() == data, "what is damaged is left for the user to see"
    shutil.rmtree(own)
    assert run(*asked).code == 0


def test_a_folder_that_cannot_be_written_is_refused(run: Run) -> None:
    found = run("check", "alternating-bit", "--disk", "/dev/null/explorations")
    assert found.code == 2 and "cannot make the folder '/dev/null/explorations'" in found.err
    assert "--disk needs the name of a folder" in run("check", "alternating-bit", "--disk", "").err


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--budget", "loss=1"), "the budget limits losses, which cannot happen"),
        (("--loss-on", "B:A"), "faults on B→A have no effect: nothing is sent there"),
        (("--loss", "--budget", "2,crash=1"), "the budget limits crashes, which cannot happen"),
    ],
)
def test_what_changes_nothing_is_said(run: Run, tmp_path: Path, flags: tuple[str, ...], words: str) -> None:
    """Otherwise a slip in a flag would look like a protocol that survives."""
    path = tmp_path / "one.storm"
    path.write_text("role A { a: B!x -> b\n b: }\nrole B { a: A?x -> b\n b: }\n")
    assert words in run("check", path, *flags).out
    assert "cannot happen" not in run("check", path, "--loss", "--budget", "1,loss=1").out


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--budget", "loss=1,loss=2"), "budget: loss is limited twice"),
        (("--budget", "1,2"), "budget: the total is limited twice"),
        (("--partition", " "), "--partition names no process"),
        (("--max-k", "0"), "max-k must be at least 1, not 0"),
    ],
)
def test_what_contradicts_itself_is_refused(run: Run, flags: tuple[str, ...], words: str) -> None:
    found = run("check", "alternating-bit", "--loss", *flags)
    assert found.code == 2 and words in found.err
