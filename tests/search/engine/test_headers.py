"""The headers of the engine compile in any order: each includes what it needs.

Compiling each of them alone takes a minute, so the order is shuffled instead: one that leans on others comes
before them sooner or later.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess

import pytest

from tests.support.paths import ROOT

ENGINE = ROOT / "engine"
COMPILER = shutil.which(os.environ.get("CXX", "c++"))
#: Only bindings/ knows Python, and it is compiled with every build.
HEADERS = sorted(str(h.relative_to(ENGINE)) for h in ENGINE.rglob("*.hpp") if h.parent.name != "bindings")


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


def test_only_bindings_know_python() -> None:
    files = [file for file in ENGINE.rglob("*.?pp") if file.parent.name != "bindings"]
    assert files and not [file for file in files if re.search(r"nanobind|Python\.h", file.read_text())]


def test_no_file_is_named_after_a_folder() -> None:
    """`store/disk_files.hpp`, not `store_disk_files.hpp`."""
    folders = [folder.name for folder in ENGINE.iterdir() if folder.is_dir()]
    assert len(folders) == 7
    named = [f for f in ENGINE.rglob("*.?pp") for folder in folders if f.name.startswith(f"{folder}_")]
    assert not named
