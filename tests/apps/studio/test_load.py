"""What a page or a program can send to hold the server up: too much, too slowly, too often, or no text."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import Iterator

import pytest
from websockets.exceptions import ConnectionClosedError

from stormproof.apps.studio import server
from stormproof.apps.studio.document import EXAMPLE, Document
from stormproof.apps.studio.guard import Guard
from tests.support.studio_server import StudioServer, TalkingPage


@pytest.fixture(scope="module")
def studio() -> Iterator[StudioServer]:
    with StudioServer() as found:
        yield found


def test_a_message_that_is_too_large_ends_only_its_own_page(studio: StudioServer) -> None:
    other, page = TalkingPage(studio), TalkingPage(studio)
    with pytest.raises(ConnectionClosedError, match="too big"):
        page.ask("read", text="x" * (server.MOST_BYTES + 1))
    assert other.ask("read", text=EXAMPLE)["answer"]["problems"] == []
    other.close()


@pytest.mark.parametrize("text", ["role \ud800", "\ud83d", "\0", "\x1b[2J"])
def test_a_text_that_is_none_is_answered(studio: StudioServer, text: str) -> None:
    page = TalkingPage(studio)
    assert page.ask("read", text=text)["answer"]["problems"]
    assert "no built-in protocol" in page.ask("library", name=text)["problem"]
    page.close()


def test_two_hundred_pages_and_a_flood_of_questions(studio: StudioServer) -> None:
    """Each is answered or refused in words."""
    pages = [TalkingPage(studio) for _ in range(200)]
    numbers = {pages[0].begin("read", text=EXAMPLE, lane=str(i)) for i in range(600)}
    said = [pages[0].next() for _ in numbers]
    assert {answer["id"] for answer in said} == numbers
    kinds = Counter(next(iter(answer.keys() & {"answer", "problem"})) for answer in said)
    assert kinds["answer"] >= 200 and kinds["problem"] > 0
    assert all("busy" in answer["problem"] for answer in said if "problem" in answer)
    assert pages[-1].ask("read", text=EXAMPLE)["answer"]["problems"] == []
    for page in pages:
        page.socket.close()


def test_a_connection_that_sends_no_request_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "PATIENCE", 0.3)

    async def story() -> bytes:
        listening = server.listen(0)
        port = listening.getsockname()[1]
        studio = server.Studio(Guard(port), Document("Shop", EXAMPLE), {})
        serving = asyncio.create_task(server.serve(studio, listening))
        slow = await asyncio.to_thread(socket.create_connection, ("127.0.0.1", port), 20)
        slow.sendall(b"GET / HTTP/1.1\r\nHost: ")
        left = await asyncio.to_thread(slow.recv, 100)
        slow.close()
        studio.stopped = True
        await serving
        return left

    assert asyncio.run(asyncio.wait_for(story(), 60)) == b""
