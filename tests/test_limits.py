"""The deadline of a whole, and the memory that is taken by default."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from stormproof.limits import (
    Limits,
    as_a_whole,
    interrupting,
    is_over,
    past_the_deadline,
    three_quarters,
    time_left,
    why_interrupted,
    within,
)


def test_a_part_ends_with_the_whole() -> None:
    assert time_left() is None and time_left(7) == 7 and not is_over()
    with within(100):
        with within(1000):
            assert 99 < (time_left() or 0) <= 100
        with within(10), within(None):
            assert 9 < (time_left(50) or 0) <= 10 and time_left(2) == 2
        assert (time_left() or 0) > 90
    assert time_left() is None


def test_no_time_is_not_no_limit() -> None:
    """The engine reads 0 as no limit."""
    with within(1e-9):
        assert is_over() and 0 < (time_left() or 0) < 1e-3
        assert why_interrupted() == "the time limit of 1e-09 s was reached"
    assert why_interrupted() == "interrupted"


def test_a_call_is_a_whole() -> None:
    @as_a_whole
    def left(*, limits: Limits | None = None) -> float | None:
        return time_left()

    assert 290 < (left() or 0) <= 300 and 4 < (left(limits=Limits(5)) or 0) <= 5
    assert left(limits=Limits(None)) is None


def endless() -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        pass
    raise AssertionError("nothing interrupts this")


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no alarms here")
def test_what_does_not_ask_the_clock_is_interrupted() -> None:
    with within(0.05), interrupting(), pytest.raises(KeyboardInterrupt):
        endless()
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no alarms here")
def test_and_again_where_that_was_lost() -> None:
    with within(0.05), interrupting():
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                endless()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no alarms here")
def test_what_is_known_is_written_to_its_end() -> None:
    with within(0.05), interrupting():
        with past_the_deadline():
            time.sleep(1)
        time.sleep(0.5)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no alarms here")
def test_the_alarm_of_a_program_is_left_alone() -> None:
    rung = []
    signal.signal(signal.SIGALRM, lambda *_: rung.append(True))
    try:
        with within(0.01), interrupting():
            time.sleep(0.5)
        assert not rung
    finally:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


# ---- memory --------------------------------------------------------------------------------------------

MIB = 2**20


def limits_of(root: Path, group: str, **limits: str) -> int:
    """What is taken in a tree of files like those of Linux; `__` is for `/` in the names of groups."""
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/cgroup").write_text(group)
    for where, text in limits.items():
        file = root / "sys/fs/cgroup" / where.replace("__", "/").replace("MAX", "memory.max")
        file = file.with_name(file.name.replace("V1", "memory.limit_in_bytes"))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return three_quarters(root)


def test_the_memory_of_the_machine(tmp_path: Path) -> None:
    whole = three_quarters(tmp_path)
    assert whole > 100 * MIB
    assert limits_of(tmp_path, "0::/a\n", MAX="max\n", a__MAX="max\n") == whole


def test_the_memory_of_a_group(tmp_path: Path) -> None:
    taken = limits_of(tmp_path, "0::/a/b\n", a__b__MAX=f"{64 * MIB}\n", a__MAX=f"{80 * MIB}\n")
    assert taken == 48 * MIB == Limits(memory=taken).bytes


def test_the_memory_of_a_group_above(tmp_path: Path) -> None:
    assert limits_of(tmp_path, "0::/a/b\n", a__b__MAX="max\n", a__MAX=f"{40 * MIB}\n") == 30 * MIB


def test_the_memory_of_a_container_that_sees_the_path_of_its_host(tmp_path: Path) -> None:
    assert limits_of(tmp_path, "0::/docker/1f\n", MAX=f"{40 * MIB}\n") == 30 * MIB


def test_the_memory_of_a_group_of_the_first_version(tmp_path: Path) -> None:
    """Without a limit it has a number that no machine reaches."""
    groups = "11:cpu,cpuacct:/x\n4:memory:/a/b\n1:name=systemd:/a\n"
    limits = {"memory__V1": str(2**63 - 4096), "memory__a__V1": f"{40 * MIB}\n"}
    assert limits_of(tmp_path, groups, **limits) == 30 * MIB


@pytest.mark.parametrize("text", ["", "many", "-5", "0", "12 34"])
def test_what_is_no_limit_of_memory(tmp_path: Path, text: str) -> None:
    whole = three_quarters(tmp_path)
    assert limits_of(tmp_path, "nonsense\n0::/a\n", a__MAX=text) == whole
