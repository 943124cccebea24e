"""The checker that accepts or refuses certificates of unreachable goals.

It reads the definitions (chapters 2 and 6) and checks of each certificate that it contains the
start, that no step leaves it, and that it excludes the goal. Of the searches it uses nothing: it works out
by itself what a goal asks for, in which form a channel is read, and the equations that z3 is asked about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...kernel.goals.cubes import Cube
from ...kernel.model.actions import CRASH, Channel, Internal, Message, channel_of
from ...kernel.model.failures import FailureModel
from ...kernel.model.system import System
from . import certificates
from .after_faults import can_become, settle
from .certificates import Element
from .channel_faults import contents_after
from .check_closure import check_closure, show_element, start_of, steps_of
from .check_equation import check_equation
from .check_half_duplex import check_half_duplex
from .check_summary import check_summary


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
        return check_half_duplex(system, failures, cubes, certificate.pairs)
    return check_equation(system, failures, cubes, certificate.controls)


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
