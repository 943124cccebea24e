"""Texts that no person writes, and editors that ask at any place: every question has an answer."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable

import pytest
from lsprotocol import types as lsp
from pytest_lsp import LanguageClient

from tests.apps.lsp.editor import SHOP, Editor
from tests.apps.lsp.test_checks import paxos

pytestmark = pytest.mark.asyncio(loop_scope="module")

Edit = Callable[..., Editor]

#: Every character before the name is one, two or no unit of UTF-16 on its own.
EMOJI = 'role A { "🛒é": B!"👩‍👩‍👧" -> wiat\n  "𝒳": B?𝒴 -> "𝒳" }\nrole B { b: A?"👩‍👩‍👧" -> b }\n'

TEXTS = {
    "empty": "",
    "white": " \n\t\n",
    "crlf": SHOP.replace("\n", "\r\n"),
    "old mac": SHOP.replace("\n", "\r"),
    "emoji": EMOJI,
    "one line": SHOP.replace("\n", " "),
    "cut": SHOP[: len(SHOP) // 2],
    "nul": "role A {\0 a: B!x -> end }",
    "deep": "role A = " + "B?{x; " * 300,
    "separators": "role A { a:\u2028B!x -> b\u0085 b: }\x0c",
}


async def ask_everything(editor: Editor, position: lsp.Position) -> None:
    client, text = editor.client, editor.identifier
    everywhere = lsp.Range(position, position)
    await asyncio.gather(
        client.text_document_hover_async(lsp.HoverParams(text, position)),
        client.text_document_definition_async(lsp.DefinitionParams(text, position)),
        client.text_document_references_async(
            lsp.ReferenceParams(lsp.ReferenceContext(True), text, position)
        ),
        client.text_document_document_highlight_async(lsp.DocumentHighlightParams(text, position)),
        client.text_document_prepare_rename_async(lsp.PrepareRenameParams(text, position)),
        client.text_document_completion_async(lsp.CompletionParams(text, position)),
        client.text_document_code_action_async(
            lsp.CodeActionParams(text, everywhere, lsp.CodeActionContext([]))
        ),
        client.text_document_code_lens_async(lsp.CodeLensParams(text)),
    )


@pytest.mark.parametrize("name", TEXTS)
async def test_every_question_is_answered_at_every_place(edit: Edit, name: str) -> None:
    editor = edit(TEXTS[name])
    client, text = editor.client, editor.identifier
    for line in (0, 1, 2, 10_000):
        for column in (0, 1, 7, 22, 100_000):
            await ask_everything(editor, lsp.Position(line, column))
    await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(text))
    await client.text_document_folding_range_async(lsp.FoldingRangeParams(text))
    tokens = await client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(text))
    assert tokens is not None and len(tokens.data) % 5 == 0 and min(tokens.data, default=0) >= 0
    options = lsp.FormattingOptions(2, True)
    await client.text_document_formatting_async(lsp.DocumentFormattingParams(text, options))
    for found in await editor.diagnostics():
        assert (found.range.start.line, found.range.start.character) <= (
            found.range.end.line,
            found.range.end.character,
        )


async def test_columns_count_utf_16(edit: Edit) -> None:
    editor = edit(EMOJI)
    found = await editor.diagnostics()
    assert [editor.spelt(d.range) for d in found if "unknown state" in d.message] == ["wiat"]
    at = editor.position('B!"👩‍👩‍👧"', "👩")
    renamed = await editor.client.text_document_rename_async(lsp.RenameParams(editor.identifier, at, "𝒵"))
    assert renamed is not None and renamed.changes is not None
    assert editor.edited(renamed.changes[editor.uri]) == EMOJI.replace('"👩‍👩‍👧"', "𝒵")


async def test_line_ends_of_windows(edit: Edit) -> None:
    text = SHOP.replace("-> wait", "-> wiat").replace("\n", "\r\n")
    editor = edit(text)
    (wrong,) = await editor.diagnostics()
    assert editor.spelt(wrong.range) == "wiat" and wrong.range.start.line == 5
    editor.write(SHOP.replace("\n", "\r\n"))
    at = editor.position("role Shop", "Shop")
    renamed = await editor.client.text_document_rename_async(lsp.RenameParams(editor.identifier, at, "Store"))
    assert renamed is not None and renamed.changes is not None
    after = editor.edited(renamed.changes[editor.uri])
    assert after.count("\r\n") == SHOP.count("\n") and "Store?price" in after
    formatted = await editor.client.text_document_formatting_async(
        lsp.DocumentFormattingParams(editor.identifier, lsp.FormattingOptions(2, True))
    )
    assert not formatted, "the layout is canonical already"


async def test_two_hundred_keystrokes_are_one_reading(edit: Edit) -> None:
    editor = edit(SHOP)
    await editor.diagnostics()
    for i in range(200):
        editor.write(SHOP + "// typed"[: i % 8] + f"\nrole {'X' * i}")
    editor.write(SHOP)
    await editor.until(lambda: len(editor.client.diagnostics.get(editor.uri, [None])) == 0)
    assert await editor.client.text_document_hover_async(
        lsp.HoverParams(editor.identifier, editor.position("wait: Shop", "wait"))
    )


async def test_a_large_text(edit: Edit) -> None:
    """Mistakes are underlined; names are not looked up."""
    editor = edit(SHOP + "// a line\n" * 20_000 + "role {")
    assert (await editor.diagnostics())[0].range.start.line > 20_000
    await ask_everything(editor, lsp.Position(7, 8))


async def test_shutdown_during_a_check() -> None:
    """The server answers, and it and its workers end."""
    client = LanguageClient()
    await client.start_io(sys.executable, "-m", "stormproof", "lsp")
    await client.initialize_session(lsp.InitializeParams(capabilities=lsp.ClientCapabilities()))
    editor = Editor(client, "file:///tmp/paxos.storm", paxos())
    await client.text_document_code_lens_async(lsp.CodeLensParams(editor.identifier))
    await asyncio.wait_for(client.shutdown_session(), 20)
    await asyncio.wait_for(client.stop(), 20)  # type: ignore[no-untyped-call]
