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

from ..errors import FormatError
from ..model import Internal, Process, Send, System, Transition
from .notes import Aliases, MessageAliases, role_notes, system_notes, write_notes

#: As many actions a role may be unrolled into.
MAX_ACTIONS = 100_000

_ROLE = re.compile(r"[A-Z]\w*", re.ASCII)
_MESSAGE = re.compile(r"[A-Za-z]\w*(?:<[\w, ]+>)?", re.ASCII)
_RESERVED = ("end", "rec")
_DEEPEST_INDENT = 20


def write(system: System) -> str:
    """One session type a role; what the language cannot say stands in notes."""
    roles = Aliases(system.names, _ROLE, _RESERVED, "R")
    messages = MessageAliases(system, _MESSAGE, _RESERVED)
    lines = write_notes([*system_notes(system), *role_notes(roles), *messages.notes()], "--")
    for process in system:
        if lines:
            lines.append("")
        lines.append(f"{roles[process.name]}: {_unroll(process, roles, messages)}")
    return "\n".join(lines) + "\n"


def _unroll(process: Process, roles: Aliases, messages: MessageAliases) -> str:
    """Depth first from the initial state; a state that is met again on its own path becomes a variable."""
    pieces: list[str] = []
    bound: dict[str, int] = {}
    path: list[tuple[str, Iterator[Transition], int]] = []
    used: set[int] = set()
    written = depth = 0
    state: str | None = process.initial
    while True:
        if state is not None:
            leaving = process.outgoing(state)
            if state in bound:
                used.add(bound[state])
                pieces.append(f"x{bound[state]}")
            elif not leaving:
                pieces.append("end")
            else:
                bound[state] = len(pieces)
                pieces.append("")
                path.append((state, iter(leaving), len(leaving)))
                if len(leaving) > 1:
                    depth += 1
                    pieces.append("{ ")
        if not path:
            break
        here, rest, count = path[-1]
        step = next(rest, None)
        if step is None:
            path.pop()
            del bound[here]
            if count > 1:
                depth -= 1
                pieces.append(" }")
            state = None
            continue
        if count > 1 and not pieces[-1].endswith("{ "):
            pieces.append("\n" + "  " * min(depth, _DEEPEST_INDENT) + ", ")
        pieces.append(_action(process, step, roles, messages) + "; ")
        written += 1
        if written > MAX_ACTIONS:
            raise FormatError(
                f"as a session type, {process.name} would have more than {MAX_ACTIONS:,} actions, "
                "since a type shares no states",
                hint="fsa, scm, dot and json keep the states",
            )
        state = step.target
    for index in used:
        pieces[index] = f"rec x{index} . "
    return "".join(pieces)


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
