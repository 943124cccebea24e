"""Every header of the engine compiles alone, and all of them together in one translation unit."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

ENGINE = Path(__file__).resolve().parents[2] / "engine"
COMPILER = shutil.which(os.environ.get("CXX", "c++"))
#: Only bindings.hpp knows Python, and it is compiled with every build.
HEADERS = sorted(h.name for h in ENGINE.glob("*.hpp") if h.name != "bindings.hpp")

pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")


def compile_headers(headers: Sequence[str]) -> None:
    assert COMPILER is not None
    flags = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{ENGINE}", "-xc++", "-"]
    source = "".join(f'#include "{h}"\n' for h in headers)
    done = subprocess.run([COMPILER, *flags], input=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("header", HEADERS)
def test_alone(header: str) -> None:
    compile_headers([header])


def test_together_in_both_orders() -> None:
    compile_headers(HEADERS)
    compile_headers(HEADERS[::-1])
