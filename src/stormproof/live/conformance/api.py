"""Do these logs come from a run of the protocol, and with how few faults?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ...errors import InternalError, Place, UsageError, did_you_mean
from ...kernel.model.actions import Channel, pair_of
from ...kernel.model.budget import Budget
from ...kernel.model.failures import Failures
from ...kernel.model.failures_text import process_failures
from ...kernel.model.fault_steps import Fault
from ...kernel.model.faults import CUT
from ...kernel.model.phrases import cut_name, plural
from ...kernel.model.rest import rest_states
from ...kernel.model.run import Act, LinkCut, Witness
from ...kernel.model.survival import SurvivalModel
from ...kernel.model.system import System
from ...kernel.transform.mailboxes import refuse_mailboxes
from ...kernel.transform.prepare import prepare, with_process_faults
from ...kernel.transform.stop_restart import with_restarts_in_place
from ...limits import Limits, as_a_whole, time_left
from ...trust.replay_storm import replay_storm
from .along_logs import Traced, as_logs_are_read, system_along
from .answer import LoggedFault, TraceAnswer, Unexplained
from .build_run import build_run
from .channel_faults import ChannelFault
from .explain_logs import LogsExplained, explain_logs
from .log import RoleLog, event_of, is_silent
from .one_sided import explain_one_sided, is_one_sided
from .open_sends import MOST_CHOICES, better, not_all_tried, readings
from .read_log import RowMapper, read_logs
from .role_paths import role_path
from .search_run import search_run

#: Longer logs are compared, but their run is not kept.
RUN_EVENTS = 20_000
#: Configurations that the search of a run may visit, unless a limit is given.
SEARCHED = 200_000


@as_a_whole
def trace(
    system: Traced,
    logs: Iterable[str | Path | RoleLog],
    failures: Failures | None = None,
    *,
    start_anywhere: bool = False,
    cut_off: bool = False,
    fields: Mapping[str, str] | RowMapper | None = None,
    shiviz: str | None = None,
    limits: Limits | None = None,
) -> TraceAnswer:
    """Is there a run of the protocol with the events of these logs, and which fewest faults explain it?

    `system` may be what makes one: roles by their names, as for `extract`, the name of a file, or a function.
    Then roles that are functions, or have variables, are run along their logs, and need not be finite.

    The logs need no common clock. Roles without a log may do anything that the protocol lets them do.
    `start_anywhere`: the logs begin in the middle of a run. `cut_off`: roles may have done more than their
    logs say. `fields`: the names that the fields of an event have in the files, or a function of a line.
    `shiviz`: the files are logs of ShiViz with this parser expression; the usual ones are found without it.
    """
    read = _read_logs(logs, fields, shiviz)
    if not isinstance(system, System):
        whole = start_anywhere or cut_off
        followed = {} if whole else {log.role: log for log in read.logs}
        system = system_along(system, followed, failures or Failures())
    if start_anywhere:
        refuse_mailboxes(system, "logs that begin in the middle are compared with the channels of pairs only")
    asked = failures or Failures()
    marked, model, notes = prepare(system, asked)
    model, timers = as_logs_are_read(system, model)
    searched = with_restarts_in_place(with_process_faults(marked, model), marked)
    survival = SurvivalModel(searched, model, rest_states(searched))
    found = _by_role(survival.system, read)
    said = (*notes, *timers, *process_failures(marked, model))

    def compared(reading: Mapping[str, RoleLog]) -> TraceAnswer:
        comparison = _Comparison(survival, reading, said)
        return _within(asked.budget, _compared(comparison, start_anywhere, cut_off, limits or Limits()))

    return _best_reading(found, compared)


def _best_reading(
    logs: Mapping[str, RoleLog], compared: Callable[[Mapping[str, RoleLog]], TraceAnswer]
) -> TraceAnswer:
    """The best answer, with each send that may have happened taken as either."""
    best: TraceAnswer | None = None
    for tried, reading in enumerate(readings(logs)):
        if tried == MOST_CHOICES:
            assert best is not None
            return best if best.conforms else replace(best, conforms=None, reason=not_all_tried(logs))
        best = better(best, compared(reading))
        if best.conforms and not best.faults:
            break
    assert best is not None
    return best


def _compared(comparison: _Comparison, start_anywhere: bool, cut_off: bool, limits: Limits) -> TraceAnswer:
    if start_anywhere:
        return comparison.in_the_middle(cut_off)
    system = comparison.model.system
    whole = not cut_off and set(comparison.roles) == set(system.names)
    if whole and not system.mailboxes:  # what is received from several senders is not explained one by one
        answer = comparison.channel_by_channel()
        if answer is not None:
            return answer
    if not cut_off and is_one_sided(comparison.model, comparison.logs):
        answer = comparison.one_sided(limits)
        if answer is not None:
            return answer
    return comparison.by_search(limits, cut_off)


def _within(budget: Budget, answer: TraceAnswer) -> TraceAnswer:
    """The answer, where only runs with so many faults count."""
    count, kinds = len(answer.faults), Counter(fault.kind for fault in answer.faults)
    if not answer.conforms or budget.allows(count, kinds):
        return answer
    found = plural(count, "fault")
    if answer.fewest and budget.total is not None and count > budget.total:
        reason = f"it takes {found} to explain them, where the budget allows {budget}"
        return replace(answer, conforms=False, reason=reason)
    reason = f"the run found has {found}, where the budget allows {budget}; others are not excluded"
    return replace(answer, conforms=None, reason=reason)


class _ReadLogs(NamedTuple):
    logs: list[RoleLog]
    paths: list[str]


def _read_logs(
    logs: Iterable[str | Path | RoleLog],
    fields: Mapping[str, str] | RowMapper | None,
    shiviz: str | None,
) -> _ReadLogs:
    given = list(logs)
    paths = [path for path in given if not isinstance(path, RoleLog)]
    read = read_logs(paths, fields, shiviz)
    return _ReadLogs([*(log for log in given if isinstance(log, RoleLog)), *read], [*map(str, paths)])


def _by_role(system: System, read: _ReadLogs) -> dict[str, RoleLog]:
    found: dict[str, RoleLog] = {}
    for log in read.logs:
        if log.role not in system.names:
            hint = did_you_mean(log.role, system.names) or f"roles here: {', '.join(system.names)}"
            raise UsageError(f"the protocol has no role '{log.role}'", place=_begin(log), hint=hint)
        if log.role in found:
            raise UsageError(f"there are two logs of {log.role}", place=_begin(log))
        found[log.role] = log
    for path in {*read.paths} - {log.file for log in read.logs}:
        name = Path(path).stem
        if name in system.names and name not in found:
            found[name] = RoleLog(name, path)
    if not found:
        hint = "an empty log is that of the role after which its file is called"
        raise UsageError("there is no event in any log", hint=hint)
    return {name: found[name] for name in system.names if name in found}


def _begin(log: RoleLog) -> Place:
    return log.place(0) if len(log) else Place(log.file)


class _Comparison:
    def __init__(self, model: SurvivalModel, logs: Mapping[str, RoleLog], notes: Sequence[str]) -> None:
        self.model, self.logs, self.notes = model, logs, notes
        self.events = sum(len(log) for log in logs.values())
        self.roles = tuple(logs)
        self.anywhere = False

    def _answer(self, conforms: bool | None, **more: object) -> TraceAnswer:
        system, failures = self.model.system, self.model.failures
        return TraceAnswer(conforms, system, failures, self.events, self.roles, notes=self.notes, **more)  # type: ignore[arg-type]

    def in_the_middle(self, cut_off: bool) -> TraceAnswer:
        """The logs begin anywhere. Whatever a role without a log may send can be in its channels from the
        beginning, so nothing is asked of it: an empty log stands for it. Where logs are cut off, a later send
        might explain what the others received."""
        names = self.model.system.names
        self.logs = {name: self.logs[name] if name in self.logs else RoleLog(name) for name in names}
        self.anywhere = True
        answer = self.channel_by_channel()
        if answer is None:
            return self._answer(None, reason="the channels have more explanations than were tried")
        if not cut_off or (answer.conforms and not answer.faults):
            return answer
        if answer.conforms:
            return replace(answer, fewest=False)
        reason = "the logs begin in the middle, and an event after their end might explain the rest"
        return self._answer(None, reason=reason)

    def channel_by_channel(self) -> TraceAnswer | None:
        """None where the faults of the channels fit no order of the events, so that others are needed."""
        found = explain_logs(self.model, self.logs, self.anywhere)
        if not found.ordered:
            return None
        short = [name for name, log in self.logs.items() if found.lengths[name] < len(log)]
        if short and not found.exact:
            return None
        kept = not self.anywhere and self.events <= RUN_EVENTS
        run = self._replayed(build_run(self.model, self.logs, found)) if kept else None
        faults = self._faults(found)
        if run is not None and run.fault_count > len(faults):
            return None
        return self._answer(
            not short,
            faults=faults,
            fewest=found.exact,
            unexplained=tuple(self._unexplained(name, found.lengths[name]) for name in short),
            run=run,
        )

    def _replayed(self, run: Witness) -> Witness:
        replayed = replay_storm(self.model, None, run)
        if not replayed.ok:
            raise InternalError(f"the run that explains the logs does not replay: {replayed.message}")
        return run

    def _faults(self, found: LogsExplained) -> tuple[LoggedFault, ...]:
        channel_faults = [
            fault
            for channel, match in found.matches.items()
            if match.faults
            for fault in self._channel_faults(channel, match.faults)
        ]
        process_faults = [
            LoggedFault(log[i].do, name, log.place(i))
            for name, log in self.logs.items()
            for i in range(found.lengths[name])
            if log[i].do in ("stop", "restart", "crash")
        ]
        return (*channel_faults, *process_faults)

    def _channel_faults(self, c: Channel, faults: Iterable[ChannelFault]) -> Iterator[LoggedFault]:
        """Each fault, with the line of the log at which it is seen."""
        sender, receiver = self.logs[c.sender], self.logs[c.receiver]
        sends, receptions = _indices(sender, "send", c.receiver), _indices(receiver, "receive", c.sender)
        for fault in faults:
            what = f"{sender[sends[fault.send]].message} from {c.sender} to {c.receiver}"
            at_reception = receiver.place(receptions[fault.reception])
            at = sender.place(sends[fault.send]) if fault.at_send else at_reception
            for kind, becomes in fault.faults:
                yield LoggedFault(kind, what if becomes is None else f"{what} becomes {becomes}", at)

    def _unexplained(self, role: str, length: int) -> Unexplained:
        log = self.logs[role]
        known = RoleLog.of(role, [log[i] for i in range(length)])
        path = role_path(self.model.system[role], known, self.anywhere)
        actions = dict.fromkeys(str(event_of(t.action)) for t in path.possible(length))
        return Unexplained(role, str(log[length]), log.place(length), tuple(actions))

    def one_sided(self, limits: Limits) -> TraceAnswer | None:
        """The other roles are followed one by one; None where that is more than was tried."""
        ((role, log),) = self.logs.items()
        path = role_path(self.model.system[role], log)
        found = explain_one_sided(self.model, log, path, limits)
        short = found.length < len(log)
        if short and not found.exact and found.length < path.length:
            return None
        run = self._replayed(found.run)
        return self._answer(
            not short,
            faults=tuple(self._run_faults(run)),
            fewest=found.exact,
            unexplained=(self._unexplained(role, found.length),) if short else (),
            run=run if self.events <= RUN_EVENTS else None,
        )

    def by_search(self, limits: Limits, cut_off: bool) -> TraceAnswer:
        """Only as much of each log is searched for as the automaton of its role can do by itself."""
        most = limits.states or SEARCHED
        alone = {name: role_path(self.model.system[name], log).length for name, log in self.logs.items()}
        logs = {name: log.first(alone[name]) for name, log in self.logs.items()}
        found = search_run(self.model, logs, most, cut_off, time_left(limits.seconds))
        faults = tuple(self._run_faults(self._replayed(found.run)))
        possible = all(alone[name] == len(log) for name, log in self.logs.items())
        if found.complete and possible:
            return self._answer(True, faults=faults, fewest=found.exhausted, run=found.run)
        if possible and not found.exhausted:
            allowed = plural(most, "configuration")
            allowed += "" if limits.seconds is None else f" and {limits.seconds:g} seconds"
            reason = f"no run was found that has all events, within {allowed}"
            return self._answer(None, reason=reason, run=found.run)
        lengths = found.lengths if found.exhausted else alone
        short = [name for name, log in self.logs.items() if lengths[name] < len(log)]
        stuck = tuple(self._unexplained(name, lengths[name]) for name in short)
        return self._answer(False, faults=faults, fewest=found.exhausted, unexplained=stuck, run=found.run)

    def _run_faults(self, run: Witness) -> Iterator[LoggedFault]:
        """Each fault with the line of the log next to which it occurred: a send's after it, else before."""
        done, last = dict.fromkeys(self.logs, 0), None
        for step in run.steps:
            if isinstance(step, LinkCut):
                yield LoggedFault(CUT.noun, cut_name(step.channels), last)
                continue
            if not isinstance(step, Act):
                yield LoggedFault(step.kind.noun, _affected(step), last)
                continue
            if step.process in self.logs and not is_silent(step.action):
                log, i = self.logs[step.process], done[step.process]
                last = log.place(i) if i < len(log) else None
                done[step.process] += 1
            if step.is_fault:
                yield LoggedFault(step.fault or "crash", step.process, last)


def _affected(step: Fault) -> str:
    message = getattr(step, "message", "a message")
    pair = pair_of(step.channel, message)
    what = f"{message} from {pair.sender} to {pair.receiver}"
    becomes = getattr(step, "becomes", None)
    return what if becomes is None else f"{what} becomes {becomes}"


def _indices(log: RoleLog, do: str, peer: str) -> list[int]:
    """Where in the log the role sends to a peer, or receives from it."""
    codes = {code for code, event in enumerate(log.kinds) if (event.do, event.peer) == (do, peer)}
    return [i for i, code in enumerate(log.codes) if code in codes]
