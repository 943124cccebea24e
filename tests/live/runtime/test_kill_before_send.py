"""A process that is killed between what it records, logs and sends, over sockets, and what is said then."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import stormproof as sp
from stormproof.live.conformance.answer import TraceAnswer
from stormproof.live.runtime import Runner, TcpNetwork
from tests.support import ledger
from tests.support.paths import ROOT
from tests.support.raw_peers import addresses, until

#: Arguments: the addresses, the folder, the moment, and whether the role has a record. Serves, and is killed
#: at this moment of its second answer.
SERVE = """
import asyncio, json, os, signal, sys
from stormproof.live.runtime import TcpNetwork, run
from stormproof.live.runtime.durable import DurableRecord
from stormproof.live.runtime.log import RunLog
from tests.support.ledger import Ledger

where, folder, moment, durable = json.loads(sys.argv[1])

def kill():
    os.kill(os.getpid(), signal.SIGKILL)

def before(owner, name, is_it):
    original = getattr(owner, name)
    def instead(self, *arguments):
        if is_it(*arguments):
            kill()
        return original(self, *arguments)
    setattr(owner, name, instead)

last = [""]

def remember(line):
    last.append(line)

def second(text):
    return "added(2)" in text

if moment == "received":  # what leads to the second answer is received and not recorded
    before(RunLog, "write", lambda line: remember(line))
    before(DurableRecord, "reached", lambda: '"receive"' in last[-1] and "add(2)" in last[-1])
elif moment == "recorded":  # the answer is neither logged nor sent
    before(RunLog, "write", lambda line: '"sends"' in line and second(line))
elif moment == "logged":
    before(TcpNetwork, "send", lambda message, receiver: second(message.message))
elif moment == "sent":  # and the log does not say so
    before(RunLog, "write", lambda line: '"sent"' in line and second(line))
async def main():
    async with TcpNetwork(where) as network:
        record = f"{folder}/Ledger.durable" if durable else None
        await run(Ledger, network, log=f"{folder}/Ledger.ndjson", durable=record)
asyncio.run(main())
"""
SYSTEM = sp.extract(ledger.ROLES, second_process=False)


def served(folder: Path, moment: str, durable: bool = True) -> list[str]:
    """The ledger is killed at this moment and started again; what its log says from the second item on."""
    asyncio.run(_story(folder, moment, durable))
    rows = [json.loads(line) for line in (folder / "Ledger.ndjson").read_text("utf-8").splitlines()]
    events = [f"{row['do']} {row.get('message', '')}".strip() for row in rows]
    return events[events.index("sent added(1)") + 1 :]


async def _story(folder: Path, moment: str, durable: bool) -> None:
    where = addresses("Ledger", "Client")
    process = _start(where, folder, moment, durable)
    try:
        async with TcpNetwork(where) as network:
            client = Runner(ledger.Client, network, log=folder / "Client.ndjson")
            task = asyncio.ensure_future(client.run())
            await until(lambda: process.poll() is not None, "it is killed")
            assert process.returncode == -signal.SIGKILL
            process = _start(where, folder, "never", durable)
            await until(lambda: client.waiting is not None and client.waiting.at == "done", "all is added")
            task.cancel()
    finally:
        process.kill()
        process.wait()


def _start(where: dict[str, int], folder: Path, moment: str, durable: bool) -> subprocess.Popen[bytes]:
    job = json.dumps([where, str(folder), moment, durable])
    return subprocess.Popen([sys.executable, "-c", SERVE, job], cwd=ROOT)


def traced(folder: Path, failures: sp.Failures = ledger.STORM) -> TraceAnswer:
    return sp.trace(SYSTEM, [folder / "Ledger.ndjson", folder / "Client.ndjson"], failures)


@pytest.mark.parametrize("moment", ["received", "recorded", "logged", "sent"])
def test_the_log_says_what_may_have_happened_and_conforms(moment: str, tmp_path: Path) -> None:
    said = served(tmp_path, moment)
    received = said.index("receive add(2)")
    begun = ["sends added(2)"] if moment in ("logged", "sent") else []
    answer = "added(1)" if moment == "received" else "added(2)"
    again = [f"sends {answer}", f"sent {answer}"]
    following = said[received + 1 :]
    assert following[: len(begun) + 1] == [*begun, "restart"]
    assert following[len(begun) + 1 :][: len(again)] == again, "it goes on from what was recorded"
    found = traced(tmp_path)
    assert found.conforms, str(found)


def test_without_a_record_the_trace_notices_what_was_forgotten(tmp_path: Path) -> None:
    served(tmp_path, "logged", durable=False)
    answer = traced(tmp_path)
    assert answer.conforms is False and answer.unexplained[0].role == "Ledger", str(answer)
