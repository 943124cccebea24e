"""What strangers and slow peers can do to a network over TCP: nothing that grows or stops the others."""

from __future__ import annotations

import asyncio
import gc
import logging
import socket
import tracemalloc
from typing import Any

import pytest

import stormproof as sp
from stormproof.errors import UsageError
from stormproof.live.runtime import TcpLimits, TcpNetwork
from stormproof.live.runtime.addresses import parse_address, shown
from stormproof.live.runtime.tcp_limits import Warnings
from tests.support.raw_peers import addresses, all_of, connected, descriptors, ends, framed, until


def tasks_now() -> int:
    return len(asyncio.all_tasks())


# ---- what waits to be received ----


def test_more_than_the_most_messages_wait_in_the_connection_and_none_is_lost() -> None:
    async def story() -> None:
        where = addresses("Sink", "Counter", "Late")
        async with TcpNetwork(where, limits=TcpLimits(waiting=100)) as network:
            inbox = await network.inbox("Sink", {})
            _, writer = await connected(where["Sink"])
            writer.write(b"".join(framed("Counter", "Sink", i) for i in range(5_000)))
            await until(lambda: len(inbox) == 100)
            await network.send(sp.Received("Late", "n", (0,)), "Sink")
            assert await all_of(inbox, "Late", 1) == [0], "the others are not blocked"
            assert len(inbox) == 100
            assert await all_of(inbox, "Counter", 5_000) == list(range(5_000))
            writer.close()

    asyncio.run(story())


def test_what_nobody_wants_does_not_fill_the_memory() -> None:
    """200,000 messages of 150 bytes, from a peer that writes what it can."""

    async def story() -> None:
        where = addresses("Sink", "Counter")
        async with TcpNetwork(where) as network:
            inbox = await network.inbox("Sink", {})
            _, writer = await connected(where["Sink"])
            some = framed("Counter", "Sink", "x" * 90) * 1_000
            tracemalloc.start()
            try:
                for _ in range(200):
                    if writer.transport.get_write_buffer_size() < len(some):
                        writer.write(some)
                    await asyncio.sleep(0.001)
                await until(lambda: len(inbox) == TcpLimits().waiting)
                writer.transport.abort()
                gc.collect()
                assert tracemalloc.get_traced_memory()[0] < 4e6
            finally:
                tracemalloc.stop()

    asyncio.run(story())


# ---- connections ----


def test_connections_that_say_nothing_are_few_and_end() -> None:
    """Whoever says something comes through meanwhile."""

    async def story() -> None:
        where = addresses("Sink", "Counter")
        async with TcpNetwork(where, limits=TcpLimits(unnamed=20, seconds=3.0)) as network:
            inbox = await network.inbox("Sink", {})
            before = descriptors()
            silent = [await connected(where["Sink"]) for _ in range(200)]
            gone = [asyncio.ensure_future(ends(reader)) for reader, _ in silent]
            await until(lambda: sum(task.done() for task in gone) >= 180, "the oldest are disconnected")
            assert descriptors() <= before + 200 + 20
            await network.send(sp.Received("Counter", "n", (7,)), "Sink")
            assert await all_of(inbox, "Counter", 1) == [7]
            assert set(await asyncio.gather(*gone)) == {b""}, "all of them end"
            for _, writer in silent:
                writer.close()

    asyncio.run(story())


@pytest.mark.parametrize("first", [b"", framed("Counter", "Sink", 1)], ids=["first", "later"])
@pytest.mark.parametrize("begun", [b"\0", b"\0\0\1\0", b"\0\0\1\0{"])
def test_a_message_that_has_begun_must_end(
    first: bytes, begun: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async def story() -> None:
        where = addresses("Sink", "Counter")
        async with TcpNetwork(where, limits=TcpLimits(seconds=0.5)) as network:
            await network.inbox("Sink", {})
            reader, writer = await connected(where["Sink"])
            writer.write(first + begun)
            assert await ends(reader) == b""
            writer.close()

    asyncio.run(story())
    assert "within 0.5 s" in caplog.text


def test_a_peer_that_has_said_something_may_then_be_silent() -> None:
    async def story() -> None:
        where = addresses("Sink", "Counter")
        async with TcpNetwork(where, limits=TcpLimits(seconds=0.5)) as network:
            inbox = await network.inbox("Sink", {})
            _, writer = await connected(where["Sink"])
            writer.write(framed("Counter", "Sink", 1))
            await asyncio.sleep(1.2)
            writer.write(framed("Counter", "Sink", 2))
            assert await all_of(inbox, "Counter", 2) == [1, 2]
            writer.close()

    asyncio.run(story())


def test_a_peer_has_one_connection() -> None:
    async def story() -> None:
        where = addresses("Sink", "Counter")
        async with TcpNetwork(where) as network:
            inbox = await network.inbox("Sink", {})
            peers = []
            for i in range(50):
                peers.append(await connected(where["Sink"]))
                peers[-1][1].write(framed("Counter", "Sink", i))
                await until(lambda i=i: len(inbox) == i + 1)  # type: ignore[misc]
            for reader, _ in peers[:-1]:
                assert await ends(reader) == b"", "replaced by a newer one"
            peers[-1][1].write(framed("Counter", "Sink", 50))
            assert await all_of(inbox, "Counter", 51) == list(range(51))
            for _, writer in peers:
                writer.close()

    asyncio.run(story())


def test_a_connection_is_of_one_peer(caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        where = addresses("Sink", "Counter", "Late")
        async with TcpNetwork(where) as network:
            inbox = await network.inbox("Sink", {})
            reader, writer = await connected(where["Sink"])
            writer.write(framed("Counter", "Sink", 1) + framed("Late", "Sink", 2))
            assert await ends(reader) == b"" and len(inbox) == 1
            writer.close()

    asyncio.run(story())
    assert "a message from Late on the connection of Counter" in caplog.text


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (framed("Stranger", "Sink", 1), "a message from 'Stranger', who has no address"),
        (framed("Counter", "Late", 1), "it is addressed to 'Late'"),
        (framed("Counter", "Sink", "\N{RIGHT-TO-LEFT OVERRIDE}")[:-3], "within 0.5 s"),
        (b"\x7f\0\0\0", "more than 65,536"),
    ],
    ids=["unknown", "misdirected", "cut off", "long"],
)
def test_what_is_refused_is_said_and_not_for_ever(
    data: bytes, sentence: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def story() -> None:
        where = addresses("Sink", "Counter", "Late")
        async with TcpNetwork(where, limits=TcpLimits(seconds=0.5, unnamed=200)) as network:
            inbox = await network.inbox("Sink", {})
            peers = [await connected(where["Sink"]) for _ in range(100)]
            for _, writer in peers:
                writer.write(data)
            await asyncio.gather(*(ends(reader) for reader, _ in peers))
            assert len(inbox) == 0
            for _, writer in peers:
                writer.close()

    asyncio.run(story())
    assert sentence in caplog.text
    assert Warnings.MOST < len(caplog.records) + 1 < Warnings.MOST + 5
    assert "further warnings about the network are left out" in caplog.text


def test_warnings_begin_again(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    warnings = Warnings()
    for _ in range(Warnings.MOST + 5):
        warnings.warn("%s", "\N{RIGHT-TO-LEFT OVERRIDE}" + "x" * 1000)
    assert all(len(record.getMessage()) <= 400 for record in caplog.records)
    monkeypatch.setattr(Warnings, "SECONDS", 0.0)
    caplog.clear()
    warnings.warn("again")
    assert [record.getMessage() for record in caplog.records] == [
        "5 warnings about the network were left out",
        "again",
    ]


def test_a_storm_of_connections_leaves_nothing() -> None:
    """Two thousand connections that are dropped: at once, after a part, and after a message."""

    async def story() -> None:
        where = addresses("Sink", "Counter")
        async with TcpNetwork(where) as network:
            inbox = await network.inbox("Sink", {})
            await storm(where["Sink"], 60)
            await until(lambda: tasks_now() == 2, "this one, and the one that accepts")
            tasks, files = tasks_now(), descriptors()
            gc.collect()
            tracemalloc.start()
            try:
                await storm(where["Sink"], 2_000)
                await until(lambda: tasks_now() <= tasks and descriptors() <= files)
                while len(inbox):
                    await inbox.take(sp.receive("Counter"), 0, lambda message: None)
                gc.collect()
                assert tracemalloc.get_traced_memory()[0] < 500_000
            finally:
                tracemalloc.stop()
            await network.send(sp.Received("Counter", "n", (7,)), "Sink")
            assert await all_of(inbox, "Counter", 1) == [7]

    logging.getLogger("stormproof").setLevel(logging.CRITICAL)
    try:
        asyncio.run(story())
    finally:
        logging.getLogger("stormproof").setLevel(logging.NOTSET)


async def storm(port: int, count: int) -> None:
    whole = framed("Counter", "Sink", 1)
    for i in range(count):
        _, writer = await connected(port)
        writer.write((b"", whole[:9], whole)[i % 3])
        writer.transport.abort() if i % 2 else writer.close()


def test_a_peer_that_drops_every_connection_leaves_nothing() -> None:
    """The other way round: a role sends to whoever accepts and closes."""

    async def story() -> None:
        where = addresses("Sink", "Counter")
        accepted = []

        async def drop(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            accepted.append(1)
            writer.transport.abort()

        server = await asyncio.start_server(drop, "127.0.0.1", where["Sink"])
        async with TcpNetwork(where) as network:
            for i in range(100):
                await network.send(sp.Received("Counter", "n", (i,)), "Sink")
            await until(lambda: len(accepted) > 3)
            assert tasks_now() <= 7
        server.close()

    before = descriptors()
    asyncio.run(story())
    assert descriptors() <= before


# ---- peers that do not read ----


TEXT = "x" * 180


def test_a_peer_that_never_reads_blocks_nobody_for_ever(caplog: pytest.LogCaptureFixture) -> None:
    """What waits for it is bounded; the role goes on, and what was lost is said."""

    async def story() -> None:
        where = addresses("Sink", "Counter", "Late")
        with small_buffers(socket.create_server(("127.0.0.1", where["Late"]))):
            async with TcpNetwork(where, limits=TcpLimits(waiting=200, seconds=0.3)) as network:
                inbox = await network.inbox("Sink", {})
                await network.send(sp.Received("Counter", "n", (TEXT,)), "Late")
                await shrink(network, "Late")
                link = network._links["Counter", "Late"]
                for i in range(4_000):
                    await network.send(sp.Received("Counter", "n", (TEXT,)), "Late")
                    assert link._queue.qsize() <= 200
                    if i % 50 == 0:
                        await network.send(sp.Received("Counter", "n", (i,)), "Sink")
                        assert await all_of(inbox, "Counter", 1) == [i]

    asyncio.run(story())
    assert "Counter loses 200 messages to Late, which has read nothing for 0.3 s" in caplog.text


async def shrink(network: TcpNetwork, receiver: str) -> None:
    """The buffer of the connection to a role, once it is made."""
    link = network._links["Counter", receiver]
    await until(lambda: link._writer is not None)
    assert link._writer is not None
    small_buffers(link._writer.get_extra_info("socket"))


def small_buffers(own: socket.socket) -> socket.socket:
    for option in (socket.SO_RCVBUF, socket.SO_SNDBUF):
        own.setsockopt(socket.SOL_SOCKET, option, 4096)
    return own


def test_a_slow_reader_gets_everything() -> None:
    """The role that sends waits for it."""
    count = 8_000

    async def story() -> None:
        where = addresses("Sink", "Counter")
        async with TcpNetwork(where, limits=TcpLimits(waiting=3)) as network:
            inbox = await network.inbox("Sink", {})
            small_buffers(network._listeners[0]._sockets[0])

            await network.send(sp.Received("Counter", "n", (0, TEXT)), "Sink")
            await shrink(network, "Sink")

            async def sends() -> None:
                for i in range(1, count):
                    await network.send(sp.Received("Counter", "n", (i, TEXT)), "Sink")

            sending = asyncio.ensure_future(sends())
            await asyncio.sleep(0.5)
            assert not sending.done(), "nobody has read"
            assert await all_of(inbox, "Counter", count) == list(range(count))
            await sending

    asyncio.run(story())


def test_a_peer_that_is_not_there_loses_what_is_too_much(caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        where = addresses("Sink", "Counter")
        async with TcpNetwork(where, limits=TcpLimits(waiting=10)) as network:
            for i in range(100):
                await network.send(sp.Received("Counter", "n", (i,)), "Sink")
            inbox = await network.inbox("Sink", {})
            await network.send(sp.Received("Counter", "n", (100,)), "Sink")
            assert await all_of(inbox, "Counter", 10) == list(range(10))

    asyncio.run(story())
    assert "Counter loses a message to Sink, which is not there" in caplog.text


def test_limits_are_above_zero() -> None:
    for each in ("message_bytes", "waiting", "unnamed", "seconds"):
        with pytest.raises(UsageError, match=f"{each} is 0"):
            TcpLimits(**{each: 0})
    with pytest.raises(UsageError, match="seconds is nan"):
        TcpLimits(seconds=float("nan"))


# ---- addresses ----


def test_addresses_are_read_and_shown() -> None:
    cases: dict[Any, tuple[str, int]] = {
        7001: ("127.0.0.1", 7001),
        "10.0.0.2:7001": ("10.0.0.2", 7001),
        "[::1]:7001": ("::1", 7001),
        "node.example:1": ("node.example", 1),
        ("::1", 7001): ("::1", 7001),
        ("[fe80::1%lo]", 65_535): ("fe80::1%lo", 65_535),
    }
    for written, read in cases.items():
        assert parse_address("A", written) == read
        assert parse_address("A", shown(*read)) == read
    assert shown("::1", 7001) == "[::1]:7001" and shown("10.0.0.2", 1) == "10.0.0.2:1"


@pytest.mark.parametrize(
    "written",
    [
        *("", ":", ":1", "::1:7001", "[::1]", "[]:1", "a:", "a:0", "a:65536", "a:-1", "a:1x", "a:\u0661"),
        *("a:" + "9" * 5_000, 0, -1, 65_536, True, None, ("a",), ("a", "1"), ("", 1), ("a", 0), 1.5),
    ],
)
def test_what_is_no_address_is_said(written: Any) -> None:
    with pytest.raises(UsageError, match="is no address of 'Sink'") as caught:
        TcpNetwork({"Sink": written})
    assert "'[::1]:7001'" in str(caught.value) and len(str(caught.value)) < 300


def has_ipv6() -> bool:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")
def test_roles_talk_over_ipv6() -> None:
    async def story() -> None:
        ports = addresses("Sink", "Counter")
        where: Any = {"Sink": f"[::1]:{ports['Sink']}", "Counter": ("::1", ports["Counter"])}
        async with TcpNetwork(where) as network, TcpNetwork(where) as other:
            inbox = await network.inbox("Sink", {})
            await network.send(sp.Received("Counter", "n", (1,)), "Sink")
            assert await all_of(inbox, "Counter", 1) == [1]
            with pytest.raises(UsageError, match=rf"Sink cannot listen on \[::1\]:{ports['Sink']}: "):
                await other.inbox("Sink", {})
            refused, writer = await asyncio.open_connection("::1", ports["Sink"])
            writer.write(b"\xff\xff\xff\xff")
            assert await ends(refused) == b""
            writer.close()

    asyncio.run(story())


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")
def test_a_stranger_from_ipv6_is_shown_with_brackets(caplog: pytest.LogCaptureFixture) -> None:
    test_roles_talk_over_ipv6()
    assert "Sink disconnects [::1]:" in caplog.text
