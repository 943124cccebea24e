"""Processes that stop and restart, executed literally (definitions 9.1, 11.1, 11.2).

A process is in one of its own states, or it has stopped; if it may restart, it remembers where it recovers.
The package `transform` turns such processes into ordinary ones, and is compared with this.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ..kernel.model.actions import Channel, Internal, Receive, Send, Transition, Word, channel_of
from ..kernel.model.process import Process
from ..kernel.model.rest import ended_states
from ..kernel.model.system import System


class Whereabouts(NamedTuple):
    """Where a process is: None once it has stopped; and the state in which it would restart."""

    state: str | None
    recovery: str


class FailingConfiguration(NamedTuple):
    """Each process in the order of the system, and the contents of the channels in theirs."""

    places: tuple[Whereabouts, ...]
    words: tuple[Word, ...]


class FailingStep(NamedTuple):
    """What happens to which process: its own transition, or `stop` or `restart`."""

    process: str
    what: Transition | str
    after: FailingConfiguration


@dataclass(frozen=True)
class FailingSystem:
    """A system of which some processes may stop, some may restart, and some have durable states."""

    system: System
    stop: frozenset[str]
    restart: frozenset[str]
    durable: Mapping[str, frozenset[str]]

    def start(self) -> FailingConfiguration:
        places = tuple(Whereabouts(p.initial, p.initial) for p in self.system)
        return FailingConfiguration(places, tuple(() for _ in self.system.channels))

    def steps(self, at: FailingConfiguration, bound: int) -> Iterator[FailingStep]:
        """Every step on perfect channels that hold at most `bound` messages."""
        for i, process in enumerate(self.system):
            here = at.places[i]
            if here.state is None:
                continue
            for transition in process.outgoing(here.state):
                for words in self._words(process.name, transition, at.words, bound):
                    yield self._to(at, i, transition, self._entered(process, here, transition.target), words)
            if process.name in self.stop and here.state not in process.crashed_states:
                yield self._to(at, i, "stop", Whereabouts(None, process.initial), at.words)
            if process.name in self.restart and here.state not in ended_states(process):
                again = self._entered(process, here, here.recovery)
                if again != here:
                    yield self._to(at, i, "restart", again, at.words)

    def _entered(self, process: Process, here: Whereabouts, state: str) -> Whereabouts:
        """The last durable state that was entered is remembered."""
        durable = process.name in self.restart and state in self.durable.get(process.name, ())
        return Whereabouts(state, state if durable else here.recovery)

    def _to(
        self,
        at: FailingConfiguration,
        i: int,
        what: Transition | str,
        place: Whereabouts,
        words: tuple[Word, ...],
    ) -> FailingStep:
        places = (*at.places[:i], place, *at.places[i + 1 :])
        return FailingStep(self.system.names[i], what, FailingConfiguration(places, words))

    def _words(
        self, name: str, transition: Transition, words: tuple[Word, ...], bound: int
    ) -> Iterator[tuple[Word, ...]]:
        action = transition.action
        channel: Channel | None = channel_of(name, action)
        if channel is None or isinstance(action, Internal):
            yield words
            return
        n = self.system.channel_index[channel]
        if isinstance(action, Send) and len(words[n]) < bound:
            yield (*words[:n], (*words[n], action.message), *words[n + 1 :])
        elif isinstance(action, Receive) and words[n][:1] == (action.message,):
            yield (*words[:n], words[n][1:], *words[n + 1 :])
