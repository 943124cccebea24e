"""Which faults does a text survive? Each tried by itself and together, for the switches of a page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...kernel.model.phrases import listed
from ...options import Options
from ...surveys.choices import Atom
from ...surveys.frontier import Frontier, frontier
from ...surveys.timer_modes import said_of_modes
from .asking import Tell
from .reading import system_of
from .settings import settings_on

#: A page lists at most so many tolerated sets.
_MOST_SETS = 6


def try_everything(text: str, settings: Any, options: Options, tell: Tell) -> dict[str, Any]:
    """The effect of each fault, and the largest sets that are survived. What the file declares is there in
    any case. A KeyboardInterrupt ends the search; what was not asked by then is undecided."""
    system, _ = system_of(text)
    failures = settings_on(system, settings)
    found = frontier(
        replace(system, timers=failures.timers or system.timers),
        file_faults=failures.file_faults,
        corrupt_scope=failures.corrupt_scope,
        budget=failures.budget,
        progress=lambda done, of: tell({"progress": {"done": done, "of": of}}),
        limits=options.limits,
        effort=options.effort,
    )
    return {
        "cells": [_cell(found, atom) for atom in found.atoms],
        "tolerates": [_said(found, t.atoms, found.extent(t)) for t in found.tolerated[:_MOST_SETS]],
        "more": max(0, len(found.tolerated) - _MOST_SETS),
        "complete": found.complete,
        "without": "" if found.without_faults is None else found.reason(found.without_faults),
        "notes": [*found.notes, *([f"timers: {modes}"] if (modes := said_of_modes(found.timers)) else [])],
    }


def _cell(found: Frontier, atom: Atom) -> dict[str, Any]:
    sign, status = found.sign(atom), found.status(atom)
    return {
        "kind": atom.fault,
        "of": atom.process if atom.channel is None else list(atom.channel),
        "sign": sign,
        "status": status.value,
        "say": _words(found, atom),
    }


def _words(found: Frontier, atom: Atom) -> str:
    """`breaks it, with 1 fault: deadlock`, for what stands over the switch."""
    part, verdict = found.part(atom), found.by_itself(atom)
    if part == "open":
        return "undecided"
    if part == "together":
        return "breaks it together with others"
    if part == "alone" and verdict is not None:
        most = "" if verdict.fewest else "at most "
        count = f"{most}{verdict.faults} fault{'' if verdict.faults == 1 else 's'}"
        return f"breaks it, with {count}: {verdict.reason}"
    return "survived"


def _said(found: Frontier, atoms: tuple[Atom, ...], extent: str) -> str:
    words = listed(str(atom) for atom in atoms) if atoms else "nothing"
    every = len(atoms) == len(found.atoms)
    return f"{'every fault that was tried' if every else words}{f' ({extent})' if extent else ''}"
