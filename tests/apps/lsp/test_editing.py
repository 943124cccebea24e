"""Every feature about names and texts, asked by a real client."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

import stormproof as sp
from stormproof.languages import formats
from tests.apps.lsp.editor import SHOP, Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

Edit = Callable[..., Editor]


async def test_mistakes_and_warnings_are_underlined_while_one_types(edit: Edit) -> None:
    editor = edit()
    assert await editor.diagnostics() == []
    editor.write(SHOP.replace("Shop!order -> wait", "Shop!order -> wiat"))
    (wrong,) = await editor.diagnostics()
    assert editor.spelt(wrong.range) == "wiat" and wrong.severity is lsp.DiagnosticSeverity.Error
    assert "unknown state 'wiat'" in wrong.message and "did you mean 'wait'?" in wrong.message
    editor.write(SHOP.replace("-> wait", "-> wiat").replace("faults", "rest Shop@idel\nfaults"))
    below, above = sorted(await editor.diagnostics(), key=lambda d: d.range.start.line, reverse=True)
    assert editor.spelt(above.range) == "idel" and editor.spelt(below.range) == "wiat"
    editor.write(SHOP.replace("Buyer?order", "Buyer?ordre"))
    sent, received = await editor.diagnostics()
    assert "never receives 'order'" in sent.message and "nobody sends 'ordre'" in received.message
    assert received.severity is lsp.DiagnosticSeverity.Warning


async def test_hover_says_what_a_name_stands_for(edit: Edit) -> None:
    editor = edit()

    async def hover(context: str, inner: str) -> str:
        params = lsp.HoverParams(editor.identifier, editor.position(context, inner))
        found = await editor.client.text_document_hover_async(params)
        assert found is not None and isinstance(found.contents, lsp.MarkupContent)
        return found.contents.value

    state = await hover("wait: Shop?price", "wait")
    assert "waits for price (→ done) or sold out (→ ask) from Shop" in state
    message = await hover("Buyer?order", "order")
    assert "sent by Buyer in ask" in message and "received by Shop in idle" in message
    assert "channel Buyer→Shop: loss" in message
    role = await hover("role Buyer", "Buyer")
    assert "3 states" in role and "channel Shop→Buyer: no faults declared" in role


DISKS = """timers on time
faults * : cut
faults partition A | B stays
durable A@b atomically
role A {
  on restart -> a
  a: B!x -> b
  b: timeout after 2 -> save
  save: timeout at any time -> a
}
role B { c: A?x -> c }
observer O { n: A@b -> n }
require r: never A@b recorded & O@n
"""


@pytest.mark.parametrize(
    ("context", "inner", "said"),
    [
        ("timers on time", "timers", "unless the file says otherwise"),
        ("timers on time", "on", "timers on time: messages and actions take no time"),
        (": cut", "cut", "loses what it holds"),
        ("| B stays", "stays", "for good"),
        ("faults partition", "partition", "one side to another"),
        ("durable A@b", "durable", "records the state"),
        ("atomically", "atomically", "one step"),
        ("on restart", "restart", "where the role begins after a restart"),
        ("after 2", "after", "units of time"),
        ("at any time", "any", "at any moment"),
        ("observer O", "observer", "never acts"),
        ("A@b recorded", "recorded", "the disk of P holds"),
        ("-> save", "save", "state save of A"),
    ],
)
async def test_hover_says_what_a_word_means(edit: Edit, context: str, inner: str, said: str) -> None:
    editor = edit(DISKS)
    params = lsp.HoverParams(editor.identifier, editor.position(context, inner))
    found = await editor.client.text_document_hover_async(params)
    assert found is not None and isinstance(found.contents, lsp.MarkupContent)
    assert said in found.contents.value


async def test_observers_are_symbols_with_their_states(edit: Edit) -> None:
    editor = edit(DISKS)
    params = lsp.DocumentSymbolParams(editor.identifier)
    found = await editor.client.text_document_document_symbol_async(params)
    said = [
        (s.name, [c.name for c in s.children or ()]) for s in found or () if isinstance(s, lsp.DocumentSymbol)
    ]
    assert ("O", ["n"]) in said


async def test_hover_of_words_with_variables(edit: Edit) -> None:
    editor = edit(
        "role A {\n durable var n: 0..1 = 0\n a: B!x -> b\n b: save -> c\n c:\n}\nrole B { d: A?x -> d }"
    )
    for context, inner, said in (("durable var", "var", "survives a restart"), ("b: save", "save", "writes")):
        params = lsp.HoverParams(editor.identifier, editor.position(context, inner))
        found = await editor.client.text_document_hover_async(params)
        assert found is not None and isinstance(found.contents, lsp.MarkupContent)
        assert said in found.contents.value


async def test_definition_and_references_cross_roles(edit: Edit) -> None:
    editor = edit()

    async def definition(context: str, inner: str) -> list[tuple[int, str]]:
        params = lsp.DefinitionParams(editor.identifier, editor.position(context, inner))
        found = await editor.client.text_document_definition_async(params)
        assert isinstance(found, list | tuple)
        places = [f for f in found if isinstance(f, lsp.Location)]
        return [(p.range.start.line + 1, editor.spelt(p.range)) for p in places]

    assert await definition("Buyer@done", "done") == [(9, "done")]
    assert await definition("Buyer?order", "Buyer") == [(5, "Buyer")]
    assert await definition('Shop?"sold out"', "sold") == [(15, '"sold out"')]
    assert await definition("Buyer!price", "price") == [(7, "price")]
    params = lsp.ReferenceParams(
        lsp.ReferenceContext(include_declaration=False),
        editor.identifier,
        editor.position("role Shop", "Shop"),
    )
    used = await editor.client.text_document_references_async(params)
    assert used is not None and [u.range.start.line + 1 for u in used] == [3, 6, 7, 8, 19]


@pytest.mark.parametrize(
    ("context", "inner", "new", "spelt"),
    [
        ("role Shop", "Shop", "Store", "Store"),
        ("-> wait", "wait", "waiting for it", '"waiting for it"'),
        ("Buyer?order", "order", "order(item)", "order(item)"),
        ('Buyer!"sold out"', "sold", "crash", '"crash"'),
    ],
)
async def test_rename_changes_every_use_and_nothing_else(
    edit: Edit, context: str, inner: str, new: str, spelt: str
) -> None:
    editor = edit()
    at = editor.position(context, inner)
    old = await editor.client.text_document_prepare_rename_async(
        lsp.PrepareRenameParams(editor.identifier, at)
    )
    assert isinstance(old, lsp.PrepareRenamePlaceholder)
    change = await editor.client.text_document_rename_async(lsp.RenameParams(editor.identifier, at, new))
    assert change is not None and change.changes is not None
    after = editor.edited(change.changes[editor.uri])
    # The protocol keeps its name, which is that of a role.
    word = editor.spelt(old.range)
    assert after.replace("protocol Shop", "").replace(spelt, word) == SHOP.replace("protocol Shop", "")
    assert len(sp.loads(after, "storm").messages) == len(sp.loads(SHOP, "storm").messages)


TYPES = "role A = mu t. B!x; mu u. B!y; u\nrole B = mu t. A?x; mu u. A?y; u\nrest A@{t, u}, B@{s1, u}\n"


async def test_a_variable_of_a_type_and_the_state_that_it_names_are_one(edit: Edit) -> None:
    editor = edit(TYPES)
    for context, inner in (("rest A@{t, u}", "u"), ("mu u. B!y", "u.")):
        params = lsp.RenameParams(editor.identifier, editor.position(context, inner), "v")
        change = await editor.client.text_document_rename_async(params)
        assert change is not None and change.changes is not None
        after = editor.edited(change.changes[editor.uri])
        assert after == TYPES.replace("mu u. B!y; u", "mu v. B!y; v").replace("A@{t, u}", "A@{t, v}")
    params = lsp.RenameParams(editor.identifier, editor.position("B@{s1", "s1"), "v")
    with pytest.raises(JsonRpcException, match="does not declare the state 's1'"):
        await editor.client.text_document_rename_async(params)


@pytest.mark.parametrize(
    ("context", "inner", "new"), [("-> wait", "wait", "done"), ("role Shop", "Shop", "Buyer")]
)
async def test_a_name_that_is_taken_is_refused(edit: Edit, context: str, inner: str, new: str) -> None:
    editor = edit()
    params = lsp.RenameParams(editor.identifier, editor.position(context, inner), new)
    with pytest.raises(JsonRpcException, match=f"'{new}' already"):
        await editor.client.text_document_rename_async(params)


async def test_symbols_folding_and_tokens(edit: Edit) -> None:
    editor = edit(SHOP.replace("protocol", "// Two lines\nprotocol"))
    symbols = await editor.client.text_document_document_symbol_async(
        lsp.DocumentSymbolParams(editor.identifier)
    )
    assert symbols is not None
    nested = {s.name: [c.name for c in getattr(s, "children", None) or ()] for s in symbols}
    assert nested == {"Shop": ["idle", "decide", "done"], "Buyer": ["ask", "wait", "done"], "paid": []}
    folds = await editor.client.text_document_folding_range_async(lsp.FoldingRangeParams(editor.identifier))
    assert folds is not None
    assert sorted((f.start_line, f.end_line) for f in folds) == [(0, 1), (5, 10), (12, 17)]
    answer = await editor.client.text_document_semantic_tokens_full_async(
        lsp.SemanticTokensParams(editor.identifier)
    )
    assert answer is not None
    tokens = coloured(editor, list(answer.data))
    assert ("loss", "modifier") in tokens and ('"sold out"', "event") in tokens
    assert ("Shop", "namespace") in tokens and ("Shop", "class") in tokens and ("paid", "property") in tokens
    assert [words for words, kind in tokens if kind == "comment"][1] == "// Two lines"


def coloured(editor: Editor, data: list[int]) -> list[tuple[str, str]]:
    from stormproof.apps.lsp.navigation import LEGEND

    found, line, column = [], 0, 0
    for i in range(0, len(data), 5):
        down, right, width, kind, _ = data[i : i + 5]
        line, column = line + down, right + (0 if down else column)
        span = lsp.Range(lsp.Position(line, column), lsp.Position(line, column + width))
        found.append((editor.spelt(span), LEGEND.token_types[kind]))
    return found


@pytest.mark.parametrize(
    ("before", "offered", "not_offered"),
    [
        ("role Buyer {\n  ask: Shop!", {"order", "crash"}, {"price", "Buyer"}),
        ("role Buyer {\n  ask: Shop!order -> ", {"wait", "done", "end"}, {"idle"}),
        ("role Buyer {\n  ask: Shop!order -> wai", {"wait"}, {"wai"}),
        ("role Buyer {\n  ask: ", {"Shop", "timeout"}, {"loss"}),
        ("faults Buyer -> Shop: ", {"loss", "reorder", "corrupt"}, {"Shop"}),
        ("require paid: never Buyer@", {"ask", "done"}, {"idle"}),
        ("require ", {"never", "recovers", "leads to"}, {"loss"}),
        ("require Buyer@ask ", {"leads to", "recorded"}, {"loss"}),
        ("role Buyer {\n  on", {"on restart", "durable var", "save", "after", "at any time"}, {"recorded"}),
        ("timers ", {"on time", "at any time"}, {"loss"}),
        ("durable Buyer@done ", {"atomically"}, {"recorded"}),
        ("faults partition Buyer | Shop ", {"stays"}, {"loss"}),
        ("faults Shop -> Buyer: ", {"cut"}, {"stays"}),
        ("observer", {"observer"}, {"save"}),
        ("observer Seen {\n  none: ", {"Buyer", "Shop", "restart"}, {"timeout"}),
        ("observer Seen {\n  none: Buyer -> ", {"Shop", "none"}, {"idle"}),
        ("observer Seen {\n  none: Buyer -> Shop?", {"order", "_"}, {"price", "crash"}),
        ("observer Seen {\n  none: Shop@", {"idle", "decide"}, {"wait"}),
    ],
)
async def test_completion_in_a_text_that_ends_here(
    edit: Edit, before: str, offered: set[str], not_offered: set[str]
) -> None:
    inside = before.startswith("role")
    start = SHOP.index(before.partition(": ")[0] if ":" in before else before[:8]) if inside else 0
    head = SHOP[:start] if inside else SHOP
    rest = SHOP[SHOP.index("  wait: Shop") :] if before.startswith("role") else ""
    editor = edit(f"{head}{before}\n{rest}")
    at = editor.at(len(head) + len(before))
    found = await editor.client.text_document_completion_async(lsp.CompletionParams(editor.identifier, at))
    assert isinstance(found, list | tuple)
    labels = {item.label for item in found}
    assert offered <= labels and not not_offered & labels


async def test_formatting_keeps_comments_and_leaves_broken_texts_alone(edit: Edit) -> None:
    editor = edit(SHOP.replace("  ask: Shop!order -> wait", "ask  :Shop ! order->wait // hm"))
    options = lsp.FormattingOptions(2, True)
    edits = await editor.client.text_document_formatting_async(
        lsp.DocumentFormattingParams(editor.identifier, options)
    )
    assert edits and editor.edited(edits) == formats.fmt(editor.text)
    await editor.diagnostics()
    editor.write("role {")
    params = lsp.DocumentFormattingParams(editor.identifier, options)
    assert not await editor.client.text_document_formatting_async(params)
