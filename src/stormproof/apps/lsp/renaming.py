"""A new name for what a text names: a role, a state, a message, a requirement, a variable, the protocol."""

from __future__ import annotations

from lsprotocol import types as lsp

from ...errors import UsageError
from ...languages.formats import storm_occurrences as words
from ...languages.formats.storm_data import has_data
from ...languages.formats.storm_occurrences import Occurrence, outline
from ...languages.formats.storm_scan import quote, write_message
from .open_text import OpenText

_NOT_WITH_DATA = "names are not changed in a text with const, var or an index yet"


def renamable(text: OpenText, position: lsp.Position) -> lsp.PrepareRenamePlaceholder | None:
    word = text.word_at(position)
    if word is None:
        return None
    return lsp.PrepareRenamePlaceholder(text.range(word.start, word.end), word.name)


def rename(text: OpenText, position: lsp.Position, new: str) -> lsp.WorkspaceEdit:
    """The edits; a UsageError where the name is taken or would be read as something else."""
    word = text.word_at(position)
    if word is None:
        raise UsageError("there is no name here")
    if has_data(text.text):
        raise UsageError(_NOT_WITH_DATA)
    found = text.outline.same(word)
    if not new or new in text.outline.of_kind(word.kind, word.role):
        raise UsageError(f"there is a {word.kind} '{new}' already" if new else "a name must not be empty")
    if word.kind == words.STATE and not any(w.defines for w in found):
        raise UsageError(f"the text does not declare the state '{word.name}', so it cannot be renamed")
    spelt = _spelt(word, new)
    _check(text, found, spelt)
    edits = [lsp.TextEdit(text.range(w.start, w.end), spelt) for w in found]
    return lsp.WorkspaceEdit(changes={text.uri: edits})


def _spelt(word: Occurrence, new: str) -> str:
    return write_message(new) if word.kind == words.MESSAGE else quote(new)


def _check(text: OpenText, found: list[Occurrence], spelt: str) -> None:
    """Every other word must be what it was, and these the same thing under the new name."""
    parts, at = [], 0
    for word in found:
        parts += [text.text[at : word.start], spelt]
        at = word.end
    after = outline("".join([*parts, text.text[at:]])).words
    if [w.kind for w in after] != [w.kind for w in text.outline.words]:
        raise UsageError(f"{spelt} would be read as something else here")
