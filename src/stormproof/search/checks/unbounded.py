"""The properties without a bound: RSC, half-duplex, crash handling."""

from __future__ import annotations

import time

from ...kernel.model.part import in_part
from ..engine.effort import SPENT, stopped_by, within
from ..engine.rsc import rsc
from .outcome import FoundViolation, Outcome
from .properties import CRASH_HANDLING, HALF_DUPLEX, RSC
from .request import Request

#: What a state of the search in Python counts, in configurations of the engine.
NODE = 20


def decide_rsc(request: Request, most: int | None = None) -> Outcome:
    """`most`: the effort for it, in configurations."""
    result = rsc(request.system, request.model, options=request.options, most=most)
    found = () if result.violation is None else (FoundViolation(RSC.name, None, result.violation),)
    if result.holds and in_part(request.system):
        return _of_the_part(RSC.name, result.states)
    return Outcome(
        RSC.name,
        result.holds,
        states=result.states,
        transitions=result.transitions,
        seconds=result.seconds,
        found=found,
        stopped=result.stopped,
    )


def decide_half_duplex(request: Request, most: int | None = None) -> Outcome:
    from .half_duplex import half_duplex

    started = time.monotonic()
    limits = within(request.limits, None if most is None else max(most // NODE, 1))
    answer = half_duplex(request.system, request.model, limits=limits)
    if answer.holds and in_part(request.system):
        return _of_the_part(HALF_DUPLEX.name, answer.states)
    spent = answer.holds is None and stopped_by("states", request.limits, limits.states) == SPENT
    spent = spent and answer.states > (limits.states or 0)
    found = () if answer.witness is None else (FoundViolation(HALF_DUPLEX.name, None, answer.witness),)
    return Outcome(
        HALF_DUPLEX.name,
        answer.holds,
        states=answer.states,
        seconds=time.monotonic() - started,
        found=found,
        stopped=SPENT if spent else "",
        reason="" if spent else answer.reason,
    )


def _of_the_part(name: str, states: int) -> Outcome:
    """What is so of a part need not be so of the whole."""
    return Outcome(
        name, None, states=states, reason="so it is in the automata that are made, which are a part"
    )


def decide_crash_handling(request: Request, most: int | None = None) -> Outcome:
    """Asked of the system as given: completion would make it true."""
    from ...kernel.transform.crash_handling import crash_handling

    answer = crash_handling(request.given)
    rest = len(answer.sentences) - 1
    more = f"; and {rest} more, which `stormproof crash` lists" if rest > 0 else ""
    reason = f"{answer.sentences[0]}{more}" if answer.sentences else ""
    note = "some final state does not receive pending crash messages"
    notes = (note,) if answer.holds and not answer.cleans_up else ()
    return Outcome(CRASH_HANDLING.name, answer.holds, reason=reason, notes=notes)
