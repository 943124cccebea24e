"""Restarts: what is durable, and records of something else."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import stormproof as sp
from stormproof.errors import InputError, OutputError
from stormproof.live.runtime import MemoryNetwork, run
from stormproof.live.runtime.record_file import RecordFile
from tests.support.paths import ROOT
from tests.support.role_runs import assert_follows, in_memory


@sp.role
def Ledger(items: int) -> Any:
    """Counts what it receives; each count is durable before it is confirmed."""
    total = 0
    while total < items:
        yield sp.receive(("Client", "add"), at="ready")
        total += 1
        yield sp.send("Client", "added", total, durable=True)
    return total


@sp.role
def Client(items: int) -> Any:
    seen = 0
    while seen < items:
        yield sp.send("Ledger", "add")
        reply = yield sp.receive("Ledger", timeout=0.02)
        seen = seen if reply is None else max(seen, reply.fields[0])
    return seen


def test_a_restarted_role_continues_from_its_durable_point(tmp_path: Path) -> None:
    """The process ends after two items; a new one replays what it received, and sends nothing again."""
    record = tmp_path / "ledger"

    async def first() -> int:
        network = MemoryNetwork()
        ledger = asyncio.ensure_future(run(Ledger(4), network, durable=record))
        for _ in range(2):
            await network.send(sp.Received("Client", "add"), "Ledger")
        await asyncio.sleep(0.05)
        ledger.cancel()
        return network.in_flight()

    async def second() -> tuple[Any, list[str]]:
        network = MemoryNetwork()
        for _ in range(2):
            await network.send(sp.Received("Client", "add"), "Ledger")
        total = await run(Ledger(4), network, durable=record)
        inbox = await network.inbox("Client", {})
        sent = []
        while inbox.heads():
            message = await inbox.take(sp.receive("Ledger"), 0, lambda message: None)
            assert message is not None
            sent.append(message.message)
        return total, sent

    assert asyncio.run(first()) == 2
    assert len(record.read_text().splitlines()) == 3, "one of them says whose it is"
    with record.open("a") as file:
        file.write('[{"from": "Cli')  # cut off while it was written
    total, sent = asyncio.run(second())
    # The last durable point is the confirmation of 2, which is sent again; the one of 1 is muted.
    assert total == 4 and sent == ["added(2)", "added(3)", "added(4)"]


def test_a_record_that_the_role_cannot_have_written_is_refused(tmp_path: Path) -> None:
    received = {"from": "Client", "name": "add", "fields": []}
    misfits: list[Any] = [
        *({}, [], [1], 7, None, [{"choice": 1}], [{"timeout": True}], [{}], [received, received]),
        *([received | {"name": "take"}], [received, {}], [received | {"fields": 5}]),
        [received | {"fields": [{"enum": "os.system"}]}],
        *([received | {"log": ["x", 5]}, {}], {"saved": {}}, {"saved": {"total": 1}}),
    ]
    for given in misfits:
        record = tmp_path / "ledger"
        record.unlink(missing_ok=True)
        file = RecordFile(record, "Ledger")
        file.append(given)
        file.close()
        with pytest.raises(InputError, match="does not fit the role"):
            asyncio.run(run(Ledger(1), MemoryNetwork(), durable=record, log=tmp_path / "log"))


@sp.role
def Chooser() -> Any:
    first = yield sp.choose("a", "b")
    yield sp.receive("Nobody", timeout=0.0, durable=True)
    return first


def test_a_choice_that_there_is_not_is_refused(tmp_path: Path) -> None:
    for choice in (-1, 2, "a", None, 1e9):
        record = tmp_path / "chooser"
        record.unlink(missing_ok=True)
        file = RecordFile(record, "Chooser")
        file.append([{"choice": choice}])
        file.close()
        with pytest.raises(InputError, match="does not fit the role"):
            asyncio.run(run(Chooser, MemoryNetwork(), durable=record))


# ---- files that were cut off, damaged, or are of something else ----


def whole_record(path: Path) -> list[Any]:
    """Of a ledger that has received three items; what its lines say."""

    async def story() -> None:
        network = MemoryNetwork()
        for _ in range(3):
            await network.send(sp.Received("Client", "add"), "Ledger")
        await run(Ledger(3), network, durable=path)

    asyncio.run(story())
    return lines_of(path)


def lines_of(path: Path) -> list[Any]:
    file = RecordFile(path, "Ledger")
    file.close()
    return file.lines


def test_a_record_may_be_cut_at_any_byte(tmp_path: Path) -> None:
    """The role continues from the last point whose line is whole, and records the next one behind it."""
    record, cut = tmp_path / "whole", tmp_path / "cut"
    lines = whole_record(record)
    data = record.read_bytes()
    assert len(lines) == 3
    ends = [i + 1 for i, byte in enumerate(data) if byte == 10]
    for length in range(len(data) + 1):
        cut.write_bytes(data[:length])
        points = max(sum(end <= length for end in ends) - 1, 0)
        assert lines_of(cut) == lines[:points], f"cut after {length} bytes"
        file = RecordFile(cut, "Ledger")
        file.append(["more"])
        file.close()
        assert lines_of(cut) == [*lines[:points], ["more"]]


def test_a_role_continues_from_a_record_that_was_cut(tmp_path: Path) -> None:
    record, cut = tmp_path / "whole", tmp_path / "cut"
    whole_record(record)
    data = record.read_bytes()
    for length in range(0, len(data) + 1, 7):
        cut.write_bytes(data[:length])

        async def story() -> Any:
            network = MemoryNetwork()
            for _ in range(3):
                await network.send(sp.Received("Client", "add"), "Ledger")
            return await run(Ledger(3), network, durable=cut)

        assert asyncio.run(story()) == 3


def test_no_damaged_byte_of_a_record_is_believed(tmp_path: Path) -> None:
    """It is refused; only where the end of the last line is damaged, that line was cut off."""
    record, bad = tmp_path / "whole", tmp_path / "bad"
    lines = whole_record(record)
    data = record.read_bytes()
    for at in range(len(data)):
        for byte in {data[at] ^ 1, data[at] ^ 128, 10, 0} - {data[at]}:
            bad.write_bytes(data[:at] + bytes([byte]) + data[at + 1 :])
            if at == len(data) - 1:
                assert lines_of(bad) == lines[:-1]
                continue
            with pytest.raises(
                InputError, match=r"damaged|not the record of a role|is (the record )?of the (role|version)"
            ):
                lines_of(bad)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"precious", "this is not the record of a role"),
        (b"precious\n", "this is not the record of a role"),
        (b"\n", "this is not the record of a role"),
        (b"[" * 100_000 + b"\n", "this is not the record of a role"),
        (b'[{"from": "Client", "name": "add", "fields": []}]\n', "this is not the record of a role"),
        (b'{"stormproof": "record", "version": 2, "role": "Client"}\n', "is the record of the role 'Client'"),
        (b'{"stormproof": "record", "version": 3, "role": "Ledger"}\n', "is of the version 3, not 2"),
        (
            b'{"stormproof": "record", "version": 2, "role": "Ledger"}\n\0\0\0\n',
            "2: error: the record is damaged",
        ),
    ],
    ids=["text", "line", "empty", "deep", "old", "other role", "other version", "zeros"],
)
def test_a_file_of_something_else_is_refused_and_kept(data: bytes, sentence: str, tmp_path: Path) -> None:
    record = tmp_path / "ledger"
    record.write_bytes(data)
    with pytest.raises(InputError) as caught:
        asyncio.run(run(Ledger(1), MemoryNetwork(), durable=record))
    assert sentence in caught.value.report() and "name another file" in str(caught.value)
    assert record.read_bytes() == data


@pytest.mark.parametrize("which", ["log", "durable"])
def test_what_is_no_file_is_refused(which: str, tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none" / "file"):
        with pytest.raises(OutputError, match="cannot write"):
            asyncio.run(run(Ledger(1), MemoryNetwork(), **{which: path}))  # type: ignore[arg-type]
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OutputError, match="a record is a file"):
        asyncio.run(run(Ledger(1), MemoryNetwork(), durable=tmp_path / "pipe"))


def test_a_file_that_is_no_log_is_refused_and_kept(tmp_path: Path) -> None:
    for data in (b"precious", b"precious\n", b'{"key": 1}\n'):
        log = tmp_path / "log"
        log.write_bytes(data)
        with pytest.raises(InputError, match="this is not the log of a role"):
            asyncio.run(run(Ledger(1), MemoryNetwork(), log=log))
        assert log.read_bytes() == data


def test_two_roles_cannot_write_one_record(tmp_path: Path) -> None:
    """Neither in one process nor in two; afterwards the file is free."""
    record = tmp_path / "ledger"
    file = RecordFile(record, "Ledger")
    with pytest.raises(OutputError, match="another role that runs writes to"):
        asyncio.run(run(Ledger(1), MemoryNetwork(), durable=record))
    code = (
        "import sys; from pathlib import Path; from stormproof.live.runtime.record_file import RecordFile;"
        "RecordFile(Path(sys.argv[1]), 'Ledger')"
    )
    other = subprocess.run(
        [sys.executable, "-c", code, str(record)], capture_output=True, text=True, timeout=60
    )
    assert "another role that runs writes to" in other.stderr
    file.close()
    assert lines_of(record) == []


#: Arguments: the folder, the largest file in bytes. Serves what it is given until a file cannot grow.
FULL = """
import asyncio, resource, signal, sys
import stormproof as sp
from stormproof.errors import OutputError
from stormproof.live.runtime import MemoryNetwork, run
from stormproof.live.runtime.record_file import RecordFile
from tests.support.paths import ROOT
from tests.live.runtime.test_durable import Ledger
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
folder, most = sys.argv[1], int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
async def story():
    network = MemoryNetwork()
    for _ in range(20):
        await network.send(sp.Received("Client", "add"), "Ledger")
    await run(Ledger(20), network, durable=f"{folder}/record", log=f"{folder}/log")
try:
    asyncio.run(story())
except OutputError as problem:
    sys.exit(f"said: {problem}")
"""


@pytest.mark.parametrize("most", [0, 10, 60, 100, 333, 700, 1_000])
def test_a_full_disk_is_said_and_leaves_whole_lines(most: int, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path), str(most)],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=ROOT,
    )
    assert done.returncode == 1 and done.stderr.startswith("said: cannot write "), done.stderr
    for name in ("record", "log"):
        data = (tmp_path / name).read_bytes() if (tmp_path / name).exists() else b""
        assert data.endswith(b"\n") or not data, "nothing is torn"

    async def again() -> Any:
        network = MemoryNetwork()
        for _ in range(20):
            await network.send(sp.Received("Client", "add"), "Ledger")
        return await run(Ledger(20), network, durable=tmp_path / "record", log=tmp_path / "log")

    assert asyncio.run(again()) == 20


def test_roles_survive_restarts(tmp_path: Path) -> None:
    roles = {"Ledger": Ledger(6), "Client": Client(6)}
    system, storm = sp.extract(roles, second_process=False), sp.Failures(restart=["Ledger"])
    assert sp.survives(system, storm, k=1).holds
    restarts = 0
    for seed in range(12):
        folder = tmp_path / str(seed)
        folder.mkdir()
        runners = in_memory(roles, storm, seed, 0.05, folder)
        assert not any(r.unexpected for r in runners.values())
        assert all(assert_follows(p, folder / f"{p.name}.ndjson") for p in system)
        restarts += (folder / "Ledger.ndjson").read_text().count('"restart"')
    assert restarts
