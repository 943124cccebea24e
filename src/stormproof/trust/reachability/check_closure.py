"""Checks a `Closure`: control states, linear functions, and an upward closed set without the start."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...kernel.goals.cubes import Cube
from ...kernel.model.actions import CRASH, Channel, Internal, Message, Receive, Send, Transition, channel_of
from ...kernel.model.failures import FailureModel
from ...kernel.model.process import Process
from ...kernel.model.system import System
from .certificates import Closure, Control, Element, Weights
from .channel_faults import (
    embeds,
    fault_that_raises,
    fault_undone,
    reception_undone,
    send_undone,
    weight_taken,
)
from .channel_forms import FORMS, LENGTH, MULTISET, QUEUE, channel_forms
from .goal_configurations import LeastConfiguration, goal_configurations

Words = tuple[tuple[str, ...], ...]


def check_closure(
    system: System, failures: FailureModel, cubes: tuple[Cube, ...], certificate: Closure
) -> str:
    return _Closed(system, failures, certificate).problem(cubes)


def start_of(system: System) -> Control:
    return tuple(p.initial for p in system), (False,) * len(system.channels)


def steps_of(system: System, control: Control) -> Iterator[tuple[Process, Transition, Control]]:
    """Actions of the processes on control states and crash marks; messages are not looked at."""
    states, marks = control
    for i, process in enumerate(system):
        for transition in process.outgoing(states[i]):
            after = marks
            action = transition.action
            if not isinstance(action, Internal) and action.message is CRASH:
                c = system.channels.index(channel_of(process.name, action))
                if marks[c] != isinstance(action, Receive):
                    continue
                after = (*marks[:c], isinstance(action, Send), *marks[c + 1 :])
            yield process, transition, ((*states[:i], transition.target, *states[i + 1 :]), after)


def controls_problem(system: System, failures: FailureModel, controls: Iterable[Control]) -> str:
    """Closed under actions, where a reception needs that its message is sent in some control state listed."""
    known = set(controls)
    if start_of(system) not in known:
        return "the initial control state is not listed"
    sent = _ever_there(system, failures, known)
    for control in known:
        for process, transition, after in steps_of(system, control):
            action = transition.action
            if isinstance(action, Receive) and action.message is not CRASH:
                if (Channel(action.peer, process.name), action.message) not in sent:
                    continue
            if after not in known:
                return f"{process.name}: {transition.action} leads out of the control states, to {after[0]}"
    return ""


def _ever_there(
    system: System, failures: FailureModel, controls: Iterable[Control]
) -> set[tuple[Channel, Message]]:
    """The messages that the listed control states send, and what they may become."""
    found: set[tuple[Channel, Message]] = set()
    local = {(p.name, c[0][i]) for c in controls for i, p in enumerate(system)}
    for name, state in local:
        for send in system[name].sends(state):
            channel = Channel(name, send.peer)
            found.add((channel, send.message))
            if isinstance(send.message, str):
                found |= {(channel, m) for m in failures.on(channel).becomes.get(send.message, ())}
    return found


def enabled(system: System, failures: FailureModel, controls: set[Control]) -> set[tuple[str, Transition]]:
    """The transitions that some listed control state has and whose message may come."""
    local = {(p.name, states[i]) for states, _ in controls for i, p in enumerate(system)}
    sent = _ever_there(system, failures, controls)
    found = set()
    for name, state in local:
        for transition in system[name].outgoing(state):
            action = transition.action
            if isinstance(action, Receive) and (Channel(action.peer, name), action.message) not in sent:
                continue
            found.add((name, transition))
    return found


def weights_problem(
    system: System,
    failures: FailureModel,
    forms: Sequence[str],
    w: Weights,
    fires: set[tuple[str, Transition]],
) -> str:
    """Does some step increase the function, or does it not start at its bound?"""
    if w.bound != sum(w.states.get((p.name, p.initial), 0) for p in system):
        return "a linear function does not start at its bound"
    for name, (source, action, target) in fires:
        change = w.states.get((name, target), 0) - w.states.get((name, source), 0)
        channel = channel_of(name, action)
        if channel is not None and not isinstance(action, Internal):
            weight = w.messages.get((channel, action.message), 0)
            change += weight if isinstance(action, Send) else -weight_taken(failures.on(channel), weight)
        if change > 0:
            return f"{name}: {action} in {source} increases a linear function"
    for channel, form in zip(system.channels, forms, strict=True):
        failure = failures.on(channel)
        own = [m for m in {*system.alphabet(channel), *failure.pool} if isinstance(m, str)]
        weight_of = {m: w.messages.get((channel, m), 0) for m in own}
        if form == LENGTH and len(set(weight_of.values())) > 1:
            return f"the messages of {channel}, which is read as a length, weigh differently"
        raising = fault_that_raises(failure, weight_of)
        if raising is not None:
            return f"{raising.noun} on {channel} increases a linear function"
    return ""


def _least(system: System, w: Weights, at: Element, equal: Sequence[frozenset[str]] | None) -> float:
    """The least value above this configuration; `equal`: the messages whose numbers are as they stand."""
    total: float = sum(w.states.get((p.name, s), 0) for p, s in zip(system, at.states, strict=True))
    for i, channel in enumerate(system.channels):
        if at.marks[i]:
            total += w.messages.get((channel, CRASH), 0)
        total += sum(w.messages.get((channel, m), 0) for m in at.words[i])
        free = [
            weight
            for (c, m), weight in w.messages.items()
            if c == channel and m is not CRASH and (equal is None or m not in equal[i])
        ]
        if min(free, default=0) < 0:
            return float("-inf")
    return total


class _Closed:
    """The conditions on a `Closure`."""

    def __init__(self, system: System, failures: FailureModel, certificate: Closure) -> None:
        self.system = system
        self.failures = failures
        self.certificate = certificate
        self.forms = certificate.forms
        self.readings = channel_forms(system, failures)
        self.faults = [failures.on(c) for c in system.channels]
        self.index = system.channel_index
        self.basis = frozenset(certificate.basis)
        self.known = set(certificate.controls)
        self.by_control: dict[Control, list[Element]] = {}
        for element in sorted(certificate.basis, key=lambda e: sum(map(len, e.words))):
            self.by_control.setdefault((element.states, element.marks), []).append(element)

    def problem(self, cubes: tuple[Cube, ...]) -> str:
        return (
            self._forms_problem()
            or controls_problem(self.system, self.failures, self.known)
            or self._weights_problem()
            or self._start_problem()
            or self._goal_problem(cubes)
            or self._predecessors_problem()
        )

    def _forms_problem(self) -> str:
        """A form must have at least the channel's behaviours: a queue without loss may be a multiset too."""
        if len(self.forms) != len(self.readings):
            return "a channel has no form"
        for reading, form in zip(self.readings, self.forms, strict=True):
            relaxed = (reading.form, form) == (QUEUE, MULTISET)
            if form not in FORMS or (form != reading.form and not relaxed):
                return f"{reading.channel} cannot be read as {form}"
            if relaxed and reading.failure.loss:
                return f"{reading.channel} loses messages and is read as a multiset that does not"
        return ""

    def _weights_problem(self) -> str:
        fires = enabled(self.system, self.failures, self.known)
        for w in self.certificate.weights:
            problem = weights_problem(self.system, self.failures, self.forms, w, fires)
            if problem:
                return problem
        return ""

    def _start_problem(self) -> str:
        states, marks = start_of(self.system)
        start = Element(states, marks, ((),) * len(marks))
        return "the initial configuration is in the closure" if self._in_closure(start) else ""

    def _goal_problem(self, cubes: tuple[Cube, ...]) -> str:
        readings = [r._replace(form=f) for r, f in zip(self.readings, self.forms, strict=True)]
        for goal in goal_configurations(self.system, readings, cubes, self.certificate.controls):
            if not self._refuted(goal):
                return f"the goal at {show_element(goal.element)} is not in the closure"
        return ""

    def _refuted(self, goal: LeastConfiguration) -> bool:
        if self._in_closure(goal.element):
            return True
        weights = self.certificate.weights
        return any(_least(self.system, w, *goal) > w.bound for w in weights)

    def _predecessors_problem(self) -> str:
        for element in self.certificate.basis:
            if (element.states, element.marks) not in self.known:
                return f"a basis element has an unknown control state: {show_element(element)}"
            for before in self._predecessors(element):
                if (before.states, before.marks) not in self.known or self._in_closure(before):
                    continue
                if not any(_least(self.system, w, before, None) > w.bound for w in self.certificate.weights):
                    return f"{show_element(before)} leads into the closure and is not in it"
        return ""

    def _in_closure(self, at: Element) -> bool:
        if at in self.basis:
            return True
        return any(self._below(b.words, at.words) for b in self.by_control.get((at.states, at.marks), ()))

    def _below(self, small: Words, large: Words) -> bool:
        for a, b in zip(small, large):  # lengths first: they settle most cases
            if len(a) > len(b):
                return False
        for c, a in enumerate(small):
            if a and a != large[c] and not embeds(self.forms[c], self.faults[c], a, large[c]):
                return False
        return True

    def _predecessors(self, at: Element) -> Iterator[Element]:
        for i, process in enumerate(self.system):
            for transition in process.transitions:
                if transition.target == at.states[i]:
                    states = (*at.states[:i], transition.source, *at.states[i + 1 :])
                    for before in self._undo(process, transition, at):
                        yield before._replace(states=states)
        for c, word in enumerate(at.words):
            for undone in fault_undone(self.forms[c], self.faults[c], word):
                yield at._replace(words=(*at.words[:c], undone, *at.words[c + 1 :]))

    def _undo(self, process: Process, transition: Transition, at: Element) -> Iterator[Element]:
        action = transition.action
        if isinstance(action, Internal):
            yield at
            return
        c = self.index[channel_of(process.name, action)]  # type: ignore[index]
        word, sends = at.words[c], isinstance(action, Send)
        if action.message is CRASH:
            if at.marks[c] == sends and (sends or not word):
                yield at._replace(marks=(*at.marks[:c], not sends, *at.marks[c + 1 :]))
            return
        if sends and at.marks[c]:
            return
        undo = send_undone if sends else reception_undone
        for undone in undo(self.forms[c], self.faults[c], word, str(action.message)):
            yield at._replace(words=(*at.words[:c], undone, *at.words[c + 1 :]))


def show_element(at: Element) -> str:
    words = " ".join("[" + ",".join(w) + "]" for w in at.words)
    return f"({', '.join(at.states)}) {words}"
