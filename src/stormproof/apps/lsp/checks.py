"""Checks and the search for repairs, in worker processes: the newer check of a text ends the older one."""

from __future__ import annotations

import asyncio
import contextlib
import textwrap
import uuid
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from ...errors import printable
from ..workers.pool import PoolLimits, WorkerPool
from .shown import title

#: Seconds that a check and the search for repairs may take, and the effort of a check in configurations.
SECONDS, EFFORT = 60.0, 500_000

#: The width of a text that shows a run.
_WIDTH = 100


@dataclass
class Checked:
    """What the last check said of a text, and the repairs of it that were found since."""

    text: str
    verdicts: list[dict[str, Any]] = field(default_factory=list)
    problem: str = ""
    repairs: list[dict[str, Any]] = field(default_factory=list)

    def of(self, name: str) -> dict[str, Any] | None:
        return next((v for v in self.verdicts if v["property"] == name), None)


class Checks:
    """`refresh` is called when there is something new to show."""

    def __init__(self, server: LanguageServer, refresh: Callable[[], None]) -> None:
        self._server, self._refresh = server, refresh
        self.pool = WorkerPool(PoolLimits(workers=2, seconds=SECONDS))
        self.last: dict[str, Checked] = {}
        self.running: dict[str, asyncio.Task[None]] = {}

    def start(self, uri: str, text: str) -> None:
        self.cancel(uri)
        task = self.running[uri] = asyncio.ensure_future(self._run(uri, text))
        task.add_done_callback(lambda done: self._ended(uri, done))

    def _ended(self, uri: str, done: asyncio.Task[None]) -> None:
        if self.running.get(uri) is done:
            del self.running[uri]
        self._refresh()

    def cancel(self, uri: str) -> None:
        task = self.running.pop(uri, None)
        if task is not None:
            task.cancel()

    async def _run(self, uri: str, text: str) -> None:
        self._refresh()
        question = {"text": text, "settings": {}, "effort": EFFORT}
        async with self._progress() as report:

            def tell(said: dict[str, Any]) -> None:
                if "partial" in said:  # survival and requirements; the classes follow
                    self.last[uri] = Checked(text, said["partial"]["verdicts"])
                    self._refresh()
                else:
                    report(_words(said["progress"]))

            said = await self.pool.ask({"ask": "check", **question}, tell)
            checked = self.last[uri] = self._checked(uri, text, said)
            if not checked.problem and any(v["counts"] and v["ok"] is False for v in checked.verdicts):
                self._refresh()
                said = await self.pool.ask({"ask": "repairs", **question})
                checked.repairs = said.get("answer", {}).get("repairs", [])

    def _checked(self, uri: str, text: str, said: dict[str, Any]) -> Checked:
        """A text that cannot be checked keeps the verdicts of the last one that could."""
        if "answer" in said:
            return Checked(text, said["answer"]["verdicts"])
        before = self.last.get(uri, Checked(text))
        return replace(before, problem=said.get("problem") or f"a defect of stormproof: {said.get('defect')}")

    async def show_run(self, uri: str, name: str) -> str:
        """The run of a violation in words and as a chart in characters."""
        checked = self.last.get(uri)
        verdict = checked.of(name) if checked is not None else None
        if checked is None or verdict is None or verdict["run"] is None:
            return f"There is no run of {printable(name)}: check the protocol first.\n"
        run = verdict["run"]
        question = {"ask": "show-run", "text": checked.text, "settings": {"under": run["under"]}}
        said = await self.pool.ask({**question, "steps": run["steps"], "marks": run["marks"]})
        shown = said.get("answer", {}).get("text") or said.get("problem", "")
        why = textwrap.fill(printable(run["why"]), _WIDTH)
        return f"{printable(sentence(verdict))}\n\n{why}\n\n{shown}\n"

    @contextlib.asynccontextmanager
    async def _progress(self) -> AsyncIterator[Callable[[str], None]]:
        """The editor's bar, where it has one, with a button that cancels."""
        window = self._server.client_capabilities.window
        if window is None or not window.work_done_progress:
            yield lambda words: None
            return
        token, bar = str(uuid.uuid4()), self._server.work_done_progress
        await bar.create_async(token)
        bar.begin(token, lsp.WorkDoneProgressBegin("stormproof: checking", cancellable=True))
        _cancel_with(bar.tokens[token])
        try:
            yield lambda words: bar.report(token, lsp.WorkDoneProgressReport(message=words))
        finally:
            bar.end(token, lsp.WorkDoneProgressEnd())
            bar.tokens.pop(token, None)

    async def stop(self) -> None:
        tasks = list(self.running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.pool.close()


def sentence(verdict: dict[str, Any]) -> str:
    """`✔ paid: never Buyer@done & Shop@idle · holds · any channel length`, and why that says nothing."""
    said = " · ".join(part for part in (verdict["claim"], verdict["say"], *verdict["vacuous"]) if part)
    return f"{verdict['mark']} {verdict['property']}" + (f": {said}" if said else "")


def _cancel_with(button: Future[Any]) -> None:
    """Cancel the current task when the button is pressed."""
    task = asyncio.current_task()
    assert task is not None
    button.add_done_callback(lambda pressed: task.cancel() if pressed.cancelled() else None)


def _words(progress: dict[str, Any]) -> str:
    return f"{title(progress['task'])}: {progress['states']:,} configurations"
