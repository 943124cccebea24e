"""The k-properties: explored for k = 1, 2, ... together, until each has held or no bound can help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from ...errors import UsageError
from ...kernel.model.status import Status
from ...limits import EFFORT
from ..counterexample.end_contents import contents_of
from ..engine.effort import SPENT
from ..engine.k_properties import Exploration, explore
from . import implications
from .all_bounds import persists
from .outcome import FoundViolation, Outcome, Tried
from .properties import PROPERTIES, base_names
from .request import Request

#: A bound whose configurations the engine does not hold.
_TOO_LONG = "a configuration has more bits than the engine takes"


def decide_bounded(request: Request, names: Sequence[str]) -> dict[str, Outcome]:
    """Explore for k = 1, 2, ... until every property has held once, a limit is hit or the effort is spent."""
    refused = {n: _refuse(request, n) for n in names if _needs_perfect_channels(request, n)}
    open_names = [n for n in names if n not in refused]
    explorations: list[Exploration] = []
    missing = list(open_names)
    lasting: dict[str, int] = {}
    cut: Exploration | None = None  # the bound at which a limit or Ctrl-C ended the search
    for k in request.bounds if missing else ():
        extra = implications.side_conditions(request.system, request.model, missing)
        known = " · ".join(_so_far(n, explorations) for n in open_names if explorations)
        try:
            found = _explore(request, k, base_names(missing), extra, known)
        except UsageError:
            if not explorations:
                raise
            cut = replace(explorations[-1], k=k, stopped=_TOO_LONG)
            break
        if found is None:
            break
        if found.stopped and explorations:
            cut = found
            break  # what smaller bounds have answered is not withheld
        explorations.append(found)
        missing = [n for n in missing if _holds(found, n) is not True]
        lasts = _lasting(request, found, missing)
        lasting |= {n: len(explorations) for n in missing if not lasts.isdisjoint(base_names([n]))}
        missing = [n for n in missing if n not in lasting]
        if not missing or found.stopped or _saturated(explorations):
            break
    return refused | {n: _outcome(request, n, explorations, lasting.get(n), cut) for n in open_names}


def _needs_perfect_channels(request: Request, name: str) -> bool:
    return PROPERTIES[name].perfect_channels_only and not request.model.perfect


def _refuse(request: Request, name: str) -> Outcome:
    k = request.bounds[0] if request.one_bound else None
    return Outcome(name, None, k, reason=f"{name} is defined on perfect channels only")


def _lasting(request: Request, exploration: Exploration, names: Sequence[str]) -> frozenset[str]:
    """The properties whose violations prove one at every larger bound that is asked for."""
    if request.one_bound or exploration.k == request.bounds[-1]:
        return frozenset()
    found = {base: v for base in base_names(names) if (v := exploration.violations.get(base)) is not None}
    return frozenset(
        base
        for base, violation in found.items()
        if persists(
            request.system,
            request.model,
            base,
            dict(zip(request.system.names, violation.end.states, strict=True)),
            {c: e.example() for c, e in contents_of(request.system, request.model, violation.end).items()},
            violation.end.culprit,
            exploration.k,
            request.bounds[-1],
        )
    )


def _so_far(name: str, explorations: Sequence[Exploration]) -> str:
    """What the bounds up to here have answered, in a few characters."""
    held = next((e.k for e in explorations if _holds(e, name)), None)
    if held is not None:
        return f"{name} {Status.PROVED.sign}{held}"
    return f"{name} {Status.VIOLATED.sign} up to k = {explorations[-1].k}"


def _explore(
    request: Request, k: int, wanted: Sequence[str], extra: Sequence[str], known: str
) -> Exploration | None:
    """`extra`: what only makes an answer stronger; `known`: what smaller bounds have answered.

    None: the effort for bounds larger than the first is spent."""
    most = request.most_at(k)
    if most is not None and most <= 0:
        return None
    asked = partial(
        explore,
        request.system,
        request.model,
        k,
        options=request.options.knowing(known),
        properties=tuple(dict.fromkeys((*wanted, *extra))),
        optional=[name for name in extra if name not in wanted],
    )
    # What is within the effort is explored here, as without a cluster.
    here = min(request.effort.configurations(k), EFFORT) if request.options.cluster else 0
    found = asked(most=here if most is None and here else most)
    if most is None and found.stopped == SPENT:
        found = asked()
    request.effort.spend_on(found.states, k)
    return found


def _holds(exploration: Exploration, name: str) -> bool | None:
    """A conjunction fails when a part fails, holds when all do, and is undecided otherwise."""
    parts = [exploration.holds.get(base) for base in base_names([name])]
    if False in parts:
        return False
    return None if None in parts else True


def _saturated(explorations: Sequence[Exploration]) -> bool:
    """No run fills a channel beyond the last bound: every larger k gives the same transition system.

    RS_k is contained in RS_{k+1}, so equal sizes mean equal sets, and then no send was ever held back. What
    is counted must be the same: configurations, or orbits under as many permutations.
    """
    if len(explorations) < 2:
        return False
    before, now = explorations[-2:]
    alike = before.symmetries == now.symmetries and not (before.reduced or now.reduced)
    return alike and before.states == now.states


def _outcome(
    request: Request,
    name: str,
    explorations: Sequence[Exploration],
    lasts_after: int | None,
    cut: Exploration | None,
) -> Outcome:
    """`lasts_after`: after so many explorations the violation was seen to last for all larger bounds.

    A violation is shown at the smallest bound at which the property was asked."""
    explorations = explorations[:lasts_after]
    tried = tuple(Tried(e.k, _holds(e, name)) for e in explorations)
    for exploration, attempt in zip(explorations, tried, strict=True):
        if attempt.holds:
            seen = () if request.one_bound else tried[: exploration.k - request.bounds[0] + 1]
            return _of(exploration, Outcome(name, True, exploration.k, tried=seen))
    first, last = explorations[0], explorations[-1]
    history = () if request.one_bound else _padded(request, tried, explorations, lasts_after is not None)
    k = last.k if request.one_bound else None
    if tried[0].holds is None:
        return _of(last, Outcome(name, None, k, tried=history, stopped=last.stopped))
    part = next(base for base in base_names([name]) if first.holds.get(base) is False)
    found = (FoundViolation(part, first.k, first.violations[part]),)
    lasts = lasts_after is not None
    cut = None if lasts else cut
    notes = _unexplored(request, history, cut)
    stopped = cut.stopped if cut is not None and cut.stopped == "interrupted" else ""
    outcome = Outcome(name, False, k, tried=history, found=found, lasts=lasts, notes=notes, stopped=stopped)
    return _of(last, outcome)


def _unexplored(request: Request, tried: tuple[Tried, ...], cut: Exploration | None) -> tuple[str, ...]:
    """Which bounds are left open, and what ended the search."""
    last = tried[-1].k if tried else 0
    if request.one_bound or last == request.bounds[-1]:
        return ()
    if cut is None or cut.stopped == SPENT:
        return (f"bounds larger than {last} were not explored within the effort",)
    limit = implications.undecided(cut.stopped, request.limits, cut.k, cut.states, ())
    return (f"{limit}: violated up to k = {last}",)


def _of(exploration: Exploration, outcome: Outcome) -> Outcome:
    return replace(
        outcome,
        states=exploration.states,
        transitions=exploration.transitions,
        seconds=exploration.seconds,
        exploration=exploration,
    )


def _padded(
    request: Request, tried: tuple[Tried, ...], explorations: Sequence[Exploration], lasts: bool
) -> tuple[Tried, ...]:
    """After saturation, or where the violation lasts, larger bounds have the verdict of the last one."""
    if not lasts and (explorations[-1].stopped or not _saturated(explorations)):
        return tried
    return tried + tuple(Tried(k, tried[-1].holds) for k in request.bounds[len(tried) :])
