"""From the syntax tree of a role function to its program."""

from __future__ import annotations

import ast
import copy
import textwrap
from dataclasses import dataclass, field

from .flatten import Flattening
from .logs import is_logging
from .program import (
    GIVEN,
    HIDDEN,
    LOOP,
    PART,
    SUBJECT,
    Begin,
    Case,
    Check,
    Compute,
    ComputeSome,
    Delegate,
    Fork,
    Instruction,
    Jump,
    Next,
    Program,
    Return,
    YieldRequest,
    over,
)
from .snippet import Snippet
from .source import RoleSource
from .subset import check_subset, has_steps, stored_names

_SOME = HIDDEN + "some"


def lower(source: RoleSource) -> Program:
    """The program of a role; ModelError with every construct outside the subset."""
    check_subset(source)
    return _Lowering(source).program()


@dataclass
class _Loop:
    """Where `continue` leads, and the jumps of `break`, whose target is known later."""

    start: int
    leaving: list[Jump] = field(default_factory=list)


class _Lowering(Flattening):
    def __init__(self, source: RoleSource) -> None:
        self.source = source
        stored = {name for node in source.tree.body for name in stored_names(node)}
        self.known = frozenset((*source.parameters, *stored, GIVEN))
        self.code: list[Instruction] = []
        self.assigned: dict[str, int] = {}
        self.loops: list[_Loop] = []
        self.loop_names: dict[str, str] = {}
        self.hidden = 0

    def program(self) -> Program:
        self._block(self.source.tree.body)
        last = self.source.tree.body[-1]
        self._emit(Return(getattr(last, "end_lineno", last.lineno), self._value(ast.Constant(None), last)))
        return Program(self.source, self.code, self.assigned, self.loop_names)

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

    def _binding(self, statement: ast.stmt, reading: list[ast.AST], some: bool = False) -> Snippet:
        """A snippet that runs a statement and gives what it has bound; `some`: perhaps not everything."""
        writes = tuple(dict.fromkeys(stored_names(statement)))
        for name in writes:
            self.assigned[name] = statement.lineno
        if some:
            body = [statement, *_give_some(writes, statement)]
            before = [ast.copy_location(ast.Name(name, ast.Load()), statement) for name in writes]
            return Snippet(self.source, self.known, [*reading, *before], body, writes)
        give = ast.copy_location(ast.Return(_load(writes, statement)), statement)
        return Snippet(self.source, self.known, reading, [statement, give], writes)

    def _bind_given(self, targets: list[ast.expr], at: ast.stmt) -> None:
        """Assign to the targets what a yield or a loop has given."""
        given = ast.copy_location(ast.Name(GIVEN, ast.Load()), at)
        statement = ast.copy_location(ast.Assign(targets, given), at)
        self._emit(Compute(at.lineno, self._binding(statement, [given, *targets])))

    def _fresh(self, prefix: str) -> str:
        self.hidden += 1
        name = f"{prefix}{self.hidden}"
        self.known |= {name}
        return name

    def _fresh_part(self) -> str:
        return self._fresh(PART)

    # ---- statements ----

    def _block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(value=value):
                self._expression(value)
            case ast.Assign(targets=targets, value=value):
                self._assignment(node, targets, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assignment(node, [target], value)
            case ast.AugAssign(target=target, value=value):
                self._augmented(node, target, value)
            case ast.Delete(targets=targets):
                self._emit(Compute(node.lineno, self._binding(node, [*targets])))
            case ast.Assert(test=test, msg=message):
                flat = ast.copy_location(ast.Assert(self._flat(test), message), node)
                give = ast.copy_location(ast.Return(_constant(None, node)), node)
                reading = [flat.test] if message is None else [flat.test, message]
                self._emit(Check(node.lineno, Snippet(self.source, self.known, reading, [flat, give])))
            case ast.Return(value=value):
                given = self._flat(value or _constant(None, node))
                self._emit(Return(node.lineno, self._value(given, node)))
            case ast.Try():
                self._emit(ComputeSome(node.lineno, self._binding(node, [node], some=True)))
            case _:
                self._control(node)

    def _expression(self, value: ast.expr) -> None:
        """An expression whose value nobody uses: it waits, or changes a list, or logs."""
        if isinstance(value, ast.Yield | ast.YieldFrom):
            self._wait(value, value)
        elif not isinstance(value, ast.Constant):
            flat = self._flat(value)
            if not is_logging(self.source, flat):
                alone = ast.copy_location(ast.Expr(flat), value)
                self._emit(Compute(value.lineno, self._binding(alone, [flat])))

    def _assignment(self, node: ast.stmt, targets: list[ast.expr], value: ast.expr) -> None:
        if isinstance(value, ast.Yield | ast.YieldFrom):
            self._wait(value, node)
            self._bind_given(targets, node)
            return
        flat = self._flat(value)
        plain = ast.copy_location(ast.Assign(targets, flat), node)
        self._emit(Compute(node.lineno, self._binding(plain, [flat, *targets])))

    def _augmented(self, node: ast.AugAssign, target: ast.expr, value: ast.expr) -> None:
        """What is assigned is read first: before anything else is done."""
        if has_steps(value):
            read = copy.deepcopy(target)
            setattr(read, "ctx", ast.Load())  # noqa: B010 - not every target has one, says mypy
            sum_ = ast.copy_location(ast.BinOp(read, node.op, value), node)
            self._assignment(node, [target], sum_)
            return
        before = (
            [ast.copy_location(ast.Name(target.id, ast.Load()), node)] if isinstance(target, ast.Name) else []
        )
        self._emit(Compute(node.lineno, self._binding(node, [*before, target, value])))

    def _wait(self, found: ast.Yield | ast.YieldFrom, node: ast.AST) -> ast.expr:
        """What the yield gives is in `GIVEN` then."""
        given = self._flat(found.value) if found.value is not None else _constant(None, node)
        snippet = self._value(given, found)
        kind = YieldRequest if isinstance(found, ast.Yield) else Delegate
        self._emit(kind(found.lineno, snippet))
        return ast.copy_location(ast.Name(GIVEN, ast.Load()), found)

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
        branch = Fork(node.lineno, self._truth(self._flat(node.test)))
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
        branch = Fork(node.lineno, self._truth(self._flat(node.test)))
        for_ever = isinstance(node.test, ast.Constant) and bool(node.test.value)
        if not for_ever:
            self._emit(branch)
        self._loop_body(loop, node.body, node.lineno)
        branch.otherwise = len(self.code)
        self._block(node.orelse)
        self._leave(loop)

    def _for(self, node: ast.For) -> None:
        items = self._fresh(LOOP)
        self.known |= {over(items)}
        self.loop_names[items] = ast.unparse(node.target)
        self._emit(Begin(node.lineno, self._value(self._flat(node.iter)), items))
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
        self._kept(self._flat(node.subject), subject)
        over = []
        for case in node.cases:
            first = Case(case.pattern.lineno, self._pattern(case.pattern, subject))
            self._emit(first)
            guard = None
            if case.guard is not None:
                guard = Fork(case.guard.lineno, self._truth(self._flat(case.guard)))
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


def _give_some(names: tuple[str, ...], at: ast.stmt) -> list[ast.stmt]:
    """Statements that give a tuple for each name: with its value, or empty where it has none."""
    lines = [
        f"try: {_SOME}{i} = ({name},)\nexcept NameError: {_SOME}{i} = ()" for i, name in enumerate(names)
    ]
    lines.append(f"return ({''.join(f'{_SOME}{i}, ' for i in range(len(names)))})")
    inside = textwrap.indent("\n".join(lines), "    ")
    function = ast.parse(f"def give():\n{inside}").body[0]
    assert isinstance(function, ast.FunctionDef)
    for statement in function.body:
        for node in ast.walk(statement):
            ast.copy_location(node, at)
    return function.body
