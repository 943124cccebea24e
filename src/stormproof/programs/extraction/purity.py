"""Globals and closures before and after: what a role reads must not be changed by what it calls.

Libraries are not looked into: they may keep caches, which nobody observes.
"""

from __future__ import annotations

import enum
import logging
import os
import pickle
import warnings
from collections.abc import Iterable
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from ...errors import ModelError, Place
from .role import Role, RoleCall
from .source import shown_file

#: How deep values are compared.
_DEEPEST = 6
#: Where libraries are: Python's, this one, and folders of installed ones.
_LIBRARIES = (str(Path(os.__file__).parent) + os.sep, str(Path(__file__).parents[2]) + os.sep, "<frozen ")
_INSTALLED = ("site-packages", "dist-packages")

#: What is only what it is: loggers remember what they are to write.
_KEPT_APART = (ModuleType, enum.Enum, Role, RoleCall, logging.Logger, logging.LoggerAdapter)

Snapshot = tuple[Any, ...]


class Globals:
    """What the functions behind some roles can read beside their parameters, as it is now."""

    def __init__(self, roles: Iterable[Role[Any]]) -> None:
        self._roles = list(roles)
        self._before = self._picture()

    def _picture(self) -> dict[str, Snapshot]:
        seen: dict[int, None] = {}
        found: dict[str, Snapshot] = {}
        for role in self._roles:
            _function(role.function, found, seen)
        return found

    def check(self) -> None:
        """ModelError if something has changed."""
        after = self._picture()
        for name, before in self._before.items():
            if after.get(name) != before:
                code = getattr(self._roles[0].function, "__code__", None)
                place = Place(shown_file(code.co_filename)) if isinstance(code, CodeType) else None
                raise ModelError(
                    f"'{name}' was changed while the roles were extracted",
                    place=place,
                    hint="functions that a role calls must have no side effects",
                )


def _function(function: Any, found: dict[str, Snapshot], seen: dict[int, None]) -> None:
    """What a function reads, under its names, and what the functions that it names read."""
    if not isinstance(function, FunctionType) or id(function) in seen:
        return
    seen[id(function)] = None
    if _in_a_library(function.__code__.co_filename):
        return
    names = _names(function.__code__)
    values = {name: function.__globals__[name] for name in names if name in function.__globals__}
    for module in [value for value in values.values() if isinstance(value, ModuleType)]:
        if not _in_a_library(getattr(module, "__file__", None)):
            inside = vars(module)
            values |= {f"{module.__name__}.{name}": inside[name] for name in names if name in inside}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            values[name] = cell.cell_contents
        except ValueError:
            continue
    values[f"{function.__qualname__}'s defaults"] = (function.__defaults__, function.__kwdefaults__)
    for name, value in values.items():
        found[f"{function.__module__}.{name}"] = picture(value)
        _function(value.function if isinstance(value, Role) else value, found, seen)


def _in_a_library(file: str | None) -> bool:
    """A module without a file is a part of Python."""
    if file is None or file.startswith(_LIBRARIES):
        return True
    return any(part in _INSTALLED for part in Path(file).parts)


def _names(code: CodeType) -> set[str]:
    inner = (c for c in code.co_consts if isinstance(c, CodeType))
    return {*code.co_names, *(name for c in inner for name in _names(c))}


def picture(value: Any, depth: int = _DEEPEST) -> Snapshot:
    """What can be compared later: content for data, identity for everything else."""
    kind = type(value)
    if depth == 0 or isinstance(value, _KEPT_APART):
        return (kind, id(value))
    if kind in (type(None), bool, int, float, str, bytes):
        return (kind, repr(value))
    if isinstance(value, list | tuple):
        return (kind, *(picture(v, depth - 1) for v in value))
    if isinstance(value, dict):
        return (kind, *((picture(k, depth - 1), picture(v, depth - 1)) for k, v in value.items()))
    if isinstance(value, set | frozenset):
        return (kind, frozenset(picture(v, depth - 1) for v in value))
    if isinstance(value, enum.EnumMeta):
        return (kind, id(value))  # combinations of flags are added when they are first used
    if isinstance(value, type):
        inside = {k: v for k, v in vars(value).items() if not k.startswith("__") and not callable(v)}
        return (kind, id(value), *((k, picture(v, depth - 1)) for k, v in inside.items()))
    if hasattr(value, "__dict__"):
        return (kind, id(value), *((k, picture(v, depth - 1)) for k, v in sorted(vars(value).items())))
    return (kind, id(value), _pickled(value))


def _pickled(value: Any) -> bytes | None:
    """The content of a deque, an array or an object with slots; None for what has none to compare."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # newer versions of Python no longer want to pickle iterators
            return pickle.dumps(value)
    except Exception:  # whatever a type raises that cannot be pickled
        return None
