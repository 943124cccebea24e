"""The checker that accepts or refuses certificates of unreachable goals.

It reads the definitions (chapters 2 and 6) and checks of each certificate that it contains the
start, that no step leaves it, and that it excludes the goal. With the searches it shares only
the meaning of goals (`targets`, `settle`, `half_duplex.meets`) and the state equation that z3 is asked again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...kernel.goals.cubes import Cube
from ...kernel.model.actions import CRASH, Channel, Internal, Message, Receive, Send, channel_of
from ...kernel.model.failures import FailureModel
from ...kernel.model.process import Process
from ...kernel.model.system import System
from ..engine.coverability import Element
from . import certificates, half_duplex
from .channel_faults import contents_after
from .channel_summaries import check_summary
from .check_closure import check_closure, controls_problem, show_element, start_of, steps_of
from .reachable_by_faults import can_become, settle
from .state_equation import check_equation


def check_certificate(
    system: System, failures: FailureModel, cubes: Sequence[Cube], certificate: certificates.Certificate
) -> str:
    """ "" when the certificate proves that the goal is never reached; otherwise why it does not."""
    cubes = tuple(cubes)
    if not isinstance(certificate, (certificates.Closure, certificates.Saturated)):
        twice = [kind.noun for kind in failures.kinds if not kind.matches_once]
        if twice:
            return f"it presupposes that no message is received twice, as under {' and '.join(twice)}"
    if isinstance(certificate, certificates.Closure):
        return check_closure(system, failures, cubes, certificate)
    if isinstance(certificate, certificates.Saturated):
        return _check_saturated(system, failures, cubes, certificate)
    if isinstance(certificate, certificates.Summarised):
        return check_summary(system, failures, cubes, certificate.k, certificate.configurations)
    if isinstance(certificate, certificates.HalfDuplexCertificate):
        return _check_half_duplex(system, failures, cubes, certificate)
    return controls_problem(system, failures, certificate.controls) or check_equation(
        system, failures, cubes, certificate.controls
    )


def _check_saturated(
    system: System, failures: FailureModel, cubes: tuple[Cube, ...], certificate: certificates.Saturated
) -> str:
    """Every action from every configuration, after any faults, leads below a configuration of the set."""
    index: dict[certificates.Control, list[Element]] = {}
    for element in certificate.configurations:
        index.setdefault((element.states, element.marks), []).append(element)
    states, marks = start_of(system)
    if Element(states, marks, ((),) * len(marks)) not in index.get((states, marks), []):
        return "the initial configuration is not in the set"
    for element in certificate.configurations:
        for after in _successors(system, failures, element):
            if not any(
                _reaches(system, failures, e, after) for e in index.get((after.states, after.marks), ())
            ):
                return f"a step leads out of the set, to {show_element(after)}"
        if _meets(system, failures, cubes, element):
            return f"the goal is met at {show_element(element)}"
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
    for process, transition, (states, marks) in steps_of(system, (at.states, at.marks)):
        action = transition.action
        if isinstance(action, Internal):
            yield Element(states, marks, at.words)
            continue
        c = system.channels.index(channel_of(process.name, action))
        failure = failures.on(system.channels[c])
        for word in contents_after(at.words[c], failure, action):
            yield Element(states, marks, (*at.words[:c], word, *at.words[c + 1 :]))


def _reaches(system: System, failures: FailureModel, above: Element, at: Element) -> bool:
    """Do faults make `at` of `above`, channel by channel?"""
    rows = zip(system.channels, above.words, at.words, strict=True)
    return all(a == b or can_become(a, b, failures.on(c)) for c, a, b in rows)


def _check_half_duplex(
    system: System,
    failures: FailureModel,
    cubes: tuple[Cube, ...],
    certificate: certificates.HalfDuplexCertificate,
) -> str:
    """Closed under rendezvous, never can both send, and what one sends alone does not meet the goal."""
    if not half_duplex.applies(system, failures):
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
    met = half_duplex.meets(system, failures, cubes, certificate.pairs)
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
