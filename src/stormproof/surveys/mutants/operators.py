"""The mutants of a system: each is the system with one small mistake in one role (definitions 13.1).

Faults are no actions of a role, so crashes, stops, restarts and announcements of a crash are not mutated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from ...errors import ModelError
from ...kernel.model.actions import Action, Crash, Internal, Send, Transition
from ...kernel.model.process import Process
from ...kernel.model.system import System
from ...languages.formats.storm_write import write_action
from ...records import dataclass

#: Each operator by its name, and what it does.
DELETE, TIMER, REDIRECT, SKIP, TWICE, SWAP = "delete", "timer", "redirect", "skip", "twice", "swap"
OPERATORS = {
    DELETE: "deletes a transition",
    TIMER: "forgets a timer",
    REDIRECT: "lets a transition lead to another state",
    SKIP: "does not send a message, and goes on",
    TWICE: "sends a message twice",
    SWAP: "exchanges two messages to one role",
}
#: What a send becomes that is skipped.
_SKIPPED = "skipped"


@dataclass(frozen=True)
class Mutant:
    """`process` takes the place of the role; `transition` is the one that is changed, `words` say how."""

    number: int
    role: str
    operator: str
    transition: Transition
    words: str
    process: Process

    def of(self, system: System) -> System:
        """The system with this mistake."""
        return replace(
            system, processes=tuple(self.process if p.name == self.role else p for p in system.processes)
        )


#: What an operator makes of one transition: what is different, in words, and the role's new transitions.
_Changes = Iterator[tuple[str, tuple[Transition, ...]]]


def mutants(system: System, operators: tuple[str, ...] = tuple(OPERATORS)) -> tuple[Mutant, ...]:
    """Every mutant that these operators make, each once, role by role in the order of the file."""
    found: list[Mutant] = []
    for process in system:
        seen = {frozenset(process.transitions)}
        for transition in process.transitions:
            for name, words, rows in _changes(process, transition, operators):
                if frozenset(rows) not in seen:
                    seen.add(frozenset(rows))
                    changed = _with_rows(process, rows)
                    if changed is not None:
                        number = len(found) + 1
                        found.append(Mutant(number, process.name, name, transition, words, changed))
    return tuple(found)


def _changes(
    process: Process, transition: Transition, operators: tuple[str, ...]
) -> Iterator[tuple[str, str, tuple[Transition, ...]]]:
    if _is_fault(transition.action):
        return
    for name in operators:
        for words, rows in _OPERATIONS[name](process, transition):
            yield name, words, rows


def _is_fault(action: Action) -> bool:
    if isinstance(action, Internal):
        return action.is_fault
    return isinstance(action, Send) and isinstance(action.message, Crash)


def _with_rows(process: Process, rows: tuple[Transition, ...]) -> Process | None:
    """None where no role may have such transitions: a send behind the announcement of a crash."""
    try:
        return replace(process, transitions=rows)
    except ModelError:
        return None


def _instead(process: Process, old: Transition, *new: Transition) -> tuple[Transition, ...]:
    at = process.transitions.index(old)
    return (*process.transitions[:at], *new, *process.transitions[at + 1 :])


def written(transition: Transition) -> str:
    return f"{write_action(transition.action)} -> {transition.target}"


def _delete(process: Process, transition: Transition) -> _Changes:
    if not _is_timer(transition.action):
        yield f"without `{written(transition)}`", _instead(process, transition)


def _forget(process: Process, transition: Transition) -> _Changes:
    if _is_timer(transition.action):
        yield f"without `{written(transition)}`", _instead(process, transition)


def _is_timer(action: Action) -> bool:
    return isinstance(action, Internal) and action.timeout


def _redirect(process: Process, transition: Transition) -> _Changes:
    """To each other state that the role reaches while it has not crashed."""
    for target in process.states:
        if target == transition.target or target in process.crashed_states:
            continue
        if target in process.reachable():
            changed = transition._replace(target=target)
            words = f"`{write_action(transition.action)}` leads to {target} instead of {transition.target}"
            yield words, _instead(process, transition, changed)


def _skip(process: Process, transition: Transition) -> _Changes:
    if isinstance(transition.action, Send):
        changed = transition._replace(action=Internal(_SKIPPED))
        yield f"`{write_action(transition.action)}` is skipped", _instead(process, transition, changed)


def _twice(process: Process, transition: Transition) -> _Changes:
    source, action, target = transition
    if isinstance(action, Send):
        between = f"{source} again"
        while between in process.states:
            between += "'"
        rows = _instead(
            process, transition, Transition(source, action, between), Transition(between, action, target)
        )
        yield f"`{write_action(action)}` is sent twice", rows


def _swap(process: Process, transition: Transition) -> _Changes:
    """With each later send of another message to the same role."""
    action = transition.action
    if not isinstance(action, Send):
        return
    for other in process.transitions[process.transitions.index(transition) + 1 :]:
        theirs = other.action
        if not isinstance(theirs, Send) or theirs.peer != action.peer or isinstance(theirs.message, Crash):
            continue
        if theirs.message != action.message:
            swapped = {
                transition: transition._replace(action=theirs),
                other: other._replace(action=action),
            }
            words = f"`{write_action(action)}` and `{write_action(theirs)}` in {other.source} are exchanged"
            yield words, tuple(swapped.get(t, t) for t in process.transitions)


_OPERATIONS: dict[str, Callable[[Process, Transition], _Changes]] = {
    DELETE: _delete,
    TIMER: _forget,
    REDIRECT: _redirect,
    SKIP: _skip,
    TWICE: _twice,
    SWAP: _swap,
}
