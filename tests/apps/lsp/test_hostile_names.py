"""Names that are Markdown, icons, links, line ends or invisible: an editor shows their characters alone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from lsprotocol import types as lsp
from markdown_it import MarkdownIt

from stormproof.apps.lsp.server import StormServer
from stormproof.apps.lsp.shown import content, escaped, title, without_links
from tests.apps.lsp.editor import Editor
from tests.apps.lsp.test_checks import finished, offered

Edit = Callable[..., Editor]

HOSTILE = [
    "`code`",
    "**bold** _thin_ ~~gone~~",
    "[words](https://evil.example)",
    "![picture](https://evil.example/x.png)",
    "<img src=x onerror=alert(1)>",
    "https://evil.example",
    "www.evil.example",
    "WWW.evil.example",
    "someone@evil.example",
    "[go](command:workbench.action.quit)",
    "$(trash) deleted",
    "&lt;b&gt;&#x202e;",
    "a\n\n# heading",
    "a\n\n```\ncode",
    "a\n- list\n\n    code",
    "a\r\n===",
    "| a | b |\n|---|---|",
    "- list",
    "1. list",
    "2) list",
    "+ list",
    "===",
    "---",
    "\u202egnp.exe",
    "zero\u200bwidth\u2028line\x85next\x1b[2J",
    "back\\slash \\` \\[x](y)",
    ":::note",
]

#: What renderers beyond CommonMark make links of by themselves.
_AUTOLINK = re.compile(r"(?:https?|ftp)://|(?<![\\\w])www\.|\w@\w", re.IGNORECASE)


def paragraphs(markdown: str) -> list[str]:
    """The paragraphs of Markdown that is plain text, as a reader sees them; anything else is a mistake."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    found = []
    for token in parser.parse(markdown):
        assert token.type in ("paragraph_open", "paragraph_close", "inline"), token.type
        if token.type == "inline":
            assert {child.type for child in token.children or ()} <= {"text", "text_special"}, markdown
            found.append("".join(child.content for child in token.children or ()))
    return found


def shown_as(name: str) -> str:
    """A name as it is shown: what cannot be seen by its code."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)


@pytest.mark.parametrize("name", HOSTILE)
def test_markdown_and_titles_show_a_name_as_it_is(name: str) -> None:
    for line in (name, f"role {name}: 3 states", f"{name} → {name}"):
        assert paragraphs(escaped(line)) == [shown_as(line)]
        assert not _AUTOLINK.search(escaped(line).replace(r"\@", " "))
    assert title(name).isprintable() and "$(" not in title(name) and "](" not in title(name)
    assert "](" not in without_links(name)
    plain = content([name, "second"], markdown=False)
    assert plain.kind is lsp.MarkupKind.PlainText and plain.value == f"{shown_as(name)}\nsecond"


def protocol_of(name: str) -> str:
    """The name is a role, a state, a message, a requirement and the protocol."""
    spelt = json.dumps(name, ensure_ascii=False)
    return (
        f"protocol {spelt}\nfaults *: loss\n\n"
        f"role {spelt} {{\n  {spelt}: Shop!{spelt} -> wait\n  wait: Shop?x -> {spelt}\n}}\n\n"
        f"role Shop {{\n  s: {spelt}?{spelt} -> t\n  t: {spelt}!x -> s\n}}\n\n"
        f"require {spelt}: never {spelt}@wait & Shop@s\n"
    )


TOGETHER = "".join(f"{part}\n" for part in HOSTILE)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", [TOGETHER, *HOSTILE[::6]])
async def test_hover_completion_lenses_symbols_and_diagnostics(edit: Edit, name: str) -> None:
    editor = edit(protocol_of(name))
    client, text = editor.client, editor.identifier
    assert await editor.diagnostics() == []
    await finished(editor)
    spelt = json.dumps(name, ensure_ascii=False)
    for context, inner in ((f"role {spelt}", '"'), (f"{spelt}: Shop!", '"'), (f"Shop!{spelt}", '"')):
        found = await client.text_document_hover_async(lsp.HoverParams(text, editor.position(context, inner)))
        assert found is not None and isinstance(found.contents, lsp.MarkupContent)
        assert any(shown_as(name).strip() in line for line in paragraphs(found.contents.value))
    lenses = await client.text_document_code_lens_async(lsp.CodeLensParams(text)) or ()
    titles = [lens.command.title for lens in lenses if lens.command is not None]
    assert any(shown_as(name)[:4].replace("$(", "$ (") in said for said in titles)
    assert all(said.isprintable() and "$(" not in said and "](" not in said for said in titles)
    symbols = await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(text)) or ()
    assert shown_as(name) in [symbol.name for symbol in symbols]
    await completes(editor, spelt)
    await underlines(editor, name)


async def completes(editor: Editor, spelt: str) -> None:
    """What is proposed can be seen, and what is inserted is the name."""
    at = editor.position("Shop!", "!")
    at = lsp.Position(at.line, at.character + 1)
    params = lsp.CompletionParams(editor.identifier, at)
    found = await editor.client.text_document_completion_async(params)
    assert isinstance(found, list | tuple) and found
    assert all(item.label.isprintable() for item in found)
    wanted = spelt.replace("*/", "*\\/")
    assert wanted in [item.insert_text for item in found]
    assert {item.insert_text_format for item in found} <= {None, lsp.InsertTextFormat.PlainText}


async def underlines(editor: Editor, name: str) -> None:
    """One line, and the hint on another."""
    other = json.dumps(name + "x", ensure_ascii=False)
    spelt = json.dumps(name, ensure_ascii=False)
    editor.write(editor.text.replace(f"?x -> {spelt}", f"?x -> {other}"))
    wrong = await editor.diagnostics()
    assert wrong and any(shown_as(name)[:20] in found.message for found in wrong)
    for found in wrong:
        assert len(found.message.split("\n")) <= 2
        assert all(line.isprintable() for line in found.message.split("\n"))
    actions = await offered(editor, other)
    assert actions or len(name) > 100, "a long name is not proposed"
    assert all(words == title(words) for words in actions)


@pytest.mark.asyncio
async def test_an_editor_without_markdown_gets_plain_text(monkeypatch: pytest.MonkeyPatch) -> None:
    server = StormServer()
    for formats, markdown in (
        (None, False),
        ([lsp.MarkupKind.PlainText], False),
        ([lsp.MarkupKind.PlainText, lsp.MarkupKind.Markdown], True),
    ):
        hover = lsp.HoverClientCapabilities(content_format=formats)
        known = lsp.ClientCapabilities(text_document=lsp.TextDocumentClientCapabilities(hover=hover))
        monkeypatch.setattr(StormServer, "client_capabilities", known)
        assert server.shows_markdown() is markdown
    await server.stop()
