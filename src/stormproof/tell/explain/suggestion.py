"""A suggestion: lines with which a protocol survives, where they go, and how a person reads it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...kernel.model.phrases import listed, plural
from ...kernel.model.system import System
from ...languages.formats.storm_insert import Insertion, InsertionPoints, OtherTarget, inserted
from ...search.checks.headline import extent
from ...search.checks.properties import RECOVERS
from ...search.checks.report import Verdict
from .addition import Addition, Redirect
from .kept_traces import KeptTraces


@dataclass(frozen=True)
class Suggestion:
    """Lines that repair what is broken. `system` is the protocol with them and `verdicts` what a check
    answers then: what was violated and holds is `repaired`, what is violated still is `violated`.
    `keeps_clean`: if no message was left behind without faults, none is now. `claims`: the states in which
    a `rest` line of it says that a role may stay for ever, and before nobody did. `traces`: whether what the
    protocol does without faults is kept. `redirects`: lines of the protocol that lead to other states."""

    additions: tuple[Addition, ...]
    system: System
    repaired: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    violated: tuple[str, ...] = ()
    keeps_clean: bool = True
    claims: tuple[tuple[str, str], ...] = ()
    traces: KeptTraces = field(default_factory=lambda: KeptTraces(None))
    redirects: tuple[Redirect, ...] = ()

    @property
    def rank(self) -> tuple[int, ...]:
        """What goes first is lower: nothing is only said to be at rest, the most is mended, and what the
        protocol does without faults is kept."""
        alternatives = sum(len(a.parts) for a in self.additions)
        mended = (bool(self.claims), len(self.violated), -len(self.repaired))
        doubts = (self.traces.gives_up, self.traces.kept is not True, not self.keeps_clean)
        return (*mended, *doubts, len(self.additions) + len(self.redirects), alternatives)

    @property
    def costs(self) -> tuple[str, ...]:
        """What it changes without faults, where a timer expires early perhaps."""
        changed = {
            True: (),
            None: ("whether it keeps the traces without faults was not decided",),
            False: (f"without faults, {self.traces.difference}",),
        }[self.traces.kept]
        late = () if self.keeps_clean else ("without faults, late messages may then be left behind",)
        return (*changed, *late)

    def insertions(self, text: str) -> tuple[Insertion, ...]:
        """The lines of a .storm text of the protocol, with their indentation, and where they go."""
        points = InsertionPoints(text)
        return tuple(
            points.statement(a.text) if a.rest else points.alternative(a.role, a.state, a.text)
            for a in self.additions
        )

    def other_targets(self, text: str) -> tuple[OtherTarget, ...]:
        """Where a .storm text of the protocol names the targets that change."""
        points = InsertionPoints(text)
        return tuple(points.other_target(r.role, r.before, r.target) for r in self.redirects)

    def insert(self, text: str) -> str:
        """A .storm text of the protocol with the lines of the suggestion."""
        return inserted(text, (*self.insertions(text), *self.other_targets(text)))

    @property
    def title(self) -> str:
        """`With 2 more lines the protocol survives (any channel length), and bricked is still violated`."""
        found = {v.property: v for v in self.verdicts}
        what = [
            f"{'the protocol survives' if name == RECOVERS.name else f'{name} holds'} ({extent(found[name])})"
            for name in self.repaired
        ]
        still = (
            f", and {listed(self.violated)} {'is' if len(self.violated) == 1 else 'are'} still violated"
            if self.violated
            else ""
        )
        cost = "".join(f"; {cost}" for cost in self.costs)
        changed = f" and {plural(len(self.redirects), 'changed line')}" if self.redirects else ""
        return f"With {plural(len(self.additions), 'more line')}{changed} {listed(what)}{still}{cost}"

    @property
    def said(self) -> tuple[str, ...]:
        """What the `rest` lines claim, of which no check can say that it is so."""
        return tuple(f"{role} may stay in {state} for ever" for role, state in self.claims)

    def lines(self, text: str | None = None) -> list[str]:
        """The title, and each line with its place; with the .storm text, the number of the line above it."""
        shown = [f"{self.title}:", *(f"  this claims that {claim}" for claim in self.said)]
        placed = self.insertions(text) if text else (None,) * len(self.additions)
        for addition, insertion in zip(self.additions, placed):
            where = f"  in {addition.role}, state {addition.state}"
            if insertion is None:
                shown += [where, f"    {addition.text}"]
            else:
                shown += [f"{where}, below line {insertion.below}", f"    {insertion.text}"]
        moved = self.other_targets(text) if text else (None,) * len(self.redirects)
        for redirect, place in zip(self.redirects, moved):
            where = f"  in {redirect.role}, state {redirect.before.source}"
            line = "" if place is None else f", line {place.line}"
            shown += [f"{where}{line}, instead of {redirect.old_text}", f"    {redirect.text}"]
        return shown

    def to_json(self, text: str | None = None) -> dict[str, Any]:
        lines: list[dict[str, Any]] = [
            {"role": a.role, "state": a.state, "text": a.text} for a in self.additions
        ]
        for line, insertion in zip(lines, self.insertions(text) if text else ()):
            line |= {"text": insertion.text, "below": insertion.below}
        changed: list[dict[str, Any]] = [
            {"role": r.role, "state": r.before.source, "text": r.text, "replaces": r.old_text}
            for r in self.redirects
        ]
        for line, place in zip(changed, self.other_targets(text) if text else ()):
            line["line"] = place.line
        return {
            "title": self.title,
            "repaired": list(self.repaired),
            "lines": lines,
            "changed": changed,
            "violated": list(self.violated),
            "claims": list(self.said),
            "keeps_clean": self.keeps_clean,
            "keeps_traces": self.traces.kept,
            "costs": list(self.costs),
            "verdicts": [
                {"property": v.property, "holds": v.holds, "up_to": v.up_to}
                for v in self.verdicts
                if v.survival
            ],
        }
