"""`check`: one system, one failure model, some properties, and the verdicts with their evidence."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from . import crash, encodings, halfduplex, notes, reasons
from .concretise import POLISH, concretise
from .engine.kproperties import Exploration, Violation, explore
from .engine.monitor import ProgressCallback, left
from .engine.moves import Move
from .engine.rsc import RscResult, best, rsc
from .errors import InternalError, UsageError, did_you_mean
from .failures import FailureModel, Failures
from .fewest import Shortest
from .limits import Limits, check_bound
from .model import System
from .persistence import MOST_SECONDS, Lasting, persists
from .replay import BUDGET, replay
from .reproducer import reproducer
from .semantics import CONJUNCTIONS
from .verdicts import CRASH_PROPERTIES, DEFAULT_PROPERTIES, PROPERTIES, Report, Tried, Verdict
from .witness import Witness

#: Asked on perfect channels only (semantics, section 3).
SIDE_CONDITIONS = ("k-obi", "k-sibi")

#: Configurations that may be explored at the largest bound for the sake of a shorter witness.
SMALL = 200_000

#: By property: after so many explorations this violation was seen to last for all larger bounds.
Settled = dict[str, tuple[int, Violation]]


@dataclass(frozen=True)
class Question:
    """A check made ready: the system that is really searched, and how."""

    given: System
    system: System
    model: FailureModel
    bounds: tuple[int, ...]
    one_bound: bool
    limits: Limits
    reduction: bool
    threads: int | None
    progress: ProgressCallback | None
    replay: bool
    polish: bool
    notes: tuple[str, ...]
    started: float = field(default_factory=time.monotonic)
    share: float = 1.0
    evidence: dict[tuple[int, int], tuple[Witness, bool | None, tuple[str, ...]]] = field(
        default_factory=dict
    )

    @property
    def seconds(self) -> float | None:
        """What is left of the time limit, or this question's share of it."""
        rest = left(self.limits, self.started)
        return None if rest is None else rest * self.share


def check(
    system: System,
    failures: Failures | None = None,
    *,
    k: int | None = None,
    max_k: int = 10,
    properties: Iterable[str] | None = None,
    limits: Limits | None = None,
    semantics: str = "definition",
    reduction: bool = True,
    threads: int | None = None,
    replay: bool = True,
    polish: bool = True,
    progress: ProgressCallback | None = None,
) -> Report:
    """Decide the properties of a system under a failure model.

    With `k` each k-property is asked at that bound; otherwise for the least k up to `max_k`, and *violated*
    means: for none of them. A limit that is hit gives *undecided*. Without `polish` a witness is the first
    that was found, which is quicker.

    >>> import stormproof as sp
    >>> system = sp.protocol("alternating-bit")
    >>> report = sp.check(system, sp.Failures(loss=True), properties=["k-wmc", "k-pg"])
    >>> report["k-wmc"].holds, report["k-wmc"].k, report["k-pg"].holds
    (True, 1, False)
    """
    started = time.monotonic()
    asked = failures or Failures()
    prepared, model, remarks = prepare(system, asked, semantics)
    names = _properties(properties, bool(model.unreliable))
    question = Question(
        given=system.with_unreliable(model.unreliable),
        system=prepared,
        model=model,
        bounds=_bounds(k, max_k),
        one_bound=k is not None,
        limits=limits or Limits(),
        reduction=reduction,
        threads=threads,
        progress=progress,
        replay=replay,
        polish=polish,
        notes=remarks,
        started=started,
    )
    verdicts = _verdicts(question, names)
    return Report(
        system=prepared,
        failures=asked,
        model=model,
        verdicts=verdicts,
        notes=remarks,
        semantics=semantics,
        seconds=time.monotonic() - started,
        given=question.given,
    )


def prepare(
    system: System, failures: Failures, semantics: str = "definition"
) -> tuple[System, FailureModel, tuple[str, ...]]:
    """The system that is searched: who may crash is marked, crash handling completed, encodings applied.

    A completed system also cleans up, as the translation from types does: else the crash message would stay
    behind wherever somebody has finished, and k-er fail for that alone.
    """
    if semantics not in ("definition", "encoding"):
        raise UsageError(f"unknown semantics '{semantics}'; it is 'definition' or 'encoding'")
    model = failures.on(system)
    marked = system.with_unreliable(model.unreliable)
    remarks: list[str] = []
    if model.unreliable and not crash.crash_handling(marked).holds:
        marked = crash.complete(marked, clean_up=True)
        remarks.append(
            f"crash handling was completed: {_and(model.unreliable)} may crash, which the system as given "
            "does not handle (`stormproof crash` shows what was missing)"
        )
    if semantics == "encoding":
        marked, model = encodings.encode(marked, encodings.resolve(marked, failures))
        remarks.append("loss and corruption are the paper's encodings (its section 7), not the definitions")
    return marked, model, tuple(remarks)


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _bounds(k: int | None, max_k: int) -> tuple[int, ...]:
    for name, bound in (("k", k), ("max-k", max_k)):
        if bound is not None:
            check_bound(bound, name)
    return (k,) if k is not None else tuple(range(1, max_k + 1))


def _properties(asked: Iterable[str] | None, may_crash: bool) -> tuple[str, ...]:
    if asked is None:
        return DEFAULT_PROPERTIES + (CRASH_PROPERTIES if may_crash else ())
    names = tuple(dict.fromkeys([asked] if isinstance(asked, str) else asked))
    for name in names:
        if name not in PROPERTIES:
            raise UsageError(
                f"unknown property '{name}'; there are {', '.join(PROPERTIES)}",
                hint=did_you_mean(name, PROPERTIES),
            )
    return names


def _verdicts(question: Question, names: tuple[str, ...]) -> tuple[Verdict, ...]:
    """The verdicts in the order asked; all k-properties come from shared explorations.

    What has no bound is decided first: it takes little, and a search for the least k may take all the time.
    RSC may take half of the time at first, and what is left in the end.
    """
    unbounded = {"rsc": _rsc, "half-duplex": _half_duplex, "crash-handling": _crash_handling}
    found: dict[str, Verdict] = {}
    bounded = [name for name in names if name not in unbounded]
    for name in (n for n in names if n in unbounded):
        found[name] = unbounded[name](replace(question, share=0.5 if bounded else 1.0))
        if found[name].stopped == "interrupted":  # Ctrl-C is meant for the whole check
            rest = {n: Verdict(n, None, reason="interrupted before it was asked") for n in names}
            return tuple((rest | found).values())
    if bounded:
        found |= _bounded(question, bounded)
    if "rsc" in found and _out_of_time(question, found["rsc"]):
        found["rsc"] = _rsc(question)
    return tuple(found[name] for name in names)


def _out_of_time(question: Question, verdict: Verdict) -> bool:
    """It was stopped by its share of the time, and some is left."""
    left_over = question.seconds is not None and question.seconds > 0.1 * (question.limits.seconds or 0)
    return verdict.stopped == "time" and left_over


def _parts(name: str) -> tuple[str, ...]:
    return CONJUNCTIONS.get(name, (name,))


def _bounded(question: Question, names: Sequence[str]) -> dict[str, Verdict]:
    """Explore for k = 1, 2, ... until every property has held once, a limit is hit, or the bounds end."""
    refused = {n: _refuse(question, n) for n in names if n in SIDE_CONDITIONS and not question.model.perfect}
    open_names = [n for n in names if n not in refused]
    explorations: list[Exploration] = []
    missing = list(open_names)
    settled: Settled = {}
    for k in question.bounds if missing else ():
        wanted = tuple(dict.fromkeys(part for n in missing for part in _parts(n)))
        extra = notes.side_conditions(question.system, question.model, missing)
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
                v.states,
                v.channels,
                v.culprit,
                exploration.k,
                question.bounds[-1],
                seconds=min(MOST_SECONDS, (question.seconds or MOST_SECONDS) / 10),
            )
            if lasting is not None:
                found[part] = _at_the_largest(v, lasting)
    return found


def _at_the_largest(violation: Violation, lasting: Lasting) -> Violation:
    """That no shorter run violates the property at the largest bound is not known."""
    return replace(
        violation,
        moves=(*violation.moves, *(Move(*move) for move in lasting.moves)),
        states=lasting.states,
        channels=lasting.channels,
        culprit=lasting.culprit,
        shortest=False,
        ends=(),
        controls=(),
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
    return replace(verdict, notes=(*verdict.notes, notes.LASTS)) if lasts else verdict


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
        notes=notes.on_holding(question.system, question.model, name, exploration),
    )


def _undecided(question: Question, name: str, last: Exploration, tried: tuple[Tried, ...]) -> Verdict:
    failed = [t.k for t in tried if t.holds is False]
    return Verdict(
        name,
        None,
        k=last.k if question.one_bound else None,
        reason=notes.undecided(last.stopped, question.limits, last.k, last.states, failed),
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
    witness, replayed, remark = _evidence(question, lasting or last.violations[part], k)
    if lasting is not None and question.replay and not replayed:
        # The kernel cannot see that far; the violation as it was explored, which lasts, it can.
        k = last.k
        witness, replayed, remark = _evidence(question, last.violations[part], k)
    why = reasons.reason(question.system, question.model, part, k, witness)
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
        notes=notes.on_failing(question.system, question.model, name, last) + remark,
        replayed=replayed,
        witness_k=k,
    )


def _where(part: str, name: str, tried: tuple[Tried, ...]) -> str:
    """Which part of a conjunction fails, and for which bounds."""
    if name == part:
        return ""
    return f"{part} fails at every k ≤ {tried[-1].k}: " if len(tried) > 1 else f"{part} fails: "


def _evidence(
    question: Question, violation: Violation, k: int
) -> tuple[Witness, bool | None, tuple[str, ...]]:
    """The witness and what the replay kernel says of it; a part of several conjunctions is shown once."""
    key = (id(violation), k)
    if key not in question.evidence:
        witness = _witness(question, violation, k)
        # A run that was not searched for has another to fall back on, at a smaller bound.
        budget = BUDGET if violation.shortest else BUDGET // 5
        question.evidence[key] = (witness, *_replay(question, violation.property, k, witness, budget))
    return question.evidence[key]


def _witness(question: Question, violation: Violation, k: int) -> Witness:
    return concretise(
        question.system,
        question.model,
        violation.moves,
        violation.channels,
        bound=k,
        culprit=violation.culprit,
        shortest=violation.shortest,
        runs=_runs(question, violation, k) if question.polish else None,
        polish=POLISH if question.polish else 0,
    )


def _runs(question: Question, violation: Violation, k: int) -> Shortest | None:
    """All shortest runs, where the engine has described them."""
    if not violation.ends:
        return None
    length = len(violation.moves)
    return Shortest(question.system, question.model, k, length, violation.ends, violation.controls)


def _replay(
    question: Question, name: str, k: int | None, witness: Witness, budget: int = BUDGET
) -> tuple[bool | None, tuple[str, ...]]:
    """Ask the replay kernel before the verdict is shown; a mismatch is a defect and says so loudly."""
    if not question.replay:
        return None, ()
    answer = replay(question.system, question.model, name, k, witness, budget)
    if not answer.ok:
        where = reproducer(question.system, question.model, name, k, witness, answer)
        raise InternalError(
            f"the witness against {name} does not replay: {answer.message}; "
            f"what is needed to reproduce this is in {where}"
        )
    if answer.established:
        return True, ()
    return None, (f"replayed as a run; {answer.message}",)


def _rsc(question: Question) -> Verdict:
    result = rsc(
        question.system,
        question.model,
        limits=question.limits,
        progress=question.progress,
        seconds=question.seconds,
    )
    return _unbounded(question, "rsc", result)


def _unbounded(question: Question, name: str, result: RscResult) -> Verdict:
    base = Verdict(
        name,
        result.holds,
        states=result.states,
        transitions=result.transitions,
        seconds=result.seconds,
    )
    if result.holds is None:
        why = notes.undecided(result.stopped, question.limits, None, result.states, [])
        return replace(base, reason=why, stopped=result.stopped)
    if result.violation is None:
        return replace(base, notes=notes.on_holding(question.system, question.model, name, None))
    violation = result.violation
    if question.polish:
        violation = best(question.system, question.model, violation)
    witness = violation.witness(question.system, question.model)
    replayed, remark = _replay(question, name, None, witness)
    why = reasons.reason(question.system, question.model, name, None, witness)
    return replace(base, witness=witness, reason=why, replayed=replayed, notes=remark)


def _half_duplex(question: Question) -> Verdict:
    started = time.monotonic()
    answer = halfduplex.half_duplex(question.system, question.model, limits=question.limits)
    verdict = Verdict(
        "half-duplex",
        answer.holds,
        reason=answer.reason,
        states=answer.states,
        seconds=time.monotonic() - started,
        witness=answer.witness,
    )
    if answer.witness is None:
        return verdict
    replayed, remark = _replay(question, "half-duplex", None, answer.witness)
    return replace(verdict, replayed=replayed, notes=remark)


def _crash_handling(question: Question) -> Verdict:
    """Asked of the system as given: completion would make it true (paper, section 5)."""
    answer = crash.crash_handling(question.given)
    rest = len(answer.sentences) - 1
    more = f"; and {rest} more, which `stormproof crash` lists" if rest > 0 else ""
    reason = f"{answer.sentences[0]}{more}" if answer.sentences else ""
    remark = () if answer.cleans_up else ("some resting state does not take dangling crash messages",)
    return Verdict("crash-handling", answer.holds, reason=reason, notes=remark if answer.holds else ())
