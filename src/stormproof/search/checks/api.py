"""`check`: one system, one failure model, some properties, and the verdicts with their evidence.

The way of every check: make the request, decide, build the run of each violation and replay it, conclude.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...kernel.model.budget import BudgetGiven
from ...kernel.model.failures import Failures
from ...kernel.model.part import in_part, making_of
from ...kernel.model.requirement import Requirement
from ...kernel.model.system import System
from ...limits import as_a_whole, is_over
from ...options import Knobs, Options
from ..engine.effort import SPENT
from .bound_search import decide_bounded
from .conclude import conclude
from .evidence import EvidenceFile
from .outcome import Outcome
from .properties import PROPERTIES, RECOVERS, RSC, Decision, known_properties, undefined_under
from .recovery import asked_of, decide_recovery, name_of
from .report import Report, Verdict
from .request import AT_ONCE, Request, as_reached, make_request
from .requirements import asked_together, is_known_limit, request_of
from .so_far import SoFar, not_asked, report_of
from .unbounded import decide_crash_handling, decide_half_duplex, decide_rsc

if TYPE_CHECKING:
    from typing_extensions import Unpack


@as_a_whole
def check(
    system: System,
    failures: Failures | None = None,
    *,
    k: int | None = None,
    max_k: int | None = None,
    properties: Iterable[str] | None = None,
    semantics: str = "definition",
    budget: BudgetGiven | None = None,
    options: Options | None = None,
    **knobs: Unpack[Knobs],
) -> Report:
    """Decide what is required of a system under a failure model: what its file requires, survival, and the
    classes.

    Survival is asked for storms with 1, 2, ... messages per channel. With `k` each k-property is asked at
    that bound; otherwise for the least k up to `max_k`, and *violated* means: for none of them. Bounds
    larger than 1 are tried within `effort`, a number of configurations. `budget` replaces that of the
    failures. A limit that is hit gives *undecided*. The `knobs` are keyword arguments, one for each field of
    `stormproof.options.Options`, which says what each does, or `options` has them all.

    >>> import stormproof as sp
    >>> system = sp.protocol("alternating-bit")
    >>> report = sp.check(system, sp.Failures(loss=True), properties=["k-wmc", "k-pg"])
    >>> report["k-wmc"].holds, report["k-wmc"].k, report["k-pg"].holds
    (True, 1, False)
    """
    failures = failures or Failures()
    failures = failures if budget is None else failures.within(budget)
    request = make_request(
        system,
        failures,
        k=k,
        max_k=max_k,
        properties=properties,
        semantics=semantics,
        options=(options or Options()).but(**knobs),
    )
    return report_on(request)


def survives(system: System, failures: Failures | None = None, **options: Any) -> Verdict:
    """Does the protocol recover from whatever the failures do to it? The options are those of `check`.

    >>> import stormproof as sp
    >>> verdict = survives(sp.protocol("alternating-bit"), sp.Failures(loss=True))
    >>> verdict.holds, verdict.faults, verdict.fewest
    (False, 1, True)
    """
    report = check(system, failures, properties=[RECOVERS.name], **options)
    return replace(report[RECOVERS.name], own=report)


def survival_is_asked(system: System, failures: Failures | None = None) -> bool:
    """Does a check that names no property ask for survival? Not where it is known to fail."""
    request = make_request(
        system,
        failures,
        k=None,
        max_k=None,
        properties=None,
        semantics="definition",
        options=Options(),
    )
    return not any(is_known_limit(request, r) for r in request.required)


def report_on(request: Request) -> Report:
    """Decide what is asked and what the file requires, and then what nobody asked for by name."""
    try:
        request = as_reached(request, asked_of)
    except KeyboardInterrupt:
        names = (*request.answer, *map(name_of, request.requirements))
        return report_of(request, [conclude(request, not_asked(n), EvidenceFile(request)) for n in names])
    limit = next((r for r in request.required if is_known_limit(request, r)), None)
    if limit is not None and RECOVERS.name in request.properties:
        # More faults only make it worse, so the known limit is the answer.
        rest = tuple(name for name in request.properties if name != RECOVERS.name)
        note = f"{RECOVERS.name} is not asked: that it breaks is a known limit ({limit.name})"
        notes = (*request.notes, note) if limit.name else request.notes
        request = replace(request, properties=rest, notes=notes)
    known = _answer(request)
    if not request.classes:
        return known
    if request.options.answered is not None and not known.interrupted:
        request.options.answered(known)
    return report_of(request, [*known, *_classes(request, known.interrupted)])


def _answer(request: Request) -> Report:
    """What the file requires; survival and what is asked for by name. The questions share the effort."""
    alone = [r for r in request.required if r not in request.requirements]
    groups = asked_together(alone)
    so_far = SoFar(request, EvidenceFile(request))
    try:
        decide(request.sharing_effort(1 + len(groups)), so_far)
    except KeyboardInterrupt:  # outside of a search
        names = (*request.answer, *map(name_of, request.requirements))
        so_far.settle({name: not_asked(name) for name in names if not so_far.knows(name)})
    for number, group in enumerate(groups):
        if is_over() or so_far.report.interrupted or so_far.failed:
            for requirement in group:
                so_far.leave_out(requirement)
            continue
        own = report_on(request_of(request, *group).sharing_effort(len(groups) - number, of=request))
        for requirement in group:
            so_far.add(requirement, _verdict_on(requirement, own))
    return so_far.report


def _verdict_on(requirement: Requirement, own: Report) -> Verdict:
    """The verdict of a report that is about this requirement, perhaps among others of the same kind."""
    named = known_properties(requirement.claim.what) if requirement.claims_property else ()
    found = own[named[0]] if named else own.verdicts[0]
    idle = own.without_effect if found.holds else ()
    return replace(found, own=own, vacuous=(*idle, *found.vacuous), notes=(*idle, *found.notes))


def _classes(request: Request, interrupted: bool) -> list[Verdict]:
    """What nobody asked for by name. Ctrl-C leaves the answer as it is."""
    request = request.for_classes()
    evidence = EvidenceFile(request)
    if not interrupted and not is_over():
        try:
            outcomes = _decide_properties(request, request.classes)
            return [conclude(request, outcomes[name], evidence) for name in request.classes]
        except KeyboardInterrupt:
            interrupted = True
    return [conclude(request, not_asked(name), evidence) for name in request.classes]


#: How each property without a bound is decided.
_UNBOUNDED: dict[Decision, Callable[[Request, int | None], Outcome]] = {
    Decision.RSC: decide_rsc,
    Decision.HALF_DUPLEX: decide_half_duplex,
    Decision.CRASH_HANDLING: decide_crash_handling,
}


def decide(request: Request, so_far: SoFar) -> None:
    """Survival is decided first, and then what is asked for by name."""
    found = decide_recovery(request)
    so_far.settle(found)
    others = [name for name in request.answer if name not in found]
    if _interrupted(found) or so_far.failed:  # Ctrl-C is meant for the whole check
        so_far.settle({name: so_far.unasked(name) for name in others})
    else:
        so_far.settle(_decide_properties(request, others))


def _decide_properties(request: Request, names: Sequence[str]) -> dict[str, Outcome]:
    """All k-properties come from shared explorations.

    What has no bound is decided before them: it takes little, and a search for the least k may take all the
    time. RSC is asked within the effort at first; and, where it is asked for by name, without it in the end.
    """
    found = {n: Outcome(n, None, reason=why) for n in names if (why := _undefined(request, n))}
    try:
        _decide_defined(request, [name for name in names if name not in found], found)
    except KeyboardInterrupt:  # outside of a search
        return {name: not_asked(name) for name in names} | found
    return found


def _decide_defined(request: Request, names: Sequence[str], found: dict[str, Outcome]) -> None:
    """Add the outcomes to those found."""
    bounded = [name for name in names if PROPERTIES[name].bounded]
    most = max(request.effort.left, AT_ONCE) if bounded or request.unasked else None
    for name in (n for n in names if n not in bounded):
        if not _interrupted(found):
            found[name] = _UNBOUNDED[PROPERTIES[name].decision](request, most)
    if _interrupted(found):
        found |= {name: not_asked(name) for name in names if name not in found}
        return
    if bounded:
        found |= decide_bounded(request, bounded)
    if RSC.name in found and found[RSC.name].stopped == SPENT and not request.unasked:
        found[RSC.name] = decide_rsc(request)


def _undefined(request: Request, name: str) -> str:
    return in_part_only(request, name) or undefined_under(
        name, request.model, request.budget, request.system.mailboxes
    )


def in_part_only(request: Request, name: str) -> str:
    """Why a property is not decided of automata that are made in part (definitions 18.6)."""
    if not in_part(request.system):
        return ""
    row = PROPERTIES[name]
    if row.decision is Decision.CRASH_HANDLING:
        return "the automata are made in part, and this is said of whole ones"
    if row.bounded and (request.unsettled or making_of(request.asked).waits_unheard()):
        return "the automata are made in part, and what some role waits for is not known"
    return ""


def _interrupted(found: Mapping[str, Outcome]) -> bool:
    return is_over() or any(outcome.stopped == "interrupted" for outcome in found.values())
