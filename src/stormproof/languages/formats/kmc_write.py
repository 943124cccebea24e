"""Session types of the kmc tool, written: an automaton unrolled into a tree with recursion.

A tree shares no states, so a state that is reached in two ways is written twice, and the text may be
exponentially
longer than the automaton; past a limit that is refused. What is written has the traces of the
automaton (they are
even bisimilar), not its states.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...errors import FormatError
from ...kernel.model.actions import Internal, Send, Transition
from ...kernel.model.process import Process
from ...kernel.model.system import System
from .annotations import Aliases, MessageAliases, role_notes, system_notes, write_notes

#: As many actions a role may be unrolled into.
MAX_ACTIONS = 100_000

_ROLE = re.compile(r"[A-Z]\w*", re.ASCII)
_MESSAGE = re.compile(r"[A-Za-z]\w*(?:<[\w, ]+>)?", re.ASCII)
_RESERVED = ("end", "rec")
_DEEPEST_INDENT = 20


def write(system: System) -> str:
    """One session type a role; what the language cannot say stands in notes. Unreachable states are
    left out."""
    _unreachable_messages(system)
    roles = Aliases(system.names, _ROLE, _RESERVED, "R")
    messages = MessageAliases(system, _MESSAGE, _RESERVED)
    lines = write_notes([*system_notes(system), *role_notes(roles), *messages.notes()], "--")
    for process in system:
        if lines:
            lines.append("")
        lines.append(f"{roles[process.name]}: {_Unrolled(process, roles, messages).text()}")
    return "\n".join(lines) + "\n"


def _unreachable_messages(system: System) -> None:
    """Messages of unreachable states belong to a channel's alphabet, into which it may corrupt."""
    scoped = any(f.corrupt is not None and f.corrupt.pairs is None for f in system.faults)
    if scoped and {c: set(a) for c, a in system.alphabets.items()} != {
        c: set(a) for c, a in system.trim().alphabets.items()
    }:
        raise FormatError(
            "a session type has no unreachable states, but here some hold messages that others may be "
            "corrupted into"
        )


@dataclass
class _Open:
    """A state on the path: what is still to be written of it."""

    state: str
    rest: Iterator[Transition]
    choice: bool
    first: bool = True


class _Unrolled:
    """Depth first from the initial state; a state that is met again on its own path becomes a variable."""

    def __init__(self, process: Process, roles: Aliases, messages: MessageAliases) -> None:
        self.process = process
        self.roles = roles
        self.messages = messages
        self.pieces: list[str] = []
        self.bound: dict[str, int] = {}
        self.used: set[int] = set()
        self.path: list[_Open] = []
        self.depth = self.written = 0

    def text(self) -> str:
        self.enter(self.process.initial)
        while self.path:
            here = self.path[-1]
            step = next(here.rest, None)
            if step is None:
                self.leave()
            else:
                self.step(here, step)
        for index in self.used:
            self.pieces[index] = f"rec x{index} . "
        return "".join(self.pieces)

    def enter(self, state: str) -> None:
        """A leaf is written; any other state is put on the path, with room for its `rec`."""
        leaving = self.process.outgoing(state)
        if state in self.bound:
            self.used.add(self.bound[state])
            self.pieces.append(f"x{self.bound[state]}")
        elif not leaving:
            self.pieces.append("end")
        else:
            self.bound[state] = len(self.pieces)
            self.path.append(_Open(state, iter(leaving), len(leaving) > 1))
            self.depth += len(leaving) > 1
            self.pieces += ["", "{ "] if len(leaving) > 1 else [""]

    def leave(self) -> None:
        done = self.path.pop()
        del self.bound[done.state]
        if done.choice:
            self.depth -= 1
            self.pieces.append(" }")

    def step(self, here: _Open, step: Transition) -> None:
        if not here.first:
            self.pieces.append("\n" + "  " * min(self.depth, _DEEPEST_INDENT) + ", ")
        here.first = False
        self.pieces.append(_action(self.process, step, self.roles, self.messages) + "; ")
        self.written += 1
        if self.written > MAX_ACTIONS:
            raise FormatError(
                f"as a session type, {self.process.name} would have more than {MAX_ACTIONS:,} actions, "
                "since a type shares no states",
                hint="fsa, scm, dot and json keep the states",
            )
        self.enter(step.target)


def _action(process: Process, step: Transition, roles: Aliases, messages: MessageAliases) -> str:
    action = step.action
    if isinstance(action, Internal):
        raise FormatError(
            f"kmc's session types have no internal actions, but {process.name} has '{action.name}' "
            f"in {step.source}",
            hint="json, storm, scm and dot have them",
        )
    sign = "!" if isinstance(action, Send) else "?"
    return f"{roles[action.peer]}{sign}{messages.of(action.message)}"
