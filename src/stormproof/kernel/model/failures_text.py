"""What may go wrong, in words: which faults on which channels, and what is assumed of each process."""

from __future__ import annotations

from collections.abc import Iterator

from .actions import Channel
from .budget import Budget
from .cuts import Cut, in_use, is_link, links
from .failures import FailureModel, Failures
from .faults import CUT, KINDS, PARTITION, PROCESS_KINDS, RESTART, STOP, FaultKind
from .phrases import arrow, cut_name, few, listed, plural
from .process import Process
from .system import System
from .timers import ON_TIME, WORDS

#: Of more durable states some are named.
_MOST_STATES = 5


def describe_failures(system: System, model: FailureModel, budget: Budget | None = None) -> str:
    """`loss on A→B and B→A · C may crash, announced to everybody`, or that the channels are perfect."""
    by_fault: dict[str, list[Channel]] = {}
    for channel, failure in model.channels.items():
        for fault in failure.describe():
            by_fault.setdefault(fault, []).append(channel)
    parts = [f"{fault} on {_channels(system, channels)}" for fault, channels in by_fault.items()]
    parts += cut_failures(system, model)
    parts += process_failures(system, model)
    timers = [f"timers {WORDS[ON_TIME]}"] if model.on_time else []
    if not parts:
        return " · ".join(["none: channels are perfect and nobody crashes", *timers])
    limited = [str(budget)] if budget is not None and budget.limited else []
    return " · ".join([*parts, *limited, *timers])


def without_effect(asked: Failures, system: System, model: FailureModel) -> tuple[str, ...]:
    """What was asked for, or is declared, and changes nothing: faults where nothing is sent or nothing can
    become anything else, limits on what cannot happen."""
    possible = {kind.noun for kind in model.kinds} | ({"crash"} if model.unreliable else set())
    possible |= {kind.keyword for kind in PROCESS_KINDS if getattr(model, kind.keyword)}
    possible |= {CUT.noun} if model.cuts else set()
    limited = [kind for kind in asked.budget.kinds if kind not in possible]
    lossy = asked.partition and not asked.partition_stays
    apart = lossy and not any(asked.asks(PARTITION, c) for c in system.channels)
    return (
        *dict.fromkeys(said for kind in KINDS for said in _idle(kind, asked, system, model)),
        *(["the partition separates nobody who sends to the other side"] if apart else ()),
        *_idle_cuts(asked, system),
        *(f"the budget limits {plural(2, kind)[2:]}, which cannot happen" for kind in limited),
    )


def _idle_cuts(asked: Failures, system: System) -> Iterator[str]:
    """Cuts of channels that nobody uses."""
    if asked.cut is True and not system.pairs:
        yield f"{CUT.noun} has no effect: nothing is sent"
    for cut in dict.fromkeys(asked.cuts_on(system)):
        if not in_use((cut,), system.pairs):
            where = f" of {cut_name(cut)}" if cut else ", which separates nobody,"
            yield f"the cut{where} has no effect: no message goes there"


def _idle(kind: FaultKind, asked: Failures, system: System, model: FailureModel) -> Iterator[str]:
    """Of faults on all channels it is enough that they change something on one."""
    wanted = asked.wanted(kind, system)
    idle = [c for c in wanted if not _changes(kind, c, system, model)]
    everywhere = asked.choice(kind) is True or set(system.channels) <= set(wanted)
    if not idle and not (asked.choice(kind) is True and not wanted):
        return
    if everywhere and len(idle) < len(wanted) and set(idle) <= set(system.channels):
        return
    if not wanted:
        yield f"{kind.noun} has no effect: nothing is sent"
    unused = [c for c in idle if not _sent(c, system)]
    yield from (f"faults on {arrow(c)} have no effect: nothing is sent there" for c in unused)
    used = [c for c in idle if c not in unused]
    if used:
        where = "" if len(idle) == len(wanted) and everywhere else f" on {_channels(system, used)}"
        yield f"{kind.noun}{where} has no effect: {kind.idle}"


def _sent(channel: Channel, system: System) -> list[str]:
    return [m for m in system.sent_on.get(channel, ()) if isinstance(m, str)]


def _changes(kind: FaultKind, channel: Channel, system: System, model: FailureModel) -> bool:
    """Is there something in the channel, or in the mailbox, that this fault makes another content?"""
    failure = model.on(channel)
    if kind not in failure.kinds or not _sent(channel, system):
        return False
    if not kind.whole_queue:
        return True
    queue = [
        c for c in system.channels if c == channel or (system.mailboxes and c.receiver == channel.receiver)
    ]
    standing = {(c.sender, m) for c in queue for m in _sent(c, system)}
    standing |= {
        (c.sender, b) for c in queue for m in _sent(c, system) for b in model.on(c).becomes.get(m, ())
    }
    return len(standing) > 1


def _channels(system: System, channels: list[Channel]) -> str:
    if len(channels) == len(system.pairs) > 2:
        return "every channel"
    return " and ".join(map(arrow, channels))


def cut_failures(system: System, model: FailureModel) -> tuple[str, ...]:
    """`one link after the other may be cut for good`, `A↔B and A→C may be cut for good`."""
    if not model.cuts:
        return ()
    every = in_use(links(system.pairs), system.pairs)
    if len(every) > 1 and set(every) <= set(model.cuts):
        more = [cut for cut in model.cuts if cut not in every]
        return tuple(f"{name} {CUT.may}" for name in ("every link", *(_cut_name(cut) for cut in more)))
    return tuple(f"{_cut_name(cut)} {CUT.may}" for cut in model.cuts)


def _cut_name(cut: Cut) -> str:
    together = ", all at once," if len(cut) > 1 and not is_link(cut) else ""
    return f"{cut_name(cut)}{together}"


def process_failures(system: System, model: FailureModel) -> tuple[str, ...]:
    """Which crash is assumed of whom: announced, silent, or a restart and with what."""
    found = []
    if model.unreliable:
        found.append(f"{listed(model.unreliable)} may crash, announced to everybody")
    if model.stop:
        found.append(f"{listed(model.stop)} {STOP.may}, and nobody is informed")
    return (*found, *_restarts(system, model))


def _restarts(system: System, model: FailureModel) -> Iterator[str]:
    """With what is durable; the system that was searched has it in its states and no longer declares it."""
    forgetful = [n for n in model.restart if not (system[n].durable or system[n].disks or system[n].recovery)]
    if forgetful:
        yield f"{listed(forgetful)} {RESTART.may}{_initial(forgetful)}"
    for process in (system[n] for n in model.restart if n not in forgetful):
        yield f"{process.name} {RESTART.may}{_with_disk(process)}"


def _with_disk(process: Process) -> str:
    """Where it goes on then."""
    if process.disks:
        names = listed([name for name, _ in process.disks[0][0]])
        return f" with what it saved of {names}"
    states = few(process.durable) if len(process.durable) > _MOST_STATES else listed(process.durable)
    held = f" in the last durable state that it recorded ({states})" if process.durable else ""
    chosen = dict(process.recovery)
    anywhere = chosen.pop("", None)
    if anywhere is not None:
        held = f" in {anywhere}"
    led = listed([f"in {state} where it recorded {disk}" for disk, state in chosen.items()])
    return f"{held or ' in the initial state'}{', ' if led else ''}{led}"


def _initial(names: list[str]) -> str:
    return " in the initial state" if len(names) == 1 else " in their initial states"
