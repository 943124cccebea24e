"""Lines that might repair a protocol, read off the run that breaks it.

Lines only add runs, so whatever repairs the protocol must let somebody act where this run is stuck: receive
the message that nobody takes, time out instead of waiting for ever, or be at rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ...kernel.model.actions import (
    TIMEOUT,
    Channel,
    Internal,
    Message,
    Receive,
    Send,
    Transition,
    pair_of,
    without_sender,
)
from ...kernel.model.process import Process, StateKind
from ...kernel.model.rest import RestStates, rest_states
from ...kernel.model.system import System
from ...kernel.semantics.explore import explore
from ...programs.extraction.naming import is_raised
from .addition import Addition, rest_line

#: So many targets of one new alternative are tried, the likeliest first.
MOST_TARGETS = 10


@dataclass(frozen=True)
class Scene:
    """Where everybody stands, in the user's states, and what the channels hold."""

    states: Mapping[str, str]
    channels: Mapping[Channel, tuple[Message, ...]]


@dataclass(frozen=True)
class Stuck:
    """The end of a run that violates what is asked; of a livelock, what can happen after the last fault.

    `faults`: how many it took. `taken`: the transitions of roles that it takes. `left_behind`: everybody
    rests, and what is left in the channels is the problem.
    """

    scenes: tuple[Scene, ...]
    faults: int
    ending: str = ""
    left_behind: bool = False
    taken: frozenset[tuple[str, Transition]] = frozenset()


def candidates(
    system: System, stuck: Stuck, roles: Iterable[str], may_rest: bool = True
) -> tuple[Addition, ...]:
    """Each line once, the likeliest first; `rest` lines only where asked for."""
    if stuck.left_behind:
        return tuple(dict.fromkeys(_cleanings(system, stuck, tuple(roles))))
    rest = rest_states(system)
    likely: list[Iterator[Addition]] = []
    unlikely: list[Iterator[Addition]] = []
    for process, state, heads in _waiting(system, stuck, tuple(roles)):
        awake = state not in rest.rest[process.name]
        kinds = [_receptions(process, state, r, rest) for r in heads]
        if awake or stuck.ending != "deadlock":
            kinds.append(_timers(process, state, rest))
        # A state that waits already is a likelier place than one that sends or rests.
        (likely if awake and not process.sends(state) else unlikely).extend(kinds)
    lines = [*_places_to_rest(system, stuck, rest)] if may_rest else []
    return tuple(dict.fromkeys((*lines, *_in_turn(likely), *_in_turn(unlikely))))


def _waiting(
    system: System, stuck: Stuck, roles: tuple[str, ...]
) -> list[tuple[Process, str, tuple[Receive, ...]]]:
    """Each state in which a role may be stuck, with what it does not take from the heads of channels. Where
    an exception has escaped, a role function does nothing any more."""
    found: dict[tuple[str, str], dict[Receive, None]] = {}
    for scene in stuck.scenes:
        for name in roles:
            process, state = system[name], scene.states[name]
            if state in process.states and state not in process.crashed_states and not is_raised(state):
                heads = found.setdefault((name, state), {})
                heads.update(dict.fromkeys(not_taken(process, state, scene)))
    return [(system[name], state, tuple(heads)) for (name, state), heads in found.items()]


def _in_turn(kinds: list[Iterator[Addition]]) -> Iterator[Addition]:
    """The first of each kind, then the second of each, and so on."""
    while kinds:
        for kind in list(kinds):
            addition = next(kind, None)
            if addition is None:
                kinds.remove(kind)
            else:
                yield addition


def not_taken(process: Process, state: str, scene: Scene) -> Iterator[Receive]:
    """What stands at the head of a channel to the process, and is not received in this state."""
    for channel, word in scene.channels.items():
        if channel.receiver == process.name and word:
            reception = Receive(pair_of(channel, word[0]).sender, without_sender(word[0]))
            if reception not in process.receives(state):
                yield reception


def _receptions(process: Process, state: str, reception: Receive, rest: RestStates) -> Iterator[Addition]:
    """Receive the message here, and go on where the same reception leads, ignore it, or go elsewhere."""
    reached = set(process.reachable())
    same = [t for t in process.transitions if t.action == reception]
    elsewhere = Counter(state if t.target == t.source else t.target for t in same)
    likely = [
        *(s for s in process.states if s not in reached),
        *(target for target, _ in elsewhere.most_common()),
        state,
        *(t.target for t in process.outgoing(state)),
        *sorted(rest.rest[process.name]),
    ]
    for target in _alive(process, [*likely, *process.states]):
        yield Addition(process.name, state, (Transition(state, reception, target),))


def _alive(process: Process, targets: Iterable[str]) -> list[str]:
    return [s for s in dict.fromkeys(targets) if s not in process.crashed_states][:MOST_TARGETS]


def _timers(process: Process, state: str, rest: RestStates) -> Iterator[Addition]:
    """Send again, or give up: a timer leads back to where the role last sent, or to where it rests."""
    if process.kind(state) is StateKind.SENDING:
        return
    resting = [s for s in process.states if s in rest.rest[process.name]]
    reached = set(process.reachable())
    likely = [
        *_last_sends(process, state),
        *resting,
        *(s for s in process.states if s not in reached),
        process.initial,
    ]
    there = {t.target for t in process.outgoing(state) if isinstance(t.action, Internal)}
    for target in _alive(process, likely):
        if target != state and target not in there:
            timer = _timer(process, state, "give-up" if target in resting else "again")
            yield Addition(process.name, state, (Transition(state, timer, target),))


def _timer(process: Process, state: str, name: str) -> Internal:
    """A timer without a name where there is none yet."""
    taken = {t.action.name for t in process.outgoing(state) if isinstance(t.action, Internal)}
    names = (TIMEOUT, name, *(f"{name}-{i}" for i in range(2, len(taken) + 3)))
    return Internal(next(n for n in names if n not in taken), timeout=True)


def _last_sends(process: Process, state: str) -> list[str]:
    """The states that send and lead here, the nearest first."""

    def leaving(target: str) -> Iterator[tuple[Transition, str]]:
        return ((t, t.source) for t in process.transitions if t.target == target)

    came = explore([state], leaving).came
    return [source for source, step in came.items() if step is not None and isinstance(step[1].action, Send)]


def _places_to_rest(system: System, stuck: Stuck, rest: RestStates) -> Iterator[Addition]:
    """Without any fault, everybody else has come to rest, nothing is in flight, and a role only waits."""
    if stuck.faults or stuck.ending != "deadlock":
        return
    (scene,) = stuck.scenes
    awake = [p for p in system if scene.states[p.name] not in rest.rest[p.name]]
    if len(awake) == 1 and not any(scene.channels.values()):
        (process,) = awake
        if process.kind(scene.states[process.name]) is StateKind.RECEIVING:
            yield rest_line(process, scene.states[process.name])


def _cleanings(system: System, stuck: Stuck, roles: tuple[str, ...]) -> Iterator[Addition]:
    """Take late messages where the role rests: those that are there, or all that it knows."""
    (scene,) = stuck.scenes
    for process in (system[name] for name in roles):
        state = scene.states[process.name]
        late = [c for c, word in scene.channels.items() if c.receiver == process.name and word]
        waiting = [(pair_of(c, m).sender, m) for c in late for m in scene.channels[c]]
        present = [Receive(sender, without_sender(m)) for sender, m in waiting]
        peers = {sender for sender, _ in waiting}
        known = [r for s in process.states for r in process.receives(s) if r.peer in peers]
        for receptions in (present, [*known, *present]):
            new = [r for r in dict.fromkeys(receptions) if r not in process.receives(state)]
            if new:
                yield Addition(process.name, state, tuple(Transition(state, r, state) for r in new))
