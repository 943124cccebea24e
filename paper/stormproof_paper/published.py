"""The paper's table as data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from stormproof.surveys.paper_table.comparison import PaperRow
from stormproof.surveys.paper_table.matrix import Column


@dataclass(frozen=True)
class Published(PaperRow):
    """A row of the paper's table. `ours`: a model of ours; `file` is empty where none was found.

    `lost_machine`: the failure models whose encoded file lost its first machine; `timed_out`: those of which
    the recorded run at k = 2 timed out; `unencoded`: those whose encoded file is the one without errors
    (definitions 8.4); `exchanged`: by failure model, the protocol with whose row this one looks exchanged;
    `remarks`: what else is known, by failure model.
    """

    ours: str | None
    lost_machine: tuple[str, ...]
    timed_out: tuple[str, ...]
    unencoded: tuple[str, ...]
    exchanged: Mapping[str, str]
    remarks: Mapping[str, str]


@lru_cache(maxsize=1)
def published() -> tuple[Published, ...]:
    """The 32 rows of the paper's table, as data."""
    text = files(__package__).joinpath("paper_table.json").read_text(encoding="utf-8")
    return tuple(
        Published(
            row=r["row"],
            cites=r["cites"],
            protocol=r["protocol"],
            ours=r["model_of_ours"],
            file=r.get("rescu_file", ""),
            part=r.get("public_file", ""),
            lost_machine=tuple(r.get("lost_machine", ())),
            timed_out=tuple(r.get("timed_out", ())),
            unencoded=tuple(r.get("unencoded", ())),
            exchanged=r.get("exchanged", {}),
            remarks=r.get("remarks", {}),
            cells={Column(f, p): v for f, by in r["cells"].items() for p, v in by.items()},
        )
        for r in json.loads(text)["rows"]
    )
