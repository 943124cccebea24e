"""A check made ready: the system that is searched, for which bounds, within which limits."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..engine.watch import ProgressCallback, left
from ..limits import Limits, check_bound
from ..model.failures import FailureModel, Failures
from ..model.system import System
from ..transform.prepare import prepare
from .properties import CRASH_PROPERTIES, DEFAULT_PROPERTIES, known_properties, undefined_under


@dataclass(frozen=True)
class Options:
    """How a check is made, whatever is asked: limits, reduction, threads, and what becomes of runs."""

    limits: Limits = field(default_factory=Limits)
    reduction: bool = True
    threads: int | None = None
    replay: bool = True
    polish: bool = True
    progress: ProgressCallback | None = None


@dataclass(frozen=True)
class Request:
    """One system, one failure model, some properties; `share`: how much of the time left may be used."""

    given: System
    system: System
    failures: Failures
    model: FailureModel
    properties: tuple[str, ...]
    bounds: tuple[int, ...]
    one_bound: bool
    semantics: str
    notes: tuple[str, ...]
    options: Options
    started: float
    share: float = 1.0

    @property
    def limits(self) -> Limits:
        return self.options.limits

    @property
    def seconds(self) -> float | None:
        """What is left of the time limit, or this request's share of it."""
        rest = left(self.limits, self.started)
        return None if rest is None else rest * self.share


def make_request(
    system: System,
    failures: Failures | None,
    *,
    k: int | None,
    max_k: int,
    properties: Iterable[str] | None,
    semantics: str,
    options: Options,
) -> Request:
    """Resolve what was asked against the system; every mistake in it is a UsageError."""
    started = time.monotonic()
    asked = failures or Failures()
    prepared, model, notes = prepare(system, asked, semantics)
    return Request(
        given=system.with_unreliable(model.unreliable),
        system=prepared,
        failures=asked,
        model=model,
        properties=_properties(properties, model),
        bounds=_bounds(k, max_k),
        one_bound=k is not None,
        semantics=semantics,
        notes=notes,
        options=options,
        started=started,
    )


def _bounds(k: int | None, max_k: int) -> tuple[int, ...]:
    for name, bound in (("k", k), ("max-k", max_k)):
        if bound is not None:
            check_bound(bound, name)
    return (k,) if k is not None else tuple(range(1, max_k + 1))


def _properties(asked: Iterable[str] | None, model: FailureModel) -> tuple[str, ...]:
    if asked is None:
        default = DEFAULT_PROPERTIES + (CRASH_PROPERTIES if model.unreliable else ())
        return tuple(name for name in default if not undefined_under(name, model))
    return known_properties(asked)
