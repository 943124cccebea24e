"""Unbounded reachability in the native engine: control graph, backward and forward search, with names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from ... import _engine
from ..._engine import ChannelForm as ChannelForm
from ...kernel.model.actions import Channel, Transition
from ...limits import Limits
from ...options import ProgressCallback
from ...trust.reachability.certificates import BEHIND, Element, Weights
from .effort import stopped_by
from .lowering import Lowered
from .watch import limit_name, watch

_T = TypeVar("_T")


class Taken(NamedTuple):
    """One step of a found run: a transition of a process, or (backward search) a corruption on a channel.

    `choice`: in forward search the position in the channel that a reception took; 1 for a send that was lost.
    `stays`: a reception after which the message is still in the channel.
    """

    process: str | None
    transition: Transition | None
    channel: Channel | None
    choice: int
    corruption: tuple[str, str] | None
    stays: bool = False


class Demanded(NamedTuple):
    """What is asked of a channel: `mark` None is either; the word exactly, or these messages and a head."""

    channel: Channel
    mark: bool | None
    exact: bool
    word: tuple[str, ...]
    head: str | None


class Wanted(NamedTuple):
    states: Mapping[str, frozenset[str]]
    channels: tuple[Demanded, ...]
    deadlock: bool
    stuck: bool


@dataclass(frozen=True)
class Graph:
    """The control states that can occur, over-approximated; `stopped` is "" when all are there."""

    native: _engine.Controls
    rows: tuple[tuple[tuple[str, ...], tuple[bool, ...]], ...]
    stopped: str


@dataclass(frozen=True)
class Covered:
    """`stopped` "" and not `covered`: `basis` is that of the whole backward closure."""

    stopped: str
    covered: bool
    kept: int
    made: int
    pruned: int
    basis: tuple[Element, ...]
    path: tuple[Element, ...]
    steps: tuple[Taken, ...]


@dataclass(frozen=True)
class SearchEnd:
    """`saturated`: no send was ever refused or dropped for the bound, so these are all configurations."""

    stopped: str
    found: bool
    saturated: bool
    cube: int
    states: int
    longest: Mapping[Channel, int] = field(default_factory=dict)
    configurations: tuple[Element, ...] = ()
    steps: tuple[Taken, ...] = ()


class Searcher:
    """One system and failure model, lowered once, asked several times."""

    def __init__(self, lowered: Lowered, limits: Limits, progress: ProgressCallback | None = None) -> None:
        self.low = lowered
        self.limits = limits
        self.progress = progress
        self.number = {m: i for i, m in enumerate(lowered.messages)}
        self.state = [{s: i for i, s in enumerate(p.states)} for p in lowered.system]
        sizes = [len(lowered.messages), *(len(p.states) for p in lowered.system)]
        self.fits = max(sizes) <= _engine.BEHIND

    def _watch(self, search: Callable[[_engine.Monitor], _T], task: str, most: int | None) -> _T:
        return watch(search, self.limits, task, self.progress, most)

    def _why(self, stop: _engine.Stop, most: int | None) -> str:
        """Which limit stopped the search; Ctrl-C is passed on, since other searches would follow."""
        if stop is _engine.Stop.INTERRUPTED:
            raise KeyboardInterrupt
        return stopped_by(limit_name(stop), self.limits, most)

    def controls(self, most: int | None = None) -> Graph:
        native = self._watch(
            lambda monitor: _engine.Controls(self.low.native, monitor), "control states", most
        )
        rows = tuple(self._control(row) for row in native.rows)
        return Graph(native, rows, self._why(native.stop, most))

    def cover(
        self,
        forms: Sequence[ChannelForm],
        graph: Graph,
        targets: Iterable[Element],
        weights: Iterable[Weights] = (),
        most: int | None = None,
    ) -> Covered:
        plain = [self._plain(t, forms) for t in targets]
        heavy = [self._weights(w) for w in weights]
        result = self._watch(
            lambda monitor: _engine.cover(self.low.native, forms, graph.native, plain, heavy, monitor),
            "backward search",
            most,
        )
        return Covered(
            self._why(result.stop, most),
            result.covered,
            result.kept,
            result.made,
            result.pruned,
            tuple(self._element(c) for c in result.basis),
            tuple(self._element(c) for c in result.path),
            tuple(self._taken(v) for v in result.steps),
        )

    def forward(
        self,
        forms: Sequence[ChannelForm],
        goal: Iterable[Wanted],
        k: int,
        max_states: int | None = None,
        summarise: bool = False,
    ) -> SearchEnd:
        """At most `k` messages per channel and `max_states` configurations (None: as the limits say).

        With `summarise` what is beyond k is not refused but kept as a set, behind `BEHIND`.
        """
        cubes = [self._cube(w) for w in goal]
        result = self._watch(
            lambda monitor: _engine.forward(self.low.native, forms, cubes, k, summarise, max_states, monitor),
            f"forward, {k} per channel",
            None,
        )
        return SearchEnd(
            self._why(result.stop, None),
            result.found,
            result.saturated,
            result.cube,
            result.states,
            dict(zip(self.low.channels, result.longest)),
            tuple(self._element(c) for c in result.configurations),
            tuple(self._taken(v) for v in result.steps),
        )

    def _control(self, row: list[int]) -> tuple[tuple[str, ...], tuple[bool, ...]]:
        count = len(self.low.system.processes)
        states = tuple(self.low.state_name(p, s) for p, s in enumerate(row[:count]))
        return states, tuple(bool(m) for m in row[count:])

    def _element(self, plain: tuple[list[int], list[list[int]]]) -> Element:
        states, marks = self._control(plain[0])
        words = tuple(tuple(self._letter(n) for n in word) for word in plain[1])
        return Element(states, marks, words)

    def _plain(self, element: Element, forms: Sequence[ChannelForm]) -> tuple[list[int], list[list[int]]]:
        control = [self.state[p][s] for p, s in enumerate(element.states)] + [int(m) for m in element.marks]
        words = [self._numbers(w) for w in element.words]
        # The engine keeps multisets sorted by number.
        return control, [
            sorted(w) if form is ChannelForm.MULTISET else w for w, form in zip(words, forms, strict=True)
        ]

    def _letter(self, number: int) -> str:
        return BEHIND if number == _engine.BEHIND else str(self.low.messages[number])

    def _numbers(self, word: Iterable[str]) -> list[int]:
        return [self.number[m] for m in word]

    def _taken(self, step: _engine.TakenStep) -> Taken:
        channel = None if step.channel is None else self.low.channels[step.channel]
        if step.process is None:
            pair = (str(self.low.messages[step.choice]), str(self.low.messages[step.becomes]))
            return Taken(None, None, channel, 0, pair)
        name = self.low.system.processes[step.process].name
        transition = self.low.transitions[step.process][step.transition]
        return Taken(name, transition, channel, step.choice, None, bool(step.becomes))

    def _weights(self, weights: Weights) -> tuple[list[list[int]], list[list[int]], int]:
        states = [[weights.states.get((p.name, s), 0) for s in p.states] for p in self.low.system]
        messages = [[weights.messages.get((c, m), 0) for m in self.low.messages] for c in self.low.channels]
        return states, messages, weights.bound

    def _cube(
        self, wanted: Wanted
    ) -> tuple[list[list[int]], list[tuple[int, bool | None, bool, list[int], int | None]], bool, bool]:
        states = []
        for process in self.low.system:
            allowed = wanted.states.get(process.name)
            states.append([] if allowed is None else [int(s in allowed) for s in process.states])
        channels = []
        for d in wanted.channels:
            head = None if d.head is None else self.number[d.head]
            number = self.low.channels.index(d.channel)
            channels.append((number, d.mark, d.exact, self._numbers(d.word), head))
        return states, channels, wanted.deadlock, wanted.stuck
