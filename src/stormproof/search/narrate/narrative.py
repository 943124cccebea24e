"""A run in sentences: who does what, and what becomes of each message."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from ...kernel.model.actions import CRASH_ACTION, Channel, Crash, Internal, Receive, Send
from ...kernel.model.message_tracking import Flight, flights, track
from ...kernel.model.phrases import content, counted, listed, plural
from ...kernel.model.run import Act, Step, Witness
from ...kernel.model.system import System

#: Of runs with more actions than this only the faults and the end are described.
LONG = 12


class Narrative:
    """Describes one run of a system in sentences."""

    def __init__(self, system: System, witness: Witness) -> None:
        witness, _ = witness.without_time()
        self.system, self.witness = system, witness
        self.several = len(system.processes) > 2
        self.all = flights(witness.steps)
        self.sent = {f.sent: f for f in self.all if f.copy_of is None}
        self.taken = {f.received: f for f in self.all if f.received is not None}
        self.sources = _sources(system, witness.steps)

    def sentences(self, long: int = LONG) -> list[str]:
        """What happens, a sentence per sequence of actions by one process; a summary of a long run."""
        acts = [(i, s) for i, s in enumerate(self.witness.steps) if isinstance(s, Act)]
        if len(acts) > long:
            return self._summary(acts)
        stretches = groupby(acts, key=lambda pair: pair[1].process)
        return [f"{name} {self._deeds(list(stretch))}." for name, stretch in stretches]

    @property
    def summarised(self) -> bool:
        """Is the run too long to be told, so that its sentences begin with its size?"""
        return len(self.witness.acts) > LONG

    def _deeds(self, stretch: Sequence[tuple[int, Act]]) -> str:
        """Consecutive actions of one kind with one peer in one phrase: `sends a and b to P`."""
        phrases = []
        for (verb, tail), same in groupby((self._deed(i, a) for i, a in stretch), key=lambda d: (d[0], d[2])):
            what = _objects([thing for _, thing, _ in same])
            phrases.append(" ".join(part for part in (verb, what, tail) if part).replace(" ,", ","))
        if any("," in p for p in phrases[:-1]):
            return ", then ".join(phrases)
        return listed(phrases, distinct=False)

    def _deed(self, i: int, act: Act) -> tuple[str, str, str]:
        """Verb, object, and what else there is to say."""
        action = act.action
        if isinstance(action, Internal):
            if action.timeout:
                return action.verb, "", ""
            return (
                (f"{action.verb} in", self.sources[i], "") if action.is_fault else ("does", action.name, "")
            )
        if isinstance(action, Send):
            return self._sends(self.sent[i], action)
        return self._receives(self.taken[i], action)

    def _sends(self, flight: Flight, action: Send) -> tuple[str, str, str]:
        if isinstance(action.message, Crash):
            return "tells", action.peer, "of its crash"
        tail = f"to {action.peer}" if self.several else ""
        return "sends", str(action.message), f"{tail}, which is lost" if flight.lost else tail

    def _receives(self, flight: Flight, action: Receive) -> tuple[str, str, str]:
        if isinstance(action.message, Crash):
            return "learns", "", f"of the crash of {action.peer}"
        tail = f"from {action.peer}" if self.several else ""
        if flight.message != action.message:
            tail += f", which was sent as {flight.message}"
        if flight.overtook:
            passed = [o.message for o in flight.overtook]
            others = [f"another {m}" if m == action.message else str(m) for m in passed]
            tail += f", which has overtaken {listed(counted(others), distinct=False)}"
        if flight.copy_of is not None:
            tail += ", which also stays in the channel"
        return "receives", str(action.message), tail

    def _summary(self, acts: Sequence[tuple[int, Act]]) -> list[str]:
        """The length of a long run, its faults, and what happens to processes."""
        found = [f"The run has {plural(len(acts), 'action')}."]
        fates = Counter(self._fate(f) for f in self.all if self._faulty(f))
        found += [f"{fate}{f' ({count} times)' if count > 1 else ''}." for fate, count in fates.items()]
        found += [
            f"{a.process} {a.action.verb} in {self.sources[i]}."
            for i, a in acts
            if isinstance(a.action, Internal) and a.action.is_fault
        ]
        if len(found) == 1:
            found = [f"The run has {plural(len(acts), 'action')} and no fault."]
        return found

    def _faulty(self, flight: Flight) -> bool:
        return (
            flight.lost or flight.now != flight.message or bool(flight.overtook) or flight.copied is not None
        )

    def _fate(self, flight: Flight) -> str:
        what = f"{flight.message} from {flight.channel.sender} to {flight.channel.receiver}"
        fates = ["is lost"] if flight.lost else []
        fates += [f"becomes {flight.now}"] if flight.now != flight.message else []
        passed = listed(counted(str(o.message) for o in flight.overtook), distinct=False)
        fates += [f"overtakes {passed}"] if passed else []
        fates += [f"is {flight.copied_as}"] if flight.copied is not None else []
        return f"{what} {listed(fates)}"

    def size(self) -> str:
        """`3 actions, 1 fault, 1 crash`."""
        parts = [plural(len(self.witness.acts), "action")]
        parts += [plural(len(self.witness.faults), "fault")] if self.witness.faults else []
        occurred = [
            a.action for a in self.witness.acts if isinstance(a.action, Internal) and a.action.is_fault
        ]
        kinds = Counter(CRASH_ACTION if action.crashes else action.fault for action in occurred)
        parts += [plural(count, kind) for kind, count in kinds.items()]
        return ", ".join(parts)


def _objects(things: Sequence[str]) -> str:
    """The objects of a verb; for a verb without an object, how often it happens."""
    if any(things):
        return listed(counted(things), distinct=False)
    return f"{len(things)} times" if len(things) > 1 else ""


def _sources(system: System, steps: Iterable[Step]) -> dict[int, str]:
    """The state in which each action is taken."""
    states = {p.name: p.initial for p in system}
    found = {}
    for i, step in enumerate(steps):
        if isinstance(step, Act):
            found[i] = states[step.process]
            states[step.process] = step.state
    return found


def in_flight(witness: Witness) -> list[str]:
    """`a, b from P to Q`, for each channel that holds something; `b (sent as a)` where it was corrupted."""
    standing: dict[Channel, list[Flight]] = {}
    for word in track(witness.steps).channels.values():
        for flight in word:
            standing.setdefault(flight.channel, []).append(flight)
    return [_held(c, word) for c, word in standing.items()]


def _held(channel: Channel, word: Sequence[Flight]) -> str:
    changed = [f.now if f.now == f.message else f"{f.now} (sent as {f.message})" for f in word]
    whole = content(channel, changed)
    if all(isinstance(f.now, Crash) for f in word):
        return f"{whole} to {channel.receiver}"
    return f"{whole} from {channel.sender} to {channel.receiver}"
