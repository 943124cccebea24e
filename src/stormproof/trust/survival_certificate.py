"""Certificates of survival and requirements (definitions 10.14), and their JSON form.

A configuration is a number: its digits are the state of each process (in the order of its states), for
`leads to` whether it is pending (1) or not (0), the content of each channel (in the order of the table
`contents`) and, of configurations that storms reach, how many faults of each limited kind (in the order of
`FAULT_KINDS`) and in all were spent. The first digit is the lowest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from itertools import accumulate
from typing import Any, NamedTuple, TypeVar

from ..errors import InputError
from ..kernel.model.actions import Channel, Message, Word, message_order
from ..kernel.model.ask import Ask
from ..kernel.model.budget import Budget
from ..kernel.model.message_json import message_from_json, message_to_json
from ..kernel.model.phrases import plural
from ..kernel.model.storm_step import FAULT_KINDS
from ..kernel.model.survival import BlockSize
from ..kernel.model.system import System
from ..records import dataclass

T = TypeVar("T")

#: The most configurations of a certificate, and the most digits of the number of one.
MOST, MOST_DIGITS = 2_000_000, 4000


class BlockContent(NamedTuple):
    """Every word that consists of these blocks, (message, count), and then any messages of `tail`; a count
    above `BlockSize.counted` stands for that many or more."""

    blocks: tuple[tuple[Message, int], ...] = ()
    tail: frozenset[Message] = frozenset()


@dataclass(frozen=True)
class ClosedSet:
    """A property holds. `storms`: all configurations that storms with at most `k` messages per channel reach;
    `beyond`: others on calm runs to the goal. Both by rank, the number of actions of such a run; where no
    goal must be reached, all have the rank 0."""

    k: int
    contents: Mapping[Channel, tuple[Word, ...]] = field(repr=False)
    storms: tuple[Sequence[int], ...] = field(repr=False)
    beyond: tuple[Sequence[int], ...] = field(default=(), repr=False)

    kind = "closed set"

    @property
    def size(self) -> int:
        return sum(map(len, (*self.storms, *self.beyond)))

    def describe(self) -> str:
        return plural(self.size, "configuration")

    def summary(self) -> dict[str, Any]:
        return {"kind": self.kind, "sizes": {"configurations": self.size}}

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "k": self.k,
            "contents": {"->".join(c): [*map(_word_to_json, table)] for c, table in self.contents.items()},
            "storms": [_differences(rank) for rank in self.storms],
            "beyond": [_differences(rank) for rank in self.beyond],
        }


@dataclass(frozen=True)
class OutOfReach:
    """Abstract configurations that no calm step leaves, and in none of which the goal may hold."""

    blocks: BlockSize
    contents: Mapping[Channel, tuple[BlockContent, ...]] = field(repr=False)
    numbers: Sequence[int] = field(repr=False)

    kind = "out of reach"

    @property
    def size(self) -> int:
        return len(self.numbers)

    def describe(self) -> str:
        return plural(self.size, "abstract configuration")

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "blocks": self.blocks.blocks,
            "counted": self.blocks.counted,
            "contents": {"->".join(c): [*map(_content_to_json, table)] for c, table in self.contents.items()},
            "configurations": _differences(self.numbers),
        }


SurvivalCertificate = ClosedSet | OutOfReach


def bases(
    system: System,
    contents: Iterable[Sequence[object]],
    budget: Budget | None = None,
    ask: Ask | None = None,
) -> list[int]:
    """How many values each digit of a configuration has; `budget`: of one that storms reach, `ask`: where it
    may say whether it is pending."""
    waits = [2] if ask is not None and ask.after is not None else []
    found = [*(len(p.states) for p in system), *waits, *map(len, contents)]
    if budget is not None:
        found += [budget.kinds[kind] + 1 for kind in FAULT_KINDS if kind in budget.kinds]
        found += [1 if budget.total is None else budget.total + 1]
    return found


# ---- JSON ----------------------------------------------------------------------------------------------


def _word_to_json(word: Word) -> list[Any]:
    return [message_to_json(m) for m in word]


def _content_to_json(content: BlockContent) -> dict[str, Any]:
    return {
        "blocks": [[message_to_json(m), count] for m, count in content.blocks],
        "tail": [message_to_json(m) for m in sorted(content.tail, key=message_order)],
    }


def _differences(numbers: Iterable[int]) -> str:
    """The numbers in increasing order, each by its difference to the one before it."""
    ordered = sorted(numbers)
    return " ".join(str(now - before) for before, now in zip([0, *ordered], ordered))


def survival_certificate_from_json(data: Any) -> SurvivalCertificate:
    """The inverse of `to_json`; whatever is wrong with the data is an InputError."""
    try:
        if data["kind"] == ClosedSet.kind:
            words = _tables(data["contents"], lambda word: tuple(map(message_from_json, word)))
            return ClosedSet(_number(data["k"]), words, _ranks(data["storms"]), _ranks(data["beyond"]))
        if data["kind"] == OutOfReach.kind:
            size = BlockSize(_number(data["blocks"]), _number(data["counted"]))
            return OutOfReach(size, _tables(data["contents"], _content), _sums(data["configurations"]))
        raise InputError(f"a certificate of the kind {data['kind']!r} is unknown")
    except (KeyError, TypeError, AttributeError, ValueError) as problem:
        if isinstance(problem, InputError):
            raise
        raise InputError(f"not a certificate: {type(problem).__name__} {problem}") from None


def _tables(tables: Mapping[str, Any], read: Callable[[Any], T]) -> dict[Channel, tuple[T, ...]]:
    found = {}
    for name, table in tables.items():
        sender, _, receiver = name.partition("->")
        found[Channel(sender, receiver)] = tuple(map(read, table))
    return found


def _content(data: Any) -> BlockContent:
    blocks = tuple((message_from_json(m), _number(count)) for m, count in data["blocks"])
    return BlockContent(blocks, frozenset(map(message_from_json, data["tail"])))


def _ranks(data: Any) -> tuple[Sequence[int], ...]:
    return tuple(map(_sums, data))


def _sums(data: Any) -> Sequence[int]:
    if not isinstance(data, str):
        raise InputError("the configurations of a certificate are not numbers")
    longest = max(map(len, data.split()), default=0)
    if longest > MOST_DIGITS:
        raise InputError(f"a number of a certificate has {longest:,} digits, more than {MOST_DIGITS:,}")
    return list(accumulate(map(int, data.split())))


def _number(value: Any) -> int:
    if type(value) is not int:
        raise InputError(f"{value!r} in a certificate is not a number")
    return value
