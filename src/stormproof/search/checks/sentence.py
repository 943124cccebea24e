"""The answer to a check in one sentence, the order in which verdicts are read, and whose run is shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ...kernel.model.faults import CUT
from ...kernel.model.phrases import arrow, cut_name, listed, plural
from ...kernel.model.run import Witness
from ...kernel.model.status import Status
from .properties import RECOVERS
from .report import Report, Verdict


def ordered(verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """What the file requires comes first, then what is asked of every protocol, then the classes."""
    return tuple(sorted(verdicts, key=lambda v: (v.requirement is None, not v.survival and not v.counts)))


def shown(report: Report) -> Verdict | None:
    """The violation whose run is shown: of what the file requires, else of what was asked; the fewest faults,
    then the fewest actions."""
    violated = [v for v in report if v.counts and v.ok is False and v.witness is not None]
    return min(violated, key=_weight, default=None)


def _weight(verdict: Verdict) -> tuple[bool, int, int]:
    assert verdict.witness is not None
    return verdict.requirement is None, verdict.witness.fault_count, len(verdict.witness.acts)


def answer(report: Report) -> str:
    """One sentence on everything that counts."""
    called = report.system.name or "the protocol"
    by_status = {status: [v for v in report if v.counts and v.status is status] for status in Status}
    if by_status[Status.VIOLATED]:
        return _broken(report, called, by_status[Status.VIOLATED])
    if by_status[Status.UNDECIDED] or not any(by_status.values()):
        return _undecided(called, by_status[Status.UNDECIDED])
    held = [*by_status[Status.PROVED], *by_status[Status.BOUNDED]]
    return f"{_held(report, called, held, by_status[Status.KNOWN_LIMIT])}."


def _broken(report: Report, called: str, violated: Sequence[Verdict]) -> str:
    """`webhook does not survive: `once` breaks after 1 restart of Shop.`"""
    first = shown(report)
    first = violated[0] if first is None else first  # a violated verdict is not true
    others = len(violated) - 1
    more = f"; {plural(others, 'other')} {'is' if others == 1 else 'are'} violated, too" if others else ""
    if not first.survival:
        return f"{called} does not have the property `{first.property}`{_at(first)}{more}."
    if first.holds:
        return f"`{first.property}` of {called} is expected to be violated, and holds{more}."
    verb = "does not work" if report.of(first).model.harmless else "does not survive"
    return f"{called} {verb}: `{first.property}` {_how(first.witness)}{more}."


def _at(verdict: Verdict) -> str:
    return "" if verdict.k is None else f" at k = {verdict.k}"


def _how(witness: Witness | None) -> str:
    """`breaks after 1 loss on A→B and 1 restart of B`."""
    if witness is None:
        return "is violated"
    return f"breaks after {listed(_faults(witness))}" if witness.fault_count else "fails without any fault"


def _faults(witness: Witness) -> Iterator[str]:
    """How many faults of each kind, and where."""
    kinds = Counter((s.kind.noun, f" on {arrow(s.channel)}") for s in witness.faults)
    kinds.update((CUT.noun, f" of {cut_name(step.channels)}") for step in witness.cuts)
    kinds.update((a.fault or "crash", f" of {a.process}") for a in witness.acts if a.is_fault)
    for (kind, where), count in kinds.items():
        yield f"{plural(count, kind)}{where}"


def _undecided(called: str, undecided: Sequence[Verdict]) -> str:
    if not undecided:
        return f"Nothing was asked of {called}."
    names = listed(f"`{v.property}`" for v in undecided)
    return f"Undecided: nothing was found against {called}, and {names} could not be decided."


def _held(report: Report, called: str, held: Sequence[Verdict], limits: Sequence[Verdict]) -> str:
    """The bound comes first, so that nobody reads only what is before it."""
    if not held:
        names = listed(f"`{v.property}`" for v in limits)
        return f"{called} breaks as its file expects: {names} {_plural_of('is a known limit', limits)}"
    bounded = min((v for v in held if v.up_to), key=lambda v: v.up_to or 0, default=None)
    beside = f" ({plural(len(limits), 'known limit')}, as expected)" if limits else ""
    said = f"{_does(report, called, held)}"
    if bounded is not None:
        rows = "" if bounded.in_a_row is None else f"{bounded.in_a_row}, more than this answer covers: "
        most = f"{'with' if rows else 'With'} up to {plural(bounded.up_to or 0, 'message')} per channel"
        return f"{rows}{most} {said}{beside}; beyond that it is not decided"
    return f"{said}{', for any channel length' if all(v.survival for v in held) else ''}{beside}"


def _plural_of(words: str, things: Sequence[Verdict]) -> str:
    return words if len(things) == 1 else words.replace("is a", "are", 1) + "s"


def _does(report: Report, called: str, held: Sequence[Verdict]) -> str:
    properties = [v for v in held if not v.survival]
    if len(properties) == len(held):
        return f"{called} has {_having(properties)}"
    if any(v.requirement is None and v.property == RECOVERS.name for v in held):
        return f"{called} {'works without faults' if report.model.harmless else 'survives'}"
    return f"{called} does what is asked of it"


def _having(properties: Sequence[Verdict]) -> str:
    noun = plural(len(properties), "property").partition(" ")[2]
    return f"the {noun} {listed(f'`{v.property}`{_at(v)}' for v in properties)}"
