"""Scribble and nuScr protocols (`.scr`, `.nuscr`), read: projected to every role and translated.

A file may hold several protocols; `file.nuscr#Name` chooses one, otherwise it is the first that is not `aux`.
Nothing is written, since a system has lost its global view.
"""

from __future__ import annotations

from ...kernel.model.system import System
from ..types.scribble import starts_protocol
from ..types.session import Session, session_of_scribble
from ..types.wellformed import report_warnings


def sniff(text: str) -> bool:
    return starts_protocol(text)


def read_session(text: str, name: str = "<input>", protocol: str | None = None) -> Session:
    """The protocol projected to its roles; `name` may end in `#Protocol`."""
    file, sign, part = name.partition("#")
    session = session_of_scribble(text, file, protocol or (part if sign else None))
    session.check()
    report_warnings(session.warnings)
    return session


def read(text: str, name: str) -> System:
    return read_session(text, name).system()
