"""`G leads to H` as `always possible`, for the searches (definitions 10.18).

A role without transitions is added, whose state says whether G held and H has not since then; the searches
set it after each step. Then G leads to H just if from everywhere a calm run leads to where nothing is
pending. Nobody who writes or reads a protocol sees this role: its steps are those of the others, and runs are
shown without it.
"""

from __future__ import annotations

from ...records import dataclass
from ..model.ask import Ask
from ..model.goal import At, Goal, Or
from ..model.process import Process
from ..model.survival import SurvivalModel
from ..semantics.goal_meaning import satisfies
from ..semantics.silent_steps import initial
from .extras import with_components

#: The states of the role that is added; its initial one stands first.
SETTLED, PENDING = "settled", "pending"


@dataclass(frozen=True)
class Pending:
    """The model with one role more, the last, which the searches set: to `settled` where `end` holds, and
    otherwise to `pending` where `begin` does."""

    model: SurvivalModel
    ask: Ask
    begin: Goal
    end: Goal


def with_pending(model: SurvivalModel, ask: Ask) -> Pending:
    """What the searches are asked instead of `ask`, which has an `after`."""
    assert ask.after is not None
    at = initial(model.system)
    waits = satisfies(model, at, ask.after) and not satisfies(model, at, ask.goal)
    role = Process(_new_name(model), PENDING if waits else SETTLED, states=(PENDING, SETTLED))
    # A calm run that began where it was pending has left that state just if the goal has held.
    asked = Ask(True, Or((At(role.name, (SETTLED,)), ask.goal)))
    return Pending(with_components(model, [role]), asked, ask.after, ask.goal)


def _new_name(model: SurvivalModel) -> str:
    name = "pending"
    while name in model.system:
        name += "'"
    return name
