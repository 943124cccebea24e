"""Languages of other packages that are installed: the entry points `stormproof.languages` (docs/formats.md).

Their code is trusted as the package that it comes with. What it raises beside our own errors is reported as
an error of that language, without a traceback.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from ...errors import InputError, StormproofError, UsageError
from ...kernel.model.system import System
from .registry import FORMATS, Format, register

GROUP = "stormproof.languages"


@cache
def add_installed() -> None:
    """Register the languages of other packages, once. None takes the place of another of the same name."""
    for point in sorted(entry_points(group=GROUP), key=lambda p: p.name):
        if point.name not in FORMATS:
            register(_loaded(point))


def _loaded(point: EntryPoint) -> Format:
    whose = f"the language '{point.name}' of {point.dist.name if point.dist else point.value}"
    try:
        found = point.load()
    except (Exception, SystemExit) as problem:
        raise _unusable(whose, f"{type(problem).__name__}: {problem}") from None
    if not isinstance(found, Format) or found.name != point.name:
        raise _unusable(whose, f"{point.value} is not a Format of that name")
    return replace(
        found,
        sniff=_guarded(whose, found.sniff, bool),
        read=found.read and _guarded(whose, found.read, System),
        write=found.write and _guarded(whose, found.write, str),
    )


def _unusable(whose: str, why: str) -> UsageError:
    return UsageError(f"{whose} cannot be used: {why}", hint="mend or uninstall that package")


def _guarded(whose: str, function: Callable[..., Any], result: type) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        try:
            found = function(*arguments, **options)
        except StormproofError:
            raise
        except (Exception, SystemExit) as problem:
            raise InputError(f"{whose} failed: {type(problem).__name__}: {problem}") from None
        if not isinstance(found, result):
            raise InputError(f"{whose} failed: it gave {type(found).__name__}, not {result.__name__}")
        return found

    return call
