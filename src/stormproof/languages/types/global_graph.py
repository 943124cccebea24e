"""A global protocol as a graph: recursion, calls and sequencing dissolved into edges.

Built from the end backwards: each statement knows what follows it, so what follows a choice is shared by its
branches. A call is replaced by the body of the protocol it names, which may call it again in tail position.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ...errors import ModelError, Place, did_you_mean
from ...kernel.model.actions import CRASH
from .global_checks import check_global
from .global_nodes import CHOICE, END, MESSAGE, SILENT, GlobalGraph, GlobalNode
from .scribble_syntax import (
    Block,
    ChoiceStatement,
    Continue,
    CrashStatement,
    Do,
    MessageStatement,
    Module,
    Protocol,
    Recursion,
    Statement,
)
from .stackless import Task, run

_MOST_NODES = 500_000


def global_graph(module: Module, protocol: Protocol) -> GlobalGraph:
    """The graph of a protocol; raises ModelError with the place of what is wrong."""
    builder = _Builder(module)
    end = builder.node(GlobalNode(END))
    own = tuple(p.name for p in protocol.parameters)
    start = run(builder.body(protocol, _Names.of(protocol, protocol.roles, own), end))
    graph = GlobalGraph(builder.nodes, start)
    check_global(graph)
    return graph


Call = tuple[str, tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True)
class _Names:
    """What the roles and the parameters of a protocol stand for, where it is called."""

    call: Call
    roles: Mapping[str, str]
    messages: Mapping[str, str]
    types: Mapping[str, str]

    @staticmethod
    def of(protocol: Protocol, roles: tuple[str, ...], arguments: tuple[str, ...]) -> _Names:
        given = list(zip(protocol.parameters, arguments, strict=True))
        return _Names(
            (protocol.name, roles, arguments),
            dict(zip(protocol.roles, roles, strict=True)),
            {p.name: a for p, a in given if p.message},
            {p.name: a for p, a in given if not p.message},
        )

    def message(self, text: str, place: Place) -> str:
        """A message, or an argument, with the parameters in it replaced."""
        if text in self.messages:
            return self.messages[text]
        if not self.messages and not self.types:
            return text
        label = _LABEL.match(text)
        assert label is not None
        if label[0] in self.messages:
            raise ModelError(
                f"'{label[0]}' stands for a whole message, and has its payload with it",
                place=place,
                hint=f"write just  {label[0]} from ...",
            )
        rest = text[label.end() :]
        return label[0] + _TYPE.sub(lambda m: self.types.get(m[0], m[0]), rest)

    def argument(self, text: str, place: Place) -> str:
        found = self.types.get(text) or self.message(text, place)
        if len(found) > _LONGEST_ARGUMENT:
            raise ModelError(
                f"the arguments of {self.call[0]} grow with each call, which no finite automaton can follow",
                place=place,
            )
        return found


#: Word characters up to the payload; may be nothing.
_LABEL = re.compile(r"[\w']*")
#: A word that is not the name of a payload's component (`x` in `m(x: T)`).
_TYPE = re.compile(r"[^\W\d][\w']*(?![\w']|\s*:)")
_LONGEST_ARGUMENT = 1_000


class _Builder:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.nodes: list[GlobalNode] = []
        self.made: dict[tuple[Call, int], int] = {}
        self.active: set[Call] = set()

    def node(self, node: GlobalNode) -> int:
        if len(self.nodes) >= _MOST_NODES:
            raise ModelError(
                f"the protocol has more than {_MOST_NODES:,} steps when its calls are put in place",
                place=node.place,
            )
        self.nodes.append(node)
        return len(self.nodes) - 1

    def body(self, protocol: Protocol, names: _Names, then: int) -> Task[int]:
        """The protocol with these roles and arguments, going on with `then`."""
        call = names.call
        head = self.node(GlobalNode(SILENT, place=protocol.place, name=protocol.name))
        self.made[call, then] = head
        self.active.add(call)
        inside: int = yield self.block(protocol.block, then, names, {})
        self.nodes[head].next = [inside]
        self.active.discard(call)
        return head

    def block(self, block: Block, then: int, names: _Names, loops: dict[str, int]) -> Task[int]:
        last = len(block.statements) - 1
        for i in range(last, -1, -1):
            statement = block.statements[i]
            if isinstance(statement, Continue) and i < last:
                behind = block.statements[i + 1]
                raise ModelError(f"nothing is reached after 'continue {statement.name}'", place=behind.place)
            then = yield self.statement(statement, then, names, loops)
        return then

    def statement(self, statement: Statement, then: int, names: _Names, loops: dict[str, int]) -> Task[int]:
        if isinstance(statement, MessageStatement):
            sender = _role(statement.sender, names, statement.place)
            label = names.message(statement.message, statement.place)
            for receiver in reversed(statement.receivers):
                target = _role(receiver, names, statement.place)
                _not_itself(sender, target, statement.place)
                then = self.node(GlobalNode(MESSAGE, sender, target, label, [then], statement.place))
            return then
        if isinstance(statement, CrashStatement):
            crashed = _role(statement.sender, names, statement.place)
            informed = _role(statement.receiver, names, statement.place)
            return self.node(GlobalNode(MESSAGE, crashed, informed, CRASH, [then], statement.place))
        if isinstance(statement, ChoiceStatement):
            made: int = yield self.choice(statement, then, names, loops)
            return made
        if isinstance(statement, Recursion):
            repeated: int = yield self.recursion(statement, then, names, loops)
            return repeated
        if isinstance(statement, Continue):
            return _loop(statement, loops)
        assert isinstance(statement, Do), "check_nested refuses 'calls'"
        called: int = yield self.call(statement, then, names)
        return called

    def recursion(self, statement: Recursion, then: int, names: _Names, loops: dict[str, int]) -> Task[int]:
        """One table of the loops around serves all depths: entered here, left as it was."""
        head = self.node(GlobalNode(SILENT, place=statement.place, name=statement.name, loop=True))
        hidden = loops.get(statement.name)
        loops[statement.name] = head
        inside: int = yield self.block(statement.block, then, names, loops)
        if hidden is None:
            del loops[statement.name]
        else:
            loops[statement.name] = hidden
        self.nodes[head].next = [inside]
        return head

    def choice(
        self, statement: ChoiceStatement, then: int, names: _Names, loops: dict[str, int]
    ) -> Task[int]:
        at = _role(statement.at, names, statement.place)
        branches = []
        for block in statement.blocks:
            branches.append((yield self.block(block, then, names, loops)))
        places = tuple(b.statements[0].place if b.statements else b.place for b in statement.blocks)
        return self.node(GlobalNode(CHOICE, at, next=branches, place=statement.place, places=places))

    def call(self, statement: Do, then: int, names: _Names) -> Task[int]:
        protocol = self.module.protocols.get(statement.protocol)
        if protocol is None:
            known = self.module.protocols
            raise ModelError(
                f"unknown protocol '{statement.protocol}'",
                place=statement.place,
                hint=did_you_mean(statement.protocol, known) or f"protocols here: {', '.join(known)}",
            )
        if len(statement.roles) != len(protocol.roles):
            raise ModelError(
                f"{protocol.name} has {len(protocol.roles)} roles, but is called with {len(statement.roles)}",
                place=statement.place,
                hint=f"its roles are {', '.join(protocol.roles)}",
            )
        actual = tuple(_role(r, names, statement.place) for r in statement.roles)
        if len(set(actual)) < len(actual):
            raise ModelError(f"one role plays two parts of {protocol.name}", place=statement.place)
        _count_arguments(protocol, statement)
        arguments = tuple(names.argument(a, statement.place) for a in statement.arguments)
        inner = _Names.of(protocol, actual, arguments)
        call = inner.call
        if (call, then) in self.made:
            return self.made[call, then]
        if call in self.active:
            raise ModelError(
                f"{protocol.name} calls itself and then goes on, which no finite automaton can follow",
                place=statement.place,
                hint="a recursive call must be the last thing that happens",
            )
        made: int = yield self.body(protocol, inner, then)
        return made


def _count_arguments(protocol: Protocol, statement: Do) -> None:
    wanted, given = len(protocol.parameters), len(statement.arguments)
    if wanted != given:
        names = ", ".join(p.name for p in protocol.parameters)
        raise ModelError(
            f"{protocol.name} has {wanted or 'no'} parameters, but is called with {given or 'no'} arguments",
            place=statement.place,
            hint=f"its parameters are {names}" if names else f"write  do {protocol.name}(...)",
        )


def _not_itself(sender: str, receiver: str, place: Place) -> None:
    if sender == receiver:
        raise ModelError(f"{sender} sends a message to itself", place=place)


def _role(name: str, names: _Names, place: Place) -> str:
    roles = names.roles
    if name not in roles:
        hint = did_you_mean(name, roles)
        here = f"roles here: {', '.join(roles)}"
        raise ModelError(f"unknown role '{name}'", place=place, hint=f"{hint} {here}" if hint else here)
    return roles[name]


def _loop(statement: Continue, loops: Mapping[str, int]) -> int:
    if statement.name not in loops:
        known = f"recursions around it: {', '.join(loops)}" if loops else "it stands in no rec block"
        raise ModelError(
            f"'continue {statement.name}' has no 'rec {statement.name}' around it",
            place=statement.place,
            hint=did_you_mean(statement.name, loops) or known,
        )
    return loops[statement.name]
