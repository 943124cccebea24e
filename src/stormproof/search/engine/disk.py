"""Explorations on disk: what the engine is told of the folder in which they go on when memory ends."""

from __future__ import annotations

from ... import _engine
from ...limits import Limits


def disk_options(limits: Limits) -> _engine.DiskOptions:
    """The folder of the limits, if there is one. Files of another version are not read."""
    if limits.disk is None:
        return _engine.DiskOptions("", "")
    from importlib.metadata import version

    return _engine.DiskOptions(limits.disk, version("stormproof"))
