"""Where two automata of one role part: a shortest trace after which only one of them can go on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from ..model.actions import CRASH, CRASH_ACTION, Action, Internal, Send
from ..model.phrases import listed, plural
from ..model.process import Process

#: How many pairs of sets of states are looked at; deterministic automata need at most one a pair of states.
MOST_PAIRS = 200_000

#: A longer trace is written in the notation of files instead of words.
_WORDY = 3

_Speller = Callable[[Action], Action]


@dataclass(frozen=True)
class Difference:
    """One thing in which two systems differ, in a sentence."""

    kind: str  # roles, communication, reliability, faults, traces, automata
    sentence: str
    role: str = ""
    trace: tuple[Action, ...] = ()
    only_left: tuple[Action, ...] = ()
    only_right: tuple[Action, ...] = ()

    def __str__(self) -> str:
        return self.sentence

    def to_json(self) -> dict[str, object]:
        actions = {"trace": self.trace, "only_left": self.only_left, "only_right": self.only_right}
        return {
            "kind": self.kind,
            "sentence": self.sentence,
            "role": self.role or None,
            **{key: [str(a) for a in value] for key, value in actions.items()},
        }


class Parting(NamedTuple):
    """After `trace`, what each of the two can do."""

    trace: tuple[Action, ...]
    left: tuple[Action, ...]
    right: tuple[Action, ...]

    def described(self, role: str, called: tuple[str, str], spelt: _Speller) -> Difference:
        """As a sentence; `spelt` gives the right one's actions in its own names."""
        only_left = tuple(a for a in self.left if a not in self.right)
        only_right = tuple(a for a in self.right if a not in self.left)
        if only_left and only_right:
            what = f"{_can(only_left)} in {called[0]}, and {_can(map(spelt, only_right))} in {called[1]}"
        elif only_left:
            what = f"{_can(only_left)} in {called[0]}, but not in {called[1]}{_rest(self.right)}"
        else:
            what = f"{_can(map(spelt, only_right))} in {called[1]}, but not in {called[0]}{_rest(self.left)}"
        said = f"{_after(role, self.trace)} can {what}"
        return Difference("traces", said, role, self.trace, only_left, tuple(map(spelt, only_right)))


def _after(role: str, trace: tuple[Action, ...]) -> str:
    if not trace:
        return f"at the start {role}"
    if len(trace) <= _WORDY:
        return f"after {role} {listed_in_order(_doing(a) for a in trace)}, it"
    return f"after the {len(trace)} actions {' · '.join(map(str, trace))} of {role}, it"


def listed_in_order(words: Iterable[str]) -> str:
    """`a`, `a and then b`, `a, b and then c`: unlike `listed`, what happens twice is said twice."""
    parts = list(words)
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and then {parts[-1]}"


def _rest(actions: tuple[Action, ...]) -> str:
    """What the other can do that both can."""
    return f", where it can {_can(actions)}" if actions else ", where it rests"


def _can(actions: Iterable[Action]) -> str:
    return listed((_verb(a, "send", "take", "do") for a in actions), "or")


def _doing(action: Action) -> str:
    return "crashes" if action == Internal(CRASH_ACTION) else _verb(action, "sends", "takes", "does")


def _verb(action: Action, send: str, take: str, do: str) -> str:
    if isinstance(action, Internal):
        return "crash" if action.crashes else f"{do} {action}"
    if isinstance(action, Send):
        return f"{send} {'its crash notice' if action.message is CRASH else action.message} to {action.peer}"
    if action.message is CRASH:
        return f"{take} the crash notice of {action.peer}"
    return f"{take} {action.message} from {action.peer}"


def of_traces(left: Process, right: Process, most: int = MOST_PAIRS) -> tuple[Parting | None, bool]:
    """A shortest trace after which just one of two automata has some action, and whether all was looked at.

    Breadth first over pairs of the sets of states that a trace leads to; single states in deterministic ones.
    """
    start = (frozenset((left.initial,)), frozenset((right.initial,)))
    cause: dict[tuple[frozenset[str], frozenset[str]], tuple[Action, tuple[frozenset[str], ...]] | None]
    cause = {start: None}
    queue = [start]
    for pair in queue:
        ours, theirs = (_steps(p, states) for p, states in zip((left, right), pair, strict=True))
        if ours.keys() != theirs.keys():
            return Parting(_path(cause, pair), tuple(ours), tuple(theirs)), True
        if len(cause) > most:
            return None, False
        for action, target in ours.items():
            after = (target, theirs[action])
            if after not in cause:
                cause[after] = (action, pair)
                queue.append(after)
    return None, True


def _steps(process: Process, states: frozenset[str]) -> dict[Action, frozenset[str]]:
    table: dict[Action, set[str]] = {}
    for state in sorted(states):
        for _, action, target in process.outgoing(state):
            table.setdefault(action, set()).add(target)
    return {action: frozenset(targets) for action, targets in table.items()}


def _path(cause: dict, pair: tuple) -> tuple[Action, ...]:  # type: ignore[type-arg]
    actions = []
    while cause[pair] is not None:
        action, pair = cause[pair]
        actions.append(action)
    return tuple(reversed(actions))


def of_automata(left: Process, right: Process, called: tuple[str, str], complete: bool) -> Difference:
    """Two automata whose traces agree, as far as was looked, and which are not equal all the same."""
    sizes = " and ".join(_size(p, name) for p, name in zip((left, right), called, strict=True))
    said = f"{left.name} has the same traces in both, but other states: it has {sizes}"
    if not complete:
        said = f"no trace was found on which {left.name} differs, and not all were tried: it has {sizes}"
    elif left.nondeterministic_states or right.nondeterministic_states:
        said += "; it is not deterministic, so equal traces do not mean equal behaviour"
    else:
        said += _split(left, right, called)
    return Difference("automata", said, left.name)


def _size(process: Process, name: str) -> str:
    kept = process.trim()
    return f"{plural(len(kept.states), 'state')} and {plural(len(kept.transitions), 'transition')} in {name}"


def _split(left: Process, right: Process, called: tuple[str, str]) -> str:
    """Deterministic automata of equal traces differ because one state does the work of two of the other."""
    met: tuple[dict[str, str], dict[str, str]] = ({}, {})
    queue = [(left.initial, right.initial)]
    seen = set(queue)
    for pair in queue:
        for side in (0, 1):
            own, other = pair[side], pair[1 - side]
            twin = met[side].setdefault(own, other)
            if twin != other:
                return f"; {own} of {called[side]} does what {twin} and {other} of {called[1 - side]} do"
        there = {t.action: t.target for t in right.outgoing(pair[1])}
        for _, action, target in left.outgoing(pair[0]):
            if (target, there[action]) not in seen:
                seen.add((target, there[action]))
                queue.append((target, there[action]))
    return ""
