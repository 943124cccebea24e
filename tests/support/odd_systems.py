"""Random systems that are hard to write and to read: odd names, and declarations of every kind."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import strategies as st

from stormproof.kernel.model.actions import Channel, Internal, Transition
from stormproof.kernel.model.faults import SCOPES, ChannelFaults, Corruption
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System
from tests.support.equality import rename_states
from tests.support.example_systems import all_channels
from tests.support.random_systems import random_crash, random_system

#: Names that some language reserves, cannot spell, or might take for something else.
ODD_NAMES = (
    *(
        "crash",
        "end",
        "stop",
        "internal",
        "role",
        "faults",
        "mu",
        "rec",
        "node",
        "start",
        "__start",
        "skip",
        "do",
    ),
    *(
        "b<int>",
        "SetPw(p: i32)",
        "m()",
        "m( int )",
        "pair<list<int>,b>",
        "m(x",
        "f)(",
        "a-b",
        "a--b",
        "-",
        "250d",
    ),
    *(
        "wait here",
        " lead",
        "trail ",
        'say "hi"',
        '"',
        "'",
        "a\nb",
        "\t",
        "\r",
        "\x85",
        "\u2028",
        "\x00",
        "\\",
        "\\n",
    ),
    *(
        "*/",
        "/*",
        "//",
        "--",
        "#",
        "stormproof: protocol x",
        "⚡",
        "été",
        "𝔘",
        "x!y",
        "x?y",
        "a:b",
        "a.b",
        "a,b;c",
    ),
    *(
        ".end",
        "{",
        "}",
        "[]",
        "->",
        "a=>b",
        "0",
        "1",
        "-1",
        "00",
        "_",
        "x1",
        "A",
        "a",
        "M",
        "true",
        "null",
        "λ",
    ),
)


def odd_system(rng: random.Random) -> System:
    """Everything that a system may have: odd names, faults, crashes, reliability, internal actions."""
    system = random_system(rng, internal=rng.choice((0.0, 0.3)), unreliable=rng.choice((0.0, 0.4)))
    if rng.random() < 0.5:
        system = random_crash(rng, system)
    system = _odd_names(rng, system)
    faults = tuple(_random_faults(rng, c, system) for c in all_channels(system) if rng.random() < 0.4)
    return System(system.processes, name=rng.choice(("", "abp", rng.choice(ODD_NAMES))), faults=faults)


def with_declarations(rng: random.Random, system: System) -> System:
    """With rest states, services and timers, which only .storm and JSON can say."""

    def declared(process: Process) -> Process:
        rows = (
            Transition(s, Internal(a.name, rng.random() < 0.5) if isinstance(a, Internal) else a, t)
            for s, a, t in process.transitions
        )
        resting = rng.sample(process.states, rng.randint(0, len(process.states)))
        rest = None if rng.random() < 0.5 else tuple(resting)
        return replace(process, transitions=tuple(rows), rest=rest, service=rng.random() < 0.3)

    return replace(system, processes=tuple(declared(p) for p in system))


def _odd_names(rng: random.Random, system: System) -> System:
    def table(names: list[str], share: float) -> dict[str, str]:
        pool = rng.sample([n for n in ODD_NAMES if n not in names], len(ODD_NAMES) // 2)
        return {name: pool.pop() if rng.random() < share else name for name in names}

    share = rng.choice((0.0, 0.3, 0.9))
    system = system.rename(table(list(system.names), share), table(list(system.messages), share))
    processes = []
    for process in system:
        fresh = rename_states(process, table(list(process.states), share))
        inner = table(
            sorted({t.action.name for t in fresh.transitions if isinstance(t.action, Internal)}), share
        )
        rows = tuple(
            Transition(s, Internal(inner[a.name]) if isinstance(a, Internal) else a, t)
            for s, a, t in fresh.transitions
        )
        processes.append(Process(fresh.name, fresh.initial, rows, fresh.states, fresh.reliable))
    return System(tuple(processes), name=system.name)


def _random_faults(rng: random.Random, channel: Channel, system: System) -> ChannelFaults:
    corrupt = None
    if rng.random() < 0.5:
        messages = system.messages
        pairs = tuple(
            dict.fromkeys((rng.choice(messages), rng.choice(messages)) for _ in range(2) if messages)
        )
        corrupt = Corruption(rng.choice(SCOPES), pairs if rng.random() < 0.4 else None)
    return ChannelFaults(*channel, loss=rng.random() < 0.5, reorder=rng.random() < 0.5, corrupt=corrupt)


def odd_systems() -> st.SearchStrategy[System]:
    """Hypothesis: any system that `odd_system` makes."""
    return st.integers(0, 2**32).map(lambda seed: odd_system(random.Random(seed)))
