"""The system that is searched: who may crash is marked, crash handling completed, encodings applied."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ...errors import UsageError
from ..model.arguments import check_arguments
from ..model.clocks import runs_timer
from ..model.failures import FailureModel, Failures
from ..model.goal import Goal, recorded_in
from ..model.part import whole
from ..model.phrases import listed
from ..model.rest import is_crash, rest_states
from ..model.system import System
from .mailboxes import mailbox_goal, with_senders
from .stop_restart import Transformed, stop_restart, with_restarts_in_place

#: How faults are read: as defined, as the paper's text encodes them, or as the encoding was run.
SEMANTICS = ("definition", "encoding", "as-run")

_ENCODED = {
    "encoding": "loss and corruption are the paper's encodings (its section 7), not the definitions",
    "as-run": "loss and corruption are the paper's encodings as they were run (definitions 8.4)",
}


def prepare(
    system: System, failures: Failures, semantics: str = "definition", partly: bool = False
) -> tuple[System, FailureModel, tuple[str, ...]]:
    """The system that is searched: who may crash is marked, crash handling completed, encodings applied. Its
    automata are whole, unless it is asked `partly`.

    A completed system also cleans up, as the translation from types does: else the crash message would stay
    behind wherever somebody has finished, and k-er fail for that alone.
    """
    check_arguments(system, failures)
    system = system if partly else whole(system)
    if semantics not in SEMANTICS:
        raise UsageError(f"unknown semantics '{semantics}'; there are {listed(SEMANTICS)}")
    model = failures.on(system)
    marked = system.with_unreliable(model.unreliable)
    remarks: list[str] = []
    if model.unreliable:
        marked, remarks = _handling_crashes(marked, model, failures.as_written)
    if semantics != "definition":
        from . import paper_encodings

        asked = paper_encodings.resolve(marked, failures)
        marked, model = paper_encodings.encode(marked, asked, as_run=semantics == "as-run")
        remarks.append(_ENCODED[semantics])
    return marked, model, tuple(remarks)


def _handling_crashes(marked: System, model: FailureModel, as_written: bool) -> tuple[System, list[str]]:
    from .crash_completion import complete
    from .crash_handling import crash_handling

    if crash_handling(marked).holds:
        return marked, []
    if as_written:
        return marked, [_unhandled(marked)]
    note = (
        f"crash handling was completed: {listed(model.unreliable)} may crash, which the system as "
        "given does not handle (`stormproof crash` shows what was missing)"
    )
    return complete(marked, clean_up=True), [note]


def _unhandled(system: System) -> str:
    """What it means that nothing was added to a system that does not handle crashes. Who cannot crash at all
    would seem to survive it."""
    unable = [n for n in system.unreliable if not any(is_crash(t.action) for t in system[n].transitions)]
    if unable:
        raise UsageError(
            f"as written, {listed(unable)} cannot crash: there is no action crash in {listed(unable)}",
            hint="leave out --as-written (as_written=True), so that crash handling is added",
        )
    return "as written, the system does not handle every crash (`stormproof crash` shows what is missing)"


def with_process_faults(
    system: System, model: FailureModel, after_end: bool = False, goals: Iterable[Goal] = ()
) -> Transformed:
    """The system in which stops and restarts are internal actions (definitions 9.5), and in which messages
    carry their senders where they stand in mailboxes (definitions 12.1). `after_end`: roles that have ended
    restart, too, against definition 11.2. `goals`: what is asked beside the requirements of the system.

    Where its roles rest is written down, since a stopped process rests and must not change what the default
    rest states of the others are.
    """
    asked = [*goals, *(goal for r in system.requirements for goal in r.claim.goals)]
    recording = frozenset[str]().union(*map(recorded_in, asked))
    found = stop_restart(with_senders(system), model.stop, model.restart, after_end, recording)
    if model.on_time:
        found = replace(found, system=with_restarts_in_place(found, system, runs_timer))
    if system.mailboxes:
        found = replace(found, translate=lambda goal: mailbox_goal(goal, system, model))
    if not found.origin:
        return found
    resting = found.rest(rest_states(system)).rest
    processes = tuple(
        replace(p, rest=tuple(resting[p.name]), stop=False, restart=False) for p in found.system
    )
    return replace(found, system=replace(found.system, processes=processes))
