"""`stormproof reach` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import Run


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (("half-duplex", "Receiver@refuse"), 0, "unreachable"),
        (("half-duplex", "Receiver@refuse", "--loss"), 1, "reachable"),
        (("alternating-bit-retransmit", "Receiver@take0 & Sender@send1"), 0, "unreachable"),
        (("alternating-bit", "--bounds"), 0, "bounded"),
        (("stop-and-wait", "--bounds"), 1, "unbounded"),
    ],
)
def test_the_first_word_is_the_answer(run: Run, arguments: tuple[str, ...], code: int, word: str) -> None:
    found = run("reach", *arguments)
    assert found.code == code
    assert found.out.split()[0].rstrip(":") == word


def test_a_run_is_drawn(run: Run) -> None:
    out = run("reach", "stop-and-wait", "Receiver@again0").out
    assert "replayed" in out and "timeout" in out and "again0" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("half-duplex", "Reciever@refuse"), "did you mean 'Receiver'"),
        (("half-duplex",), "there is no goal"),
        (("half-dupleks", "deadlock"), "half-duplex"),
        (("half-duplex", "deadlock", "--pnml", "-"), "keeps the order"),
    ],
)
def test_bad_questions_get_one_clear_sentence(run: Run, arguments: tuple[str, ...], said: str) -> None:
    found = run("reach", *arguments)
    assert found.code == 2 and said in found.err and "Traceback" not in found.err and not found.out


def test_json_has_the_run_or_the_certificate(run: Run) -> None:
    data = json.loads(run("reach", "half-duplex", "Receiver@refuse", "--reorder", "--json").out)
    assert data["answer"] == "reachable" and data["witness"]["steps"]
    data = json.loads(run("reach", "half-duplex", "Receiver@refuse", "--json", "--certificate").out)
    assert data["answer"] == "unreachable" and data["certificate"]["pairs"]


def test_a_limit_gives_undecided(run: Run) -> None:
    found = run("reach", "go-back-2", "deadlock", "--timeout", "0.000000001")
    assert (found.code, found.out.split()[0]) == (3, "undecided:")


def test_the_net_is_written(run: Run, tmp_path: Path) -> None:
    where = tmp_path / "net.pnml"
    assert run(
        "reach", "half-duplex", "--reorder", "--pnml", where
    ).code == 0 and where.read_text().startswith("<?xml")
