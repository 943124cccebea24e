"""The trusted kernel: does a witness prove what it claims? A reading of the definitions of its own.

It shares the plain data types with the rest, and no code with the engine or `semantics`. It steps through the
run, fault by fault, a word for each channel (Def. irs), and re-establishes the claim: for RSC, that the
conflict graph of the communication that the run realises has a cycle; for a k-property, by the forward search
of `outlook`, that the wanted action cannot be reached from where the run ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from .failures import ChannelFailure, FailureModel
from .model import CRASH, Channel, Message, Process, Receive, Send, StateKind, System, channel_of
from .outlook import BUDGET, Configuration, Outlook
from .witness import Act, Corrupt, Lose, Swap, Witness

PARTS = {"k-safe": ("k-er", "k-pg"), "k-mc": ("k-exh", "k-er", "k-pg"), "k-wmc": ("k-exh", "k-er")}
PARTS["k-wmc-up-to-crash"] = ("k-exh-up-to-crash", "k-er-up-to-crash")
Claim = tuple[dict[str, str], Callable[[], bool | None]]


class Replay(NamedTuple):
    """`ok`: nothing is wrong with the witness; `established`: it proves the claim; `message`: what or why."""

    ok: bool
    established: bool
    message: str


class Refused(Exception):
    """The witness is no proof, and this is why."""


def replay(
    system: System,
    failures: FailureModel,
    property: str,
    k: int | None,
    witness: Witness,
    budget: int = BUDGET,
) -> Replay:
    """Step through the witness and re-establish that it violates the property (`reach`: that it is a run)."""
    try:
        if property.startswith("k-") and (k is None or k < 1):
            raise Refused(f"{property} speaks of a bound k, and none is given")
        matching = run(system, failures, witness, None if property in ("rsc", "half-duplex") else k)
        if property == "rsc":
            cycle(witness, matching)
        if property in ("rsc", "reach"):
            return Replay(True, True, "the run is one of the system, step by step")
        return violates(Outlook(system, failures, k or 0, budget), property, witness)
    except Refused as why:
        return Replay(False, False, str(why))


def run(system: System, failures: FailureModel, witness: Witness, bound: int | None) -> dict[int, int]:
    """Each step is one of the system under its failures, the end is as claimed; who received which send."""
    states = {p.name: p.initial for p in system}
    words: dict[Channel, list[tuple[Message, int]]] = {c: [] for c in system.channels}
    matching: dict[int, int] = {}
    full: Channel | None = None
    for i, step in enumerate(witness.steps):
        if full is not None and not (isinstance(step, Lose) and step.channel == full):
            raise Refused(f"step {i}: {full} holds more than {bound} messages and nothing is lost at once")
        full = None
        if not isinstance(step, Act):
            fault(failures.on(step.channel), words.get(step.channel, []), step, i)
            continue
        here = states.get(step.process)
        if here is None or (here, step.action, step.state) not in system[step.process].transitions:
            raise Refused(f"step {i}: {step.process} cannot do {step.action} from '{here}' to '{step.state}'")
        states[step.process] = step.state
        channel = channel_of(step.process, step.action)
        if channel is not None and isinstance(step.action, Send):
            words[channel].append((step.action.message, i))
            full = channel if bound is not None and len(words[channel]) > bound else None
        elif channel is not None and isinstance(step.action, Receive):
            if not words[channel] or words[channel][0][0] != step.action.message:
                raise Refused(f"step {i}: {step.action.message} is not at the head of {channel}")
            matching[i] = words[channel].pop(0)[1]
    ends = {c: tuple(m for m, _ in w) for c, w in words.items() if w}
    claimed = {c: tuple(w) for c, w in witness.channels.items() if w}
    if full is not None or states != dict(witness.states) or ends != claimed:
        raise Refused("the run does not end, within the bound, where the witness says")
    return matching


def fault(f: ChannelFailure, word: list[tuple[Message, int]], step: Lose | Corrupt | Swap, i: int) -> None:
    """Def. irs: loss, corruption, reordering, where the failure model has them; never of a crash message."""
    at, last = step.position, step.position + isinstance(step, Swap)
    if not 0 <= at <= last < len(word) or CRASH in (word[at][0], word[last][0]):
        raise Refused(f"step {i}: {step.channel} has no message for {step} at position {last}")
    message = str(word[at][0])
    if not isinstance(step, Swap) and message != step.message:
        raise Refused(f"step {i}: at position {at} of {step.channel} is {message}, not {step.message}")
    if isinstance(step, Swap) and f.reorder:
        word[at], word[last] = word[last], word[at]
    elif isinstance(step, Lose) and f.loss:
        del word[at]
    elif isinstance(step, Corrupt) and step.becomes in f.becomes.get(message, ()):
        word[at] = (step.becomes, word[at][1])
    else:
        raise Refused(f"step {i}: the failure model does not have {step}")


def cycle(witness: Witness, matching: dict[int, int]) -> None:
    """The run realises its matching fault by fault, so the failure model allows it; is there a cycle?"""
    if witness.communication is None or sorted(witness.communication) != sorted(matching.items()):
        raise Refused("the communication is not the one that the run realises")
    edges: dict[int, set[int]] = {}
    latest: dict[str, int] = {}
    for i, step in enumerate(witness.steps):
        if isinstance(step, Act):
            interaction = matching.get(i, i)
            edges.setdefault(interaction, set())
            if step.process in latest:
                edges[latest[step.process]].add(interaction)
            latest[step.process] = interaction
    while sinks := {v for v, later in edges.items() if not later}:
        edges = {v: later - sinks for v, later in edges.items() if v not in sinks}
    if not edges:
        raise Refused("the conflict graph has no cycle")


def violates(outlook: Outlook, property: str, witness: Witness) -> Replay:
    """Something is wrong at the end of the run, and it is among what the culprit names."""
    words = tuple(tuple(witness.channels.get(c, ())) for c in outlook.system.channels)
    end = Configuration(tuple(witness.states[name] for name in outlook.system.names), words)
    answers: list[bool | None] = []
    for part in PARTS.get(property, (property,)):
        for names, wrong in claims(outlook, part, end):
            if all(names.get(key, value) == value for key, value in witness.culprit.items()):
                answers.append(wrong())
                if answers[-1]:
                    place = ", ".join(f"{key} {value}" for key, value in names.items())
                    return Replay(True, True, f"{part} fails at the end of the run: {place}")
    if None in answers:
        return Replay(True, False, f"not re-established within the budget of {outlook.budget} configurations")
    raise Refused(f"the end of the run does not violate {property}")


def claims(outlook: Outlook, property: str, end: Configuration) -> Iterator[Claim]:
    """All that would violate the property in a configuration (semantics, sections 3, 5 and 7), by name."""
    system, base = outlook.system, property.removesuffix("-up-to-crash")
    places = list(zip(system, end.states))
    gone = {p.name for p, state in places if state in p.crashed_states} if base != property else set()
    held = {c: word[0] for c, word in zip(system.channels, end.words) if word}
    for c, head in held.items():
        names = {"channel": str(c), "message": str(head)}
        if base in ("k-er", "k-wer") and c.receiver not in gone:
            taken = {
                (c.receiver, Receive(c.sender, m)) for m in system.alphabet(c) if base == "k-wer" or m == head
            }
            yield names, partial(outlook.never, end, taken)
        elif base == "half-duplex" and Channel(c.receiver, c.sender) in held:
            yield names, partial(bool, True)
    for p, state in places:
        names = {"process": p.name, "state": state}
        if base in ("k-exh", "k-exh-literal") and p.kind(state) is StateKind.SENDING:
            for send in p.sends(state):
                if send.peer not in gone:
                    more = {"channel": f"{p.name}->{send.peer}", "action": str(send)}
                    still = p.name if base == "k-exh" else None
                    yield names | more, partial(outlook.never, end, {(p.name, send)}, still)
        elif base == "k-pg" and p.kind(state) is StateKind.RECEIVING:
            yield (
                names,
                partial(
                    outlook.never,
                    end,
                    {(p.name, t.action) for t in p.transitions if isinstance(t.action, Receive)},
                ),
            )
        elif base in ("k-obi", "k-sibi"):
            yield from ((names, wrong) for wrong in side_conditions(outlook, base, end, p, state))


def side_conditions(
    outlook: Outlook, property: str, end: Configuration, p: Process, state: str
) -> Iterator[Callable[[], bool | None]]:
    """k-obi: one send fits and another does not. k-sibi: two receptions race, now or once one is taken."""
    now = {(q, a) for q, a, _ in outlook.moves(end)}
    if property == "k-obi":
        yield partial(bool, len({(p.name, a) in now for a in p.sends(state)}) == 2)
        return
    for q, taken, then in outlook.moves(end):
        for other in p.receives(state):
            if q == p.name and isinstance(taken, Receive) and other.peer != taken.peer:
                yield partial(bool, (p.name, other) in now)
                yield partial(outlook.reaches, then, {(other.peer, Send(p.name, other.message))})
