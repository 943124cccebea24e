"""Observers in a .storm text, parsed: `observer Seen { no: A -> B?m -> yes  yes: }` (definitions 17.1)."""

from __future__ import annotations

import re

from ...kernel.data.syntax import Expression, Name
from ...kernel.model.actions import Message
from ...kernel.model.observer import HAPPENINGS, IS_AT, RECEIVES, SENDS
from ...programs.data.syntax import ACT, DataRole, PeerSyntax, WatchSyntax
from .storm_data import DataRoleParser
from .storm_recovery import Mistakes
from .storm_scan import NAME, Cursor
from .text import SizeCount

_EXAMPLE = "write  A -> B!message -> next,  A -> B?message -> next,  A@state -> next  or  stop A -> next"
_ANY = "_"
_HAPPENS = re.compile(rf"(?:{'|'.join(HAPPENINGS)})[ \t]+(?:{NAME})")


def parse_observer(cursor: Cursor, budget: SizeCount, mistakes: Mistakes) -> DataRole:
    """What follows the word `observer`."""
    name, start = cursor.name("the observer's name")
    if not name:
        cursor.source.fail("an observer needs a name", start, cursor.at)
    cursor.expect("{", "an observer is  observer Seen { no: A -> B!message -> yes  yes: }")
    return ObserverParser(cursor, budget, mistakes, DataRole(name, start)).parse()


class ObserverParser(DataRoleParser):
    """Reads the body of one observer: variables, states, and what is watched in each."""

    what = "observer"

    def alternative(self) -> None:
        cursor, start = self.cursor, self.cursor.skip()
        if self.current is None:
            cursor.fail("a variable or a state", "write  var x: 0..3  or  no: A -> B!message -> yes")
        cursor.mark("alternative")
        watched = self.event(start)
        found = self.rest(ACT, start)
        self.current.alternatives.append(found.watching(watched))
        self.budget.transition(start)

    def event(self, start: int) -> WatchSyntax:
        cursor = self.cursor
        if _HAPPENS.match(self.text, start):
            kind = cursor.keyword(*HAPPENINGS)
            assert kind is not None
            return WatchSyntax(kind, self.member())
        if cursor.peek_word() in ("if", "else", "internal", "timeout"):
            cursor.fail("an event", f"an observer only watches: {_EXAMPLE}")
        role = self.member()
        if cursor.symbol("@"):
            return WatchSyntax(IS_AT, role, states=self.states())
        if not cursor.symbol("->"):
            cursor.fail("'->' or '@'", _EXAMPLE)
        other = self.member()
        sends = cursor.symbol("!")
        if not sends and not cursor.symbol("?"):
            hint = f"say what is watched: {role.name.name} -> {other.name.name}!message or ?message"
            cursor.fail("'!' or '?'", hint)
        message, place, fields = self.watched_message()
        ends = (role, other) if sends else (other, role)
        return WatchSyntax(SENDS if sends else RECEIVES, *ends, message, place, fields)

    def member(self) -> PeerSyntax:
        """A role, or a member of a family."""
        if not self.cursor.data:
            return PeerSyntax(self.name("a role", _EXAMPLE))
        found = self.peer()
        if found.everybody:
            hint = f"any of them is {found.name.name}[_]"
            self.source.fail("an event is of one member", found.name.start, found.name.end, hint)
        return found

    def watched_message(self) -> tuple[Message | None, Name, tuple[Expression, ...]]:
        """The message, None for any; and where it stands."""
        cursor, start = self.cursor, self.cursor.skip()
        fields: tuple[Expression, ...] = ()
        if cursor.data:
            message, fields = self.message()
        else:
            message, _ = cursor.message("one message, or _ for any")
        place = Name(str(message), start, cursor.at)
        spelt_so = self.text[start : cursor.at] == _ANY
        return None if message == _ANY and spelt_so else message, place, fields

    def states(self) -> tuple[Name, ...]:
        cursor = self.cursor
        if not cursor.symbol("{"):
            return (self.name("a state"),)
        found = [self.name("a state")]
        while cursor.symbol(","):
            found.append(self.name("a state"))
        cursor.expect("}", "to close the set of states")
        return tuple(found)
