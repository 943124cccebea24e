"""What generated tests import: `from stormproof.testing import ...` (live/testing)."""

from typing import TYPE_CHECKING, Any

from .live import testing as _testing

if TYPE_CHECKING:
    from .live.testing import *  # noqa: F403

__all__ = _testing.__all__


def __getattr__(name: str) -> Any:
    return getattr(_testing, name)
