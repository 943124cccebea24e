"""Automata made as far as a check reaches (definitions chapter 18).

Before anything is asked at a bound, it is asked which marks some run at this bound comes to; these are made,
with a few states more, until there are none. Then the searches at this bound see what they would see of whole
automata. What must stay possible is asked for with the marks as goals: so a run that leads nowhere else leads
to none of them, however long the channels (18.5).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from ...errors import ModelError
from ...kernel.model.ask import Ask
from ...kernel.model.failures import Failures
from ...kernel.model.faults import KINDS, PLAIN_KINDS
from ...kernel.model.goal import At, Goal, Or
from ...kernel.model.part import Configured, in_part, making_of, whole
from ...kernel.model.phrases import plural
from ...kernel.model.survival import SLACK, SurvivalModel
from ...kernel.model.system import System
from ...kernel.model.timers import ON_TIME
from ...kernel.transform.extras import survival_model
from ...kernel.transform.prepare import prepare, with_process_faults
from ...kernel.transform.stop_restart import Transformed
from ...limits import MAX_K, is_over
from ...options import Options
from ...records import dataclass
from ..counterexample.storm_run import storm_witness
from ..engine.effort import SPENT, Effort, bounds_from, worth_trying
from ..engine.survival import FoundRun, Survey, survey
from .survival import INTERRUPTED

#: What is asked of survival, of a system with the automata that are made by then.
AskedOf = Callable[[System], tuple[SurvivalModel, Mapping[str, Ask]]]

#: So many questions are asked together.
_ASKS = 28

#: From so many runs to marks, calm ones are followed on for so many steps in all, which are doubled each
#: time, so often.
_WALKS, _STEPS, _DOUBLED = 8, 64, 6

#: A calm run that comes to a mark is looked for among so many configurations.
_CALM = 50_000


def needs_whole(system: System, failures: Failures, semantics: str, options: Options) -> bool:
    """Is something asked that is defined, or proved, of whole automata only (definitions 18.6)?"""
    changing = any(failures.wanted(kind, system) for kind in KINDS if kind not in PLAIN_KINDS)
    crash = bool(failures.crash) or any(not p.reliable for p in system)
    watched = bool(system.observers) or (failures.timers or system.timers) == ON_TIME
    return changing or crash or watched or semantics != "definition" or options.certificates


def for_asking(system: System, failures: Failures, semantics: str, options: Options) -> System:
    """The system as it is asked about: with whole automata where anything less will not do."""
    return whole(system) if in_part(system) and needs_whole(system, failures, semantics, options) else system


def marks(system: System) -> tuple[At, ...]:
    """Where each process is at a mark."""
    return tuple(At(p.name, p.unmade) for p in system if p.unmade)


def or_at_a_mark(ask: Ask, system: System) -> Ask:
    """What must stay possible, or a mark: no such run is missed for what is not made."""
    return replace(ask, goal=Or((ask.goal, *marks(system)))) if ask.always and in_part(system) else ask


@dataclass(frozen=True)
class AsReached:
    """What a check may rely on: the system, and the bound up to which no run comes to a mark; `settled` None
    where that is so for every bound, 0 where it is not known for any. `stopped`: the limit that ended it."""

    system: System
    settled: int | None
    stopped: str = ""


class Reaching:
    """Makes the automata of a system as far as runs come, under these failures, bound after bound."""

    def __init__(
        self, system: System, failures: Failures, options: Options, effort: Effort, asks: AskedOf
    ) -> None:
        self.system, self.failures, self.effort, self.asks = system, failures, effort, asks
        self.options = replace(options, certificates=False)
        self.stopped = ""
        self.rounds = 0

    # ---- the searched system ----

    def searched(self) -> tuple[Transformed, SurvivalModel]:
        marked, model, _ = prepare(self.system, self.failures, partly=True)
        searched = with_process_faults(marked, model)
        return searched, survival_model(searched.system, model, self.failures.budget)

    # ---- bounds ----

    def up_to(self, first: int, last: int | None) -> AsReached:
        """As far as the effort goes."""
        settled, known, hit = 0, 0, True
        for k in bounds_from(first, last or MAX_K):
            if settled and not (worth_trying(self.effort, k, known) and not is_over()):
                break
            result = self.settle(k, self.effort.configurations(k) if settled else None)
            if result is None:
                break
            settled, known, hit = k, result.stored, result.hit_faults is not None
            if not hit or not in_part(self.system):
                break
        if in_part(self.system):
            making_of(self.system).verify()
        bounded = in_part(self.system) and (hit or not settled)
        return AsReached(self.system, settled if bounded else None, self.stopped)

    def settle(self, k: int, most: int | None) -> Survey | None:
        """Make marks until no run at this bound comes to one; None where a limit is hit before."""
        result = self.storms(k, most)
        while result is not None and not result.stopped and in_part(self.system):
            missed = self.missed(k, most)
            if missed is None:
                break
            if not self.made_calm(missed, k, most):
                self.stopped = self.stopped or SPENT
                return None
        return None if self.stopped else result

    def storms(self, k: int, most: int | None) -> Survey | None:
        """Which marks do storms come to? Made, they are asked for again."""
        while True:
            searched, model = self.searched()
            asks = dict(_never(searched)) or {"": Ask(False, At(model.system.names[0], ()))}
            result = self.survey(model, asks, k, k, most)
            runs = _runs(result)
            if not runs:
                self.stopped = result.stopped
                return None if result.stopped else result
            self.make(searched, model, runs)

    def survey(
        self, model: SurvivalModel, asks: Mapping[str, Ask], k: int, counted: int, most: int | None
    ) -> Survey:
        result = survey(model, asks, k, self.options, most=most)
        self.effort.spend_on(result.stored, counted)
        if result.stopped == INTERRUPTED:
            raise KeyboardInterrupt
        return result

    # ---- calm runs ----

    def missed(self, k: int, most: int | None) -> FoundRun | None:
        """A storm after which calm runs lead to what must stay possible only by way of marks, if at all."""
        model, asks = self.asks(self.system)
        plain = {name: ask for name, ask in asks.items() if ask.always}
        if not plain:
            return None
        marked = {f"{name} or": or_at_a_mark(ask, model.system) for name, ask in plain.items()}
        answers = self.survey(model, plain | marked, k, k, most).answers
        for name in plain:
            own, other = answers[name], answers[f"{name} or"]
            if own.run is not None and (other.holds or (own.holds is False and other.holds is None)):
                return own.run
        return None

    def made_calm(self, after: FoundRun, k: int, most: int | None) -> bool:
        """Calm runs may have more messages in a channel than storms: marks that runs with as many come to,
        and with no more faults, are made. Whether there were any."""
        searched, model = self.searched()
        within = min(most, _CALM) if most is not None else _CALM
        fewest = replace(model, budget=model.budget.at_most(after.faults))
        runs = _runs(self.survey(fewest, dict(_never(searched)), k + SLACK, k, within))
        if not runs:
            runs = [after] if self.marked(searched, model, [after]) else []
        if runs:
            self.make(searched, model, runs)
        return bool(runs)

    # ---- making ----

    def marked(
        self, searched: Transformed, model: SurvivalModel, runs: list[FoundRun]
    ) -> dict[str, dict[str, None]]:
        """The marks where runs end."""
        found: dict[str, dict[str, None]] = {}
        for run in runs:
            for name, state in _end(searched, model, run).states.items():
                if state in self.system[name].unmade:
                    found.setdefault(name, {})[state] = None
        return found

    def make(self, searched: Transformed, model: SurvivalModel, runs: list[FoundRun]) -> None:
        """Make the marks that runs come to, and some states more."""
        found = self.marked(searched, model, runs)
        ends = [_end(searched, model, run) for run in runs[:_WALKS]]
        bound = max([1, *(len(word) for end in ends for word in end.words.values())])
        self.rounds += 1
        steps = _STEPS << min(self.rounds, _DOUBLED)
        try:
            self.system = making_of(self.system).more(self.system, found, ends, steps, bound)
        except ModelError as problem:
            raise _reached_by(problem, min(runs, key=lambda run: len(run.steps))) from None


def _runs(result: Survey) -> list[FoundRun]:
    return [a.run for a in result.answers.values() if a.holds is False and a.run is not None]


def _never(searched: Transformed) -> Iterator[tuple[str, Ask]]:
    """Whether some run comes to a mark, in several questions, so that several marks are found at once."""
    found = [(p.name, p.unmade) for p in searched.system if p.unmade]
    each = max(_ASKS // max(len(found), 1), 1)
    for name, states in found:
        size = -(-len(states) // each)
        for i in range(0, len(states), size):
            yield f"{name} {i}", Ask(False, At(name, states[i : i + size]))


def _end(searched: Transformed, model: SurvivalModel, run: FoundRun) -> Configured:
    """Where a run ends, in the user's states. What is in mailboxes is left out."""
    found = storm_witness(model, run)
    words = {(c.sender, c.receiver): tuple(w) for c, w in found.channels.items() if c.sender}
    return Configured({n: searched.user_state(n, s) for n, s in found.states.items()}, words)


def _reached_by(problem: ModelError, run: FoundRun) -> ModelError:
    """What goes beyond a limit is an error because a run leads there: say so."""
    faults = f" and {plural(run.faults, 'fault')}" if run.faults else ""
    said = f"{problem.message}; a run with {plural(len(run.steps), 'action')}{faults} leads there"
    return ModelError(said, place=problem.place, hint=problem.hint)


def goal_or_mark(goal: Goal, system: System) -> Goal:
    """What no run comes to, together with the marks: then it comes to none of them either (18.4)."""
    return Or((goal, *marks(system))) if in_part(system) else goal
