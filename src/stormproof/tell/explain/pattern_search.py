"""Repairs of many lines: all that a pattern adds, and then without what is not needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from ...errors import ModelError
from ...kernel.model.actions import Receive
from ...kernel.model.system import System
from .addition import Addition, extended, merged
from .candidates import Scene, Stuck
from .judge import RepairJudge
from .retransmission import VARIANTS, LineGroup, Retransmission, complete
from .split import SplitProtocol
from .suggestion import Suggestion
from .trial import Spent, Trial

#: So many configurations one trial may explore, those of calm runs included.
MOST = 1_000_000

#: After so many, what is found is not sought again in another variant.
ENOUGH = 20_000


@dataclass
class PatternSearch:
    judge: RepairJudge
    targets: tuple[str, ...]
    spent: Spent
    roles: tuple[str, ...]
    base: SplitProtocol

    def __post_init__(self) -> None:
        met = {v.property for v in self.judge.before.values() if v.ok and v.requirement is not None}
        self.trial = Trial(self.judge.question, frozenset(self.targets) | met, self.spent)

    def run(self) -> list[Suggestion]:
        """The first variant that is a repair, or a later one that keeps what the protocol does."""
        found: list[Suggestion] = []
        with suppress(KeyboardInterrupt):
            for at_rest, answers in VARIANTS:
                if self.spent.all:
                    break
                pattern = Retransmission(self.base.system, self.roles, at_rest, answers)
                suggestion = self.repair(pattern.groups())
                found += [suggestion] if suggestion is not None else []
                if suggestion is not None and (suggestion.traces.kept or self.spent.configurations > ENOUGH):
                    break
        return sorted(found, key=lambda s: s.rank)[:1]

    def repair(self, groups: list[LineGroup]) -> Suggestion | None:
        return self.verified(self.tidied(self.grown(groups), groups))

    def verified(self, grown: list[LineGroup]) -> Suggestion | None:
        """Without what is not needed, or with all of it."""
        for chosen in (self.needed(grown), grown) if grown else ():
            additions = merged((*self.base.additions, *self.lines(chosen)))
            if len(additions) + len(self.base.redirects) <= lines_of_roles(self.judge.system):
                made = self.with_lines(chosen)
                suggestion = self.judge.verified(additions, made, self.targets, self.base)
                if suggestion is not None:
                    return suggestion
        return None

    def grown(self, groups: list[LineGroup]) -> list[LineGroup]:
        """One after the other that might help where the protocol is stuck with those before; all of them
        where that leads nowhere."""
        chosen: list[LineGroup] = []
        while not self.spent.all:
            stuck = self.tried(chosen)
            if stuck is True:
                return chosen
            scenes = stuck.scenes if isinstance(stuck, Stuck) else ()
            more = next((g for s in scenes for g in helping(groups, s) if g not in chosen), None)
            if more is None:
                return groups if len(chosen) < len(groups) and self.tried(groups) is True else []
            chosen.append(more)
        return []

    def tidied(self, chosen: list[LineGroup], groups: list[LineGroup]) -> list[LineGroup]:
        """With all that takes late messages, where otherwise some would be left behind."""
        more = [*chosen, *(g for g in groups if g not in chosen and isinstance(g.action, Receive))]
        if chosen and not self.is_tidy(chosen) and self.tried(more) is True and self.is_tidy(more):
            return more
        return chosen

    def is_tidy(self, groups: list[LineGroup]) -> bool:
        return not self.judge.was_clean() or self.trial.left_behind(self.with_lines(groups)) is True

    def needed(self, groups: list[LineGroup]) -> list[LineGroup]:
        """Halves, quarters and so on are left out while the others suffice, and leave nothing behind unless
        all of them do."""
        size, tidy = len(groups), bool(groups) and self.is_tidy(groups)
        while size > 1:
            size = (size + 1) // 2
            for start in range((len(groups) - 1) // size * size, -1, -size):
                fewer = groups[:start] + groups[start + size :]
                if not 0 < len(fewer) < len(groups) or self.spent.all:
                    continue
                if self.tried(fewer) is True and (not tidy or self.is_tidy(fewer)):
                    groups = fewer
        return groups

    def tried(self, groups: list[LineGroup]) -> Stuck | bool:
        try:
            return self.trial.narrow(self.with_lines(groups), MOST)
        except ModelError:  # no process: it would go on sending after its crash message
            return False

    def lines(self, groups: Iterable[LineGroup]) -> tuple[Addition, ...]:
        return complete(self.base.system, tuple(line for group in groups for line in group.lines))

    def with_lines(self, groups: Iterable[LineGroup]) -> System:
        return extended(self.base.system, self.lines(groups))


def helping(groups: list[LineGroup], scene: Scene) -> Iterator[LineGroup]:
    """What somebody could do who is there: take what stands before it, or else send something again."""
    here = [g for g in groups if scene.states[g.lines[0].role] == g.lines[0].state]
    heads = {(c.receiver, Receive(c.sender, word[0])) for c, word in scene.channels.items() if word}
    yield from (g for g in here if (g.lines[0].role, g.action) in heads)
    yield from (g for g in here if not isinstance(g.action, Receive))


def lines_of_roles(system: System) -> int:
    """In the canonical layout: one for each alternative, and for each state that has none."""
    return sum(len(p.transitions) + sum(not p.outgoing(s) for s in p.states) for p in system)
