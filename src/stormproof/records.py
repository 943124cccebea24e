"""Dataclasses that cost little to define.

For every class, the decorator of the standard library writes up to ten functions as text and compiles them.
A check loads more than a hundred such classes, and that took longer than anything else in a small check. Here
only `__init__` is compiled, and not before it is needed; the other methods are the same for all classes,
given what reads the fields. `fields`, `replace` and what else the standard library has for dataclasses works.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError
from functools import cache
from operator import attrgetter, ge, gt, le, lt
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, *, slots=False, **options):
        """As `dataclasses.dataclass`, to which it leaves classes with slots: they must be made anew."""

        def decorate(cls):
            return dataclasses.dataclass(cls, slots=True, **options) if slots else _record(cls, **options)

        return decorate if cls is None else decorate(cls)


#: An argument that was not given, where the field has a factory.
_OMITTED = object()


def _record(
    cls: type,
    *,
    init: bool = True,
    repr: bool = True,
    eq: bool = True,
    order: bool = False,
    frozen: bool = False,
    kw_only: bool = False,
) -> type:
    own = {name for name, value in vars(cls).items() if value is not None}
    fields = _declare(cls, _parameters(init, repr, eq, order, frozen), kw_only)
    key = _key([field.name for field in fields if field.compare])
    made: dict[str, Any] = {"__init__": _Constructor(cls, fields, frozen)} if init else {}
    if repr:
        made["__repr__"] = _repr([field.name for field in fields if field.repr])
    made |= _equality(key, frozen) if eq else {}
    made |= _order(key) if order else {}
    made |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete} if frozen else {}
    for name, function in made.items():
        if name not in own:
            setattr(cls, name, function)
    return cls


@cache
def _parameters(init: bool, repr: bool, eq: bool, order: bool, frozen: bool) -> Any:
    """How a dataclass was made, as the standard library writes it down; it reads it where one inherits."""
    sample: Any = type("Sample", (), {"__doc__": "None."})
    told = dataclasses.dataclass(sample, init=False, repr=False, eq=False).__dataclass_params__
    told.init, told.repr, told.eq, told.order, told.frozen = init, repr, eq, order, frozen
    return told


def _declare(cls: Any, parameters: Any, kw_only: bool) -> list[Field[Any]]:
    """Tell the standard library that the class is a dataclass, and with which fields."""
    found: dict[str, Field[Any]] = {}
    for base in reversed(cls.__mro__[1:]):
        found |= getattr(base, "__dataclass_fields__", {})
    for name, annotation in vars(cls).get("__annotations__", {}).items():
        if not str(annotation).startswith(("ClassVar", "typing.ClassVar")):
            found[name] = _field(cls, name, annotation, kw_only)
    cls.__dataclass_fields__ = found
    cls.__dataclass_params__ = parameters
    taken = (name for name, field in found.items() if field.init and not field.kw_only)
    cls.__match_args__ = tuple(taken)  # type: ignore[misc]
    return list(found.values())


def _field(cls: type, name: str, annotation: Any, kw_only: bool) -> Field[Any]:
    given: Any = getattr(cls, name, MISSING)
    made: Field[Any] = given if isinstance(given, Field) else dataclasses.field(default=given)
    if made.default.__class__.__hash__ is None:
        raise ValueError(f"all instances of {cls.__name__} would share one {name}: use default_factory")
    if made is given and made.default is MISSING:
        delattr(cls, name)
    elif made is given:
        setattr(cls, name, made.default)
    made.name, made.type = name, annotation
    made.kw_only = kw_only if made.kw_only is MISSING else made.kw_only
    made._field_type = dataclasses._FIELD  # type: ignore[attr-defined]  # for `fields`: a field of instances
    return made


class _Constructor:
    """`__init__` of a class, compiled when it is first asked for: a check uses few of its classes."""

    def __init__(self, cls: Any, fields: list[Field[Any]], frozen: bool) -> None:
        self._cls = cls
        self._fields = fields
        self._frozen = frozen

    def __get__(self, instance: object, owner: type | None = None) -> Callable[..., None]:
        init = _init(self._cls, self._fields, self._frozen)
        self._cls.__init__ = init  # from now on it is found instead of this
        return init if instance is None else init.__get__(instance)


def _init(cls: type, fields: list[Field[Any]], frozen: bool) -> Callable[..., None]:
    """The constructor: the only method whose text differs from class to class."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_OMITTED": _OMITTED}
    set_here = [field for field in fields if field.init or field.default_factory is not MISSING]
    lines = [_assignment(field, known, frozen) for field in set_here]
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


def _assignment(field: Field[Any], known: dict[str, Any], frozen: bool) -> str:
    name = given = field.name
    if field.default_factory is not MISSING:
        known[f"_make_{name}"] = field.default_factory
        given = f"_make_{name}() if {name} is _OMITTED else {name}" if field.init else f"_make_{name}()"
    return f"_set(self, {name!r}, {given})" if frozen else f"self.{name} = {given}"


def _key(names: list[str]) -> Callable[[Any], Any]:
    return attrgetter(*names) if names else lambda record: ()


def _equality(key: Callable[[Any], Any], frozen: bool) -> dict[str, Any]:
    """Equal are records of the same class whose fields are equal; what can change has no hash."""

    def equal(self: Any, other: object) -> Any:
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    def digest(self: Any) -> int:
        return hash(key(self))

    return {"__eq__": equal, "__hash__": digest if frozen else None}


def _order(key: Callable[[Any], Any]) -> dict[str, Any]:
    """Records of the same class are ordered by their first field that differs."""

    def comparison(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        def compared(self: Any, other: object) -> Any:
            return compare(key(self), key(other)) if other.__class__ is self.__class__ else NotImplemented

        return compared

    return {f"__{compare.__name__}__": comparison(compare) for compare in (lt, le, gt, ge)}


def _repr(names: list[str]) -> Callable[[Any], str]:
    def spelled(self: Any) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({values})"

    return spelled


def _refuse_to_set(self: Any, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: Any, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")
