"""The regular expressions of the package, and texts on which one that backtracks too much is slow."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import stormproof

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import sre_compile
    import sre_constants
    import sre_parse

LENGTH = 100_000

#: Signs of comments, quotes, brackets and all that languages are made of.
SIGNS = (
    *" \t\n\r\0/*#-!\"'`\\()[]{}<>1aA_é.,:;?@=|&+~$%^→⚡",
    *("//", "/*", "*/", "/* ", "//\n", "-- ", "--\n", "#\n", "(*", "*)", "(*)", "a ", " a", "a\n", '\\"'),
    *('""', '"a', "a:", "a-", "1.", "a,", "()", "<>", "{}", "[]", "{ ", "a!", "->", "a ->", "\r\n"),
)
#: What stands behind a run: nothing, or a character with which hardly any pattern goes on.
ENDS = ("", "\x01")

#: In what ways a pattern is applied that no call of the package names.
_ALL = ("match", "fullmatch", "search")
_ONE_CHARACTER = ("LITERAL", "NOT_LITERAL", "IN", "ANY", "CATEGORY")
_AS_SEARCH = {"finditer": "search", "sub": "search", "split": "search", "findall": "search", "subn": "search"}


class TooSlow(Exception):
    """More processor time than a hundred times what a linear pattern takes."""


@contextmanager
def processor_time(seconds: float) -> Iterator[None]:
    """TooSlow when the body takes more processor time than that, however busy the machine is."""

    def late(number: int, frame: FrameType | None) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@dataclass(frozen=True)
class Applied:
    """A pattern of a module, and the methods by which it meets texts."""

    where: str
    pattern: re.Pattern[str] | re.Pattern[bytes]
    ways: tuple[str, ...]


def modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(stormproof.__path__, "stormproof."):
        if not found.name.endswith(("__main__", "_engine")):
            yield importlib.import_module(found.name)


def patterns() -> list[Applied]:
    """Those that modules and classes keep, and those that are written where they are applied."""
    kept: dict[Any, Applied] = {}
    inline: list[Applied] = []
    for module in modules():
        tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"))
        for name, pattern in _kept(module):
            ways = _ways(tree, name) | set(kept[pattern].ways if pattern in kept else ())
            kept[pattern] = Applied(f"{module.__name__}.{name}", pattern, tuple(sorted(ways)))
        inline += _inline(module, tree)
    every = [p if p.ways else replace(p, ways=_ALL) for p in (*kept.values(), *inline)]
    return [replace(p, ways=_different(p.ways)) for p in every]


def _different(ways: tuple[str, ...]) -> tuple[str, ...]:
    """Whoever searches matches at the beginning first."""
    return tuple(way for way in ways if way != "match" or "search" not in ways)


def _ways(tree: ast.AST, name: str) -> set[str]:
    """The methods that a module calls on what it knows by that name."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    found = {_AS_SEARCH.get(c.attr, c.attr) for c in calls if ast.unparse(c.value).split(".")[-1] == name}
    return found & set(_ALL)


def _kept(module: ModuleType) -> Iterator[tuple[str, Any]]:
    classes = [v for v in vars(module).values() if isinstance(v, type) and v.__module__ == module.__name__]
    for holder in (module, *classes):
        for name, value in vars(holder).items():
            every = value.values() if isinstance(value, dict) else value
            for one in every if isinstance(value, (dict, list, tuple)) else (value,):
                if isinstance(one, re.Pattern):
                    yield name, one


def _inline(module: ModuleType, tree: ast.AST) -> Iterator[Applied]:
    """`re.sub(r"...", ...)` in a function; what cannot be evaluated depends on the function's arguments."""
    functions = [
        f for f in ast.walk(tree) if isinstance(f, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
    ]
    nodes = {id(node): node for function in functions for node in ast.walk(function)}
    for node in nodes.values():
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        if not (isinstance(node.func.value, ast.Name) and node.func.value.id == "re"):
            continue
        way = _AS_SEARCH.get(node.func.attr, node.func.attr)
        if way not in (*_ALL, "compile"):
            continue
        where = f"{module.__name__}:{node.lineno}"
        try:
            text = eval(compile(ast.Expression(node.args[0]), where, "eval"), dict(vars(module)))
        except NameError:
            yield from _of_arguments(module, ast.unparse(node.args[0]), where)
        else:
            flags = eval(ast.unparse(node.args[1]), vars(module)) if way == "compile" and node.args[1:] else 0
            yield Applied(where, re.compile(text, flags), ("match", "search") if way == "compile" else (way,))


#: Patterns that a function is given: the names in its module of all those that it is given.
ARGUMENTS = {
    ("stormproof.languages.formats.storm_hints", "pattern"): (
        "_INTERACTION",
        "_ACTION",
        "_NOTHING",
        "_EMPTY",
        "_ARROW",
    ),
}
#: Patterns that are made of what a function is given, escaped or not.
MADE = {
    ("stormproof.live.conformance.linear_expression", "part"): (r"(?:[^\da])*", "match"),
    ("stormproof.languages.types.text", "'[' + re.escape(opening + closing) + ']'"): ("[()]", "search"),
    ("stormproof.languages.formats.dot", "f'(?<![^\\\\W_]){re.escape(graphs[0].name)}(?![^\\\\W_])'"): (
        "(?<![^\\W_])a(?![^\\W_])",
        "search",
    ),
    ("stormproof.languages.formats.dot_write", "odd"): (r'[!?"\x00-\x1f]|^$|^⚡$', "search"),
    ("stormproof.live.testing.scenarios", "re.escape(base) + '(_\\\\d+)?'"): (r"base(_\d+)?", "fullmatch"),
}


def _of_arguments(module: ModuleType, text: str, where: str) -> Iterator[Applied]:
    if module.__name__ == "stormproof.live.conformance.read_shiviz":
        for usual in module.USUAL:
            yield Applied(f"{module.__name__}.USUAL", module._compiled(usual), ("match", "search"))
        return
    if (module.__name__, text) in MADE:
        pattern, way = MADE[module.__name__, text]
        yield Applied(where, re.compile(pattern), (way,))
        return
    assert (module.__name__, text) in ARGUMENTS, f"{where}: list the pattern {text} in {__name__}"
    for name in ARGUMENTS[module.__name__, text]:
        yield Applied(f"{module.__name__}.{name}", re.compile(getattr(module, name)), _ALL[:1])


def beginnings(pattern: re.Pattern[Any]) -> list[str]:
    """For each repetition without a bound, a text that leads to it; and the empty text."""
    found: list[str] = []
    _walk(_parsed(pattern), "", found)
    return list(dict.fromkeys(["", *found]))


def _walk(sequence: Any, before: str, found: list[str]) -> str:
    """Notes what stands before each repetition; the sequence as the shortest text that fits it."""
    for op, value in sequence:
        name = str(op)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, most, body = value
            if most == sre_constants.MAXREPEAT:
                found.append(before)
            once = _walk(body, before, found)[len(before) :]
            before += once * max(least, 1 if most != sre_constants.MAXREPEAT else least)
        elif name == "SUBPATTERN":
            before = _walk(value[-1], before, found)
        elif name == "ATOMIC_GROUP":
            before = _walk(value, before, found)
        elif name == "BRANCH":
            ends = [_walk(branch, before, found) for branch in value[1]]
            before = ends[0]
        elif name == "LITERAL":
            before += chr(value)
        elif name in _ONE_CHARACTER:
            before += _one_of(op, value)
    return before


def _one_of(op: Any, value: Any) -> str:
    if str(op) == "IN" and str(value[0][0]) == "LITERAL":
        return chr(value[0][1])
    return next((sign for sign in "a1 :_-(" if _atom(op, value).match(sign)), "a")


def _atom(op: Any, value: Any, flags: int = 0) -> re.Pattern[str]:
    return sre_compile.compile(sre_parse.SubPattern(sre_parse.State(), [(op, value)]), flags)


def signs(pattern: re.Pattern[Any]) -> list[str]:
    """One of each kind of SIGNS that the pattern tells apart: no part of it fits one and not the other."""
    parsed = _parsed(pattern)
    atoms = [_atom(op, value, pattern.flags & ~re.DEBUG) for op, value in _atoms(parsed)]
    word = re.compile(r"\w", pattern.flags & re.ASCII)  # for ends of words
    kinds: dict[tuple[object, ...], str] = {}
    for sign in SIGNS:
        kind = tuple((c == "\n", *(a.match(c) is not None for a in (word, *atoms))) for c in sign)
        kinds.setdefault(kind, sign)
    return list(kinds.values())


def _atoms(value: Any) -> Iterator[tuple[Any, Any]]:
    """All that fits one character, wherever it stands in what was parsed."""
    if isinstance(value, tuple) and len(value) == 2 and str(value[0]) in _ONE_CHARACTER:
        yield value
    elif isinstance(value, (tuple, list, sre_parse.SubPattern)):
        for i in range(len(value)):
            yield from _atoms(value[i])


def _parsed(pattern: re.Pattern[Any]) -> Any:
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    return sre_parse.parse(source, pattern.flags & ~re.UNICODE & ~re.DEBUG)
