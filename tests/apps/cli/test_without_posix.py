"""What needs nothing of POSIX works without; what does says so. See `tests/support/without_posix.py`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

COMMAND = (sys.executable, str(ROOT / "tests" / "support" / "without_posix.py"))
SHOP = """protocol Shop
role Buyer { ask: Shop!order -> wait  wait: Shop?price -> done  done: }
role Shop { idle: Buyer?order -> quote  quote: Buyer!price -> closed  closed: }
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "shop.storm").write_text(SHOP, encoding="utf-8")
    return subprocess.run([*COMMAND, *arguments], cwd=folder, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("check shop.storm", 0),
        ("check shop.storm --loss --timeout 60", 1),
        ("check shop.storm --loss --junit j.xml --sarif s.sarif", 1),
        ("explain shop.storm --loss", 1),
        ("frontier shop.storm", 1),
        ("reach shop.storm deadlock --loss", 1),
        ("fmt --write shop.storm", 0),
        ("lint shop.storm", 0),
        ("classify shop.storm", 0),
        ("compare shop.storm shop.storm", 0),
        ("convert shop.storm --to json", 0),
    ],
)
def test_works(arguments: str, code: int, tmp_path: Path) -> None:
    done = run(tmp_path, *arguments.split())
    assert (done.returncode, "internal error" in done.stderr) == (code, False), done.stderr


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        ("report shop.storm --loss -o page.html", "page.html"),
        ("testgen shop.storm --role Shop -o test_shop.py", "test_shop.py"),
        ("draw shop.storm -o automata.svg", "automata.svg"),
    ],
)
def test_writes(arguments: str, written: str, tmp_path: Path) -> None:
    done = run(tmp_path, *arguments.split())
    assert done.returncode in (0, 1), done.stderr
    assert (tmp_path / written).stat().st_size > 100


POSIX_ONLY = ["campaign shop.storm -o r.jsonl", "table shop.storm", "studio", "lsp", "mcp"]


@pytest.mark.parametrize("command", POSIX_ONLY)
def test_says_what_needs_posix(command: str, tmp_path: Path) -> None:
    done = run(tmp_path, *command.split())
    assert done.returncode == 2
    assert "needs a POSIX system" in done.stderr


def test_roles_in_python_need_posix(tmp_path: Path) -> None:
    (tmp_path / "roles.py").write_text("roles = {}\n", encoding="utf-8")
    done = run(tmp_path, "check", "roles.py")
    assert done.returncode == 2
    assert "needs a POSIX system" in done.stderr
