"""Stop and restart as a transformation of systems against their definition: the same steps, one by one."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from stormproof.kernel.model.actions import Configuration, Internal, Transition, Word
from stormproof.kernel.model.failures import FailureModel
from stormproof.kernel.model.goal import At
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.transform.stop_restart import Transformed, stop_restart
from stormproof.oracle import bounded
from stormproof.oracle.process_faults import FailingConfiguration, FailingSystem
from tests.support.random_systems import random_crash, random_disks, random_system

EACH, MOST = 80, 300
StepKey = tuple[str, str, tuple[str | None, ...], tuple[Word, ...]]


def question(seed: int) -> tuple[FailingSystem, int]:
    """With crashes, roles that end, durable states, and processes that both stop and restart."""
    rng = random.Random(seed)
    system = random_system(rng, internal=rng.choice((0.0, 0.2)), transitions=rng.choice((4, 6)))
    if rng.random() < 0.3:
        system = random_crash(rng, system)
    stop, restart = (frozenset(n for n in system.names if rng.random() < 0.5) for _ in range(2))
    system = random_disks(rng, system)
    recording = frozenset(n for n in system.names if rng.random() < 0.2)
    return FailingSystem(system, stop, restart, recording), rng.randint(1, 2)


def defined(failing: FailingSystem, at: FailingConfiguration, k: int) -> dict[StepKey, FailingConfiguration]:
    found = {}
    for process, what, after in failing.steps(at, k):
        name = str(what.action) if isinstance(what, Transition) else f"fault {what}"
        name = "record" if what == "record" else name
        found[process, name, tuple(p.state for p in after.places), after.words] = after
    return found


def transformed(made: Transformed, at: Configuration, k: int) -> dict[StepKey, Configuration]:
    found = {}
    for event, after in bounded.steps(made.system, FailureModel({}), at, k):
        assert event is not None
        action = event.action
        name = f"fault {action.fault}" if isinstance(action, Internal) and action.fault else str(action)
        states = tuple(
            None if (n, s) in made.invented else made.user_state(n, s)
            for n, s in zip(made.system.names, after.states)
        )
        found[event.process, name, states, after.words] = after
    return found


def same_disks(
    failing: FailingSystem, mine: FailingConfiguration, made: Transformed, theirs: Configuration
) -> None:
    """What is on the disks, and who has still to record: it does not rest then, and goals find it."""
    rest = made.rest(rest_states(failing.system))
    for process, place, state in zip(failing.system, mine.places, theirs.states, strict=True):
        name = process.name
        if name in made.disks:
            disk = place.disk if isinstance(place.disk, str) else made.disks[name][state]
            held = made.goal(At(name, (disk,), recorded=True))
            assert isinstance(held, At) and state in held.states
            assert isinstance(place.disk, str) or {*disk.split(", ")} == {"=".join(v) for v in place.disk}
            assert ((name, state) in made.unrecorded) == place.to_record
        if place.to_record:
            assert place.state is not None and state in made.states_of(name, place.state)
            assert state not in rest.rest[name] and state not in rest.ended[name]
            assert state not in (made.system[name].rest or ())


def compare(seed: int, met: Counter[str]) -> bool:
    """Step by step from the start on; False where there are too many configurations."""
    failing, k = question(seed)
    made = stop_restart(failing.system, failing.stop, failing.restart, recording=failing.recording)
    start = failing.start(), bounded.initial(made.system)
    seen, queue = {start}, [start]
    for mine, theirs in queue:
        expected, found = defined(failing, mine, k), transformed(made, theirs, k)
        assert expected.keys() == found.keys(), f"seed {seed}"
        met.update(name for _, name, _, _ in expected if name.startswith(("fault", "record")))
        same_disks(failing, mine, made, theirs)
        fresh = {(expected[key], found[key]) for key in expected} - seen
        seen.update(fresh)
        queue += fresh
        if len(seen) > MOST:
            return False
    assert len({m for m, _ in seen}) == len({t for _, t in seen}) == len(seen), (
        f"seed {seed}: no more, no fewer"
    )
    return True


@pytest.mark.parametrize("chunk", range(2))
def test_the_transformation_has_the_steps_of_the_definition(chunk: int) -> None:
    compared, seed, met = 0, chunk * 10**6, Counter[str]()
    while compared < EACH:
        seed += 1
        compared += compare(seed, met)
    assert min(met["fault stop"], met["fault restart"], met["record"]) > EACH
