"""What a check answers: verdicts with their evidence, gathered in a report, and its JSON form."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from dataclasses import field
from typing import TYPE_CHECKING, Any

from ...errors import UnknownName
from ...kernel.data.system import DataSystem
from ...kernel.model.failures import FailureModel, Failures
from ...kernel.model.failures_json import failures_to_json, model_to_json
from ...kernel.model.failures_text import describe_failures
from ...kernel.model.in_a_row import InARow
from ...kernel.model.part import in_part
from ...kernel.model.requirement import Requirement
from ...kernel.model.run import Witness
from ...kernel.model.status import REPLAYED, Status, status_of
from ...kernel.model.system import System
from ...records import dataclass
from .properties import PROPERTIES, Decision

if TYPE_CHECKING:
    from ...kernel.model.conflict_graph import ConflictGraph
    from .on_time import OnTime
    from .outcome import Proof, Tried


#: Begins the note on a run that is possible, of which the kernel has not established what it claims.
AS_A_RUN = "replayed as a run"


@dataclass(frozen=True)
class OtherCulprit:
    """Another process, or channel, that violates the property: its sentence and its run."""

    name: str
    reason: str
    witness: Witness

    def to_json(self) -> dict[str, Any]:
        return {"culprit": self.name, "reason": self.reason, "witness": self.witness.to_json()}


@dataclass(frozen=True)
class Verdict:
    """Holds (True), violated (False, with a witness) or undecided (None, and `reason` says which limit).

    `k` is the bound that the verdict speaks of: the one asked for, or the least at which the property holds;
    None where there is no bound, or where the property fails for every k that was tried. `notes` say what the
    verdict implies and what it does not; `vacuous`, those of them that say why it says nothing. `replayed`:
    True when the replay kernel accepted the witness, None when there is none or the kernel was not asked.
    `stopped`: the limit that left it undecided (time, memory, states, interrupted). `part`: which part of a
    conjunction the witness violates, or the property.
    `fewest`: no run with fewer faults violates it, of a k-property within its bound. `others`: who else
    violates a k-property, each with its run.

    Of survival and requirements: `up_to` is the largest number of messages per channel of the storms that
    were explored, None where the verdict is one for channels of any length; `tolerated`: where a limit ended
    the search, so many faults are survived. `counts`: the exit code depends on it. `certificate`: what proves
    it, if certificates were asked for, and `fewest_certificate`: that it holds with fewer faults.
    `unbounded`: the question was for channels of any length. `in_a_row`: who sends more messages in a row
    than `up_to`. `on_time`: what a violation with timers at any time becomes with timers on time. `own`: of a
    requirement with failures of its own, and of a verdict that is given alone, the report on it.
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
    vacuous: tuple[str, ...] = ()
    replayed: bool | None = None
    witness_k: int | None = None
    part: str = ""
    up_to: int | None = None
    fewest: bool = False
    others: tuple[OtherCulprit, ...] = ()
    tolerated: int | None = None
    counts: bool = True
    requirement: Requirement | None = None
    stopped: str = ""
    certificate: Proof | None = None
    fewest_certificate: Proof | None = None
    unbounded: bool = False
    in_a_row: InARow | None = None
    on_time: OnTime | None = None
    own: Report | None = field(default=None, repr=False, compare=False)

    @builtins.property
    def word(self) -> str:
        return {True: "holds", False: "violated", None: "undecided"}[self.holds]

    @builtins.property
    def replay_words(self) -> str:
        """How far its run was replayed."""
        if self.replayed:
            return REPLAYED
        return AS_A_RUN if any(note.startswith(AS_A_RUN) for note in self.notes) else "not replayed"

    @builtins.property
    def status(self) -> Status:
        """What it amounts to: everything that prints a verdict takes its sign from here."""
        expected = self.requirement is None or not self.requirement.violated
        return status_of(self.holds, self.up_to, expected, self.unbounded)

    @builtins.property
    def ok(self) -> bool | None:
        """Is it as it should be? A violation that the file expects is."""
        return self.status.passed

    @builtins.property
    def survival(self) -> bool:
        """Does the verdict speak of channels of any length, or of storms up to a length?"""
        if self.requirement is not None:
            return not self.requirement.claims_property
        return PROPERTIES[self.property].decision is Decision.SURVIVAL

    @builtins.property
    def k_bounded(self) -> bool:
        """Does the verdict speak of channels of at most k messages?"""
        return self.property in PROPERTIES and PROPERTIES[self.property].bounded

    @builtins.property
    def faults(self) -> int | None:
        """How many faults the run has, where there is one."""
        return None if self.witness is None else self.witness.fault_count

    def __bool__(self) -> bool:
        return self.ok is True

    def __str__(self) -> str:
        from .report_text import verdict_text

        return verdict_text(self)

    def __repr__(self) -> str:
        return f"<Verdict {self.status.sign} {self.property}: {self.word}>"

    def _repr_html_(self) -> str:
        from ...tell.draw.page.notebook import verdict_html

        return verdict_html(self)

    @builtins.property
    def conflict(self) -> ConflictGraph | None:
        """Against RSC: the conflict graph of the witness, whose `cycle()` is what is wrong with it."""
        from ...kernel.model.conflict_graph import conflict_of

        return None if self.witness is None else conflict_of(self.witness)

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {
            "property": self.property,
            "k": self.k,
            "holds": self.holds,
            "status": self.status.value,
            "reason": self.reason,
            "states": self.states,
            "transitions": self.transitions,
            "seconds": round(self.seconds, 6),
            "witness": None if self.witness is None else self.witness.to_json(),
        }
        if self.survival:
            del data["k"]
            data |= {"up_to": self.up_to, "faults": self.faults, "fewest": self.fewest}
            if self.tolerated is not None:
                data["tolerated"] = self.tolerated
            if self.in_a_row is not None:
                data["in_a_row"] = self.in_a_row.to_json()
            if self.on_time is not None:
                data["on_time"] = self.on_time.to_json()
        elif self.witness is not None and self.k_bounded:
            data |= {"faults": self.faults, "fewest": self.fewest}
        if self.others:
            data["others"] = [other.to_json() for other in self.others]
        data["counts"] = self.counts
        if self.requirement is not None:
            from ...languages.formats.json_requirements import requirement_to_json

            data["requirement"] = requirement_to_json(self.requirement)
        if self.tried:
            data["tried"] = [{"k": t.k, "holds": t.holds} for t in self.tried]
        if self.notes:
            data["notes"] = list(self.notes)
        if self.vacuous:
            data["vacuous"] = list(self.vacuous)
        if self.certificate is not None:
            data["certificate"] = self.certificate.to_json()
        if self.fewest_certificate is not None:
            data["fewest_certificate"] = self.fewest_certificate.to_json()
        if self.witness is not None:
            data["replayed"] = self.replayed
            data["witness_k"] = self.witness_k
            if self.conflict is not None:
                from ...kernel.model.conflict_graph import conflict_to_json

                data["conflict"] = conflict_to_json(self.conflict)
        return data


@dataclass(frozen=True)
class Report:
    """The answer to one check.

    `system` is what was checked: the given one, with crash handling completed or encodings applied
    where `notes` say so; `given`, with who may crash marked, is what `crash-handling` speaks of. `model` is
    the failure model resolved against the system. Stops and restarts are actions of `system`; `prepared`
    is the system without them. `asked`: the properties and requirements that were asked for by name, None
    where nothing was. `without_effect`: those of the notes that say which faults change nothing. `unbounded`:
    what holds up to some channel length only was no answer.
    """

    system: System
    failures: Failures
    model: FailureModel
    verdicts: tuple[Verdict, ...]
    notes: tuple[str, ...] = ()
    without_effect: tuple[str, ...] = ()
    semantics: str = "definition"
    seconds: float = 0.0
    given: System | None = None
    prepared: System | None = None
    asked: tuple[str, ...] | None = None
    unbounded: bool = False

    def __getitem__(self, name: str) -> Verdict:
        """The verdict of this name; of a requirement only where no property has the name."""
        found = [verdict for verdict in self.verdicts if verdict.property == name]
        if found:
            return next((v for v in found if v.requirement is None), found[0])
        raise UnknownName("verdict on", name, (v.property for v in self.verdicts))

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self.verdicts)

    def of(self, verdict: Verdict) -> Report:
        """The report whose system and failures a verdict, and its run, are about."""
        return self if verdict.own is None else verdict.own

    @property
    def assumed(self) -> str:
        """What may go wrong, in words: which faults where, who crashes and who learns of it."""
        return describe_failures(self.given or self.system, self.model, self.failures.budget)

    @property
    def exit_code(self) -> int:
        """0 everything holds, 1 something is violated, 3 something is undecided and nothing violated."""
        answers = [v.ok for v in self.verdicts if v.counts]
        if False in answers:
            return 1
        return 3 if None in answers or not answers else 0

    def __bool__(self) -> bool:
        return self.exit_code == 0

    @property
    def vacuous(self) -> tuple[str, ...]:
        """What holds and says nothing, and faults that change nothing: an error with `--strict`."""
        said = (f"{v.property}: {sentence}" for v in self.verdicts for sentence in v.vacuous)
        return (*self.without_effect, *said)

    @property
    def answer(self) -> str:
        """Everything that counts, in one sentence."""
        from .sentence import answer

        return answer(self)

    @property
    def shown(self) -> Verdict | None:
        """The violation whose run is shown first: of what the file requires, else of what was asked; that
        with the fewest faults, then actions."""
        from .sentence import shown

        return shown(self)

    @property
    def interrupted(self) -> bool:
        """Did Ctrl-C leave something undecided? Then whoever asks several questions asks no more."""
        return any(v.stopped == "interrupted" for v in self.verdicts)

    def __repr__(self) -> str:
        found = ", ".join(f"{v.status.sign} {v.property}" for v in self)
        return f"<Report on {self.system.name or 'a system'}: {found}>"

    def __str__(self) -> str:
        """A line per verdict, and the run of the first violation in sentences."""
        from .report_text import report_text

        return report_text(self)

    def _repr_html_(self) -> str:
        from ...tell.draw.page.notebook import report_html

        return report_html(self)

    def to_json(self) -> dict[str, Any]:
        """What `check --json` prints; docs/json.md and schemas/report.schema.json describe it."""
        system = self.prepared or self.system
        changed = self.given is not None and self.given != system
        return {
            "stormproof": 1,
            "system": _described(system),
            **({"given": _described(self.given)} if self.given is not None and changed else {}),
            **({"roles": "python"} if self.given is not None and self.given.extracted else {}),
            **_source(self.given),
            "failures": {**failures_to_json(self.failures), **model_to_json(self.model)},
            "assumed": self.assumed,
            "semantics": self.semantics,
            "asked": None if self.asked is None else list(self.asked),
            "answer": self.answer,
            **({"unbounded": True} if self.unbounded else {}),
            "notes": list(self.notes),
            **({"without_effect": list(self.without_effect)} if self.without_effect else {}),
            "seconds": round(self.seconds, 6),
            "verdicts": [v.to_json() for v in self.verdicts],
        }


def _source(given: System | None) -> dict[str, Any]:
    """Of roles with variables the text that they were made of, and its constants, so that `replay` makes them
    again. Automata that are made in part are taken as they are."""
    source = given.source if isinstance(given, DataSystem) and not in_part(given) else None
    return {} if source is None else {"source": {"text": source.text, "constants": dict(source.given)}}


def _described(system: System) -> dict[str, Any]:
    from ...languages.formats import system_to_json

    described, classes = system_to_json(system), system.classification
    described.pop("stormproof", None)
    return described | {
        "csa": classes.csa,
        "deterministic": classes.deterministic,
        "directed": classes.directed,
    }
