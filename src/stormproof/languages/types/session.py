"""A session: the roles of a protocol, who may crash, and what each role does, however it was written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ...errors import UsageError, did_you_mean
from ...kernel.model.system import System
from .global_graph import global_graph
from .graph import LocalGraph, graph_of, type_of
from .nested_protocols import check_nested
from .projection import project
from .scribble import parse_scribble
from .scribble_syntax import Module, Protocol
from .syntax import LocalType
from .translate import automaton_of_graph
from .wellformed import Advice, Flaw, advise_global, graph_problems, variable_problems


@dataclass(frozen=True, eq=False)
class Session:
    """What each role does, as a graph; `types` are the same as local types, `system()` as automata."""

    name: str
    graphs: Mapping[str, LocalGraph]
    unreliable: tuple[str, ...] = ()
    given: Mapping[str, LocalType] = field(default_factory=dict)
    advise: Advice | None = None
    #: What was noticed about the protocol as a whole.
    beside: tuple[Flaw, ...] = ()

    @property
    def roles(self) -> tuple[str, ...]:
        return tuple(self.graphs)

    @cached_property
    def types(self) -> Mapping[str, LocalType]:
        """The local type of each role: as written, or what the projection gives."""
        return {role: self.type(role) for role in self.graphs}

    def type(self, role: str) -> LocalType:
        if role not in self.graphs:
            known = f"roles here: {', '.join(self.graphs)}"
            raise UsageError(f"unknown role '{role}'; {known}", hint=did_you_mean(role, self.graphs))
        return self.given[role] if role in self.given else type_of(self.graphs[role])

    @cached_property
    def problems(self) -> tuple[Flaw, ...]:
        """The errors and warnings of all roles' types."""
        found: list[Flaw] = list(self.beside)
        for role, graph in self.graphs.items():
            found += graph_problems(role, graph, self.roles, self.unreliable, self.advise)
        return tuple(found)

    @property
    def warnings(self) -> tuple[Flaw, ...]:
        return tuple(p for p in self.problems if p.warning)

    def check(self) -> None:
        """Raise the first error."""
        for problem in self.problems:
            if not problem.warning:
                raise problem.error()

    def system(self) -> System:
        """The automata of all roles; raises an InputError where a type is not well-formed."""
        self.check()
        automata = (automaton_of_graph(r, g, self.roles, self.unreliable) for r, g in self.graphs.items())
        return System(tuple(automata), name=self.name)


def session_of_types(
    types: Mapping[str, LocalType],
    unreliable: tuple[str, ...] = (),
    name: str = "",
    advise: Advice | None = None,
) -> Session:
    """A session of local types; raises ModelError where a variable is unbound, bound twice or unguarded."""
    for role, type_ in types.items():
        for problem in variable_problems(role, type_):
            raise problem.error()
    graphs = {role: graph_of(type_) for role, type_ in types.items()}
    return Session(name, graphs, unreliable, types, advise)


def session_of_scribble(text: str, file: str | None = None, protocol: str | None = None) -> Session:
    """The projection of a global protocol to all its roles.

    Without a name it is the first protocol of the file that is not `aux`, or the first one if all are; then
    the others that are not `aux` must be well-formed, too.
    """
    module = parse_scribble(text, file)
    chosen = choose(module, protocol)
    session = _session(module, chosen, [*check_nested(module), *_unchecked(module)])
    if protocol is None:
        for other in module.protocols.values():
            if other is not chosen and not other.aux and not other.parameters:
                _session(module, other, []).check()
    return session


def _session(module: Module, chosen: Protocol, beside: list[Flaw]) -> Session:
    graph = global_graph(module, chosen)
    graphs = {role: project(graph, role) for role in chosen.roles}
    lost = graph.unreached()
    if lost:
        said = "this is never reached: what stands before it goes on for ever"
        beside.append(Flaw(said, lost, warning=True))
    return Session(chosen.name, graphs, module.unreliable(chosen), advise=advise_global, beside=tuple(beside))


def _unchecked(module: Module) -> list[Flaw]:
    """One warning for all annotations and conditions of a file."""
    if not module.unchecked:
        return []
    count = len(module.unchecked)
    these = "this one is" if count == 1 else f"this one and {count - 1} more are"
    said = f"annotations and conditions on values are not checked: {these} left out"
    return [Flaw(said, module.unchecked[0], warning=True)]


def choose(module: Module, name: str | None) -> Protocol:
    """The protocol with this name, or the main one."""
    if name is None:
        main = (p for p in module.protocols.values() if not p.aux)
        return next(main, next(iter(module.protocols.values())))
    if name not in module.protocols:
        known = ", ".join(module.protocols)
        raise UsageError(
            f"unknown protocol '{name}'; protocols here: {known}", hint=did_you_mean(name, module.protocols)
        )
    return module.protocols[name]
