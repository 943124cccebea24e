"""SPIN explores what we write for it: as many states stored as the definitions have configurations."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from stormproof.errors import FormatError, UsageError
from stormproof.kernel.model.actions import Receive, Send, Transition
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.faults import ChannelFaults
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System
from stormproof.kernel.transform.mailboxes import with_senders
from stormproof.kernel.transform.prepare import with_process_faults
from stormproof.languages import formats
from stormproof.oracle.bounded import explore
from tests.support.example_systems import process
from tests.support.odd_systems import odd_system
from tests.support.peer_files import peers
from tests.support.random_mailboxes import random_mailboxes

needs_spin = pytest.mark.skipif(
    not (shutil.which("spin") and shutil.which("cc")), reason="spin or a C compiler is not installed"
)


def stored_states(system: System, k: int, folder: Path) -> int:
    """How many states SPIN's exhaustive exploration stores."""
    (folder / "m.pml").write_text(formats.dumps(system, "promela", k=k), encoding="utf-8")
    commands = (
        ["spin", "-o3", "-a", "m.pml"],
        ["cc", "-O0", "-w", "-DSAFETY", "-DNOREDUCE", "-o", "pan", "pan.c"],
        ["./pan", "-E", "-m1000000", "-w18"],
    )
    for command in commands:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    found = re.search(r"(\d+) states, stored", done.stdout)
    assert found and "errors: 0" in done.stdout, done.stdout
    return int(found[1])


def configurations(system: System, k: int) -> int:
    return len(explore(system, Failures().on(system), k).steps)


@needs_spin
@pytest.mark.parametrize("seed", range(10))
def test_one_stored_state_a_configuration(seed: int, tmp_path: Path) -> None:
    """Odd names, internal actions, crashes, and every kind of fault."""
    system = odd_system(random.Random(seed))
    for k in (1, 2):
        assert stored_states(system, k, tmp_path) == configurations(system, k)


@needs_spin
@pytest.mark.parametrize("seed", range(10))
def test_one_stored_state_a_configuration_with_duplication(seed: int, tmp_path: Path) -> None:
    """Duplication on some channels, alone and with the faults that the system declares."""
    rng = random.Random(seed)
    system = odd_system(rng)
    declared = {(f.sender, f.receiver): f for f in system.faults}
    for channel in system.channels:
        if rng.random() < 0.7:
            declared[channel] = replace(declared.get(channel, ChannelFaults(*channel)), duplicate=True)
    system = replace(system, faults=tuple(declared.values()))
    for k in (1, 2):
        assert stored_states(system, k, tmp_path) == configurations(system, k)


@needs_spin
@pytest.mark.parametrize("seed", range(5))
def test_one_stored_state_a_configuration_with_stops_and_restarts(seed: int, tmp_path: Path) -> None:
    """Beside the faults that the system declares, and with durable states."""
    rng = random.Random(seed)
    system = odd_system(rng)
    processes = tuple(
        replace(
            p, stop=rng.random() < 0.5, restart=rng.random() < 0.7, durable=tuple(rng.sample(p.states, 1))
        )
        for p in system
    )
    system = replace(system, processes=processes)
    failing = with_process_faults(system, Failures().on(system)).system
    for k in (1, 2):
        assert stored_states(system, k, tmp_path) == configurations(failing, k)


@needs_spin
@pytest.mark.parametrize("seed", [0, 4, 8, 14])
def test_one_stored_state_a_configuration_with_mailboxes(seed: int, tmp_path: Path) -> None:
    """Faults by sender and receiver, crash messages, and reordering of whole mailboxes."""
    system, _ = random_mailboxes(seed)
    rng = random.Random(seed)
    moved = {name for name in system.names if rng.random() < 0.6}
    declared = (
        ChannelFaults(*c, loss=rng.random() < 0.5, duplicate=rng.random() < 0.5, reorder=c.receiver in moved)
        for c in system.channels
    )
    system = replace(system, faults=tuple(declared))
    expected = len(explore(with_senders(system), Failures().on(system), 2).steps)
    assert stored_states(system, 2, tmp_path) == expected


@needs_spin
@pytest.mark.parametrize("name", ["AlternatingBit.txt", "running-example.txt", "commit-protocol.txt"])
def test_other_tools_systems(name: str, tmp_path: Path) -> None:
    system = formats.load(peers("kmc", name))
    assert stored_states(system, 2, tmp_path) == configurations(system, 2)


def test_what_spin_cannot_take_is_refused() -> None:
    system = formats.loads("role A { s: B!m -> s }\nrole B { s: A?m -> s }")
    with pytest.raises(UsageError, match="at least 1, not 0"):
        formats.dumps(system, "promela", k=0)
    with pytest.raises(FormatError, match="at most 255 messages a channel, and this needs 256"):
        formats.dumps(system, "promela", k=256)
    rows = tuple(Transition("s", Send("B", f"m{i}"), "s") for i in range(300))
    with pytest.raises(FormatError, match="at most 255 messages, and this needs 300"):
        formats.dumps(System((Process("A", "s", rows), Process("B", "s"))), "promela")


@needs_spin
def test_a_channel_to_oneself_is_explored_like_any_other(tmp_path: Path) -> None:
    """Beside an ordinary channel, whole and where messages are lost, duplicated or reordered."""
    a = process(
        "A",
        ("0", Send("A", "x"), "1"),
        ("1", Send("B", "y"), "0"),
        ("1", Receive("A", "x"), "2"),
        ("2", Receive("A", "x"), "0"),
    )
    b = process("B", ("0", Receive("A", "y"), "0"), ("0", Send("B", "z"), "1"), ("1", Receive("B", "z"), "0"))
    for faults in ((), (ChannelFaults("A", "A", loss=True, duplicate=True, reorder=True),)):
        system = System((a, b), faults=faults)
        for k in (1, 2, 3):
            assert stored_states(system, k, tmp_path) == configurations(system, k)
