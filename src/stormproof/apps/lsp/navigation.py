"""Where names are defined and used, what a text consists of, and what each of its words is."""

from __future__ import annotations

from lsprotocol import types as lsp

from ...errors import printable
from ...languages.formats import storm_occurrences as words
from ...languages.formats.storm_occurrences import Occurrence, StatementSpan, comments
from .open_text import OpenText

#: What a word is -> the token type of the protocol that editors colour it by.
TOKEN_TYPES = {
    words.KEYWORD: "keyword",
    words.OPERATOR: "operator",
    words.NUMBER: "number",
    words.FAULT: "modifier",
    words.PROTOCOL: "namespace",
    words.ROLE: "class",
    words.STATE: "enumMember",
    words.MESSAGE: "event",
    words.ACTION: "function",
    words.VARIABLE: "typeParameter",
    words.REQUIREMENT: "property",
    "comment": "comment",
}
LEGEND = lsp.SemanticTokensLegend(list(TOKEN_TYPES.values()), ["declaration"])
_INDEX = {kind: i for i, kind in enumerate(TOKEN_TYPES)}


def definition(text: OpenText, position: lsp.Position) -> list[lsp.Location]:
    """Where a name is declared; of a message that is sent, where it is received, and the other way round."""
    word = text.word_at(position)
    if word is None:
        return []
    if word.kind == words.MESSAGE:
        return [text.location(w) for w in _other_side(text, word)]
    return [text.location(w) for w in text.outline.same(word) if w.defines]


def _other_side(text: OpenText, word: Occurrence) -> list[Occurrence]:
    wanted = {"!": ("?",), "?": ("!",), "": ("!",)}[word.sign]
    return [
        w
        for w in text.outline.same(word)
        if w.sign in wanted and (word.channel is None or w.channel == word.channel)
    ]


def references(text: OpenText, position: lsp.Position, declaration: bool) -> list[lsp.Location]:
    word = text.word_at(position)
    found = text.outline.same(word) if word is not None else []
    return [text.location(w) for w in found if declaration or not w.defines]


def highlights(text: OpenText, position: lsp.Position) -> list[lsp.DocumentHighlight]:
    word = text.word_at(position)
    found = text.outline.same(word) if word is not None else []
    return [lsp.DocumentHighlight(text.range(w.start, w.end)) for w in found]


def symbols(text: OpenText) -> list[lsp.DocumentSymbol]:
    """The protocol, the roles and observers with their states, and the requirements that have names."""
    kinds = {
        "protocol": lsp.SymbolKind.Namespace,
        "role": lsp.SymbolKind.Class,
        "observer": lsp.SymbolKind.Class,
        "require": lsp.SymbolKind.Property,
    }
    return [
        _symbol(text, block, block.name, kinds[block.kind])
        for block in text.outline.blocks
        if block.name is not None and block.name.name
    ]


def _symbol(
    text: OpenText, block: StatementSpan, name: Occurrence, kind: lsp.SymbolKind
) -> lsp.DocumentSymbol:
    ends = [state.start for state in block.states[1:]] + [block.end]
    states = [
        lsp.DocumentSymbol(
            name=printable(state.name) or '""',
            kind=lsp.SymbolKind.EnumMember,
            range=text.range(state.start, len(text.text[:end].rstrip())),
            selection_range=text.range(state.start, state.end),
        )
        for state, end in zip(block.states, ends)
    ]
    return lsp.DocumentSymbol(
        name=printable(name.name),
        kind=kind,
        range=text.range(block.start, block.end),
        selection_range=text.range(name.start, name.end),
        children=states,
    )


def folding(text: OpenText) -> list[lsp.FoldingRange]:
    """Roles, and comments of several lines."""
    found = [
        lsp.FoldingRange(text.position(block.start).line, text.position(block.end).line)
        for block in text.outline.blocks
    ]
    last: lsp.FoldingRange | None = None
    for start, _ in comments(text.text, text.outline.words):
        line = text.position(start).line
        if last is not None and last.end_line == line - 1:
            last.end_line = line
        else:
            last = lsp.FoldingRange(line, line, kind=lsp.FoldingRangeKind.Comment)
            found.append(last)
    return [fold for fold in found if fold.end_line > fold.start_line]


def semantic_tokens(text: OpenText) -> lsp.SemanticTokens:
    """Five numbers per word, relative to the word before it, as the protocol wants them."""
    spans = [(w.start, w.end, w.kind, int(w.defines)) for w in text.outline.words]
    spans += [(start, end, "comment", 0) for start, end in comments(text.text, text.outline.words)]
    data: list[int] = []
    line, column = 0, 0
    for start, end, kind, defines in sorted(spans):
        at = text.position(start)
        moved = at.character - (column if at.line == line else 0)
        data += [at.line - line, moved, text.units(text.text[start:end]), _INDEX[kind], defines]
        line, column = at.line, at.character
    return lsp.SemanticTokens(data)
