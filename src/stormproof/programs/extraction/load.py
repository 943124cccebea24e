"""A protocol in a Python file: `module.py:protocol`. Loading it runs the file."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from types import FunctionType, ModuleType

from ...errors import InputError, Place, StormproofError, did_you_mean
from ...kernel.model.system import System

_SOURCE = re.compile(r"(?P<file>.+\.py)(?::(?P<name>\w*))?")
#: Where the modules of Python are.
_LIBRARY = (Path(os.__file__).parent, Path(os.__file__).parent / "lib-dynload")
#: The names of the files that were given: another file of that name takes its place.
_names: set[str] = set()
_NO_SYSTEM = "write in it: protocol = sp.extract(...)"


def split_python(source: str) -> tuple[str, str] | None:
    """The file and the name in it, if a source is `module.py:protocol`; a name that is missing is empty."""
    found = _SOURCE.fullmatch(source)
    if found is None or (found["name"] is not None and os.path.isfile(source)):  # noqa: PTH113
        return None  # a file that is called so, as a pattern may have found it, is read and not run
    return found["file"], found["name"] or ""


def load_protocol(file: str, name: str) -> System:
    """The system that a Python file calls so: a system, or a function without parameters that makes one.

    This runs the file. What it prints goes where messages go, away from the output of a command.
    """
    with contextlib.redirect_stdout(sys.stderr):
        return _loaded(file, name)


def _loaded(file: str, name: str) -> System:
    if not name:
        raise _nameless(file)
    module = import_file(file)
    if not hasattr(module, name):
        known = _protocols(module)
        hint = did_you_mean(name, known) or (f"write {file}:{known[0]}" if known else _NO_SYSTEM)
        raise InputError(f"it has no '{name}'", place=Place(file), hint=hint)
    found = getattr(module, name)
    if not isinstance(found, System):
        found = _called(file, name, found)
    return found if found.name else replace(found, name=name)


def _nameless(file: str) -> InputError:
    """What may be meant is read and not run: a file runs only if something in it is named."""
    if not Path(file).is_file():
        return InputError("there is no such file", place=Place(file))
    found = _written(file)
    best = "protocol" if "protocol" in found else found[-1] if found else ""
    hint = f"write {file}:{best}" if best else _NO_SYSTEM
    return InputError("the name of the protocol is missing", place=Place(file), hint=hint)


def _written(file: str) -> list[str]:
    """The functions without parameters and the variables with the result of a call that a file defines."""
    found: list[str] = []
    with contextlib.suppress(OSError, SyntaxError, ValueError):
        for node in ast.parse(Path(file).read_bytes()).body:
            if isinstance(node, ast.FunctionDef) and not node.decorator_list and not node.args.args:
                found.append(node.name)
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                found += [target.id for target in node.targets if isinstance(target, ast.Name)]
    return found


def _called(file: str, name: str, function: object) -> System:
    if not callable(function):
        raise InputError(f"'{name}' is not a system", place=Place(file), hint=_NO_SYSTEM)
    try:
        found = function()
    except (StormproofError, KeyboardInterrupt):
        raise
    except BaseException as problem:
        raise _failed(file, f"{name}() raises", problem) from problem
    if not isinstance(found, System):
        raise InputError(f"{name}() gives no system", place=Place(file), hint="return sp.extract(...)")
    return found


def _protocols(module: ModuleType) -> list[str]:
    """The systems of a module, and then the functions of its own that need no arguments."""
    systems = [name for name, value in vars(module).items() if isinstance(value, System)]
    return systems + [name for name, value in vars(module).items() if _makes_a_system(module, value)]


def _makes_a_system(module: ModuleType, value: object) -> bool:
    return (
        isinstance(value, FunctionType)
        and value.__module__ == module.__name__
        and value.__code__.co_argcount == len(value.__defaults__ or ())
    )


def import_file(file: str) -> ModuleType:
    """Run a Python file as a module, as `import` in its folder would."""
    path = Path(file)
    if not path.is_file():
        raise InputError("there is no such file", place=Place(file))
    from .source import name_like  # which loads all of extraction: not for a file of another language

    name_like(file)
    _look_into(str(path.resolve().parent))
    name = (
        path.stem
        if path.stem in _names or leads_to(path.stem, path)
        else f"{path.stem.replace('.', '_')}__py"
    )
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    _names.add(name)
    try:
        spec.loader.exec_module(module)
    except (StormproofError, KeyboardInterrupt):
        raise
    except BaseException as problem:
        raise _failed(file, "running the file raises", problem) from problem
    return module


def _look_into(folder: str) -> None:
    """Find the modules of a folder, after those of Python: a file in it may be called `token.py`."""
    if folder not in sys.path:
        own = [i for i, path in enumerate(sys.path) if Path(path) in _LIBRARY]
        sys.path.insert(own[-1] + 1 if own else 0, folder)


def leads_to(name: str, file: Path) -> bool:
    """Would `import name` run this file, and nothing that is called the same?"""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return False
    return spec is not None and spec.has_location and spec.origin is not None and file.samefile(spec.origin)


def _failed(file: str, what: str, problem: BaseException) -> InputError:
    """An exception of the user's code, with the last of its lines in the file."""
    import traceback

    here = os.path.realpath(file)
    lines = [
        f.lineno for f in traceback.extract_tb(problem.__traceback__) if os.path.realpath(f.filename) == here
    ]
    if isinstance(problem, SyntaxError) and problem.lineno is not None:
        lines = [problem.lineno]
    return InputError(
        f"{what} {type(problem).__name__}: {problem}", place=Place(file, lines[-1] if lines else None)
    )
