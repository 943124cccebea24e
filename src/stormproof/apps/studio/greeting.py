"""What a page is told when it opens: the library as cards, the language on a page, an example."""

from __future__ import annotations

from typing import Any

from ...languages import protocols
from ...languages.protocols.catalogue import EVERYDAY
from ..mcp.skill import grammar
from .document import EXAMPLE


def greeting() -> dict[str, Any]:
    return {"library": library_cards(), "card": grammar(), "example": EXAMPLE}


def library_cards() -> list[dict[str, Any]]:
    """The groups, everyday protocols first, with a sentence on each protocol."""
    groups = sorted(protocols.groups().items(), key=lambda group: group[0] != EVERYDAY)
    return [
        {"title": title, "protocols": [{"name": n, "says": protocols.title(n)} for n in names]}
        for title, names in groups
    ]
