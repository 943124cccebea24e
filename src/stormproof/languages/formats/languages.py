"""The languages of stormproof. To add one: a module with `sniff`, `read` and `write`, an entry here, and its
name in the entry points of pyproject.toml, as other packages do (docs/formats.md, *Your own language*).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

from .registry import FORMATS, Format

_STORM = re.compile(
    r"(?:\s|//[^\n]*\n)*(?:protocol|communication|timers|faults|rest|durable|require|expect|role|reliable"
    r"|unreliable|service)\s"
)


def _looks_like_storm(text: str) -> bool:
    return _STORM.match(text) is not None


def _of(module: str, function: str) -> Callable[..., Any]:
    """A function of a module of this package, which is imported when it is first called."""

    def call(*arguments: Any, **options: Any) -> Any:
        return getattr(import_module(f".{module}", __package__), function)(*arguments, **options)

    return call


STORM = Format(
    "storm",
    (".storm",),
    _looks_like_storm,
    _of("storm", "read"),
    _of("storm_write", "write"),
    "the language of stormproof (docs/language.md)",
    complete=True,
    mailboxes=True,
)
JSON = Format(
    "json",
    (".json",),
    _of("json_", "sniff"),
    _of("json_", "read"),
    _of("json_", "write"),
    "the exchange format, which loses nothing",
    complete=True,
    mailboxes=True,
)
KMC = Format(
    "kmc",
    (".kmc", ".txt"),
    _of("kmc", "sniff"),
    _of("kmc", "read"),
    _of("kmc_write", "write"),
    "session types of the kmc tool",
)
FSA = Format(
    "fsa",
    (".fsa", ".txt"),
    _of("fsa", "sniff"),
    _of("fsa", "read"),
    _of("fsa", "write"),
    "machines of the kmc and GMC tools",
)
SCM = Format(
    "scm",
    (".scm",),
    _of("scm", "sniff"),
    _of("scm", "read"),
    _of("scm_write", "write"),
    "systems of McScM and ReSCu",
    mailboxes=True,
)
DOT = Format(
    "dot",
    (".dot", ".gv"),
    _of("dot", "sniff"),
    _of("dot", "read"),
    _of("dot_write", "write"),
    "automata in DOT, one graph per role",
)
PROMELA = Format(
    "promela",
    (".pml",),
    lambda text: False,
    None,
    _of("promela", "write"),
    "for SPIN, channels of capacity k",
    mailboxes=True,
    process_faults=True,
)
SCRIBBLE = Format(
    "scribble",
    (".nuscr", ".scr"),
    _of("scribble", "sniff"),
    _of("scribble", "read"),
    None,
    "global protocols of Scribble and nuScr; FILE#Name chooses one of several",
)
CTX = Format(
    "ctx",
    (".ctx",),
    _of("ctx", "sniff"),
    _of("ctx", "read"),
    _of("ctx", "write"),
    "crash-stop typing contexts of mpstk",
)

for _language in (STORM, JSON, KMC, FSA, SCM, DOT, PROMELA, SCRIBBLE, CTX):
    FORMATS[_language.name] = _language

__all__ = ["FORMATS"]
