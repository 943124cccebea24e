"""What a sample run shows of a property that holds, in a sentence: read off the run, whoever found it.

A run cannot prove that something always holds. It shows how: the send that had to wait for room and was sent,
every message received, everybody who waits served, an order in which each message is received at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from ...kernel.model.actions import (
    CRASH_ACTION,
    Channel,
    Configuration,
    Crash,
    Internal,
    Receive,
    Send,
    channel_of,
)
from ...kernel.model.message_tracking import Flight, MessageTracker, flights
from ...kernel.model.phrases import arrow, listed, plural
from ...kernel.model.process import Process, StateKind
from ...kernel.model.run import Act, Step
from ...kernel.model.system import System
from ..checks.properties import (
    CRASH_HANDLING,
    HALF_DUPLEX,
    K_ER,
    K_EXH,
    K_OBI,
    K_PG,
    K_SIBI,
    K_WER,
    PROPERTIES,
    RSC,
    Property,
)
from .fault_steps import Move
from .sample_runs import DONE, Sample, Seen, Wish


class Shown(NamedTuple):
    """`whole` False: the run is an example of the property, and what makes it interesting is not in it."""

    text: str
    whole: bool = True


def demonstrable(property: str) -> bool:
    """Does a run show something of the property? Survival and requirements are about all futures."""
    if property not in PROPERTIES:
        return False
    return all(base.original.name in _DEMONSTRATIONS for base in PROPERTIES[property].bases)


def shown(system: System, property: str, k: int, run: Sample) -> Shown | None:
    """What the run shows of the property at the bound k; None: it is no example of it."""
    row = PROPERTIES[property]
    if run.k > k and row.bounded:
        return None
    watched = _Watched(system, row, k, run)
    parts = [_DEMONSTRATIONS[base.original.name](watched) for base in row.bases]
    if None in parts:
        return None
    found = [part for part in parts if part is not None]
    return Shown("; ".join(dict.fromkeys(t.text for t in found)), all(t.whole for t in found))


class _Watched:
    """A run with what is needed again and again."""

    def __init__(self, system: System, property: Property, k: int, run: Sample) -> None:
        self.system, self.k, self.run = system, k, run
        self.steps = run.witness.steps
        self.flights = flights(self.steps)
        self.excused = property.excuses_crashed

    def gone(self, name: str) -> bool:
        return self.run.witness.states[name] in self.system[name].crashed_states

    def again(self) -> tuple[Step, ...]:
        """The steps that are done again and again, where the run closes a loop."""
        return () if self.run.back is None else self.steps[self.run.back :]

    def moments(self) -> Iterator[tuple[int, Act, Configuration]]:
        """Each action with the configuration before it."""
        states, tracker = {p.name: p.initial for p in self.system}, MessageTracker()
        for i, step in enumerate(self.steps):
            if isinstance(step, Act):
                held = tracker.contents()
                words = tuple(held.get(c, ()) for c in self.system.channels)
                yield i, step, Configuration(tuple(states[n] for n in self.system.names), words)
                states[step.process] = step.state
            tracker.take(i, step)


def _receptions(steps: Iterable[Step]) -> list[tuple[str, Receive]]:
    acts = [(s.process, s.action) for s in steps if isinstance(s, Act)]
    return [(process, action) for process, action in acts if isinstance(action, Receive)]


def _received(run: _Watched) -> Shown | None:
    """k-er, k-wer: nothing stays behind."""
    left = [f for f in run.flights if f.received is None and not f.lost]
    excused = [f for f in left if run.excused and run.gone(f.channel.receiver)]
    open_ = [f for f in left if f not in excused]
    read = {Channel(action.peer, process) for process, action in _receptions(run.again())}
    if any(f.channel not in read for f in open_):
        return None
    taken = any(f.received is not None for f in run.flights)
    return Shown(_counted(run.flights, excused, open_), taken)


def _counted(sent: list[Flight], excused: list[Flight], later: list[Flight]) -> str:
    taken, lost = sum(f.received is not None for f in sent), sum(f.lost for f in sent)
    if not sent:
        return "no message is sent"
    what = "the one message that is sent" if len(sent) == 1 else f"each of the {len(sent)} messages sent"
    if lost:
        what = f"each message that is not lost ({taken} of {len(sent)})"
    elif excused or later:
        what = plural(taken, "message")
    sentence = f"{what} {'is' if not (excused or later) or taken == 1 else 'are'} received"
    if excused:
        sentence += f", and {plural(len(excused), 'message')} to a crashed process excused"
    if later:
        sentence += f", and {plural(len(later), 'message')} in the next round"
    return sentence


def _served(run: _Watched) -> Shown | None:
    """k-pg: nobody waits at the end, or whoever does receives in the next round, or sends after a timeout."""
    ends = run.run.witness.states
    waiting = {p.name for p in run.system if p.kind(ends[p.name]) is StateKind.RECEIVING}
    served = {process for process, _ in _receptions(run.again())}
    sends = {s.process for s in run.again() if isinstance(s, Act) and isinstance(s.action, Send)}
    if waiting - served - sends:
        return None
    waited = Counter(process for process, _ in _receptions(run.steps))
    names = listed(f"{name} ({count} times)" if count > 1 else name for name, count in waited.items())
    late = listed(name for name in run.system.names if name in waiting - served)
    sentence = f"whoever waits for a message gets one: {names}" if waited else "nobody waits"
    if late:
        gets = f"gets one ({names}) or goes on" if waited else "goes on"
        sentence = f"whoever waits for a message {gets} without one ({late})"
    return Shown(sentence, bool(waited))


def _room(run: _Watched) -> Shown | None:
    """k-exh: a send that found its channel full, and was sent; else the send that fills a channel most."""
    waiting: set[tuple[str, Send]] = set()
    fullest: tuple[int, Channel] | None = None
    for i, act, at in run.moments():
        waiting.update(full_sends(run.system, at, run.k))
        action = act.action
        if isinstance(action, Send):
            channel = _into(act.process, action)
            length = len(at.words[run.system.channels.index(channel)]) + 1
            if (act.process, action) in waiting:
                return Shown(_waited(run, act.process, action, i, length > run.k))
            fullest = max(fullest or (0, channel), (length, channel), key=lambda pair: pair[0])
        waiting = {w for w in waiting if w[0] != act.process}
    if fullest is None:
        return Shown("no message is sent", False)
    held = plural(fullest[0], "message")
    return Shown(f"no send has to wait for space: {arrow(fullest[1])} holds at most {held}", False)


def _into(process: str, action: Send) -> Channel:
    """The channel, or mailbox, that a send puts its message into."""
    channel = channel_of(process, action)
    assert channel is not None
    return channel


def _waited(run: _Watched, process: str, action: Send, sent: int, full_still: bool) -> str:
    channel = _into(process, action)
    what = "its crash notice" if isinstance(action.message, Crash) else str(action.message)
    full = f"{process} finds {arrow(channel)} full (k = {run.k})"
    if full_still:
        return f"{full} and sends {what} all the same in step {sent + 1}, since a message is lost"
    return f"{full}, waits for space, and sends {what} in step {sent + 1}"


def full_sends(system: System, at: Configuration, k: int) -> Iterator[tuple[str, Send]]:
    """The sends of sending states that find no room."""
    for process, state in zip(system, at.states):
        if process.kind(state) is StateKind.SENDING:
            for send in process.sends(state):
                if len(at.words[system.channels.index(_into(process.name, send))]) >= k:
                    yield process.name, send


def _rendezvous(run: _Watched) -> Shown | None:
    """rsc: each reception right after its send, faults between them aside."""
    for f in run.flights:
        between = run.steps[f.sent + 1 : f.received] if f.received is not None else ()
        if any(isinstance(s, Act) for s in between):
            return None
    if not any(f.received is not None for f in run.flights):
        return Shown("no message is received", False)
    lost, left = sum(f.lost for f in run.flights), sum(f.received is None and not f.lost for f in run.flights)
    counts = {"lost": lost, "corrupted": sum(f.now != f.message for f in run.flights), "never received": left}
    rest = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    rest = f" ({rest})" if rest else ""
    return Shown(f"each message is received at once after it is sent{rest}: a synchronous order")


def _one_way(run: _Watched) -> Shown | None:
    """half-duplex: both directions, one at a time."""
    for _, _, at in run.moments():
        held = {c for c, w in zip(run.system.channels, at.words) if w}
        if any(Channel(c.receiver, c.sender) in held for c in held):
            return None
    used = list(dict.fromkeys(f.channel for f in run.flights))
    both = any(Channel(c.receiver, c.sender) in used for c in used)
    if not both:
        return Shown(f"only {listed(map(arrow, used)) or 'no channel'} is used", False)
    return Shown(f"{listed(map(arrow, used))} are both used, and never both hold a message")


def choices(process: Process, state: str, kind: type) -> Sequence[Send | Receive]:
    """The sends (receptions) of a state, where they are with more than one process."""
    found = process.sends(state) if kind is Send else process.receives(state)
    return found if len({a.peer for a in found}) > 1 else ()


def _choice(kind: type, verb: str, end: str) -> Callable[[_Watched], Shown | None]:
    def teller(run: _Watched) -> Shown | None:
        for i, act, at in run.moments():
            state = at.states[run.system.names.index(act.process)]
            actions = choices(run.system[act.process], state, kind) if isinstance(act.action, kind) else ()
            if actions:
                names = listed((f"{_name(a)} {end} {a.peer}" for a in actions), "or")
                return Shown(f"in {state} {act.process} may {verb} {names}; step {i + 1} takes one")
        return Shown(f"no process has to choose whom to {verb} {end}", False)

    return teller


def _name(action: Send | Receive) -> str:
    return "the crash notice" if isinstance(action.message, Crash) else str(action.message)


def _crash(run: _Watched) -> Shown | None:
    crashed = [a.process for a in run.run.witness.acts if a.action == Internal(CRASH_ACTION)]
    informed = [process for process, action in _receptions(run.steps) if isinstance(action.message, Crash)]
    if not crashed:
        return Shown("nobody crashes", False)
    verb = "learns" if len(set(informed)) == 1 else "learn"
    learn = f", and {listed(informed)} {verb} of it" if informed else ""
    return Shown(f"{listed(crashed)} crashes{learn}", bool(informed))


_DEMONSTRATIONS: dict[str, Callable[[_Watched], Shown | None]] = {
    K_ER.name: _received,
    K_WER.name: _received,
    K_PG.name: _served,
    K_EXH.name: _room,
    RSC.name: _rendezvous,
    HALF_DUPLEX.name: _one_way,
    K_OBI.name: _choice(Send, "send", "to"),
    K_SIBI.name: _choice(Receive, "receive", "from"),
    CRASH_HANDLING.name: _crash,
}


def wish(system: System, property: str, k: int) -> Wish:
    """What to search for, so that a run shows the property."""
    bases = [base.original for base in PROPERTIES[property].bases]
    if K_EXH in bases:
        return Wish("room", frozenset(), _until_room(system, k))
    if RSC in bases:
        return Wish("rendezvous", rendezvous=True)
    if HALF_DUPLEX in bases:
        return Wish("both ways", frozenset(), _until_used(system))
    for base, kind in ((K_OBI, Send), (K_SIBI, Receive)):
        if base in bases:
            return Wish(base.name, "", _until(system, _chooses(kind)))
    if CRASH_HANDLING in bases:
        return Wish("crash", "", _until(system, _learns))
    return Wish()


def _chooses(kind: type) -> Callable[[Process, str, object], bool]:
    return lambda process, state, action: isinstance(action, kind) and bool(choices(process, state, kind))


def _learns(process: Process, state: str, action: object) -> bool:
    return isinstance(action, Receive) and isinstance(action.message, Crash)


def _until_room(system: System, k: int) -> Callable[[Seen, Configuration, Move, Configuration], Seen]:
    def follow(seen: Seen, at: Configuration, move: Move, to: Configuration) -> Seen:
        waiting: frozenset[tuple[str, Send]] = seen  # type: ignore[assignment]
        for step in move:
            if isinstance(step, Act):
                if (step.process, step.action) in waiting:
                    return DONE
                waiting = frozenset(w for w in waiting if w[0] != step.process)
        return waiting | frozenset(full_sends(system, to, k))

    return follow


def _until_used(system: System) -> Callable[[Seen, Configuration, Move, Configuration], Seen]:
    every = frozenset(system.channels)

    def follow(seen: Seen, at: Configuration, move: Move, to: Configuration) -> Seen:
        used: frozenset[Channel] = seen  # type: ignore[assignment]
        sent = {channel_of(s.process, s.action) for s in move if isinstance(s, Act)} - {None}
        return DONE if used | sent >= every else used | sent

    return follow


def _until(
    system: System, wanted: Callable[[Process, str, object], bool]
) -> Callable[[Seen, Configuration, Move, Configuration], Seen]:
    def follow(seen: Seen, at: Configuration, move: Move, to: Configuration) -> Seen:
        for step in move:
            if isinstance(step, Act):
                state = at.states[system.names.index(step.process)]
                if wanted(system[step.process], state, step.action):
                    return DONE
        return seen

    return follow
