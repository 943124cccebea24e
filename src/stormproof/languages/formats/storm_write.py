"""The .storm language, written: System to text in the canonical layout."""

from __future__ import annotations

from ...kernel.data.system import DataSystem
from ...kernel.model.actions import Action, Internal, Send
from ...kernel.model.observer import Observer
from ...kernel.model.process import Process
from ...kernel.model.system import System
from ...kernel.model.timers import ANY, WORDS
from .storm_cuts import write_cuts
from .storm_faults import write_faults, write_role_faults
from .storm_requirements import write_requirement
from .storm_scan import quote, write_message
from .storm_timers import write_timer
from .storm_write_observers import observer_alternatives

#: A state whose name is longer has its alternatives on the lines below it.
LONGEST_LABEL = 24


def write(system: System) -> str:
    """The system as a .storm text; reading it back gives an equal one. A system that is what a text with data
    describes is written as that text."""
    if isinstance(system, DataSystem):
        from .storm_data_write import source_of

        written = source_of(system)
        if written is not None:
            return written
    lines = [f"protocol {quote(system.name)}"] if system.name else []
    lines += [f"communication {system.communication}"] if system.mailboxes else []
    lines += [f"timers {WORDS[system.timers]}"] if system.timers != ANY else []
    faults = (*write_faults(system), *write_cuts(system), *write_role_faults(system))
    lines += [f"faults {line}" for line in faults]
    for process in system:
        if lines:
            lines.append("")
        lines += _role(process)
    for observer in system.observers:
        lines += ["", *_observer(observer)]
    declared = [("rest", write_rest(system)), ("durable", write_durable(system))]
    behind = [f"{word} {states}" for word, states in declared if states]
    behind += [write_requirement(system, requirement) for requirement in system.requirements]
    if behind:
        lines += ["", *behind]
    return "\n".join(lines) + "\n"


def _role(process: Process) -> list[str]:
    words = ["" if process.reliable else "unreliable ", "service " if process.service else ""]
    lines = [f"{''.join(words)}role {quote(process.name)} {{", *write_recovery(process)]
    for state in process.states:
        label = f"  {quote(state)}:"
        alternatives = [f"{write_action(t.action)} -> {quote(t.target)}" for t in process.outgoing(state)]
        lines += lay_out_state(label, alternatives)
    return [*lines, "}"]


def _observer(observer: Observer) -> list[str]:
    lines = [f"observer {quote(observer.name)} {{"]
    for state in observer.states:
        lines += lay_out_state(f"  {quote(state)}:", observer_alternatives(observer, state))
    return [*lines, "}"]


def write_rest(system: System) -> str:
    """`A@idle, B@{idle, done}`: the rest states that are declared."""
    return ", ".join(
        f"{quote(one.name)}@{write_states(one.rest)}"
        for one in (*system, *system.observers)
        if one.rest is not None
    )


def write_durable(system: System) -> str:
    """`A@idle, B@{idle, done} atomically`: the durable states that are declared."""
    parts = []
    for process in system:
        later = tuple(s for s in process.durable if s not in process.atomic)
        for states, behind in ((later, ""), (process.atomic, " atomically")):
            if states:
                parts.append(f"{quote(process.name)}@{write_states(states)}{behind}")
    return ", ".join(parts)


def write_recovery(process: Process) -> list[str]:
    """The lines of a role that say where it begins again."""
    return [
        f"  on restart{' ' + quote(disk) if disk else ''} -> {quote(state)}"
        for disk, state in process.recovery
    ]


def write_states(states: tuple[str, ...]) -> str:
    """`idle`, or `{idle, done}`."""
    if len(states) == 1:
        return quote(states[0])
    return "{" + ", ".join(map(quote, states)) + "}"


def lay_out_state(label: str, alternatives: list[str]) -> list[str]:
    """The first alternative behind the state's name and the others under it."""
    if not alternatives:
        return [label]
    if len(label) > LONGEST_LABEL:
        return [label, *(f"    {a}" for a in alternatives)]
    indent = " " * len(label)
    return [f"{label} {alternatives[0]}", *(f"{indent} {a}" for a in alternatives[1:])]


def write_action(action: Action) -> str:
    if isinstance(action, Internal):
        if not action.timeout:
            return f"internal {quote(action.name)}"
        return write_timer(action)
    sign = "!" if isinstance(action, Send) else "?"
    return f"{quote(action.peer)}{sign}{write_message(action.message)}"
