"""The dataclasses of `stormproof.records` behave like those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from stormproof import records
from stormproof.kernel.model.requirement import Claim
from stormproof.limits import Limits

Decorator = Callable[..., Any]
BOTH = pytest.mark.parametrize("dataclass", [records.dataclass, dataclasses.dataclass])


def shape(dataclass: Decorator) -> type[Any]:
    @dataclass(frozen=True)
    class Shape:
        """A name and sides; what is derived from them is not compared."""

        name: str
        sides: tuple[int, ...] = (1, 1)
        tags: list[str] = dataclasses.field(default_factory=list)
        note: str = dataclasses.field(default="", compare=False, repr=False)
        length: int = dataclasses.field(init=False, default=0)
        seen: list[int] = dataclasses.field(init=False, default_factory=list, compare=False)
        KIND: ClassVar[str] = "shape"

        def __post_init__(self) -> None:
            object.__setattr__(self, "length", sum(self.sides))

    return Shape


@BOTH
def test_fields_are_taken_in_order_by_name_or_by_default(dataclass: Decorator) -> None:
    made = shape(dataclass)("square", note="n")
    assert (made.name, made.sides, made.tags, made.note, made.length) == ("square", (1, 1), [], "n", 2)
    assert made.tags is not shape(dataclass)("other").tags
    assert list(inspect.signature(type(made)).parameters) == ["name", "sides", "tags", "note"]
    assert inspect.signature(type(made)).parameters["name"].annotation == "str"
    with pytest.raises(TypeError, match="__init__"):
        shape(dataclass)()


@BOTH
def test_equal_are_equal_fields_of_the_same_class(dataclass: Decorator) -> None:
    one, other = shape(dataclass), shape(dataclass)
    assert one("a", note="x") == one("a", note="y")
    assert one("a") != one("b")
    assert one("a") != other("a")
    assert one("a") != "a"
    with pytest.raises(TypeError, match="unhashable"):
        hash(one("a"))

    @dataclass(frozen=True)
    class Name:
        text: str

    @dataclass(frozen=True)
    class Nothing:
        pass

    assert len({Name("a"), Name("a"), Name("b")}) == 2
    assert len({Nothing(), Nothing()}) == 1


@BOTH
def test_they_are_shown_copied_and_refuse_changes(dataclass: Decorator) -> None:
    made = shape(dataclass)("a")
    assert repr(made).endswith("Shape(name='a', sides=(1, 1), tags=[], length=2, seen=[])")
    assert dataclasses.replace(made, sides=(3, 4)).length == 7
    assert copy.deepcopy(made) == made
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.name = "b"
    with pytest.raises(dataclasses.FrozenInstanceError):
        del made.name
    assert made.name == "a"


@BOTH
def test_classes_inherit_and_keep_their_own_methods(dataclass: Decorator) -> None:
    @dataclass(frozen=True, kw_only=True)
    class Base:
        size: int = 1

    @dataclass(frozen=True)
    class Derived(Base):
        name: str

        def __repr__(self) -> str:
            return self.name

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Derived)

    @dataclass(frozen=True, eq=False)
    class Unique:
        size: int

    @dataclasses.dataclass(frozen=True)
    class Further(Derived):
        more: int = 0

    made = Derived("a", size=2)
    assert Further("a", 3, size=2).more == 3
    assert dataclasses.is_dataclass(Unique)
    assert not Unique.__dataclass_params__.eq  # type: ignore[attr-defined]
    assert (made.size, repr(made)) == (2, "a")
    assert made == Derived("b") != Base()
    assert hash(made) == hash(Derived("a", size=2))
    assert Unique(1) != Unique(1)


@BOTH
def test_what_is_not_frozen_can_change_and_has_no_hash(dataclass: Decorator) -> None:
    @dataclass
    class Changing:
        size: int = 0
        seen: list[int] = dataclasses.field(default_factory=list)

    changing = Changing()
    changing.size = 3
    changing.seen.append(1)
    assert changing == Changing(3, [1])
    assert Changing().seen == []
    with pytest.raises(TypeError, match="unhashable"):
        hash(changing)


@BOTH
def test_ordered_records_are_compared_field_by_field(dataclass: Decorator) -> None:
    @dataclass(frozen=True, order=True)
    class Ordered:
        size: int = 0
        name: str = ""

    @dataclass(frozen=True, order=True)
    class Other:
        size: int = 0

    assert Ordered(1, "b") < Ordered(2, "a") <= Ordered(2, "a") > Ordered(1)
    assert sorted([Ordered(2), Ordered(1, "b"), Ordered(1, "a")])[0] == Ordered(1, "a")
    with pytest.raises(TypeError):
        assert Ordered(1) < Other(2)  # type: ignore[operator]


@BOTH
def test_constructors_are_found_by_classes_that_only_inherit(dataclass: Decorator) -> None:
    @dataclass
    class Base:
        size: int

    class Plain(Base):
        pass

    class Calling(Base):
        def __init__(self) -> None:
            super().__init__(7)

    assert (Plain(3).size, Calling().size) == (3, 7)
    assert list(inspect.signature(Plain).parameters) == ["size"]
    assert inspect.signature(Base.__init__).parameters["size"].annotation == "int"


@BOTH
def test_a_default_that_instances_would_share_is_refused(dataclass: Decorator) -> None:
    with pytest.raises(ValueError, match="default_factory"):

        @dataclass
        class Shared:
            seen: list[int] = []  # noqa: RUF012


def test_classes_with_slots_are_left_to_the_standard_library() -> None:
    @records.dataclass(frozen=True, slots=True)
    class Slotted:
        size: int = 0

    assert not hasattr(Slotted(1), "__dict__")
    assert Slotted(1) == Slotted(1)


def test_values_of_the_package_can_be_pickled() -> None:
    limits = Limits(seconds=1.0)
    assert pickle.loads(pickle.dumps(limits)) == limits
    assert {field.name for field in dataclasses.fields(Claim)} == set(Claim.__match_args__)
