"""The trusted kernel: does a witness prove what it claims? A reading of the definitions of its own.

It shares the plain data types with the rest, and no code with the engine or `semantics`. It steps through the
run, fault by fault, a word for each channel (Def. irs), and re-establishes the claim: for RSC, that the
conflict graph of the communication that the run realises has a cycle; for a k-property, by a forward search
of its own, that the wanted action cannot be reached from where the run ends.

The search keeps messages as long as it can: a lossy channel drops some only when a later one is received or
when it is full, a message is corrupted only when it is received, a reordering channel is sorted. Waiting
takes no choice away, so the search is exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from .failures import ChannelFailure, FailureModel
from .model import CRASH, Action, Channel, Internal, Message, Receive, Send, StateKind, System, channel_of
from .witness import Act, Corrupt, Lose, Swap, Witness

BUDGET = 50_000  # configurations that one search may see
PARTS = {"k-safe": ("k-er", "k-pg"), "k-mc": ("k-exh", "k-er", "k-pg"), "k-wmc": ("k-exh", "k-er")}
PARTS["k-wmc-up-to-crash"] = ("k-exh-up-to-crash", "k-er-up-to-crash")
Word = tuple[Message, ...]
Config = tuple[tuple[str, ...], tuple[Word, ...]]  # local states and words, in the order of the system


class Replay(NamedTuple):
    """`ok`: nothing is wrong with the witness; `established`: it proves the claim; `message`: what or why."""

    ok: bool
    established: bool
    message: str


class Refused(Exception):
    """The witness is no proof, and this is why."""


class Claim(NamedTuple):
    """What would be wrong, in the names of a culprit: that an action is never reached, or (`bad`) that it is.

    The action is by `process`; a string stands for any reception from that peer, None for any at all. In the
    run to it `still` does not act. Without a start there is nothing to search for: the configuration says it.
    """

    names: dict[str, str]
    start: Config | None = None
    process: str = ""
    action: Action | str | None = None
    still: str | None = None
    bad: bool = False


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
        return violates(Search(system, failures, k or 0, budget), property, witness)
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


class Search(NamedTuple):
    """Forward search within the bound, over words in the form that the head of this file explains."""

    system: System
    failures: FailureModel
    k: int
    budget: int

    def moves(self, at: Config) -> Iterator[tuple[str, Action, Config]]:
        states, words = at
        for i, process in enumerate(self.system):
            for _, action, target in process.outgoing(states[i]):
                to = (*states[:i], target, *states[i + 1 :])
                channel = channel_of(process.name, action)
                if channel is None or isinstance(action, Internal):
                    yield process.name, action, (to, words)
                    continue
                n = self.system.channels.index(channel)
                for word in after(self.failures.on(channel), words[n], action, self.k):
                    yield process.name, action, (to, (*words[:n], word, *words[n + 1 :]))

    def violated(self, claim: Claim) -> bool | None:
        """Is the claim so? None: the budget is spent."""
        stack = [] if claim.start is None else [claim.start]
        seen = set(stack)
        while stack:
            for process, action, config in self.moves(stack.pop()):
                if process == claim.process and fits(action, claim.action):
                    return claim.bad
                if process != claim.still and config not in seen:
                    seen.add(config)
                    stack.append(config)
            if len(seen) > self.budget:
                return None
        return not claim.bad


def fits(action: Action, wanted: Action | str | None) -> bool:
    if wanted is None or isinstance(wanted, str):
        return isinstance(action, Receive) and wanted in (None, action.peer)
    return action == wanted


def after(f: ChannelFailure, word: Word, action: Send | Receive, k: int) -> list[Word]:
    """What a channel may hold after an action on it; nothing when it cannot happen within the bound."""
    if isinstance(action, Receive):
        found = []
        for i, message in enumerate(word):
            overtakes = f.reorder and message is not CRASH
            if (i == 0 or f.loss or overtakes) and f.may_become(message, action.message):
                found.append((word[:i] if overtakes else ()) + word[i + 1 :])
        return found
    longer = (*word, action.message)
    if f.reorder:
        longer = tuple(sorted(longer, key=lambda m: (m is CRASH, str(m))))
    if len(word) < k:
        return [longer]
    return [longer[:i] + longer[i + 1 :] for i, m in enumerate(longer) if m is not CRASH and f.loss]


def violates(search: Search, property: str, witness: Witness) -> Replay:
    """Something is wrong at the end of the run, and it is among what the culprit names."""
    words = tuple(tuple(witness.channels.get(c, ())) for c in search.system.channels)
    end = (tuple(witness.states[name] for name in search.system.names), words)
    answers: list[bool | None] = []
    for part in PARTS.get(property, (property,)):
        for claim in (*of_processes(search, part, end), *of_channels(search.system, part, end)):
            if all(claim.names.get(key, value) == value for key, value in witness.culprit.items()):
                answers.append(search.violated(claim))
                if answers[-1]:
                    return Replay(True, True, f"{part} fails at the end of the run: {claim.names}")
    if None in answers:
        return Replay(True, False, f"not re-established within the budget of {search.budget} configurations")
    raise Refused(f"the end of the run does not violate {property}")


def crashed(system: System, property: str, end: Config) -> set[str]:
    """The processes that an up-to-crash property excuses (semantics, section 5)."""
    gone = (p.name for p, state in zip(system, end[0]) if state in p.crashed_states)
    return set(gone) if property.endswith("up-to-crash") else set()


def of_channels(system: System, property: str, end: Config) -> Iterator[Claim]:
    """k-er, k-wer: the head is never received; half-duplex: both channels hold a message."""
    held = {c: word[0] for c, word in zip(system.channels, end[1]) if word}
    gone = crashed(system, property, end)
    for c, head in held.items():
        names = {"channel": str(c), "message": str(head)}
        if property == "half-duplex" and Channel(c.receiver, c.sender) in held:
            yield Claim(names)
        elif property in ("k-er", "k-wer", "k-er-up-to-crash") and c.receiver not in gone:
            wanted = c.sender if property == "k-wer" else Receive(c.sender, head)
            yield Claim(names, end, c.receiver, wanted)


def of_processes(search: Search, property: str, end: Config) -> Iterator[Claim]:
    """k-exh: a send is never fired; k-pg: nothing is ever received; k-obi and k-sibi, the side conditions."""
    gone = crashed(search.system, property, end)
    moves = list(search.moves(end))
    now = {(q, a) for q, a, _ in moves}
    for p, state in zip(search.system, end[0]):
        names = {"process": p.name, "state": state}
        sends, kind = p.sends(state), p.kind(state)
        if property.startswith("k-exh") and kind is StateKind.SENDING:
            still = None if property == "k-exh-literal" else p.name
            for send in (s for s in sends if s.peer not in gone):
                more = {"channel": f"{p.name}->{send.peer}", "message": str(send.message)}
                yield Claim(names | more, end, p.name, send, still)
        elif property == "k-pg" and kind is StateKind.RECEIVING:
            yield Claim(names, end, p.name)
        elif property == "k-obi" and len({(p.name, a) in now for a in sends}) == 2:
            yield Claim(names)
        elif property == "k-sibi":
            taken = [(a, then) for q, a, then in moves if q == p.name and isinstance(a, Receive)]
            for b, (a, then) in product(p.receives(state), taken):
                if a.peer != b.peer:
                    start = None if (p.name, b) in now else then
                    yield Claim(names, start, b.peer, Send(p.name, b.message), bad=start is not None)
