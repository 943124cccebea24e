"""From the syntax tree of a role function to its program."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from .program import (
    GIVEN,
    Begin,
    Case,
    Check,
    Compute,
    Delegate,
    Fork,
    Instruction,
    Jump,
    Next,
    Program,
    Return,
    YieldRequest,
)
from .snippet import Snippet
from .source import RoleSource
from .subset import check_subset, stored_names

#: What hidden variables of loops and `match` are called; a number follows.
LOOP, SUBJECT = "_stormproof_loop", "_stormproof_subject"


def lower(source: RoleSource) -> Program:
    """The program of a role; ModelError with every construct outside the subset."""
    check_subset(source)
    return _Lowering(source).program()


@dataclass
class _Loop:
    """Where `continue` leads, and the jumps of `break`, whose target is known later."""

    start: int
    leaving: list[Jump] = field(default_factory=list)


class _Lowering:
    def __init__(self, source: RoleSource) -> None:
        self.source = source
        stored = {name for node in source.tree.body for name in stored_names(node)}
        self.known = frozenset((*source.parameters, *stored, GIVEN))
        self.code: list[Instruction] = []
        self.assigned: dict[str, int] = {}
        self.loops: list[_Loop] = []
        self.hidden = 0

    def program(self) -> Program:
        self._block(self.source.tree.body)
        last = self.source.tree.body[-1]
        self._emit(Return(getattr(last, "end_lineno", last.lineno), self._value(ast.Constant(None), last)))
        return Program(self.source, self.code, self.assigned)

    # ---- pieces ----

    def _emit(self, instruction: Instruction) -> int:
        self.code.append(instruction)
        return len(self.code) - 1

    def _value(self, node: ast.expr, at: ast.AST | None = None) -> Snippet:
        """A snippet that gives the value of an expression."""
        give = ast.copy_location(ast.Return(node), at or node)
        return Snippet(self.source, self.known, [node], [give])

    def _truth(self, node: ast.expr) -> Snippet:
        truth = ast.copy_location(ast.IfExp(node, _constant(True, node), _constant(False, node)), node)
        give = ast.copy_location(ast.Return(truth), node)
        return Snippet(self.source, self.known, [node], [give])

    def _binding(self, statement: ast.stmt, reading: list[ast.AST]) -> Snippet:
        """A snippet that runs an assignment and gives what it has bound."""
        writes = tuple(dict.fromkeys(stored_names(statement)))
        for name in writes:
            self.assigned[name] = statement.lineno
        give = ast.copy_location(ast.Return(_load(writes, statement)), statement)
        return Snippet(self.source, self.known, reading, [statement, give], writes)

    def _bind_given(self, targets: list[ast.expr], at: ast.stmt) -> None:
        """Assign to the targets what a yield or a loop has given."""
        given = ast.copy_location(ast.Name(GIVEN, ast.Load()), at)
        statement = ast.copy_location(ast.Assign(targets, given), at)
        self._emit(Compute(at.lineno, self._binding(statement, [given])))

    def _fresh(self, prefix: str) -> str:
        self.hidden += 1
        name = f"{prefix}{self.hidden}"
        self.known |= {name}
        return name

    # ---- statements ----

    def _block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(value=ast.Yield() | ast.YieldFrom() as found):
                self._wait(found, node)
            case ast.Assign(targets=targets, value=ast.Yield() | ast.YieldFrom() as found):
                self._wait(found, node)
                self._bind_given(targets, node)
            case ast.AnnAssign(target=target, value=ast.Yield() | ast.YieldFrom() as found):
                self._wait(found, node)
                self._bind_given([target], node)
            case ast.Assign(value=value):
                self._emit(Compute(node.lineno, self._binding(node, [value])))
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                plain = ast.copy_location(ast.Assign([target], value), node)
                self._emit(Compute(node.lineno, self._binding(plain, [value])))
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                before = ast.copy_location(ast.Name(name, ast.Load()), node)
                self._emit(Compute(node.lineno, self._binding(node, [before, value])))
            case ast.Assert(test=test, msg=message):
                reading = [test] if message is None else [test, message]
                give = ast.copy_location(ast.Return(_constant(None, node)), node)
                self._emit(Check(node.lineno, Snippet(self.source, self.known, reading, [node, give])))
            case ast.Return(value=value):
                self._emit(Return(node.lineno, self._value(value or _constant(None, node), node)))
            case _:
                self._control(node)

    def _wait(self, found: ast.Yield | ast.YieldFrom, node: ast.stmt) -> None:
        snippet = self._value(found.value or _constant(None, node), node)
        kind = YieldRequest if isinstance(found, ast.Yield) else Delegate
        self._emit(kind(node.lineno, snippet))

    def _control(self, node: ast.stmt) -> None:
        match node:
            case ast.If():
                self._if(node)
            case ast.While():
                self._while(node)
            case ast.For():
                self._for(node)
            case ast.Match():
                self._match(node)
            case ast.Break():
                jump = Jump(node.lineno)
                self.loops[-1].leaving.append(jump)
                self._emit(jump)
            case ast.Continue():
                self._emit(Jump(node.lineno, self.loops[-1].start))

    def _if(self, node: ast.If) -> None:
        branch = Fork(node.lineno, self._truth(node.test))
        self._emit(branch)
        self._block(node.body)
        if not node.orelse:
            branch.otherwise = len(self.code)
            return
        over = Jump(node.lineno)
        self._emit(over)
        branch.otherwise = len(self.code)
        self._block(node.orelse)
        over.to = len(self.code)

    def _while(self, node: ast.While) -> None:
        loop = _Loop(len(self.code))
        branch = Fork(node.lineno, self._truth(node.test))
        for_ever = isinstance(node.test, ast.Constant) and bool(node.test.value)
        if not for_ever:
            self._emit(branch)
        self._loop_body(loop, node.body, node.lineno)
        branch.otherwise = len(self.code)
        self._block(node.orelse)
        self._leave(loop)

    def _for(self, node: ast.For) -> None:
        items = self._fresh(LOOP)
        self._emit(Begin(node.lineno, self._value(node.iter), items))
        loop = _Loop(len(self.code))
        step = Next(node.lineno, items)
        self._emit(step)
        self._bind_given([node.target], node)
        self._loop_body(loop, node.body, node.lineno)
        step.otherwise = len(self.code)
        self._block(node.orelse)
        self._leave(loop)

    def _loop_body(self, loop: _Loop, body: list[ast.stmt], line: int) -> None:
        self.loops.append(loop)
        self._block(body)
        self.loops.pop()
        self._emit(Jump(line, loop.start))

    def _leave(self, loop: _Loop) -> None:
        for jump in loop.leaving:
            jump.to = len(self.code)

    def _match(self, node: ast.Match) -> None:
        subject = self._fresh(SUBJECT)
        keep = ast.copy_location(ast.Assign([ast.Name(subject, ast.Store())], node.subject), node)
        self._emit(Compute(node.lineno, self._binding(keep, [node.subject])))
        over = []
        for case in node.cases:
            first = Case(case.pattern.lineno, self._pattern(case.pattern, subject))
            self._emit(first)
            guard = None
            if case.guard is not None:
                guard = Fork(case.guard.lineno, self._truth(case.guard))
                self._emit(guard)
            self._block(case.body)
            over.append(Jump(case.pattern.lineno))
            self._emit(over[-1])
            first.otherwise = len(self.code)
            if guard is not None:
                guard.otherwise = len(self.code)
        for jump in over:
            jump.to = len(self.code)

    def _pattern(self, pattern: ast.pattern, subject: str) -> Snippet:
        """A snippet that gives what the pattern binds, or None where it does not match."""
        writes = tuple(dict.fromkeys(stored_names(pattern)))
        for name in writes:
            self.assigned[name] = pattern.lineno
        found = ast.copy_location(ast.Return(_load(writes, pattern)), pattern)
        read = ast.copy_location(ast.Name(subject, ast.Load()), pattern)
        test = ast.copy_location(ast.Match(read, [ast.match_case(pattern, None, [found])]), pattern)
        missed = ast.copy_location(ast.Return(_constant(None, pattern)), pattern)
        return Snippet(self.source, self.known, [read, pattern], [test, missed], writes)


def _constant(value: bool | None, at: ast.AST) -> ast.Constant:
    return ast.copy_location(ast.Constant(value), at)


def _load(names: tuple[str, ...], at: ast.AST) -> ast.expr:
    loads: list[ast.expr] = [ast.copy_location(ast.Name(name, ast.Load()), at) for name in names]
    return ast.copy_location(ast.Tuple(loads, ast.Load()), at)
