"""Processes that are killed: at random moments over sockets, and at each moment that makes a difference."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

import stormproof as sp
from stormproof.live.conformance.log import LogEvent, RoleLog
from stormproof.live.runtime import MemoryNetwork, Runner
from stormproof.live.runtime.durable import DurableRecord
from stormproof.live.runtime.log import RunLog
from stormproof.programs.extraction.load import load_protocol
from tests.support import ledger
from tests.support.killed_roles import KillJob, killed
from tests.support.paths import ROOT
from tests.support.role_runs import EXAMPLES

LEDGER, RAFT = ROOT / "tests" / "support" / "ledger.py", EXAMPLES / "raft_election.py"


def rows(logs: list[Path], do: str) -> list[dict[str, Any]]:
    lines = (json.loads(line) for log in logs for line in log.read_text("utf-8").splitlines())
    return [row for row in lines if row["do"] == do]


@pytest.mark.parametrize(("file", "seed"), [(LEDGER, 0), (LEDGER, 1), (RAFT, 0), (RAFT, 1)])
def test_roles_that_are_killed_recover_and_their_logs_conform(file: Path, seed: int, tmp_path: Path) -> None:
    """Each role is a process, over real sockets. In a storm it is killed and started again, then all of them
    are; after it the whole comes to rest. The roles with durable points go on from them, the client of the
    ledger from its beginning."""
    system = load_protocol(str(file), "protocol")
    victims = [process.name for process in system if process.restart]
    storm, rest = killed(KillJob(str(file), str(tmp_path), seed, victims))
    assert rows(rest, "restart") and not rows(rest, "unexpected")
    for logs in (storm, rest):
        answer = sp.trace(system, logs)
        assert answer.conforms, str(answer)


def test_without_its_record_the_ledger_forgets(tmp_path: Path) -> None:
    """The comparison of the logs notices it."""
    _, logs = killed(KillJob(str(LEDGER), str(tmp_path), 0, ["Ledger", "Client"], durable=False))
    answer = sp.trace(ledger.protocol(), logs)
    assert answer.conforms is False and answer.unexplained[0].role == "Ledger", str(answer)


# ---- every moment ----


class Killed(BaseException):
    """The process ends here."""


class Moments:
    """Counts the moments at which it makes a difference that the process ends, and ends it at one of them."""

    def __init__(self, last: int) -> None:
        self.last, self.count = last, 0

    def passed(self) -> None:
        self.count += 1
        if self.count == self.last:
            raise Killed

    def install(self, patch: pytest.MonkeyPatch) -> None:
        """Before and after each record, before, in the middle of and after each line of the log, and before
        and after each message."""
        reached, send = DurableRecord.reached, MemoryNetwork.send

        def around(record: DurableRecord) -> Any:
            self.passed()
            entry = reached(record)
            self.passed()
            return entry

        def write(log: RunLog, line: str) -> None:
            assert log._file is not None
            data = line.encode() + b"\n"
            for piece in (data[:10], data[10:]):
                self.passed()
                log._file.write(piece)
                log._file.flush()

        async def before(network: MemoryNetwork, message: sp.Received, receiver: str) -> None:
            self.passed()
            await send(network, message, receiver)
            self.passed()

        patch.setattr(DurableRecord, "reached", around)
        patch.setattr(RunLog, "write", write)
        patch.setattr(MemoryNetwork, "send", before)


@sp.role
def Feeder() -> Any:
    """Adds three times, and takes no notice of the answers for now."""
    for number in (1, 2, 3):
        yield sp.send("Ledger", "add", number)
    while True:
        yield sp.receive("Ledger", rest=True)


SYSTEM = sp.extract({"Ledger": ledger.Ledger, "Client": Feeder}, second_process=False, failures=ledger.STORM)
FED = RoleLog.of("Client", [LogEvent("send", "Ledger", f"add({number})") for number in (1, 2, 3)])


async def _serve(network: MemoryNetwork, folder: Path) -> None:
    """Run the ledger until nothing is left to be done."""
    log, record = folder / "log", folder / "record"
    task = asyncio.ensure_future(Runner(ledger.Ledger, network, log=log, durable=record).run())
    for _ in range(200):
        await asyncio.sleep(0)
        if task.done():
            await task
    task.cancel()


def _life(moments: list[Moments], folder: Path) -> list[str]:
    """The ledger is killed at each of these moments, and started again. What the client got."""

    async def go() -> list[str]:
        network = MemoryNetwork()
        for number in (1, 2, 3):
            await network.send(sp.Received("Client", "add", (number,)), "Ledger")
        for moment in moments:
            with pytest.MonkeyPatch.context() as patch:
                moment.install(patch)
                with pytest.raises(Killed):
                    await _serve(network, folder)
        await _serve(network, folder)
        inbox = await network.inbox("Client", {})
        request = sp.receive("Ledger")
        found = [await inbox.take(request, 0, lambda message: None) for _ in range(len(inbox))]
        return [message.message for message in found if message is not None]

    return asyncio.run(go())


@pytest.mark.parametrize("again", [0, 1, 3])
def test_whatever_the_moment_the_log_conforms(again: int, tmp_path: Path) -> None:
    """Killed at one moment, and perhaps once more soon after it was started again."""
    counted = Moments(0)
    with pytest.MonkeyPatch.context() as patch:
        counted.install(patch)
        assert _life([], tmp_path) == ["added(1)", "added(2)", "added(3)"]
    for last in range(1, counted.count - 6 + 1):
        folder = tmp_path / str(last)
        folder.mkdir()
        got = _life([Moments(last), Moments(again)][: 2 if again else 1], folder)
        answer = sp.trace(SYSTEM, [folder / "log", FED])
        assert answer.conforms, f"killed at {last}: {answer}"
        assert got == sorted(got), "what was confirmed is never taken back"


@pytest.mark.parametrize("happened", [False, True])
def test_a_send_that_was_begun_has_happened_or_not(happened: bool, tmp_path: Path) -> None:
    """Killed just before or just after the second answer is sent: no loss is needed to explain the logs."""
    send = MemoryNetwork.send

    class AtSecondAnswer(Moments):
        def install(self, patch: pytest.MonkeyPatch) -> None:
            async def instead(network: MemoryNetwork, message: sp.Received, receiver: str) -> None:
                second = message.message == "added(2)"
                if happened or not second:
                    await send(network, message, receiver)
                if second:
                    raise Killed

            patch.setattr(MemoryNetwork, "send", instead)

    got = _life([AtSecondAnswer(0)], tmp_path)
    assert got == ["added(1)", *["added(2)"] * (1 + happened), "added(3)"]
    failures = sp.Failures(restart=["Ledger"], file_faults=False)
    answer = sp.trace(SYSTEM, [tmp_path / "log", FED], failures)
    assert answer.conforms and {fault.kind for fault in answer.faults} == {"restart"}, str(answer)


@sp.role
def Till(booked: int = sp.durable(0)) -> Any:
    """Sends, and then saves: two writes that a restart may come between."""
    while True:
        yield sp.receive("Client", rest=True)
        if booked < 1:
            yield sp.send("Books", "booked")
            booked = 1
            yield sp.save(booked=booked)


@sp.role
def Orders() -> Any:
    for _ in range(2):
        yield sp.send("Till", "order")


@sp.role
def Bookkeeping() -> Any:
    yield sp.receive("Till", at="none", rest=True)
    yield sp.receive("Till", at="once", rest=True)
    yield sp.receive("Till", at="twice", rest=True)


def ends_here(record: DurableRecord, request: Any) -> Any:
    raise Killed


@pytest.mark.parametrize(("killed_once", "booked"), [(True, 2), (False, 1)])
def test_a_dual_write_happens_and_the_check_finds_it(killed_once: bool, booked: int, tmp_path: Path) -> None:
    """Killed between the send and the save, the role is called again with what was saved, and books again."""

    async def go() -> int:
        network = MemoryNetwork()
        for _ in range(2):
            await network.send(sp.Received("Client", "order"), "Till")
        for killed_then in (killed_once, False):
            with pytest.MonkeyPatch.context() as patch:
                if killed_then:
                    patch.setattr(DurableRecord, "save", ends_here)
                task = asyncio.ensure_future(Runner(Till, network, durable=tmp_path / "record").run())
                for _ in range(100):
                    await asyncio.sleep(0)
                if task.done():
                    with pytest.raises(Killed):
                        await task
                task.cancel()
        return len(await network.inbox("Books", {}))

    assert asyncio.run(go()) == booked
    roles: Any = {"Till": Till, "Client": Orders, "Books": Bookkeeping}
    system = sp.extract(roles, second_process=False).require(never="Books@twice")
    for failures, holds, faults in ((None, True, None), (sp.Failures(restart=["Till"]), False, 1)):
        report = sp.check(system, failures)
        (verdict,) = [v for v in report.verdicts if v.requirement is not None]
        assert (verdict.holds, verdict.faults) == (holds, faults)
