"""Verdicts above the text, the run of a violation, edits that are offered, and checks that are cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from lsprotocol import types as lsp

import stormproof as sp
from stormproof.languages import protocols
from tests.apps.lsp.editor import SHOP, Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

Edit = Callable[..., Editor]


async def lenses(editor: Editor) -> list[lsp.CodeLens]:
    params = lsp.CodeLensParams(editor.identifier)
    return list(await editor.client.text_document_code_lens_async(params) or ())


async def titles(editor: Editor) -> list[tuple[int, str]]:
    found = [(lens.range.start.line + 1, lens.command) for lens in await lenses(editor)]
    return [(line, command.title) for line, command in found if command is not None]


async def finished(editor: Editor) -> list[tuple[int, str]]:
    """What stands above the text once the check and the search for repairs have ended."""
    while (1, "check") not in (found := await titles(editor)):
        await asyncio.sleep(0.1)
    return found


async def offered(editor: Editor, context: str) -> dict[str, str]:
    """The edits offered in a line -> the text after them."""
    at = editor.position(context)
    params = lsp.CodeActionParams(editor.identifier, lsp.Range(at, at), lsp.CodeActionContext([]))
    found = await editor.client.text_document_code_action_async(params)
    edits = {a.title: a.edit for a in found or () if isinstance(a, lsp.CodeAction)}
    return {
        title: editor.edited(edit.changes[editor.uri])
        for title, edit in edits.items()
        if edit and edit.changes
    }


async def run_command(editor: Editor, command: str, *arguments: str) -> object:
    params = lsp.ExecuteCommandParams(command, list(arguments))
    return await editor.client.workspace_execute_command_async(params)


async def test_verdicts_and_the_run(edit: Edit) -> None:
    editor = edit()
    found = await asyncio.wait_for(finished(editor), 90)
    assert any(line == 1 and title.startswith("✘ recovers: breaks with 1 fault") for line, title in found)
    assert (5, "✘ in wait when the protocol breaks") in found
    assert [title for line, title in found if line == 19] == [
        "✔ paid: never Buyer@done & Shop@idle · holds · any channel length"
    ]

    shown = str(await run_command(editor, "stormproof.showRun", editor.uri, "recovers"))
    assert "order" in shown and "Buyer" in shown and "lost" in shown

    await editor.diagnostics()
    editor.write(SHOP + "// more\n")
    assert (5, "✘ in wait when the protocol breaks (before the last change)") in await titles(editor)


async def test_repairs_that_are_offered_are_repairs(edit: Edit) -> None:
    editor = edit(protocols.source("client-server") + "faults *: loss\n")
    await asyncio.wait_for(finished(editor), 90)
    repairs = [text for title, text in (await offered(editor, "role")).items() if "survives" in title]
    assert repairs and all(sp.survives(sp.loads(text, "storm")) for text in repairs)


async def test_near_misses_are_mended(edit: Edit) -> None:
    editor = edit(SHOP.replace("-> wait", "-> wiat"))
    await editor.diagnostics()
    assert (await offered(editor, "ask: Shop"))["Write wait"] == SHOP
    editor.write(SHOP.replace("Buyer?order", "Buyer?ordr"))
    await editor.diagnostics()
    assert (await offered(editor, "Buyer?ordr"))["Write order"] == SHOP


async def test_a_missing_rest_line_is_added(edit: Edit) -> None:
    editor = edit("role A {\n  s: B!m -> t\n  t: B!n -> t\n}\n\nrole B {\n  x: A?m -> x\n     A?n -> x\n}\n")
    (warning,) = await editor.diagnostics()
    assert "A can never rest once it is in 't'" in warning.message
    ((title, text),) = [(t, e) for t, e in (await offered(editor, "t: B!n")).items() if t.startswith("Add")]
    assert title.removeprefix("Add: ") in text.splitlines()
    editor.write(text)
    assert await editor.diagnostics() == []


async def test_a_file_is_checked_again_when_it_is_saved(edit: Edit) -> None:
    editor = edit()
    await asyncio.wait_for(finished(editor), 90)
    await editor.diagnostics()
    editor.write(SHOP.replace("loss", "corrupt"))
    await editor.diagnostics()
    assert all("(before the last change)" in title for line, title in await titles(editor) if line in (5, 19))
    editor.client.text_document_did_save(lsp.DidSaveTextDocumentParams(editor.identifier))
    found = await asyncio.wait_for(finished(editor), 90)
    assert not any("(before the last change)" in title for _, title in found)
    editor.write("role {")
    await editor.diagnostics()
    editor.client.text_document_did_save(lsp.DidSaveTextDocumentParams(editor.identifier))
    found = await asyncio.wait_for(finished(editor), 90)
    assert any(title.startswith("? not checked") for _, title in found)
    assert any("recovers" in title and "(before the last change)" in title for _, title in found)


def paxos() -> str:
    system = sp.generate("paxos", proposers=2, acceptors=3, retries=2)
    return sp.dumps(system, "storm") + "faults *: loss, reorder\n"


async def test_a_long_check_is_cancelled_and_typing_goes_on(edit: Edit) -> None:
    editor = edit(paxos())
    assert (1, "checking; cancel") in await titles(editor)
    params = lsp.HoverParams(editor.identifier, editor.position("role ", " "))
    await asyncio.wait_for(editor.client.text_document_hover_async(params), 20)
    await run_command(editor, "stormproof.cancel", editor.uri)
    assert await titles(editor) == [(1, "check")]


async def test_the_progress_of_a_long_check_has_a_button_that_cancels_it(edit: Edit) -> None:
    bars = edit().client.progress_reports
    before = set(bars)
    editor = edit(paxos())

    def reported() -> list[lsp.ProgressToken]:
        return [t for t in bars if t not in before and any("configurations" in str(r) for r in bars[t])]

    await editor.until(lambda: bool(reported()))
    (token,) = reported()
    begin = bars[token][0]
    assert isinstance(begin, lsp.WorkDoneProgressBegin) and begin.cancellable
    editor.client.window_work_done_progress_cancel(lsp.WorkDoneProgressCancelParams(token))
    await editor.until(lambda: isinstance(bars[token][-1], lsp.WorkDoneProgressEnd), 20)
    assert await titles(editor) == [(1, "check")]
