"""The checker of certificates that survival or a requirement holds (definitions 10.11, 10.14).

A set of configurations that contains the initial one and that no step leaves, with or without faults,
contains everything that storms with at most k messages per channel reach; if none of its sends finds its
channel full, everything that any storm reaches. `never`: the goal holds nowhere in it. `always possible`:
every configuration has a rank, and either the goal holds there or a calm step lowers the rank, so that a
calm run leads to the goal. `leads to`: the number of a configuration has one digit more, 1 where it is
pending, and only there a rank is looked at.

This module reads the definitions by itself and searches nothing. It shares plain data types with the
engine and with `semantics`, and the meaning of goals with `replay_storm`. Nobody looks at a message to a role
that has ended: where one waits already, another changes nothing, unless the goal observes the channel
(definitions 10.8).

A step adds to the number of a configuration what depends on one process and one channel alone
(`numbered_steps`), so that this is worked out once: a million configurations are checked in a minute.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..errors import Refused
from ..kernel.model.actions import Internal, Receive, Send, Word, channel_of
from ..kernel.model.ask import Ask
from ..kernel.model.cuts import Cut
from ..kernel.model.faults import CUT
from ..kernel.model.goal_forms import observed_channels
from ..kernel.model.phrases import plural
from ..kernel.model.storm_step import FAULT_KINDS
from ..kernel.model.survival import SurvivalModel
from .channel_faults import received, sent
from .clocks import Time
from .numbered_steps import (
    NumberedChange,
    NumberedStep,
    digits_of,
    least_ranks,
    number_change,
    observed_changes,
)
from .observers import Watch
from .pending import becomes_pending
from .replay_storm import Judge, StormConfiguration
from .survival_certificate import ClosedSet, bases


@dataclass(frozen=True)
class SurvivalCheck:
    """`ok`: the certificate proves the claim, for storms with at most `up_to` messages per channel, None for
    channels of any length; `message`: what it shows, or why it proves nothing."""

    ok: bool
    message: str
    up_to: int | None = None

    def covers(self, up_to: int | None) -> bool:
        """Does it prove a claim on storms with at most so many messages per channel, None for any?"""
        return self.ok and (self.up_to is None or (up_to is not None and up_to <= self.up_to))


def check_holds(model: SurvivalModel, ask: Ask, certificate: ClosedSet) -> SurvivalCheck:
    """Check every configuration of the certificate against the definitions."""
    try:
        checker = _Checker(model, ask, certificate)
        full = checker.check_storms()
        checker.check_ranks() if ask.always else checker.check_never()
    except Refused as why:
        return SurvivalCheck(False, str(why))
    shown = f"no step leaves {plural(len(checker.storms), 'configuration')}, and "
    where = "each" if ask.after is None else "each in which it is pending"
    shown += f"from {where} a calm run leads to the goal" if ask.always else "the goal holds in none of them"
    extent = f"up to channels of length {certificate.k}" if full else "any channel length"
    return SurvivalCheck(True, f"{shown} ({extent})", certificate.k if full else None)


# ---- the certificate -----------------------------------------------------------------------------------


class _Checker:
    def __init__(self, model: SurvivalModel, ask: Ask, certificate: ClosedSet) -> None:
        self.model, self.ask, self.certificate = model, ask, certificate
        self.system, self.judge = model.system, Judge(model)
        self.watch, self.time = Watch(model), Time(model)
        self.contents = [certificate.contents.get(c, ()) for c in self.system.channels]
        if certificate.k < 1 or any(len(set(table)) < len(table) for table in self.contents):
            raise Refused("the bound is not positive, or a content is listed twice")
        self.bases = bases(self.system, self.contents, model.budget, ask)
        self.weights = [1]
        for base in self.bases:
            self.weights.append(self.weights[-1] * base)
        self.processes = len(self.system.processes)
        self.first = self.processes + (ask.after is not None)  # the digit of the first channel
        self.set_by: dict[int, int | None] = {}
        self.limited = [kind for kind in FAULT_KINDS if kind in model.budget.kinds]
        self.digit = [{word: i for i, word in enumerate(table)} for table in self.contents]
        looked_at = {c for goal in ask.goals for c in observed_channels(goal, self.system)}
        self.observed = [channel in looked_at for channel in self.system.channels]
        self.ended = [[s in model.rest.ended[p.name] for s in p.states] for p in self.system]
        self.locals = [[list(self._locals(i, s)) for s in p.states] for i, p in enumerate(self.system)]
        self.storms = self._storms()

    def _storms(self) -> dict[int, int]:
        """What storms reach, without the last digit, which is the value: the faults spent."""
        found: dict[int, int] = {}
        for rank in self.certificate.storms:
            for number in rank:
                if not 0 <= number < self.weights[-1]:
                    raise Refused(f"{number} is not the number of a configuration")
                spent, at = divmod(number, self.weights[-2])
                found[at] = min(spent, found.get(at, spent))
        return found

    def _place(self, digits: list[int]) -> StormConfiguration:
        states = tuple(p.states[digit] for p, digit in zip(self.system, digits))
        contents = zip(self.contents, digits[self.first :])
        return StormConfiguration(states, tuple(table[digit] for table, digit in contents))

    # ---- closed under every step -----------------------------------------------------------------------

    def check_storms(self) -> bool:
        """No step leaves the set, which contains the initial configuration; does a send find its channel
        full?"""
        if self.storms.get(self._initial()) != 0:
            raise Refused("the initial configuration, before any fault, is not in the set")
        full = False
        for number, spent in self.storms.items():
            digits = digits_of(number, self.bases)
            for local, moved in self._steps(digits):
                effects, hit = self._stormy(local, digits)
                full |= hit
                for effect in effects:
                    self._check_effect(number + moved, spent, digits, effect)
        return full

    def _steps(self, digits: list[int]) -> Iterator[tuple[NumberedStep, int]]:
        """The steps that clocks allow here, and what each adds without its channel."""
        for i in range(self.processes):
            for local in self.locals[i][digits[i]]:
                if local.timed is None:
                    yield local, local.moved(digits)
                    continue
                place, (name, taken) = self._place(digits), local.timed
                if self.time.allows(place.states, place.queues, name, taken):
                    ticking = self.time.ticking(place.states) if self.time.is_time(name) else ()
                    yield local, local.moved(digits) + sum(self.weights[clock] for clock in ticking)

    def _initial(self) -> int:
        """Its number, or -1 where the empty content is not listed."""
        digits = [p.states.index(p.initial) for p in self.system]
        digits += [0] * (self.first - self.processes)
        digits += [table.get((), -1) for table in self.digit]
        return -1 if -1 in digits else self._after(sum(d * w for d, w in zip(digits, self.weights)))

    def _after(self, number: int) -> int:
        """The number of a configuration that a step leads to: is it pending there, where the step does not
        change that digit itself?"""
        if self.ask.after is None:
            return number
        weight = self.weights[self.processes]
        before = number // weight % 2
        at = number % self.weights[self.first + len(self.digit)] - before * weight
        if at not in self.set_by:
            place = self._place(digits_of(at, self.bases))
            after = [becomes_pending(self.ask, b, place, self.judge.satisfies) for b in (False, True)]
            self.set_by[at] = after[0] if after[0] == after[1] else None
        now = self.set_by[at]
        return number if now is None else number + (now - before) * weight

    def _check_effect(self, number: int, spent: int, digits: list[int], effect: NumberedChange) -> None:
        change, spends, counts = effect
        if counts and any(digits[d] + n >= self.bases[d] for d, n in counts):
            return
        if spends and spent + spends >= self.bases[-1]:
            return
        if change is not None:
            number += change + sum(n * self.weights[d] for d, n in counts)
            known = self.storms.get(self._after(number))
            if known is not None and known <= spent + spends:
                return
        raise Refused(f"a step leads out of the set, from {self._place(digits)}")

    def _stormy(self, local: NumberedStep, digits: list[int]) -> tuple[tuple[NumberedChange, ...], bool]:
        if local.cut is not None:
            return tuple(self._cut(local.cut, digits)), False
        if local.internal is not None:
            return (local.internal,), False
        if local.goes_nowhere(digits):
            return (NumberedChange(0),), False
        key = self._content(local, digits)
        if key not in local.stormy:
            word, unseen = self.contents[local.channel][key[0]], key[1]
            failure = self.model.failures.on(self.system.channels[local.channel])
            full = local.sends and len(word) >= self.certificate.k and not (word and unseen)
            if not local.sends:
                found = list(received(word, local.message, failure))
            elif word and unseen:
                found = [(word, {}), *sent(word, local.message, failure, room=False)]
            else:
                found = list(sent(word, local.message, failure, room=not full))
            effects = tuple(self._effect(local, key[0], after, faults) for after, faults in found)
            local.stormy[key] = effects, full
        return local.stormy[key]

    def _cut(self, cut: Cut, digits: list[int]) -> Iterator[NumberedChange]:
        """What this cut adds to the number, if it takes down a channel."""
        fallen = self.judge.net.fallen(self._place(digits), cut, digits, self.first, self.digit)
        if fallen is not None:
            yield self._counted(number_change(digits, fallen, self.weights), {CUT.noun: 1})

    def _content(self, local: NumberedStep, digits: list[int]) -> tuple[int, bool]:
        """The content of the transition's channel, and whether nobody looks at what is put behind it."""
        unseen = self.ended[local.receiver][digits[local.receiver]] and not self.observed[local.channel]
        return digits[self.first + local.channel], unseen

    def _effect(
        self, local: NumberedStep, before: int, word: Word, faults: Mapping[str, int]
    ) -> NumberedChange:
        after = self.digit[local.channel].get(word)
        change = None if after is None else (after - before) * self.weights[self.first + local.channel]
        return self._counted(change, faults)

    def _counted(self, change: int | None, faults: Mapping[str, int]) -> NumberedChange:
        first = self.first + len(self.digit)
        counts = ((first + i, faults.get(kind, 0)) for i, kind in enumerate(self.limited))
        spends = 0 if self.model.budget.total is None else sum(faults.values())
        return NumberedChange(change, spends, tuple((d, n) for d, n in counts if n))

    def _locals(self, i: int, state: str) -> Iterator[NumberedStep]:
        process, names = self.system.processes[i], self.system.names
        for taken in process.outgoing(state):
            source, action, target = taken
            change = (process.states.index(target) - process.states.index(source)) * self.weights[i]
            moves = {**self.watch.moves(process.name, taken), **self.time.moves(process.name)}
            seen = observed_changes(moves, self.system, self.weights)
            channel = channel_of(process.name, action)
            if channel is not None and isinstance(action, Send | Receive):
                number, receiver = self.system.channel_index[channel], names.index(channel.receiver)
                sends, says = isinstance(action, Send), self.judge.net.says(process.name, action)
                yield NumberedStep(
                    change, seen, None, False, action.message, sends, number, receiver, says=says
                )
            elif isinstance(action, Internal):
                if action.crashes and process.name not in self.model.failures.unreliable:
                    continue
                marked = action.fault or self.model.process_faults.get((process.name, action.name))
                kind = "crash" if action.crashes else marked
                counted, cut = (
                    self._counted(0, {kind: 1} if kind else {}),
                    self.judge.net.named(process.name, action),
                )
                timed = (process.name, taken) if self.time.looks_at(process.name, taken) else None
                yield NumberedStep(change, seen, counted, bool(kind), timed=timed, cut=cut)

    # ---- the goal --------------------------------------------------------------------------------------

    def check_never(self) -> None:
        for number in self.storms:
            place = self._place(digits_of(number, self.bases))
            if self.judge.satisfies(place, self.ask.goal):
                raise Refused(f"the goal holds in {place}")

    def check_ranks(self) -> None:
        """Where the goal does not hold, some calm step lowers the rank."""
        top = self.weights[self.first + len(self.digit)]
        ranks = least_ranks(self.certificate.storms, self.certificate.beyond, top)
        for number, rank in ranks.items():
            digits = digits_of(number, self.bases)
            after = (self._after(number + change) for change in self._calm_changes(digits))
            lower = any(ranks.get(number, rank) < rank for number in after)
            if not lower and not self._is_reached(digits):
                raise Refused(f"no calm step lowers the rank of {self._place(digits)}")

    def _is_reached(self, digits: list[int]) -> bool:
        settled = self.ask.after is not None and digits[self.processes] == 0
        return settled or self.judge.satisfies(self._place(digits), self.ask.goal)

    def _calm_changes(self, digits: list[int]) -> Iterator[int]:
        """What calm steps add to the number, as far as they lead to contents that are listed."""
        for local, moved in self._steps(digits):
            change = self._calm(local, digits)
            if change is not None:
                yield moved + change

    def _calm(self, local: NumberedStep, digits: list[int]) -> int | None:
        if local.internal is not None:
            return None if local.is_fault else 0
        if local.goes_nowhere(digits):
            return 0
        key = self._content(local, digits)
        if key not in local.calm:
            word, unseen = self.contents[local.channel][key[0]], key[1]
            if not local.sends:
                after = word[1:] if word[:1] == (local.message,) else None
            else:
                after = word if word and unseen else (*word, local.message)
            local.calm[key] = None if after is None else self._effect(local, key[0], after, {}).change
        return local.calm[key]
