"""Names looked up where they are written: every unknown one is noted, and reading goes on."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import field
from typing import TYPE_CHECKING

from ...errors import ModelError, raise_all
from ...kernel.data.system import DataNames, DataSystem
from ...kernel.model.system import System
from ...records import dataclass
from .storm_recovery import Mistakes
from .text import Source, guess, shorten

if TYPE_CHECKING:
    from ...kernel.goals.data_goals import DataGoalParser
    from ...kernel.goals.parse import GoalParser


@dataclass
class Names:
    """The names of a system. What could not be read has names too, and nobody is blamed for using them:
    `unread` are the roles whose bodies have mistakes, and `roles_unread` says that there are other roles."""

    source: Source
    system: System
    mistakes: Mistakes = field(default_factory=Mistakes)
    unread: Collection[str] = ()
    roles_unread: bool = False
    messages_unread: bool = False

    def role(self, name: str, start: int) -> bool:
        """Is there such a role?"""
        if name in self.system:
            return True
        if not self.roles_unread:
            hint = guess(name, self.system.names, "Roles")
            self.fail(f"unknown role '{shorten(name)}'", start, start + len(name), hint)
        return False

    def roles(self, written: str | None, start: int) -> tuple[str, ...]:
        """The roles that are meant: one, or members of a family; none where there is no such role."""
        assert written is not None
        if isinstance(self.system, DataSystem):
            return self._members(self.system.data, written, start)
        return (written,) if self.role(written, start) else ()

    def _members(self, data: DataNames, written: str, start: int) -> tuple[str, ...]:
        family, bracket, index = written.removesuffix("]").partition("[")
        size = data.families.get(family)
        if size is None:
            return (written,) if self.role(written, start) else ()
        if not bracket:
            hint = f"name one: {family}[1], or all: {family}[*]"
            self.fail(f"{family} is a family", start, start + len(family), hint)
            return ()
        if index == "*":
            return tuple(f"{family}[{number}]" for number in range(1, size + 1))
        number = data.constants.get(index, index)
        if str(number).isdecimal() and 1 <= int(number) <= size:
            return (f"{family}[{int(number)}]",)
        hint = f"members: {family}[1] to {family}[{size}]"
        self.fail(f"there is no {family}[{index}]", start, start + len(written), hint)
        return ()

    def state(self, role: str, name: str, start: int) -> bool:
        """Has this role, which exists, such a state?"""
        states = self.system[role].states
        if name in states:
            return True
        if role not in self.unread:
            hint = guess(name, states, f"States of {shorten(role)}")
            self.fail(f"{shorten(role)} has no state '{shorten(name)}'", start, start + len(name), hint)
        return False

    def goal(self, parser: GoalParser | DataGoalParser) -> None:
        """Look up what a goal names."""
        for problem in parser.unknown_names(self.system, self.is_unread):
            self.mistakes.add(problem)

    def is_unread(self, what: str, role: str) -> bool:
        """May a role, a state of a role, or a message be in what could not be read?"""
        if what == "state":
            return role in self.unread
        return self.messages_unread if what == "message" else self.roles_unread

    def fail(self, message: str, start: int, end: int | None = None, hint: str | None = None) -> None:
        self.mistakes.fail(self.source, message, start, end, hint, ModelError)

    def raise_mistakes(self) -> None:
        """Raise what was noted, if anything was."""
        raise_all(self.mistakes.errors)
