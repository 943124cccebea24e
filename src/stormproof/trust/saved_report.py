"""Saved results: what `check --json` prints, read back so that somebody else can replay it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import InputError
from ..formats import system_from_json
from ..goals.asks import ask_of
from ..model.ask import RECOVERS, Ask, clean
from ..model.failures import FailureModel
from ..model.failures_json import model_from_json
from ..model.rest import rest_states
from ..model.run import Witness, witness_from_json
from ..model.survival import SurvivalModel
from ..model.system import System
from ..transform.crash_handling import crash_handling
from .replay import BUDGET, replay
from .replay_storm import replay_storm


@dataclass(frozen=True)
class SavedVerdict:
    """A verdict of a saved result, as far as replaying it goes."""

    property: str
    holds: bool | None
    k: int | None
    witness: Witness | None


@dataclass(frozen=True)
class SavedResult:
    """The system and the failure model that a result speaks of, and its verdicts.

    `given` is the system before crash handling was completed or an encoding applied.
    """

    system: System
    model: FailureModel
    verdicts: tuple[SavedVerdict, ...]
    given: System


@dataclass(frozen=True)
class ReplayedVerdict:
    """What the kernel says of one verdict: True it is proved, False the witness is refused, None neither."""

    property: str
    k: int | None
    proved: bool | None
    message: str

    def to_json(self) -> dict[str, Any]:
        return {"property": self.property, "k": self.k, "proved": self.proved, "message": self.message}


def result_from_json(text: str, name: str = "<input>") -> SavedResult:
    """Read a saved result; whatever is wrong with it is an InputError."""
    try:
        data = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as problem:
        raise InputError(f"{name} is not JSON: {problem}") from None
    if not isinstance(data, Mapping) or not {"system", "failures", "verdicts"} <= set(data):
        raise InputError(
            f"{name} is not a saved result", hint="save one with `stormproof check FILE --json > RESULT.json`"
        )
    system = _system(data, "system", name)
    given = _system(data, "given", name) if "given" in data else system
    model = model_from_json(data["failures"] if isinstance(data["failures"], Mapping) else {})
    verdicts = data["verdicts"]
    if not isinstance(verdicts, list):
        raise InputError(f"{name}: the verdicts of the result are not a list")
    return SavedResult(system, model, tuple(_verdict(row, name) for row in verdicts), given)


def _system(data: Mapping[str, Any], key: str, name: str) -> System:
    described = data[key]
    if not isinstance(described, Mapping):
        raise InputError(f"{name}: '{key}' of the result is not an object")
    extra = {"csa", "deterministic", "directed"}
    whole = {"stormproof": data.get("stormproof", 1), **described}
    return system_from_json({k: v for k, v in whole.items() if k not in extra}, name)


def _verdict(row: Any, name: str) -> SavedVerdict:
    if not isinstance(row, Mapping) or not isinstance(row.get("property"), str) or "holds" not in row:
        raise InputError(f"{name}: a verdict of the result lacks its property or its answer")
    k = row.get("witness_k") or row.get("k")
    if k is not None and (not isinstance(k, int) or isinstance(k, bool) or k < 1):
        raise InputError(f"{name}: the bound of {row['property']} is {k!r}, not a positive number")
    witness = row.get("witness")
    return SavedVerdict(
        row["property"], row["holds"], k, None if witness is None else witness_from_json(witness)
    )


def replay_result(result: SavedResult, budget: int = BUDGET) -> tuple[ReplayedVerdict, ...]:
    """Replay every violated verdict of a saved result."""
    return tuple(_answer(result, v, budget) for v in result.verdicts if v.holds is False)


def _answer(result: SavedResult, verdict: SavedVerdict, budget: int) -> ReplayedVerdict:
    if verdict.property == "crash-handling":
        return _crash_handling(result.given)
    if verdict.witness is None:
        return ReplayedVerdict(
            verdict.property, verdict.k, None, "comes without a witness, so there is nothing to replay"
        )
    model = SurvivalModel(result.system, result.model, rest_states(result.system))
    required = next((r for r in result.system.requirements if r.title == verdict.property), None)
    if required is not None and required.under is not None:
        return ReplayedVerdict(
            verdict.property, None, None, "was asked under failures of its own, which are not saved"
        )
    ask = _ask(model, verdict.property) if required is None else ask_of(model, required)
    if ask is not None:
        found = replay_storm(model, ask, verdict.witness)
    else:
        found = replay(result.system, result.model, verdict.property, verdict.k, verdict.witness, budget)
    proved = False if not found.ok else True if found.established else None
    return ReplayedVerdict(verdict.property, verdict.k, proved, found.message)


def _ask(model: SurvivalModel, property: str) -> Ask | None:
    """What a verdict on survival asks; None for the other properties."""
    return {"recovers": RECOVERS, "clean": clean(model.system, model.rest)}.get(property)


def _crash_handling(given: System) -> ReplayedVerdict:
    """A property of the text: what is missing there is looked up again, by the definitions."""
    found = crash_handling(given)
    if found.holds:
        return ReplayedVerdict(
            "crash-handling", None, False, "the system handles every crash, nothing is missing"
        )
    return ReplayedVerdict("crash-handling", None, True, found.sentences[0])
