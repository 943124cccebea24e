"""Alternatives with their expressions made into functions: what a role with variables is run by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from ...kernel.data.evaluate import Compiled, Run
from ...kernel.data.syntax import Name
from ...kernel.data.types import Type
from ...kernel.data.values import Value
from ...records import dataclass
from .syntax import AlternativeSyntax, VariableSyntax


@dataclass(frozen=True)
class FieldPattern:
    """A field of a reception: equal to a value, bound to a name, or anything."""

    name: str = ""
    equal: Compiled | None = None

    def takes(self, value: Value, env: Mapping[str, Value]) -> bool:
        return self.equal is None or bool(self.equal.run(env) == value)


@dataclass(frozen=True)
class Peers:
    """Who is meant: one role by its name; members of a family that an expression gives; all others of one
    (`everybody`); or, in a reception, any other member (`pattern`)."""

    role: str
    family: bool = False
    index: Compiled | None = None
    everybody: bool = False
    pattern: FieldPattern | None = None


@dataclass(frozen=True)
class Update:
    """What a variable becomes; with `key`, what its map has there."""

    name: str
    domain: Type
    key: Run | None
    value: Run
    start: int
    end: int


@dataclass
class DataAlternative:
    """An alternative, made of what is written; `reads` are the variables of the role that it looks up."""

    order: int
    written: AlternativeSyntax
    peers: Peers | None = None
    fields: tuple[Compiled, ...] = ()
    patterns: tuple[FieldPattern, ...] = ()
    guard: Run | None = None
    updates: tuple[Update, ...] = ()
    reads: frozenset[str] = frozenset()

    @property
    def kind(self) -> str:
        return self.written.kind

    @property
    def saved(self) -> tuple[str, ...]:
        """The durable variables that it writes to the disk."""
        return tuple(name.name for name in self.written.saved or ())

    @property
    def target(self) -> str:
        return self.written.target.name


@dataclass(frozen=True)
class DataVariable:
    """A variable with its domain and its first value."""

    name: str
    domain: Type
    initial: Value
    written: VariableSyntax


@dataclass
class CompiledRole:
    """A role, or what the members of a family do; `index` is what each calls itself."""

    name: str
    start: int
    variables: dict[str, DataVariable] = field(default_factory=dict)
    states: dict[str, list[DataAlternative]] = field(default_factory=dict)
    names: dict[str, Name] = field(default_factory=dict)
    index: str = ""
    members: int = 0
    recovery: dict[str, str] = field(default_factory=dict)

    @property
    def durable(self) -> tuple[str, ...]:
        """Its durable variables."""
        return tuple(name for name, variable in self.variables.items() if variable.written.durable)

    @property
    def initial(self) -> str:
        return next(iter(self.states))
