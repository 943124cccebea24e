"""Survival at one bound, decided by the native engine, with names (definitions 10.8 to 10.13)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from .. import _engine
from ..errors import UsageError
from ..limits import Limits, check_bound
from ..model.actions import Channel, Internal, Transition
from ..model.ask import Ask
from ..model.fault_steps import strike_fields
from ..model.goal import And, At, Contains, Goal, Head, Holds, Named, Not, Or
from ..model.goal_forms import normal_form, observed_channels
from ..model.storm_step import StormStep
from ..model.survival import LADDER, SLACK, BlockSize, SurvivalModel
from ..records import dataclass
from .culprit_ends import CulpritEnds
from .disk import disk_options
from .k_properties import thread_count
from .listed import Listed
from .lowering import Lowered, lower
from .watch import ProgressCallback, limit_name, watch

#: Marks of internal actions that are no fault, and of those that cannot happen.
_UNMARKED, _DISABLED = 255, 254

#: How many asks the engine takes at once.
_MOST_ASKS = 30

#: Abstract configurations per attempt to prove that a goal is out of reach.
MOST_ABSTRACT = 200_000

_KIND = _engine.GoalKind
#: The kinds of faults as the engine numbers them, by the names that budgets give them.
_FAULTS = {fault.name.lower(): fault for fault in _engine.Fault}
_PlainGoal = list[tuple[_engine.GoalKind, bool, int, list[int]]]
_PlainList = tuple[list[_engine.ContentForm], bool, set[tuple[int, ...]]]
_ENDS = {
    _engine.EndKind.DEADLOCK: "deadlock",
    _engine.EndKind.REST: "rest",
    _engine.EndKind.LIVELOCK: "livelock",
    _engine.EndKind.DIVERGENCE: "divergence",
}


@dataclass(frozen=True)
class FoundRun:
    """A run that violates a requirement, or that could not be judged.

    The first `storm` steps lead to the violation; the calm ones after them to where the system is stuck.
    `end` says how: `deadlock`, `rest` (nothing more happens, and the goal does not hold), `livelock`
    (`cycle` is one way round), `divergence`; None where the run ends in the goal that must never hold.
    `proof` is the abstraction that proves a goal to be out of reach of calm runs in channels of any
    length; None where none is needed.
    """

    steps: tuple[StormStep, ...]
    storm: int
    faults: int
    end: str | None = None
    cycle: tuple[StormStep, ...] = ()
    proof: BlockSize | None = None


@dataclass(frozen=True)
class SurvivalAnswer:
    """The answer to one ask at one bound.

    `holds` False: violated, whatever the length of channels; `fewest`: no storm with fewer faults
    violates it. True: it holds, for storms with at most `up_to` messages per channel, None for any
    length. None: undecided, with the run that could not be judged, or, if there is none, because a limit
    stopped the search. `listed`: what a certificate lists, if one was asked for.
    """

    holds: bool | None
    up_to: int | None = None
    fewest: bool = False
    run: FoundRun | None = None
    listed: Listed | None = None


@dataclass(frozen=True)
class Survey:
    """What one exploration found. `hit_faults`: the fewest faults with which a send hits the bound, None
    if none does. All storms with fewer than `faults_explored` faults were judged. `stopped` is the
    limit that was hit, or what is wrong with the disk; `on_disk`: bytes of what was explored there.
    `compact`: the configurations were in the compact store."""

    k: int
    answers: Mapping[str, SurvivalAnswer]
    configurations: int
    stored: int
    seconds: float
    memory: int
    hit_faults: int | None
    faults_explored: int
    stopped: str = ""
    symmetries: int = 1
    on_disk: int = 0
    compact: bool = False


def survey(
    model: SurvivalModel,
    asks: Mapping[str, Ask],
    k: int,
    *,
    limits: Limits | None = None,
    seconds: float | None = None,
    progress: ProgressCallback | None = None,
    slack: int = SLACK,
    ladder: Iterable[BlockSize] = LADDER,
    certified: int = 0,
    reduction: bool = True,
    symmetry: bool = True,
    threads: int | None = None,
    **knobs: Any,
) -> Survey:
    """Answer several asks at one bound, in one exploration where no goal observes a channel that others
    ignore. `certified`: list up to so many configurations for certificates, each ask explored by itself.
    Reduction and symmetry give the same answers; the `knobs` say from which size on they are used, and in
    which store to begin. `threads` is for searches in the compact store, None for as many as there are
    processors. Where the limits have a folder, what memory does not hold is explored there, unless it is to
    be certified."""
    check_bound(k)
    started = time.monotonic()
    lowered = lower(model.system, model.failures)
    # Neither is shown for mailboxes (definitions 12.4).
    reduces, turns = (wanted and not model.system.mailboxes for wanted in (reduction, symmetry))
    knobs |= {"threads": thread_count(threads)}
    parts = []
    for observed, group in _groups(model, asks, 1 if certified else _MOST_ASKS):
        question = _Question(model, lowered, observed, tuple(ladder), certified, reduces, turns, knobs)
        left = None if seconds is None else max(seconds - (time.monotonic() - started), 1e-6)
        parts.append(question.survey(group, k, slack, limits or Limits(), left, progress))
    return _joined(parts, {name: a for part in parts for name, a in part.answers.items()}, started)


def storms_to(
    model: SurvivalModel,
    groups: Sequence[CulpritEnds],
    k: int,
    limits: Limits,
    seconds: float | None = None,
) -> tuple[FoundRun | None, ...]:
    """For each group of ends of a k-property the storm to one of them, with at most k messages per channel,
    that has the fewest faults and then the fewest actions; None where a limit was hit before."""
    lowered, channels = lower(model.system, model.failures), frozenset(model.system.channels)
    within = replace(limits, disk=None)
    return _Question(model, lowered, channels, (), 0).storms_to(groups[:_MOST_ASKS], k, within, seconds)


def _joined(parts: list[Survey], answers: Mapping[str, SurvivalAnswer], started: float) -> Survey:
    first = parts[0]
    hits = [p.hit_faults for p in parts if p.hit_faults is not None]
    return Survey(
        first.k,
        answers,
        configurations=sum(p.configurations for p in parts),
        stored=sum(p.stored for p in parts),
        seconds=time.monotonic() - started,
        memory=max(p.memory for p in parts),
        hit_faults=min(hits, default=None),
        faults_explored=min(p.faults_explored for p in parts),
        symmetries=max(p.symmetries for p in parts),
        on_disk=sum(p.on_disk for p in parts),
        compact=any(p.compact for p in parts),
        stopped=next((p.stopped for p in parts if p.stopped), ""),
    )


def _groups(
    model: SurvivalModel, asks: Mapping[str, Ask], most: int
) -> list[tuple[frozenset[Channel], dict[str, Ask]]]:
    """Asks that observe the same channels, of those whose receiver may end, together."""
    if not asks:
        raise UsageError("there is nothing to ask")
    ending = {c for c in model.system.channels if model.rest.ended[c.receiver]}
    groups: dict[frozenset[Channel], list[dict[str, Ask]]] = {}
    for name, ask in asks.items():
        parts = groups.setdefault(observed_channels(ask.goal, model.system) & ending, [{}])
        if len(parts[-1]) == most:
            parts.append({})
        parts[-1][name] = ask
    return [(observed, part) for observed, parts in groups.items() for part in parts]


@dataclass(frozen=True)
class _Question:
    """One system and failure model with its names."""

    model: SurvivalModel
    lowered: Lowered
    observed: frozenset[Channel]
    ladder: tuple[BlockSize, ...]
    certified: int
    reduction: bool = False
    symmetry: bool = False
    knobs: Mapping[str, Any] = field(default_factory=dict)

    def survey(
        self,
        asks: Mapping[str, Ask],
        k: int,
        slack: int,
        limits: Limits,
        seconds: float | None,
        progress: ProgressCallback | None,
    ) -> Survey:
        plain = [(a.always, self._goal(normal_form(a.goal))) for a in asks.values()]
        found = self._survive(plain, k, slack, limits, seconds, progress)
        return Survey(
            k,
            {n: self._answer(f, found, k, a) for (n, a), f in zip(asks.items(), found.findings, strict=True)},
            configurations=found.configurations,
            stored=found.stored,
            seconds=0.0,
            memory=found.memory,
            hit_faults=found.hit_faults,
            faults_explored=found.faults_explored,
            symmetries=found.symmetries,
            stopped=found.problem or limit_name(found.stop),
            on_disk=found.on_disk,
            compact=found.compact,
        )

    def _survive(
        self,
        asks: list[tuple[bool, _PlainGoal]],
        k: int,
        slack: int,
        limits: Limits,
        seconds: float | None,
        progress: ProgressCallback | None = None,
        lists: Sequence[_PlainList] = (),
    ) -> _engine.SurvivalResult:
        model, system = self.model, self.model.system
        budget = [model.budget.kinds.get(kind) for kind in _FAULTS]

        def search(monitor: _engine.Monitor) -> _engine.SurvivalResult:
            return _engine.survive(
                self.lowered.native,
                monitor,
                k,
                slack,
                asks,
                self._marks(),
                [_flags(p.states, model.rest.rest[p.name]) for p in system],
                [_flags(p.states, model.rest.ended[p.name]) for p in system],
                [int(c in self.observed) for c in system.channels],
                model.budget.total,
                budget,
                [(size.blocks, size.counted) for size in self.ladder],
                MOST_ABSTRACT,
                self.certified,
                lists,
                self.reduction,
                symmetry=self.symmetry,
                **{"disk": disk_options(limits), **self.knobs},
            )

        try:
            return watch(search, limits, f"survival, k = {k}", progress, seconds)
        except ValueError as problem:
            raise UsageError(
                "survival cannot be decided for a system with more than 65,535 states, messages or steps",
                hint="check a smaller system",
            ) from problem

    def storms_to(
        self, groups: Sequence[CulpritEnds], k: int, limits: Limits, seconds: float | None
    ) -> tuple[FoundRun | None, ...]:
        asks = [(False, [(_KIND.LISTED, False, i, list[int]())]) for i in range(len(groups))]
        found = self._survive(asks, k, 0, limits, seconds, None, self._lists(groups))
        if found.stop is _engine.Stop.INTERRUPTED:
            raise KeyboardInterrupt
        return tuple(
            self._run(f, False) if f.outcome == _engine.Outcome.VIOLATED else None for f in found.findings
        )

    def _lists(self, groups: Sequence[CulpritEnds]) -> list[_PlainList]:
        forms = [self._form(channel) for channel in self.model.system.channels]
        return [(forms, ends.heads, ends.rows(forms)) for ends in groups]

    def _form(self, channel: Channel) -> _engine.ContentForm:
        failures = self.model.failures
        if failures.only_length_matters(self.model.system, channel):
            return _engine.ContentForm.LENGTH
        ordered = self.lowered.native.keeps_order(self.lowered.channels.index(channel))
        return _engine.ContentForm.WORD if ordered else _engine.ContentForm.MULTISET

    def _marks(self) -> list[list[int]]:
        names = self.model.system.names
        return [
            [self._mark(p, t) for t in rows] for p, rows in zip(names, self.lowered.transitions, strict=True)
        ]

    def _mark(self, process: str, transition: Transition) -> int:
        if not isinstance(transition.action, Internal):
            return _UNMARKED
        if not self.model.can_happen(process, transition):
            return _DISABLED
        kind = self.model.process_fault(process, transition.action)
        return _UNMARKED if kind is None else _FAULTS[kind].value

    # ---- goals -----------------------------------------------------------------------------------------

    def _goal(self, goal: Goal) -> _PlainGoal:
        """The nodes of a goal in normal form, parts before wholes."""
        nodes: _PlainGoal = []

        def add(part: Goal) -> int:
            if isinstance(part, And | Or):
                children = [add(p) for p in part.parts]
                nodes.append((_KIND.ALL if isinstance(part, And) else _KIND.ANY, False, 0, children))
            else:
                negated = isinstance(part, Not)
                kind, subject, details = self._atom(part.part if isinstance(part, Not) else part, negated)
                nodes.append((kind, negated, subject, details))
            return len(nodes) - 1

        add(goal)
        return nodes

    def _atom(self, atom: Goal, negated: bool) -> tuple[_engine.GoalKind, int, list[int]]:
        system = self.model.system
        if isinstance(atom, At):
            states = system[atom.process].states
            return _KIND.AT, system.names.index(atom.process), _flags(states, frozenset(atom.states))
        if isinstance(atom, Named) and atom.name == "deadlock":
            return _KIND.DEADLOCK, 0, []
        if isinstance(atom, Named) and atom.name == "at rest":
            return _KIND.AT_REST, 0, []
        if not isinstance(atom, Holds | Contains | Head):
            raise UsageError(f"'{atom}' cannot be asked of survival")
        word = atom.word if isinstance(atom, Holds) else (atom.message,)
        number = {m: i for i, m in enumerate(self.lowered.messages)}
        if atom.channel not in system.channel_index or any(m not in number for m in word):
            # Nothing is ever sent there, or nothing of this kind.
            never = not (isinstance(atom, Holds) and not atom.word)
            return (_KIND.ANY if never is not negated else _KIND.ALL), 0, []
        kind = {Holds: _KIND.HOLDS, Contains: _KIND.CONTAINS, Head: _KIND.HEAD}[type(atom)]
        return kind, system.channel_index[atom.channel], [number[m] for m in word]

    # ---- back to names ---------------------------------------------------------------------------------

    def _answer(
        self, finding: _engine.Finding, result: _engine.SurvivalResult, k: int, ask: Ask
    ) -> SurvivalAnswer:
        outcome = finding.outcome
        kinds = len(self.model.budget.kinds)
        listed = Listed(self.lowered, kinds, result.certified) if self.certified else None
        if outcome == _engine.Outcome.HOLDS:
            return SurvivalAnswer(True, None if finding.hit_faults is None else k, listed=listed)
        if outcome == _engine.Outcome.UNKNOWN:
            return SurvivalAnswer(None)
        violated = outcome == _engine.Outcome.VIOLATED
        run = self._run(finding, violated and ask.always)
        doubts = [n for n in (finding.hit_faults, finding.undecided_faults) if n is not None]
        certain = finding.faults == 0 or not finding.reduced
        fewest = violated and certain and all(n >= finding.faults for n in doubts)
        return SurvivalAnswer(False if violated else None, fewest=fewest, run=run, listed=listed)

    def _run(self, finding: _engine.Finding, proved: bool) -> FoundRun:
        return FoundRun(
            tuple(self._step(s) for s in finding.run),
            finding.calm_from,
            finding.faults,
            _ENDS.get(finding.end),
            tuple(self._step(s) for s in finding.cycle),
            BlockSize(*finding.proof) if proved else None,
        )

    def _step(self, strike: _engine.Strike) -> StormStep:
        return StormStep(
            self.model.system.names[strike.process],
            self.lowered.transitions[strike.process][strike.transition],
            None if strike.fault is None else strike.fault.name.lower(),
            **strike_fields(strike.outcome, self.lowered.messages),
        )


def _flags(states: Iterable[str], chosen: frozenset[str]) -> list[int]:
    return [int(s in chosen) for s in states]
