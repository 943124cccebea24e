"""The place of a system among the classes of the paper's Figure 1.

Decided on perfect channels and for each interference on all channels. Faults that the file declares are
ignored, since the question is what each interference does.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import UnknownName
from ..kernel.model.arguments import check_arguments
from ..kernel.model.failures import Failures
from ..kernel.model.faults import PAPER_KINDS
from ..kernel.model.system import System
from ..limits import as_a_whole, is_over, why_interrupted
from ..options import Knobs, Options
from ..search.checks.api import check
from ..search.checks.implications import candidate_for_any_length
from ..search.checks.properties import (
    HALF_DUPLEX,
    K_ER,
    K_EXH,
    K_MC,
    K_OBI,
    K_SAFE,
    K_SIBI,
    K_WMC,
    RSC,
    SURVIVAL_PROPERTIES,
)
from ..search.checks.report import Report, Verdict
from ..search.checks.request import MAX_K

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: The classes of the figure, and the two that the paper's text adds, in the order of the table.
CLASSES: dict[str, str] = {
    "fifo": "FIFO system",
    "csa": "session automata (CSA)",
    "directed": "directed",
    HALF_DUPLEX.name: HALF_DUPLEX.name,
    RSC.name: "RSC",
    K_EXH.name: "k-exhaustive",
    K_ER.name: "k-ER",
    K_SAFE.name: K_SAFE.name,
    K_MC.name: "k-MC",
    K_WMC.name: "weakly k-MC",
    "bounded": "existentially k-bounded",
}

#: Defined on communicating session automata (marked with a dagger in the figure).
DAGGER = (K_EXH.name, K_ER.name, K_SAFE.name, K_MC.name, K_WMC.name)

INTERFERENCES = ("perfect", *(kind.noun for kind in PAPER_KINDS))


@dataclass(frozen=True)
class Membership:
    """In the class (with the least k where there is one), not in it, or unknown (with the reason).

    `applies` is False where no search and no theorem could tell, whatever the limits.
    """

    holds: bool | None
    k: int | None = None
    reason: str = ""
    applies: bool = True

    def __bool__(self) -> bool:
        return self.holds is True

    def to_json(self) -> dict[str, Any]:
        return {"holds": self.holds, "k": self.k, "reason": self.reason, "applies": self.applies}


def _unknown(reason: str) -> Membership:
    return Membership(None, reason=reason, applies=False)


@dataclass(frozen=True)
class Standing:
    """The classes that the system is in under one interference."""

    interference: str
    report: Report
    classes: Mapping[str, Membership]

    def __getitem__(self, name: str) -> Membership:
        if name not in self.classes:
            raise UnknownName("class", name, self.classes)
        return self.classes[name]

    @property
    def survival(self) -> tuple[Verdict, ...]:
        """The verdicts on survival and requirements, where they were asked."""
        return tuple(v for v in self.report if v.survival)

    def to_json(self) -> dict[str, Any]:
        asked = {"survival": [v.to_json() for v in self.survival]} if self.survival else {}
        return {
            "interference": self.interference,
            "classes": {name: found.to_json() for name, found in self.classes.items()},
            **asked,
            "notes": list(self.notes),
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """What the verdicts say beside, each once, with the properties that it belongs to."""
        found: dict[str, list[str]] = {}
        for verdict in self.report:
            for note in verdict.notes:
                found.setdefault(note, []).append(verdict.property)
        return (*self.report.notes, *(f"{', '.join(names)}: {note}" for note, names in found.items()))


@dataclass(frozen=True)
class Standings:
    """Where a system stands, for perfect channels and for each interference, less those that were `left_out`
    since Ctrl-C or the time limit came before: `why`."""

    system: System
    max_k: int
    standings: tuple[Standing, ...]
    left_out: tuple[str, ...] = ()
    why: str = "interrupted"

    @property
    def asked(self) -> tuple[str, ...]:
        return tuple(standing.interference for standing in self.standings)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was not asked, if anything."""
        if not self.left_out:
            return ()
        return (f"{self.why}: nothing was asked under {', '.join(self.left_out)}",)

    def __getitem__(self, interference: str) -> Standing:
        for standing in self.standings:
            if standing.interference == interference:
                return standing
        raise UnknownName("interference", interference, (s.interference for s in self.standings))

    @property
    def limited(self) -> bool:
        """Did a limit, or Ctrl-C, leave something undecided?"""
        if self.left_out:
            return True
        open_bound = any(s["bounded"].holds is None and s["bounded"].applies for s in self.standings)
        return open_bound or any(v.holds is None for s in self.standings for v in s.report)

    @property
    def exit_code(self) -> int:
        """3 where a limit left something undecided, else 0."""
        return 3 if self.limited else 0

    def __bool__(self) -> bool:
        return self.exit_code == 0

    def to_json(self) -> dict[str, Any]:
        return {
            "stormproof": 1,
            "system": self.system.name,
            "max_k": self.max_k,
            "standings": [s.to_json() for s in self.standings],
            "notes": list(self.notes),
        }


@as_a_whole
def classify(
    system: System,
    *,
    max_k: int | None = None,
    corrupt_scope: str = "channel",
    survival: bool = False,
    **knobs: Unpack[Knobs],
) -> Standings:
    """The classes of a system for perfect channels and under loss, corruption and reordering.

    With `survival` also `recovers`, `clean` and the requirements of the file that name no failures. Ctrl-C
    and the time limit leave out the interferences that come after the one being asked.
    """
    check_arguments(system)
    options, interrupted = Options().but(**knobs), False

    def ask(failures: Failures, names: tuple[str, ...], k: int | None = None) -> Report:
        report = check(
            system,
            failures,
            k=k,
            max_k=max_k,
            properties=names,
            options=options,
        )
        nonlocal interrupted
        interrupted = interrupted or report.interrupted
        return report

    def standing(interference: str) -> Standing:
        failures = _failures(interference, corrupt_scope)
        report = ask(failures, _properties(system, survival))
        classes = dict(_structural(report.system)) | dict(_decided(report))
        classes[HALF_DUPLEX.name] = _half_duplex(report)
        beside = (K_EXH.name, K_OBI.name, K_SIBI.name)
        classes["bounded"] = _bounded(report, max_k or MAX_K, lambda k: ask(failures, beside, k))
        return Standing(interference, report, {name: classes[name] for name in CLASSES})

    found: list[Standing] = []
    with suppress(KeyboardInterrupt):  # outside of a search
        while len(found) < len(INTERFERENCES) and not interrupted and not is_over():
            found.append(standing(INTERFERENCES[len(found)]))
    left_out = INTERFERENCES[len(found) :]
    return Standings(system, max_k or MAX_K, tuple(found), left_out, why_interrupted())


def _failures(interference: str, scope: str) -> Failures:
    chosen: dict[str, Any] = {kind.keyword: kind.noun == interference for kind in PAPER_KINDS}
    return Failures(**chosen, corrupt_scope=scope, file_faults=False)


def _properties(system: System, survival: bool) -> tuple[str, ...]:
    two = (HALF_DUPLEX.name,) if len(system.processes) == 2 else ()
    required = (r.title for r in system.requirements if r.under is None and not r.claims_property)
    asked = (*SURVIVAL_PROPERTIES, *required) if survival else ()
    return (*DAGGER, RSC.name, *two, *asked)


def _structural(system: System) -> Mapping[str, Membership]:
    return {
        "fifo": Membership(True),
        "csa": Membership(system.csa, reason=_why_no_csa(system)),
        "directed": Membership(
            system.directed, reason=_place(system.classification.undirected, "has two peers")
        ),
    }


def _why_no_csa(system: System) -> str:
    mixed = _place(system.classification.mixed, "sends and receives")
    return mixed or _place(system.classification.nondeterministic, "is not deterministic")


def _place(where: tuple[tuple[str, str], ...], what: str) -> str:
    return f"state {where[0][1]} of {where[0][0]} {what}" if where else ""


def _decided(report: Report) -> Mapping[str, Membership]:
    return {
        v.property: Membership(v.holds, v.k, v.reason) for v in report if v.property in (*DAGGER, RSC.name)
    }


def _half_duplex(report: Report) -> Membership:
    found = [v for v in report if v.property == HALF_DUPLEX.name]
    if not found:
        return _unknown("defined for two processes")
    return Membership(found[0].holds, reason=found[0].reason)


def _bounded(report: Report, max_k: int, ask: Any) -> Membership:
    """Existentially k-bounded, where k-exhaustivity implies it (definitions 3.10): perfect channels, CSA,
    no internal action, and directed or k-obi and k-sibi at the same k. Otherwise nothing is known."""
    exhaustive = report[K_EXH.name]
    if not candidate_for_any_length(report.system, report.model):
        return _unknown(_why_no_theorem(report))
    if exhaustive.holds is None:
        return Membership(None, reason=exhaustive.reason)
    if exhaustive.k is None or not exhaustive.holds:
        return _unknown("not k-exhaustive for any k that was tried, so no theorem says it")
    if report.system.directed:
        return Membership(True, exhaustive.k, f"{exhaustive.k}-exhaustive and directed")
    for k in range(exhaustive.k, max_k + 1):
        verdicts: list[Verdict] = list(ask(k))
        if all(v.holds for v in verdicts):
            return Membership(True, k, f"{k}-exhaustive, {k}-OBI and {k}-SIBI")
        undecided = next((v for v in verdicts if v.holds is None), None)
        if undecided is not None:
            return Membership(None, reason=f"{undecided.property}: {undecided.reason}")
    return _unknown("neither directed nor k-OBI and k-SIBI, so no theorem says it")


def _why_no_theorem(report: Report) -> str:
    if not report.model.perfect:
        return "the theorem is for perfect channels"
    return "the theorem is for CSA without internal actions"
