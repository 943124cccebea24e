"""The source of a role function: its syntax tree, its file, and places in it for errors."""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from types import FunctionType
from typing import Any

from ...errors import ModelError, Place
from .role import Role

#: How files in a folder begin when they are named as the last one that was given there.
_given: dict[Path, str] = {}


def name_like(file: str) -> None:
    """Files in the folder of this one are from now on named as it is."""
    _given[Path(file).resolve().parent] = file.removesuffix(Path(file).name)


def shown_file(file: str) -> str:
    """A file as messages name it: as the one that was given beside it, or from here if it is below."""
    path = Path(file).resolve()
    prefix = _given.get(path.parent)
    if prefix is not None and Path(prefix).resolve() == path.parent:
        return prefix + path.name
    below = path.is_file() and path.is_relative_to(Path.cwd())
    return str(path.relative_to(Path.cwd())) if below else file


@dataclass(frozen=True)
class RoleSource:
    """Where a role function is written."""

    file: str
    lines: tuple[str, ...]
    tree: ast.FunctionDef
    function: FunctionType

    @cached_property
    def shown(self) -> str:
        return shown_file(self.file)

    def place(self, line: int, column: int | None = None, width: int = 1) -> Place:
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else None
        if column is None and text is not None:
            stripped = text.strip()
            column, width = text.find(stripped) + 1, len(stripped)
        return Place(self.shown, line, column, text, width)

    def place_of(self, node: ast.AST) -> Place:
        line, column = getattr(node, "lineno", self.tree.lineno), getattr(node, "col_offset", 0)
        end = getattr(node, "end_col_offset", column + 1)
        same = getattr(node, "end_lineno", line) == line
        return self.place(line, column + 1, max(end - column, 1) if same else 1)

    @property
    def parameters(self) -> tuple[str, ...]:
        return tuple(inspect.signature(self.function).parameters)

    @property
    def free(self) -> dict[str, Any]:
        """The variables of enclosing functions that it reads, with their values now."""
        cells = self.function.__closure__ or ()
        names = self.function.__code__.co_freevars
        return {name: cell.cell_contents for name, cell in zip(names, cells, strict=True)}


def read_source(role: Role[Any]) -> RoleSource:
    """The source of a role; ModelError where there is none to interpret."""
    function = inspect.unwrap(role.function)
    if not isinstance(function, FunctionType):
        raise ModelError(f"{role.name} is not a Python function")
    file = function.__code__.co_filename
    linecache.checkcache(file)
    lines = tuple(linecache.getlines(file, function.__globals__))
    tree = _find("".join(lines), function)
    if tree is None:
        problem = f"the source of {role.name} is not available"
        raise ModelError(
            problem, place=Place(shown_file(file)), hint="save it in a file, unchanged since it was imported"
        )
    source = RoleSource(file, lines, tree, function)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        if not _filled(cell):
            problem = f"{role.name} reads '{name}' of an enclosing function, which has no value yet"
            raise ModelError(problem, place=source.place(tree.lineno))
    return source


def _filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - an empty cell raises
    except ValueError:
        return False
    return True


@lru_cache(maxsize=64)
def _functions(text: str) -> dict[tuple[str, int], ast.FunctionDef]:
    """Function definitions by name and first line, which is that of the first decorator."""
    found = {}
    for node in _walk_functions(ast.parse(text)):
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        found[node.name, first] = node
    return found


def _walk_functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def _find(text: str, function: FunctionType) -> ast.FunctionDef | None:
    try:
        return _functions(text).get((function.__name__, function.__code__.co_firstlineno))
    except (SyntaxError, ValueError):
        return None
