"""What can still happen from a configuration: the search of the trusted kernel, and of explanations.

An independent reading of Def. irs; it shares no code with the engine or `semantics`. Messages are kept as
long as possible: a lossy channel drops some only when a later one is received or when it is full, a message
is corrupted only when it is received, and a reordering channel is sorted. Waiting takes no choice away and
every step is a run of the definitions, so the same actions are reached as with a step for each fault,
from far fewer words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from .failures import ChannelFailure, FailureModel
from .model import CRASH, Action, Channel, Internal, Message, Receive, Send, System, channel_of

BUDGET = 50_000
Word = tuple[Message, ...]


class Configuration(NamedTuple):
    """Local states in the order of the processes, words in the order of `System.channels`."""

    states: tuple[str, ...]
    words: tuple[Word, ...]


@dataclass(frozen=True)
class Outlook:
    """Forward search within the bound k; `budget` is how many configurations one search may see."""

    system: System
    failures: FailureModel
    k: int
    budget: int = BUDGET

    @cached_property
    def index(self) -> Mapping[Channel, int]:
        return {c: i for i, c in enumerate(self.system.channels)}

    def moves(self, at: Configuration) -> Iterator[tuple[str, Action, Configuration]]:
        states, words = at
        for i, process in enumerate(self.system):
            for _, action, target in process.outgoing(states[i]):
                to = (*states[:i], target, *states[i + 1 :])
                channel = channel_of(process.name, action)
                if channel is None or isinstance(action, Internal):
                    yield process.name, action, Configuration(to, words)
                    continue
                n = self.index[channel]
                for word in after(self.failures.on(channel), words[n], action, self.k):
                    yield process.name, action, Configuration(to, (*words[:n], word, *words[n + 1 :]))

    def reaches(
        self, start: Configuration, wanted: AbstractSet[tuple[str, Action]], still: str | None = None
    ) -> bool | None:
        """Is one of these reached in a run in which `still` does not act? None: the budget is spent."""
        seen, stack = {start}, [start]
        while stack:
            for process, action, configuration in self.moves(stack.pop()):
                if (process, action) in wanted:
                    return True
                if process != still and configuration not in seen:
                    seen.add(configuration)
                    stack.append(configuration)
            if len(seen) > self.budget:
                return None
        return False

    def never(
        self, start: Configuration, wanted: AbstractSet[tuple[str, Action]], still: str | None = None
    ) -> bool | None:
        """Is none of these ever reached? None: the budget is spent."""
        reached = self.reaches(start, wanted, still)
        return None if reached is None else not reached


def after(f: ChannelFailure, word: Word, action: Send | Receive, k: int) -> list[Word]:
    """What a channel may hold after an action on it; nothing when it cannot happen within the bound."""
    if isinstance(action, Receive):
        found = []
        for i, message in enumerate(word):
            overtakes = f.reorder and message is not CRASH
            if (i == 0 or f.loss or overtakes) and f.may_become(message, action.message):
                found.append((word[:i] if overtakes else ()) + word[i + 1 :])
        return found
    longer = (*word, action.message)
    if f.reorder:
        longer = tuple(sorted(longer, key=lambda m: (m is CRASH, str(m))))
    if len(word) < k:
        return [longer]
    return [longer[:i] + longer[i + 1 :] for i, m in enumerate(longer) if m is not CRASH and f.loss]
