"""Where the compiler or the Python headers are missing, the build says in one sentence what to install."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.paths import ROOT

CMAKE = shutil.which("cmake")

pytestmark = pytest.mark.skipif(CMAKE is None, reason="cmake is not on the PATH")


def configure(build: Path, *flags: str, path: str | None = None) -> str:
    assert CMAKE is not None
    environment = None if path is None else {"PATH": path}
    done = subprocess.run(
        [CMAKE, "-S", str(ROOT), "-B", str(build), *flags], capture_output=True, text=True, env=environment
    )
    assert done.returncode != 0
    return " ".join(done.stderr.split())


def test_no_compiler(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    message = configure(tmp_path / "build", "-GNinja", path=str(tmp_path / "bin"))
    assert "no C++ compiler found; install one, on Debian: apt-get install g++" in message


def test_no_headers(tmp_path: Path) -> None:
    if shutil.which("c++") is None:
        pytest.skip("there is no C++ compiler")
    message = configure(tmp_path / "build", f"-DPython_INCLUDE_DIR={tmp_path / 'nowhere'}")
    assert "the Python headers are missing; install them, on Debian: apt-get install python3-dev" in message
