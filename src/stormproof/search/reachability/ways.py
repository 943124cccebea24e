"""The ways to an answer, each of which may find a run, a certificate, or nothing yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from ...errors import InternalError
from ...kernel.goals.cubes import Cube
from ...kernel.model.actions import CRASH
from ...kernel.model.failures import FailureModel
from ...kernel.model.phrases import listed, plural
from ...kernel.model.run import Witness
from ...kernel.model.system import System
from ...limits import Limits, is_over
from ...trust.reachability.certificates import (
    Certificate,
    Closure,
    Element,
    EquationCertificate,
    HalfDuplexCertificate,
    Saturated,
    Summarised,
    Weights,
)
from ...trust.reachability.check_equation import have_z3
from ..engine.coverability import ChannelForm, Covered, Graph, SearchEnd, Searcher, Taken
from ..engine.effort import SPENT
from . import half_duplex
from .build_run import leftovers, make_run, with_marks
from .channel_forms import NAMES, Shape, as_multisets
from .simplex import TableWork, WorkDone
from .state_equation import equation, integer_solution
from .targets import Target, targets, wanted

#: Minimal configurations of the goal beyond which backward search is not begun.
MOST_TARGETS = 200_000
#: Configurations of a summarised search, whose certificate has all of them.
MOST_SUMMARISED = 100_000
#: How many messages each channel keeps in them.
SUMMARISED_AT = (1, 2, 3, 4, 5)
#: Entries of tables that linear programming may change, and what z3 may count, for each configuration that a
#: search may explore.
ENTRIES, RESOURCES = 1, 20
#: Linear functions that are kept for pruning.
MOST_WEIGHTS = 16


@dataclass
class Attempt:
    """What one way came to: an answer, or nothing yet; `finished`: more effort would not change it."""

    note: str
    finished: bool = True
    run: Witness | None = None
    certificate: Certificate | None = None


@dataclass
class ReachabilityQuestion:
    """What is asked, and what has been learnt about it."""

    system: System
    failures: FailureModel
    cubes: tuple[Cube, ...]
    goal: str
    limits: Limits
    searcher: Searcher
    shapes: tuple[Shape, ...]
    notes: tuple[str, ...]
    started: float
    #: The goal with what it excludes, where `cubes` leaves that out.
    exact: tuple[Cube, ...] | None = None
    graph: Graph | None = None
    targets: list[Target] | None = None
    weights: list[Weights] = field(default_factory=list)
    no_graph: bool = False
    states: int = 0
    #: Configurations of the last search forward.
    last: int = 0

    @property
    def receives_twice(self) -> str:
        """The faults by which a message may be received more than once."""
        return " and ".join(kind.noun for kind in self.failures.kinds if not kind.matches_once)


def _control_states(problem: ReachabilityQuestion, most: int) -> Attempt:
    """The control-state graph alone; it also serves the other ways."""
    graph = problem.searcher.controls(most)
    if graph.stopped:
        return _stopped(graph.stopped, f" at {most:,} control states")
    problem.graph = graph
    found = _targets(problem, problem.shapes, most)
    if found is None:
        return Attempt(_MANY_TARGETS, finished=False)
    if len(found) > MOST_TARGETS:
        return Attempt(f"the goal has more than {MOST_TARGETS:,} minimal configurations")
    problem.targets = found
    if found:
        return Attempt(f"{len(graph.rows):,} of them, {len(found):,} minimal configurations of the goal")
    note = "no control state of the goal is reachable, whatever the channels hold"
    return Attempt(note, certificate=_closure(problem, problem.shapes, (), ()))


def _stopped(limit: str, where: str) -> Attempt:
    """By the effort of this round, or by a limit of the whole."""
    if limit == SPENT:
        return Attempt(f"not decided within the effort{where}", finished=False)
    return Attempt(f"stopped by the limit on {limit}{where}")


_MANY_TARGETS = "the goal has more minimal configurations than the effort allows"


def _targets(problem: ReachabilityQuestion, forms: tuple[Shape, ...], most: int) -> list[Target] | None:
    """The minimal configurations of the goal, one more than allowed at most; None: so many may not be listed
    yet."""
    assert problem.graph is not None
    found: list[Target] = []
    for target in targets(problem.system, problem.failures, problem.cubes, forms, problem.graph.rows):
        found.append(target)
        if len(found) > MOST_TARGETS:
            break
        if len(found) > most or (len(found) % 1000 == 0 and is_over()):
            return None
    return found


def _closure(
    problem: ReachabilityQuestion,
    forms: Sequence[Shape],
    weights: Iterable[Weights],
    basis: Iterable[Element],
) -> Closure:
    assert problem.graph is not None
    return Closure(tuple(NAMES[s.form] for s in forms), problem.graph.rows, tuple(weights), tuple(basis))


def _forward(problem: ReachabilityQuestion, most: int) -> Attempt:
    """Breadth first, and short, since the other ways are often better."""
    return _forward_within(problem, 2**15, min(most, 3000))


def _forward_within(problem: ReachabilityQuestion, k: int, most: int) -> Attempt:
    goal = wanted(problem.cubes, problem.system)
    found = problem.searcher.forward([s.form for s in problem.shapes], [w for _, w in goal], k, most)
    problem.states, problem.last = max(problem.states, found.states), found.states
    if found.found:
        return _found_forward(problem, found, goal[found.cube][0], shortest=k == 2**15)
    if found.saturated:
        note = f"the search saturates: there are {found.states:,} configurations up to faults"
        return Attempt(note, certificate=Saturated(found.configurations))
    return Attempt(f"{found.states:,} configurations, not reached and not saturated")


def _found_forward(problem: ReachabilityQuestion, found: SearchEnd, cube: int, shortest: bool) -> Attempt:
    final = with_marks(problem.system, found.configurations[-1])
    run = make_run(problem.system, problem.failures, problem.cubes[cube], found.steps, final, shortest)
    if run is None:
        raise InternalError("forward search found steps that are not a run")
    return Attempt("found by forward search", run=run)


def _bounded(problem: ReachabilityQuestion, most: int) -> Attempt:
    """At most 1, 2, 3, ... messages a channel, as far as the effort goes."""
    seen, left = "", most
    for k in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128):
        if left <= 0 or is_over():
            return Attempt(seen, finished=False)
        attempt = _forward_within(problem, k, left)
        left -= problem.last
        if attempt.run is not None or attempt.certificate is not None:
            return attempt
        seen = f"not reached with at most {plural(k, 'message')} a channel ({attempt.note})"
        if problem.limits.states is not None and problem.states > problem.limits.states:
            return Attempt(seen)
    return Attempt(seen)


def _summarised(problem: ReachabilityQuestion, most: int) -> Attempt:
    """Forward, channels kept up to k messages and summarised beyond: a finite over-approximation."""
    left = most
    forms = [s.form for s in problem.shapes]
    goal = [w for _, w in wanted(problem.cubes, problem.system)]
    for k in SUMMARISED_AT:
        if left <= 0 or is_over():
            kept = plural(k - 1, "message")
            return Attempt(f"the goal is met even when each channel keeps {kept}", finished=False)
        allowed = min(left, MOST_SUMMARISED)
        found = problem.searcher.forward(forms, goal, k, allowed, summarise=True)
        left -= found.states
        problem.states = max(problem.states, found.states)
        if found.saturated:
            first = "first message" if k == 1 else f"first {k} messages"
            note = f"not even when each channel keeps its {first}, and of the others only which they are"
            return Attempt(note, certificate=Summarised(k, found.configurations))
        if found.stopped:
            more = found.stopped == "states" and allowed < MOST_SUMMARISED
            return _stopped(SPENT if more else found.stopped, f" at {found.states:,} configurations")
    return Attempt(f"the goal is met even when each channel keeps {SUMMARISED_AT[-1]} messages")


def _backward(problem: ReachabilityQuestion, most: int) -> Attempt:
    return _cover(problem, most, problem.shapes)


def _multisets(problem: ReachabilityQuestion, most: int) -> Attempt:
    """FIFO channels without loss as multisets: another over-approximation."""
    forms = as_multisets(problem.shapes)
    if forms == problem.shapes:
        return Attempt("every channel is searched exactly already")
    return _cover(problem, most, forms)


def _cover(problem: ReachabilityQuestion, most: int, forms: tuple[Shape, ...]) -> Attempt:
    if problem.graph is None or problem.targets is None:
        return Attempt("needs the control states", finished=problem.no_graph)
    goal = problem.targets if forms == problem.shapes else _targets(problem, forms, most)
    if goal is None:
        return Attempt(_MANY_TARGETS, finished=False)
    found = _search_back(problem, most, forms, goal)
    if found.stopped:
        _learn(problem, forms, found.basis, most)
        return _stopped(found.stopped, f" at {found.kept:,} minimal configurations")
    if not found.covered:
        weights = _pruning(problem, forms)
        return Attempt(_theorem(forms), certificate=_closure(problem, forms, weights, found.basis))
    run = _run_back(problem, forms, goal, found)
    if run is None and not all(t.sufficient for t in goal):
        enough = [t for t in goal if t.sufficient]
        again = _search_back(problem, most, forms, enough) if enough else found
        run = _run_back(problem, forms, enough, again) if again.covered and enough else None
    if run is not None:
        return Attempt("found by backward search", run=run)
    return Attempt("the goal is covered, but the run needs more than the channels can do")


def _search_back(
    problem: ReachabilityQuestion, most: int, forms: Sequence[Shape], goal: Iterable[Target]
) -> Covered:
    assert problem.graph is not None
    found = problem.searcher.cover(
        [s.form for s in forms],
        problem.graph,
        [t.element for t in goal],
        _pruning(problem, forms),
        most,
    )
    problem.states = max(problem.states, found.kept)
    return found


def _learn(
    problem: ReachabilityQuestion, forms: tuple[Shape, ...], basis: Iterable[Element], most: int
) -> None:
    """State-equation pruning: linear functions that exclude some of the minimal configurations at which a
    search was stopped, for its next round."""
    if forms != problem.shapes or problem.graph is None or problem.receives_twice:
        return
    work = TableWork(most * ENTRIES // 2)
    eq = equation(problem.system, problem.failures, forms, problem.graph.rows)
    for element in basis:
        target = Target(element, (frozenset(),) * len(forms), False, 0)
        if len(problem.weights) >= MOST_WEIGHTS:
            return
        if any(_excludes(problem, w, target) for w in problem.weights):
            continue
        try:
            found = eq.refute(target, work)
        except WorkDone:
            return
        if found is not None:
            problem.weights.append(found)


def _pruning(problem: ReachabilityQuestion, forms: Sequence[Shape]) -> list[Weights]:
    """Those linear functions that exclude whole upward closed sets: no message weighs less than nothing."""
    if tuple(forms) != problem.shapes:
        return []
    return [w for w in problem.weights if min(w.messages.values(), default=0) >= 0]


def _theorem(forms: Sequence[Shape]) -> str:
    relaxed = [str(s.channel) for s in forms if not s.exact]
    if not relaxed:
        return "the backward closure of the goal does not contain the start"
    how = (
        "as if they lost messages"
        if all(s.form is ChannelForm.QUEUE for s in forms if not s.exact)
        else "as multisets"
    )
    return f"not even with {listed(relaxed)} taken {how}: the goal's backward closure lacks the start"


def _run_back(
    problem: ReachabilityQuestion, forms: Sequence[Shape], goal: Sequence[Target], found: Covered
) -> Witness | None:
    """The run that the chain of predecessors stands for; None: only the over-approximation has it."""
    last = found.path[-1]
    final = leftovers(problem.failures, forms, found.steps, last)
    for target in goal:
        if _same(target.element, last):
            run = make_run(
                problem.system, problem.failures, problem.cubes[target.cube], found.steps, final, False
            )
            if run is not None:
                return run
    return None


def _same(a: Element, b: Element) -> bool:
    """Equal up to the order in which a multiset is written."""
    return a[:2] == b[:2] and all(sorted(v) == sorted(w) for v, w in zip(a.words, b.words, strict=True))


def _half_duplex(problem: ReachabilityQuestion, most: int) -> Attempt:
    system, failures = problem.system, problem.failures
    if not half_duplex.applies(system, failures):
        return Attempt("is about two processes and two channels, without reordering or crash messages")
    meeting = half_duplex.rendezvous(system, failures)
    pairs = tuple(sorted(meeting.pairs))
    both = half_duplex.both_send(system, pairs)
    if both is not None:
        return Attempt(f"not half-duplex: both processes can send in ({both[0]}, {both[1]})")
    end = half_duplex.meets(system, failures, problem.cubes, pairs)
    if end is None:
        note = "the system is half-duplex, and none of its configurations is as asked (Cécé and Finkel 2005)"
        return Attempt(note, certificate=HalfDuplexCertificate(pairs))
    moves = (*meeting.moves_to(end.pair), *end.moves)
    steps = [Taken(p, t, None, 0, None) for p, t in moves]
    final = {c: end.word if c == end.channel else () for c in system.channels}
    run = make_run(system, failures, problem.cubes[end.cube], steps, final, False)
    return Attempt("found as a run of a half-duplex system (Cécé and Finkel 2005)", run=run)


def _linear(problem: ReachabilityQuestion, most: int) -> Attempt:
    """Linear functions that no step increases, one for each minimal configuration of the goal."""
    if problem.graph is None or problem.targets is None:
        return Attempt("needs the control states", finished=problem.no_graph)
    work = TableWork(most * ENTRIES)
    eq = equation(problem.system, problem.failures, problem.shapes, problem.graph.rows)
    used: list[Weights] = []
    open_ = 0
    for target in problem.targets:
        if any(_excludes(problem, w, target) for w in used):
            continue
        try:
            found = eq.refute(target, work)
        except WorkDone:
            return Attempt("linear programming has no answer within the effort", finished=False)
        if found is None:
            open_ += 1
        else:
            used.append(found)
    problem.weights = (problem.weights + [w for w in used if w not in problem.weights])[:MOST_WEIGHTS]
    if open_:
        return Attempt(f"the state equation has a rational solution for {open_:,} configurations of the goal")
    note = "a linear invariant excludes the goal (the state equation has no rational solution)"
    return Attempt(note, certificate=_closure(problem, problem.shapes, used, ()))


def _excludes(problem: ReachabilityQuestion, w: Weights, target: Target) -> bool:
    """Is every configuration that the target stands for above the bound?"""
    total = sum(w.states[p.name, s] for p, s in zip(problem.system, target.element.states, strict=True))
    for i, shape in enumerate(problem.shapes):
        total += w.messages.get((shape.channel, CRASH), 0) if target.element.marks[i] else 0
        total += sum(w.messages[shape.channel, m] for m in target.element.words[i])
        if any(w.messages[shape.channel, m] < 0 for m in shape.letters if m not in target.equal[i]):
            return False
    return total > w.bound


def _integers(problem: ReachabilityQuestion, most: int) -> Attempt:
    if not have_z3():
        return Attempt("over the integers needs z3, which is not installed (stormproof[smt])")
    if problem.graph is None or problem.targets is None:
        return Attempt("needs the control states", finished=problem.no_graph)
    eq = equation(problem.system, problem.failures, problem.shapes, problem.graph.rows)
    share = most * RESOURCES // max(len(problem.targets), 1)
    for target in problem.targets:
        solvable = None if is_over() else integer_solution(eq, target, share)
        if solvable is None:
            return Attempt("z3 has no answer within the effort", finished=False)
        if solvable:
            return Attempt("has a solution over the integers")
    note = "the state equation has no solution over the integers (z3)"
    return Attempt(note, certificate=EquationCertificate(problem.graph.rows))


#: Each is told how many configurations of its own kind it may explore.
Ways = dict[str, Callable[[ReachabilityQuestion, int], Attempt]]
#: In this order, round by round.
WAYS: Ways = {
    "control states": _control_states,
    "forward search": _forward,
    "backward search": _backward,
    "half-duplex": _half_duplex,
    "linear invariants": _linear,
    "state equation": _integers,
    "summaries": _summarised,
    "backward search with multisets": _multisets,
    "bounded forward search": _bounded,
}
#: Those that presuppose that no message is received twice.
RECEIVED_ONCE = ("half-duplex", "linear invariants", "state equation", "summaries")
