"""The questions of an editor, and who answers them."""

from __future__ import annotations

import asyncio
import itertools
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from ...errors import StormproofError
from ..workers.pool import DIED, PoolLimits, WorkerPool
from . import actions, completion, hover, lenses, navigation, renaming
from .checks import Checks
from .diagnostics import diagnostics
from .open_text import OpenText
from .shown import title, without_links

#: Seconds after a keystroke before the text is read.
PAUSE = 0.15
#: Seconds that reading or formatting may take.
READING = 30.0


class StormServer(LanguageServer):
    """The open texts, and the workers that read them."""

    def __init__(self) -> None:
        whole = lsp.TextDocumentSyncKind.Full
        super().__init__("stormproof", version("stormproof"), text_document_sync_kind=whole)
        self.texts: dict[str, OpenText] = {}
        self.reader = WorkerPool(PoolLimits(workers=1, seconds=READING))
        self.checks = Checks(self, self.show_news)
        self._shown = tempfile.TemporaryDirectory(prefix="stormproof-runs-")
        self._numbers = itertools.count(1)
        self._reading: dict[str, asyncio.Task[None]] = {}

    def open(self, uri: str, text: str, number: int | None) -> None:
        self.texts[uri] = OpenText(uri, text, number, self.workspace.position_codec.client_num_units)
        self.read_soon(uri)
        self.checks.start(uri, text)

    def change(self, uri: str, text: str, number: int | None) -> None:
        self.texts[uri] = self.texts[uri].changed(text, number)
        self.read_soon(uri)

    def text(self, uri: str) -> OpenText:
        """A text that an editor asks about after it has closed it is empty."""
        return self.texts.get(uri) or OpenText(uri, "", None, len)

    def close_text(self, uri: str) -> None:
        self.texts.pop(uri, None)
        self.checks.cancel(uri)
        self.checks.last.pop(uri, None)
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))

    def read_soon(self, uri: str) -> None:
        """One reading of a text at a time: what is typed meanwhile is read afterwards."""
        if uri not in self._reading:
            self._reading[uri] = asyncio.ensure_future(self._read(uri))

    async def _read(self, uri: str) -> None:
        """It stops being pending in the very step in which it finds nothing new: a callback of the task would
        run a turn of the loop later, and what is typed in between would never be read."""
        try:
            await self._read_until_known(uri)
        finally:
            self._reading.pop(uri, None)

    async def _read_until_known(self, uri: str) -> None:
        text = None
        while uri in self.texts and text is not self.texts[uri]:
            await asyncio.sleep(PAUSE)
            text = self.texts.get(uri)
            if text is None:
                return
            question = {"ask": "problems", "text": text.text}
            answer = await self.reader.ask(question)
            if answer.get("problem") == DIED:  # the system may have killed it, and not because of this text
                answer = await self.reader.ask(question)
            if text is self.texts.get(uri):
                text.problems = self._answer(answer).get("problems", text.problems)
                params = lsp.PublishDiagnosticsParams(uri, diagnostics(text), text.version)
                self.text_document_publish_diagnostics(params)
                await asyncio.to_thread(getattr, text, "system")  # remembered for while it is broken

    def _answer(self, said: dict[str, Any]) -> dict[str, Any]:
        """What a worker answered; what went wrong instead goes to the log of the editor."""
        if "answer" in said:
            return dict(said["answer"])
        problem = said.get("problem") or f"a defect of stormproof: {said.get('defect')}"
        self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Warning, str(problem)))
        return {}

    async def formatted(self, text: OpenText) -> list[lsp.TextEdit]:
        answer = self._answer(await self.reader.ask({"ask": "format", "text": text.text}))
        new = answer.get("text", text.text)
        if "\r\n" in text.text:  # as the file has them
            new = new.replace("\r\n", "\n").replace("\n", "\r\n")
        return [] if new == text.text else [lsp.TextEdit(text.range(0, len(text.text)), new)]

    def shows_markdown(self) -> bool:
        asked = self.client_capabilities.text_document
        formats = asked.hover.content_format if asked is not None and asked.hover is not None else None
        return lsp.MarkupKind.Markdown in (formats or ())

    def show_news(self) -> None:
        """Lenses are asked for again, where the editor can."""
        workspace = self.client_capabilities.workspace
        if workspace is not None and workspace.code_lens is not None and workspace.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)

    async def show_run(self, uri: str, name: str) -> str:
        """The run as a text of its own beside the protocol; in an editor that opens none, as a message."""
        shown = await self.checks.show_run(uri, name)
        window = self.client_capabilities.window
        if window is not None and window.show_document is not None and window.show_document.support:
            path = Path(self._shown.name, f"run-{next(self._numbers)}.txt")
            path.write_text(shown, encoding="utf-8")
            await self.window_show_document_async(lsp.ShowDocumentParams(path.as_uri()))
        else:
            self.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Info, without_links(shown)))
        return shown

    async def stop(self) -> None:
        await self.checks.stop()
        self._shown.cleanup()
        for task in list(self._reading.values()):
            task.cancel()
        await self.reader.close()


def make_server() -> StormServer:
    server = StormServer()
    _follow_texts(server)
    _answer_about_names(server)
    _answer_about_texts(server)
    _answer_about_checks(server)
    return server


def _follow_texts(server: StormServer) -> None:
    @server.feature(lsp.INITIALIZED)
    async def initialized(params: lsp.InitializedParams) -> None:
        await server.reader.warm()

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        server.open(document.uri, document.text, document.version)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        text = server.workspace.get_text_document(document.uri).source
        server.change(document.uri, text, document.version)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        server.checks.start(params.text_document.uri, server.text(params.text_document.uri).text)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        server.close_text(params.text_document.uri)

    @server.feature(lsp.SHUTDOWN)
    async def shutdown(params: None) -> None:
        await server.stop()


def _answer_about_names(server: StormServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hovered(params: lsp.HoverParams) -> lsp.Hover | None:
        return hover.hover(server.text(params.text_document.uri), params.position, server.shows_markdown())

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def definition(params: lsp.DefinitionParams) -> list[lsp.Location]:
        return navigation.definition(server.text(params.text_document.uri), params.position)

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def references(params: lsp.ReferenceParams) -> list[lsp.Location]:
        text = server.text(params.text_document.uri)
        return navigation.references(text, params.position, params.context.include_declaration)

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def highlight(params: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight]:
        return navigation.highlights(server.text(params.text_document.uri), params.position)

    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare_rename(params: lsp.PrepareRenameParams) -> lsp.PrepareRenamePlaceholder | None:
        return renaming.renamable(server.text(params.text_document.uri), params.position)

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    def rename(params: lsp.RenameParams) -> lsp.WorkspaceEdit:
        text = server.text(params.text_document.uri)
        try:
            return renaming.rename(text, params.position, params.new_name)
        except StormproofError as problem:
            raise JsonRpcException(title(problem.message), lsp.LSPErrorCodes.RequestFailed.value) from None

    @server.feature(
        lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=completion.TRIGGERS)
    )
    def complete(params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        return completion.complete(server.text(params.text_document.uri), params.position)


def _answer_about_texts(server: StormServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        return navigation.symbols(server.text(params.text_document.uri))

    @server.feature(lsp.TEXT_DOCUMENT_FOLDING_RANGE)
    def folding(params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
        return navigation.folding(server.text(params.text_document.uri))

    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, navigation.LEGEND)
    def tokens(params: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
        return navigation.semantic_tokens(server.text(params.text_document.uri))

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    async def formatting(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        return await server.formatted(server.text(params.text_document.uri))


def _answer_about_checks(server: StormServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    def lens(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        uri = params.text_document.uri
        return lenses.lenses(server.text(uri), server.checks.last.get(uri), uri in server.checks.running)

    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix])
    )
    def action(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        uri = params.text_document.uri
        return actions.actions(server.text(uri), params.range, server.checks.last.get(uri))

    @server.command(lenses.CHECK)
    def check(uri: str) -> None:
        server.checks.start(uri, server.text(uri).text)

    @server.command(lenses.CANCEL)
    def cancel(uri: str) -> None:
        server.checks.cancel(uri)

    @server.command(lenses.SHOW_RUN)
    async def show_run(uri: str, name: str) -> str:
        return await server.show_run(uri, name)
