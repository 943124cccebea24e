"""Runs with every fault explicit, as evidence for a verdict, and their JSON form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, NamedTuple

from ...errors import InputError
from ...records import dataclass
from .actions import (
    ANY_TIME,
    CRASH,
    PASSES,
    Action,
    Channel,
    Configuration,
    Crash,
    Internal,
    Message,
    Receive,
    Send,
)
from .channel_faults import fault_from_json
from .cuts import Cut, is_link
from .fault_steps import Fault, name_in
from .faults import CUT, PROCESS_KINDS
from .message_json import message_from_json, message_to_json
from .phrases import cut_name
from .system import System


@dataclass(frozen=True)
class Act:
    """An action of a process; `state` is the local state after it. `fault`: the kind of fault that an
    internal action is (stop, restart, crash), where the run counts it."""

    process: str
    action: Action
    state: str
    fault: str | None = None

    def __post_init__(self) -> None:
        if self.fault is None and isinstance(self.action, Internal) and self.action.fault:
            object.__setattr__(self, "fault", self.action.fault)

    @property
    def is_fault(self) -> bool:
        """Is this a fault of the process?"""
        return self.fault is not None or (isinstance(self.action, Internal) and self.action.is_fault)

    @property
    def passes_time(self) -> bool:
        """Does a unit of time pass, by no role's action (definitions 16.4)?"""
        return self.action == PASSES


@dataclass(frozen=True)
class LinkCut:
    """These channels lose what they hold and are down from here on; no process does it (definitions 15.3)."""

    channels: Cut

    def phrase(self) -> str:
        """What happens, as a sentence."""
        one = len(self.channels) == 1 or is_link(self.channels)
        return f"{cut_name(self.channels)} {'is' if one else 'are'} cut"

    def to_json(self) -> dict[str, Any]:
        return {"do": CUT.keyword, "channels": [list(channel) for channel in self.channels]}


Step = Act | Fault | LinkCut


@dataclass(frozen=True)
class Witness:
    """A run of the system under its failure model, and where it ends.

    `communication` (RSC only) pairs the index of each matched reception in `steps` with the index of
    its send. `culprit` says what is wrong at the end: any of process, state, channel, message, action.
    `shortest` is False when no budget was left to search for the shortest run. `bags` (RSC with mailboxes):
    whose mailboxes let messages overtake each other, so that sends into them do not conflict.

    A run against survival: from the step `calm_from` on nothing goes wrong any more, and the run goes on to
    where it is stuck. `ending` says how: `deadlock`, `livelock` (from `loop_from` on it goes round),
    `divergence` (the same, while a channel grows), `rest`.
    """

    steps: tuple[Step, ...]
    states: Mapping[str, str]
    channels: Mapping[Channel, tuple[Message, ...]]
    communication: tuple[tuple[int, int], ...] | None = None
    culprit: Mapping[str, str] = field(default_factory=dict)
    shortest: bool = True
    ending: str = ""
    calm_from: int | None = None
    loop_from: int | None = None
    bags: tuple[str, ...] = ()

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What channels do to messages."""
        return tuple(s for s in self.steps if not isinstance(s, Act | LinkCut))

    @property
    def cuts(self) -> tuple[LinkCut, ...]:
        return tuple(s for s in self.steps if isinstance(s, LinkCut))

    @property
    def fault_count(self) -> int:
        """The faults of channels and links, and those of processes: crashes, stops and restarts."""
        return len(self.faults) + len(self.cuts) + sum(act.is_fault for act in self.acts)

    @property
    def fault_counts(self) -> Counter[str]:
        """How many faults of each kind, by its noun."""
        kinds = [act.fault or "crash" for act in self.acts if act.is_fault]
        return Counter([*(step.kind.noun for step in self.faults), *(CUT.noun for _ in self.cuts), *kinds])

    @property
    def acts(self) -> tuple[Act, ...]:
        """What roles do."""
        return tuple(s for s in self.steps if isinstance(s, Act) and not s.passes_time)

    def without_time(self) -> tuple[Witness, Mapping[int, int]]:
        """The run without the steps by which time passes, and how much of it passes before which step."""
        kept: list[Step] = []
        waited: Counter[int] = Counter()
        place = []
        for step in self.steps:
            place.append(len(kept))
            if isinstance(step, Act) and step.passes_time:
                waited[len(kept)] += 1
            else:
                kept.append(step)
        place.append(len(kept))
        if not waited:
            return self, {}
        calm = None if self.calm_from is None else place[self.calm_from]
        loop = None if self.loop_from is None else place[self.loop_from]
        return replace(self, steps=tuple(kept), calm_from=calm, loop_from=loop), dict(waited)

    def project(self, process: str) -> tuple[Act, ...]:
        """What one process did."""
        return tuple(a for a in self.acts if a.process == process)

    def end(self, system: System) -> Configuration:
        """Where the run ends, as it says itself."""
        words = tuple(self.channels.get(c, ()) for c in system.channels)
        return Configuration(tuple(self.states[name] for name in system.names), words)

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {"steps": [step_to_json(s) for s in self.steps]}
        if self.communication is not None:
            data["communication"] = [list(pair) for pair in self.communication]
        data["ends"] = {
            "states": dict(self.states),
            "channels": {"->".join(c): list(map(message_to_json, w)) for c, w in self.channels.items() if w},
        }
        if self.culprit:
            data["culprit"] = dict(self.culprit)
        if not self.shortest:
            data["shortest"] = False
        if self.bags:
            data["bags"] = list(self.bags)
        for key in ("ending", "calm_from", "loop_from"):
            if getattr(self, key) not in ("", None):
                data[key] = getattr(self, key)
        return data


class Replay(NamedTuple):
    """`ok`: nothing is wrong with the witness; `established`: it proves the claim; `message`: what or why."""

    ok: bool
    established: bool
    message: str


def step_to_json(step: Step) -> dict[str, Any]:
    if isinstance(step, Act):
        return _act_to_json(step)
    return step.to_json()


def _act_to_json(act: Act) -> dict[str, Any]:
    action = act.action
    if isinstance(action, Internal):
        timer: dict[str, Any] = {"timeout": True} if action.timeout else {}
        if act.passes_time:
            return {"do": "pass", "process": act.process, "state": act.state}
        if action.timeout and action.after != 1:
            timer |= {"after": action.after} if action.after else {"at_any_time": True}
        if action.record:
            timer["record"] = True
        if act.fault is not None:
            timer["fault"] = act.fault
        return {"do": "internal", "process": act.process, "action": action.name, **timer, "state": act.state}
    end = "to" if isinstance(action, Send) else "from"
    what = {"crash": True} if isinstance(action.message, Crash) else {"message": action.message}
    verb = "send" if isinstance(action, Send) else "receive"
    return {"do": verb, "process": act.process, end: action.peer, **what, "state": act.state}


def step_from_json(data: Mapping[str, Any]) -> Step:
    """The inverse of `step_to_json`; raises InputError for anything else."""
    if not isinstance(data, Mapping):
        raise InputError(f"a step of the witness is an object, not {data!r}")
    try:
        do = name_in(data, "do")
        if do == "internal":
            fault = name_in(data, "fault") if "fault" in data else None
            of_action = fault if fault in [row.keyword for row in PROCESS_KINDS] else None
            due = ANY_TIME if data.get("at_any_time") is True else _number(data, "after") or 1
            timeout, record = data.get("timeout") is True, data.get("record") is True
            action = Internal(name_in(data, "action"), timeout, of_action or "", due, record)
            return Act(name_in(data, "process"), action, name_in(data, "state"), fault)
        if do == "pass":
            return Act(name_in(data, "process"), PASSES, name_in(data, "state"))
        if do in ("send", "receive"):
            message = CRASH if data.get("crash") is True else name_in(data, "message")
            kind, end = (Send, "to") if do == "send" else (Receive, "from")
            return Act(name_in(data, "process"), kind(name_in(data, end), message), name_in(data, "state"))
        if do == CUT.keyword:
            return LinkCut(tuple(_pair(channel) for channel in data["channels"]))
        found = fault_from_json(data)
        if found is not None:
            return found
    except KeyError as problem:
        raise InputError(f"a step of the witness is incomplete: {dict(data)!r} lacks {problem}") from None
    raise InputError(f"a step of the witness does '{do}', which is unknown")


def _pair(data: Any) -> Channel:
    if not isinstance(data, list) or len(data) != 2 or not all(isinstance(name, str) for name in data):
        raise InputError(f"a channel that is cut is a pair of names, not {data!r}")
    return Channel(*data)


def _number(data: Mapping[str, Any], key: str) -> int | None:
    number = data.get(key)
    if number is not None and (not isinstance(number, int) or isinstance(number, bool)):
        raise InputError(f"'{key}' of the witness is {number!r}, not a number")
    return number


def _names(data: Any, what: str) -> dict[str, str]:
    if not isinstance(data, Mapping) or not all(isinstance(v, str) for v in data.values()):
        raise InputError(f"the {what} of the witness are names, not {data!r}")
    return dict(data)


def witness_from_json(data: Mapping[str, Any]) -> Witness:
    """The inverse of `Witness.to_json`."""
    try:
        ends = data["ends"]
        channels = {}
        for name, word in ends["channels"].items():
            sender, _, receiver = name.partition("->")
            channels[Channel(sender, receiver)] = tuple(message_from_json(m) for m in word)
        pairs = data.get("communication")
        return Witness(
            steps=tuple(step_from_json(s) for s in data["steps"]),
            states=_names(ends["states"], "states"),
            channels=channels,
            communication=None if pairs is None else tuple((int(r), int(s)) for r, s in pairs),
            culprit=_names(data.get("culprit", {}), "culprits"),
            shortest=bool(data.get("shortest", True)),
            ending=name_in(data, "ending") if "ending" in data else "",
            calm_from=_number(data, "calm_from"),
            loop_from=_number(data, "loop_from"),
            bags=tuple(str(name) for name in data.get("bags", ())),
        )
    except (KeyError, TypeError, AttributeError, ValueError) as problem:
        raise InputError(f"the witness is incomplete: {problem}") from None


def blamed(culprit: Mapping[str, str]) -> str:
    """The process that is to blame or, where it is a message that is never received, the channel."""
    return culprit.get("process") or culprit.get("channel", "")
