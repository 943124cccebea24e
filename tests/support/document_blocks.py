"""The fenced blocks of a document, run in order as a reader would: one directory, one Python namespace."""

from __future__ import annotations

import ast
import io
import linecache
import os
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.paths import DOCS, ROOT

PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
#: The sentence before a block may ask the reader to save the block under a name.
SAVE = re.compile(r"[Ss]ave\s+this\s+as\s+`([^`]+)`:\s*$")
#: A picture of a page, which one of its commands draws under the same name.
PICTURE = re.compile(r"^!\[[^\]]*\]\(([^)]*pictures/[^)]+\.svg)\)", re.MULTILINE)
#: Times differ from run to run.
TIME = re.compile(r"\d[\d.,]* (ms|s)\b")
#: The width for which outputs are shown.
COLUMNS = "96"


@dataclass(frozen=True)
class Block:
    line: int
    language: str
    text: str
    save_as: str | None


@dataclass(frozen=True)
class Command:
    """A command of a console block, with the output that the document shows."""

    text: str
    shown: str


def blocks(text: str) -> list[Block]:
    found = []
    for match in FENCE.finditer(text):
        asked = SAVE.search(text[: match.start()].rstrip())
        line = text.count("\n", 0, match.start()) + 2
        found.append(Block(line, match[1], match[2], asked[1] if asked else None))
    return found


def pictures(page: Path) -> list[Path]:
    return [page.parent / name for name in PICTURE.findall(page.read_text("utf-8"))]


def console_commands(text: str) -> list[Command]:
    """`$ command` lines, continued after a backslash, each with the lines up to the next."""
    found: list[Command] = []
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, shown = re.sub(r"\\\n\s*", "", part).partition("\n")
        found.append(Command(command, shown))
    return found


def shell_lines(text: str) -> list[str]:
    return [line for line in text.replace("\\\n", " ").splitlines() if line.strip()]


def same_output(shown: str, actual: str) -> bool:
    """Equal but for times, blanks at the ends of lines, and `...` lines, which stand for any lines."""

    def lines(text: str) -> list[str]:
        return [TIME.sub("0 s", line).rstrip() for line in text.strip("\n").splitlines()]

    pattern = "".join(
        r"(?:.*\n)*" if line.strip() == "..." else re.escape(line) + "\n" for line in lines(shown)
    )
    return re.fullmatch(pattern, "".join(line + "\n" for line in lines(actual))) is not None


@dataclass
class Reader:
    """Somebody who does what one document says, in an empty directory."""

    directory: Path
    names: dict[str, object] = field(default_factory=dict)
    exit_code: int = 0

    def save(self, block: Block) -> None:
        assert block.save_as is not None
        (self.directory / block.save_as).write_text(block.text, encoding="utf-8")

    def run(self, command: str) -> str:
        """What a shell prints; the next command may ask for the exit code."""
        environment = {**os.environ, "COLUMNS": COLUMNS, "PYTHONIOENCODING": "utf-8", "LC_ALL": "C.UTF-8"}
        environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
        done = subprocess.run(
            ["bash", "-c", f"(exit {self.exit_code}); {command}"],
            cwd=self.directory,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=120,
        )
        self.exit_code = done.returncode
        return done.stdout.decode("utf-8")

    def execute(self, block: Block, page: str) -> Iterator[str]:
        """Runs a Python block. Yields what a comment after an expression says falsely of its value."""
        comments, file = dict(_comments(block.text)), f"{page}:{block.line}"
        # Roles are read from their source, which is looked for here.
        linecache.cache[file] = (len(block.text), None, block.text.splitlines(keepends=True), file)
        for node in ast.parse(block.text).body:
            code = ast.Module([node], type_ignores=[])
            place = f"{page}:{block.line + node.lineno - 1}"
            if not isinstance(node, ast.Expr):
                exec(compile(code, file, "exec"), self.names)
                continue
            value = eval(compile(ast.Expression(node.value), file, "eval"), self.names)
            said = _literal(comments.get(node.end_lineno or node.lineno, ""))
            if said is not None and value != said[0]:
                yield f"{place}: the comment says {said[0]!r}, but it is {value!r}"


def _comments(text: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("# ")


def _literal(comment: str) -> tuple[object] | None:
    """The value that a comment states, in a tuple since it may be None; or None if it is prose."""
    try:
        return (ast.literal_eval(comment),)
    except (ValueError, SyntaxError):
        return None
