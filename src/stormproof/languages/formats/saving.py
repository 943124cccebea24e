"""`sp.save`: a text into a file, or, yielded by a role, durable parameters to its disk."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, overload

from . import files

if TYPE_CHECKING:
    from ...programs.extraction.requests import SaveRequest


@overload
def save(path: str | os.PathLike[str], text: str, overwrite: bool = False) -> None: ...


@overload
def save(**values: Any) -> SaveRequest: ...


def save(*given: Any, **values: Any) -> SaveRequest | None:
    """`save("tiny.storm", text)` writes a file whole or not at all; one that is there already is left alone
    unless `overwrite` is given. A role yields `sp.save(seen=seen)` to write to its disk."""
    if given or {"path", "text"} <= values.keys():
        files.save(*given, **values)
        return None
    from ...programs.extraction import requests

    return requests.save(**values)
