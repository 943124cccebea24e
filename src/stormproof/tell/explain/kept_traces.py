"""Does a changed protocol keep the traces that the protocol has without faults (definitions 10.17)?

Both are explored side by side: the configurations of one, each with all those of the other that the same
visible actions reach.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import NamedTuple

from ...kernel.model.actions import Configuration, Internal, Message, Receive, Send, Transition
from ...kernel.model.process import Process
from ...kernel.model.survival import SLACK, SurvivalModel
from ...kernel.model.system import System
from ...kernel.model.timers import ANY
from ...kernel.semantics.explore import TooLarge, explore, reached
from ...kernel.semantics.faulty_steps import bounded_steps
from ...kernel.semantics.goal_meaning import at_rest
from ...search.checks.recovery import survival_model
from .trial import Question, calm

#: The bounds that are tried, and how many configurations are looked at for each.
BOUNDS, MOST = (1, 2), 20_000

#: A role and what it does, as somebody sees it who knows neither timers nor identifiers.
_Label = tuple[str, Send | Receive | Internal]


@dataclass(frozen=True)
class ChangedProtocol:
    """A changed protocol. `added` are the transitions of roles that are no part of what the protocol does,
    and `identifiers` the messages that another one has become, with that one."""

    system: System
    added: frozenset[tuple[str, Transition]]
    identifiers: Mapping[Message, Message] = field(default_factory=dict)

    def without_timers(self) -> ChangedProtocol:
        """The same, in which no added timer expires."""
        kept = (
            replace(p, transitions=tuple(t for t in p.transitions if not self.is_added_timer(p.name, t)))
            for p in self.system
        )
        return replace(self, system=replace(self.system, processes=tuple(kept)))

    def is_added_timer(self, role: str, transition: Transition) -> bool:
        return _is_timer(transition) and (role, transition) in self.added


def change_of(
    before: System,
    after: System,
    identifiers: Mapping[Message, Message] | None = None,
    originals: Mapping[tuple[str, str], str] | None = None,
) -> ChangedProtocol:
    """All that is not in the protocol, or that no run of it takes without faults, is added. A state that is a
    copy of one of the `originals` does what that does."""
    used, old = used_transitions(before), originals or {}

    def original(role: str, t: Transition) -> Transition:
        return Transition(old.get((role, t.source), t.source), t.action, old.get((role, t.target), t.target))

    added = ((p.name, t) for p in after for t in p.transitions if (p.name, original(p.name, t)) not in used)
    return ChangedProtocol(after, frozenset(added), identifiers or {})


@dataclass(frozen=True)
class KeptTraces:
    """`kept`: with at most `up_to` messages per channel all traces are kept, False: one is not, None: that
    was not decided within the limits. `difference`: what differs, as part of a sentence. `gives_up`: it comes
    to rest where the protocol had more to do."""

    kept: bool | None
    up_to: int = 0
    difference: str = ""
    gives_up: bool = False


def kept_traces(before: System, change: ChangedProtocol, most: int = MOST) -> KeptTraces:
    """The answer for the largest bound that can be looked at."""
    answer = KeptTraces(None)
    for k in BOUNDS:
        try:
            answer = _kept_up_to(before, change, k, most)
        except TooLarge:
            return answer
        if answer.kept is False:
            return answer
    return answer


def _kept_up_to(before: System, change: ChangedProtocol, k: int, most: int) -> KeptTraces:
    old, new = _Original(before), _Changed(change)
    acts, rests = _differences(new, k, old, k + SLACK, most)
    if rests:
        return KeptTraces(False, k, "it comes to rest where it did not", gives_up=True)
    if acts:
        return KeptTraces(False, k, f"{acts} where it did not")
    acts, rests = _differences(old, k, _Changed(change.without_timers()), k + SLACK, most)
    missing = acts or ("it comes to rest" if rests else "")
    return KeptTraces(False, k, f"{missing} no more where it did") if missing else KeptTraces(True, k)


# ---- one protocol, seen from outside -------------------------------------------------------------------


class _Node(NamedTuple):
    """A configuration, and for each role the state that it is on its way back to, or none."""

    at: Configuration
    home: tuple[str, ...]


class _Original:
    """A protocol without faults: timers cannot be seen."""

    def __init__(self, system: System) -> None:
        self.model: SurvivalModel = survival_model(Question().request(at_any_time(calm(system))))
        names = self.model.system.names
        self.index = {name: i for i, name in enumerate(names)}
        states = tuple(p.initial for p in self.model.system)
        words: tuple[tuple[Message, ...], ...] = tuple(() for _ in self.model.system.channels)
        self.start = _Node(Configuration(states, words), ("",) * len(names))

    def steps(self, node: _Node, k: int) -> Iterator[tuple[_Label | None, _Node]]:
        """What can be done, with what is seen of it."""
        for step, after in bounded_steps(self.model, node.at, k, frozenset()):
            if after is not None:
                i = self.index[step.process]
                label, home = self.seen(step.process, step.transition, node.home[i])
                yield label, _Node(after, (*node.home[:i], home, *node.home[i + 1 :]))

    def seen(self, role: str, transition: Transition, home: str) -> tuple[_Label | None, str]:
        return (None if _is_timer(transition) else (role, transition.action)), ""

    def rests(self, node: _Node) -> bool:
        return at_rest(self.model, node.at)

    def unseen(self, nodes: Iterable[_Node], k: int, most: int) -> frozenset[_Node]:
        """Where one can be when nothing more was seen."""
        return frozenset(reached(nodes, lambda n: (m for seen, m in self.steps(n, k) if seen is None), most))


class _Changed(_Original):
    """A changed protocol: what was added cannot be seen, nor what is sent on the way back from it."""

    def __init__(self, change: ChangedProtocol) -> None:
        super().__init__(change.system)
        self.change = change
        self.way = cache(self._way)

    def seen(self, role: str, transition: Transition, home: str) -> tuple[_Label | None, str]:
        action, source, target = transition.action, transition.source, transition.target
        if (role, transition) in self.change.added:
            return None, self._home_after(role, source, target, home)
        if isinstance(action, Send) and home and self.way(role, home).get(target, source) != source:
            way = self.way(role, home)
            if way[target] < way[source]:
                return None, "" if target == home else home
        if _is_timer(transition):
            return None, ""
        if not isinstance(action, Internal):
            action = replace(action, message=self.change.identifiers.get(action.message, action.message))
        return (role, action), ""

    def _home_after(self, role: str, source: str, target: str, home: str) -> str:
        """Where a role is on its way back to, after an added transition."""
        for goal in (home, source):
            if goal and target in self.way(role, goal):
                return "" if target == goal else goal
        return ""

    def _way(self, role: str, home: str) -> dict[str, int]:
        """From where sends alone lead home, and how many it takes."""
        process: Process = self.model.system[role]
        sends = [t for t in process.transitions if isinstance(t.action, Send)]
        far, edge = {home: 0}, [home]
        while edge:
            before = dict.fromkeys(t.source for s in edge for t in sends if t.target == s)
            edge = [s for s in before if s not in far]
            far.update(dict.fromkeys(edge, max(far.values()) + 1))
        return far


# ---- two side by side ----------------------------------------------------------------------------------


#: Where one is, and where the other may be after the same trace.
_Pair = tuple[_Node, frozenset[_Node]]


def _differences(one: _Original, k: int, other: _Original, other_k: int, most: int) -> tuple[str, bool]:
    """What one of them can do first that the other cannot after the same trace, empty where there is nothing,
    and whether it rests where the other cannot."""
    acts, rests = "", False

    def leaving(pair: _Pair) -> Iterator[tuple[None, _Pair]]:
        nonlocal acts, rests
        node, others = pair
        rests = rests or (one.rests(node) and not any(map(other.rests, others)))
        for label, after in one.steps(node, k):
            if label is None:
                yield None, (after, others)
                continue
            same = [m for o in others for seen, m in other.steps(o, other_k) if seen == label]
            if same:
                yield None, (after, other.unseen(same, other_k, most))
            acts = acts or ("" if same else _said(label))

    start = (one.start, other.unseen([other.start], other_k, most))
    found = explore([start], leaving, goes_on=lambda seen: not rests and seen <= most)
    if not rests and not acts and not found.complete:
        raise TooLarge
    return acts, rests


def _said(label: _Label) -> str:
    role, action = label
    if isinstance(action, Internal):
        return f"{role} does {action}"
    verb, way = ("sends", "to") if isinstance(action, Send) else ("receives", "from")
    return f"{role} {verb} {action.message} {way} {action.peer}"


def _is_timer(transition: Transition) -> bool:
    return isinstance(transition.action, Internal) and transition.action.timeout


def used_transitions(system: System) -> frozenset[tuple[str, Transition]]:
    """The transitions that runs take without faults; all of them, where there are too many configurations."""
    model: SurvivalModel = survival_model(Question().request(at_any_time(calm(system))))
    used: dict[tuple[str, Transition], None] = {}

    def following(node: _Node) -> Iterator[_Node]:
        for step, after in bounded_steps(model, node.at, BOUNDS[-1], frozenset()):
            if after is not None:
                used[step.process, step.transition] = None
                yield _Node(after, ())

    try:
        reached([_Node(_Original(system).start.at, ())], following, MOST)
    except TooLarge:
        return frozenset((p.name, t) for p in system for t in p.transitions)
    return frozenset(used)


def at_any_time(system: System) -> System:
    """Traces are kept also if timers expire early (definitions 10.17)."""
    return replace(system, timers=ANY)
