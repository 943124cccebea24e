"""The text that the studio was started with, and the one file that it may write."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...kernel.model.system import System
from ...languages import formats, protocols
from ...languages.formats.replacing import FileChanged

STORM = "storm"

#: What a studio without a file starts with.
EXAMPLE = """\
protocol Shop

role Buyer {
  ask: Shop!order -> wait
  wait: Shop?price -> done
        Shop?soldOut -> ask
  done:
}

role Shop {
  idle: Buyer?order -> decide
  decide: Buyer!price -> done
          Buyer!soldOut -> idle
  done:
}
"""


def version_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass
class Document:
    """`path` is the file that is saved to; None for a built-in protocol, an example, or another language.

    `known` is the version that was last read or written: what differs from it was written by somebody else.
    `trouble` says why the file cannot be read at the moment.
    """

    name: str
    text: str
    path: Path | None = None
    known: str = ""
    trouble: str = ""
    _one_at_a_time: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "text": self.text,
            "version": self.known,
            "file": None if self.path is None else str(self.path),
        }

    def look(self) -> None:
        """Read the file if somebody else has changed it since it was last read or written. A file that is
        gone has no version, and the text that it had."""
        if self.path is None:
            return
        with self._one_at_a_time:
            try:
                now = _on_disk(self.path)
            except InputError as problem:
                self.trouble = problem.message
                return
            self.trouble = ""
            self.known = "" if now is None else version_of(now)
            self.text = self.text if now is None else now

    def save(self, text: str, base: str) -> dict[str, Any]:
        """Write the file if it still is what the page began from; else say what it is now."""
        if self.path is None:
            raise InputError("there is no file to save to; download the text instead")
        with self._one_at_a_time:
            conflict = _write(self.path, text, base)
            if conflict is not None:
                return {"conflict": conflict}
            self.text, self.known, self.trouble = text, version_of(text), ""
            return {"saved": self.known}


def _write(path: Path, text: str, base: str) -> dict[str, str] | None:
    """None, or what is there if it is neither what the page began from nor what it wants to write."""
    while True:
        now = _on_disk(path)
        version = "" if now is None else version_of(now)
        if now is not None and version not in (base, version_of(text)):
            return {"text": now, "version": version}
        try:
            formats.save_over(path, text, now)
        except FileChanged:
            continue  # between the look and the writing; look again
        return None


def _on_disk(path: Path) -> str | None:
    """None where there is no file; an InputError where it cannot be read, so nobody knows what it holds."""
    return formats.read_text(path, only_files=True) if path.exists() else None


#: Reads the system that FILE names, in any language.
Load = Callable[[str, str | None], System]


def open_document(source: str | None, format: str | None = None, load: Load = formats.load) -> Document:
    """The text of FILE as .storm: a built-in protocol, a file in any language, or a .storm file yet to be
    written."""
    if source is None:
        return Document("Shop", EXAMPLE)
    path = Path(source)
    if path.suffix == ".storm" and format in (None, STORM):
        text = _on_disk(path)
        known = "" if text is None else version_of(text)
        return Document(path.name, text or "", path.absolute(), known)
    if source in protocols.names():
        return Document(source, protocols.source(source))
    # Another language is read once and shown as .storm.
    system = load(source, format)
    return Document(system.name or formats.display_name(source), formats.dumps(system, STORM))
