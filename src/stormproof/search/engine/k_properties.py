"""The k-properties decided by the native engine, all from one exploration (definitions 3.11)."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Protocol

from ... import _engine
from ...errors import InternalError, UsageError, did_you_mean
from ...kernel.model.actions import Firing, Message, Word, pair_of
from ...kernel.model.failures import FailureModel
from ...kernel.model.system import System
from ...limits import MAX_THREADS, Limits, check_bound, check_threads
from ...options import Knobs, Options
from ...records import dataclass
from .disk import disk_options
from .effort import is_for_here, stopped_by, within
from .lowering import Lowered, lower
from .watch import limit_name, watch

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: The properties that the engine decides, by their names: `K_EXH_LITERAL` of the engine is k-exh-literal.
PROPERTIES = {p.name.lower().replace("_", "-"): p for p in _engine.Property}
_NAMES = {p: name for name, p in PROPERTIES.items()}

#: Defined on perfect channels only (definitions 3.8).
_PERFECT_ONLY = ("k-obi", "k-sibi")

#: Properties whose culprit is one message at the head of a channel; for k-wer, whichever stands there.
ONE_HEAD = ("k-er", "k-er-up-to-crash")
_ANY_HEAD = (*ONE_HEAD, "k-wer")


@dataclass(frozen=True)
class ViolationEnd:
    """Where a property is violated: `words` stand for all contents that faults make of them.

    `head`: the channel, by its place in `System.channels`, and the message that must stand first there.
    """

    states: tuple[str, ...]
    words: tuple[Word, ...]
    culprit: Mapping[str, str] = field(default_factory=dict)
    head: tuple[int, Message] | None = None


@dataclass(frozen=True)
class Violation:
    """A run to a configuration that breaks a property: its actions, with the faults left implicit.

    `shortest` is False when no budget was left to search for a shortest run.
    """

    property: str
    firings: tuple[Firing, ...]
    end: ViolationEnd
    shortest: bool = True


@dataclass(frozen=True)
class Traffic:
    """What the parts of a divided exploration handed to each other: in so many rounds, records and bytes."""

    rounds: int
    records: int
    sent: int


@dataclass(frozen=True)
class Exploration:
    """What one exploration decided. `holds` is None for what it could not; `stopped` says which limit.
    `symmetries`: so many permutations of processes were used, the identity included. `compact`: the
    configurations were in the compact store. `on_disk`: bytes of what was explored there."""

    k: int
    states: int
    transitions: int
    seconds: float
    memory: int
    threads: int
    reduced: bool
    stopped: str
    holds: Mapping[str, bool | None]
    violations: Mapping[str, Violation] = field(default_factory=dict)
    traffic: Traffic | None = None
    symmetries: int = 1
    compact: bool = False
    on_disk: int = 0


def explore(
    system: System,
    failures: FailureModel,
    k: int,
    options: Options | None = None,
    *,
    properties: Iterable[str],
    most: int | None = None,
    optional: Iterable[str] = (),
    disk: _engine.DiskOptions | None = None,
    compact: bool = False,
    **knobs: Unpack[Knobs],
) -> Exploration:
    """Explore the k-bounded transition system and decide properties, by the names of definitions 3.1 to 3.8.

    The `knobs` change the options. Reduction is used where no channel reorders; on a cluster every
    configuration is explored. `optional`: properties that are not worth a full exploration of a large system;
    they may be left open. Where memory runs short, everything is explored whole in the compact store, and
    what that does not hold in the folder of the limits, or as `disk` says. `compact` begins in that store.
    `most`: the effort for it, in configurations.
    """
    started = time.monotonic()
    names = _checked(properties, k)
    options = (options or Options()).but(**knobs)
    limits = options.limits
    options = options.but(limits=within(limits, most))
    if options.cluster is not None and not is_for_here(most):
        from .cluster import explore_on_cluster

        found = explore_on_cluster(options.cluster, system, failures, k, names, options)
        return replace(found, stopped=stopped_by(found.stopped, limits, most))
    asked = defined(names, system, failures)
    lowered = lower(system, failures)
    spare = {PROPERTIES[name] for name in optional}
    # What leaves out configurations is not proved for mailboxes (definitions 12.4).
    options = options.exploring_all() if system.mailboxes else options
    place = disk or disk_options(options.limits)
    answer = _decide(lowered, k, asked, options, spare, place, compact)
    counted = as_everywhere(answer, options.limits)
    return Exploration(
        k=k,
        states=counted[0],
        transitions=counted[1],
        seconds=time.monotonic() - started,
        memory=answer.memory,
        threads=thread_count(options.threads),
        reduced=answer.reduced,
        symmetries=answer.symmetries,
        compact=answer.compact,
        stopped=answer.problem or stopped_by(limit_name(answer.stop), limits, most),
        on_disk=answer.on_disk,
        holds={n: _holds(answer, n) if n in asked else None for n in names},
        violations={_NAMES[v.which]: _violation(lowered, v) for v in answer.violations},
    )


def as_everywhere(found: Counted, limits: Limits) -> tuple[int, int]:
    """The configurations and transitions that were found. How many more several threads find until all
    have seen that it is enough differs from run to run, and says nothing."""
    if found.stop is _engine.Stop.STATES and limits.states is not None:
        return limits.states, 0
    return found.states, found.transitions


def _checked(properties: Iterable[str], k: int) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(properties))
    for name in names:
        if name not in PROPERTIES:
            raise UsageError(
                f"'{name}' is not a k-property; these are: {', '.join(PROPERTIES)}",
                hint=did_you_mean(name, PROPERTIES),
            )
    check_bound(k)
    return names


def defined(names: Sequence[str], system: System, failures: FailureModel) -> tuple[str, ...]:
    """Those that are defined for the system under these failures."""
    apart = failures.perfect and not system.mailboxes
    return tuple(n for n in names if apart or n not in _PERFECT_ONLY)


def thread_count(asked: int | None) -> int:
    """None is for as many as the machine has processors."""
    check_threads(asked)
    return min(MAX_THREADS, _cores()) if asked is None else asked


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _decide(
    lowered: Lowered,
    k: int,
    asked: Sequence[str],
    options: Options,
    optional: set[_engine.Property],
    disk: _engine.DiskOptions,
    compact: bool,
) -> _engine.Answer:
    chosen = {PROPERTIES[name] for name in asked}

    def search(monitor: _engine.Monitor) -> _engine.Answer:
        return _engine.decide(
            lowered.native,
            monitor,
            k,
            chosen,
            thread_count(options.threads),
            options.reduction,
            optional=optional,
            symmetry=options.symmetry,
            disk=disk,
            compact=compact,
        )

    try:
        return watch(search, options.limits, f"k = {k}", options.progress)
    except ValueError as problem:
        most = _engine.MAX_CONFIGURATION_BITS
        raise UsageError(
            f"at k = {k} a configuration of this system takes more than {most} bits",
            hint="ask for a smaller k",
        ) from problem


def _holds(answer: _engine.Answer, name: str) -> bool | None:
    property = PROPERTIES[name]
    return property not in answer.violated if property in answer.decided else None


# ---- back to names ------------------------------------------------------------------------------------


class Counted(Protocol):
    """What an exploration in the engine, or its search for RSC, has counted."""

    @property
    def stop(self) -> _engine.Stop: ...
    @property
    def states(self) -> int: ...
    @property
    def transitions(self) -> int: ...


class EndNumbers(Protocol):
    """A configuration as the engine numbers it, and what is wrong there: `_engine.End`, or a copy of it."""

    @property
    def states(self) -> list[int]: ...
    @property
    def contents(self) -> list[list[int]]: ...
    @property
    def process(self) -> int | None: ...
    @property
    def transition(self) -> int | None: ...
    @property
    def channel(self) -> int | None: ...
    @property
    def message(self) -> int | None: ...


def violation_of(
    lowered: Lowered, property: str, fired: Sequence[tuple[int, int]], end: EndNumbers
) -> Violation:
    """The run to a violation and its end, in names."""
    system = lowered.system
    firings = tuple(Firing(system.names[p], lowered.transitions[p][t]) for p, t in fired)
    reached = {p.name: p.initial for p in system} | {f.process: f.transition.target for f in firings}
    if tuple(reached.values()) != _states(lowered, end.states):
        raise InternalError(f"the run to a violation of {property} ends elsewhere")
    return Violation(property, firings, end_in_names(lowered, end, property in _ANY_HEAD))


def _violation(lowered: Lowered, found: _engine.Violation) -> Violation:
    made = violation_of(lowered, _NAMES[found.which], found.firings, found.end)
    return replace(made, shortest=found.shortest)


def _states(lowered: Lowered, numbers: Sequence[int]) -> tuple[str, ...]:
    return tuple(p.states[s] for p, s in zip(lowered.system, numbers, strict=True))


def end_in_names(lowered: Lowered, end: EndNumbers, with_head: bool) -> ViolationEnd:
    head = None
    if with_head:
        assert end.channel is not None and end.message is not None
        head = end.channel, lowered.messages[end.message]
    return ViolationEnd(
        states=_states(lowered, end.states),
        words=tuple(lowered.word(numbers) if numbers else () for numbers in end.contents),
        culprit=_culprit(lowered, end),
        head=head,
    )


def _culprit(lowered: Lowered, end: EndNumbers) -> dict[str, str]:
    culprit: dict[str, str] = {}
    if end.process is not None:
        name = lowered.system.names[end.process]
        culprit |= {"process": name, "state": lowered.state_name(end.process, end.states[end.process])}
    if end.channel is not None:
        channel, message = lowered.channels[end.channel], end.message
        pair = channel if message is None else pair_of(channel, lowered.messages[message])
        culprit["channel"] = str(pair)
    if end.message is not None:
        culprit["message"] = str(lowered.messages[end.message])
    if end.process is not None and end.transition is not None:
        culprit["action"] = str(lowered.transitions[end.process][end.transition].action)
    return culprit
