"""The same behaviour in channels of any length, shown role by role (definitions 13.4).

Two roles that differ do the same in their system if their states can be related so that related states are
seen alike and have the same steps to related states. Steps that never happen in the system as it is need no
partner: that a state is never reached, or that a message never stands at the head of the channel there, is
proved for channels of any length.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator

from ...kernel.model.actions import Action, Internal, Receive, Transition, channel_of
from ...kernel.model.ask import Ask
from ...kernel.model.goal import And, At, Goal, Head
from ...kernel.model.process import Process
from ...kernel.model.survival import SurvivalModel
from ...limits import Limits, is_over
from ...search.engine.survival import SurvivalAnswer, survey
from ...search.reachability.proofs import reached_at_any_length
from .behaviour import Behaviour, label_of_action
from .questions import QUICK, QUICK_BOUNDS

#: Of a step that never happens: the state and, of a reception, what it takes.
RoleStep = tuple[str, Action | None]
Never = Callable[[str], frozenset[RoleStep]]
#: The configurations that one proof may take.
_WITHIN, _EFFORT = Limits(states=5_000), 5_000


def same_role_by_role(first: Behaviour, second: Behaviour, never: Never) -> bool:
    """Is the second system known to behave as the first does? `never`: which steps of a role never happen
    in the first."""
    mine, theirs = first.model, second.model
    if mine.failures != theirs.failures or mine.budget != theirs.budget or first.names_more_than_rest:
        return False
    if mine.system.names != theirs.system.names or len(first.atoms) != len(second.atoms):
        return False
    for a, b in zip(mine.system, theirs.system):
        if not _related(first, second, a, b, frozenset()) and not _related(
            first, second, a, b, never(a.name)
        ):
            return False
    return True


def _related(first: Behaviour, second: Behaviour, a: Process, b: Process, never: frozenset[RoleStep]) -> bool:
    """Are the initial states related? The greatest relation, found by leaving out pairs until none fails."""
    mine = {s: (_seen(first, a, s), _leaving(first.model, a, s)) for s in a.states}
    theirs = {s: (_seen(second, b, s), _leaving(second.model, b, s)) for s in b.states}
    related = {(s, t) for s in a.states for t in b.states if mine[s][0] == theirs[t][0]}
    while failing := {
        (s, t)
        for s, t in related
        if not _matched(s, mine[s][1], theirs[t][1], never, related)
        or not _matched(s, theirs[t][1], mine[s][1], never, {(y, x) for x, y in related})
    }:
        related -= failing
    return (a.initial, b.initial) in related


def _matched(
    state: str,
    moves: Iterable[tuple[Hashable, Transition]],
    others: list[tuple[Hashable, Transition]],
    never: frozenset[RoleStep],
    related: set[tuple[str, str]],
) -> bool:
    """Has each step, unless it never happens in this state of the first system, a partner?"""
    for label, transition in moves:
        if _step(state, transition.action) in never or (state, None) in never:
            continue
        if not any(label == other and (transition.target, t.target) in related for other, t in others):
            return False
    return True


def _step(state: str, action: Action) -> RoleStep:
    return (state, action if isinstance(action, Receive) else None)


def _seen(of: Behaviour, process: Process, state: str) -> Hashable:
    rest, name = of.model.rest, process.name
    asked = tuple(state in atom.states for atom in of.atoms if atom.process == name)
    return asked, *(state in kind[name] for kind in (rest.rest, rest.ended, rest.crashed))


def _leaving(model: SurvivalModel, process: Process, state: str) -> list[tuple[Hashable, Transition]]:
    found = []
    for transition in process.outgoing(state):
        if model.can_happen(process.name, transition):
            action = transition.action
            fault = model.process_fault(process.name, action) if isinstance(action, Internal) else None
            found.append((label_of_action(action, fault or ""), transition))
    return found


def _is_open(answer: SurvivalAnswer) -> bool:
    """Not reached so far, and not known to be out of reach."""
    return answer.holds is None or (answer.holds and answer.up_to is not None)


class NeverHappens:
    """The steps of the roles of one system that never happen, under one failure model."""

    def __init__(self, behaviour: Behaviour) -> None:
        self._model = behaviour.model
        self._options = behaviour.group.request.options.without_runs()
        self._known: dict[str, frozenset[RoleStep]] = {}

    def __call__(self, role: str) -> frozenset[RoleStep]:
        if role not in self._known:
            self._known[role] = frozenset(self._never(self._model.system[role]))
        return self._known[role]

    def _never(self, process: Process) -> Iterator[RoleStep]:
        """Reached at small bounds, or proved never to be: what is neither is taken to be possible."""
        open_ = dict(self._candidates(process))
        for k in QUICK_BOUNDS:
            if not open_:
                return
            asks = {str(i): Ask(False, goal) for i, goal in enumerate(open_.values())}
            found = survey(self._model, asks, k, options=self._options, most=QUICK).answers
            answers = {step: found[str(i)] for i, step in enumerate(open_)}
            yield from (step for step, a in answers.items() if a.holds and a.up_to is None)
            open_ = {s: g for s, g in open_.items() if _is_open(answers[s])}
        for step, goal in open_.items():
            if is_over():
                return
            answer = reached_at_any_length(self._model, goal, _WITHIN, _EFFORT)
            if answer is not None and answer.certificate is not None:
                yield step

    def _candidates(self, process: Process) -> Iterator[tuple[RoleStep, Goal]]:
        receptions = dict.fromkeys(t.action for t in process.transitions if isinstance(t.action, Receive))
        for state in process.reachable():
            here = At(process.name, (state,))
            yield (state, None), here
            for action in receptions:
                channel = channel_of(process.name, action)
                assert channel is not None
                # Where messages change, what is received need not be what stands at the head.
                if not any(self._model.failures.on(channel).becomes.values()):
                    yield (state, action), And((here, Head(channel, action.message)))
