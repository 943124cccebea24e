"""What an agent reads before it writes a protocol: the grammar on one page, and worked examples."""

from __future__ import annotations

from pathlib import Path

from ...errors import UnknownName

FOLDER = Path(__file__).parent / "skill"


def grammar() -> str:
    return (FOLDER / "grammar.md").read_text("utf-8")


def examples() -> tuple[str, ...]:
    """Each has a file that does what it says, and one with a mistake that people make."""
    return tuple(sorted(p.stem for p in (FOLDER / "examples").glob("*.storm") if "." not in p.stem))


def example(name: str) -> dict[str, str]:
    if name not in examples():
        raise UnknownName("example", name, examples())
    right, wrong = (FOLDER / "examples" / f"{name}{part}.storm" for part in ("", ".wrong"))
    return {"right": right.read_text("utf-8"), "wrong": wrong.read_text("utf-8")}
