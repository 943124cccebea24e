"""What the tests of the engine share: small systems, random questions, and the engine with its knobs."""

from __future__ import annotations

import random
from typing import Any

from stormproof import _engine
from stormproof.kernel.model.actions import CRASH, Internal, Receive, Send
from stormproof.kernel.model.failures import FailureModel, Failures
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System
from stormproof.search.engine.k_properties import PROPERTIES
from stormproof.search.engine.lowering import lower
from tests.support.example_systems import process
from tests.support.random_systems import random_crash, random_failures, random_process_faults, random_system

#: Every property but the two that are asked on perfect channels only.
ALWAYS = tuple(p for p in PROPERTIES if p not in ("k-obi", "k-sibi"))


def defined(failures: FailureModel) -> tuple[str, ...]:
    """Every property that is defined under the failure model."""
    return tuple(PROPERTIES) if failures.perfect else ALWAYS


def perfect(system: System) -> FailureModel:
    return Failures().on(system)


def decide(
    system: System, failures: FailureModel, k: int, names: tuple[str, ...], **knobs: Any
) -> _engine.Answer:
    """One call of the engine, single-threaded and without reduction unless the knobs say otherwise."""
    asked = {PROPERTIES[n] for n in names}
    monitor = _engine.Monitor(None, None, knobs.pop("most", None))
    return _engine.decide(lower(system, failures).native, monitor, k, asked, knobs.pop("threads", 1), **knobs)


def verdicts(answer: _engine.Answer) -> dict[str, bool]:
    return {name: p not in answer.violated for name, p in PROPERTIES.items() if p in answer.decided}


def _end(end: _engine.End) -> tuple[object, ...]:
    return end.states, end.contents, end.process, end.transition, end.channel, end.message


def evidence(answer: _engine.Answer) -> list[tuple[object, ...]]:
    return [(v.which, v.firings, *_end(v.end), sorted(map(_end, v.ends), key=str)) for v in answer.violations]


def random_question(seed: int, faults: float = 0.75) -> tuple[System, FailureModel, int]:
    """A system, perhaps with crashes, stops and restarts; a failure model or none; a bound from 1 to 3."""
    rng = random.Random(seed)
    system = random_system(rng, internal=rng.choice((0.0, 0.1, 0.25)))
    if rng.random() < 0.35:
        system = random_crash(rng, system)
    failures = random_failures(rng, system) if rng.random() < faults else Failures()
    model, k = failures.on(system), rng.randint(1, 3)
    return random_process_faults(rng, system) if rng.random() < 0.3 else system, model, k


def stream(*messages: str, sender: str = "P", receiver: str = "Q") -> tuple[Process, Process]:
    """One process sends the messages for ever, in any order; the other takes whatever comes."""
    return (
        process(sender, *(("s", Send(receiver, m), "s") for m in messages)),
        process(receiver, *(("r", Receive(sender, m), "r") for m in messages)),
    )


def chain(length: int, sender: str = "P", receiver: str = "Q") -> tuple[Process, Process]:
    """One process sends so many different messages in order, the other receives them in that order."""
    return (
        process(sender, *((f"s{i}", Send(receiver, f"m{i}"), f"s{i + 1}") for i in range(length))),
        process(receiver, *((f"r{i}", Receive(sender, f"m{i}"), f"r{i + 1}") for i in range(length))),
    )


def crashing_stream(*messages: str) -> System:
    """A stream whose sender may crash at any time and then says so; the receiver stops when it hears it."""
    sender, receiver = stream(*messages)
    return System(
        (
            process(
                "P",
                *sender.transitions,
                ("s", Internal("crash"), "x0"),
                ("x0", Send("Q", CRASH), "x1"),
            ).with_reliable(False),
            process("Q", *receiver.transitions, ("r", Receive("P", CRASH), "done")),
        )
    )


def pairs(count: int, *messages: str) -> System:
    """So many independent streams: the configurations of one to the power of their number."""
    return System(tuple(p for i in range(count) for p in stream(*messages, sender=f"P{i}", receiver=f"Q{i}")))
