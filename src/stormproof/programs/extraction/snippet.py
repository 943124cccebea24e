"""A piece of a role's source, compiled by Python as a function of the local variables that it reads."""

from __future__ import annotations
import __future__

import ast
from collections.abc import Iterable, Mapping
from copy import deepcopy
from types import CodeType, FunctionType
from typing import Any

from .source import RoleSource
from .subset import loaded_names
from .values import type_of

#: The parameter that stands for `type`.
_TYPE = "__type_of"

_FUTURE = __future__.annotations.compiler_flag


class Snippet:
    """Statements that end in a `return`; `reading` are the parts of the source in them.

    Variables are parameters of the compiled function, so that lambdas and comprehensions see them as in the
    role. One that has no value yet is a local variable of the function, without a value.
    """

    def __init__(
        self,
        source: RoleSource,
        known: frozenset[str],
        reading: Iterable[ast.AST],
        body: Iterable[ast.stmt],
        writes: tuple[str, ...] = (),
    ) -> None:
        self.source = source
        self.writes = writes
        names = {name for node in reading for name in loaded_names(node)}
        self._free = names & set(source.function.__code__.co_freevars)
        self.reads = frozenset(names & known)
        self._body = _asking_for_types(source, names, known, body)
        self._compiled: dict[frozenset[str], FunctionType] = {}

    def call(self, values: Mapping[str, Any]) -> Any:
        """What the statements return for these values of the variables that they read."""
        free = {name: value for name, value in self.source.free.items() if name in self._free}
        return self._function(frozenset(values))(**values, **free, **{_TYPE: type_of})

    def _function(self, bound: frozenset[str]) -> FunctionType:
        if bound not in self._compiled:
            self._compiled[bound] = self._compile(bound)
        return self._compiled[bound]

    def _compile(self, bound: frozenset[str]) -> FunctionType:
        names = [*sorted(bound | self._free), _TYPE]
        unbound = [_assign(name) for name in sorted(self.reads - bound)]
        function = ast.parse(f"def {self.source.tree.name}({', '.join(names)}): pass")
        definition = function.body[0]
        assert isinstance(definition, ast.FunctionDef)
        # What follows the return is never run, and makes the variables local.
        definition.body = [*self._body, *unbound]
        ast.fix_missing_locations(function)
        flags = self.source.function.__code__.co_flags & _FUTURE
        code = compile(function, self.source.file, "exec", flags=flags, dont_inherit=True)
        inner = next(constant for constant in code.co_consts if isinstance(constant, CodeType))
        return FunctionType(inner, self.source.function.__globals__)


def _asking_for_types(
    source: RoleSource, names: set[str], known: frozenset[str], body: Iterable[ast.stmt]
) -> list[ast.stmt]:
    """The statements, where `type` gives `frozenset` for its twin, unless the role means another `type`."""
    redefined = "type" in known or "type" in source.free or "type" in source.function.__globals__
    if "type" not in names or redefined:
        return [*body]
    return [_TypeCalls().visit(deepcopy(statement)) for statement in body]


class _TypeCalls(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.copy_location(ast.Name(_TYPE, node.ctx), node) if node.id == "type" else node


def _assign(name: str) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None))
