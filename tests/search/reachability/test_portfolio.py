"""Answers against bounded exploration, by the definitions and by the engine, on random systems."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from stormproof.kernel.goals.cubes import Cube, cubes, holds
from stormproof.kernel.model.actions import Channel, Message
from stormproof.kernel.model.failures import FailureModel
from stormproof.kernel.model.goal import And, At, Contains, Goal, Holds, Named, Not, show
from stormproof.kernel.model.system import System
from stormproof.kernel.transform.crash_completion import complete
from stormproof.limits import Limits
from stormproof.oracle.bounded import TooLarge, explore
from stormproof.search.engine.coverability import Searcher
from stormproof.search.engine.lowering import lower
from stormproof.search.reachability.answer import REACHABLE, UNDECIDED, UNREACHABLE, Answer
from stormproof.search.reachability.build_run import accept_run
from stormproof.search.reachability.channel_forms import shapes
from stormproof.search.reachability.portfolio import solve
from stormproof.search.reachability.targets import wanted
from stormproof.search.reachability.ways import WAYS
from stormproof.trust.reachability.check_certificate import check_certificate
from stormproof.trust.survival_certificate import ClosedSet
from tests.support.goal_meaning import Meaning
from tests.support.random_systems import random_failures, random_system

CHUNKS, SEEDS = 5, 600
LIMITS = Limits(states=1500)
#: Its negation is refused.
FOR_GOOD = Named("deadlock-for-good")
Question = tuple[System, FailureModel, Goal]


def random_goal(rng: random.Random, system: System) -> Goal:
    dice = rng.random()
    if dice < 0.2:
        return Named(rng.choice(["deadlock", "deadlock", "deadlock-for-good", "at rest"]))
    if dice < 0.3:
        return Named(rng.choice(["orphan", "unspecified"]))
    parts: list[Goal] = []
    for process in system:
        if rng.random() < 0.6:
            parts.append(At(process.name, (rng.choice(process.states),)))
    for channel in system.channels:
        messages = system.alphabet(channel)
        if rng.random() < 0.4:
            if rng.random() < 0.5:
                parts.append(Contains(channel, rng.choice(messages)))
            else:
                letters = [m for m in messages if isinstance(m, str)]
                word = tuple(rng.choice(letters) for _ in range(rng.randrange(3))) if letters else ()
                parts.append(Holds(channel, word))
    if rng.random() < 0.15:
        parts.append(Named(rng.choice(["deadlock", "deadlock-for-good", "at rest"])))
    parts = [Not(part) if rng.random() < 0.1 and part != FOR_GOOD else part for part in parts]
    return And(tuple(parts)) if parts else Named("deadlock")


def random_question(seed: int, crashes: bool = False) -> tuple[random.Random, Question]:
    rng = random.Random(seed)
    size = rng.choice((2, 3, 4) if crashes else (3, 4, 6, 8))
    processes = rng.choice((2, 2, 3)) if crashes or size > 4 else None
    system = random_system(
        rng, processes, states=rng.choice((2, 3, 3, 4)), transitions=size, unreliable=0.5 * crashes
    )
    if crashes:
        system = complete(system)
    model = random_failures(rng, system).on(system)
    return rng, (system, model, random_goal(rng, system))


def reached_by_definition(question: Question, k: int) -> bool | None:
    """None when that is too large to see."""
    system, model, goal = question
    try:
        found = explore(system, model, k, most=250)
    except TooLarge:
        return None
    asked = cubes(goal, system, model)
    for at in found.steps:
        states = dict(zip(system.names, at.states, strict=True))
        words: dict[Channel, tuple[Message, ...]] = dict(zip(system.channels, at.words, strict=True))
        meant = Meaning(system, model, states, words).holds(goal)
        assert holds(asked, system, model, states, words) is meant
        if meant:
            return True
    return False


def reached_in_the_engine(question: Question, asked: tuple[Cube, ...], k: int) -> bool:
    system, model, _ = question
    searcher = Searcher(lower(system, model), LIMITS)
    goal = [w for _, w in wanted(asked, system)]
    return searcher.forward([s.form for s in shapes(system, model)], goal, k, 1500).found


def check(seed: int, rng: random.Random, question: Question, answer: Answer) -> None:
    """What an answer promises, by the definitions."""
    system, model, goal = question
    if answer.answer == UNREACHABLE:
        k = rng.choice((1, 2, 3, 4))
        assert reached_by_definition(question, k) is not True, f"seed {seed}: reached within {k}"
        assert not reached_in_the_engine(question, answer.cubes, k), f"seed {seed}: reached within {k}"
        assert answer.certificate is not None and not isinstance(answer.certificate, ClosedSet)
        assert check_certificate(system, model, answer.cubes, answer.certificate) == "", f"seed {seed}"
    elif answer.answer == REACHABLE:
        assert answer.run is not None
        assert accept_run(system, model, cubes(goal, system, model), answer.run) == "", f"seed {seed}"
    else:
        lossy = all(model.on(c).loss for c in system.channels)
        excludes = any(cube.excludes for cube in cubes(goal, system, model))
        assert not lossy or excludes, f"seed {seed}: decidable and undecided: {answer.tried}"


def ask(question: Question, only: tuple[str, ...] | None = None) -> Answer:
    system, model, goal = question
    return solve(system, model, cubes(goal, system, model), show(goal), LIMITS, only=only)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_answers_agree_with_exploration(chunk: int) -> None:
    counts: Counter[str] = Counter()
    for seed in range(chunk * SEEDS, (chunk + 1) * SEEDS):
        rng, question = random_question(seed)
        answer = ask(question)
        check(seed, rng, question, answer)
        counts[answer.answer] += 1
    assert min(counts[REACHABLE], counts[UNREACHABLE]) > SEEDS / 10
    assert counts[UNDECIDED] < SEEDS / 20, counts


@pytest.mark.parametrize("chunk", range(4))
def test_answers_agree_with_exploration_when_processes_crash(chunk: int) -> None:
    for seed in range(chunk * 75, (chunk + 1) * 75):
        rng, question = random_question(seed, crashes=True)
        check(seed, rng, question, ask(question))


@pytest.mark.parametrize("crashes", [False, True], ids=["", "crashes"])
@pytest.mark.parametrize("chunk", range(3))
def test_every_way_alone_agrees_with_the_others(chunk: int, crashes: bool) -> None:
    """The portfolio would hide a wrong way behind a quicker one; so each is asked by itself."""
    size = 40 if crashes else 200
    for seed in range(chunk * size, (chunk + 1) * size):
        rng, question = random_question(10**6 + seed, crashes)
        found = {way: ask(question, ("control states", way)) for way in WAYS if way != "control states"}
        answers = {a.answer for a in found.values()} - {UNDECIDED}
        assert len(answers) <= 1, f"seed {seed}: { {w: a.answer for w, a in found.items()} }"
        back = found["backward search"]
        system, model, goal = question
        excludes = any(cube.excludes for cube in cubes(goal, system, model))
        if all(model.on(c).loss for c in system.channels) and not excludes:
            assert back.answer != UNDECIDED, f"seed {seed}: {back.tried}"
        for answer in found.values():
            if answer.answer != UNDECIDED:
                check(seed, rng, question, answer)
                break
