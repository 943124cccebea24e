"""Texts from a file as an editor shows them: exactly the characters that they have, and no markup of theirs.

Editors read Markdown in hovers, icons in titles and links in messages, so that a name could show a picture,
hide a command behind a word or stand on a line of its own.
"""

from __future__ import annotations

import re

from lsprotocol import types as lsp

from ...errors import clipped, printable

#: What means something to Markdown anywhere in a line; in addresses, what makes links of them by themselves.
_MARKUP = re.compile(r"[\\`*_{}\[\]<>#|~&!$@]|(?<=:)/(?=/)|(?<=\bwww)\.", re.IGNORECASE)
#: What begins a list or underlines a heading.
_START = re.compile(r"^(\d*)([-+=.)])")


def content(lines: list[str], markdown: bool) -> lsp.MarkupContent:
    """Paragraphs of plain text, for an editor that shows Markdown and for one that does not."""
    if not markdown:
        return lsp.MarkupContent(lsp.MarkupKind.PlainText, "\n".join(map(_shown, lines)))
    return lsp.MarkupContent(lsp.MarkupKind.Markdown, "\n\n".join(map(escaped, lines)))


def escaped(line: str) -> str:
    """One line of Markdown that shows the line as it is."""
    return _START.sub(r"\1\\\2", _MARKUP.sub(r"\\\g<0>", _shown(line).strip()))


def _shown(line: str) -> str:
    return printable(clipped(line))


def title(text: str) -> str:
    """One line without icons, `$(name)`, and without links, `[words](address)`."""
    return without_links(_shown(text)).replace("$(", "$ (")


def without_links(text: str) -> str:
    return text.replace("](", "] (")
