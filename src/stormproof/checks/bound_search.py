"""The k-properties: explored for k = 1, 2, ... together, until each has held or no bound can help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..counterexample.contents import contents
from ..engine.k_properties import End, Exploration, Violation, explore
from ..errors import InternalError
from ..limits import Limits
from ..model.system import System
from . import implications
from .all_bounds import MOST_SECONDS, Lasting, persists
from .outcome import Found, Outcome, Tried
from .properties import PROPERTIES, base_names
from .request import Request

#: Configurations that may be explored at the largest bound for the sake of a shorter witness.
SMALL = 200_000

#: By property: after so many explorations this violation was seen to last for all larger bounds.
Settled = dict[str, tuple[int, Violation]]


def decide_bounded(request: Request, names: Sequence[str]) -> dict[str, Outcome]:
    """Explore for k = 1, 2, ... until every property has held once, a limit is hit, or the bounds end."""
    refused = {n: _refuse(request, n) for n in names if _needs_perfect_channels(request, n)}
    open_names = [n for n in names if n not in refused]
    explorations: list[Exploration] = []
    missing = list(open_names)
    settled: Settled = {}
    for k in request.bounds if missing else ():
        extra = implications.side_conditions(request.system, request.model, missing)
        explorations.append(_explore(request, k, (*base_names(missing), *extra)))
        missing = [n for n in missing if _holds(explorations[-1], n) is not True]
        for base, violation in _lasting(request, explorations[-1], missing).items():
            settled |= {
                n: (len(explorations), violation)
                for n in missing
                if base in base_names([n]) and n not in settled
            }
        missing = [n for n in missing if n not in settled]
        if not missing or explorations[-1].stopped or _saturated(explorations):
            break
    settled = _nearest(request, settled)
    return refused | {n: _outcome(request, n, explorations, settled.get(n)) for n in open_names}


def _needs_perfect_channels(request: Request, name: str) -> bool:
    return PROPERTIES[name].perfect_channels_only and not request.model.perfect


def _refuse(request: Request, name: str) -> Outcome:
    k = request.bounds[0] if request.one_bound else None
    return Outcome(name, None, k, reason=f"{name} is defined on perfect channels only")


def _lasting(request: Request, exploration: Exploration, names: Sequence[str]) -> dict[str, Violation]:
    """The violations that prove one at every larger bound that is asked for, as they are at the largest."""
    if request.one_bound or exploration.k == request.bounds[-1]:
        return {}
    found = {}
    for base in base_names(names):
        v = exploration.violations.get(base)
        if v is not None:
            lasting = persists(
                request.system,
                request.model,
                base,
                dict(zip(request.system.names, v.end.states, strict=True)),
                contents(request.system, request.model, v),
                v.end.culprit,
                exploration.k,
                request.bounds[-1],
                seconds=min(MOST_SECONDS, (request.seconds or MOST_SECONDS) / 10),
            )
            if lasting is not None:
                found[base] = _at_the_largest(request.system, v, lasting)
    return found


def _at_the_largest(system: System, violation: Violation, lasting: Lasting) -> Violation:
    """That no shorter run violates the property at the largest bound is not known."""
    words = tuple(lasting.channels.get(c, ()) for c in system.channels)
    return Violation(
        property=violation.property,
        firings=(*violation.firings, *lasting.firings),
        end=End(tuple(lasting.states[p] for p in system.names), words, lasting.culprit),
        shortest=False,
        literal=True,
    )


def _nearest(request: Request, settled: Settled) -> Settled:
    """The shortest violations at the largest bound, in place of those that last until there, where its
    transition system is small."""
    bases = {violation.property for _, violation in settled.values()}
    if not bases or not request.options.polish:
        return settled
    most = min(SMALL, request.limits.states or SMALL)
    found = _explore(request, request.bounds[-1], sorted(bases), replace(request.limits, states=most))
    if found.stopped:
        return settled
    if wrong := [base for base in bases if found.holds[base] is not False]:
        raise InternalError(
            f"{', '.join(wrong)} was proved to fail at every bound and holds at k = {found.k}"
        )
    better = {p: v for p, v in found.violations.items() if v.shortest}
    return {n: (seen, better.get(v.property, v)) for n, (seen, v) in settled.items()}


def _explore(request: Request, k: int, wanted: Sequence[str], limits: Limits | None = None) -> Exploration:
    return explore(
        request.system,
        request.model,
        k,
        properties=tuple(dict.fromkeys(wanted)),
        limits=limits or request.limits,
        reduction=request.options.reduction,
        threads=request.options.threads,
        progress=request.options.progress,
        seconds=request.seconds,
    )


def _holds(exploration: Exploration, name: str) -> bool | None:
    """A conjunction fails when a part fails, holds when all do, and is undecided otherwise."""
    parts = [exploration.holds.get(base) for base in base_names([name])]
    if False in parts:
        return False
    return None if None in parts else True


def _saturated(explorations: Sequence[Exploration]) -> bool:
    """No run fills a channel beyond the last bound: every larger k gives the same transition system.

    RS_k is contained in RS_{k+1}, so equal sizes mean equal sets, and then no send was ever held back.
    """
    if len(explorations) < 2:
        return False
    before, now = explorations[-2:]
    return not (before.reduced or now.reduced) and before.states == now.states


def _outcome(
    request: Request,
    name: str,
    explorations: Sequence[Exploration],
    settled: tuple[int, Violation] | None,
) -> Outcome:
    """`settled`: after so many explorations this violation was seen to last for all larger bounds."""
    if settled is not None:
        explorations = explorations[: settled[0]]
    tried = tuple(Tried(e.k, _holds(e, name)) for e in explorations)
    for exploration, attempt in zip(explorations, tried, strict=True):
        if attempt.holds:
            seen = () if request.one_bound else tried[: exploration.k - request.bounds[0] + 1]
            return _of(exploration, Outcome(name, True, exploration.k, tried=seen))
    last = explorations[-1]
    lasting = None if settled is None else settled[1]
    history = () if request.one_bound else _padded(request, tried, explorations, lasting is not None)
    k = last.k if request.one_bound else None
    if any(t.holds is None for t in tried):
        return _of(last, Outcome(name, None, k, tried=history, stopped=last.stopped))
    found = _violations(name, last, history, lasting)
    return _of(last, Outcome(name, False, k, tried=history, found=found, lasts=lasting is not None))


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


def _violations(
    name: str, last: Exploration, tried: tuple[Tried, ...], lasting: Violation | None
) -> tuple[Found, ...]:
    """At the largest bound; where larger bounds than the last one explored change nothing, the violation is
    one there too. The replay kernel may not see as far as a violation that lasts: then the one explored."""
    k = tried[-1].k if tried else last.k
    if lasting is None:
        part = next(base for base in base_names([name]) if last.holds.get(base) is False)
        return (Found(part, k, last.violations[part]),)
    part = lasting.property
    return (Found(part, k, lasting), Found(part, last.k, last.violations[part]))
