"""The state equation of a system: how often each transition fires, against where everything ends.

Each local state and each counter (a message in a channel, a channel's length, a crash mark) is a row, each
transition and each fault a column. If a configuration is reachable, the equation has a solution in the
natural numbers. Over the rationals a missing solution has a witness, a linear function that no step
increases (`Weights`), which the checker of certificates verifies by itself. Over the integers z3 is asked,
if installed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import lcm
from typing import Any

from ...kernel.model.actions import CRASH, Channel, Internal, Message, Receive, Send, channel_of
from ...kernel.model.failures import FailureModel
from ...kernel.model.system import System
from ...limits import time_left
from ...trust.reachability.certificates import Control, Weights
from ...trust.reachability.check_equation import load_z3
from ..engine.coverability import ChannelForm
from .channel_forms import Shape
from .simplex import TableWork, farkas
from .targets import Target

EquationRow = tuple[str, ...]


@dataclass(frozen=True)
class StateEquation:
    """Rows, columns, and which counter a message of a channel counts in."""

    system: System
    shapes: tuple[Shape, ...]
    rows: tuple[EquationRow, ...]
    columns: tuple[dict[int, int], ...]

    def right(self, target: Target) -> tuple[list[int], list[int]]:
        """Where the target ends less where everything starts; and the rows that may end higher."""
        end = dict.fromkeys(self.rows, 0)
        for process, state in zip(self.system, target.element.states, strict=True):
            end["state", process.name, state] += 1
            end["state", process.name, process.initial] -= 1
        loose = []
        for i, shape in enumerate(self.shapes):
            if target.element.marks[i]:
                end["crash", shape.channel.sender, shape.channel.receiver] = 1
            for message in target.element.words[i]:
                end[counter(shape, message)] += 1
            for message in shape.letters:
                if message not in target.equal[i]:
                    loose.append(counter(shape, message))
        index = {row: i for i, row in enumerate(self.rows)}
        return [end[row] for row in self.rows], sorted({index[row] for row in loose})

    def refute(self, target: Target, work: TableWork | None = None) -> Weights | None:
        """A linear function that excludes the target; None when the equation has a rational solution."""
        right, loose = self.right(target)
        columns = [*self.columns, *({i: -1} for i in loose)]
        y = farkas(len(self.rows), columns, right, work)
        if y is None:
            return None
        scale = lcm(*(f.denominator for f in y))
        return self._weights({row: int(f * scale) for row, f in zip(self.rows, y, strict=True)})

    def _weights(self, y: dict[EquationRow, int]) -> Weights:
        states = {(p.name, s): y["state", p.name, s] for p in self.system for s in p.states}
        messages: dict[tuple[Channel, Message], int] = {}
        for shape in self.shapes:
            for message in shape.letters:
                messages[shape.channel, message] = y[counter(shape, message)]
            if shape.crash:
                messages[shape.channel, CRASH] = y["crash", shape.channel.sender, shape.channel.receiver]
        return Weights(states, messages, sum(states[p.name, p.initial] for p in self.system))


def counter(shape: Shape, message: str) -> EquationRow:
    """The row that counts the message in the channel."""
    where = shape.channel
    return ("length", *where) if shape.form == ChannelForm.LENGTH else ("message", *where, message)


def live(system: System, failures: FailureModel, controls: Iterable[Control]) -> set[tuple[str, int]]:
    """The transitions, by process and number, that some control state has and whose message may come."""
    local = {(p.name, states[i]) for states, _ in controls for i, p in enumerate(system)}
    sent: set[tuple[Channel, Message]] = set()
    for process in system:
        for source, action, _ in process.transitions:
            if isinstance(action, Send) and (process.name, source) in local:
                channel = Channel(process.name, action.peer)
                others = failures.on(channel).becomes.get(str(action.message), frozenset())
                sent |= {(channel, action.message), *((channel, m) for m in others)}
    found = set()
    for process in system:
        for i, (source, action, _) in enumerate(process.transitions):
            there = (
                not isinstance(action, Receive)
                or (Channel(action.peer, process.name), action.message) in sent
            )
            if (process.name, source) in local and there:
                found.add((process.name, i))
    return found


def equation(
    system: System, failures: FailureModel, forms: tuple[Shape, ...], controls: Iterable[Control]
) -> StateEquation:
    rows: list[EquationRow] = [("state", p.name, s) for p in system for s in p.states]
    for shape in forms:
        rows += dict.fromkeys(counter(shape, m) for m in shape.letters)
        if shape.crash:
            rows.append(("crash", *shape.channel))
    index = {row: i for i, row in enumerate(rows)}
    columns = [
        {index[row]: change for row, change in effect.items() if change}
        for effect in _effects(system, failures, forms, live(system, failures, controls))
    ]
    return StateEquation(system, forms, tuple(rows), tuple(c for c in columns if c))


def _effects(
    system: System, failures: FailureModel, forms: Sequence[Shape], fires: set[tuple[str, int]]
) -> Iterator[dict[EquationRow, int]]:
    by_channel = {s.channel: s for s in forms}
    for process in system:
        for i, (source, action, target) in enumerate(process.transitions):
            if (process.name, i) not in fires:
                continue
            effect: dict[EquationRow, int] = {("state", process.name, source): -1}
            there: EquationRow = ("state", process.name, target)
            effect[there] = effect.get(there, 0) + 1
            channel = channel_of(process.name, action)
            if channel is not None and not isinstance(action, Internal):
                crash = action.message is CRASH
                row = ("crash", *channel) if crash else counter(by_channel[channel], str(action.message))
                effect[row] = 1 if isinstance(action, Send) else -1
            yield effect
    for shape in forms:
        yield from _faults(shape, failures)


def _faults(shape: Shape, failures: FailureModel) -> Iterator[dict[EquationRow, int]]:
    failure = failures.on(shape.channel)
    if failure.loss:
        for message in shape.letters:
            yield {counter(shape, message): -1}
    if shape.form != ChannelForm.LENGTH:
        for message, others in failure.becomes.items():
            for other in others:
                yield {counter(shape, message): -1, counter(shape, other): 1}


def integer_solution(eq: StateEquation, target: Target, most: int | None = None) -> bool | None:
    """Does the equation have a solution in the natural numbers? z3 says; None: it does not know. `most`: of
    what z3 counts as its resources."""
    z3 = load_z3()
    right, loose = eq.right(target)
    solver: Any = z3.Solver()
    if most is not None:
        solver.set("rlimit", max(1, most))
    seconds = time_left()
    if seconds is not None:
        solver.set("timeout", max(1, int(seconds * 1000)))
    fired = [z3.Int(f"x{j}") for j in range(len(eq.columns))]
    solver.add(*[x >= 0 for x in fired])
    sums: list[Any] = [0] * len(eq.rows)
    for x, column in zip(fired, eq.columns, strict=True):
        for i, change in column.items():
            sums[i] = sums[i] + change * x
    for i, total in enumerate(sums):
        solver.add(total >= right[i] if i in loose else total == right[i])
    answer = solver.check()
    return None if answer == z3.unknown else bool(answer == z3.sat)
