"""One open page: its questions, of which a newer one ends an older one of its lane, and the replies."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Protocol

from .. import protocols
from ..errors import StormproofError
from .document import EXAMPLE, Document
from .pool import WorkerPool


class Socket(Protocol):
    async def send_text(self, data: str) -> None: ...


class PageSession:
    """Answers have the number of their question; what nobody asked for has a name."""

    def __init__(self, socket: Socket, pool: WorkerPool, document: Document, start: dict[str, Any]) -> None:
        self._socket, self._pool, self._document, self._start = socket, pool, document, start
        self._known = document.known
        self._lanes: dict[str, asyncio.Task[None]] = {}
        self._sending = asyncio.Lock()
        self._telling: set[asyncio.Task[None]] = set()

    async def send(self, message: dict[str, Any]) -> None:
        async with self._sending:
            await self._socket.send_text(json.dumps(message))  # in ASCII: a text may have half a character

    async def greet(self) -> None:
        library = {title: list(names) for title, names in protocols.groups().items()}
        document = self._document.to_json()
        hello = {**self._start, "document": document, "library": library, "example": EXAMPLE}
        await self.send({"hello": hello})

    async def tell_of_file(self) -> None:
        """What the file is now, if the page does not know that yet."""
        if self._known != self._document.known:
            self._known = self._document.known
            await self.send({"changed": {"text": self._document.text, "version": self._known}})

    async def receive(self, message: Any) -> bool:
        """Handle one message; False when the page asks the server to stop."""
        if not isinstance(message, dict):
            return True
        if message.get("quit") is True:
            return False
        if "cancel" in message:
            self._cancel(str(message["cancel"]))
        elif "stop" in message:
            self._stop(str(message["stop"]))
        elif isinstance(message.get("ask"), str):
            await self._ask(message)
        return True

    async def _ask(self, question: dict[str, Any]) -> None:
        number, kind = question.get("id"), question["ask"]
        if kind in ("library", "save"):
            await self.send({"id": number, **self._at_once(question)})
            return
        lane = str(question.get("lane", kind))
        self._cancel(lane)
        self._lanes[lane] = asyncio.create_task(self._answer(number, question))

    def _at_once(self, question: dict[str, Any]) -> dict[str, Any]:
        """What needs no worker: the text of a built-in protocol, and the one file."""
        try:
            if question["ask"] == "library":
                name = str(question.get("name"))
                return {"answer": {"name": name, "text": protocols.source(name)}}
            text, base = question.get("text"), question.get("base")
            answer = self._document.save(str(text), str(base))
            self._known = answer.get("saved", self._known)
            return {"answer": answer}
        except StormproofError as problem:
            return {"problem": str(problem)}

    async def _answer(self, number: Any, question: dict[str, Any]) -> None:
        def tell(progress: dict[str, Any]) -> None:
            task = asyncio.create_task(self.send({"id": number, **progress}))
            self._telling.add(task)
            task.add_done_callback(self._telling.discard)

        answer = await self._pool.ask(question, tell)
        await self.send({"id": number, **answer})

    def _cancel(self, lane: str) -> None:
        task = self._lanes.pop(lane, None)
        if task is not None:
            task.cancel()

    def _stop(self, lane: str) -> None:
        """End the question of a lane with what is known; one that still waits for its turn is given up."""
        task = self._lanes.get(lane)
        if task is not None and not self._pool.stop(task):
            self._cancel(lane)

    def close(self) -> None:
        for lane in list(self._lanes):
            self._cancel(lane)
