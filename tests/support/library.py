"""Protocols of the library as the paper and its tools have them."""

from __future__ import annotations

from dataclasses import replace

from stormproof.kernel.model.system import System
from stormproof.languages import protocols


def automata(name: str) -> System:
    """The automata alone: without `rest` lines, services and requirements."""
    system = protocols.protocol(name)
    bare = tuple(replace(p, rest=None, service=False) for p in system)
    return replace(system, processes=bare, requirements=())
