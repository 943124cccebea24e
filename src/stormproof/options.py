"""How a check is made, whatever is asked: one value, which is passed whole to whoever uses a part of it.

A new knob is a field here, an option of the command line, and the place that uses it. Functions of the
library take `**knobs: Unpack[Knobs]`, one keyword argument per field.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, TypedDict

from .limits import EFFORT, Limits, check_effort, check_threads
from .records import dataclass

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True)
class Progress:
    """What a running search tells: shown on a terminal, never relied on. `known`: what smaller bounds have
    answered. `most_memory` and `most_seconds` are the limits, None for none.

    `phase`: exploring, judging what configurations can reach, of which `unjudged` are open, or shortening a
    run. `represented`: where one configuration stands for others, those that were found stand for so many.
    `postponed`: with reduction, the share of the possible actions that was not taken, at every 16th
    configuration. `compact`: memory ran short, and the configurations are in the compact store.
    """

    task: str
    states: int
    frontier: int
    memory: int
    seconds: float
    known: str = ""
    most_memory: int | None = None
    most_seconds: float | None = None
    compact: bool = False
    phase: str = "exploring"
    unjudged: int = 0
    represented: int = 0
    postponed: float | None = None


ProgressCallback = Callable[[Progress], None]


class QuietKnobs(TypedDict, total=False):
    """The fields of `Options` as keyword arguments, but for `progress`; None is for the default."""

    limits: Limits | None
    reduction: bool
    symmetry: bool
    threads: int | None
    replay: bool
    polish: bool
    effort: int
    unbounded: bool
    certificates: bool
    classes: bool
    fail_fast: bool
    found: Callable[[Any], None] | None
    answered: Callable[[Any], None] | None
    cluster: str | None


class Knobs(QuietKnobs, total=False):
    """The fields of `Options` as keyword arguments."""

    progress: ProgressCallback | None


@dataclass(frozen=True)
class Options:
    """`reduction` and `symmetry` leave out configurations that change no answer: interleavings of independent
    actions, and what differs only in the names of processes. `threads`: how many a search may use, None for
    as many as there are processors.

    `effort`: how many configurations are explored for what only makes an answer stronger, such as larger
    bounds than 1; methods that count something else may take as much of that.
    Without `replay` violations are shown without replaying them first; without `polish` a run is the first
    that was found, and nothing is said of what holds and says nothing, which is quicker.
    `unbounded`: what holds up to some channel length only is undecided.
    `certificates`: verdicts on survival and requirements carry what proves them. `classes`: where nothing is
    asked for by name, the classes of the paper are decided, too. `progress` hears what a search does.
    `fail_fast`: once something that counts is violated, nothing more is asked. `found` is called with a
    report on what is known whenever a verdict is added to it.
    `answered` is called with a report on survival, requirements and what is asked for by name as soon as that
    is known, if properties that nobody asked for by name are to be decided after them.
    `cluster`: the address of a Dask scheduler, whose workers explore for k-properties and survival.
    """

    limits: Limits = field(default_factory=Limits)
    reduction: bool = True
    symmetry: bool = True
    threads: int | None = None
    replay: bool = True
    polish: bool = True
    progress: ProgressCallback | None = None
    effort: int = EFFORT
    unbounded: bool = False
    certificates: bool = False
    classes: bool = True
    fail_fast: bool = False
    found: Callable[[Any], None] | None = None
    answered: Callable[[Any], None] | None = None
    cluster: str | None = None

    def __post_init__(self) -> None:
        check_threads(self.threads)
        check_effort(self.effort)

    def but(self, **knobs: Unpack[Knobs]) -> Options:
        """The same, but for these."""
        chosen: dict[str, Any] = {name: value for name, value in knobs.items() if value is not None}
        return replace(self, **chosen) if chosen else self

    def exploring_all(self) -> Options:
        """The same, without leaving out any configuration."""
        return replace(self, reduction=False, symmetry=False)

    def without_runs(self) -> Options:
        """The same, where nobody looks at the runs: they are neither replayed nor made readable."""
        return replace(self, replay=False, polish=False)

    def knowing(self, known: str) -> Options:
        """The same, where progress also says what is known so far."""
        hears = self.progress
        if hears is None:
            return self
        return replace(self, progress=lambda state: hears(replace(state, known=known)))


def with_knobs(options: Options | None, knobs: dict[str, Any]) -> tuple[Options, dict[str, Any]]:
    """The options, changed by those of the knobs that are theirs, and the others, which are the engine's."""
    own: Any = {name: value for name, value in knobs.items() if name in Knobs.__annotations__}
    return (options or Options()).but(**own), {n: v for n, v in knobs.items() if n not in own}
