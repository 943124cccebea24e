"""Nested protocols, as nuScr has them: read, checked as nuScr checks them, and refused where one is called.

Each `A calls P(...)` starts a new run of P with participants of its own, and a nested protocol may call
itself, so the number of participants has no bound. A system here has a fixed number of processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..errors import ModelError, did_you_mean
from .scribble_syntax import Block, Calls, ChoiceStatement, Do, Module, Protocol, Recursion
from .wellformed import Flaw

Scope = Mapping[str, Protocol]


def check_nested(module: Module) -> tuple[Flaw, ...]:
    """Raise a ModelError for a wrong call, else for any `calls`; warn of what is left out."""
    outer = _declared(module.nested, {})
    top = [*module.protocols.values(), *module.nested]
    scopes = list(_scopes([(protocol, outer) for protocol in top]))
    given = set(module.protocols.values())
    nested = [p for p, _ in scopes if p not in given]
    calls = [c for p, _ in scopes for c in _calls_and_dos(p) if isinstance(c, Calls)]
    if nested or calls:
        for protocol, scope in scopes:
            for statement in _calls_and_dos(protocol):
                _check(statement, protocol, scope if isinstance(statement, Calls) else module.protocols)
    for call in calls:
        raise _unbounded(call)
    said = "the nested protocol '{}' is never called and is left out"
    return tuple(Flaw(said.format(p.name), p.place, warning=True) for p in nested)


def _scopes(found: list[tuple[Protocol, Scope]]) -> Iterator[tuple[Protocol, Scope]]:
    """Every protocol, nested ones after the one they stand in, with the nested protocols it may call."""
    stack = found[::-1]
    while stack:
        protocol, outer = stack.pop()
        scope = _declared(protocol.nested, outer)
        yield protocol, scope
        stack += [(inner, scope) for inner in reversed(protocol.nested)]


def _declared(nested: tuple[Protocol, ...], outer: Scope) -> Scope:
    own: dict[str, Protocol] = {}
    for protocol in nested:
        if protocol.name in own:
            raise ModelError(f"two nested protocols are called '{protocol.name}'", place=protocol.place)
        own[protocol.name] = protocol
    return {**outer, **own} if own else outer


def _calls_and_dos(protocol: Protocol) -> Iterator[Calls | Do]:
    """In the order of the text."""
    stack: list[Block | Calls | Do] = [protocol.block]
    while stack:
        item = stack.pop()
        if not isinstance(item, Block):
            yield item
            continue
        for statement in reversed(item.statements):
            if isinstance(statement, Calls | Do):
                stack.append(statement)
            elif isinstance(statement, ChoiceStatement):
                stack += reversed(statement.blocks)
            elif isinstance(statement, Recursion):
                stack.append(statement.block)


def _check(statement: Calls | Do, protocol: Protocol, scope: Scope) -> None:
    """Why nuScr refuses a call, in its order: unknown roles, unknown protocol, too many roles, one twice."""
    roles = (*protocol.roles, *protocol.created)
    used = (statement.caller, *statement.roles) if isinstance(statement, Calls) else statement.roles
    for role in used:
        if role not in roles:
            known = f"roles here: {', '.join(roles)}"
            raise ModelError(f"unknown role '{role}'", place=statement.place, hint=known)
    called = scope.get(statement.protocol)
    if called is None:
        raise _unknown(statement, scope)
    if len(statement.roles) != len(called.roles):
        raise ModelError(
            f"{called.name} has {len(called.roles)} roles, but is called with {len(statement.roles)}",
            place=statement.place,
            hint=f"its roles are {', '.join(called.roles)}",
        )
    if len(set(statement.roles)) < len(statement.roles):
        raise ModelError(f"one role plays two parts of {called.name}", place=statement.place)


def _unknown(statement: Calls | Do, scope: Scope) -> ModelError:
    word, kind = ("calls", "nested") if isinstance(statement, Calls) else ("do", "global")
    names = f"{kind} protocols here: {', '.join(scope)}" if scope else f"there is no {kind} protocol here"
    return ModelError(
        f"'{word}' needs a {kind} protocol, and '{statement.protocol}' is none that can be seen from here",
        place=statement.place,
        hint=did_you_mean(statement.protocol, scope) or names,
    )


def _unbounded(statement: Calls) -> ModelError:
    return ModelError(
        f"'{statement.caller} calls {statement.protocol}' creates participants each time it is reached, "
        f"without bound, but a system has a fixed number of processes",
        place=statement.place,
        hint="call a global protocol, with its roles:  do Protocol(Role, Role);",
    )
