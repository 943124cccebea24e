"""Waiting and assigning inside an expression: done before it, in the order in which Python does it."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from typing import Any

from .program import Compute, Fork, Instruction, Jump
from .snippet import Snippet
from .subset import has_steps


class Flattening:
    """What lowering statements has to offer."""

    code: list[Instruction]
    known: frozenset[str]
    _emit: Callable[[Instruction], int]
    _truth: Callable[[ast.expr], Snippet]
    _binding: Callable[[ast.stmt, list[ast.AST]], Snippet]
    _fresh_part: Callable[[], str]
    _wait: Callable[[ast.Yield | ast.YieldFrom, ast.AST], ast.expr]

    def _flat(self, node: ast.expr) -> ast.expr:
        """The expression without steps in it: those are emitted, and their values are in hidden variables."""
        if not has_steps(node):
            return node
        match node:
            case ast.Yield() | ast.YieldFrom():
                return self._kept(self._wait(node, node))
            case ast.NamedExpr(target=target, value=value):
                given = self._kept(self._flat(value))
                self._assign(target, given, node)
                return given
            case ast.BoolOp():
                return self._either(node)
            case ast.IfExp():
                return self._choice(node)
        return self._operands(node)

    def _assign(self, target: ast.expr, value: ast.expr, at: ast.expr) -> None:
        statement = ast.copy_location(ast.Assign([target], value), at)
        self._emit(Compute(at.lineno, self._binding(statement, [value])))

    def _kept(self, value: ast.expr, name: str | None = None) -> ast.expr:
        """A hidden variable with the value."""
        name = name or self._fresh_part()
        self._assign(ast.copy_location(ast.Name(name, ast.Store()), value), value, value)
        return ast.copy_location(ast.Name(name, ast.Load()), value)

    def _either(self, node: ast.BoolOp) -> ast.expr:
        """`and` and `or`: the rest is done only where it is needed."""
        name = self._fresh_part()
        result = self._kept(self._flat(node.values[0]), name)
        over: list[Fork | Jump] = []
        for value in node.values[1:]:
            branch = Fork(node.lineno, self._truth(result))
            self._emit(branch)
            if isinstance(node.op, ast.And):
                over.append(branch)
            else:
                leave = Jump(node.lineno)
                self._emit(leave)
                over.append(leave)
                branch.otherwise = len(self.code)
            self._kept(self._flat(value), name)
        for jump in over:
            if isinstance(jump, Fork):
                jump.otherwise = len(self.code)
            else:
                jump.to = len(self.code)
        return result

    def _choice(self, node: ast.IfExp) -> ast.expr:
        name = self._fresh_part()
        branch, over = Fork(node.lineno, self._truth(self._flat(node.test))), Jump(node.lineno)
        self._emit(branch)
        self._kept(self._flat(node.body), name)
        self._emit(over)
        branch.otherwise = len(self.code)
        result = self._kept(self._flat(node.orelse), name)
        over.to = len(self.code)
        return result

    def _operands(self, node: ast.expr) -> ast.expr:
        """Whatever is evaluated before the last step is kept, as steps may change what it reads."""
        made = copy.deepcopy(node)
        found = list(_slots(made))
        last = max(i for i, (value, _) in enumerate(found) if has_steps(value))
        for value, put in found[: last + 1]:
            if has_steps(value):
                put(self._kept(self._flat(value)))
            elif any(isinstance(n, ast.Name) and n.id in self.known for n in ast.walk(value)):
                put(self._kept(value))
        return made


Slot = tuple[ast.expr, Callable[[ast.expr], None]]


def _slots(node: ast.AST) -> Iterator[Slot]:
    """The operands of an expression in the order in which Python evaluates them, and how to replace each."""
    if isinstance(node, ast.Dict):
        for i in range(len(node.values)):
            yield from _slot(node.keys, i)
            yield from _slot(node.values, i)
        return
    for name, value in ast.iter_fields(node):
        if isinstance(value, list):
            for i in range(len(value)):
                yield from _slot(value, i)
        elif isinstance(value, ast.expr):
            yield from _field(node, name, value)


def _slot(row: list[Any], i: int) -> Iterator[Slot]:
    part = row[i]
    if isinstance(part, ast.Starred | ast.keyword | ast.FormattedValue):
        yield from _slots(part)
    elif isinstance(part, ast.expr):
        yield part, lambda new: row.__setitem__(i, new)


def _field(node: ast.AST, name: str, value: ast.expr) -> Iterator[Slot]:
    """A function that is called is looked up before its arguments are evaluated: so is what it belongs to."""
    if (name == "func" and isinstance(value, ast.Attribute | ast.Name)) or isinstance(
        value, ast.Slice | ast.JoinedStr
    ):
        yield from _slots(value)
    else:
        yield value, lambda new: setattr(node, name, new)
