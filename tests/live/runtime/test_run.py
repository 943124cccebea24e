"""Running roles: order, time-outs, logs, storms, and peers that send garbage."""

from __future__ import annotations

import asyncio
import enum
import json
from pathlib import Path
from typing import Any

import pytest

import stormproof as sp
from stormproof.errors import UsageError
from stormproof.live.runtime import STOPPED, FaultyNetwork, MemoryNetwork, Runner, TcpNetwork, run
from stormproof.live.runtime.codec import Garbage, decode, encode, enums_of, parse_message
from tests.support.raw_peers import connected
from tests.support.role_runs import free_ports


class Colour(enum.Enum):
    RED = 1


@sp.role
def Counter(most: int) -> Any:
    for i in range(most):
        yield sp.send("Sink", "n", i, (None, True, Colour.RED))
    return most


@sp.role
def Sink(most: int) -> Any:
    for i in range(most):
        message = yield sp.receive("Counter", "Late")
        assert message.fields == (i, (None, True, Colour.RED))
    late = yield sp.receive("Counter", timeout=0)
    return late


async def both(network: Any) -> list[Any]:
    return [*await asyncio.gather(run(Sink(50), network), run(Counter(50), network))]


def test_messages_arrive_in_order_in_memory_and_over_tcp() -> None:
    assert asyncio.run(both(MemoryNetwork())) == [None, 50]

    async def over_tcp() -> list[Any]:
        ports = free_ports(3)
        addresses: Any = {"Counter": ports[0], "Sink": ("127.0.0.1", ports[1]), "Late": ports[2]}
        async with TcpNetwork(addresses) as network:
            return await both(network)

    assert asyncio.run(over_tcp()) == [None, 50]


def test_a_peer_may_start_late_and_come_back() -> None:
    """Connections are tried again until the receiver is there."""

    async def late() -> list[Any]:
        ports = free_ports(3)
        async with TcpNetwork(dict(zip(("Counter", "Sink", "Late"), ports, strict=True))) as network:
            counting = asyncio.ensure_future(run(Counter(5), network))
            await asyncio.sleep(0.1)
            return [await run(Sink(5), network), await counting]

    assert asyncio.run(late()) == [None, 5]


GARBAGE = [
    b"\xff\xff\xff\xff",
    b"\x00\x00\x00\x03abc",
    b"\x00\x00\x00\x02[]",
    encode(sp.Received("Stranger", "n", ()), "Sink"),
    encode(sp.Received("Counter", "n", ()), "Somebody"),
    encode(sp.Received("Counter", "not a word", ()), "Sink"),
    b'{"from":"Counter","to":"Sink","name":"n","fields":[{"enum":"os.system"}]}',
    b'{"from":"Counter","to":"Sink","name":"n","fields":' + b"[" * 5000 + b"]" * 5000 + b"}",
    b'{"from":"Counter","to":"Sink","name":"n","fields":' + b"[" * 900 + b"]" * 900 + b"}",
    b'{"from":"Counter","to":"Sink","name":"n","fields":"abc"}',
    b'{"from":"Counter","to":"Sink","name":"n","fields":{"0":0}}',
    b'{"from":"Counter","to":"Sink","name":"n"}',
    b'{"from":["Counter"],"to":"Sink","name":"n","fields":[]}',
    b'{"from":"Counter","to":"Sink","name":{},"fields":[]}',
]


@pytest.mark.parametrize("data", GARBAGE)
def test_a_peer_that_sends_garbage_is_disconnected(data: bytes, caplog: pytest.LogCaptureFixture) -> None:
    async def attacked() -> list[Any]:
        ports = free_ports(3)
        async with TcpNetwork(dict(zip(("Counter", "Sink", "Late"), ports, strict=True))) as network:
            sink = asyncio.ensure_future(run(Sink(3), network))
            reader, writer = await connected(ports[1])
            framed = data if data[:2] in (b"\xff\xff", b"\x00\x00") else len(data).to_bytes(4, "big") + data
            writer.write(framed)
            assert await asyncio.wait_for(reader.read(), 5) == b"", "the connection is closed"
            writer.close()
            return [await run(Counter(3), network), await sink]

    assert asyncio.run(attacked()) == [3, None], "nothing else happens"
    assert "Sink disconnects" in caplog.text


def test_a_role_knows_the_enums_of_modules_that_it_names() -> None:
    found = enums_of(Counter(1))
    assert found["Colour"] is Colour and found["Flag"] is enum.Flag


def test_what_comes_late_on_an_old_connection_is_lost() -> None:
    """A peer that was restarted has a new one; FIFO is kept, at the price of a loss."""

    async def restarted() -> list[int]:
        ports = free_ports(2)
        async with TcpNetwork(dict(zip(("Counter", "Tap"), ports, strict=True))) as network:
            inbox = await network.inbox("Tap", {})

            async def sends(writer: asyncio.StreamWriter, number: int) -> None:
                data = encode(sp.Received("Counter", "n", (number,)), "Tap")
                writer.write(len(data).to_bytes(4, "big") + data)
                await asyncio.sleep(0.02)

            reader, old = await asyncio.open_connection("127.0.0.1", ports[1])
            await sends(old, 1)
            _, new = await asyncio.open_connection("127.0.0.1", ports[1])
            await sends(old, 2)
            await sends(new, 3)
            await sends(old, 4)
            assert await asyncio.wait_for(reader.read(), 5) == b"", "the old connection is closed"
            await sends(new, 5)
            old.close()
            new.close()
            found = [
                await inbox.take(sp.receive("Counter"), 0, lambda message: None) for _ in range(len(inbox))
            ]
            return [message.fields[0] for message in found if message is not None]

    assert asyncio.run(restarted()) == [1, 2, 3, 5]


def test_a_port_that_is_taken_is_said() -> None:
    async def twice() -> None:
        async with TcpNetwork({"Tap": free_ports(1)[0]}) as network:
            await network.inbox("Tap", {})
            await network.inbox("Tap", {})

    with pytest.raises(UsageError, match=r"Tap cannot listen on 127\.0\.0\.1:\d+: "):
        asyncio.run(twice())


def test_messages_as_json() -> None:
    message = sp.Received("A", "m", (None, True, 1, "x", (1, (Colour.RED,))))
    assert decode(encode(message, "B"), "B", {"Colour": Colour}) == message
    with pytest.raises(Garbage, match="no enum member"):
        decode(encode(message, "B"), "B", {})
    read = parse_message("A", "m(1, 'x', (None, -1, Colour.RED))", {"Colour": Colour})
    assert read == sp.Received("A", "m", (1, "x", (None, -1, Colour.RED)))
    assert parse_message("A", "m", {}) == sp.Received("A", "m", ())
    assert parse_message("A", "m(Colour.RED)", {}) is None


@sp.role
def Impatient() -> Any:
    first = yield sp.receive("Nobody", timeout=True)
    second = yield sp.receive("Nobody", timeout=0)
    choice = yield sp.choose(1, 2, 3)
    return first, second, choice


def test_timeouts_and_choices(tmp_path: Path) -> None:
    path = tmp_path / "log"
    answer = asyncio.run(run(Impatient, MemoryNetwork(), default_timeout=0.01, seed=1, log=path))
    again = asyncio.run(run(Impatient, MemoryNetwork(), default_timeout=0.01, seed=1, log=path))
    assert answer[:2] == (None, None) and answer == again
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    did = ["timeout", "timeout", "choose", "end"]
    assert [row["do"] for row in rows] == [*did, "restart", *did]
    assert rows[2]["value"] == str(answer[2]) and {row["role"] for row in rows} == {"Impatient"}


@sp.role
def Restless() -> Any:
    while True:
        yield sp.choose(1, 2)


def test_a_role_that_never_waits_lets_the_others_run() -> None:
    async def both() -> Any:
        restless = asyncio.ensure_future(run(Restless, MemoryNetwork()))
        found = await run(Impatient, MemoryNetwork(), default_timeout=0.01, seed=1)
        restless.cancel()
        return found

    assert asyncio.run(asyncio.wait_for(both(), 10))[:2] == (None, None)


def test_a_role_that_does_nothing_has_an_empty_log(tmp_path: Path) -> None:
    runner = Runner(Tap, MemoryNetwork(), log=tmp_path / "log")

    async def go() -> None:
        task = asyncio.ensure_future(runner.run())
        await asyncio.sleep(0.01)
        task.cancel()

    assert not (tmp_path / "log").exists()
    asyncio.run(go())
    assert (tmp_path / "log").read_text() == ""


def test_a_line_that_was_cut_off_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text('{"role": "Impa')
    asyncio.run(run(Impatient, MemoryNetwork(), default_timeout=0.01, log=path))
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row["do"] for row in rows] == ["timeout", "timeout", "choose", "end"]


@sp.role
def Picky() -> Any:
    message = yield sp.receive(("Other", "b"), timeout=0.02)
    other = yield sp.receive("Other")
    return message, other.name


@sp.role
def Other() -> Any:
    yield sp.send("Picky", "a")


def test_a_message_that_is_not_taken_stays_at_the_head(caplog: pytest.LogCaptureFixture) -> None:
    async def go() -> tuple[Any, Runner]:
        network = MemoryNetwork()
        await run(Other, network)
        runner = Runner(Picky, network)
        return await runner.run(), runner

    answer, runner = asyncio.run(go())
    assert answer == (None, "a")
    assert [m.message for m in runner.unexpected] == ["a"]
    assert "Picky does not take a from Other" in caplog.text


@sp.role
def Patient() -> Any:
    for _ in range(50):
        yield sp.receive(("Other", "b"), timeout=0.0)


def test_a_message_that_is_never_taken_is_said_once(tmp_path: Path) -> None:
    """However often the role looks; otherwise one message would fill log and memory."""

    async def go() -> Runner:
        network = MemoryNetwork()
        await network.send(sp.Received("Other", "a"), "Patient")
        runner = Runner(Patient, network, log=tmp_path / "log")
        await runner.run()
        return runner

    assert [m.message for m in asyncio.run(go()).unexpected] == ["a"]
    assert (tmp_path / "log").read_text().count('"unexpected"') == 1


def test_a_stop_is_for_good(tmp_path: Path) -> None:
    async def go() -> Any:
        network = FaultyNetwork(MemoryNetwork(), sp.Failures(stop=["Counter"]), 0, rate=1.0)
        return await run(Counter(10_000), network, log=tmp_path / "log")

    assert asyncio.run(go()) is STOPPED
    assert json.loads((tmp_path / "log").read_text().splitlines()[-1])["do"] == "stop"


@sp.role
def Stream() -> Any:
    for i in range(40):
        yield sp.send("Tap", "n", i % 3)


@sp.role
def Tap() -> Any:
    while True:
        yield sp.receive("Stream", rest=True)


SYSTEM = sp.extract(Stream, Tap, second_process=False)
STORMS = [
    sp.Failures(loss=True),
    sp.Failures(duplicate=True),
    sp.Failures(reorder=True),
    sp.Failures(corrupt=True).on(SYSTEM),
    sp.Failures(partition="Stream | Tap"),
]


async def received(failures: Any, seed: int, rate: float = 0.2) -> list[int]:
    network = MemoryNetwork()
    await run(Stream, FaultyNetwork(network, failures, seed, rate=rate))
    await asyncio.sleep(0.05)
    inbox = await network.inbox("Tap", {})
    found = [await inbox.take(sp.receive("Stream"), 0, lambda message: None) for _ in range(len(inbox))]
    return [message.fields[0] for message in found if message is not None]


@pytest.mark.parametrize("failures", STORMS, ids=("loss", "duplicate", "reorder", "corrupt", "partition"))
def test_each_fault_strikes_and_a_seed_repeats_it(failures: Any) -> None:
    sent = [i % 3 for i in range(40)]
    first, again, other = (asyncio.run(received(failures, seed)) for seed in (1, 1, 2))
    assert first == again and first != sent and first != other
    model = failures if not isinstance(failures, sp.Failures) else failures.on(SYSTEM)
    kinds = {kind.keyword for kind in model.kinds}
    assert (len(first) < 40) is ("loss" in kinds) and (len(first) > 40) is ("duplicate" in kinds)
    assert kinds != {"reorder"} or sorted(first) == sorted(sent)


def test_every_fault_may_strike_always() -> None:
    sent = asyncio.run(received(sp.Failures(duplicate=True, reorder=True), 0, rate=1.0))
    assert sorted(sent) == sorted(i % 3 for i in range(40) for _ in range(8))
    assert asyncio.run(received(sp.Failures(loss=True), 0, rate=1.0)) == []


@sp.role
def Wrong() -> Any:
    yield sp.choose(1)
    yield 5


def test_what_cannot_be_run_is_refused() -> None:
    with pytest.raises(UsageError, match="announced crashes cannot be run"):
        FaultyNetwork(MemoryNetwork(), sp.Failures(crash=["A"]), 0)
    with pytest.raises(UsageError, match="depends on the system"):
        asyncio.run(received(sp.Failures(corrupt=True), 0))
    with pytest.raises(UsageError, match="a timeout is True or a number"):
        sp.receive("A", timeout=float("nan"))
    with pytest.raises(UsageError, match="Wrong yields an int"):
        asyncio.run(run(Wrong, MemoryNetwork()))
    with pytest.raises(UsageError, match="no address of 'Stream'"):
        asyncio.run(run(Stream, TcpNetwork({"Strem": 1})))
