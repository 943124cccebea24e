"""One file as `check` saw it, with the places that its problems point at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...errors import Place, StormproofError
from ...kernel.model.actions import Transition
from ...kernel.model.rest import rest_states
from ...kernel.model.run import Act, LinkCut, Step
from ...languages.formats.files import display_name
from ...languages.formats.storm_places import NoPlaces, Places
from ...search.checks.report import Report, Verdict
from ..lint.warning import Warning


@dataclass(frozen=True)
class CheckedFile:
    """`answer` is the report, or what kept the file from being read."""

    source: str
    answer: Report | StormproofError
    warnings: tuple[Warning, ...]
    written: Places | NoPlaces | None

    @property
    def name(self) -> str:
        return display_name(self.source)

    @property
    def places(self) -> Places | NoPlaces:
        return self.written or NoPlaces(self.name)

    @property
    def errors(self) -> tuple[StormproofError, ...]:
        return () if isinstance(self.answer, Report) else (self.answer, *self.answer.others)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Those that the exit code depends on."""
        return tuple(v for v in self.answer if v.counts) if isinstance(self.answer, Report) else ()

    @property
    def vacuous(self) -> Iterator[tuple[str, Place]]:
        """What says nothing or changes nothing and no warning has said already, with its place."""
        if not isinstance(self.answer, Report):
            return
        known = {warning.message for warning in self.warnings}
        found = [(said, self.places.faults()) for said in self.answer.without_effect]
        found += [(f"{v.property}: {s}", self.place(v)) for v in self.answer for s in v.vacuous]
        yield from ((said, place) for said, place in found if said not in known)

    def report(self, verdict: Verdict) -> Report:
        """That of the file, or of the requirement where it has failures of its own."""
        assert isinstance(self.answer, Report)
        return self.answer if verdict.own is None else verdict.own

    def place(self, verdict: Verdict) -> Place:
        """The line of the requirement; else that of a role that cannot come to rest."""
        return next(self.places_of(verdict))

    def places_of(self, verdict: Verdict) -> Iterator[Place]:
        """The place of a verdict, then the other roles that cannot come to rest."""
        assert isinstance(self.answer, Report)
        given = self.answer.given or self.answer.system
        if verdict.requirement is not None:
            yield self.places.requirement(given.requirements.index(verdict.requirement))
        stuck = list(self._stuck_roles(verdict)) if verdict.survival else []
        yield from (self.places.role(name) for name in stuck or given.names[:1])

    def _stuck_roles(self, verdict: Verdict) -> Iterator[str]:
        system, witness = self.report(verdict).system, verdict.witness
        resting = rest_states(system).rest
        if witness is not None:
            yield from (p.name for p in system if witness.states[p.name] not in resting[p.name])

    def step_places(self, verdict: Verdict) -> list[tuple[Step, Place]]:
        """Each step of the run with the transition that it takes; a fault of a channel with its receiver."""
        assert verdict.witness is not None
        at = {p.name: p.initial for p in self.report(verdict).system}
        found = []
        for step in verdict.witness.without_time()[0].steps:
            if isinstance(step, Act):
                place = self.places.transition(
                    step.process, Transition(at[step.process], step.action, step.state)
                )
                at[step.process] = step.state
            elif isinstance(step, LinkCut):
                place = self.places.role(step.channels[0].receiver)
            else:
                place = self.places.role(step.channel.receiver)
            found.append((step, place))
        return found
