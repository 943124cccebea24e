"""The tests pass where SIGINT is ignored, as under `nohup`: they set the signals that they need."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.processes import begin, end, started

#: What a process does about SIGINT; then it waits for its end.
REPORT = "import signal, time; print(signal.getsignal(signal.SIGINT), flush=True); time.sleep(60)"
#: Whoever asks for one of these needs a process that notices it.
ASKS = re.compile(r"send_signal\(signal\.SIGINT|os\.kill\(\w+, signal\.SIGINT|default_int_handler")
STARTS = re.compile(r"\bfrom tests\.support\.(?:processes|studio_server|killed_roles) import")


@pytest.fixture
def ignored() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    assert signal.signal(signal.SIGINT, before) is signal.SIG_IGN, "a test has changed it for others"


@pytest.mark.usefixtures("ignored")
def test_what_a_test_starts_can_be_interrupted() -> None:
    with started([sys.executable, "-c", REPORT], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and "default_int_handler" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == -signal.SIGINT


@pytest.mark.usefixtures("ignored")
def test_without_that_it_could_not() -> None:
    done = subprocess.run(
        [sys.executable, "-c", REPORT.partition("; time")[0]], capture_output=True, text=True
    )
    assert done.stdout and "default_int_handler" not in done.stdout


def test_nothing_is_left_of_a_test_that_fails() -> None:
    """Nor of what its process has started."""
    nested = (
        "import subprocess, sys\n"
        f"child = subprocess.Popen([sys.executable, '-c', {REPORT!r}])\n"
        "print(child.pid, flush=True)\nchild.wait()\n"
    )
    process = begin([sys.executable, "-c", nested], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    child = int(process.stdout.readline())
    end(process)
    deadline = time.monotonic() + 10
    while _lives(child):
        assert time.monotonic() < deadline, "what it has started is left"
        time.sleep(0.02)


def _lives(pid: int) -> bool:
    """A process that has ended and that nobody has waited for yet does not."""
    status = Path(f"/proc/{pid}/stat")
    try:
        return status.read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_whoever_sends_sigint_starts_processes_that_notice_it() -> None:
    texts = {p: p.read_text("utf-8") for p in (ROOT / "tests").rglob("*.py") if p != Path(__file__)}
    asking = {p for p, text in texts.items() if ASKS.search(text)}
    assert len(asking) >= 3
    for path in asking:
        helped = STARTS.search(texts[path]) or "start: Start" in texts[path] or "signals_as_in" in texts[path]
        assert helped, f"{path} needs the disposition of SIGINT that tests.support.processes sets"
