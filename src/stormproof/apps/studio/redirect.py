"""How the browser learns the address: from a file that nobody else can read.

Every user of the machine sees the command lines of all processes; a token among the arguments of the browser
would be everybody's.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from ...tell.draw.page.render_template import render_template


class RedirectFile:
    """A page in a folder of our own that leads on to an address; `remove` it when it has."""

    def __init__(self, address: str) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="stormproof-studio-"))
        self.path = self._folder / "open.html"
        handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(render_template("redirect", address=address))

    def remove(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
