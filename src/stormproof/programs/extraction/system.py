"""The system that roles give, to which requirements are added by calls."""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import ClassVar, TypeVar

from ...errors import ParseError, Place, UsageError
from ...kernel.goals.parse import parse_goal
from ...kernel.model.cuts import Cut
from ...kernel.model.failures import FailureModel, Failures
from ...kernel.model.faults import PLAIN_KINDS, ChannelFaults, Corruption
from ...kernel.model.goal import Goal
from ...kernel.model.observer import Observer
from ...kernel.model.part import Making, in_part, making_of
from ...kernel.model.process import Process
from ...kernel.model.requirement import (
    ALWAYS_POSSIBLE,
    CLEAN,
    LEADS_TO,
    NEVER,
    RECOVERS,
    Claim,
    Requirement,
    Under,
)
from ...kernel.model.system import PEER_TO_PEER, System
from ...kernel.model.timers import ANY
from ..automata.followed import followed
from .role import RoleCall
from .source import shown_file

AnySystem = TypeVar("AnySystem", bound=System)


@dataclass(frozen=True, init=False)
class ExtractedSystem(System):
    """A system whose states are points of Python functions; `calls` are these, by the names of the roles."""

    calls: Mapping[str, RoleCall] = field(default_factory=dict, compare=False, repr=False)
    #: What makes more of its automata.
    making: Making | None = field(default=None, compare=False, repr=False)

    extracted: ClassVar[bool] = True

    def __init__(
        self,
        processes: Iterable[Process],
        name: str = "",
        faults: Iterable[ChannelFaults] = (),
        requirements: Iterable[Requirement] = (),
        communication: str = PEER_TO_PEER,
        timers: str = ANY,
        observers: Iterable[Observer] = (),
        cuts: Iterable[Cut] = (),
        calls: Mapping[str, RoleCall] | None = None,
        making: Making | None = None,
    ) -> None:
        super().__init__(processes, name, faults, requirements, communication, timers, observers, cuts)
        object.__setattr__(self, "calls", dict(calls or {}))
        object.__setattr__(self, "making", making)

    def __getstate__(self) -> dict[str, object]:
        """For another process, which has no part in the functions: to read them back would run their file."""
        return {**vars(self), "calls": {}}

    def require(
        self,
        name: str = "",
        *,
        never: str | None = None,
        always_possible: str | None = None,
        leads_to: tuple[str, str] | None = None,
        recovers: bool = False,
        clean: bool = False,
        holds: str | None = None,
        under: Under | Failures | None = None,
        violated: bool = False,
    ) -> ExtractedSystem:
        """The system with one more requirement: just one of `never`, `always_possible` (goals), `leads_to`
        (two goals), `recovers`, `clean` and `holds` (a property).

        `under` are the failures of this requirement instead of those of the check; with `violated` it is
        known not to hold under them.
        """
        if followed() is not None:
            return self  # its goals may name states that the logs do not lead to
        frame = inspect.currentframe()
        caller = None if frame is None else frame.f_back
        claims = [
            *(
                Claim(kind, _goal(text, self, caller))
                for kind, text in ((NEVER, never), (ALWAYS_POSSIBLE, always_possible))
                if text is not None
            ),
            *([_leads_to(leads_to, self, caller)] if leads_to is not None else []),
            *([Claim(RECOVERS)] if recovers else []),
            *([Claim(CLEAN)] if clean else []),
            *([Claim(holds)] if holds is not None else []),
        ]
        if len(claims) != 1:
            choice = "never, always_possible, leads_to, recovers, clean or holds"
            raise UsageError(
                f"a requirement makes one claim, not {len(claims)}", hint=f"give one of {choice}"
            )
        if violated and under is None:
            raise UsageError("an expected violation needs its failures", hint="add under=sp.Failures(...)")
        failures = under_of(under, self) if isinstance(under, Failures) else under
        line = None if caller is None else caller.f_lineno
        made = Requirement(claims[0], name, violated, failures, line)
        return replace(self, requirements=(*self.requirements, made))

    def with_failures(self, failures: Failures) -> ExtractedSystem:
        """The system that declares these failures, as a file does."""
        return declaring(self, under_of(failures, self))


def _leads_to(texts: tuple[str, str], system: System, caller: FrameType | None) -> Claim:
    if isinstance(texts, str) or len(texts) != 2:
        raise UsageError("leads_to needs two goals", hint='write leads_to=("Client@asked", "Client@served")')
    after, goal = (_goal(text, system, caller) for text in texts)
    return Claim(LEADS_TO, goal, after=after)


def _goal(text: str, system: System, caller: FrameType | None) -> Goal:
    """The goal of a requirement; a mistake in it is shown in the line of the call. What a role calls its
    states may be known only when more of its automaton is made."""
    for more in making_of(system).known(system) if in_part(system) else ():
        with suppress(ParseError):
            return parse_goal(text, more)
    return _point_at(text, caller, system)


def _point_at(text: str, caller: FrameType | None, system: System) -> Goal:
    try:
        return parse_goal(text, system)
    except ParseError as problem:
        for mistake in (problem, *problem.others):
            mistake.place = _called_at(caller, text, mistake.place)
        raise


def _called_at(caller: FrameType | None, text: str, place: Place | None) -> Place | None:
    """A place in a text, as one in the line that passes the text to a call, or in none where it is not."""
    if caller is None or place is None:
        return place
    file, line = caller.f_code.co_filename, caller.f_lineno
    written = linecache.getline(file, line).rstrip("\n")
    before = written.find(text)
    if before < 0:
        return Place(shown_file(file), line)
    return replace(place, file=shown_file(file), line=line, column=before + (place.column or 1), text=written)


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
    return replace(system, faults=under.faults, cuts=under.cuts, processes=tuple(processes))


def under_of(failures: Failures, system: System) -> Under:
    """Failures, resolved channel by channel, as those of a requirement: none of the file's are added."""
    under = under_model(failures.on(_without_failures(system)))
    most = tuple((None if kind == "total" else kind, n) for kind, n in failures.budget.to_json().items())
    return replace(under, at_most=most, timers=failures.timers)


def under_model(model: FailureModel) -> Under:
    """What a failure model says of each channel and process."""
    faults = []
    for channel, failure in model.channels.items():
        pairs = tuple((a, b) for a in sorted(failure.becomes) for b in sorted(failure.becomes[a]))
        corrupt = Corruption(pairs=pairs) if pairs else None
        plain = {kind.keyword: getattr(failure, kind.keyword) for kind in PLAIN_KINDS}
        faults.append(ChannelFaults(*channel, corrupt=corrupt, **plain))
    return Under(tuple(faults), model.unreliable, model.stop, model.restart, cuts=model.cuts)


def _without_failures(system: System) -> System:
    """The system as if it declared none."""
    processes = (replace(p, reliable=True, stop=False, restart=False) for p in system)
    return replace(system, faults=(), requirements=(), processes=tuple(processes))
