"""Random systems and failure models, in one place: seeded ones by the thousand, and Hypothesis strategies.

`random_system(rng, ...)` and `random_failures(rng, system)` are for loops over seeds, where a failing seed
is its own reproducer; `systems()` and `failures()` are the Hypothesis strategies around them, which shrink.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

from hypothesis import strategies as st

from stormproof.kernel.model.actions import (
    CRASH,
    Action,
    Channel,
    Internal,
    Message,
    Receive,
    Send,
    Transition,
)
from stormproof.kernel.model.channel_faults import Corrupt, Lose, Swap
from stormproof.kernel.model.failures import FailureModel, Failures
from stormproof.kernel.model.fault_steps import Fault
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.run import Act, Step, Witness
from stormproof.kernel.model.system import System
from stormproof.kernel.transform.stop_restart import stop_restart


def random_system(
    rng: random.Random,
    processes: int | None = None,
    states: int = 3,
    transitions: int = 4,
    messages: int = 2,
    csa: bool | None = None,
    internal: float = 0.1,
    unreliable: float = 0.0,
    to_self: float = 0.15,
    receivers: int | None = None,
) -> System:
    """2 to 4 small processes. `csa` True: only session automata; False or None: anything goes. In a share
    `to_self` of the systems processes may send to themselves. `receivers`: how many processes receive.

    To make communication likely, most actions are drawn from a small pool of (sender, receiver, message)
    that both ends share.
    """
    count = processes or rng.choice((2, 2, 2, 3, 3, 4))
    names = [f"P{i}" for i in range(count)]
    selfish = rng.random() < to_self
    owners = names if receivers is None else rng.sample(names, min(receivers, count))
    pairs = [(p, q) for p in names for q in owners if p != q or selfish]
    wires = [
        (*pair, f"m{rng.randrange(messages)}")
        for pair in rng.sample(pairs, min(len(pairs), rng.randint(1, count + 1)))
        for _ in range(2)
    ]
    strict = rng.random() < 0.5 if csa is None else csa
    built = tuple(_random_process(rng, n, wires, states, transitions, strict, internal) for n in names)
    system = System(built, name="random")
    return system.with_unreliable([n for n in names if rng.random() < unreliable])


def _random_process(
    rng: random.Random,
    name: str,
    wires: list[tuple[str, str, str]],
    states: int,
    transitions: int,
    csa: bool,
    internal: float,
) -> Process:
    actions: list[Action] = [Send(q, m) for p, q, m in wires if p == name]
    actions += [Receive(p, m) for p, q, m in wires if q == name]
    local = [f"s{i}" for i in range(rng.randint(1, states))]
    rows: dict[Transition, None] = {}
    for _ in range(rng.randint(1, transitions)):
        action: Action = Internal("tau") if rng.random() < internal or not actions else rng.choice(actions)
        rows[Transition(rng.choice(local), action, rng.choice(local))] = None
    kept = list(rows)
    if csa:
        kept = _make_csa(kept)
    return Process(name, "s0", tuple(kept), states=tuple(local))


def _make_csa(rows: list[Transition]) -> list[Transition]:
    """Drop what makes a state mixed or nondeterministic."""
    kind: dict[str, type] = {}
    seen: set[tuple[str, Action]] = set()
    kept = []
    for row in rows:
        if (row.source, row.action) in seen:
            continue
        if not isinstance(row.action, Internal) and kind.setdefault(row.source, type(row.action)) is not type(
            row.action
        ):
            continue
        seen.add((row.source, row.action))
        kept.append(row)
    return kept


def random_failures(rng: random.Random, system: System) -> Failures:
    """All eight combinations of faults, mixed by channel, and corruption by given pairs."""

    def choose() -> bool | list[tuple[str, str]]:
        dice = rng.random()
        if dice < 0.45:
            return False
        if dice < 0.7:
            return True
        return [(c.sender, c.receiver) for c in system.channels if rng.random() < 0.5]

    pairs: list[tuple[str | tuple[str, str], str, str]] = []
    if rng.random() < 0.25:
        for channel in system.channels:
            alphabet = [m for m in system.alphabet(channel) if isinstance(m, str)]
            if len(alphabet) > 1 and rng.random() < 0.7:
                before, after = rng.sample(alphabet, 2)
                pairs.append((channel, before, after))
    return Failures(
        loss=choose(),
        corrupt=choose() if not pairs else False,
        reorder=choose(),
        corrupt_scope=rng.choice(("channel", "channel", "sender", "system")),
        corrupt_map=pairs,
    )


def random_duplication(rng: random.Random, system: System) -> Failures:
    """Any mixture of faults in which at least one channel duplicates, if there is one."""
    chosen = tuple(c for c in system.channels if rng.random() < 0.6)
    everywhere = rng.random() < 0.4 or not chosen
    return replace(random_failures(rng, system), duplicate=everywhere or chosen)


def random_crash(rng: random.Random, system: System) -> System:
    """One process of the system may crash at some of its states and tell everybody; some others may listen.

    Not a crash-handling system as a rule: the crash message turns up in any place that the model allows.
    """
    victim = rng.choice(system.names)
    others = [n for n in system.names if n != victim]
    rng.shuffle(others)
    return System(
        tuple(
            _may_crash(rng, p, others) if p.name == victim else _may_hear(rng, p, victim)
            for p in system.processes
        ),
        name=system.name,
        faults=system.faults,
    )


def _may_crash(rng: random.Random, process: Process, others: list[str]) -> Process:
    broadcast = [f"x{i}" for i in range(len(others) + 1)]
    rows = [
        Transition(s, Internal("crash"), "x0")
        for s in process.states
        if s == process.initial or rng.random() < 0.5
    ]
    rows += [Transition(a, Send(q, CRASH), b) for a, q, b in zip(broadcast, others, broadcast[1:])]
    return Process(
        process.name, process.initial, (*process.transitions, *rows), process.states, reliable=False
    )


def _may_hear(rng: random.Random, process: Process, victim: str) -> Process:
    rows = [
        Transition(s, Receive(victim, CRASH), rng.choice(process.states))
        for s in process.states
        if rng.random() < 0.7
    ]
    return Process(process.name, process.initial, (*process.transitions, *rows), process.states)


def random_process_faults(rng: random.Random, system: System) -> System:
    """Some processes may stop, some restart, with whatever is on their disks."""
    stop, restart = ([n for n in system.names if rng.random() < 0.3] for _ in range(2))
    return stop_restart(random_disks(rng, system), stop, restart).system


def systems(**options: Any) -> st.SearchStrategy[System]:
    """Hypothesis: any system that `random_system` makes."""
    return st.integers(0, 2**32).map(lambda seed: random_system(random.Random(seed), **options))


def failures_of(system: System) -> st.SearchStrategy[Failures]:
    """Hypothesis: any failure model of a system."""
    return st.integers(0, 2**32).map(lambda seed: random_failures(random.Random(seed), system))


messages_or_crash: st.SearchStrategy[Message] = st.one_of(st.sampled_from(["a", "b", "c"]), st.just(CRASH))


def random_witness(rng: random.Random, system: System, failures: Failures, length: int = 12) -> Witness:
    """A run of the system under its failure model with every fault explicit, of at most `length` steps."""
    model = failures.on(system)
    states = {p.name: p.initial for p in system}
    words: dict[Channel, list[Message]] = {}
    steps: list[Step] = []
    for _ in range(length):
        choices = _possible_acts(system, states, words)
        faults = _possible_faults(model, words)
        pool = faults if faults and rng.random() < 0.3 else choices or faults
        if not pool:
            break
        step = rng.choice(pool)
        steps.append(step)
        _take(step, states, words)
    return Witness(tuple(steps), states, {c: tuple(w) for c, w in words.items()})


def _possible_acts(system: System, states: dict[str, str], words: dict[Channel, list[Message]]) -> list[Step]:
    found: list[Step] = []
    for process in system:
        for _, action, target in process.outgoing(states[process.name]):
            if isinstance(action, Receive):
                if words.get(Channel(action.peer, process.name), [])[:1] != [action.message]:
                    continue
            found.append(Act(process.name, action, target))
    return found


def _possible_faults(model: FailureModel, words: dict[Channel, list[Message]]) -> list[Step]:
    found: list[Step] = []
    for channel, word in words.items():
        failure = model.on(channel)
        for i, message in enumerate(word):
            if not isinstance(message, str):
                continue
            if failure.loss:
                found.append(Lose(channel, i, message))
            found += [Corrupt(channel, i, message, b) for b in sorted(failure.becomes.get(message, ()))]
            if failure.reorder and i + 1 < len(word) and isinstance(word[i + 1], str):
                found.append(Swap(channel, i))
    return found


def _take(step: Step, states: dict[str, str], words: dict[Channel, list[Message]]) -> None:
    if isinstance(step, Act):
        states[step.process] = step.state
        if isinstance(step.action, Send):
            words.setdefault(Channel(step.process, step.action.peer), []).append(step.action.message)
        elif isinstance(step.action, Receive):
            words[Channel(step.action.peer, step.process)].pop(0)
        return
    assert isinstance(step, Fault)
    word, i = words[step.channel], step.position
    if isinstance(step, Lose):
        del word[i]
    elif isinstance(step, Corrupt):
        word[i] = step.becomes
    else:
        word[i], word[i + 1] = word[i + 1], word[i]


def with_durable(system: System, states: Mapping[str, Iterable[str]]) -> System:
    """With these durable states."""
    return replace(system, processes=tuple(replace(p, durable=tuple(states.get(p.name, ()))) for p in system))


def random_disks(rng: random.Random, system: System) -> System:
    """Each process with durable states, some recorded atomically, and recovery code; or with transitions that
    save; or with neither."""
    return replace(system, processes=tuple(_with_disk(rng, p) for p in system))


def _with_disk(rng: random.Random, process: Process) -> Process:
    alive = [s for s in process.states if s not in process.crashed_states]
    acting = [t for t in process.transitions if isinstance(t.action, Internal) and not t.action.crashes]
    if acting and rng.random() < 0.4:
        return _with_variables(rng, process, rng.sample(acting, rng.randint(1, len(acting))))
    durable = rng.sample(process.states, rng.randint(0, len(process.states)))
    held = sorted({*durable, process.initial})
    anywhere = [("", rng.choice(alive))] if rng.random() < 0.25 else []
    return replace(
        process,
        durable=tuple(durable),
        atomic=tuple(s for s in durable if rng.random() < 0.25),
        recovery=(*anywhere, *((s, rng.choice(alive)) for s in held if rng.random() < 0.15)),
    )


def _with_variables(rng: random.Random, process: Process, rows: list[Transition]) -> Process:
    names = ("x", "y")[: rng.randint(1, 2)]
    contents = [tuple(zip(names, values)) for values in product("01", repeat=len(names))]
    saves = [
        (row, tuple((name, rng.choice("01")) for name in rng.sample(names, rng.randint(1, len(names)))))
        for row in rows
    ]
    alive = [s for s in process.states if s not in process.crashed_states]
    return replace(process, saves=tuple(saves), disks=tuple((held, rng.choice(alive)) for held in contents))
