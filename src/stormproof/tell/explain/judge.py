"""Is a changed protocol a repair? The whole check is made again, and what was good must still be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...kernel.model.requirement import ALWAYS_POSSIBLE, LEADS_TO
from ...kernel.model.rest import rest_states
from ...kernel.model.system import System
from ...languages.formats.storm_places import NoPlaces
from ...search.checks.properties import CLEAN, RECOVERS
from ...search.checks.report import Verdict
from ..lint.api import warnings
from .addition import Addition
from .kept_traces import change_of, kept_traces
from .split import SplitProtocol
from .suggestion import Suggestion
from .trial import Question, calm


def is_repairable(verdict: Verdict) -> bool:
    """Does it count, is it violated, and may further lines repair it? They never take a run away."""
    if not verdict.counts or verdict.ok is not False or verdict.holds is not False:
        return False
    claim = verdict.requirement.claim.what if verdict.requirement else verdict.property
    return claim in (RECOVERS.name, CLEAN.name, ALWAYS_POSSIBLE, LEADS_TO)


def is_worse(now: Verdict, before: Verdict) -> bool:
    """Violated or undecided where it was not, or broken by fewer faults; not: a known limit that is gone."""
    if not before.counts or (now.requirement is not None and now.requirement.violated and now.holds):
        return False
    order = (False, None, True)
    if order.index(now.ok) != order.index(before.ok):
        return order.index(now.ok) < order.index(before.ok)
    return now.holds is False and before.holds is False and (now.faults or 0) < (before.faults or 0)


class RepairJudge:
    """A protocol, what a check answers of it, and what of it any repair must keep."""

    def __init__(self, question: Question, system: System, before: Mapping[str, Verdict]) -> None:
        self.question, self.system, self.before = question, system, before
        self.alone = Question(options=question.options).answers(calm(system))
        self.known = {w.message for w in warnings(system, NoPlaces(""))}

    def was_clean(self) -> bool:
        return bool(self.alone[RECOVERS.name].holds and self.alone[CLEAN.name].holds)

    def verified(
        self,
        additions: tuple[Addition, ...],
        system: System,
        targets: tuple[str, ...],
        base: SplitProtocol | None = None,
    ) -> Suggestion | None:
        """The whole check again, with the same failures, and without any. `base`: what has been changed
        before the lines."""
        base = base or SplitProtocol(self.system)
        if {w.message for w in warnings(system, NoPlaces(""))} - self.known:
            return None
        now = self.question.answers(system)
        if not all(now[name].holds for name in targets):
            return None
        if any(is_worse(now[name], verdict) for name, verdict in self.before.items()):
            return None
        alone = Question(options=self.question.options).answers(calm(system))
        if self.alone[RECOVERS.name].holds and not alone[RECOVERS.name].holds:
            return None
        return Suggestion(
            in_order(system, additions),
            system,
            tuple(n for n, v in self.before.items() if is_repairable(v) and now[n].holds),
            tuple(now.values()),
            violated=tuple(n for n, v in now.items() if v.counts and v.ok is False and v.holds is False),
            keeps_clean=bool(alone[CLEAN.name].holds or not self.was_clean()),
            claims=self.new_rest(system, base.originals),
            traces=kept_traces(self.system, change_of(self.system, system, originals=base.originals)),
            redirects=base.redirects,
        )

    def new_rest(
        self, system: System, originals: Mapping[tuple[str, str], str]
    ) -> tuple[tuple[str, str], ...]:
        """Where a role counts as at rest now, in a state in which it, or what it is a copy of, did not
        before."""
        before, now = rest_states(self.system).rest, rest_states(system).rest
        return tuple(
            (p.name, s)
            for p in system
            for s in p.states
            if s in now[p.name] and originals.get((p.name, s), s) not in before[p.name]
        )


def in_order(system: System, additions: Iterable[Addition]) -> tuple[Addition, ...]:
    """As the roles and states are listed; `rest` lines come last."""

    def place(addition: Addition) -> tuple[bool, int, int]:
        states = system[addition.role].states
        return bool(addition.rest), system.names.index(addition.role), states.index(addition.state)

    return tuple(sorted(additions, key=place))
