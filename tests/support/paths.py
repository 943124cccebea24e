"""Where the repository is, for tests that read its documents and scripts."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
#: The command as it is installed in the environment of the tests.
STORMPROOF = Path(sys.executable).parent / "stormproof"
