"""Karp and Miller's tree: which counters of a vector addition system grow beyond every bound.

Nodes are control states (local states and crash marks) with a number or infinity for each counter: one
counter per message of a channel, or one per channel where corruption makes all its messages alike. A node
that lies below an earlier one is not expanded; a node above one of its ancestors gets infinity where it is
larger. So the tree is finite, and its nodes cover exactly what can be covered.

The crash message is received once in each channel's life, and then the channel is empty. Without loss this
is a test for zero that the tree does not make: then a bound is still a bound, but infinity proves nothing
(`exact`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...kernel.model.actions import CRASH, Channel, Internal, Receive, Send, Transition, channel_of
from ...kernel.model.failures import FailureModel
from ...kernel.model.system import System
from ...limits import is_over
from ...trust.reachability.certificates import Control
from ...trust.reachability.channel_faults import received_and_kept
from ..engine.coverability import ChannelForm
from .channel_forms import Shape

INFINITY = float("inf")

Marking = tuple[float, ...]


@dataclass(frozen=True)
class NetStep:
    """A transition of a process, or a corruption on a channel; `stays`: what is received is also kept."""

    process: str | None
    transition: Transition | None
    corruption: tuple[Channel, str, str] | None = None
    stays: bool = False

    def __str__(self) -> str:
        if self.transition is not None:
            return f"{self.process} {self.transition.action}{', which stays' if self.stays else ''}"
        assert self.corruption is not None
        channel, message, other = self.corruption
        return f"{channel} turns {message} into {other}"


@dataclass
class TreeNode:
    control: Control
    vector: Marking
    parent: int | None
    step: NetStep | None


@dataclass(frozen=True)
class Pump:
    """A loop that makes a channel grow: what leads to it, and what is repeated."""

    before: tuple[NetStep, ...]
    loop: tuple[NetStep, ...]


@dataclass(frozen=True)
class Tree:
    """`bounds`: the most messages of each channel; `finished` False: a limit was hit, and nothing follows."""

    finished: bool
    nodes: int
    exact: bool
    bounds: dict[Channel, float]
    pumps: dict[Channel, Pump]


class KarpMiller:
    def __init__(self, system: System, failures: FailureModel, shapes: Sequence[Shape]) -> None:
        self.system, self.failures, self.shapes = system, failures, tuple(shapes)
        self.slots: dict[tuple[Channel, str], int] = {}
        self.counters: list[Channel] = []
        for shape in self.shapes:
            assert shape.form in (ChannelForm.MULTISET, ChannelForm.LENGTH)
            names = shape.letters if shape.form == ChannelForm.MULTISET else shape.letters[:1]
            for name in names:
                self.counters.append(shape.channel)
                self.slots[shape.channel, name] = len(self.counters) - 1
            for name in shape.letters:
                self.slots.setdefault((shape.channel, name), len(self.counters) - 1)
        self.nodes: list[TreeNode] = []
        self.kept: dict[Control, list[Marking]] = {}
        self.pumps: dict[Channel, Pump] = {}

    def run(self, most: int) -> Tree:
        states = tuple(p.initial for p in self.system)
        self._add(TreeNode((states, (False,) * len(self.shapes)), (0,) * len(self.counters), None, None))
        at, finished = 0, True
        while at < len(self.nodes):
            if len(self.nodes) > most or is_over():
                finished = False
                break
            for control, vector, step in self._steps(self.nodes[at].control, self.nodes[at].vector):
                self._visit(control, vector, at, step)
            at += 1
        exact = not any(s.zero_test for s in self.shapes)
        return Tree(finished, len(self.nodes), exact, self._bounds(), self.pumps)

    def _bounds(self) -> dict[Channel, float]:
        found: dict[Channel, float] = {s.channel: 0 for s in self.shapes}
        for node in self.nodes:
            sums: dict[Channel, float] = {}
            for channel, value in zip(self.counters, node.vector, strict=True):
                sums[channel] = sums.get(channel, 0) + value
            for shape, mark in zip(self.shapes, node.control[1], strict=True):
                most = sums.get(shape.channel, 0) + mark
                found[shape.channel] = max(found[shape.channel], most)
        return found

    def _add(self, node: TreeNode) -> None:
        self.nodes.append(node)
        self.kept.setdefault(node.control, []).append(node.vector)

    def _visit(self, control: Control, vector: Marking, parent: int, step: NetStep) -> None:
        vector = self._accelerate(control, vector, parent, step)
        if any(_below(vector, other) for other in self.kept.get(control, ())):
            return
        self._add(TreeNode(control, vector, parent, step))

    def _accelerate(self, control: Control, vector: Marking, parent: int, step: NetStep) -> Marking:
        at: int | None = parent
        while at is not None:
            node = self.nodes[at]
            if node.control == control and node.vector != vector and _below(node.vector, vector):
                grown = tuple(
                    INFINITY if small < large else large
                    for small, large in zip(node.vector, vector, strict=True)
                )
                if grown != vector:
                    self._remember(vector, grown, at, parent, step)
                    vector, at = grown, parent
                    continue
            at = node.parent
        return vector

    def _remember(self, vector: Marking, grown: Marking, ancestor: int, parent: int, step: NetStep) -> None:
        for channel, before, after in zip(self.counters, vector, grown, strict=True):
            if before != after and channel not in self.pumps:
                path, at = [step], parent
                while at != ancestor:
                    path.append(self.nodes[at].step)  # type: ignore[arg-type]
                    at = self.nodes[at].parent  # type: ignore[assignment]
                self.pumps[channel] = Pump(self._path(ancestor), tuple(reversed(path)))

    def _path(self, at: int) -> tuple[NetStep, ...]:
        path: list[NetStep] = []
        node = self.nodes[at]
        while node.step is not None and node.parent is not None:
            path.append(node.step)
            node = self.nodes[node.parent]
        return tuple(reversed(path))

    def _steps(self, control: Control, vector: Marking) -> Iterator[tuple[Control, Marking, NetStep]]:
        states, marks = control
        for i, process in enumerate(self.system):
            for transition in process.outgoing(states[i]):
                after = (*states[:i], transition.target, *states[i + 1 :])
                for new_marks, new_vector, stays in self._act(process.name, transition, marks, vector):
                    yield (after, new_marks), new_vector, NetStep(process.name, transition, stays=stays)
        for shape in self.shapes:
            if shape.form == ChannelForm.MULTISET:
                yield from self._corruptions(shape, control, vector)

    def _act(
        self, name: str, transition: Transition, marks: tuple[bool, ...], vector: Marking
    ) -> Iterator[tuple[tuple[bool, ...], Marking, bool]]:
        """The marks and the counters after it, and whether the message received stays."""
        action = transition.action
        if isinstance(action, Internal):
            yield marks, vector, False
            return
        channel = channel_of(name, action)
        assert channel is not None
        c = self.system.channels.index(channel)
        if action.message is CRASH:
            if marks[c] == isinstance(action, Receive):
                flipped = (*marks[:c], isinstance(action, Send), *marks[c + 1 :])
                yield flipped, vector if isinstance(action, Send) else self._emptied(channel, vector), False
            return
        slot = self.slots[channel, str(action.message)]
        if isinstance(action, Send):
            yield marks, _changed(vector, slot, 1), False
            return
        if vector[slot] > 0:
            yield marks, _changed(vector, slot, -1), False
        kept = received_and_kept(self.failures.on(channel), self.shapes[c].letters, str(action.message))
        if any(vector[self.slots[channel, m]] > 0 for m in kept):
            yield marks, vector, True

    def _emptied(self, channel: Channel, vector: Marking) -> Marking:
        return tuple(0 if c == channel else v for c, v in zip(self.counters, vector, strict=True))

    def _corruptions(
        self, shape: Shape, control: Control, vector: Marking
    ) -> Iterator[tuple[Control, Marking, NetStep]]:
        for message, others in self.failures.on(shape.channel).becomes.items():
            slot = self.slots[shape.channel, message]
            for other in sorted(others):
                if vector[slot] > 0:
                    after = _changed(_changed(vector, slot, -1), self.slots[shape.channel, other], 1)
                    yield control, after, NetStep(None, None, (shape.channel, message, other))


def _changed(vector: Marking, slot: int, change: int) -> Marking:
    return (*vector[:slot], vector[slot] + change, *vector[slot + 1 :])


def _below(small: Marking, large: Marking) -> bool:
    return all(a <= b for a, b in zip(small, large, strict=True))
