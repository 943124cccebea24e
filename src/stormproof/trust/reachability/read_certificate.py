"""Certificates of unreachable goals, read from JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...errors import InputError
from ...kernel.model.actions import Channel
from ...kernel.model.message_json import message_from_json
from ...kernel.model.system import System
from . import certificates
from .certificates import Element, Weights
from .channel_forms import FORMS


def certificate_from_json(data: Any, system: System) -> certificates.Certificate:
    """The inverse of `to_json`; whatever is wrong with the data is an InputError."""
    try:
        return _KINDS[data["kind"]](data, system)
    except (KeyError, TypeError, AttributeError, ValueError) as problem:
        if isinstance(problem, InputError):
            raise
        raise InputError(f"not a certificate: {type(problem).__name__} {problem}") from None


def is_certificate_of_reachability(data: Any) -> bool:
    return isinstance(data, Mapping) and data.get("kind") in tuple(_KINDS)


def _closure(data: Mapping[str, Any], system: System) -> certificates.Closure:
    return certificates.Closure(
        tuple(FORMS[FORMS.index(name)] for name in data["channels"]),
        tuple(_control(row, system) for row in data["controls"]),
        tuple(_weights(row) for row in data["invariants"]),
        tuple(_element(row, system) for row in data["basis"]),
    )


def _saturated(data: Mapping[str, Any], system: System) -> certificates.Saturated:
    return certificates.Saturated(tuple(_element(row, system) for row in data["configurations"]))


def _summarised(data: Mapping[str, Any], system: System) -> certificates.Summarised:
    return certificates.Summarised(
        _number(data["k"]), tuple(_element(row, system) for row in data["configurations"])
    )


def _half_duplex(data: Mapping[str, Any], system: System) -> certificates.HalfDuplexCertificate:
    pairs = [_states(row, system) for row in data["pairs"]]
    return certificates.HalfDuplexCertificate(tuple((a, b) for a, b in pairs))


def _equation(data: Mapping[str, Any], system: System) -> certificates.EquationCertificate:
    return certificates.EquationCertificate(tuple(_control(row, system) for row in data["controls"]))


_KINDS: dict[str, Callable[[Mapping[str, Any], System], certificates.Certificate]] = {
    "backward closure": _closure,
    "invariant": _closure,
    certificates.Saturated.kind: _saturated,
    certificates.Summarised.kind: _summarised,
    certificates.HalfDuplexCertificate.kind: _half_duplex,
    certificates.EquationCertificate.kind: _equation,
}


def _states(row: Any, system: System) -> tuple[str, ...]:
    if len(row) != len(system.processes) or any(s not in p.states for p, s in zip(system, row)):
        raise InputError(f"{row!r} in a certificate are not states of the system")
    return tuple(row)


def _control(row: Mapping[str, Any], system: System) -> certificates.Control:
    crashed = tuple(bool(_number(mark)) for mark in row["crashed"])
    if len(crashed) != len(system.channels):
        raise InputError("a configuration of a certificate does not have the channels of the system")
    return _states(row["states"], system), crashed


def _element(row: Mapping[str, Any], system: System) -> Element:
    states, marks = _control(row, system)
    words = tuple(tuple(word) for word in row["words"])
    if len(words) != len(system.channels) or not all(isinstance(m, str) for word in words for m in word):
        raise InputError("a configuration of a certificate does not have the channels of the system")
    return Element(states, marks, words)


def _weights(row: Mapping[str, Any]) -> Weights:
    messages = {}
    for name, message, weight in row["messages"]:
        sender, _, receiver = name.partition("->")
        messages[Channel(sender, receiver), message_from_json(message)] = _number(weight)
    states = {(process, state): _number(weight) for process, state, weight in row["states"]}
    return Weights(states, messages, _number(row["bound"]))


def _number(value: Any) -> int:
    if type(value) is not int:
        raise InputError(f"{value!r} in a certificate is not a number")
    return value
