"""The system of roles that are run along logs: no automaton is made further than they lead."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...errors import StormproofError, UsageError
from ...kernel.data.values import Member, Value
from ...kernel.model.actions import CRASH_ACTION
from ...kernel.model.clocks import has_timers
from ...kernel.model.failures import FailureModel, Failures
from ...kernel.model.system import System
from ...kernel.transform.prepare import prepare
from ...languages import formats
from ...programs.automata.followed import FollowedLogs, following
from .log import RoleLog

#: What the roles of a comparison are: a system, roles by their names, a file, or what makes a system.
Traced = System | Mapping[str, Any] | str | Path | Callable[[], System]

_MEMBER = re.compile(r"([^\W\d][\w-]*)\[(\d+)\]")
_NUMBER = re.compile(r"-?\d+")


#: What is said where the protocol has its timers on time.
REAL_TIMERS = "timers of the protocol are on time, and those of a log are real: one may have expired early"


def system_along(given: Traced, logs: Mapping[str, RoleLog], failures: Failures) -> System:
    """The system, its roles run along their logs where they are functions or have variables and are not
    automata yet. Automata are made whole where logs do not lead far enough for what the system declares,
    where a message may become any other one, and where a timer waits for all that is possible."""
    make = _maker(given)
    if any(
        event.do == "crash" or event.message == CRASH_ACTION for log in logs.values() for event in log.kinds
    ):
        return make()  # what is done when a crash is announced is added to whole automata
    if any(log.open for log in logs.values()):
        return make()  # the logs are read in several ways
    try:
        with following(FollowedLogs(logs, read_message)):
            system = make()
            _, model, _ = prepare(system, failures)  # which may name channels that the logs do not use
    except StormproofError:
        return make()
    return make() if model.on_time or failures.may_change_messages(system) else system


def as_logs_are_read(system: System, model: FailureModel) -> tuple[FailureModel, tuple[str, ...]]:
    """The failures under which logs are compared, and what to say of that: timers of a log are real, so that
    one may have expired early; runs with cuts are refused."""
    if model.cuts:
        hint = "compare with loss on these channels, and ignore the cuts of the file: --no-file-faults"
        raise UsageError("logs are not compared with runs in which links are cut for good", hint=hint)
    if not model.on_time:
        return model, ()
    return replace(model, on_time=False), (REAL_TIMERS,) if any(map(has_timers, system)) else ()


def _maker(given: Traced) -> Callable[[], System]:
    if isinstance(given, System):
        return lambda: given
    if isinstance(given, Mapping):
        from ...programs.extraction.api import extract  # only where there are functions: it takes memory

        return lambda: extract(given)
    if not isinstance(given, (str, Path)):
        return given
    from ...programs.extraction.load import load_protocol, split_python

    python = split_python(str(given))
    return (lambda: formats.load(given)) if python is None else (lambda: load_protocol(*python))


def read_message(program: Any, peer: str, text: str) -> Any:
    """A message as logs spell it, with its values; None where it cannot be read."""
    from ...programs.data.program import DataLetter, DataProgram
    from ...programs.extraction.explore import RoleProgram
    from ..runtime.codec import enums_of, parse_message

    if isinstance(program, RoleProgram):
        return parse_message(peer, text, enums_of(program.call))
    if isinstance(program, DataProgram):
        name, carries, inside = text.partition("(")
        parts = [part.strip() for part in inside.removesuffix(")").split(",")] if carries else []
        return DataLetter(peer, name, tuple(map(_value, parts)))
    return None


def _value(text: str) -> Value:
    """A number, a member, a truth value, none, or a name of an enumeration."""
    member = _MEMBER.fullmatch(text)
    if member is not None:
        return Member(member[1], int(member[2]))
    if _NUMBER.fullmatch(text):
        return int(text)
    return {"true": True, "false": False, "none": None}.get(text, text)
