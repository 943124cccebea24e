"""Folders that somebody hostile may hand over: they have modules named like those that stormproof needs."""

from __future__ import annotations

from pathlib import Path

#: Modules of Python, of stormproof and of what it depends on, and those that Python runs as it starts.
NAMES = (
    "json",
    "resource",
    "asyncio",
    "encodings",
    "stormproof",
    "stormproof_command",
    "click",
    "z3",
    "sitecustomize",
    "usercustomize",
)


class HostileFolder:
    """Remembers which of its modules were run."""

    def __init__(self, path: Path) -> None:
        self.path, self._ran = path, path.parent / f"{path.name}.ran"
        path.mkdir()
        for name in NAMES:
            code = f"import sys\nopen({str(self._ran)!r}, 'a').write({name!r} + ' ')\nsys.stdout.flush()\n"
            (path / f"{name}.py").write_text(code, encoding="utf-8")

    @property
    def ran(self) -> str:
        return self._ran.read_text("utf-8") if self._ran.exists() else ""
