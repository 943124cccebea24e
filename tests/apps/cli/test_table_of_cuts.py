"""What docs/language.md says of cuts, command by command, is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.command_line import Run
from tests.support.paths import ROOT

TEXT = """faults A <-> B: cut
role A { idle: B!ping -> wait
 wait: B?pong -> idle }
role B { serve: A?ping -> reply
 reply: A!pong -> serve }
"""
#: The commands of the table, each as it is tried on such a file.
TRIED = {
    "check": ["check", "FILE"],
    "explain": ["explain", "FILE"],
    "reach": ["reach", "FILE", "deadlock"],
    "frontier": ["frontier", "FILE"],
    "fmt": ["fmt", "FILE"],
    "lint": ["lint", "FILE"],
    "trace": ["trace", "FILE", "LOG"],
    "convert --to promela": ["convert", "FILE", "--to", "promela"],
}


def rows() -> dict[str, str]:
    text = (ROOT / "docs/language.md").read_text("utf-8")
    table = text.partition("<!-- cuts -->")[2].partition("<!-- /cuts -->")[0]
    found: dict[str, str] = {}
    for commands, said in re.findall(r"^\| (`.*?`) \| (.*) \|$", table, re.MULTILINE):
        found |= dict.fromkeys(re.findall(r"`(.*?)`", commands), said)
    return found


@pytest.mark.parametrize("command", TRIED)
def test_a_command_does_under_cuts_what_the_table_says(run: Run, command: str, tmp_path: Path) -> None:
    file, log = tmp_path / "t.storm", tmp_path / "a.jsonl"
    file.write_text(TEXT)
    log.write_text('{"role": "A", "do": "send", "peer": "B", "message": "ping"}\n')
    given = [{"FILE": str(file), "LOG": str(log)}.get(word, word) for word in TRIED[command]]
    found = run(*given)
    refused = rows()[command].startswith("refused")
    assert (found.code == 2) == refused, found.err
    assert not refused or "cut for good" in found.err
