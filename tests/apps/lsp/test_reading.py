"""When a text is read: no edit is lost, in whatever order the loop runs things."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from stormproof.apps.lsp import server as module
from stormproof.apps.lsp.open_text import OpenText
from stormproof.apps.lsp.server import StormServer

URI = "file:///shop.storm"


def test_an_edit_in_the_turn_in_which_a_reading_ends_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The edit stands in the queue of the loop right behind the step in which the reading finds nothing new,
    so before anything that the loop does because the reading has ended."""
    published: list[int | None] = []

    async def answer(question: dict[str, Any]) -> dict[str, Any]:
        return {"answer": {"problems": []}}

    async def story() -> None:
        server = StormServer()

        async def edit_behind_this_step(function: object, *arguments: object) -> None:
            if server.texts[URI].version == 1:
                asyncio.get_running_loop().call_soon(server.change, URI, "role {", 2)

        monkeypatch.setattr(module, "PAUSE", 0)
        monkeypatch.setattr(asyncio, "to_thread", edit_behind_this_step)
        monkeypatch.setattr(server.reader, "ask", answer)
        monkeypatch.setattr(
            server,
            "text_document_publish_diagnostics",
            lambda params: published.append(params.version),
        )
        server.texts[URI] = OpenText(URI, "", 1, len)
        server.read_soon(URI)
        for _ in range(100):
            await asyncio.sleep(0)
        await server.stop()

    asyncio.run(story())
    assert published == [1, 2]
