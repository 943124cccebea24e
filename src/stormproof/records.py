"""Dataclasses that cost little to define.

For every frozen class, the decorator of the standard library writes six functions as text and compiles
them. A check loads a hundred such classes, and that took longer than anything else in a small check. Here
only `__init__` is compiled; the other methods are the same for all classes, given what reads the fields.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, *, frozen=False, init=True, repr=True, eq=True, kw_only=False, **others):
        """As `dataclasses.dataclass`, to which it leaves what is not frozen, is ordered or has slots."""

        def decorate(cls):
            if frozen and not others:
                return _frozen(cls, init, repr, eq, kw_only)
            return dataclasses.dataclass(
                cls, frozen=frozen, init=init, repr=repr, eq=eq, kw_only=kw_only, **others
            )

        return decorate if cls is None else decorate(cls)


#: Where a dataclass tells how it was made.
_PARAMETERS = "__dataclass_params__"

#: An argument that was not given, where the field has a factory.
_OMITTED = object()


def _frozen(cls: type, init: bool, repr: bool, eq: bool, kw_only: bool) -> type:
    own = {name for name, value in vars(cls).items() if value is not None}
    inherits = any(
        getattr(base, _PARAMETERS).frozen for base in cls.__mro__[1:] if hasattr(base, _PARAMETERS)
    )
    dataclasses.dataclass(cls, init=False, repr=False, eq=False, frozen=inherits, kw_only=kw_only)
    told = getattr(cls, _PARAMETERS)  # what others read, and classes that inherit from this one
    told.init, told.repr, told.eq, told.frozen = init, repr, eq, True
    fields = dataclasses.fields(cls)
    made: dict[str, Callable[..., Any]] = {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
    if init and "__init__" not in own:
        made["__init__"] = _init(cls, fields)
    if repr and "__repr__" not in own:
        made["__repr__"] = _repr([field.name for field in fields if field.repr])
    if eq:
        key = _key([field.name for field in fields if field.compare])
        made |= {name: f for name, f in _equality(key).items() if name not in own}
    for name, function in made.items():
        setattr(cls, name, function)
    return cls


def _init(cls: type, fields: tuple[Field[Any], ...]) -> Callable[..., None]:
    """The constructor: the only method whose text differs from class to class."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_OMITTED": _OMITTED}
    lines = [
        _assignment(field, known) for field in fields if field.init or field.default_factory is not MISSING
    ]
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    taken = [field for field in fields if field.init]
    plain = [_parameter(field, known) for field in taken if not field.kw_only]
    named = [_parameter(field, known) for field in taken if field.kw_only]
    parameters = ["self", *plain, *(["*", *named] if named else [])]
    exec(f"def __init__({', '.join(parameters)}):\n " + ("\n ".join(lines) or "pass"), known)
    init: Callable[..., None] = known["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {field.name: field.type for field in taken} | {"return": None}
    return init


def _parameter(field: Field[Any], known: dict[str, Any]) -> str:
    if field.default_factory is not MISSING:
        return f"{field.name}=_OMITTED"
    if field.default is MISSING:
        return field.name
    known[f"_default_{field.name}"] = field.default
    return f"{field.name}=_default_{field.name}"


def _assignment(field: Field[Any], known: dict[str, Any]) -> str:
    name = field.name
    if field.default_factory is MISSING:
        return f"_set(self, {name!r}, {name})"
    known[f"_make_{name}"] = field.default_factory
    given = f"_make_{name}() if {name} is _OMITTED else {name}" if field.init else f"_make_{name}()"
    return f"_set(self, {name!r}, {given})"


def _key(names: list[str]) -> Callable[[Any], Any]:
    return attrgetter(*names) if names else lambda record: ()


def _equality(key: Callable[[Any], Any]) -> dict[str, Callable[..., Any]]:
    """Equal are records of the same class whose fields are equal."""

    def equal(self: Any, other: object) -> Any:
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    def digest(self: Any) -> int:
        return hash(key(self))

    return {"__eq__": equal, "__hash__": digest}


def _repr(names: list[str]) -> Callable[[Any], str]:
    def spelled(self: Any) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({values})"

    return spelled


def _refuse_to_set(self: Any, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: Any, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")
