"""The evidence of one check. Nothing that builds or replays runs is loaded before something is violated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .outcome import FoundViolation, Outcome
from .request import Request

if TYPE_CHECKING:
    from .evidence import Evidence


class EvidenceFile:
    """A violation of which several conjunctions fail is built once."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self._made: dict[tuple[str, int | None, bool], Evidence] = {}

    def against(self, outcome: Outcome) -> Evidence:
        """The first violation that the kernel establishes; if it establishes none, the last."""
        evidence = self._of(outcome.found[0])
        for found in outcome.found[1:]:
            if evidence.established or not self.request.options.replay:
                break
            evidence = self._of(found)
        return evidence

    def _of(self, found: FoundViolation) -> Evidence:
        from .evidence import evidence_of

        key = (found.part, found.k, getattr(found.violation, "literal", False))
        if key not in self._made:
            self._made[key] = evidence_of(self.request, found)
        return self._made[key]
