"""What may be required of a system under faults (definitions 10.4 to 10.6, 10.18)."""

from __future__ import annotations

from ...records import dataclass
from .goal import AT_REST, And, At, Goal, Holds, Not, Or
from .rest import RestStates
from .system import System


@dataclass(frozen=True)
class Ask:
    """`always`: from wherever storms lead, a calm run leads to the goal. Otherwise no storm leads to the
    goal. With `after` a calm run is asked for only where that held and the goal has not since then."""

    always: bool
    goal: Goal
    after: Goal | None = None

    @property
    def goals(self) -> tuple[Goal, ...]:
        return (self.goal,) if self.after is None else (self.after, self.goal)


RECOVERS = Ask(True, AT_REST)


def clean(system: System, rest: RestStates) -> Ask:
    """Never at rest with a message in a channel to a role that has neither crashed nor stopped."""
    waiting = tuple(
        And((Not(Holds(c, ())), Not(At(c.receiver, tuple(sorted(rest.crashed[c.receiver]))))))
        for c in system.channels
    )
    return Ask(False, And((AT_REST, Or(waiting))))
