"""The subset of Python that a role is written in, checked before anything runs; each refusal has its line."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...errors import ModelError, raise_all
from .source import RoleSource

_REFUSED_STATEMENTS: dict[type[ast.AST], str] = {
    ast.With: "'with'",
    ast.AsyncWith: "'async with'",
    ast.Try: "'try'",
    ast.Global: "'global'",
    ast.Nonlocal: "'nonlocal'",
    ast.Delete: "'del'",
    ast.FunctionDef: "a nested function",
    ast.AsyncFunctionDef: "a nested function",
    ast.ClassDef: "a nested class",
    ast.Import: "'import'",
    ast.ImportFrom: "'import'",
    ast.Raise: "'raise'",
    ast.AsyncFor: "'async for'",
}
#: Those that not every Python has, by the names of their nodes.
_NEWER_STATEMENTS = {"TryStar": "'try'", "TypeAlias": "'type'"}
_HINTS = {
    "a nested function": "define it beside the role",
    "a nested class": "define it beside the role",
    "'import'": "import it above the role",
    "'raise'": "write: assert condition",
}
#: Functions that look at the frame or at the identity of values, which are no part of a state.
_REFUSED_CALLS = frozenset(("locals", "vars", "dir", "globals", "eval", "exec", "id", "super", "__import__"))
_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

Refusal = tuple[ast.AST, str, str | None]


def check_subset(source: RoleSource) -> None:
    """ModelError with every construct that a role cannot use."""
    found = [*_signature(source.tree), *_body(source.tree.body)]
    found += _expressions(source.tree)
    problems = [ModelError(m, place=source.place_of(node), hint=hint) for node, m, hint in found]
    raise_all(problems)


def _signature(tree: ast.FunctionDef) -> Iterator[Refusal]:
    if tree.args.kwarg is not None:
        yield tree.args.kwarg, "a role cannot have a ** parameter", "name its parameters"


def _body(body: list[ast.stmt]) -> Iterator[Refusal]:
    for statement in body:
        yield from _statement(statement)
        for inner in _blocks(statement):
            yield from _body(inner)


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    if isinstance(statement, ast.If | ast.While | ast.For):
        yield statement.body
        yield statement.orelse
    elif isinstance(statement, ast.Match):
        for case in statement.cases:
            yield case.body


def _statement(node: ast.stmt) -> Iterator[Refusal]:
    name = _REFUSED_STATEMENTS.get(type(node))
    name = name or _NEWER_STATEMENTS.get(type(node).__name__)
    if name is not None:
        yield node, f"a role cannot use {name}", _HINTS.get(name)
        return
    allowed = _whole_yield(node)
    for inner in _own_expressions(node):
        for found in ast.walk(inner):
            if isinstance(found, ast.Yield | ast.YieldFrom) and found is not allowed:
                hint = "write: reply = yield ..."
                yield found, "a yield is a statement, or all that is assigned", hint
    if isinstance(node, ast.Expr) and allowed is None and not isinstance(node.value, ast.Constant):
        yield node, "the value of this expression is not used", "a role has no side effects; assign it"
    for target in _targets(node):
        yield from _target(target)


def _whole_yield(node: ast.stmt) -> ast.expr | None:
    """The yield that is the statement, or the whole right-hand side of an assignment."""
    if isinstance(node, ast.Expr | ast.Assign | ast.AnnAssign):
        if isinstance(node.value, ast.Yield | ast.YieldFrom):
            return node.value
    return None


def _own_expressions(node: ast.stmt) -> Iterator[ast.AST]:
    """The expressions of a statement, not those of the statements inside it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.match_case):
            yield child.pattern
            if child.guard is not None:
                yield child.guard
        elif not isinstance(child, ast.stmt):
            yield child


def _targets(node: ast.stmt) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign | ast.AugAssign | ast.For) else []


def _target(node: ast.expr) -> Iterator[Refusal]:
    if isinstance(node, ast.Tuple | ast.List):
        for part in node.elts:
            yield from _target(part)
    elif isinstance(node, ast.Starred):
        yield node, "a starred target makes a list, which a role cannot keep", "slice a tuple instead"
    elif not isinstance(node, ast.Name):
        yield node, "only local variables can be assigned", "local values are immutable; assign a new one"


def _expressions(tree: ast.FunctionDef) -> Iterator[Refusal]:
    for node in (inner for statement in tree.body for inner in ast.walk(statement)):
        if isinstance(node, ast.NamedExpr):
            yield node, "a role cannot assign inside an expression", "assign it in a statement before"
        elif isinstance(node, ast.Await) or (isinstance(node, ast.comprehension) and node.is_async):
            yield node, "a role cannot await", "what it waits for is yielded: yield sp.receive(...)"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in _REFUSED_CALLS:
                yield node, f"a role cannot call {node.func.id}()", None
        elif isinstance(node, ast.Compare):
            yield from _identity(node)
        elif isinstance(node, ast.MatchStar | ast.MatchMapping):
            if getattr(node, "name", None) or getattr(node, "rest", None):
                yield node, "this pattern makes a list or dict, which a role cannot keep", None


def _identity(node: ast.Compare) -> Iterator[Refusal]:
    """`is` asks for identity, which is no part of a state, except for None, True, False and types."""
    sides = [node.left, *node.comparators]
    for operator, left, right in zip(node.ops, sides, sides[1:], strict=False):
        if isinstance(operator, ast.Is | ast.IsNot):
            if not (_is_singleton(left) or _is_singleton(right)):
                yield node, "'is' compares identities, which are no part of a state", "write =="


def _is_singleton(node: ast.expr) -> bool:
    """Is there only one object that is equal to this?"""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "type" and len(node.args) == 1
    return isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool))


def stored_names(node: ast.AST) -> Iterator[str]:
    """The local variables that a statement or pattern binds; comprehensions and lambdas have scopes of
    their own."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    if isinstance(node, ast.MatchAs | ast.MatchStar) and node.name is not None:
        yield node.name
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, _SCOPES):
            yield from stored_names(child)


def loaded_names(node: ast.AST) -> Iterator[str]:
    """Every name that is read, in inner scopes too."""
    return (n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
