"""The verdicts of one check as they become known: each concluded with its run, and told at once."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from ...kernel.model.requirement import Requirement
from ...limits import is_over, why_interrupted
from ...records import dataclass
from .conclude import conclude
from .evidence import EvidenceFile
from .outcome import Outcome
from .recovery import name_of
from .report import Report, Verdict
from .request import Request
from .sentence import ordered

#: Why a question was left out.
FAIL_FAST = "not asked: a violation was found before (fail fast)"


@dataclass
class SoFar:
    """What is known of a request: `required` by its place in the file, `properties` by name."""

    request: Request
    evidence: EvidenceFile
    required: dict[int, Verdict] = field(default_factory=dict)
    properties: dict[str, Verdict] = field(default_factory=dict)

    def settle(self, outcomes: Mapping[str, Outcome]) -> None:
        """Conclude these, violations first: whoever waits wants to see them."""
        for name in sorted(outcomes, key=lambda name: outcomes[name].holds is not False):
            verdict = self._concluded(outcomes[name])
            if name in self.request.answer:
                self.properties[name] = verdict
            for requirement in self.request.requirements:
                if name_of(requirement) == name:
                    self._require(requirement, verdict)
            self._tell()

    def add(self, requirement: Requirement, verdict: Verdict) -> None:
        """The verdict on a requirement that was asked by itself."""
        self._require(requirement, verdict)
        self._tell()

    def leave_out(self, requirement: Requirement) -> None:
        self._require(requirement, self._concluded(self.unasked(requirement.title)))

    def knows(self, name: str) -> bool:
        own = [n for n, r in enumerate(self.request.required) if name_of(r) == name]
        return name in self.properties or any(number in self.required for number in own)

    def unasked(self, name: str) -> Outcome:
        return Outcome(name, None, reason=FAIL_FAST) if self.failed else not_asked(name)

    @property
    def failed(self) -> bool:
        """Is a violation known that ends the check?"""
        known = (*self.required.values(), *self.properties.values())
        return self.request.options.fail_fast and any(v.counts and v.ok is False for v in known)

    @property
    def report(self) -> Report:
        """What is known by now."""
        required = [self.required[number] for number in sorted(self.required)]
        asked = [self.properties[name] for name in self.request.answer if name in self.properties]
        return report_of(self.request, [*required, *asked])

    def _require(self, requirement: Requirement, verdict: Verdict) -> None:
        number = next(i for i, other in enumerate(self.request.required) if other is requirement)
        self.required[number] = replace(
            verdict, property=requirement.title, requirement=requirement, counts=True
        )

    def _tell(self) -> None:
        if self.request.options.found is not None:
            self.request.options.found(self.report)

    def _concluded(self, outcome: Outcome) -> Verdict:
        """The verdict with its run. Ctrl-C or the deadline while the run is made leaves it undecided: no run
        is shown that was not replayed."""
        try:
            return conclude(self.request, outcome, self.evidence)
        except KeyboardInterrupt:
            why = why_interrupted()
            if outcome.holds is False:
                why += "; a violation was found, and its run not replayed yet"
            interrupted = Outcome(outcome.property, None, reason=why, stopped=how_stopped())
            return conclude(self.request, interrupted, self.evidence)


def not_asked(name: str) -> Outcome:
    return Outcome(name, None, reason=f"{why_interrupted()} before it was asked", stopped=how_stopped())


def how_stopped() -> str:
    return "time" if is_over() else "interrupted"


def report_of(request: Request, verdicts: Sequence[Verdict]) -> Report:
    return Report(
        system=request.system,
        failures=request.failures,
        model=request.model,
        verdicts=ordered(verdicts),
        notes=request.notes,
        without_effect=request.without_effect,
        semantics=request.semantics,
        seconds=time.monotonic() - request.started,
        given=request.given,
        prepared=request.prepared,
        asked=request.named,
        unbounded=request.options.unbounded,
    )
