"""How many messages each channel may hold: a bound, none, or undecided (definitions 6.4, 6.6).

Where every channel reorders, is corrupted among all its messages or carries one message only, Karp and
Miller's tree decides. Elsewhere a search that saturates, or a summary that never fills the channel, gives the
bound, and a loop of sends that some run comes to shows that there is none.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ...kernel.goals.cubes import cubes
from ...kernel.model.actions import Channel, Receive, Send, Transition
from ...kernel.model.arguments import check_arguments
from ...kernel.model.failures import FailureModel, Failures
from ...kernel.model.failures_text import process_failures
from ...kernel.model.goal import At, show
from ...kernel.model.phrases import plural
from ...kernel.model.process import Process
from ...kernel.model.run import Witness
from ...kernel.model.system import System
from ...kernel.semantics.explore import explore
from ...kernel.transform.mailboxes import refuse_mailboxes
from ...kernel.transform.prepare import prepare, with_process_faults
from ...limits import EFFORT, Limits, as_a_whole
from ...options import ProgressCallback
from ..engine.coverability import ChannelForm, Searcher
from ..engine.lowering import lower
from .answer import REACHABLE
from .channel_forms import shapes
from .karp_miller import INFINITY, KarpMiller, Pump
from .portfolio import solve
from .ways import MOST_SUMMARISED

#: Nodes of Karp and Miller's tree, when no limit on configurations is given.
MOST_NODES = 200_000
#: Configurations of the search that may saturate, when no limit is given.
MOST_STATES = 1_000_000


@dataclass(frozen=True)
class Bound:
    """`bounded` None: not known; `most`: the bound, if there is one; `seen`: the most that was seen."""

    bounded: bool | None
    most: int | None
    seen: int
    loop: tuple[str, ...] = ()
    run: Witness | None = None

    def describe(self) -> str:
        if self.bounded:
            return f"at most {self.most}" + ("" if self.most == self.seen else f"; {self.seen} seen")
        if self.bounded is None:
            return f"undecided; {self.seen} seen"
        return "unbounded; repeat: " + ", ".join(self.loop)

    def to_json(self) -> dict[str, Any]:
        return {
            "bounded": self.bounded,
            "most": self.most,
            "seen": self.seen,
            "loop": list(self.loop),
            "witness": None if self.run is None else self.run.to_json(),
        }


@dataclass(frozen=True)
class Bounds:
    channels: dict[Channel, Bound]
    because: str
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def answer(self) -> str:
        """`bounded` when all channels are, `unbounded` when one is not, otherwise `undecided`."""
        found = [b.bounded for b in self.channels.values()]
        return "unbounded" if False in found else "undecided" if None in found else "bounded"

    @property
    def exit_code(self) -> int:
        return {"bounded": 0, "unbounded": 1, "undecided": 3}[self.answer]

    def __bool__(self) -> bool:
        return self.exit_code == 0

    def to_json(self) -> dict[str, Any]:
        return {
            "stormproof": 1,
            "answer": self.answer,
            "because": self.because,
            "notes": list(self.notes),
            "seconds": round(self.seconds, 6),
            "channels": {str(c): b.to_json() for c, b in self.channels.items()},
        }


@as_a_whole
def channel_bounds(
    system: System,
    failures: Failures | None = None,
    *,
    limits: Limits | None = None,
    progress: ProgressCallback | None = None,
) -> Bounds:
    """How many messages each channel of the system may hold under the failures."""
    check_arguments(system, failures)
    refuse_mailboxes(system, "their lengths are not computed")
    marked, model, notes = prepare(system, failures or Failures())
    prepared = with_process_faults(marked, model).system
    limits = limits or Limits()
    started = time.monotonic()
    found = _saturated(prepared, model, limits, progress)
    if isinstance(found, dict):
        seen = found
        found = _tree(prepared, model, limits, seen)
        if None in [b.bounded for b in found.channels.values()]:
            found = _each(prepared, model, limits, found)
    notes = (*notes, *process_failures(marked, model))
    return Bounds(found.channels, found.because, notes, time.monotonic() - started)


def _saturated(
    system: System, model: FailureModel, limits: Limits, progress: ProgressCallback | None
) -> Bounds | dict[Channel, int]:
    """Short first, then with 2, 4, ... messages a channel; the bounds if it saturates, or the most seen."""
    searcher = Searcher(lower(system, model), limits, progress)
    forms = [s.form for s in shapes(system, model)]
    seen: dict[Channel, int] = dict.fromkeys(system.channels, 0)
    for k, most in ((2**15, 3000), (2, MOST_STATES), (4, MOST_STATES)):
        found = searcher.forward(forms, [], k, most if limits.states is None else limits.states)
        seen = {c: max(n, seen[c]) for c, n in found.longest.items()}
        if found.saturated:
            because = f"the search saturates at {plural(max(seen.values(), default=0), 'message')} a channel"
            return Bounds({c: Bound(True, n, n) for c, n in found.longest.items()}, because)
        if found.stopped and k < 2**15:
            break
    return seen


def _tree(system: System, model: FailureModel, limits: Limits, seen: dict[Channel, int]) -> Bounds:
    """Karp and Miller, where it decides; otherwise nothing is known yet."""
    forms = shapes(system, model)
    nothing = Bounds({c: Bound(None, None, n) for c, n in seen.items()}, "")
    if any(s.form == ChannelForm.QUEUE for s in forms):
        return nothing
    tree = KarpMiller(system, model, forms).run(limits.states or MOST_NODES)
    if not tree.finished:
        return nothing
    found = {}
    for channel, most in tree.bounds.items():
        if most < INFINITY:
            found[channel] = Bound(True, int(most), seen[channel])
        elif tree.exact:
            found[channel] = Bound(False, None, seen[channel], _loop(tree.pumps[channel]))
        else:
            found[channel] = Bound(None, None, seen[channel])
    return Bounds(found, f"Karp and Miller's tree has {tree.nodes:,} nodes")


def _loop(pump: Pump) -> tuple[str, ...]:
    return tuple(str(step) for step in pump.loop)


def _each(system: System, model: FailureModel, limits: Limits, known: Bounds) -> Bounds:
    """What is still open, channel by channel: a summary that bounds it, or a loop of sends that fills it."""
    found = dict(known.channels)
    capped = _summary(system, model, limits)
    for channel, bound in found.items():
        if bound.bounded is None and channel in capped:
            found[channel] = replace(bound, bounded=True, most=capped[channel])
        elif bound.bounded is None:
            found[channel] = _loop_of(system, model, limits, channel, bound)
    ways = "summaries, and loops of sends that a run comes to"
    return Bounds(found, f"{known.because}; {ways}" if known.because else ways)


def _summary(system: System, model: FailureModel, limits: Limits) -> dict[Channel, int]:
    """The channels that never have more than a summary keeps, and how much that is. Summaries presuppose that
    every message is received once."""
    if not all(kind.matches_once for kind in model.kinds):
        return {}
    searcher = Searcher(lower(system, model), limits)
    forms = [s.form for s in shapes(system, model)]
    capped: dict[Channel, int] = {}
    for k in (2, 3, 4):
        found = searcher.forward(forms, [], k, MOST_SUMMARISED, summarise=True)
        if found.stopped:
            break
        for i, channel in enumerate(system.channels):
            words = {e.words[i] for e in found.configurations}
            if all(len(w) < k for w in words):
                capped.setdefault(channel, max(len(e.words[i]) + e.marks[i] for e in found.configurations))
    return capped


def _loop_of(system: System, model: FailureModel, limits: Limits, channel: Channel, bound: Bound) -> Bound:
    """A process that comes to a loop of sends can go round it for ever."""
    for state, loop in send_loops(system[channel.sender], channel):
        goal = At(channel.sender, (state,))
        asked = cubes(goal, system, model)
        answer = solve(system, model, asked, show(goal), limits, effort=EFFORT)
        if answer.answer == REACHABLE:
            text = tuple(f"{channel.sender} {t.action}" for t in loop)
            return replace(bound, bounded=False, loop=text, run=answer.run)
    return bound


def send_loops(process: Process, channel: Channel) -> Iterator[tuple[str, tuple[Transition, ...]]]:
    """States with a loop of sends and internal actions that writes to the channel."""
    for transition in process.transitions:
        action = transition.action
        if isinstance(action, Send) and action.peer == channel.receiver and isinstance(action.message, str):
            back = _path(process, transition.target, transition.source)
            if back is not None:
                yield transition.source, (transition, *back)


def _path(process: Process, start: str, end: str) -> tuple[Transition, ...] | None:
    """A shortest way without receptions."""

    def leaving(state: str) -> Iterator[tuple[Transition, str]]:
        return ((t, t.target) for t in process.outgoing(state) if not isinstance(t.action, Receive))

    found = explore([start], leaving, lambda state: state == end)
    return None if found.end is None else tuple(step for step, _ in found.path(end))
