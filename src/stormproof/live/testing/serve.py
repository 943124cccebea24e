"""`testgen --serve`: an implementation in any language among the other roles, which move at random.

Each run is a list of the names of what was chosen. A run that fails is shrunk: parts of the list are left
out as long as what is left fails, too.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ...errors import UsageError
from ...kernel.model.failures import Failures
from ...kernel.model.phrases import plural
from ...kernel.model.run import Witness
from ...kernel.model.storm_step import StormStep
from ...kernel.model.survival import SurvivalModel
from ...kernel.model.system import System
from ...kernel.transform.prepare import prepare
from ...limits import is_over
from .generate import check_role, protocol_text
from .lines import Driver, RaisedElsewhere
from .play import RolePlay, by_name, usual
from .role_test import ChoseOtherwise, RoleTest

#: So many runs are made to shrink one that fails.
MOST_SHRINKS = 400

_EXPIRES, _RESTARTS = "its timer expires", "it restarts"


@dataclass(frozen=True)
class RandomRuns:
    """What came of the runs. `failure` says what the protocol does not allow, and `run` what led there; None:
    nothing was found. `stopped`: there was no time for all of them."""

    model: SurvivalModel
    runs: int
    seed: int
    failure: str | None = None
    run: Witness | None = None
    stopped: bool = False
    again: bool = True

    def __bool__(self) -> bool:
        return self.exit_code == 0

    @property
    def exit_code(self) -> int:
        return 1 if self.failure is not None else 3 if self.stopped else 0

    @property
    def headline(self) -> str:
        counted = f"{plural(self.runs, 'random run')}, seed {self.seed}"
        if self.failure is None:
            return f"undecided: out of time after {counted}" if self.stopped else f"passed: {counted}"
        once = "" if self.again else "; it did not fail again with the same choices"
        return f"failed in run {self.runs}, seed {self.seed}{once}: {self.failure}"


def serve(
    system: System,
    role: str,
    failures: Failures | None,
    driver: Driver,
    *,
    seed: int = 0,
    runs: int = 100,
    steps: int = 50,
) -> RandomRuns:
    """So many random runs, each with at most so many choices, unless one fails; that one is shrunk."""
    test = random_test(system, role, failures, driver)
    for number in range(1, runs + 1):
        if is_over():
            return RandomRuns(test.model, number - 1, seed, stopped=True)
        chance = random.Random(f"{seed} {number}")
        found = _played(test, _Chances(chance, steps))
        if found.failure is not None:
            return _answer(RandomRuns(test.model, number, seed), test, found)
    return RandomRuns(test.model, runs, seed)


def random_test(system: System, role: str, failures: Failures | None, driver: Driver) -> RoleTest:
    check_role(system, role)
    asked = failures or Failures()
    marked, model, _ = prepare(system, asked)
    text = protocol_text(marked, model, role)
    return RoleTest(text, role, lambda: DrivenElsewhere(driver), asked.budget.to_json())


class DrivenElsewhere:
    """An implementation at the other end of a driver."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._outbox: deque[tuple[str, str]] = deque()
        self._raised: str | None = None
        self._call("start")

    def send(self) -> tuple[str, str] | None:
        """What it raised is raised after what it sent before."""
        if self._outbox:
            return self._outbox.popleft()
        if self._raised is not None:
            raise RaisedElsewhere(self._raised)
        return None

    def receive(self, peer: str, message: str) -> bool:
        return self._call("receive", peer, message)

    def timer(self) -> bool:
        return self._call("expire")

    def restart(self) -> None:
        self._outbox.clear()
        if not self._call("restart"):
            raise UsageError("the role restarts here, and the driver refuses to restart its implementation")

    def _call(self, *words: str) -> bool:
        kind, *given = self._driver.ask(*words)
        if kind == "raised":
            self._raised = given[0]
        elif kind == "sent":
            self._outbox.extend(zip(given[::2], given[1::2], strict=True))
        return kind != "refused"


@dataclass(frozen=True)
class _Played:
    """One run: what was chosen, and what the protocol does not allow in it."""

    play: RolePlay | None
    chosen: tuple[str, ...]
    failure: str | None

    @property
    def size(self) -> tuple[int, int]:
        """How many choices and faults it has."""
        return len(self.chosen), 0 if self.play is None else self.play.faults.total()


class _Chances:
    """Chooses at random, so many times."""

    def __init__(self, chance: random.Random, steps: int) -> None:
        self._chance, self._left = chance, steps

    def move(self, common: Sequence[str], rare: Sequence[str]) -> str | None:
        """Faults and timers are left to one choice of five where something else may happen."""
        self._left -= 1
        if self._left < 0 or not (common or rare):
            return None
        return self._chance.choice(rare if rare and (not common or self._chance.random() < 0.2) else common)

    def variant(self, common: Sequence[str], rare: Sequence[str]) -> str:
        return self._chance.choice(rare if rare and (not common or self._chance.random() < 0.2) else common)


class _Repeated:
    """Chooses as before; what is not possible any more is left out."""

    def __init__(self, chosen: Iterable[str]) -> None:
        self._chosen = deque(chosen)

    def move(self, common: Sequence[str], rare: Sequence[str]) -> str | None:
        possible = {*common, *rare}
        while self._chosen:
            name = self._chosen.popleft()
            if name in possible:
                return name
        return None

    def variant(self, common: Sequence[str], rare: Sequence[str]) -> str:
        if self._chosen and self._chosen[0] in (*common, *rare):
            return self._chosen.popleft()
        return (*common, *rare)[0]


def _played(test: RoleTest, choices: _Chances | _Repeated) -> _Played:
    """What it sends, it sends at once."""
    chosen: list[str] = []
    play: RolePlay | None = None

    def variant(steps: Iterable[StormStep]) -> StormStep:
        common, rare = _named(steps)
        chosen.append(choices.variant([*common], [*rare]))
        return (common | rare)[chosen[-1]]

    try:
        play = RolePlay(test)
        while True:
            while not play.waits:
                play.send(variant)
            name = _move(play, choices)
            if name is None:
                return _Played(play, tuple(chosen), None)
            chosen.append(name)
            _do(play, name)
    except AssertionError as problem:
        return _Played(play, tuple(chosen), str(problem))
    except RaisedElsewhere as problem:
        return _Played(play, tuple(chosen), f"{test.role} raises {problem}")
    except ChoseOtherwise as problem:  # only what it may do is asked of it
        raise AssertionError("a role is given what it can never take") from problem


def _named(steps: Iterable[StormStep]) -> tuple[dict[str, StormStep], dict[str, StormStep]]:
    possible = by_name(steps)
    common = usual([*possible.values()])
    return (
        {name: step for name, step in possible.items() if step in common},
        {name: step for name, step in possible.items() if step not in common},
    )


def _move(play: RolePlay, choices: _Chances | _Repeated) -> str | None:
    common, rare = _named([*play.elsewhere(), *play.receptions()])
    own = ((_EXPIRES, play.may_expire), (_RESTARTS, play.may_restart))
    return choices.move([*common], [*rare, *(name for name, possible in own if possible)])


def _do(play: RolePlay, name: str) -> None:
    if name == _EXPIRES:
        play.expire()
    elif name == _RESTARTS:
        play.restart()
    else:
        step = by_name([*play.elsewhere(), *play.receptions()])[name]
        (play.receive if step.process == play.test.role else play.act)(step)


def _answer(answer: RandomRuns, test: RoleTest, found: _Played) -> RandomRuns:
    repeated = _played(test, _Repeated(found.chosen))
    if repeated.failure is not None:
        found = _shrunk(test, repeated)
    run = found.play.run() if found.play is not None and found.play.steps else None
    return replace(answer, failure=found.failure, run=run, again=repeated.failure is not None)


def _shrunk(test: RoleTest, found: _Played) -> _Played:
    """Leave out parts, large ones first, as long as something fails."""
    tries, size = MOST_SHRINKS, len(found.chosen) // 2
    while size:
        for shorter in _without(found.chosen, size):
            if not tries or is_over():
                return found
            tries -= 1
            played = _played(test, _Repeated(shorter))
            if played.failure is not None and played.size < found.size:
                found = played
                break
        else:
            size //= 2
    return found


def _without(chosen: tuple[str, ...], size: int) -> Iterator[tuple[str, ...]]:
    """Each without so many choices in a row, the last ones first."""
    for start in range(len(chosen) - size, -1, -1):
        yield (*chosen[:start], *chosen[start + size :])
