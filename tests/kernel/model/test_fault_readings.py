"""Few functions read what a kind of fault does: `scripts/count_fault_readings` counts them."""

from __future__ import annotations

import subprocess
import sys

from tests.support.paths import ROOT

#: How many there are, with those of checkers that share no code with searches. A new kind of fault may need
#: more; nothing else should.
MOST = 105

#: What runs, shows and explains asks the kernel.
ASK_THE_KERNEL = (
    "apps/studio/",
    "apps/lsp/",
    "live/conformance/",
    "live/testing/",
    "search/examples/",
    "tell/",
)


def test_what_is_no_theory_of_faults_asks_the_kernel() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "count_fault_readings")]
    *rows, total = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    counts = {file: int(count) for count, file in (row.split() for row in rows)}
    assert sum(counts.values()) == int(total.split()[0]) <= MOST
    assert counts["kernel/model/channel_faults.py"] >= 4 <= counts["trust/channel_faults.py"]
    assert [file for file in counts if file.startswith(ASK_THE_KERNEL)] == []
