"""The text that a system with data was made of, with the constants that were given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...kernel.data.system import DataSystem
from ...kernel.model.part import whole
from .storm import build
from .storm_fmt import fmt
from .storm_parse import parse
from .storm_scan import quote
from .text import Source


def source_of(system: DataSystem) -> str | None:
    """The text in its canonical layout; None where the system is no longer what it describes."""
    if system.source is None:
        return None
    text = with_constants(system.source.text, system.source.given)
    source = Source(text)
    again = whole(build(source, parse(source)))
    named = f"protocol {quote(system.name)}\n" if system.name and not again.name else ""
    if replace(again, name=again.name or system.name) != system:
        return None
    return fmt(named + text)


def with_constants(text: str, given: Mapping[str, str]) -> str:
    """The text with other values of some constants."""
    parts, at = [], 0
    for constant in parse(Source(text)).constants if given else ():
        if constant.name.name in given:
            parts += [text[at : constant.value.start], given[constant.name.name]]
            at = constant.value.end
    return "".join([*parts, text[at:]])
