"""The relays of examples/outbox: the right ones pass, and every broken one is noticed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

import stormproof as sp
from stormproof.live.testing.generate import RoleUnderTest, what_is_tested
from stormproof.live.testing.run_vectors import run_vectors
from stormproof.live.testing.vectors import runner_files
from tests.live.testing.test_vectors import tool
from tests.support.paths import ROOT

OUTBOX = ROOT / "examples" / "outbox"
BROKEN = ("ForgetsIds", "AcknowledgesFirst", "NoRetry", "RetriesWithNewId")


@cache
def role_runs() -> RoleUnderTest:
    return what_is_tested(sp.load(OUTBOX / "outbox.storm"), "Relay", None, effort=2_000)


def node() -> str:
    """Node that reads TypeScript."""
    found = os.environ.get("STORMPROOF_NODE") or tool("node")
    said = subprocess.run([found, "--version"], capture_output=True, text=True).stdout
    version = tuple(map(int, re.findall(r"\d+", said)[:2]))
    if version < (22, 18):
        pytest.skip(f"node {said.strip()} does not read TypeScript; that takes 22.18")
    return found


@pytest.mark.parametrize("language", ["typescript", "rust"])
def test_all_broken_relays_are_noticed(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ignored = shutil.ignore_patterns("target", "stormproof_*", "*.vectors.json")
    shutil.copytree(OUTBOX / language, tmp_path / "relay", ignore=ignored)
    monkeypatch.chdir(tmp_path / "relay")
    if language == "typescript":
        folder, command = Path(), f"'{node()}' --test relay.test.ts > out.txt"
    else:
        folder, command = Path("tests/support"), f"'{tool('cargo')}' test -q --offline > out.txt 2>&1"
        folder.mkdir()
    for file, text in runner_files("javascript" if language == "typescript" else "rust").items():
        (folder / file).write_text(text, "utf-8")
    for relay in ("", *BROKEN):
        monkeypatch.setenv("RELAY", relay or "Relay")
        found = run_vectors(role_runs(), command)
        assert not found.problems, (found.problems, Path("out.txt").read_text())
        assert found.exit_code == (1 if relay else 0), (relay, found.summary)
        assert bool(found.with_verdict("failed")) == bool(relay)
