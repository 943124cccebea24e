"""Certificates that something is never reached, and the small checker that accepts or refuses them.

The checker shares no code with the searches. It reads the definitions (semantics, sections 2 and 6) and
asks of each certificate that it contains the start, that no step leaves it, and that it has nothing to do
with the goal.

- `Closure`: control states closed under the actions, linear functions that no step increases, and a finite
  basis whose upward closure is closed under predecessors. The initial configuration is not in that closure
  and every configuration of the goal is, or is excluded by the control states or by a linear function.
- `Saturated`: finitely many configurations that are all, up to faults.
- `Summarised`: the same, where a channel keeps k messages and of the rest only which they are: `summary`.
- `HalfDuplex`: the rendezvous states of two processes; never can both send.
- `Equation`: the state equation has no solution in the integers; a solver is asked again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..engine.cover import BAG, COUNT, WORD, Element, Weights
from ..failures import ChannelFailure, FailureModel
from ..goals import Cube
from ..model import CRASH, Channel, Internal, Message, Process, Receive, Send, System, Transition, channel_of
from . import halfduplex
from .settle import can_become, settle
from .shapes import NAMES, shapes
from .summary import check_summary
from .targets import Target, targets

Control = tuple[tuple[str, ...], tuple[bool, ...]]
Words = tuple[tuple[str, ...], ...]


class _Described:
    """What a certificate is, in a few words."""

    kind: str

    def sizes(self) -> dict[str, int]:
        raise NotImplementedError

    def describe(self) -> str:
        return f"{self.kind} with " + ", ".join(f"{n:,} {what}" for what, n in self.sizes().items())

    def summary(self) -> dict[str, Any]:
        return {"kind": self.kind, "sizes": self.sizes()}


@dataclass(frozen=True)
class Closure(_Described):
    """`forms` says how each channel is read: as a lossy word, a multiset or a length."""

    forms: tuple[int, ...]
    controls: tuple[Control, ...]
    weights: tuple[Weights, ...]
    basis: tuple[Element, ...]

    @property
    def kind(self) -> str:  # type: ignore[override]
        return "backward closure" if self.basis else "invariant"

    def sizes(self) -> dict[str, int]:
        sizes = {"minimal configurations": len(self.basis), "linear functions": len(self.weights)}
        return {k: n for k, n in sizes.items() if n} | {"control states": len(self.controls)}

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "channels": [NAMES[f] for f in self.forms],
            "controls": [_control_to_json(c) for c in self.controls],
            "invariants": [_weights_to_json(w) for w in self.weights],
            "basis": [_element_to_json(e) for e in self.basis],
        }


@dataclass(frozen=True)
class Saturated(_Described):
    """Every configuration there is, channels as they are before faults are applied."""

    configurations: tuple[Element, ...]

    kind = "saturated set"

    def sizes(self) -> dict[str, int]:
        return {"configurations": len(self.configurations)}

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "configurations": [_element_to_json(e) for e in self.configurations]}


@dataclass(frozen=True)
class Summarised(_Described):
    """Configurations in which a channel keeps `k` messages, and of the rest only which they are."""

    k: int
    configurations: tuple[Element, ...]

    kind = "summarised set"

    def sizes(self) -> dict[str, int]:
        return {"configurations": len(self.configurations), "messages kept a channel": self.k}

    def to_json(self) -> dict[str, Any]:
        rows = [_element_to_json(e) for e in self.configurations]
        return {"kind": self.kind, "k": self.k, "configurations": rows}


@dataclass(frozen=True)
class HalfDuplex(_Described):
    """The pairs of states that the two processes reach by rendezvous."""

    pairs: tuple[tuple[str, str], ...]

    kind = "half-duplex"

    def sizes(self) -> dict[str, int]:
        return {"pairs of states": len(self.pairs)}

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "pairs": [list(p) for p in self.pairs]}


@dataclass(frozen=True)
class Equation(_Described):
    """The control states among which the goal's were looked for; for none has the equation a solution."""

    controls: tuple[Control, ...]

    kind = "state equation"

    def sizes(self) -> dict[str, int]:
        return {"control states": len(self.controls)}

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "controls": [_control_to_json(c) for c in self.controls]}


Certificate = Closure | Saturated | Summarised | HalfDuplex | Equation


def check_certificate(
    system: System, failures: FailureModel, cubes: Sequence[Cube], certificate: Certificate
) -> str:
    """ "" when the certificate proves that the goal is never reached; otherwise why it does not."""
    cubes = tuple(cubes)
    if isinstance(certificate, Closure):
        return _Closed(system, failures, certificate).problem(cubes)
    if isinstance(certificate, Saturated):
        return _check_saturated(system, failures, cubes, certificate)
    if isinstance(certificate, Summarised):
        return check_summary(system, failures, cubes, certificate.k, certificate.configurations)
    if isinstance(certificate, HalfDuplex):
        return _check_half_duplex(system, failures, cubes, certificate)
    from .equation import check_equation

    return _controls_problem(system, failures, certificate.controls) or check_equation(
        system, failures, cubes, certificate.controls
    )


# ------------------------------------------------------------------------------------ control states


def _start(system: System) -> Control:
    return tuple(p.initial for p in system), (False,) * len(system.channels)


def _steps(system: System, control: Control) -> Iterator[tuple[Process, Transition, Control]]:
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


def _controls_problem(system: System, failures: FailureModel, controls: Iterable[Control]) -> str:
    """Closed under actions, where a reception needs that its message is sent in some control state listed."""
    known = set(controls)
    if _start(system) not in known:
        return "the initial control state is not listed"
    sent = _ever_there(system, failures, known)
    for control in known:
        for process, transition, after in _steps(system, control):
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


# --------------------------------------------------------------------------------- linear functions


def _enabled(system: System, failures: FailureModel, controls: set[Control]) -> set[tuple[str, Transition]]:
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
    forms: Sequence[int],
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
            change += weight if isinstance(action, Send) else -weight
        if change > 0:
            return f"{name}: {action} in {source} increases a linear function"
    for channel, form in zip(system.channels, forms, strict=True):
        failure = failures.on(channel)
        own = [m for m in {*system.alphabet(channel), *failure.pool} if m is not CRASH]
        weight_of = {m: w.messages.get((channel, m), 0) for m in own}
        if failure.loss and min(weight_of.values(), default=0) < 0:
            return f"loss on {channel} increases a linear function"
        if form == COUNT and len(set(weight_of.values())) > 1:
            return f"the messages of {channel}, which is read as a length, weigh differently"
        for m, others in failure.becomes.items():
            if any(weight_of.get(other, 0) > weight_of.get(m, 0) for other in others):
                return f"a corruption on {channel} increases a linear function"
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


# ----------------------------------------------------------------------------------- upward closures


class _Closed:
    """The conditions on a `Closure`."""

    def __init__(self, system: System, failures: FailureModel, certificate: Closure) -> None:
        self.system = system
        self.failures = failures
        self.certificate = certificate
        self.forms = certificate.forms
        self.faults = [failures.on(c) for c in system.channels]
        self.index = {c: i for i, c in enumerate(system.channels)}
        self.basis = frozenset(certificate.basis)
        self.known = set(certificate.controls)
        self.by_control: dict[Control, list[Element]] = {}
        for element in sorted(certificate.basis, key=lambda e: sum(map(len, e.words))):
            self.by_control.setdefault((element.states, element.marks), []).append(element)

    def problem(self, cubes: tuple[Cube, ...]) -> str:
        return (
            self._forms_problem()
            or _controls_problem(self.system, self.failures, self.known)
            or self._weights_problem()
            or self._start_problem()
            or self._goal_problem(cubes)
            or self._predecessors_problem()
        )

    def _forms_problem(self) -> str:
        """A form must have at least the channel's behaviours: see `shapes`."""
        if len(self.forms) != len(self.system.channels):
            return "a channel has no form"
        for shape, form in zip(shapes(self.system, self.failures), self.forms, strict=True):
            if form not in NAMES or (form != shape.form and not (shape.form == WORD and form == BAG)):
                return f"{shape.channel} cannot be read as {NAMES.get(form, form)}"
            if form == BAG and shape.form == WORD and shape.loss:
                return f"{shape.channel} loses messages and is read as a multiset that does not"
        return ""

    def _weights_problem(self) -> str:
        fires = _enabled(self.system, self.failures, self.known)
        for w in self.certificate.weights:
            problem = weights_problem(self.system, self.failures, self.forms, w, fires)
            if problem:
                return problem
        return ""

    def _start_problem(self) -> str:
        states, marks = _start(self.system)
        start = Element(states, marks, ((),) * len(marks))
        return "the initial configuration is in the closure" if self._in_closure(start) else ""

    def _goal_problem(self, cubes: tuple[Cube, ...]) -> str:
        forms = tuple(replace(s, form=f) for s, f in zip(shapes(self.system, self.failures), self.forms))
        for target in targets(self.system, self.failures, cubes, forms, self.certificate.controls):
            if not self._refuted(target):
                return f"the goal at {_show(target.element)} is not in the closure"
        return ""

    def _refuted(self, target: Target) -> bool:
        if self._in_closure(target.element):
            return True
        weights = self.certificate.weights
        return any(_least(self.system, w, target.element, target.equal) > w.bound for w in weights)

    def _predecessors_problem(self) -> str:
        for element in self.certificate.basis:
            if (element.states, element.marks) not in self.known:
                return f"a basis element has an unknown control state: {_show(element)}"
            for before in self._predecessors(element):
                if (before.states, before.marks) not in self.known or self._in_closure(before):
                    continue
                if not any(_least(self.system, w, before, None) > w.bound for w in self.certificate.weights):
                    return f"{_show(before)} leads into the closure and is not in it"
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
            if a and a != large[c] and not _embeds(self.forms[c], self.faults[c], a, large[c]):
                return False
        return True

    def _predecessors(self, at: Element) -> Iterator[Element]:
        for i, process in enumerate(self.system):
            for transition in process.transitions:
                if transition.target == at.states[i]:
                    before = self._undo(process, transition, at)
                    if before is not None:
                        states = (*at.states[:i], transition.source, *at.states[i + 1 :])
                        yield before._replace(states=states)
        for c, channel in enumerate(self.system.channels):
            if self.forms[c] == BAG:
                yield from self._uncorrupted(at, c, self.failures.on(channel))

    def _undo(self, process: Process, transition: Transition, at: Element) -> Element | None:
        action = transition.action
        if isinstance(action, Internal):
            return at
        c = self.index[channel_of(process.name, action)]  # type: ignore[index]
        word, sends = at.words[c], isinstance(action, Send)
        if action.message is CRASH:
            if at.marks[c] != sends or (word and not sends):
                return None
            return at._replace(marks=(*at.marks[:c], not sends, *at.marks[c + 1 :]))
        if sends and at.marks[c]:
            return None
        message = str(action.message)
        undone = _unsend(self.forms[c], self.faults[c], word, message) if sends else (message, *word)
        return at._replace(words=(*at.words[:c], undone, *at.words[c + 1 :]))

    def _uncorrupted(self, at: Element, c: int, failure: ChannelFailure) -> Iterator[Element]:
        word = at.words[c]
        for source, others in failure.becomes.items():
            for other in others:
                if other in word:
                    i = word.index(other)
                    undone = (*word[:i], source, *word[i + 1 :])
                    yield at._replace(words=(*at.words[:c], undone, *at.words[c + 1 :]))


def _unsend(form: int, failure: ChannelFailure, word: tuple[str, ...], message: str) -> tuple[str, ...]:
    """The least content to which sending the message gives this one or more."""
    if form == COUNT:
        return word[:-1]
    if form == BAG:
        if message not in word:
            return word
        i = word.index(message)
        return word[:i] + word[i + 1 :]
    return word[:-1] if word and failure.may_become(message, word[-1]) else word


def _embeds(form: int, failure: ChannelFailure, small: tuple[str, ...], large: tuple[str, ...]) -> bool:
    if form == COUNT:
        return len(small) <= len(large)
    if form == BAG:
        return all(small.count(m) <= large.count(m) for m in set(small))
    rest = iter(large)
    if not failure.becomes:
        return all(s in rest for s in small)
    return all(any(failure.may_become(m, s) for m in rest) for s in small)


# --------------------------------------------------------------------------------- saturated sets


def _check_saturated(
    system: System, failures: FailureModel, cubes: tuple[Cube, ...], certificate: Saturated
) -> str:
    """Every action from every configuration, after any faults, leads below a configuration of the set."""
    index: dict[Control, list[Element]] = {}
    for element in certificate.configurations:
        index.setdefault((element.states, element.marks), []).append(element)
    states, marks = _start(system)
    if Element(states, marks, ((),) * len(marks)) not in index.get((states, marks), []):
        return "the initial configuration is not in the set"
    for element in certificate.configurations:
        for after in _successors(system, failures, element):
            if not any(
                _reaches(system, failures, e, after) for e in index.get((after.states, after.marks), ())
            ):
                return f"a step leads out of the set, to {_show(after)}"
        if _meets(system, failures, cubes, element):
            return f"the goal is met at {_show(element)}"
    return ""


def _meets(system: System, failures: FailureModel, cubes: Iterable[Cube], element: Element) -> bool:
    at = dict(zip(system.names, element.states, strict=True))
    rows = zip(system.channels, element.marks, element.words, strict=True)
    words: dict[Channel, tuple[Message, ...]] = {
        c: (*word, CRASH) if mark else word for c, mark, word in rows
    }
    fitting = (c for c in cubes if all(at[p] in allowed for p, allowed in c.states.items()))
    return any(settle(system, failures, c, at, words) is not None for c in fitting)


def _successors(system: System, failures: FailureModel, at: Element) -> Iterator[Element]:
    """What actions make of it; before a reception the channel may do what brings its message."""
    for process, transition, (states, marks) in _steps(system, (at.states, at.marks)):
        action = transition.action
        if isinstance(action, Internal):
            yield Element(states, marks, at.words)
            continue
        c = system.channels.index(channel_of(process.name, action))
        failure = failures.on(system.channels[c])
        for word in _contents_after(at.words[c], failure, action):
            yield Element(states, marks, (*at.words[:c], word, *at.words[c + 1 :]))


def _contents_after(
    word: tuple[str, ...], failure: ChannelFailure, action: Send | Receive
) -> Iterator[tuple[str, ...]]:
    if isinstance(action, Send):
        yield word if action.message is CRASH else (*word, str(action.message))
        return
    if action.message is CRASH:
        if failure.loss or not word:
            yield ()
        return
    for i, m in enumerate(word):
        if i > 0 and not (failure.loss or failure.reorder):
            return
        if failure.may_become(m, action.message):
            yield word[:i] + word[i + 1 :] if failure.reorder else word[i + 1 :]


def _reaches(system: System, failures: FailureModel, above: Element, at: Element) -> bool:
    """Do faults make `at` of `above`, channel by channel?"""
    rows = zip(system.channels, above.words, at.words, strict=True)
    return all(a == b or can_become(a, b, failures.on(c)) for c, a, b in rows)


# -------------------------------------------------------------------------------------- half-duplex


def _check_half_duplex(
    system: System, failures: FailureModel, cubes: tuple[Cube, ...], certificate: HalfDuplex
) -> str:
    """Closed under rendezvous, never can both send, and what one sends alone does not meet the goal."""
    if not halfduplex.applies(system, failures):
        return "the theorem is on two processes whose channels neither reorder nor carry crash messages"
    known = set(certificate.pairs)
    first, second = system.processes
    if (first.initial, second.initial) not in known:
        return "the initial pair is not listed"
    for a, b in certificate.pairs:
        if first.sends(a) and second.sends(b):
            return f"both can send in ({a}, {b})"
        left = _alone(failures, first, a) | _alone(failures, second, b)
        pairs = {(t, b) if p is first else (a, t) for p, t in left}
        pairs |= {(t, u) for t, u in _together(failures, first, a, second, b)}
        pairs |= {(u, t) for t, u in _together(failures, second, b, first, a)}
        if not pairs <= known:
            return f"a rendezvous leads out of the pairs, from ({a}, {b})"
    met = halfduplex.meets(system, failures, cubes, certificate.pairs)
    return "" if met is None else f"the goal is met from {met.pair}"


def _alone(failures: FailureModel, process: Process, state: str) -> set[tuple[Process, str]]:
    found = set()
    for _, action, target in process.outgoing(state):
        lost = isinstance(action, Send) and failures.on(Channel(process.name, action.peer)).loss
        if isinstance(action, Internal) or lost:
            found.add((process, target))
    return found


def _together(
    failures: FailureModel, sender: Process, a: str, receiver: Process, b: str
) -> Iterator[tuple[str, str]]:
    failure = failures.on(Channel(sender.name, receiver.name))
    for _, send, after in sender.outgoing(a):
        for _, take, then in receiver.outgoing(b):
            if isinstance(send, Send) and isinstance(take, Receive):
                if failure.may_become(send.message, take.message):
                    yield after, then


# ------------------------------------------------------------------------------------------- showing


def _show(at: Element) -> str:
    words = " ".join("[" + ",".join(w) + "]" for w in at.words)
    return f"({', '.join(at.states)}) {words}"


def _control_to_json(control: Control) -> dict[str, Any]:
    return {"states": list(control[0]), "crashed": [int(m) for m in control[1]]}


def _element_to_json(at: Element) -> dict[str, Any]:
    return {
        "states": list(at.states),
        "crashed": [int(m) for m in at.marks],
        "words": [list(w) for w in at.words],
    }


def _weights_to_json(w: Weights) -> dict[str, Any]:
    return {
        "states": [[p, s, n] for (p, s), n in w.states.items() if n],
        "messages": [[str(c), str(m), n] for (c, m), n in w.messages.items() if n],
        "bound": w.bound,
    }
