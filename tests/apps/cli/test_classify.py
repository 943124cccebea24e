"""`stormproof classify` as a shell sees it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.command_line import Run


def test_the_table_fits_and_says_what_is_known(run: Run) -> None:
    outcome = run("classify", "half-duplex", "--max-k", "2")
    assert outcome.code == 0
    rows = {line[:24].strip(): line[24:].split() for line in outcome.out.splitlines()}
    assert rows["half-duplex"] == ["✔", "✘", "✘", "✘"]
    assert rows["RSC"] == ["✔", "✔", "✘", "✘"]
    assert rows["existentially k-bounded"] == ["–"] * 4
    assert all(len(line) <= 80 for line in outcome.out.splitlines())


def test_json_and_the_picture(run: Run, tmp_path: Path) -> None:
    picture = tmp_path / "place.svg"
    outcome = run("classify", "non-regular", "--max-k", "1", "--json", "-o", picture)
    assert outcome.code == 0
    data = json.loads(outcome.out)
    perfect = data["standings"][0]
    assert perfect["interference"] == "perfect"
    assert perfect["classes"]["k-mc"] == {"holds": True, "k": 1, "reason": "", "applies": True}
    assert perfect["classes"]["half-duplex"]["applies"] is False
    assert picture.read_text(encoding="utf-8").startswith("<svg")


def test_a_limit_gives_exit_code_three(run: Run) -> None:
    outcome = run("classify", "non-regular", "--max-k", "1", "--max-states", "2")
    assert outcome.code == 3
    assert "limit of 2 configurations" in outcome.out.replace("\n", " ")


def test_a_picture_that_cannot_be_written_is_one_sentence(run: Run, tmp_path: Path) -> None:
    outcome = run("classify", "half-duplex", "--max-k", "1", "-o", tmp_path / "no" / "such.svg")
    assert outcome.code == 2
    assert "such.svg: cannot be written" in outcome.err and "Traceback" not in outcome.err


def test_bad_input_is_one_sentence(run: Run) -> None:
    outcome = run("classify", "no-such-protocol")
    assert outcome.code == 2 and "no-such-protocol" in outcome.err
