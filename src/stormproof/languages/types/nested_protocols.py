"""Nested protocols, as nuScr has them: read, checked as nuScr checks them, and refused where one is called.

Each `A calls P(...)` starts a new run of P with participants of its own, and a nested protocol may call
itself, so the number of participants has no bound. A system here has a fixed number of processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...errors import ModelError, Place, did_you_mean
from .scribble_syntax import (
    Block,
    Calls,
    ChoiceStatement,
    Do,
    MessageStatement,
    Module,
    Protocol,
    Recursion,
    Statement,
)
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
    for protocol in nested:
        _check_roles(protocol)
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
    return (s for s in _statements(protocol) if isinstance(s, Calls | Do))


def _statements(protocol: Protocol) -> Iterator[Statement]:
    """In the order of the text, those inside others behind them."""
    stack: list[Block | Statement] = [protocol.block]
    while stack:
        item = stack.pop()
        if isinstance(item, Block):
            stack += reversed(item.statements)
            continue
        yield item
        if isinstance(item, ChoiceStatement):
            stack += reversed(item.blocks)
        elif isinstance(item, Recursion):
            stack.append(item.block)


def _check_roles(protocol: Protocol) -> None:
    """A nested protocol that nobody calls is still one: no role is declared twice, and all are declared."""
    for role in protocol.created:
        if role in protocol.roles:
            raise ModelError(f"the role '{role}' is declared twice", place=protocol.place)
    for statement in _statements(protocol):
        if isinstance(statement, MessageStatement):
            _check_known(protocol, statement.place, (statement.sender, *statement.receivers))
        elif isinstance(statement, ChoiceStatement):
            _check_known(protocol, statement.place, (statement.at,))


def _check_known(protocol: Protocol, place: Place, used: tuple[str, ...]) -> None:
    roles = (*protocol.roles, *protocol.created)
    for role in used:
        if role not in roles:
            raise ModelError(f"unknown role '{role}'", place=place, hint=f"roles here: {', '.join(roles)}")


def _check(statement: Calls | Do, protocol: Protocol, scope: Scope) -> None:
    """Why nuScr refuses a call, in its order: unknown roles, unknown protocol, too many roles, one twice."""
    used = (statement.caller, *statement.roles) if isinstance(statement, Calls) else statement.roles
    _check_known(protocol, statement.place, used)
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
