"""The k-properties: explored for k = 1, 2, ... together, until each has held or no bound can help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..counterexample.contents import contents
from ..engine.k_properties import End, Exploration, Violation, explore
from ..errors import InternalError
from ..limits import Limits
from ..model.system import System
from ..narrate import reason
from ..spec.bounded import CONJUNCTIONS
from . import implications
from .all_bounds import MOST_SECONDS, Lasting, persists
from .evidence import evidence
from .report import Tried, Verdict
from .request import Question

#: Asked on perfect channels only (semantics, section 3).
SIDE_CONDITIONS = ("k-obi", "k-sibi")

#: Configurations that may be explored at the largest bound for the sake of a shorter witness.
SMALL = 200_000

#: By property: after so many explorations this violation was seen to last for all larger bounds.
Settled = dict[str, tuple[int, Violation]]


def _parts(name: str) -> tuple[str, ...]:
    return CONJUNCTIONS.get(name, (name,))


def bounded_verdicts(question: Question, names: Sequence[str]) -> dict[str, Verdict]:
    """Explore for k = 1, 2, ... until every property has held once, a limit is hit, or the bounds end."""
    refused = {n: _refuse(question, n) for n in names if n in SIDE_CONDITIONS and not question.model.perfect}
    open_names = [n for n in names if n not in refused]
    explorations: list[Exploration] = []
    missing = list(open_names)
    settled: Settled = {}
    for k in question.bounds if missing else ():
        wanted = tuple(dict.fromkeys(part for n in missing for part in _parts(n)))
        extra = implications.side_conditions(question.system, question.model, missing)
        explorations.append(_explore(question, k, (*wanted, *extra)))
        missing = [n for n in missing if _holds(explorations[-1], n) is not True]
        for part, violation in _lasting(question, explorations[-1], missing).items():
            settled |= {
                n: (len(explorations), violation) for n in missing if part in _parts(n) and n not in settled
            }
        missing = [n for n in missing if n not in settled]
        if not missing or explorations[-1].stopped or _saturated(explorations):
            break
    settled = _nearest(question, settled)
    decided = {n: _bounded_verdict(question, n, explorations, settled.get(n)) for n in open_names}
    return {n: refused.get(n) or decided[n] for n in names}


def _lasting(question: Question, exploration: Exploration, names: Sequence[str]) -> dict[str, Violation]:
    """The violations that prove one at every larger bound that is asked for, as they are at the largest."""
    if question.one_bound or exploration.k == question.bounds[-1]:
        return {}
    found = {}
    for part in dict.fromkeys(part for n in names for part in _parts(n)):
        v = exploration.violations.get(part)
        if v is not None:
            lasting = persists(
                question.system,
                question.model,
                part,
                dict(zip(question.system.names, v.end.states, strict=True)),
                contents(question.system, question.model, v),
                v.end.culprit,
                exploration.k,
                question.bounds[-1],
                seconds=min(MOST_SECONDS, (question.seconds or MOST_SECONDS) / 10),
            )
            if lasting is not None:
                found[part] = _at_the_largest(question.system, v, lasting)
    return found


def _at_the_largest(system: System, violation: Violation, lasting: Lasting) -> Violation:
    """That no shorter run violates the property at the largest bound is not known."""
    words = tuple(lasting.channels.get(c, ()) for c in system.channels)
    return Violation(
        property=violation.property,
        firings=(*violation.firings, *lasting.firings),
        end=End(tuple(lasting.states[p] for p in system.names), words, lasting.culprit),
        shortest=False,
        literal=True,
    )


def _nearest(question: Question, settled: Settled) -> Settled:
    """The shortest violations at the largest bound, in place of those that last until there, where its
    transition system is small."""
    parts = {violation.property for _, violation in settled.values()}
    if not parts or not question.polish:
        return settled
    most = min(SMALL, question.limits.states or SMALL)
    found = _explore(question, question.bounds[-1], sorted(parts), replace(question.limits, states=most))
    if found.stopped:
        return settled
    if wrong := [part for part in parts if found.holds[part] is not False]:
        raise InternalError(
            f"{', '.join(wrong)} was proved to fail at every bound and holds at k = {found.k}"
        )
    better = {p: v for p, v in found.violations.items() if v.shortest}
    return {n: (seen, better.get(v.property, v)) for n, (seen, v) in settled.items()}


def _explore(question: Question, k: int, wanted: Sequence[str], limits: Limits | None = None) -> Exploration:
    return explore(
        question.system,
        question.model,
        k,
        properties=tuple(dict.fromkeys(wanted)),
        limits=limits or question.limits,
        reduction=question.reduction,
        threads=question.threads,
        progress=question.progress,
        seconds=question.seconds,
    )


def _refuse(question: Question, name: str) -> Verdict:
    return Verdict(
        name,
        None,
        k=question.bounds[0] if question.one_bound else None,
        reason=f"{name} is defined on perfect channels only",
    )


def _holds(exploration: Exploration, name: str) -> bool | None:
    """A conjunction fails when a part fails, holds when all do, and is undecided otherwise."""
    parts = [exploration.holds.get(part) for part in _parts(name)]
    if False in parts:
        return False
    return None if None in parts else True


def _saturated(explorations: Sequence[Exploration]) -> bool:
    """No run fills a channel beyond the last bound: every larger k gives the same transition system.

    RS_k is contained in RS_{k+1}, so equal sizes mean equal sets, and then no send was ever held back.
    """
    if len(explorations) < 2:
        return False
    before, now = explorations[-2:]
    return not (before.reduced or now.reduced) and before.states == now.states


def _bounded_verdict(
    question: Question,
    name: str,
    explorations: Sequence[Exploration],
    settled: tuple[int, Violation] | None,
) -> Verdict:
    """`settled`: after so many explorations this violation was seen to last for all larger bounds."""
    if settled is not None:
        explorations = explorations[: settled[0]]
    tried = tuple(Tried(e.k, _holds(e, name)) for e in explorations)
    for exploration, attempt in zip(explorations, tried, strict=True):
        if attempt.holds:
            seen = tried[: exploration.k - question.bounds[0] + 1]
            return _good(question, name, exploration, () if question.one_bound else seen)
    last = explorations[-1]
    lasts = settled is not None
    history = () if question.one_bound else _padded(question, tried, explorations, lasts)
    if any(t.holds is None for t in tried):
        return _undecided(question, name, last, history)
    verdict = _bad(question, name, last, history, settled[1] if settled else None)
    return replace(verdict, notes=(*verdict.notes, implications.LASTS)) if lasts else verdict


def _padded(
    question: Question, tried: tuple[Tried, ...], explorations: Sequence[Exploration], lasts: bool
) -> tuple[Tried, ...]:
    """After saturation, or where the violation lasts, larger bounds have the verdict of the last one."""
    if not lasts and (explorations[-1].stopped or not _saturated(explorations)):
        return tried
    return tried + tuple(Tried(k, tried[-1].holds) for k in question.bounds[len(tried) :])


def _good(question: Question, name: str, exploration: Exploration, tried: tuple[Tried, ...]) -> Verdict:
    return Verdict(
        name,
        True,
        k=exploration.k,
        states=exploration.states,
        transitions=exploration.transitions,
        seconds=exploration.seconds,
        tried=tried,
        notes=implications.on_holding(question.system, question.model, name, exploration),
    )


def _undecided(question: Question, name: str, last: Exploration, tried: tuple[Tried, ...]) -> Verdict:
    failed = [t.k for t in tried if t.holds is False]
    return Verdict(
        name,
        None,
        k=last.k if question.one_bound else None,
        reason=implications.undecided(last.stopped, question.limits, last.k, last.states, failed),
        stopped=last.stopped,
        states=last.states,
        transitions=last.transitions,
        seconds=last.seconds,
        tried=tried,
    )


def _bad(
    question: Question, name: str, last: Exploration, tried: tuple[Tried, ...], lasting: Violation | None
) -> Verdict:
    """Violated, with the witness at the largest bound: where larger bounds than the last one explored change
    nothing, it is a witness there too."""
    part = (
        next(p for p in _parts(name) if last.holds.get(p) is False) if lasting is None else lasting.property
    )
    k = tried[-1].k if tried else last.k
    witness, proved, remark = evidence(question, lasting or last.violations[part], k)
    if lasting is not None and question.replay and not proved:
        # The kernel cannot see that far; the violation as it was explored, which lasts, it can.
        k = last.k
        witness, proved, remark = evidence(question, last.violations[part], k)
    why = reason.reason(question.system, question.model, part, k, witness)
    where = "" if question.one_bound else _where(part, name, tried)
    return Verdict(
        name,
        False,
        k=k if question.one_bound else None,
        reason=f"{where}{why}",
        states=last.states,
        transitions=last.transitions,
        seconds=last.seconds,
        witness=witness,
        tried=tried,
        notes=implications.on_failing(question.system, question.model, name, last) + remark,
        replayed=proved,
        witness_k=k,
    )


def _where(part: str, name: str, tried: tuple[Tried, ...]) -> str:
    """Which part of a conjunction fails, and for which bounds."""
    if name == part:
        return ""
    return f"{part} fails at every k ≤ {tried[-1].k}: " if len(tried) > 1 else f"{part} fails: "
