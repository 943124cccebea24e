"""The headers of the engine compile in any order: each includes what it needs.

Compiling each of them alone takes a minute, so the order is shuffled instead: one that leans on others comes
before them sooner or later.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

ENGINE = Path(__file__).resolve().parents[2] / "engine"
COMPILER = shutil.which(os.environ.get("CXX", "c++"))
#: Only bindings.hpp knows Python, and it is compiled with every build.
HEADERS = sorted(h.name for h in ENGINE.glob("*.hpp") if h.name != "bindings.hpp")


@pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")
@pytest.mark.parametrize("order", range(6))
def test_in_any_order(order: int) -> None:
    """As they are named, the other way round, and in four more orders."""
    headers = {0: HEADERS, 1: HEADERS[::-1]}.get(order) or random.Random(order).sample(HEADERS, len(HEADERS))
    assert COMPILER is not None
    flags = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{ENGINE}", "-xc++", "-"]
    source = "".join(f'#include "{h}"\n' for h in headers)
    done = subprocess.run([COMPILER, *flags], input=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
