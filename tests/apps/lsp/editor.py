"""An editor, as the tests of the language server drive it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from lsprotocol import types as lsp
from pytest_lsp import LanguageClient

SHOP = """\
// A shop. The emoji and the accent are here to move columns: é 🛒
protocol Shop
faults Buyer -> Shop: loss

role Buyer {
  ask: Shop!order -> wait
  wait: Shop?price -> done
        Shop?"sold out" -> ask
  done:
}

role Shop {
  idle: Buyer?order -> decide
  decide: Buyer!price -> done
          Buyer!"sold out" -> idle
  done:
}

require paid: never Buyer@done & Shop@idle
"""


class Editor:
    """One open text; places are given by a piece of the text and the piece of it that the cursor is in."""

    def __init__(self, client: LanguageClient, uri: str, text: str) -> None:
        self.client, self.uri, self.text, self.version = client, uri, text, 1
        document = lsp.TextDocumentItem(uri, "storm", 1, text)
        client.text_document_did_open(lsp.DidOpenTextDocumentParams(document))

    @property
    def identifier(self) -> lsp.TextDocumentIdentifier:
        return lsp.TextDocumentIdentifier(self.uri)

    def write(self, text: str) -> None:
        self.text, self.version = text, self.version + 1
        self.client.diagnostics.pop(self.uri, None)
        self.client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(
                lsp.VersionedTextDocumentIdentifier(uri=self.uri, version=self.version),
                [lsp.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    def position(self, context: str, inner: str = "") -> lsp.Position:
        return self.at(self.text.index(context) + context.index(inner))

    def at(self, offset: int) -> lsp.Position:
        before = self.text[:offset]
        line = before.rpartition("\n")[2]
        return lsp.Position(before.count("\n"), len(line.encode("utf-16-le")) // 2)

    def spelt(self, found: lsp.Range) -> str:
        """The text in a range, which is counted in UTF-16."""
        lines = self.text.split("\n")
        assert found.start.line == found.end.line
        units = lines[found.start.line].encode("utf-16-le")
        return units[2 * found.start.character : 2 * found.end.character].decode("utf-16-le")

    def edited(self, edits: Any) -> str:
        """The text after edits, the last first."""
        text = self.text
        for edit in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
            start, end = (self.offset(p) for p in (edit.range.start, edit.range.end))
            text = text[:start] + edit.new_text + text[end:]
        return text

    def offset(self, position: lsp.Position) -> int:
        lines = self.text.split("\n")
        line = lines[position.line] if position.line < len(lines) else ""
        units = line.encode("utf-16-le")[: 2 * position.character].decode("utf-16-le")
        return sum(len(before) + 1 for before in lines[: position.line]) + len(units)

    async def diagnostics(self) -> list[lsp.Diagnostic]:
        """Those of the current version, once they are there; await them before every further `write`."""
        await self.until(lambda: self.uri in self.client.diagnostics)
        return list(self.client.diagnostics[self.uri])

    async def until(self, true: Callable[[], bool], seconds: float = 60) -> None:
        async def wait() -> None:
            while not true():
                await asyncio.sleep(0.02)

        await asyncio.wait_for(wait(), seconds)
