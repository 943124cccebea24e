"""Survival at one bound, decided by the native engine, with names (definitions 10.8 to 10.13)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ... import _engine
from ...errors import UsageError
from ...kernel.model.actions import Channel
from ...kernel.model.ask import Ask
from ...kernel.model.channel_faults import action_fault_fields
from ...kernel.model.goal_forms import observed_channels
from ...kernel.model.storm_step import StormStep
from ...kernel.model.survival import LADDER, SLACK, BlockSize, SurvivalModel
from ...kernel.transform.pending import with_pending
from ...limits import Limits, check_bound
from ...options import Options, with_knobs
from ...records import dataclass
from .by_kernel import has_engine, survey_by_kernel
from .culprit_ends import CulpritEnds
from .disk import disk_options
from .effort import is_for_here, stopped_by, within
from .k_properties import Traffic
from .listed import Listed
from .survival_question import PlainAsk, PlainList, SurvivalQuestion
from .watch import SCHEDULER_LOST, limit_name, watch

if TYPE_CHECKING:
    from ...trust.reachability.certificates import Certificate
    from ...trust.survival_certificate import SurvivalCertificate

#: Systems with at most so many configurations are not worth a cluster.
SMALL = 20_000

#: How many asks the engine takes at once.
_MOST_ASKS = 30

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
    length; None where none is needed. `shortest`: no run within the bound that has as few faults is shorter.
    """

    steps: tuple[StormStep, ...]
    storm: int
    faults: int
    end: str | None = None
    cycle: tuple[StormStep, ...] = ()
    proof: BlockSize | None = None
    shortest: bool = True


@dataclass(frozen=True)
class SurvivalAnswer:
    """The answer to one ask.

    `holds` False: violated, whatever the length of channels; `fewest`: no storm with fewer faults
    violates it. True: it holds, for storms with at most `up_to` messages per channel, None for any
    length. None: undecided, with the run that could not be judged, or, if there is none, because a limit
    stopped the search. `listed`: what a certificate lists, if one was asked for.

    So much one exploration says. A check, which asks at several bounds and by several methods, adds the bound
    `k` of the answer and what was spent on it. `tolerated`: where a limit ended the search, all storms with
    at most so many faults and k messages per channel are survived. `doubt`: a larger bound left it
    undecided, because of `doubt_limit` if a limit was hit, and `configurations` are those explored at that
    bound. `proof`: a method without a bound has proved it, `fewest_proof`: for runs without faults.
    """

    holds: bool | None
    up_to: int | None = None
    fewest: bool = False
    run: FoundRun | None = None
    listed: Listed | None = None
    k: int = 0
    tolerated: int | None = None
    doubt: int | None = None
    doubt_limit: str = ""
    stopped: str = ""
    configurations: int = 0
    seconds: float = 0.0
    proof: SurvivalCertificate | Certificate | None = None
    fewest_proof: SurvivalCertificate | Certificate | None = None


@dataclass(frozen=True)
class Survey:
    """What one exploration found. `hit_faults`: the fewest faults with which a send hits the bound, None
    if none does. All storms with fewer than `faults_explored` faults were judged. `stopped` is the
    limit that was hit, or what is wrong with the disk; `on_disk`: bytes of what was explored there.
    `compact`: the configurations were in the compact store; `traffic`: they were on a cluster."""

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
    traffic: Traffic | None = None


def survey(
    model: SurvivalModel,
    asks: Mapping[str, Ask],
    k: int,
    options: Options | None = None,
    *,
    most: int | None = None,
    slack: int = SLACK,
    ladder: Iterable[BlockSize] = LADDER,
    certified: int = 0,
    **knobs: Any,
) -> Survey:
    """Answer several asks at one bound, in one exploration where no goal observes a channel that others
    ignore. `most`: the effort for each, in configurations. `certified`: list up to so many configurations for
    certificates, each ask explored by itself.
    The `knobs` are those of `Options`, and those of the engine that say from which size on it leaves out
    configurations, and in which store to begin. Where the limits have a folder, what memory does not hold is
    explored there, unless it is to be certified. On a cluster, workers explore every configuration of what is
    not small, unless it is to be certified or is within the usual effort."""
    check_bound(k)
    started = time.monotonic()
    options, engine = with_knobs(options, knobs)
    # What leaves out configurations is not proved for mailboxes (definitions 12.4).
    options = options.exploring_all() if model.system.mailboxes else options
    limits = options.limits
    options = options.but(limits=within(limits, most))
    parts: list[Survey] = []
    for observed, group in _groups(model, asks, 1 if certified else _MOST_ASKS):
        question = SurvivalSearch(model, observed, tuple(ladder), certified, options, engine).leading_to(
            group
        )
        here = not options.cluster or certified or is_for_here(most)
        search = question.survey if here else question.survey_on_cluster
        lost = parts and parts[-1].stopped == SCHEDULER_LOST
        parts.append(_unasked(parts[-1], group) if lost else search(group, k, slack))
    joined = _joined(parts, {name: a for part in parts for name, a in part.answers.items()}, started)
    return replace(joined, stopped=stopped_by(joined.stopped, limits, most))


def _unasked(before: Survey, asks: Mapping[str, Ask]) -> Survey:
    """What nobody answers any more. What was found before is not lost with the cluster."""
    unknown = {name: SurvivalAnswer(None) for name in asks}
    return replace(before, answers=unknown, configurations=0, stored=0, on_disk=0, faults_explored=0)


def storms_to(
    model: SurvivalModel,
    groups: Sequence[CulpritEnds],
    k: int,
    limits: Limits,
) -> tuple[FoundRun | None, ...]:
    """For each group of ends of a k-property the storm to one of them, with at most k messages per channel,
    that has the fewest faults and then the fewest actions; None where a limit was hit before."""
    question = SurvivalSearch(model, frozenset(model.system.channels)).limited(replace(limits, disk=None))
    return question.storms_to(groups[:_MOST_ASKS], k)


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
        traffic=next((p.traffic for p in parts if p.traffic), None),
    )


def _groups(
    model: SurvivalModel, asks: Mapping[str, Ask], most: int
) -> list[tuple[frozenset[Channel], dict[str, Ask]]]:
    """Asks that observe the same channels, of those whose receiver may end, together. What one goal leads to
    is explored by itself."""
    if not asks:
        raise UsageError("there is nothing to ask")
    ending = {c for c in model.system.channels if model.rest.ended[c.receiver]}
    groups: dict[tuple[frozenset[Channel], Ask | None], list[dict[str, Ask]]] = {}
    for name, ask in asks.items():
        looked_at = frozenset().union(*(observed_channels(goal, model.system) for goal in ask.goals))
        parts = groups.setdefault((looked_at & ending, ask if ask.after else None), [{}])
        if len(parts[-1]) == most:
            parts.append({})
        parts[-1][name] = ask
    return [(observed, part) for (observed, _), parts in groups.items() for part in parts]


class SurvivalSearch(SurvivalQuestion):
    """A question put to the engine, and its answers in names."""

    def leading_to(self, asks: Mapping[str, Ask]) -> SurvivalSearch:
        """The same for what one goal leads to, if that is asked: reduction is not proved for it, and not
        with components beside roles and channels."""
        ask = next(iter(asks.values()))
        options = replace(self.options, reduction=False)
        if ask.after is None:
            return replace(self, options=options) if self.model.extras.observers else self
        pending = with_pending(self.model, ask)
        return replace(self, model=pending.model, pending=pending, options=options)

    def limited(self, limits: Limits) -> SurvivalSearch:
        return replace(self, options=replace(self.options, limits=limits))

    def survey(self, asks: Mapping[str, Ask], k: int, slack: int) -> Survey:
        if not has_engine():
            return survey_by_kernel(self, asks, k, slack)
        found = self._survive(self.plain(map(self.asked, asks.values())), k, slack)
        return self.read(found, asks, k)

    def read(self, found: _engine.SurvivalResult, asks: Mapping[str, Ask], k: int) -> Survey:
        """What was found, in names."""
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

    def survey_on_cluster(self, asks: Mapping[str, Ask], k: int, slack: int) -> Survey:
        """What is small is not worth the journey."""
        limits, address = self.options.limits, self.options.cluster
        assert address is not None
        plain = replace(self, options=self.options.exploring_all())
        most, known = self.knobs.get("reduce_from", SMALL), dict[str, SurvivalAnswer]()
        if most > 0:
            small = replace(limits, states=min(most, limits.states or most), disk=None)
            here = plain.limited(small).survey(asks, k, slack)
            if here.stopped not in ("states", "memory") or small.states == limits.states:
                return here
            known = {name: answer for name, answer in here.answers.items() if answer.holds is False}
        from .cluster import survive_on_cluster
        from .partitioned_storms import StormQuestion

        about = SurvivalQuestion(self.model, self.observed, self.ladder, pending=self.pending)
        question = StormQuestion(about, tuple(map(self.asked, asks.values())), k, slack)
        there = survive_on_cluster(address, question, self.options)
        found = self.read(there.result, asks, k)
        # What was found here is not lost with a worker there.
        answers = {n: known.get(n, a) if a.holds is None else a for n, a in found.answers.items()}
        return replace(
            found, answers=answers, memory=there.memory, stopped=there.stopped, traffic=there.traffic
        )

    def _survive(
        self,
        asks: Sequence[PlainAsk],
        k: int,
        slack: int,
        lists: Sequence[PlainList] = (),
    ) -> _engine.SurvivalResult:
        limits = self.options.limits
        native = self.native(asks, k, slack, lists, disk=disk_options(limits))

        def search(monitor: _engine.Monitor) -> _engine.SurvivalResult:
            return _engine.survive(self.lowered.native, native, monitor)

        try:
            return watch(search, limits, f"survival, k = {k}", self.options.progress)
        except ValueError as problem:
            raise UsageError(
                "survival cannot be decided for a system with more than 65,535 states, messages or steps",
                hint="check a smaller system",
            ) from problem

    def storms_to(self, groups: Sequence[CulpritEnds], k: int) -> tuple[FoundRun | None, ...]:
        asks = [(False, [(_engine.GoalKind.LISTED, False, i, list[int]())]) for i in range(len(groups))]
        found = self._survive(asks, k, 0, self._lists(groups))
        if found.stop is _engine.Stop.INTERRUPTED:
            raise KeyboardInterrupt
        return tuple(
            self._run(f, False) if f.outcome == _engine.Outcome.VIOLATED else None for f in found.findings
        )

    def _lists(self, groups: Sequence[CulpritEnds]) -> list[PlainList]:
        forms = [self._form(channel) for channel in self.model.system.channels]
        return [(forms, ends.heads, ends.rows(forms)) for ends in groups]

    def _form(self, channel: Channel) -> _engine.ContentForm:
        failures = self.model.failures
        if failures.only_length_matters(self.model.system, channel):
            return _engine.ContentForm.LENGTH
        ordered = self.lowered.native.keeps_order(self.lowered.channels.index(channel))
        return _engine.ContentForm.WORD if ordered else _engine.ContentForm.MULTISET

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

    def _step(self, step: _engine.FaultyStep) -> StormStep:
        return StormStep(
            self.model.system.names[step.process],
            self.lowered.transitions[step.process][step.transition],
            None if step.fault is None else step.fault.name.lower(),
            **action_fault_fields(step.outcome, self.lowered.messages),
        )
