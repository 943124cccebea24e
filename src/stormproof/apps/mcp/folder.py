"""The folder whose files an agent may name: nothing outside it is read, and no Python runs unless allowed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InputError, UsageError
from ...languages import formats, protocols
from ...programs.extraction.load import split_python


@dataclass(frozen=True)
class Folder:
    """`root`: None where no file may be named."""

    root: Path | None = None
    python: bool = False

    def source(self, text: str | None, file: str | None, builtin: str | None) -> dict[str, Any]:
        """What a question says of its protocol; exactly one of the three is given."""
        if [text, file, builtin].count(None) != 2:
            raise UsageError(
                "give one of `text`, `file` and `builtin`: a protocol, its file, or a built-in name"
            )
        if text is not None:
            return {"text": text}
        if builtin is not None:
            protocols.protocol(builtin)  # refuses unknown names, with suggestions
            return {"text": "", "library": True, "name": builtin}
        assert file is not None
        python = split_python(file)
        if python is None:
            return {"text": self.read(file), "name": Path(file).name}
        if not self.python:
            hint = "start the server with --allow-python if its files are your own"
            raise UsageError(f"'{file}' would run Python, which this server does not do", hint=hint)
        return {"text": "", "python": True, "name": f"{self.path(python[0])}:{python[1]}".rstrip(":")}

    def read(self, file: str) -> str:
        return formats.read_text(str(self.path(file)))

    def path(self, file: str) -> Path:
        """Where the file is, links followed; an error unless it is a file below the root."""
        if self.root is None:
            hint = "start it with --folder, or give the protocol as `text`"
            raise UsageError("this server reads no files", hint=hint)
        try:
            root = self.root.resolve(strict=True)
            found = (root / file).resolve(strict=True)
        except (OSError, ValueError, RuntimeError):
            raise InputError(f"there is no file '{file}' in the folder of this server") from None
        if not found.is_relative_to(root):
            raise UsageError(f"'{file}' is outside the folder of this server")
        if not found.is_file():
            raise InputError(f"'{file}' is not a regular file")
        return found
