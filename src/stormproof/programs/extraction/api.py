"""`extract`: from role functions to a system."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ...errors import ModelError, StormproofError, UsageError, clipped, raise_all, visible
from ...kernel.model.failures import Failures
from ...kernel.model.timers import check_mode
from ..automata.followed import followed
from . import evaluate
from .build import HORIZON, RoleMaking
from .deadline import deadlines
from .explore import RoleAutomaton, mistakes, programs, unmatched
from .forked import check_in_fork
from .guard import drive
from .interpret import Interpreter
from .purity import Globals
from .role import Role, RoleCall, as_call
from .second_process import check_in_second_process
from .system import ExtractedSystem

_SEED = 0

_log = logging.getLogger("stormproof")


def extract(
    *roles: Role[Any] | RoleCall | Mapping[str, Role[Any] | RoleCall],
    name: str = "",
    failures: Failures | None = None,
    timers: str | None = None,
    second_process: bool = True,
) -> ExtractedSystem:
    """The system of some roles: `extract(Sender, Receiver)`, or by name: `extract({"P1": Proposer(1), ...})`.

    `failures` are those that the system declares; `timers`: it declares them `on-time` or `any-time`. The
    functions are interpreted here and once more in a second process, and must give the same system;
    `second_process=False` leaves that out.
    """
    calls = named_calls(*roles)
    if followed() is not None:  # a part of the automata, which says little of the rest
        part = RoleMaking(programs(calls, Interpreter()), name)
        return _declaring(part.system_of(part.begin(HORIZON)), timers, failures)
    seen = check_in_second_process(calls) if second_process else None
    if second_process and seen is None:
        check_in_fork(calls)
    making = RoleMaking(programs(calls, Interpreter()), name)
    automata = extract_automata(calls, making)
    system = making.system_of(automata)
    making.titles = tuple(r.title for r in system.requirements)
    idle = () if system.making else unmatched(automata)
    for place, said in (*mistakes(automata), *idle):
        _log.warning("%s: warning: %s", place, visible(clipped(said)))
    if seen is not None:
        seen.compare(system)
    return _declaring(system, timers, failures)


def _declaring(system: ExtractedSystem, timers: str | None, failures: Failures | None) -> ExtractedSystem:
    system = system if timers is None else replace(system, timers=check_mode(timers))
    return system if failures is None else system.with_failures(failures)


def named_calls(*roles: Role[Any] | RoleCall | Mapping[str, Role[Any] | RoleCall]) -> dict[str, RoleCall]:
    """The roles by their names; a function's name where none is given."""
    found: dict[str, RoleCall] = {}
    for given in roles:
        pairs = given.items() if isinstance(given, Mapping) else [(as_call(given).role.name, given)]
        for name, role in pairs:
            if not isinstance(name, str) or not name:
                raise UsageError(f"a role's name is a text, not {name!r}")
            if name in found:
                raise UsageError(
                    f"two roles are called '{name}'", hint='name them: extract({"A": ..., "B": ...})'
                )
            found[name] = as_call(role)
    if not found:
        raise UsageError("extract needs a role", hint="write extract(Sender, Receiver)")
    return found


def _refuse_all(calls: Iterable[RoleCall], interpreter: Interpreter) -> None:
    """ModelError with everything in the roles that is outside the subset, before anything runs."""
    problems: list[StormproofError] = []
    for role in dict.fromkeys(call.role for call in calls):
        try:
            interpreter.program(role)
        except ModelError as problem:
            problems += (problem, *problem.others)
    raise_all(problems)


def extract_automata(
    calls: Mapping[str, RoleCall], making: RoleMaking | None = None
) -> dict[str, RoleAutomaton]:
    """The roles as automata, guarded: nothing that they read has changed, and CPython does the same. Without
    `making` all of them."""
    found = making or RoleMaking(programs(calls, Interpreter()), "")
    _refuse_all(calls.values(), found.interpreter)
    before = Globals(call.role for call in calls.values())
    with deadlines(evaluate.EXPRESSION_SECONDS):
        automata = found.begin(None if making is None else HORIZON)
    for i, automaton in enumerate(automata.values()):
        drive(automaton, _SEED + i)
    before.check()
    return automata
