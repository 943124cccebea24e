"""The system that roles give, to which requirements are added by calls."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from ..errors import UsageError
from ..goals.parse import parse_goal
from ..model.failures import FailureModel, Failures
from ..model.faults import PLAIN_KINDS, ChannelFaults, Corruption
from ..model.process import Process
from ..model.requirement import ALWAYS_POSSIBLE, CLEAN, NEVER, RECOVERS, Claim, Requirement, Under
from ..model.system import PEER_TO_PEER, System
from .role import RoleCall

AnySystem = TypeVar("AnySystem", bound=System)


@dataclass(frozen=True, init=False)
class ExtractedSystem(System):
    """A system whose states are points of Python functions; `calls` are these, by the names of the roles."""

    calls: Mapping[str, RoleCall] = field(default_factory=dict, compare=False, repr=False)

    def __init__(
        self,
        processes: Iterable[Process],
        name: str = "",
        faults: Iterable[ChannelFaults] = (),
        requirements: Iterable[Requirement] = (),
        communication: str = PEER_TO_PEER,
        calls: Mapping[str, RoleCall] | None = None,
    ) -> None:
        super().__init__(processes, name, faults, requirements, communication)
        object.__setattr__(self, "calls", dict(calls or {}))

    def require(
        self,
        name: str = "",
        *,
        never: str | None = None,
        always_possible: str | None = None,
        recovers: bool = False,
        clean: bool = False,
        holds: str | None = None,
        under: Under | Failures | None = None,
        violated: bool = False,
    ) -> ExtractedSystem:
        """The system with one more requirement: just one of `never`, `always_possible` (goals), `recovers`,
        `clean` and `holds` (a property).

        `under` are the failures of this requirement instead of those of the check; with `violated` it is
        known not to hold under them.
        """
        claims = [
            *([Claim(NEVER, parse_goal(never, self))] if never is not None else []),
            *(
                [Claim(ALWAYS_POSSIBLE, parse_goal(always_possible, self))]
                if always_possible is not None
                else []
            ),
            *([Claim(RECOVERS)] if recovers else []),
            *([Claim(CLEAN)] if clean else []),
            *([Claim(holds)] if holds is not None else []),
        ]
        if len(claims) != 1:
            choice = "never, always_possible, recovers, clean or holds"
            raise UsageError(
                f"a requirement makes one claim, not {len(claims)}", hint=f"give one of {choice}"
            )
        if violated and under is None:
            raise UsageError("an expected violation needs its failures", hint="add under=sp.Failures(...)")
        failures = under_of(under, self) if isinstance(under, Failures) else under
        frame = inspect.currentframe()
        line = frame.f_back.f_lineno if frame is not None and frame.f_back is not None else None
        made = Requirement(claims[0], name, violated, failures, line)
        return replace(self, requirements=(*self.requirements, made))

    def with_failures(self, failures: Failures) -> ExtractedSystem:
        """The system that declares these failures, as a file does."""
        return declaring(self, under_of(failures, self))


def declaring(system: AnySystem, under: Under) -> AnySystem:
    """The system that declares these failures and no others."""
    processes = (
        replace(
            p,
            reliable=p.name not in under.crash,
            stop=p.name in under.stop,
            restart=p.name in under.restart,
        )
        for p in system.processes
    )
    return replace(system, faults=under.faults, processes=tuple(processes))


def under_of(failures: Failures, system: System) -> Under:
    """Failures, resolved channel by channel, as those of a requirement: none of the file's are added."""
    under = under_model(failures.on(_without_failures(system)))
    most = tuple((None if kind == "total" else kind, n) for kind, n in failures.budget.to_json().items())
    return replace(under, at_most=most)


def under_model(model: FailureModel) -> Under:
    """What a failure model says of each channel and process."""
    faults = []
    for channel, failure in model.channels.items():
        pairs = tuple((a, b) for a in sorted(failure.becomes) for b in sorted(failure.becomes[a]))
        corrupt = Corruption(pairs=pairs) if pairs else None
        plain = {kind.keyword: getattr(failure, kind.keyword) for kind in PLAIN_KINDS}
        faults.append(ChannelFaults(*channel, corrupt=corrupt, **plain))
    return Under(tuple(faults), model.unreliable, model.stop, model.restart)


def _without_failures(system: System) -> System:
    """The system as if it declared none."""
    processes = (replace(p, reliable=True, stop=False, restart=False) for p in system)
    return replace(system, faults=(), requirements=(), processes=tuple(processes))
