"""Systems of hundreds of roles: symmetry among many that are alike, and limits of time."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from stormproof import _engine
from stormproof.kernel.model.ask import RECOVERS, clean
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.kernel.model.system import System
from stormproof.languages import formats
from stormproof.limits import Limits
from stormproof.search.engine.k_properties import PROPERTIES
from stormproof.search.engine.lowering import lower
from stormproof.search.engine.rsc import rsc
from stormproof.search.engine.survival import survey
from stormproof.search.engine.watch import limit_name
from tests.support.engine_queries import ALWAYS, decide


def star(leaves: int) -> System:
    """A hub that receives from everybody, answers, and is back: its leaves are all alike."""
    names = [f"L{i}" for i in range(leaves)]
    receptions = "  ".join(f"{name}?x -> to{name}" for name in names)
    answers = "\n".join(f"  to{name}: {name}!y -> h" for name in names)
    alike = "\n".join(f"role {name} {{ a: Hub!x -> b\n b: Hub?y -> a }}" for name in names)
    return formats.loads(f"role Hub {{\n  h: {receptions}\n{answers}\n}}\n{alike}\n", "storm")


def test_many_alike_roles_have_symmetries_soon() -> None:
    """Only the last ones are permuted. By processor time: it took hours to look for more."""
    system = star(120)
    start = time.process_time()
    few = Limits(states=30)
    loses = Failures(loss=True).on(system)
    model = SurvivalModel(system, loses, rest_states(system))
    found = survey(model, {"recovers": RECOVERS}, 1, limits=few, reduce_from=0)
    assert found.symmetries == 120 and found.stopped == "states"
    decided = decide(system, loses, 1, ALWAYS, most=300, symmetry=True, symmetry_from=0)
    assert decided.symmetries == 120 and decided.stop == _engine.Stop.STATES
    assert time.process_time() - start < 20


def web(roles: int) -> System:
    """Two messages from each role to others, in a ring that looks alike from each of them."""

    def role(i: int) -> str:
        there, back = ((i + 1) % roles, (i + 7) % roles), ((i - 1) % roles, (i - 7) % roles)
        sends = f"s0: R{there[0]}!x -> s1\n s1: R{there[1]}!y -> s2"
        return f"role R{i} {{ {sends}\n s2: R{back[0]}?x -> s3\n s3: R{back[1]}?y -> s0 }}"

    return formats.loads("\n".join(map(role, range(roles))), "storm")


@pytest.mark.parametrize("system", [star(300), web(400)], ids=["star", "web"])
def test_the_time_is_kept_in_systems_of_hundreds_of_roles(system: System) -> None:
    """By processor time, of which others may leave little: while permutations are looked for, too."""
    model = SurvivalModel(system, Failures(loss=True, duplicate=True).on(system), rest_states(system))
    lossy = Failures(loss=True).on(system)
    asks = {"recovers": RECOVERS, "clean": clean(system, model.rest)}
    second = Limits(seconds=1)

    def decided() -> str:
        asked = {PROPERTIES[name] for name in ALWAYS}
        monitor = _engine.Monitor(1.0, None, None)
        answer = _engine.decide(
            lower(system, lossy).native, monitor, 2, asked, 1, symmetry=True, symmetry_from=0
        )
        return limit_name(answer.stop)

    searches: tuple[Callable[[], str], ...] = (
        lambda: survey(model, asks, 2, limits=second, reduce_from=0).stopped,
        lambda: survey(model, asks, 2, limits=second, reduction=False, reduce_from=0).stopped,
        lambda: rsc(system, lossy, limits=second, wide_from=0).stopped,
        decided,
    )
    for search in searches:
        start = time.process_time()
        assert search() == "time"
        assert time.process_time() - start < 6
