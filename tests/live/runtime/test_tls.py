"""Networks that are encrypted: the code and the commands of docs/python.md, tried."""

from __future__ import annotations

import asyncio
import re
import shutil
import ssl
import subprocess
from pathlib import Path
from typing import Any

import pytest

import stormproof as sp
from stormproof.errors import UsageError
from stormproof.live.runtime import TcpLimits, TcpNetwork
from tests.support.paths import ROOT
from tests.support.raw_peers import addresses, all_of, connected, ends, framed, until

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="the command openssl is not here")


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return certificates(tmp_path_factory.mktemp("own"))


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return certificates(tmp_path_factory.mktemp("others"))


def block(language: str, word: str) -> str:
    """The one block of docs/python.md with this word in it."""
    text = (ROOT / "docs" / "python.md").read_text("utf-8")
    (found,) = [b for b in re.findall(f"```{language}\n(.*?)```", text, re.DOTALL) if word in b]
    return str(found)


def certificates(folder: Path) -> Path:
    """An authority, and a certificate of it for this machine."""
    commands = block("sh", "openssl")
    subprocess.run(["sh", "-ec", commands], cwd=folder, check=True, capture_output=True, timeout=60)
    return folder


def contexts(folder: Path) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(block("python", "import ssl"), names)
    return dict(names["contexts"](folder))


def test_roles_talk_over_tls(own: Path) -> None:
    async def story() -> None:
        where = addresses("Sink", "Counter")
        async with TcpNetwork(where, **contexts(own)) as network, TcpNetwork(where, **contexts(own)) as other:
            inbox = await network.inbox("Sink", {})
            for i in range(2_000):
                await other.send(sp.Received("Counter", "n", (i,)), "Sink")
            writer = other._links["Counter", "Sink"]._writer
            assert writer is not None and writer.get_extra_info("cipher") is not None
            assert await all_of(inbox, "Counter", 2_000) == list(range(2_000))

    asyncio.run(story())


def test_more_than_the_most_messages_wait_in_an_encrypted_connection(own: Path) -> None:
    async def story() -> None:
        where = addresses("Sink", "Counter")
        async with TcpNetwork(where, limits=TcpLimits(waiting=10), **contexts(own)) as network:
            inbox = await network.inbox("Sink", {})
            _, writer = await connected(where["Sink"], ssl=contexts(own)["client_ssl"])
            writer.write(b"".join(framed("Counter", "Sink", i) for i in range(5_000)))
            await until(lambda: len(inbox) == 10)
            assert await all_of(inbox, "Counter", 5_000) == list(range(5_000))
            writer.transport.abort()

    asyncio.run(story())


def test_peers_without_the_right_certificate_are_refused(
    own: Path, others: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A client that trusts another authority; one whose certificate is of another; one with none."""
    none = ssl.create_default_context(cafile=str(own / "ca.pem"))
    other = contexts(others)
    other["client_ssl"].load_verify_locations(own / "ca.pem")
    clients = [contexts(others), other, {"server_ssl": none, "client_ssl": none}]
    said = "Counter cannot connect to Sink, 127.0.0.1:"

    async def story() -> None:
        where = addresses("Sink", "Counter")
        async with TcpNetwork(where, **contexts(own)) as network:
            inbox = await network.inbox("Sink", {})
            for number, client in enumerate(clients, 1):
                async with TcpNetwork(where, **client) as stranger:
                    await stranger.send(sp.Received("Counter", "n", (0,)), "Sink")
                    await until(lambda n=number: caplog.text.count(said) >= n)  # type: ignore[misc]
            assert len(inbox) == 0
            await network.send(sp.Received("Counter", "n", (1,)), "Sink")
            assert await all_of(inbox, "Counter", 1) == [1]

    asyncio.run(story())
    assert "Sink disconnects 127.0.0.1:" in caplog.text


def test_a_peer_without_tls_is_refused(own: Path) -> None:
    """And one that connects and never begins."""

    async def story() -> None:
        where = addresses("Sink", "Counter")
        limits = TcpLimits(unnamed=10, seconds=1.0)
        async with TcpNetwork(where, limits=limits, **contexts(own)) as network:
            inbox = await network.inbox("Sink", {})
            plain, writer = await connected(where["Sink"])
            writer.write(framed("Counter", "Sink", 1))
            silent = [await connected(where["Sink"]) for _ in range(40)]
            for reader in (plain, *(reader for reader, _ in silent)):
                await ends(reader)
            assert len(inbox) == 0
            for _, peer in [(plain, writer), *silent]:
                peer.close()

    asyncio.run(story())


def test_one_side_alone_cannot_be_encrypted(own: Path) -> None:
    for each in ("server_ssl", "client_ssl"):
        with pytest.raises(UsageError, match="only one side would be encrypted"):
            TcpNetwork({"A": 1}, **{each: contexts(own)[each]})
