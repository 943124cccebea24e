"""What may go wrong, as yes-or-no choices: one fault on one channel, or one fault of one process."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import UsageError, did_you_mean
from ..kernel.model.actions import CRASH_ACTION, Channel, Internal, Send, pair_of
from ..kernel.model.budget import Budget
from ..kernel.model.failures import Failures, parse_channel
from ..kernel.model.fault_steps import Fault
from ..kernel.model.faults import CORRUPTION, CUT, KINDS_BY_FREQUENCY, PROCESS_KINDS, kind_named
from ..kernel.model.phrases import arrow, listed
from ..kernel.model.run import Act, LinkCut, Witness
from ..kernel.model.system import System
from ..kernel.transform.crash_handling import crash_handling

CRASH = "crash"
PROCESS_FAULTS = (*(kind.keyword for kind in PROCESS_KINDS), CRASH)
#: In the order in which tables list them.
CHANNEL_FAULTS = (*(kind.keyword for kind in KINDS_BY_FREQUENCY), CUT.keyword)
FAULTS = (*CHANNEL_FAULTS, *PROCESS_FAULTS)


@dataclass(frozen=True)
class Atom:
    """One yes-or-no choice: a fault on a channel, or of a process."""

    fault: str
    channel: Channel | None = None
    process: str | None = None

    def __str__(self) -> str:
        return f"{fault_noun(self.fault)} {'of' if self.channel is None else 'on'} {self.place}"

    @property
    def place(self) -> str:
        return str(self.process) if self.channel is None else arrow(self.channel)

    def to_json(self) -> dict[str, str]:
        if self.channel is None:
            return {"fault": self.fault, "process": str(self.process)}
        return {"fault": self.fault, "from": self.channel.sender, "to": self.channel.receiver}


def fault_noun(fault: str) -> str:
    return fault if fault in (*PROCESS_FAULTS, CUT.keyword) else kind_named(fault).noun


def choices(
    system: System,
    faults: Iterable[str] | None = None,
    channels: Iterable[str | tuple[str, str]] | None = None,
    processes: Iterable[str] | None = None,
    *,
    as_written: bool = True,
    declared: bool = False,
) -> tuple[Atom, ...]:
    """The choices, channel by channel, then process by process; by default every fault everywhere.

    `as_written`: the crash of a process is a choice only where the protocol handles it as it is. `declared`:
    what the file declares is there in any case, and so is no choice.
    """
    kinds = _usual(system) if faults is None else tuple(dict.fromkeys(faults))
    for kind in kinds:
        if kind not in FAULTS:
            hint = did_you_mean(kind, FAULTS)
            raise UsageError(f"unknown fault '{kind}'; it is one of {', '.join(FAULTS)}", hint=hint)
    named = [(k, c) for c in _channels(system, channels) for k in kinds if k in CHANNEL_FAULTS]
    found = [Atom(k, c) for k, c in named if not _strikes_others(system, k, c)]
    for name in _processes(system, processes):
        found += [
            Atom(k, process=name)
            for k in kinds
            if k in PROCESS_FAULTS and (k != CRASH or may_crash(system, name, as_written))
        ]
    kept = tuple(atom for atom in found if not (declared and _is_declared(system, atom)))
    if not kept:
        raise UsageError(
            "there is nothing to try: name faults, channels or processes that the system has",
            hint=_unhandled(system) if CRASH in kinds and as_written else None,
        )
    return kept


def _usual(system: System) -> tuple[str, ...]:
    """Every fault; a cut only where the file speaks of one."""
    speaks = system.cuts or any(r.under is not None and r.under.cuts for r in system.requirements)
    return FAULTS if speaks else tuple(fault for fault in FAULTS if fault != CUT.keyword)


def _strikes_others(system: System, kind: str, channel: Channel) -> bool:
    """In a mailbox: would the fault affect what others have put there? Then it is no choice of its own."""
    into = [c for c in system.channels if c.receiver == channel.receiver]
    return system.mailboxes and kind != CUT.keyword and kind_named(kind).whole_queue and len(into) > 1


def _channels(system: System, asked: Iterable[str | tuple[str, str]] | None) -> tuple[Channel, ...]:
    if asked is None:
        return system.channels
    chosen = tuple(dict.fromkeys(parse_channel(c) for c in asked))
    for channel in chosen:
        if channel not in system.channels:
            known = [str(c) for c in system.channels]
            raise UsageError(
                f"no message goes from {channel.sender} to {channel.receiver}; "
                f"channels here: {', '.join(known)}",
                hint=did_you_mean(str(channel), known),
            )
    return chosen


def _processes(system: System, asked: Iterable[str] | None) -> tuple[str, ...]:
    names = system.names if asked is None else tuple(dict.fromkeys(asked))
    for name in names:
        if name not in system:
            raise UsageError(
                f"unknown role '{name}'; roles here: {', '.join(system.names)}",
                hint=did_you_mean(name, system.names),
            )
    return names


def may_crash(system: System, name: str, as_written: bool) -> bool:
    """Is an announced crash of this process a choice? As written it must be handled; else it is completed,
    unless the process crashes in its automaton already, in every failure model."""
    crashes = any(t.action == Internal(CRASH_ACTION) for t in system[name].transitions)
    if not as_written:
        return system[name].reliable and not crashes
    return crashes and crash_handling(system.with_unreliable([name])).holds


#: What each fault of a process is, in the words of a note.
_ASSUMED = {
    "stop": "a stop is silent",
    "restart": "a restart goes to the initial state or the last durable one",
    CRASH: "a crash is announced to everybody",
}


def process_assumptions(faults: Collection[str]) -> tuple[str, ...]:
    """Which stop, restart and crash is assumed, in a sentence."""
    said = "; ".join(sentence for fault, sentence in _ASSUMED.items() if fault in faults)
    return (said,) if said else ()


def crashes_left_out(system: System) -> tuple[str, ...]:
    """Crashes that the file declares and that are no choice."""
    left = [name for name in system.unreliable if not may_crash(system, name, as_written=True)]
    if not left:
        return ()
    why = "the protocol as written does not handle it, and adding that changes the protocol"
    return (f"an announced crash of {listed(left)} is not tried: {why}",)


def _unhandled(system: System) -> str:
    return (
        "the protocol as written handles nobody's crash, and what is added changes the protocol: "
        "`stormproof crash FILE --complete` writes it"
    )


def declared_kinds(system: System) -> tuple[str, ...]:
    """The kinds of faults that the file speaks of, where it says that some may happen: also those under which
    it requires something. Empty where it leaves that to whoever asks."""
    atoms = [Atom(k, channel=c) for c in system.channels for k in CHANNEL_FAULTS]
    atoms += [Atom(k, process=p) for p in system.names for k in PROCESS_FAULTS]
    kinds = {atom.fault for atom in atoms if _is_declared(system, atom)}
    kinds |= {CUT.keyword} if system.cuts else set()
    if not kinds:
        return ()
    under = [r.under for r in system.requirements if r.under is not None]
    kinds |= {CUT.keyword} if any(u.cuts for u in under) else set()
    kinds |= {k.keyword for u in under for f in u.faults for k in KINDS_BY_FREQUENCY if f.has(k)}
    kinds |= {name for u in under for name in PROCESS_FAULTS if getattr(u, name)}
    return tuple(fault for fault in FAULTS if fault in kinds)


def _is_declared(system: System, atom: Atom) -> bool:
    if atom.channel is None:
        process = system[str(atom.process)]
        return not process.reliable if atom.fault == CRASH else bool(getattr(process, atom.fault))
    if atom.fault == CUT.keyword:
        return (atom.channel,) in system.cuts
    rows = [f for f in system.faults if (f.sender, f.receiver) == tuple(atom.channel)]
    return any(row.has(kind_named(atom.fault)) for row in rows)


def failures_of(
    system: System,
    atoms: Iterable[Atom],
    *,
    corrupt_scope: str,
    file_faults: bool,
    budget: Budget,
    as_written: bool,
) -> Failures:
    """The failure model of a set of choices. What the file says of a corruption, which message becomes which,
    stays true where that corruption is chosen."""
    chosen = list(atoms)
    pairs = {} if file_faults else _declared_pairs(system)
    wanted: dict[str, Any] = {k: [a.channel for a in chosen if a.fault == k] for k in CHANNEL_FAULTS}
    corrupted = wanted[CORRUPTION.keyword]
    wanted[CORRUPTION.keyword] = [c for c in corrupted if c not in pairs]
    for fault in PROCESS_FAULTS:
        wanted[fault] = [a.process for a in chosen if a.fault == fault]
    return Failures(
        **wanted,
        corrupt_map=[(c, x, y) for c in corrupted for x, y in pairs.get(c, ())],
        corrupt_scope=corrupt_scope,
        file_faults=file_faults,
        budget=budget,
        as_written=as_written,
    )


def _declared_pairs(system: System) -> dict[Channel, tuple[tuple[str, str], ...]]:
    return {
        Channel(f.sender, f.receiver): f.corrupt.pairs
        for f in system.faults
        if f.corrupt is not None and f.corrupt.pairs is not None
    }


def used_choices(witness: Witness) -> set[Atom]:
    """The choices that a run makes use of: it is a run under those alone."""
    used: set[Atom] = set()
    for step in witness.steps:
        if isinstance(step, LinkCut):
            used.add(Atom(CUT.keyword, step.channels[0]))
        elif not isinstance(step, Act):
            used |= {Atom(step.kind.keyword, channel) for channel in _pairs_of(step, witness)}
        elif isinstance(step.action, Internal) and step.action.is_fault:
            used.add(Atom(step.action.fault or CRASH, process=step.process))
    return used


def _pairs_of(fault: Fault, witness: Witness) -> set[Channel]:
    """The channel of a fault; in a mailbox, from whoever sent the message or, if it names none, from all."""
    if not fault.channel.is_mailbox:
        return {fault.channel}
    named = pair_of(fault.channel, getattr(fault, "message", ""))
    if named.sender:
        return {named}
    sends = [(act.process, act.action.peer) for act in witness.acts if isinstance(act.action, Send)]
    return {Channel(*pair) for pair in sends if pair[1] == fault.channel.receiver}


def in_words(atoms: Sequence[Atom], system: System | None = None) -> str:
    """`loss on A→B and B→A · stop of C`, or that nothing may go wrong; with a system, `loss everywhere`."""
    return " · ".join(_groups(atoms, system)) or "no failure at all"


def _groups(atoms: Sequence[Atom], system: System | None) -> Iterator[str]:
    places: dict[str, list[Atom]] = {}
    for atom in atoms:
        places.setdefault(atom.fault, []).append(atom)
    for fault in (f for f in FAULTS if f in places):
        there = places[fault]
        channels = [a.channel for a in there if a.channel is not None]
        if system is not None and len(channels) == len(system.channels) > 1:
            yield f"{fault_noun(fault)} everywhere"
        else:
            yield f"{fault_noun(fault)} {'on' if channels else 'of'} {', '.join(a.place for a in there)}"
