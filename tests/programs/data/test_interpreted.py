"""Automata of roles with variables against a direct interpreter of the language, configuration by
configuration."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from stormproof.errors import InputError
from stormproof.kernel.data.system import DataSystem
from stormproof.kernel.model.actions import Internal, Send
from stormproof.languages.formats.storm import read
from tests.support.data_interpreter import Interpreter, Local, Whole
from tests.support.random_data import random_data

#: In each of two chunks.
SYSTEMS = 100
CAPACITY, LEVELS, WIDEST = 2, 5, 400
#: What a random text may be refused for.
REFUSED = re.compile(
    "is never taken|is a new name that nothing reads|nothing is done here|is assigned twice|'mod' by zero"
)

Flat = tuple[tuple[str, ...], tuple[tuple[tuple[str, str], tuple[str, ...]], ...]]


def read_or_none(text: str) -> DataSystem | None:
    try:
        system = read(text)
    except InputError as problem:
        assert all(REFUSED.search(p.message) for p in (problem, *problem.others)), str(problem)
        return None
    assert isinstance(system, DataSystem)
    return system


class Names:
    """The automaton's name of each local state of the interpreter, which keeps every value."""

    def __init__(self, system: DataSystem) -> None:
        self.system = system
        self.known: dict[tuple[str, Local], str] = {}

    def of(self, process: str, local: Local) -> str:
        if (process, local) not in self.known:
            self.known[process, local] = self.find(process, local)
        return self.known[process, local]

    def find(self, process: str, local: Local) -> str:
        if local.wrong:
            return f"wrong in line {local.wrong}"
        env = dict(local.env)
        left = ", ".join(map(str, sorted(local.left, key=lambda m: m.number)))
        found = [
            state
            for state, made in self.system.data.local[process].items()
            if made.name == local.state
            and not made.failed
            and made.between == bool(local.left)
            and all(env[name] == value for name, value in made.values.items())
            and (not local.left or state.partition(" to ")[2].partition("#")[0] == left)
        ]
        # Two alternatives of one state that send to the same members have names that differ in the end.
        return found[0] if len(found) == 1 else f"{len(found)} states for {local}"

    def flat(self, at: Whole, processes: Iterator[str]) -> Flat:
        return tuple(self.of(p, local) for p, local in zip(processes, at.roles)), at.channels


def automaton_steps(system: DataSystem, at: Flat) -> Iterator[Flat]:
    states, held = at
    for place, process in enumerate(system):
        name = states[place]
        for transition in process.outgoing(name) if name in process.states else ():
            channels: dict[Any, Any] = dict(held)
            action = transition.action
            if isinstance(action, Send):
                word = channels.get((process.name, action.peer), ())
                if len(word) == CAPACITY:
                    continue
                channels[process.name, action.peer] = (*word, str(action.message))
            elif not isinstance(action, Internal):
                word = channels.get((action.peer, process.name), ())
                if not word or word[0] != action.message:
                    continue
                channels[action.peer, process.name] = word[1:]
            to = shown(system, process.name, transition.target)
            left = tuple(sorted((c, w) for c, w in channels.items() if w))
            yield (*states[:place], to, *states[place + 1 :]), left


def shown(system: DataSystem, process: str, state: str) -> str:
    if system.data.local[process][state].failed:
        return f"wrong{state[state.rindex(' in line') :].partition('#')[0]}"
    return state


def compared(seed: int) -> int | None:
    """How many configurations were compared; None where the text is refused."""
    text = random_data(seed)
    system = read_or_none(text)
    if system is None or any(len(re.findall(r"N\[(?:\*|set)\]!", s)) > 1 for s in re.split(r"\n  \w:", text)):
        return None
    interpreter, names = Interpreter(text), Names(system)
    level = {interpreter.initial()}
    flat: set[Flat] = {(tuple(shown(system, p.name, p.initial) for p in system), ())}
    seen: set[Flat] = set()
    for depth in range(LEVELS):
        mapped = {names.flat(at, iter(system.names)) for at in level}
        assert mapped == flat, f"seed {seed}, depth {depth}: {sorted(mapped ^ flat)[:2]}\n{text}"
        seen |= flat
        if len(level) > WIDEST:
            break
        level = {then for at in level for then in interpreter.steps(at, CAPACITY)}
        flat = {then for at in flat for then in automaton_steps(system, at)}
    return len(seen)


@pytest.mark.parametrize("chunk", range(2))
def test_automata_do_what_the_language_says(chunk: int) -> None:
    found = [compared(seed) for seed in range(chunk * SYSTEMS, (chunk + 1) * SYSTEMS)]
    done = [count for count in found if count is not None]
    assert len(done) > SYSTEMS // 3 and sum(done) > 20 * len(done)
