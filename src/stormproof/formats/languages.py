"""The table of languages. To add one: a module with `sniff`, `read` and `write`, and an entry here."""

from __future__ import annotations

import re

from . import (
    ctx,
    dot,
    dot_write,
    fsa,
    json_,
    kmc,
    kmc_write,
    promela,
    scm,
    scm_write,
    scribble,
    storm,
    storm_write,
)
from .registry import FORMATS, Format, register

_STORM = re.compile(
    r"(?:\s|//[^\n]*\n)*(?:protocol|faults|rest|durable|require|expect|role|reliable|unreliable|service)\s"
)


def _looks_like_storm(text: str) -> bool:
    return _STORM.match(text) is not None


register(
    Format(
        "storm",
        (".storm",),
        _looks_like_storm,
        storm.read,
        storm_write.write,
        "the language of stormproof (docs/language.md)",
        complete=True,
    )
)
register(
    Format(
        "json",
        (".json",),
        json_.sniff,
        json_.read,
        json_.write,
        "the exchange format, which loses nothing",
        complete=True,
    )
)
register(
    Format("kmc", (".kmc", ".txt"), kmc.sniff, kmc.read, kmc_write.write, "session types of the kmc tool")
)
register(Format("fsa", (".fsa", ".txt"), fsa.sniff, fsa.read, fsa.write, "machines of the kmc and GMC tools"))
register(Format("scm", (".scm",), scm.sniff, scm.read, scm_write.write, "systems of McScM and ReSCu"))
register(
    Format(
        "dot", (".dot", ".gv"), dot.sniff, dot.read, dot_write.write, "automata in DOT, one graph per role"
    )
)
register(
    Format("promela", (".pml",), lambda text: False, None, promela.write, "for SPIN, channels of capacity k")
)
register(
    Format(
        "scribble",
        (".nuscr", ".scr"),
        scribble.sniff,
        scribble.read,
        None,
        "global protocols of Scribble and nuScr; FILE#Name chooses one of several",
    )
)
register(Format("ctx", (".ctx",), ctx.sniff, ctx.read, ctx.write, "crash-stop typing contexts of mpstk"))

__all__ = ["FORMATS"]
