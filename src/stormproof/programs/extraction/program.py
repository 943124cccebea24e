"""A role function as a list of instructions, between which it can be stopped and started again."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from ..automata.live import ProgramEdge, live_variables
from .snippet import Snippet
from .source import RoleSource

#: The hidden variable into which a yield, a loop or a helper role puts what it gives.
GIVEN = "_stormproof_given"

#: How all hidden variables begin, and those of loops, of `match` and of parts of expressions.
HIDDEN = "_stormproof_"
LOOP, SUBJECT, PART = HIDDEN + "loop", HIDDEN + "subject", HIDDEN + "part"


#: Behind the name of a loop's variable: what must not change while the loop goes on.
_OVER = "_over"


def over(items: str) -> str:
    return items + _OVER


@dataclass
class Instruction:
    """One step; `line` is where the source has it."""

    line: int

    def reads(self) -> frozenset[str]:
        return frozenset()

    def writes(self) -> frozenset[str]:
        """What is bound on the way to the next instruction."""
        return frozenset()


@dataclass
class _WithSnippet(Instruction):
    snippet: Snippet

    def reads(self) -> frozenset[str]:
        return self.snippet.reads

    def writes(self) -> frozenset[str]:
        return frozenset(self.snippet.writes)


@dataclass
class Compute(_WithSnippet):
    """Run a piece of the source, and bind what it assigns."""


@dataclass
class ComputeSome(_WithSnippet):
    """Run a piece of the source that binds some of its variables, each as a tuple of what it has."""

    def writes(self) -> frozenset[str]:
        return frozenset()


@dataclass
class Check(_WithSnippet):
    """`assert`: a snippet that raises or binds nothing."""


@dataclass
class Fork(_WithSnippet):
    """The snippet gives a truth value."""

    otherwise: int = -1


@dataclass
class Case(_WithSnippet):
    """The snippet gives what a pattern binds, or None where it does not match."""

    otherwise: int = -1


@dataclass
class Begin(_WithSnippet):
    """Start a loop: `items` becomes what is left to go through, `over` what must not change meanwhile."""

    items: str = ""

    @property
    def over(self) -> str:
        return over(self.items)

    def writes(self) -> frozenset[str]:
        return frozenset((self.items, self.over))


@dataclass
class Next(Instruction):
    """Take the first of what is left, or leave the loop."""

    items: str
    otherwise: int = -1

    @property
    def over(self) -> str:
        return over(self.items)

    def reads(self) -> frozenset[str]:
        return frozenset((self.items, self.over))

    def writes(self) -> frozenset[str]:
        return frozenset((GIVEN,))


@dataclass
class Jump(Instruction):
    to: int = -1


@dataclass
class YieldRequest(_WithSnippet):
    """Yield the request that the snippet gives; the next instruction finds the answer in `GIVEN`."""

    def writes(self) -> frozenset[str]:
        return frozenset((GIVEN,))


@dataclass
class Delegate(_WithSnippet):
    """`yield from`: go on in another role; the next instruction finds its result in `GIVEN`."""

    def writes(self) -> frozenset[str]:
        return frozenset((GIVEN,))


@dataclass
class Return(_WithSnippet):
    """End this role, and give the snippet's value to the role that delegated to it."""


@dataclass
class Program:
    """The instructions of one role function."""

    source: RoleSource
    code: list[Instruction]
    assigned: dict[str, int] = field(default_factory=dict)
    """Each variable, with the last line that assigns it."""
    loops: dict[str, str] = field(default_factory=dict)
    """The hidden variable of each loop, with what the loop assigns."""

    @property
    def name(self) -> str:
        return self.source.function.__name__

    def successors(self, at: int) -> tuple[int, ...]:
        """Where an instruction may lead: first with its writes, then without them."""
        instruction = self.code[at]
        if isinstance(instruction, Jump):
            return (instruction.to,)
        if isinstance(instruction, Return):
            return ()
        if isinstance(instruction, Fork | Case | Next):
            return (at + 1, instruction.otherwise)
        return (at + 1,)

    @cached_property
    def live(self) -> tuple[frozenset[str], ...]:
        """For each instruction the variables that may be read from there on before they are assigned.

        No other variable can be observed, so two points that differ only in others are one state.
        """
        found = live_variables({at: self._leaving(at) for at in range(len(self.code))})
        return tuple(found[at] for at in range(len(self.code)))

    def _leaving(self, at: int) -> list[ProgramEdge]:
        instruction, after = self.code[at], self.successors(at)
        if not after:
            return [ProgramEdge(None, instruction.reads())]
        first = ProgramEdge(after[0], instruction.reads(), instruction.writes())
        return [first, *(ProgramEdge(other) for other in after[1:])]
