"""The subset of Python that a role is written in, checked before anything runs; each refusal has its line."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...errors import ModelError, raise_all
from .source import RoleSource

_REFUSED_STATEMENTS: dict[type[ast.AST], str] = {
    ast.With: "'with'",
    ast.AsyncWith: "'async with'",
    ast.Global: "'global'",
    ast.Nonlocal: "'nonlocal'",
    ast.FunctionDef: "a nested function",
    ast.AsyncFunctionDef: "a nested function",
    ast.ClassDef: "a nested class",
    ast.Import: "'import'",
    ast.ImportFrom: "'import'",
    ast.Raise: "'raise'",
    ast.AsyncFor: "'async for'",
}
#: Those that not every Python has, by the names of their nodes.
_NEWER_STATEMENTS = {"TryStar": "'except*'", "TypeAlias": "'type'"}
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
    """The blocks that a role may wait in; `try` is around what is computed at once."""
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
    if isinstance(node, ast.Try):
        yield from _computed(node)
        return
    for inner in _own_expressions(node):
        yield from _hidden_steps(inner)
    used = isinstance(node, ast.Expr) and isinstance(node.value, (ast.Constant, ast.Call, *STEPS))
    if isinstance(node, ast.Expr) and not used:
        yield node, "the value of this expression is not used", "assign it"
    for target in _targets(node):
        yield from _target(target)


#: What a role does inside an expression, and not only computes.
STEPS = (ast.Yield, ast.YieldFrom, ast.NamedExpr)


def has_steps(node: ast.AST) -> bool:
    """Does a role wait or assign in this expression?"""
    return any(isinstance(inner, STEPS) for inner in ast.walk(node))


def _hidden_steps(node: ast.AST) -> Iterator[Refusal]:
    """Where the order of what is done would be hard to see: in comprehensions, chains and patterns."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Compare) and any(map(has_steps, inner.comparators[1:])):
            yield inner, "a role cannot wait or assign inside a chain of comparisons", "write it with: and"
        elif isinstance(inner, (*_SCOPES, ast.pattern)) and has_steps(inner):
            yield inner, "a role cannot wait or assign in here", "do it in a statement before"


def _computed(node: ast.Try) -> Iterator[Refusal]:
    """`try` is run at once, so nothing in it waits, and it is left at its end."""
    loops = {
        id(n) for loop in ast.walk(node) if isinstance(loop, ast.For | ast.While) for n in ast.walk(loop)
    }
    for inner in ast.walk(node):
        if isinstance(inner, ast.Yield | ast.YieldFrom):
            yield inner, "a role cannot wait inside 'try'", "put 'try' around what is computed only"
        elif isinstance(inner, ast.Return):
            yield inner, "a role cannot return from inside 'try'", "assign the value, and return it below"
        elif isinstance(inner, ast.Break | ast.Continue) and id(inner) not in loops:
            yield inner, "a role cannot leave a loop from inside 'try'", "assign what to do, and do it below"
        elif type(inner) in _REFUSED_STATEMENTS and not isinstance(inner, ast.Raise):
            name = _REFUSED_STATEMENTS[type(inner)]
            yield inner, f"a role cannot use {name}", _HINTS.get(name)
        elif isinstance(inner, ast.stmt):
            for target in _targets(inner):
                yield from _target(target)


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
    if isinstance(node, ast.Delete):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign | ast.AugAssign | ast.For) else []


def _target(node: ast.expr) -> Iterator[Refusal]:
    if isinstance(node, ast.Tuple | ast.List):
        for part in node.elts:
            yield from _target(part)
    elif isinstance(node, ast.Starred):
        yield from _target(node.value)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del):
        yield node, "a role cannot delete a variable", "assign None"
    elif isinstance(node, ast.Attribute):
        hint = "a list or a dictionary in a local variable can change"
        yield node, "a role cannot change an attribute", hint
    elif isinstance(node, ast.Subscript) and has_steps(node):
        yield node, "a role cannot wait or assign in here", "do it in a statement before"


def _expressions(tree: ast.FunctionDef) -> Iterator[Refusal]:
    for node in (inner for statement in tree.body for inner in ast.walk(statement)):
        if isinstance(node, ast.Await) or (isinstance(node, ast.comprehension) and node.is_async):
            yield node, "a role cannot await", "what it waits for is yielded: yield sp.receive(...)"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in _REFUSED_CALLS:
                yield node, f"a role cannot call {node.func.id}()", None
        elif isinstance(node, ast.Compare):
            yield from _identity(node)


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
    if isinstance(node, ast.MatchMapping) and node.rest is not None:
        yield node.rest
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, _SCOPES):
            yield from stored_names(child)


def loaded_names(node: ast.AST) -> Iterator[str]:
    """Every name that is read, in inner scopes too."""
    return (n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
