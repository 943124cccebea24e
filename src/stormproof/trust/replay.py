"""The trusted kernel: does a witness prove what it claims? An independent reading of the definitions.

It shares plain data types with the rest, but no code with the engine or `semantics`; what faults do to a
channel is in `channel_faults`. It steps through the run, fault by fault (definitions 2.5), and
re-establishes the claim: for RSC, that the conflict graph has a cycle; for a k-property, by its own search,
that the required action cannot be reached from the end of the run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from ..errors import Refused
from ..kernel.model.actions import (
    Action,
    Channel,
    Configuration,
    Crash,
    Internal,
    Receive,
    Send,
    channel_of,
    pair_of,
    sender_in,
)
from ..kernel.model.failures import FailureModel
from ..kernel.model.process import Process
from ..kernel.model.run import Act, LinkCut, Replay, Witness
from ..kernel.model.system import System
from .channel_faults import (
    SentMessage,
    contents_after,
    faults,
    is_part_of_reception,
    makes_room,
    overtakes,
    received_at_once,
)

BUDGET = 50_000
PARTS = {"k-safe": ("k-er", "k-pg"), "k-mc": ("k-exh", "k-er", "k-pg"), "k-wmc": ("k-exh", "k-er")}
PARTS["k-wmc-up-to-crash"] = ("k-exh-up-to-crash", "k-er-up-to-crash")
#: A process with an action that it is to take, or with a state that it is to come to.
SoughtEvent = tuple[str, Action | str]


def replay(
    system: System, model: FailureModel, property: str, k: int | None, witness: Witness, budget: int = BUDGET
) -> Replay:
    """Step through the witness and re-establish that it violates the property (`reach`: that it is a run)."""
    try:
        if property.startswith("k-") and (k is None or k < 1):
            raise Refused(f"{property} needs a bound k, and none is given")
        if property in ("rsc", "half-duplex"):
            for fault in witness.faults:
                if not fault.kind.matches_once:
                    raise Refused(f"{property} is not defined under {fault.kind.noun}")
        matching = run(system, model, witness, None if property in ("rsc", "half-duplex") else k)
        if property == "rsc":
            cycle(model, witness, matching)
        if property in ("rsc", "reach"):
            return Replay(True, True, "the run is one of the system, step by step")
        return violates(Outlook(system, model, k or 0, budget), property, witness)
    except Refused as why:
        return Replay(False, False, str(why))


def run(system: System, model: FailureModel, witness: Witness, bound: int | None) -> dict[int, int]:
    """Each step is one of the system under its failures, the end is as claimed; who received which send."""
    states = {p.name: p.initial for p in system}
    words: dict[Channel, tuple[SentMessage, ...]] = dict.fromkeys(system.channels, ())
    matching: dict[int, int] = {}
    for i, step in enumerate(witness.steps):
        if isinstance(step, LinkCut):
            raise Refused(f"step {i}: channels are cut in runs against survival only")
        if not isinstance(step, Act):
            changed = dict(faults(model.on(step.channel), step.channel, words.get(step.channel, ())))
            if step not in changed:
                raise Refused(f"step {i}: {step} is not a fault that {step.channel} may have there")
            words[step.channel] = changed[step]
            if is_part_of_reception(step) and not received_at_once(witness.steps[i + 1 :], step):
                raise Refused(f"step {i}: {step} is not followed by a reception from {step.channel}")
            continue
        here, channel = states.get(step.process), channel_of(step.process, step.action)
        if here is None or (here, step.action, step.state) not in system[step.process].outgoing(here):
            raise Refused(f"step {i}: {step.process} cannot do {step.action} from '{here}' to '{step.state}'")
        states[step.process] = step.state
        if channel and isinstance(step.action, Send):
            words[channel] = (*words[channel], (step.action.message, i))
            full = bound and len(words[channel]) > bound
            if full and not makes_room(witness.steps[i + 1 : i + 2], channel):
                raise Refused(f"step {i}: {channel} holds more than {bound} and nothing is lost at once")
        elif channel and isinstance(step.action, Receive):
            if [m for m, _ in words[channel][:1]] != [step.action.message]:
                raise Refused(f"step {i}: {step.action.message} is not at the head of {channel}")
            matching[i], words[channel] = words[channel][0][1], words[channel][1:]
    ends = {c: tuple(m for m, _ in w) for c, w in words.items() if w}
    if (states, ends) != (dict(witness.states), {c: w for c, w in witness.channels.items() if w}):
        raise Refused("the run does not end, within the bound, where the witness says")
    return matching


def cycle(model: FailureModel, witness: Witness, matching: dict[int, int]) -> None:
    """The run realises its matching fault by fault, so the failure model allows it; is there a cycle? Actions
    of one process follow each other, and so do sends into one queue, unless messages overtake each other
    there (definitions 4.3, 12.5)."""
    if witness.communication is None or sorted(witness.communication) != sorted(matching.items()):
        raise Refused("the communication is not the one that the run realises")
    acts = [(s, matching.get(i, i)) for i, s in enumerate(witness.steps) if isinstance(s, Act)]
    done: list[tuple[str | Channel | None, int]] = [(act.process, v) for act, v in acts]
    sends = [(channel_of(act.process, act.action), v) for act, v in acts if isinstance(act.action, Send)]
    done += [(c, v) for c, v in sends if c is not None and not overtakes(model.on(c))]
    edges = {(a, b) for p in dict(done) for a, b in pairwise(v for q, v in done if q == p) if a != b}
    while ends := {b for _, b in edges} - {a for a, _ in edges}:
        edges = {(a, b) for a, b in edges if b not in ends}
    if not edges:
        raise Refused("the conflict graph has no cycle")


def violates(outlook: Outlook, property: str, witness: Witness) -> Replay:
    """Something is wrong at the end of the run, and it is among what the culprit names."""
    answers: list[bool | None] = []
    for part in PARTS.get(property, (property,)):
        for names, search, wrong in claims(outlook, part, witness.end(outlook.system)):
            if all(names.get(key) == value for key, value in witness.culprit.items()):
                answers.append(outlook.reaches(*search) if search else wrong)
                if answers[-1] is wrong:
                    place = ", ".join(f"{key} {value}" for key, value in names.items())
                    return Replay(True, True, f"{part} fails at the end of the run: {place}")
    if None in answers:
        return Replay(True, False, f"not re-established within {outlook.budget} configurations")
    raise Refused(f"the end of the run does not violate {property}")


def claims(outlook: Outlook, property: str, end: Configuration) -> Iterator[tuple[dict[str, str], Any, bool]]:
    """All that may violate the property: names, a search and its answer that does, or no search: it does."""
    system, base = outlook.system, property.removesuffix("-up-to-crash")
    gone = {p.name for p, s in zip(system, end.states) if s in p.crashed_states and base != property}
    held = {c: word[0] for c, word in zip(system.channels, end.words) if word}
    now = {(q, action) for q, action, _ in outlook.moves(end)}
    for c, head in held.items():
        if base in ("k-er", "k-wer") and c.receiver not in gone:
            heads = [head] if base == "k-er" else system.alphabet(c)
            search = (end, {(c.receiver, Receive(sender_in(m) or c.sender, m)) for m in heads})
            yield {"channel": str(pair_of(c, head)), "message": str(head)}, search, False
        elif base == "half-duplex" and Channel(c.receiver, c.sender) in held:
            for m in system.alphabet(c):
                action = str(Send(c.receiver, m))
                yield (
                    {"process": c.sender, "channel": str(c), "message": str(head), "action": action},
                    None,
                    True,
                )
    for p, state in zip(system, end.states):
        names, sends, receives = {"process": p.name, "state": state}, p.sends(state), p.receives(state)
        if base in ("k-exh", "k-exh-literal") and not receives:
            for send in sends:
                names |= on_channel(p.name, send)
                if send.peer not in gone:
                    own = {(p.name, t.action) for t in p.transitions if base == "k-exh"}
                    yield names, (end, {(p.name, send)}, own), False
        elif base == "k-pg" and receives and not sends:
            yield names, (end, *proceeding(p)), False
        elif base == "k-obi" and len({(p.name, send) in now for send in sends}) == 2:
            for send in (s for s in sends if (p.name, s) not in now):
                yield names | on_channel(p.name, send), None, True
        elif base == "k-sibi":
            for q, taken, to in outlook.moves(end):
                for other in receives:
                    if q == p.name and isinstance(taken, Receive) and other.peer != taken.peer:
                        sent = (to, {(other.peer, Send(q, other.message))})
                        named = names | on_channel(q, other)
                        yield named, None if (q, other) in now else sent, True


def on_channel(process: str, action: Send | Receive) -> dict[str, str]:
    ends = (process, action.peer) if isinstance(action, Send) else (action.peer, process)
    return {"channel": "->".join(ends), "message": str(action.message), "action": str(action)}


def proceeding(p: Process) -> tuple[set[SoughtEvent], set[tuple[str, Action]]]:
    """Definitions 3.5: what ends the waiting of a process, and its faults, which do not."""
    actions = {t.action for t in p.transitions}
    faults = {a for a in actions if isinstance(a, Internal) and a.is_fault}
    talks = {a for a in actions if not isinstance(a, Internal) and not is_announcement(a)}
    final = {s for s in p.states if not p.sends(s) and not p.receives(s)}
    return {(p.name, done) for done in (*talks, *final)}, {(p.name, fault) for fault in faults}


def is_announcement(action: Action) -> bool:
    return isinstance(action, Send) and isinstance(action.message, Crash)


class Outlook(NamedTuple):
    """What can still happen within the bound k. Messages are kept as long as possible: a lossy channel drops
    some only when it is full or a later one is received, a message is corrupted only when it is received, and
    a reordering channel is sorted. Waiting takes no choice away, so the same actions are reached."""

    system: System
    model: FailureModel
    k: int
    budget: int = BUDGET

    def moves(self, at: Configuration) -> Iterator[tuple[str, Action, Configuration]]:
        for i, process in enumerate(self.system):
            for (_, action, target), channel in process.touching(at.states[i]):
                if channel is None or isinstance(action, Internal):
                    states = (*at.states[:i], target, *at.states[i + 1 :])
                    yield process.name, action, Configuration(states, at.words)
                    continue
                n = self.system.channel_index[channel]
                for word in contents_after(self.model.on(channel), at.words[n], action, self.k):
                    states = (*at.states[:i], target, *at.states[i + 1 :])
                    words = (*at.words[:n], word, *at.words[n + 1 :])
                    yield process.name, action, Configuration(states, words)

    def reaches(
        self,
        start: Configuration,
        wanted: Collection[SoughtEvent],
        barred: Collection[tuple[str, Action]] = (),
    ) -> bool | None:
        """Is one of these reached in a run in which nothing barred happens? None: the budget is spent."""
        place = {name: i for i, name in enumerate(self.system.names)}
        seen, stack = {start}, [start]
        while stack and len(seen) <= self.budget:
            for process, action, after in self.moves(stack.pop()):
                if (process, action) in wanted:
                    return True
                if (process, action) in barred or after in seen:
                    continue
                if (process, after.states[place[process]]) in wanted:
                    return True
                seen.add(after)
                stack.append(after)
        return None if stack else False
