"""One open page: its questions, of which a newer one ends an older one of its lane, and the replies."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any, Protocol

from ...errors import InputError, StormproofError
from ...languages import protocols
from ..workers.pool import WorkerPool
from .document import Document
from .greeting import greeting
from .messages import check_question, read_message


class Socket(Protocol):
    async def send_text(self, data: str) -> None: ...


class PageSession:
    """Answers have the number of their question; what nobody asked for has a name."""

    def __init__(self, socket: Socket, pool: WorkerPool, document: Document, start: dict[str, Any]) -> None:
        self._socket, self._pool, self._document, self._start = socket, pool, document, start
        self._known, self._trouble = document.known, ""
        self._lanes: dict[str, asyncio.Task[None]] = {}
        self._sending = asyncio.Lock()
        self._telling: set[asyncio.Task[None]] = set()

    async def send(self, message: dict[str, Any]) -> None:
        async with self._sending:
            with contextlib.suppress(Exception):  # a page that is just going away; its socket says so
                await self._socket.send_text(
                    json.dumps(message)
                )  # in ASCII: a text may have half a character

    async def greet(self) -> None:
        hello = {**self._start, "document": self._document.to_json(), **greeting()}
        await self.send({"hello": hello})

    def tell_of_file(self) -> None:
        """What the file is now, if the page does not know that yet. A page that does not listen delays no
        other."""
        if self._known != self._document.known:
            self._known = self._document.known
            self._send_soon({"changed": {"text": self._document.text, "version": self._known}})
        if self._trouble != self._document.trouble:
            self._trouble = self._document.trouble
            self._send_soon({"trouble": self._trouble})

    def _send_soon(self, message: dict[str, Any]) -> None:
        task = asyncio.create_task(self.send(message))
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)

    async def hear(self, text: str | None) -> bool:
        """Handle what came over the socket; False when the page asks the server to stop."""
        try:
            return await self.receive(read_message(text))
        except InputError as problem:
            await self.send({"problem": problem.message})
            return True

    async def receive(self, message: dict[str, Any]) -> bool:
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
        try:
            check_question(question)
        except InputError as problem:
            await self.send({"id": number, "problem": problem.message})
            return
        if kind in ("library", "save"):
            await self.send({"id": number, **await asyncio.to_thread(self._at_once, question)})
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
            answer = self._document.save(question.get("text", ""), question.get("base", ""))
            self._known = answer.get("saved", self._known)
            return {"answer": answer}
        except StormproofError as problem:
            return {"problem": str(problem)}

    async def _answer(self, number: Any, question: dict[str, Any]) -> None:
        def tell(progress: dict[str, Any]) -> None:
            self._send_soon({"id": number, **progress})

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
        for task in self._telling:
            task.cancel()
