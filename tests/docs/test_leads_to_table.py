"""docs/language.md says of every command what it does with `leads to`; those that ask it do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from stormproof.apps.cli import COMMANDS
from tests.support.command_line import Run, run as run
from tests.support.paths import ROOT

TABLE = (ROOT / "docs" / "language.md").read_text("utf-8").partition("<!-- leads to -->")[2]
ROWS = {
    what: re.findall(r"`([\w-]+)`", commands)
    for commands, what in re.findall(r"^\| (`[^|]+) \| ([^|]+) \|$", TABLE.partition("\n\n")[0], re.MULTILINE)
    if " leads to " not in what
}
TEXT = """protocol Once
faults Client <-> Server: loss
role Client { idle: Server!ask -> asked  asked: Server?answer -> served  served: }
role Server { ready: Client?ask -> busy  busy: Client!answer -> done  done: }
require served: Client@asked leads to Client@served
"""


def test_every_command_stands_there_once() -> None:
    assert sorted(name for names in ROWS.values() for name in names) == sorted(COMMANDS)


@pytest.mark.parametrize(
    "arguments",
    [
        ("check",),
        ("explain",),
        ("frontier", "--property", "served"),
        ("check", "--junit", "-"),
        ("check", "--sarif", "-"),
        ("check", "--json"),
        ("convert", "--to", "json"),
        ("fmt",),
        ("report", "-o", "-"),
        ("testgen", "--role", "Client"),
    ],
    ids=" ".join,
)
def test_what_asks_it_says_so(run: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    path = tmp_path / "once.storm"
    path.write_text(TEXT, "utf-8")
    command, *options = arguments
    found = run(command, path, *options)
    assert "served" in found.out.replace("Client@served", ""), found.out + found.err
    assert "Traceback" not in found.err
