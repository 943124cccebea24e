"""The decorator `role`, and roles with their arguments."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from ...errors import Place, UsageError
from .requests import Durable, RoleRequest
from .values import ValueKey, key

RoleGenerator = Generator[RoleRequest, Any, Any]
#: What a role function returns: `def Sender(item: int) -> sp.Steps:`.
Steps = RoleGenerator

P = ParamSpec("P")
_Rest = ParamSpec("_Rest")
_Self = TypeVar("_Self")


class Role(Generic[P]):
    """A role function. Called with its parameters it gives a `RoleCall`, which starts nothing by itself.

    In a class it is a method: `Node(1).run` is a role of that node, which has to be immutable.
    """

    def __init__(self, function: Callable[P, RoleGenerator]) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.signature = inspect.signature(function)

    @property
    def name(self) -> str:
        return str(self.function.__name__)

    @overload
    def __get__(self, instance: None, owner: type) -> Role[P]: ...

    @overload
    def __get__(self: Role[Concatenate[_Self, _Rest]], instance: _Self, owner: type) -> RoleMethod[_Rest]: ...

    def __get__(self, instance: Any, owner: type) -> Role[Any]:
        return self if instance is None else RoleMethod(self, instance)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> RoleCall:
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as problem:
            raise TypeError(f"{self.name}() {problem}") from None
        bound.apply_defaults()
        given = {n: v.value if isinstance(v, Durable) else v for n, v in bound.arguments.items()}
        return RoleCall(self, given)

    @cached_property
    def durable(self) -> tuple[str, ...]:
        """Its durable parameters."""
        known = self.signature.parameters.values()
        return tuple(p.name for p in known if isinstance(p.default, Durable))

    def __repr__(self) -> str:
        return f"<role {self.name}>"

    def __reduce__(self) -> str:
        """Pickled by its name, as functions are."""
        return str(self.function.__qualname__)


class RoleMethod(Role[P]):
    """A role function of a class, with its object."""

    def __init__(self, method: Role[Any], instance: object) -> None:
        super().__init__(method.function)
        self._method, self._instance = method, instance

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> RoleCall:
        return self._method(self._instance, *args, **kwargs)


@dataclass(frozen=True, eq=False)
class RoleCall:
    """A role with its arguments: to be extracted, to be run, or to be delegated to with `yield from`."""

    role: Role[Any]
    arguments: Mapping[str, Any]

    def __iter__(self) -> Iterator[RoleRequest]:
        """The generator that CPython runs."""
        return self.generator()

    def again(self, held: Mapping[str, Any]) -> RoleCall:
        """The role as it is called after a restart."""
        return replace(self, arguments={**self.arguments, **held})

    def generator(self) -> RoleGenerator:
        bound = inspect.BoundArguments(self.role.signature, dict(self.arguments))
        return self.role.function(*bound.args, **bound.kwargs)

    def key(self) -> ValueKey:
        return (id(self.role), *((name, key(value)) for name, value in self.arguments.items()))


def role(function: Callable[P, RoleGenerator]) -> Role[P]:
    """Mark a generator function as a role of a protocol.

    >>> @role
    ... def Client():
    ...     yield send("Server", "hello")
    """
    if not inspect.isgeneratorfunction(function):
        from .source import shown_file  # which needs roles itself

        name, code = getattr(function, "__name__", repr(function)), getattr(function, "__code__", None)
        raise UsageError(
            f"{name} is not a generator function",
            place=None if code is None else Place(shown_file(code.co_filename), code.co_firstlineno),
            hint="a role yields what it sends and receives",
        )
    return Role(function)


def as_call(given: Role[Any] | RoleCall) -> RoleCall:
    """A role that needs no arguments may be given as it is."""
    if isinstance(given, RoleCall):
        return given
    if not isinstance(given, Role):
        raise UsageError(f"{given!r} is not a role", hint="write @sp.role above its function")
    try:
        return given()
    except TypeError as problem:
        raise UsageError(f"{problem}", hint=f"give its arguments: {given.name}(...)") from None
