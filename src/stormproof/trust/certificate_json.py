"""Certificates that properties hold, as self-contained files that anybody can check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import InputError
from ..kernel.model.actions import Configuration, Receive, Send
from ..kernel.model.failures import FailureModel
from ..kernel.model.failures_json import model_from_json, model_to_json
from ..kernel.model.message_json import message_from_json, message_to_json
from ..kernel.model.run import Act, step_from_json, step_to_json
from ..kernel.model.system import System
from ..kernel.semantics.silent_steps import FiredAction
from ..kernel.transform.mailboxes import act_with_sender, with_senders
from ..languages.formats import system_from_json, system_to_json
from ..languages.formats.json_values import load_json, same_json
from ..languages.formats.read_data import understood
from .check_certificate import BoundedCertificate, CertifiedGoal, CertifiedStep

_ENDS: dict[type[Send] | type[Receive] | None, tuple[str, str]] = {
    Send: ("send", "to"),
    Receive: ("receive", "from"),
    None: ("proceed", "with"),
}


def certificate_to_json(
    system: System, failures: FailureModel, certificate: BoundedCertificate
) -> dict[str, Any]:
    """The system, its failure model and the certificate; configurations are referred to by their number."""
    return {
        "stormproof": 1,
        "property": certificate.property,
        "k": certificate.k,
        "system": {k: v for k, v in system_to_json(system).items() if k != "stormproof"},
        "failures": model_to_json(failures),
        "processes": list(system.names),
        "channels": [list(channel) for channel in system.channels],
        "configurations": [
            {"states": list(at.states), "words": [[message_to_json(m) for m in word] for word in at.words]}
            for at in certificate.configurations
        ],
        "runs": [
            {**_goal_to_json(goal), "steps": {str(at): _move_to_json(move) for at, move in run.items()}}
            for goal, run in certificate.runs.items()
        ],
    }


def _goal_to_json(goal: CertifiedGoal) -> dict[str, Any]:
    verb, end = _ENDS[goal.kind]
    data: dict[str, Any] = {"process": goal.process, "do": verb}
    if goal.peer is not None:
        data[end] = goal.peer
    if goal.message is not None:
        data["message"] = message_to_json(goal.message)
    return {**data, "still": True} if goal.still else data


def _move_to_json(move: CertifiedStep) -> dict[str, Any]:
    if move.event is None:
        return {"do": "interfere", "leads_to": move.after}
    act = step_to_json(Act(*move.event, state=""))
    return {**{k: v for k, v in act.items() if k != "state"}, "leads_to": move.after}


def is_certificate(text: str) -> bool:
    """Does this look like a certificate, right or wrong, and not like a saved result?"""
    try:
        data = load_json(text, "")
    except InputError:
        return False
    return isinstance(data, Mapping) and {"configurations", "runs"} <= set(data)


def certificate_from_json(
    text: str, name: str = "<input>"
) -> tuple[System, FailureModel, BoundedCertificate]:
    """The inverse of `certificate_to_json`; whatever is wrong with the text is an InputError."""
    data = load_json(text, name)
    with understood(name, "a certificate"):
        system = with_senders(system_from_json({"stormproof": data["stormproof"], **data["system"]}, name))
        model = model_from_json(data["failures"])
        if [*data["processes"]] != [*system.names] or [*map(tuple, data["channels"])] != [*system.channels]:
            raise InputError(f"{name}: the processes or channels are not those of the system")
        certificate = BoundedCertificate(
            _is(data["property"], str),
            _is(data["k"], int),
            tuple(_configuration(row) for row in data["configurations"]),
            {_goal(row): _run(system, row["steps"]) for row in data["runs"]},
        )
    again = certificate_to_json(system, model, certificate)
    wrong = [key for key in (*data, *again) if key not in again or key not in data]
    wrong += [key for key in again if key != "system" and not same_json(again[key], data.get(key))]
    if wrong:
        raise InputError(f"{name}: '{wrong[0]}' of the certificate is not written as it should be")
    return system, model, certificate


def _is(value: Any, kind: type[Any]) -> Any:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError(f"{value!r} is not of the right kind")
    return value


def _configuration(row: Mapping[str, Any]) -> Configuration:
    words = tuple(tuple(message_from_json(m) for m in word) for word in row["words"])
    return Configuration(tuple(_is(state, str) for state in row["states"]), words)


def _goal(row: Mapping[str, Any]) -> CertifiedGoal:
    kind, end = {verb: (kind, end) for kind, (verb, end) in _ENDS.items()}[row["do"]]
    peer = None if row.get(end) is None else _is(row[end], str)
    message = None if row.get("message") is None else message_from_json(row["message"])
    return CertifiedGoal(_is(row["process"], str), kind, peer, message, row.get("still") is True)


def _run(system: System, steps: Mapping[str, Any]) -> dict[int, CertifiedStep]:
    return {int(at): _move(system, step) for at, step in steps.items()}


def _move(system: System, row: Mapping[str, Any]) -> CertifiedStep:
    after = _is(row["leads_to"], int)
    if row["do"] == "interfere":
        return CertifiedStep(None, after)
    act = step_from_json({**row, "state": ""})
    if not isinstance(act, Act):
        raise TypeError(f"{row['do']!r} is not an action")
    act = act_with_sender(system, act)
    return CertifiedStep(FiredAction(act.process, act.action), after)
