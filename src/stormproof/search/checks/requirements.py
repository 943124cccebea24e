"""The requirements of a file: each claim put to the searches, under the failures of the check or its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...kernel.model.requirement import Requirement
from ...kernel.transform.under import system_under
from .properties import PROPERTIES, RECOVERS, known_properties
from .request import Request, make_request


def asked_together(required: Sequence[Requirement]) -> list[list[Requirement]]:
    """Requirements of k-properties under the same failures and at the same bounds share explorations."""
    groups: dict[object, list[Requirement]] = {}
    for requirement in required:
        what = known_properties(requirement.claim.what)[0] if requirement.claims_property else ""
        bounded = bool(what) and PROPERTIES[what].bounded
        key = (requirement.under, requirement.claim.k) if bounded else id(requirement)
        groups.setdefault(key, []).append(requirement)
    return list(groups.values())


def request_of(request: Request, requirement: Requirement, *others: Requirement) -> Request:
    """The request that a requirement makes by itself, or with others that are asked together with it."""
    request = request.before or request
    claim, under = requirement.claim, requirement.under
    system, failures = request.asked, request.failures
    if under is not None:
        system, failures = system_under(system, under, failures.as_written)
    what = (claim.what, *(other.claim.what for other in others)) if claim.goal is None else ()
    return make_request(
        replace(system, requirements=() if what else (replace(requirement, under=None, violated=False),)),
        failures,
        k=claim.k or (request.bounds[0] if request.one_bound else None),
        max_k=request.bounds[-1] if requirement.claims_property else request.survival_max_k,
        properties=known_properties(what),
        semantics=request.semantics,
        options=replace(request.options, found=None),  # it hears of the whole check
    )


def is_known_limit(request: Request, requirement: Requirement) -> bool:
    """Is survival expected to fail under failures that are contained in those asked for?"""
    if not requirement.violated or requirement.claim.what != RECOVERS.name or requirement.under is None:
        return False
    own = request_of(request, requirement)
    contained = request.model.contains(own.model, own.prepared.channels)
    return contained and own.budget.within(request.budget)
