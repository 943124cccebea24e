"""A role without a network and a clock: what it says is to be done, and in which order."""

from __future__ import annotations

import json
import random
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import stormproof as sp
from stormproof.errors import UsageError
from stormproof.live.runtime import Machine, MachineOutput, RunningTimer, ToLog, ToSave, ToSend


@sp.role
def Counter() -> sp.Steps:
    """Counts what it is told, modulo 3, and answers when that is durable."""
    count = 0
    while True:
        yield sp.receive("User", at="idle", rest=True, durable=True)
        count = (count + 1) % 3
        yield sp.send("User", "count", count, durable=True)


@sp.role
def User() -> sp.Steps:
    while True:
        yield sp.send("Counter", "add")
        while (yield sp.receive("Counter", timeout=2, at="waiting")) is not None:
            pass


def drive(seed: int, steps: int, logs: Path) -> list[str]:
    """Both roles among losses, restarts and timers that expire at any time; what was logged is written."""
    chance = random.Random(seed)
    machines = {"User": Machine(User, seed=seed), "Counter": Machine(Counter, seed=seed)}
    disks: dict[str, list[Any]] = {"User": [], "Counter": []}
    wires: dict[str, deque[ToSend]] = {"User": deque(), "Counter": deque()}
    timers: dict[str, RunningTimer | None] = {}
    events: dict[str, list[dict[str, Any]]] = {"User": [], "Counter": []}

    def do(name: str, output: MachineOutput) -> None:
        timers[name] = output.timer
        for one in output.todo:
            if isinstance(one, ToSave):
                disks[name].append(json.loads(json.dumps(one.entry)))
            elif isinstance(one, ToLog):
                events[name].append(one.event)
            else:
                wires[one.peer].append(one)

    for name, machine in machines.items():
        do(name, machine.start())
    for _ in range(steps):
        name = chance.choice(("User", "Counter"))
        timer = timers[name]
        if chance.random() < 0.1:
            do("Counter", machines["Counter"].restart(disks["Counter"]))
        elif timer is not None and (chance.random() < 0.2 or not wires["User"]):
            do(name, machines[name].expire(timer))
        elif wires[name]:
            arrived = wires[name].popleft()
            if chance.random() < 0.8:
                do(name, machines[name].receive_message(arrived.message))
    return [str(written(logs / f"{name}.ndjson", rows)) for name, rows in events.items()]


def written(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.mark.parametrize("seed", range(10))
def test_what_machines_do_is_what_was_extracted(seed: int, tmp_path: Path) -> None:
    system = sp.extract(User, Counter, second_process=False)
    logs = drive(seed, 200, tmp_path)
    storm = sp.Failures(loss=True, restart=["Counter"])
    assert sp.assert_conforms(system, logs, storm).events > 100
    wrong = Path(logs[1]).read_text("utf-8").replace("count(2)", "count(1)")
    Path(logs[1]).write_text(wrong, "utf-8")
    assert not sp.trace(system, logs, storm)


def test_what_is_sent_stands_before_the_record_of_what_it_leads_to() -> None:
    counter = Machine(Counter)
    assert counter.start() == MachineOutput()
    output = counter.receive("User", "add")
    # The reception leads to a durable point, and so does the send that follows.
    kinds = [type(one) for one in output.todo]
    assert kinds == [ToLog, ToSave, ToLog, ToSend, ToLog, ToSave]
    disk = [one.entry for one in output.saves]
    again = Machine(Counter)
    assert [type(one) for one in again.start(disk).todo] == [ToLog]
    assert again.receive("User", "add").sends[0].message.fields == (2,)
    earlier = Machine(Counter)
    resumed = earlier.start(disk[:1])
    assert [one.message.message for one in resumed.sends] == ["count(1)"], (
        "it is not recorded that it was sent"
    )


def test_timers_are_told_apart() -> None:
    user = Machine(User)
    first = user.start().timer
    assert first is not None and first.seconds == 2
    assert user.receive("Stranger", "m").timer == first, "nobody reads it, and the timer runs on"
    second = user.receive("Counter", "count", 1).timer
    assert second is not None and second != first
    assert not user.expire(first).todo
    assert [one.message.message for one in user.expire(second).sends] == ["add"]
    third = user.restart([]).timer
    assert third is not None and user.restart([]).timer != third
    assert not user.expire(third).todo, "it does not run any more"


def test_mistakes_are_said() -> None:
    counter = Machine(Counter)
    with pytest.raises(UsageError, match="was not started"):
        counter.receive("User", "add")
    counter.start()
    with pytest.raises(UsageError, match="runs already"):
        counter.start()
    with pytest.raises(UsageError, match="no timer of Counter runs"):
        counter.expire()
    with pytest.raises(UsageError, match="a field of 'add' is a float"):
        counter.receive("User", "add", 1.5)


def test_the_end_and_an_exception_are_told_once() -> None:
    @sp.role
    def Once() -> sp.Steps:
        message = yield sp.receive("User")
        assert message.fields == (1,), "not one"
        return "done"

    once = Machine(Once)
    once.start()
    ended = once.receive("User", "m", 1)
    assert ended.ended and ended.result == "done" and ended.error is None
    assert [one.event["do"] for one in ended.todo if isinstance(one, ToLog)] == ["receive", "end"]
    assert not once.receive("User", "m").todo
    wrong = once.restart([])
    raised = once.receive_message(sp.Received("User", "m", (2,)))
    assert wrong.ended and isinstance(wrong.error, AssertionError), "the second message waited"
    assert raised.error is wrong.error
