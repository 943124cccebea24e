"""The paper's table as data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from .matrix import Column

#: A published cell: holds, does not, or the tool gave up after five minutes.
TIMEOUT = "timeout"


@dataclass(frozen=True)
class Published:
    """A row of the paper's table. `protocol`: the same automaton in the library; `ours`: a model of ours."""

    row: str
    cites: str
    protocol: str | None
    ours: str | None
    cells: Mapping[Column, bool | str]


@lru_cache(maxsize=1)
def published() -> tuple[Published, ...]:
    """The 32 rows of the paper's table, as data."""
    text = files("stormproof.protocols").joinpath("paper_table.json").read_text(encoding="utf-8")
    return tuple(
        Published(
            row=r["row"],
            cites=r["cites"],
            protocol=r["protocol"],
            ours=r["model_of_ours"],
            cells={Column(f, p): v for f, by in r["cells"].items() for p, v in by.items()},
        )
        for r in json.loads(text)["rows"]
    )
