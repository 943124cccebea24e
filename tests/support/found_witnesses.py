"""Witnesses that the engine finds on random pairs, their mutants, and what the definitions say of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from stormproof.kernel.model.actions import Channel, Configuration, Message, Receive, Send, channel_of
from stormproof.kernel.model.channel_faults import Corrupt, Lose, Overtake, Swap
from stormproof.kernel.model.conflict_graph import conflict_graph
from stormproof.kernel.model.execution import communication_of
from stormproof.kernel.model.failures import FailureModel
from stormproof.kernel.model.fault_steps import Fault
from stormproof.kernel.model.run import Act, LinkCut, Step, Witness
from stormproof.kernel.model.system import System
from stormproof.limits import Limits
from stormproof.oracle import bounded
from stormproof.oracle.communications import is_valid
from stormproof.search.counterexample.build import rsc_witness, violation_witness
from stormproof.search.engine.k_properties import PROPERTIES, explore
from stormproof.search.engine.rsc import rsc
from tests.support.definition_runs import is_run
from tests.support.random_systems import random_crash, random_failures, random_process_faults, random_system


class Evidence(NamedTuple):
    property: str
    k: int | None
    witness: Witness


def random_pair(rng: random.Random) -> tuple[System, FailureModel]:
    system = random_system(rng)
    system = random_crash(rng, system) if rng.random() < 0.3 else system
    perfect = rng.random() < 0.2
    model = FailureModel({}, system.unreliable) if perfect else random_failures(rng, system).on(system)
    return random_process_faults(rng, system) if rng.random() < 0.2 else system, model


def evidence(rng: random.Random, system: System, failures: FailureModel, k: int) -> Iterator[Evidence]:
    """Every witness that the engine finds against a pair."""
    asked = [p for p in PROPERTIES if failures.perfect or p not in ("k-obi", "k-sibi")]
    found = explore(
        system, failures, k, properties=asked, limits=Limits(), threads=1, reduction=rng.random() < 0.5
    )
    for name, violation in found.violations.items():
        yield Evidence(name, k, violation_witness(system, failures, violation, k))
    against = rsc(system, failures, limits=Limits()).violation
    if against is not None:
        yield Evidence("rsc", None, rsc_witness(system, failures, against))


def mutants(rng: random.Random, system: System, given: Evidence) -> Iterator[Evidence]:
    """One small change each; half of them with the end that the changed run would have."""
    for change in (
        _drop,
        _drop_fault,
        _exchange,
        _other_message,
        _other_place,
        _other_end,
        _other_matching,
        _more,
    ):
        witness = change(rng, system, given.witness)
        if witness is None or witness == given.witness:
            continue
        if rng.random() < 0.6 and change is not _other_end:
            witness = _with_its_end(system, witness)
        if rng.random() < 0.3:
            witness = replace(witness, culprit={})
        yield given._replace(witness=witness)
    if given.k is not None and given.k > 1:
        yield given._replace(k=given.k - 1)
    yield given._replace(witness=replace(given.witness, culprit=_other_culprit(rng, system, given.witness)))


def _drop(rng: random.Random, system: System, witness: Witness) -> Witness | None:
    return _without(witness, rng.randrange(len(witness.steps))) if witness.steps else None


def _drop_fault(rng: random.Random, system: System, witness: Witness) -> Witness | None:
    faults = [i for i, s in enumerate(witness.steps) if not isinstance(s, Act)]
    return _without(witness, rng.choice(faults)) if faults else None


def _without(witness: Witness, i: int) -> Witness:
    """Without a step; the communication goes on about the others."""
    pairs = witness.communication
    if pairs is not None:
        pairs = tuple((r - (r > i), s - (s > i)) for r, s in pairs if i not in (r, s))
    return replace(witness, steps=witness.steps[:i] + witness.steps[i + 1 :], communication=pairs)


def _exchange(rng: random.Random, system: System, witness: Witness) -> Witness | None:
    if len(witness.steps) < 2:
        return None
    i, j = rng.sample(range(len(witness.steps)), 2)
    steps = list(witness.steps)
    steps[i], steps[j] = steps[j], steps[i]
    return replace(witness, steps=tuple(steps))


def _more(rng: random.Random, system: System, witness: Witness) -> Witness | None:
    """One more fault in some place, with the end that it leads to."""
    if not system.channels or not system.messages:
        return None
    channel, at = rng.choice(system.channels), rng.randrange(3)
    message, other = rng.choice(system.messages), rng.choice(system.messages)
    faults: list[Step] = [Swap(channel, at), Lose(channel, at, message), Corrupt(channel, at, message, other)]
    step = rng.choice(faults)
    i = rng.randrange(len(witness.steps) + 1)
    pairs = witness.communication
    if pairs is not None:
        pairs = tuple((r + (r >= i), s + (s >= i)) for r, s in pairs)
    longer = (*witness.steps[:i], step, *witness.steps[i:])
    return _with_its_end(system, replace(witness, steps=longer, communication=pairs))


def _other_message(rng: random.Random, system: System, witness: Witness) -> Witness | None:
    places = [i for i, s in enumerate(witness.steps) if _has_message(s)]
    if not places or not system.messages:
        return None
    i, message = rng.choice(places), rng.choice(system.messages)
    step = witness.steps[i]
    if isinstance(step, Act) and isinstance(step.action, Send | Receive):
        return _with_step(witness, i, replace(step, action=replace(step.action, message=message)))
    if isinstance(step, Corrupt) and rng.random() < 0.5:
        return _with_step(witness, i, replace(step, becomes=message))
    assert isinstance(step, Lose | Corrupt)
    return _with_step(witness, i, replace(step, message=message))


def _has_message(step: Step) -> bool:
    return isinstance(step, Lose | Corrupt) or (
        isinstance(step, Act) and isinstance(step.action, Send | Receive)
    )


def _with_step(witness: Witness, i: int, step: Step) -> Witness:
    return replace(witness, steps=(*witness.steps[:i], step, *witness.steps[i + 1 :]))


def _other_place(rng: random.Random, system: System, witness: Witness) -> Witness | None:
    """Another position of a fault, another fault in its place, another state after an action."""
    if not witness.steps:
        return None
    i = rng.randrange(len(witness.steps))
    step = witness.steps[i]
    if isinstance(step, Act):
        if step.process not in system:
            return None
        return _with_step(witness, i, replace(step, state=rng.choice(system[step.process].states)))
    if isinstance(step, LinkCut):
        return _with_step(witness, i, LinkCut(step.channels[1:]))
    if rng.random() < 0.5:
        return _with_step(witness, i, replace(step, position=rng.randrange(3)))
    message = rng.choice(system.messages)
    others: list[Step] = [Lose(step.channel, step.position, message), Swap(step.channel, step.position)]
    return _with_step(witness, i, rng.choice(others))


def _other_end(rng: random.Random, system: System, witness: Witness) -> Witness | None:
    if rng.random() < 0.5:
        process = rng.choice(system.processes)
        return replace(witness, states={**witness.states, process.name: rng.choice(process.states)})
    if not system.channels or not system.messages:
        return None
    channel = rng.choice(system.channels)
    word = [rng.choice(system.messages) for _ in range(rng.randrange(3))]
    return replace(witness, channels={**witness.channels, channel: tuple(word)})


def _other_matching(rng: random.Random, system: System, witness: Witness) -> Witness | None:
    if not witness.communication:
        return None
    pairs = list(witness.communication)
    i = rng.randrange(len(pairs))
    if rng.random() < 0.3:
        del pairs[i]
    else:
        pairs[i] = (pairs[i][0], rng.randrange(len(witness.steps)))
    return replace(witness, communication=tuple(pairs))


def _other_culprit(rng: random.Random, system: System, witness: Witness) -> dict[str, str]:
    process = rng.choice(system.processes)
    return {"process": process.name, "state": witness.states[process.name]}


def _with_its_end(system: System, witness: Witness) -> Witness:
    """The same steps, and the end to which they lead when nobody asks whether they may be taken."""
    states = {p.name: p.initial for p in system}
    words: dict[Channel, list[Message]] = {}
    for step in witness.steps:
        if isinstance(step, LinkCut):
            words |= {channel: [] for channel in step.channels}
            continue
        if isinstance(step, Act):
            states[step.process] = step.state
        channel = channel_of(step.process, step.action) if isinstance(step, Act) else step.channel
        if channel is not None:
            _change(words.setdefault(channel, []), step)
    return replace(witness, states=states, channels={c: tuple(w) for c, w in words.items() if w})


def _change(word: list[Message], step: Act | Fault) -> None:
    if isinstance(step, Act):
        if isinstance(step.action, Send):
            word.append(step.action.message)
        elif word:
            word.pop(0)
    elif isinstance(step, Swap):
        word[step.position : step.position + 2] = reversed(word[step.position : step.position + 2])
    elif isinstance(step, Overtake):
        if step.passed <= step.position < len(word):
            word.insert(step.position - step.passed, word.pop(step.position))
    elif step.position < len(word):
        word[step.position : step.position + 1] = [step.becomes] if isinstance(step, Corrupt) else []


class Judge:
    """The slow definitions: does this witness prove that the property fails?"""

    def __init__(self, system: System, failures: FailureModel) -> None:
        self.system, self.failures = system, failures
        self.explored: dict[int, bounded.TransitionSystem] = {}
        self.bad: dict[tuple[str, int], set[Configuration]] = {}

    def proves(self, given: Evidence) -> bool:
        if not is_run(self.system, self.failures, given.witness, given.k):
            return False
        return self._rsc(given.witness) if given.k is None else self._bounded(given)

    def _bounded(self, given: Evidence) -> bool:
        assert given.k is not None
        if given.k not in self.explored:
            self.explored[given.k] = bounded.explore(self.system, self.failures, given.k)
        key = (given.property, given.k)
        if key not in self.bad:
            self.bad[key] = set(bounded.VIOLATIONS[given.property](self.explored[given.k]))
        words = tuple(tuple(given.witness.channels.get(c, ())) for c in self.system.channels)
        states = tuple(given.witness.states[name] for name in self.system.names)
        return Configuration(states, words) in self.bad[key]

    def _rsc(self, witness: Witness) -> bool:
        acts = [i for i, s in enumerate(witness.steps) if isinstance(s, Act)]
        events = [(a.process, a.action) for a in witness.acts]
        try:
            pairs = [(acts.index(s), acts.index(r)) for r, s in witness.communication or ()]
        except ValueError:
            return False
        whole = communication_of(events, pairs)
        if not is_valid(events, whole, self.failures):
            return False
        return not conflict_graph(events, whole).acyclic
