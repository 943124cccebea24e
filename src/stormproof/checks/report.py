"""What a check answers: verdicts with their evidence, gathered in a report, and its JSON form."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import UsageError, did_you_mean
from ..formats import system_to_json
from ..model.conflict_graph import ConflictGraph, conflict_of, conflict_to_json
from ..model.failures import FailureModel, Failures
from ..model.failures_json import failures_to_json, model_to_json
from ..model.run import Witness
from ..model.system import System

#: Every property that can be asked for, as semantics.md names them, and what it says in a few words.
PROPERTIES: dict[str, str] = {
    "k-exh": "every send of a sending state can be fired within the bound",
    "k-exh-literal": "the same, as the paper's text has it: the process itself may act before",
    "k-er": "every message at the head of a channel can still be received",
    "k-wer": "from every channel that holds a message something can still be received",
    "k-pg": "every process that waits to receive can still receive",
    "k-safe": "k-er and k-pg",
    "k-mc": "k-multiparty compatible: k-exh, k-er and k-pg",
    "k-wmc": "weakly k-multiparty compatible: k-exh and k-er",
    "k-obi": "output bound independent: if one send of a state fits, all do",
    "k-sibi": "strongly input bound independent: receptions do not race",
    "rsc": "realisable with synchronous communication",
    "half-duplex": "never both channels of two processes hold messages",
    "crash-handling": "every crash is announced and handled",
    "k-er-up-to-crash": "k-er, messages to a crashed process excused",
    "k-exh-up-to-crash": "k-exh, sends to a crashed process excused",
    "k-wmc-up-to-crash": "k-wmc, what goes to a crashed process excused",
}


DEFAULT_PROPERTIES = ("k-exh", "k-er", "k-pg", "k-mc", "k-wmc", "rsc")


CRASH_PROPERTIES = ("crash-handling", "k-er-up-to-crash", "k-exh-up-to-crash", "k-wmc-up-to-crash")


@dataclass(frozen=True)
class Tried:
    """One bound of a search for the least k; `holds` None: a limit stopped it."""

    k: int
    holds: bool | None

    def to_json(self) -> dict[str, Any]:
        return {"k": self.k, "holds": self.holds}


@dataclass(frozen=True)
class Verdict:
    """Holds (True), violated (False, with a witness) or undecided (None, and `reason` says which limit).

    `k` is the bound that the verdict speaks of: the one asked for, or the least at which the property holds;
    None where there is no bound, or where the property fails for every k that was tried. `notes` say what the
    verdict implies and what it does not. `replayed`: True when the replay kernel accepted the witness,
    None when there is none or the kernel was not asked. `stopped`: the limit that left it undecided (time,
    memory, states, interrupted).
    """

    property: str
    holds: bool | None
    k: int | None = None
    reason: str = ""
    states: int = 0
    transitions: int = 0
    seconds: float = 0.0
    witness: Witness | None = None
    tried: tuple[Tried, ...] = ()
    notes: tuple[str, ...] = ()
    replayed: bool | None = None
    witness_k: int | None = None
    stopped: str = ""

    @builtins.property
    def word(self) -> str:
        return {True: "holds", False: "violated", None: "undecided"}[self.holds]

    def _repr_html_(self) -> str:
        from ..draw.page.notebook import verdict_html

        return verdict_html(self)

    @builtins.property
    def conflict(self) -> ConflictGraph | None:
        """Against RSC: the conflict graph of the witness, whose `cycle()` is what is wrong with it."""
        return None if self.witness is None else conflict_of(self.witness)

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {
            "property": self.property,
            "k": self.k,
            "holds": self.holds,
            "reason": self.reason,
            "states": self.states,
            "transitions": self.transitions,
            "seconds": round(self.seconds, 6),
            "witness": None if self.witness is None else self.witness.to_json(),
        }
        if self.tried:
            data["tried"] = [t.to_json() for t in self.tried]
        if self.notes:
            data["notes"] = list(self.notes)
        if self.witness is not None:
            data["replayed"] = self.replayed
            data["witness_k"] = self.witness_k
            if self.conflict is not None:
                data["conflict"] = conflict_to_json(self.conflict)
        return data


@dataclass(frozen=True)
class Report:
    """The answer to one check.

    `system` is what was checked: the given one, with crash handling completed or encodings applied
    where `notes` say so; `given`, with who may crash marked, is what `crash-handling` speaks of. `model` is
    the failure model resolved against the system.
    """

    system: System
    failures: Failures
    model: FailureModel
    verdicts: tuple[Verdict, ...]
    notes: tuple[str, ...] = ()
    semantics: str = "definition"
    seconds: float = 0.0
    given: System | None = None

    def __getitem__(self, name: str) -> Verdict:
        for verdict in self.verdicts:
            if verdict.property == name:
                return verdict
        known = [v.property for v in self.verdicts]
        raise UsageError(
            f"the report has no verdict on '{name}'; it has {', '.join(known)}",
            hint=did_you_mean(name, known),
        )

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self.verdicts)

    @property
    def exit_code(self) -> int:
        """0 everything holds, 1 something is violated, 3 something is undecided and nothing violated."""
        answers = [v.holds for v in self.verdicts]
        if False in answers:
            return 1
        return 3 if None in answers else 0

    @property
    def interrupted(self) -> bool:
        """Did Ctrl-C leave something undecided? Then whoever asks several questions asks no more."""
        return any(v.stopped == "interrupted" for v in self.verdicts)

    def _repr_html_(self) -> str:
        from ..draw.page.notebook import report_html

        return report_html(self)

    def to_json(self) -> dict[str, Any]:
        """What `check --json` prints; docs/json.md and schemas/report.schema.json describe it."""
        changed = self.given is not None and self.given != self.system
        return {
            "stormproof": 1,
            "system": _described(self.system),
            **({"given": _described(self.given)} if self.given is not None and changed else {}),
            "failures": {**failures_to_json(self.failures), **model_to_json(self.model)},
            "semantics": self.semantics,
            "notes": list(self.notes),
            "seconds": round(self.seconds, 6),
            "verdicts": [v.to_json() for v in self.verdicts],
        }


def _described(system: System) -> dict[str, Any]:
    described, classes = system_to_json(system), system.classification
    described.pop("stormproof", None)
    return described | {
        "csa": classes.csa,
        "deterministic": classes.deterministic,
        "directed": classes.directed,
    }
