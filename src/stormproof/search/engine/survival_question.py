"""A question of survival as the engine takes it: names to numbers (definitions 10.8 to 10.13)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

from ... import _engine
from ...errors import UsageError
from ...kernel.model.actions import Channel, Internal, Transition
from ...kernel.model.ask import Ask
from ...kernel.model.goal import And, At, Contains, Goal, Head, Holds, Named, Not, Or
from ...kernel.model.goal_forms import normal_form
from ...kernel.model.survival import BlockSize, SurvivalModel
from ...kernel.transform.pending import PENDING, Pending
from ...options import Options
from ...records import dataclass
from .clocks import never_due
from .extras import plain_extras
from .k_properties import thread_count
from .lowering import Lowered, lower

#: Marks of internal actions that are no fault, and of those that cannot happen.
_UNMARKED, _DISABLED = 255, 254

#: Abstract configurations per attempt to prove that a goal is out of reach.
MOST_ABSTRACT = 200_000

_KIND = _engine.GoalKind
#: The kinds of faults as the engine numbers them, by the names that budgets give them.
_FAULTS = {fault.name.lower(): fault for fault in _engine.Fault}
PlainGoal = list[tuple[_engine.GoalKind, bool, int, list[int]]]
PlainAsk = tuple[bool, PlainGoal]
PlainList = tuple[list[_engine.ContentForm], bool, set[tuple[int, ...]]]


def _alone() -> Options:
    """Every configuration, in one thread."""
    return Options(threads=1).exploring_all()


@dataclass(frozen=True)
class SurvivalQuestion:
    """One system and failure model with its names, and how it is searched; the `knobs` are the engine's.
    `pending`: it is about what one goal leads to, and `model` has the role that says whether that is
    pending."""

    model: SurvivalModel
    observed: frozenset[Channel]
    ladder: tuple[BlockSize, ...] = ()
    certified: int = 0
    options: Options = field(default_factory=_alone)
    knobs: Mapping[str, Any] = field(default_factory=dict)
    pending: Pending | None = None

    @property
    def lowered(self) -> Lowered:
        return lower(self.model.system, self.model.failures)

    def native(
        self, asks: Sequence[PlainAsk], k: int, slack: int, lists: Sequence[PlainList] = (), **others: Any
    ) -> _engine.SurvivalQuestion:
        model, system = self.model, self.model.system
        return _engine.SurvivalQuestion(
            k,
            slack,
            asks,
            self._marks(),
            [_flags(p.states, model.rest.rest[p.name]) for p in system],
            [_flags(p.states, model.rest.ended[p.name]) for p in system],
            [int(c in self.observed) for c in system.channels],
            model.budget.total,
            [model.budget.kinds.get(kind) for kind in _FAULTS],
            [(size.blocks, size.counted) for size in self.ladder],
            MOST_ABSTRACT,
            self.certified,
            lists,
            self.options.reduction,
            symmetry=self.options.symmetry,
            threads=thread_count(self.options.threads),
            pending=self._pending(),
            extras=plain_extras(model, self.lowered),
            **{**others, **self.knobs},
        )

    def asked(self, ask: Ask) -> Ask:
        """What the engine is asked: the question about `model`."""
        return ask if self.pending is None else self.pending.ask

    def _pending(self) -> tuple[int, int, PlainGoal, PlainGoal] | None:
        if self.pending is None:
            return None
        begin, end = (self._goal(normal_form(goal)) for goal in (self.pending.begin, self.pending.end))
        role = self.model.system.processes[-1]
        return len(self.model.system.processes) - 1, role.states.index(PENDING), begin, end

    def plain(self, asks: Iterable[Ask]) -> list[PlainAsk]:
        return [(ask.always, self._goal(normal_form(ask.goal))) for ask in asks]

    def _marks(self) -> list[list[int]]:
        names = self.model.system.names
        return [
            [self._mark(p, t) for t in rows] for p, rows in zip(names, self.lowered.transitions, strict=True)
        ]

    def _mark(self, process: str, transition: Transition) -> int:
        if not isinstance(transition.action, Internal):
            return _UNMARKED
        late = never_due(self.model, self.model.system[process], transition)
        if late or not self.model.can_happen(process, transition):
            return _DISABLED
        kind = self.model.process_fault(process, transition.action)
        return _UNMARKED if kind is None else _FAULTS[kind].value

    def _goal(self, goal: Goal) -> PlainGoal:
        """The nodes of a goal in normal form, parts before wholes."""
        nodes: PlainGoal = []

        def add(part: Goal) -> int:
            if isinstance(part, And | Or):
                children = [add(p) for p in part.parts]
                nodes.append((_KIND.ALL if isinstance(part, And) else _KIND.ANY, False, 0, children))
            else:
                negated = isinstance(part, Not)
                kind, subject, details = self._atom(part.part if isinstance(part, Not) else part, negated)
                nodes.append((kind, negated, subject, details))
            return len(nodes) - 1

        add(goal)
        return nodes

    def _atom(self, atom: Goal, negated: bool) -> tuple[_engine.GoalKind, int, list[int]]:
        system = self.model.system
        if isinstance(atom, At):
            states = system[atom.process].states
            return _KIND.AT, system.names.index(atom.process), _flags(states, frozenset(atom.states))
        if isinstance(atom, Named) and atom.name == "deadlock":
            return _KIND.DEADLOCK, 0, []
        if isinstance(atom, Named) and atom.name == "at rest":
            return _KIND.AT_REST, 0, []
        if not isinstance(atom, Holds | Contains | Head):
            raise UsageError(f"'{atom}' cannot be asked of survival")
        word = atom.word if isinstance(atom, Holds) else (atom.message,)
        number = {m: i for i, m in enumerate(self.lowered.messages)}
        if atom.channel not in system.channel_index or any(m not in number for m in word):
            # Nothing is ever sent there, or nothing of this kind.
            never = not (isinstance(atom, Holds) and not atom.word)
            return (_KIND.ANY if never is not negated else _KIND.ALL), 0, []
        kind = {Holds: _KIND.HOLDS, Contains: _KIND.CONTAINS, Head: _KIND.HEAD}[type(atom)]
        return kind, system.channel_index[atom.channel], [number[m] for m in word]


def _flags(states: Iterable[str], chosen: frozenset[str]) -> list[int]:
    return [int(s in chosen) for s in states]
