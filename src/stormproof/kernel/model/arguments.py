"""What the public functions are given: an argument of another type is refused in words."""

from __future__ import annotations

from .failures import Failures
from .system import System


def check_arguments(system: object, failures: object = None) -> None:
    """Is this a system, and are these failures, if any are given?"""
    if not isinstance(system, System):
        raise TypeError(f"expected a sp.System, not {_shown(system)}: read one with sp.load or sp.protocol")
    if failures is not None and not isinstance(failures, Failures):
        raise TypeError(f"expected sp.Failures, not {_shown(failures)}: write sp.Failures(loss=True)")


def _shown(given: object) -> str:
    text = repr(given)
    return text if len(text) <= 40 else f"{type(given).__name__} {text[:40]}..."
