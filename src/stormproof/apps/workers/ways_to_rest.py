"""Can the protocol still come to rest from here without any further fault, and how soon?

The survival engine answers it: rest is what must never be reached, with no fault allowed, and the run that
violates that is the shortest way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ...kernel.model.actions import Configuration
from ...kernel.model.ask import RECOVERS, Ask
from ...kernel.model.budget import Budget
from ...kernel.model.run import Act, Step
from ...kernel.model.storm_step import StormStep
from ...kernel.model.survival import SLACK, BlockSize, SurvivalModel
from ...kernel.semantics.explore import TooLarge, explore
from ...kernel.semantics.faulty_steps import effect, stormy_steps
from ...kernel.semantics.goal_meaning import at_rest
from ...kernel.transform.start_from import start_from, without_start
from ...search.certificates.survival import is_out_of_reach
from ...search.engine.effort import Effort
from ...search.engine.survival import survey

POSSIBLE, NEVER, UNKNOWN = "possible", "never", "unknown"

#: Configurations of all moments of a run, and of a search from one of them.
MOST, MOST_EACH = 1_500_000, 500_000
#: The same for a search in Python, and for a proof that longer channels would not help either.
MOST_STEPS, MOST_ABSTRACT = 5_000, 1_500
_LADDER = tuple(BlockSize(*size) for size in ((1, 1), (2, 1), (4, 1), (6, 1)))


@dataclass
class WaysToRest:
    """The answers of one system and failure model; they are kept for the next question about it."""

    model: SurvivalModel
    _effort: Effort = field(default_factory=lambda: Effort(MOST))
    _ways: dict[Configuration, tuple[str, tuple[StormStep, ...]]] = field(default_factory=dict)

    def way(self, at: Configuration, most: int = MOST_EACH) -> tuple[str, tuple[StormStep, ...]]:
        """Whether rest is possible, and the shortest calm way to it."""
        if at not in self._ways:
            found = self._search(at, most)
            if found[0] == UNKNOWN:
                return found
            self._ways[at] = found
        return self._ways[at]

    def moments(self, places: Sequence[Configuration], steps: Sequence[Step]) -> list[str]:
        """The answer at each moment of a run, the last first; what there is no effort for is unknown.

        Before a calm step it is possible if it is possible after it, and after one it is impossible if it was
        before, so most moments need no search.
        """
        self._effort = Effort(MOST)
        calm = [isinstance(step, Act) and step.fault is None for step in steps]
        found = [UNKNOWN] * len(places)
        for i in reversed(range(len(places))):
            if i < len(steps) and calm[i] and found[i + 1] == POSSIBLE:
                found[i] = POSSIBLE
            elif self._effort.left > 0:
                found[i] = self.way(places[i])[0]
        for i, is_calm in enumerate(calm):
            if is_calm and found[i] == NEVER:
                found[i + 1] = NEVER
        return found

    def _search(self, at: Configuration, most: int) -> tuple[str, tuple[StormStep, ...]]:
        if at_rest(self.model, at):
            return POSSIBLE, ()
        if self.model.system.mailboxes:
            return self._by_steps(at, min(most, MOST_STEPS))
        bound = max((len(word) for word in at.words), default=0) + 1 + SLACK
        calm = replace(start_from(self.model, at), budget=Budget(0))
        found = survey(calm, {"": Ask(False, RECOVERS.goal)}, bound, most=most)
        self._effort.spend(found.stored)
        answer = found.answers[""]
        if answer.holds is False and answer.run is not None:
            return POSSIBLE, without_start(self.model, answer.run.steps)
        if answer.holds and (answer.up_to is None or self._proved(at)):
            return NEVER, ()
        return UNKNOWN, ()

    def _by_steps(self, at: Configuration, most: int) -> tuple[str, tuple[StormStep, ...]]:
        """The calm steps from here: what several roles have put into a mailbox cannot be put back before the
        rest, as `start_from` does."""
        found = explore([at], self._calm, lambda place: at_rest(self.model, place), lambda seen: seen <= most)
        self._effort.spend(len(found.came))
        if found.end is not None:
            return POSSIBLE, tuple(step for step, _ in found.path(found.end))
        return (NEVER if found.complete or self._proved(at) else UNKNOWN), ()

    def _proved(self, at: Configuration) -> bool:
        """Is rest out of reach in channels of any length?"""
        try:
            return any(
                is_out_of_reach(self.model, RECOVERS.goal, at, size, MOST_ABSTRACT) for size in _LADDER
            )
        except TooLarge:
            return False

    def _calm(self, at: Configuration) -> Iterator[tuple[StormStep, Configuration]]:
        steps = (step for step in stormy_steps(self.model, at) if step.calm)
        return ((step, effect(self.model, at, step)) for step in steps)
