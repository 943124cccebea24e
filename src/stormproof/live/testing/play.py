"""An implementation of one role among the others, on channels with faults: the moves, and the run so far.

The other roles and the channels do what the definitions let them do; whoever plays chooses. What the
implementation does must be allowed by the protocol at every step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from ...errors import InternalError
from ...kernel.model.actions import Configuration, Internal, Receive, Send, Transition, channel_of
from ...kernel.model.phrases import listed
from ...kernel.model.run import Witness
from ...kernel.model.storm_step import StormStep
from ...kernel.semantics.faulty_steps import effect
from ...kernel.semantics.silent_steps import initial
from ...search.counterexample.storm_run import storm_witness
from ...search.engine.survival import FoundRun
from ...trust.replay_storm import replay_storm
from ..conformance.build_run import segments
from ..conformance.log import LogEvent, RoleLog, event_of
from ..conformance.role_paths import role_path
from .role_states import RoleStates
from .role_test import RoleTest, restarts, timer

#: The others send only while fewer messages than this wait in the channel.
LONGEST = 4

#: Takes one of some steps.
StepChoice = Callable[[Iterable[StormStep]], StormStep]


class RolePlay:
    """`waits`: the implementation has sent what it wanted to. `steps`: what has happened, in order."""

    def __init__(self, test: RoleTest) -> None:
        self.test, self.model = test, test.model
        self.role = test.start()
        self.at = initial(self.model.system)
        self.waits = False
        self.faults: Counter[str] = Counter()
        self.steps: list[StormStep | LogEvent] = []

    @property
    def may_send(self) -> bool:
        """May it be asked what it sends?"""
        return not self.waits or self.role.states.may_send or not self._goes_on()

    @property
    def may_expire(self) -> bool:
        return self.waits and self.role.states.can(timer())

    @property
    def may_restart(self) -> bool:
        possible = self.role.can_restart and self.role.states.can(restarts())
        return possible and self._allows(Counter(restart=1))

    def elsewhere(self) -> Iterator[StormStep]:
        """What others may do now."""
        for step in self.test.steps(self.at):
            action = step.transition.action
            channel = channel_of(step.process, action)
            full = channel is not None and len(self.model.word(self.at, channel)) >= LONGEST
            waits = full and isinstance(action, Send)
            if step.process != self.test.role and not waits and self._allows(step.faults):
                yield step

    def receptions(self) -> Iterator[StormStep]:
        """What it may be given now."""
        if self.waits:
            steps = self._own(self.role.states)
            yield from (s for s in steps if isinstance(s.transition.action, Receive))

    def act(self, step: StormStep) -> None:
        """Another role does this."""
        self._do(step)

    def send(self, choose: StepChoice) -> LogEvent | None:
        """What it sends next, with faults that are chosen; None if it waits."""
        before = self.role.states
        sent = self.role.send()
        self.waits = sent is None
        if sent is not None:
            self._do(choose(s for s in self._own(before) if event_of(s.transition.action) == sent))
        return sent

    def receive(self, step: StormStep) -> None:
        event = event_of(step.transition.action)
        if self.role.receive(event.peer, event.message):
            self._do(step)
            self.waits = False

    def expire(self) -> None:
        self.waits = not self.role.timer()
        if not self.waits:
            self.steps.append(timer())

    def restart(self) -> None:
        self.role.restart()
        self.faults["restart"] += 1
        self.steps.append(restarts())
        self.waits = False

    def _goes_on(self) -> bool:
        """May anything happen, besides that it sends?"""
        timed = self.role.states.can(timer())
        return timed or any(self.elsewhere()) or any(self.receptions())

    def _do(self, step: StormStep) -> None:
        self.at = effect(self.model, self.at, step)
        self.faults += step.faults
        self.steps.append(step)

    def _allows(self, more: Counter[str]) -> bool:
        """May these faults still happen?"""
        counts = self.faults + more
        return not more or self.model.budget.allows(counts.total(), counts)

    def _own(self, states: RoleStates) -> Iterator[StormStep]:
        """What the role may do in some of these states, with every fault that may occur."""
        place, at = self.model.system.names.index(self.test.role), self.at
        for state in sorted(states.states):
            here = Configuration((*at.states[:place], state, *at.states[place + 1 :]), at.words)
            mine = (s for s in self.test.steps(here) if s.process == self.test.role)
            yield from (s for s in mine if self._allows(s.faults))

    def run(self) -> Witness:
        """What has happened, as a run of the protocol: the role takes transitions that fit what it did."""
        role, model = self.test.role, self.model
        own = [_event(step) for step in self.steps if isinstance(step, LogEvent) or step.process == role]
        path = role_path(model.system[role], RoleLog.of(role, own))
        ways = iter(segments(path.transitions_to(len(own))))
        steps = tuple(step for taken in self.steps for step in self._taken(taken, ways))
        faults = sum(sum(step.faults.values()) for step in steps)
        run = storm_witness(model, FoundRun(steps, len(steps), faults))
        replayed = replay_storm(model, None, run)
        if not replayed.ok:
            raise InternalError(f"the run of a test does not replay: {replayed.message}")
        return run

    def _taken(self, step: StormStep | LogEvent, ways: Iterator[list[Transition]]) -> Iterator[StormStep]:
        """The step of another role; of the role itself, silent ones and then the transition."""
        role = self.test.role
        if isinstance(step, StormStep) and step.process != role:
            yield step
            return
        *silent, last = next(ways)
        yield from (StormStep(role, transition) for transition in silent)
        if isinstance(step, StormStep):
            yield replace(step, transition=last)
        else:
            assert isinstance(last.action, Internal)
            yield StormStep(role, last, process_fault=self.model.process_fault(role, last.action))


def _event(step: StormStep | LogEvent) -> LogEvent:
    return step if isinstance(step, LogEvent) else event_of(step.transition.action)


def usual(steps: list[StormStep]) -> list[StormStep]:
    """Those without faults and timers: else few runs would get far."""
    return [step for step in steps if step.calm and not isinstance(step.transition.action, Internal)]


def by_name(steps: Iterable[StormStep]) -> dict[str, StormStep]:
    """Each by what it is in words, every one different."""
    named: dict[str, StormStep] = {}
    for step in steps:
        faults = listed(step.faults)
        name = f"{step.process} {event_of(step.transition.action)}{' with ' + faults if faults else ''}"
        same = sum(other == name or other.startswith(f"{name} (") for other in named)
        named[f"{name} ({same + 1})" if same else name] = step
    return named
