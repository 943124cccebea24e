"""The checker of certificates: does a certificate prove that a k-property holds?

A k-property requires, in every k-reachable configuration, that certain actions remain possible (definitions,
chapter 3). It is proved by a set of configurations that contains the initial one and is closed under all
steps, with a run to the required action for every obligation in each configuration. This module searches
nothing: it derives the obligations from the definition of the property, and takes each step of each run as
the kernel does (`kernel.semantics.silent_steps`), one word per channel and one step per fault. It uses
nothing of the engine. `search/certificates` makes the certificates.

Runs share their endings: for each goal a certificate says which step to take in a configuration, and the run
follows from that. The set may be larger than the reachable one; that only adds obligations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..errors import Refused
from ..kernel.model.actions import Configuration, Crash, Internal, Message, Receive, Send, sender_in
from ..kernel.model.failures import FailureModel
from ..kernel.model.process import Process, StateKind
from ..kernel.model.system import System
from ..kernel.semantics.silent_steps import FiredAction, initial, steps

#: Properties that are conjunctions of others (definitions 3.6, 5.7).
_CONJUNCTIONS = {
    "k-safe": ("k-er", "k-pg"),
    "k-mc": ("k-exh", "k-er", "k-pg"),
    "k-wmc": ("k-exh", "k-er"),
    "k-wmc-up-to-crash": ("k-exh-up-to-crash", "k-er-up-to-crash"),
}


class CertifiedGoal(NamedTuple):
    """Actions of `process`, one of which is to be reached: those to or from `peer` (None: anybody) of
    `message` (None: any). `still`: in a run in which the process does not act before. Without a `kind` the
    process is to stop waiting (definitions 3.5), in a run in which it does not crash, stop or restart."""

    process: str
    kind: type[Send] | type[Receive] | None
    peer: str | None = None
    message: Message | None = None
    still: bool = False

    def met_by(self, event: FiredAction | None, after: StateKind) -> bool:
        """Does the event, which leads the process to a state of that kind, meet the goal?"""
        if event is None or event.process != self.process:
            return False
        action = event.action
        if self.kind is None:
            crash = isinstance(action, Send) and isinstance(action.message, Crash)
            talks = not isinstance(action, Internal) and not crash
            return talks or (after is StateKind.FINAL and not self.bars(event))
        if not isinstance(action, self.kind):
            return False
        return self.peer in (None, action.peer) and self.message in (None, action.message)

    def bars(self, event: FiredAction | None) -> bool:
        """May the event not happen on the way to the goal?"""
        if event is None or event.process != self.process:
            return False
        fault = isinstance(event.action, Internal) and event.action.is_fault
        return self.still or (self.kind is None and fault)

    def __str__(self) -> str:
        if self.kind is None:
            return f"{self.process} is to send, to receive or to end"
        verb, word = ("send", "to") if self.kind is Send else ("receive", "from")
        what = "something" if self.message is None else str(self.message)
        return f"{self.process} is to {verb} {what}" + ("" if self.peer is None else f" {word} {self.peer}")


class CertifiedStep(NamedTuple):
    """A step of a run: what happens (None: a fault) and the number of the configuration after it."""

    event: FiredAction | None
    after: int


@dataclass(frozen=True)
class BoundedCertificate:
    """`runs`: for each goal and each configuration on the way to it, by number, the step to take there."""

    property: str
    k: int
    configurations: tuple[Configuration, ...]
    runs: Mapping[CertifiedGoal, Mapping[int, CertifiedStep]]

    def run(self, system: System, goal: CertifiedGoal, at: int) -> tuple[CertifiedStep, ...]:
        """The run that meets the goal from a configuration, of a certificate that was confirmed."""
        found: list[CertifiedStep] = []
        while not found or not meets(system, self.configurations, goal, found[-1]):
            found.append(self.runs[goal][found[-1].after if found else at])
        return tuple(found)


def meets(
    system: System, configurations: Sequence[Configuration], goal: CertifiedGoal, step: CertifiedStep
) -> bool:
    """Does the step meet the goal?"""
    if step.event is None or step.event.process != goal.process:
        return False
    state = configurations[step.after].states[system.names.index(goal.process)]
    return goal.met_by(step.event, system[goal.process].kind(state))


@dataclass(frozen=True)
class CertificateCheck:
    """`ok`: the certificate proves that the property holds; `message`: what it showed, or why it does not."""

    ok: bool
    message: str
    configurations: int = 0
    obligations: int = 0


def check_certificate(
    system: System, failures: FailureModel, certificate: BoundedCertificate
) -> CertificateCheck:
    """Check every step of the certificate against the definitions."""
    try:
        moves = _closed(system, failures, certificate)
        asked = sum(_met(system, certificate, moves, at) for at in range(len(moves)))
    except Refused as why:
        return CertificateCheck(False, str(why))
    count = len(certificate.configurations)
    met = (
        f"for each of their {asked:,} obligations a run that meets it" if asked else "nothing is asked in any"
    )
    text = f"at k = {certificate.k}, {count:,} configurations closed under every step, and {met}"
    return CertificateCheck(True, text, count, asked)


def _closed(
    system: System, failures: FailureModel, certificate: BoundedCertificate
) -> list[set[CertifiedStep]]:
    """The steps of every configuration, none of which leads out of the set; the initial one is in it."""
    if certificate.k < 1:
        raise Refused(f"a bound is at least 1, not {certificate.k}")
    numbers = {at: i for i, at in enumerate(certificate.configurations)}
    if len(numbers) < len(certificate.configurations):
        raise Refused("a configuration is listed twice")
    if initial(system) not in numbers:
        raise Refused("the initial configuration is not in the set")
    found: list[set[CertifiedStep]] = []
    for number, at in enumerate(certificate.configurations):
        _well_formed(system, number, at)
        here: set[CertifiedStep] = set()
        for event, after in steps(system, failures, at, certificate.k):
            if after not in numbers:
                raise Refused(f"a step from configuration {number} leads out of the set")
            here.add(CertifiedStep(event, numbers[after]))
        found.append(here)
    return found


def _well_formed(system: System, number: int, at: Configuration) -> None:
    known = len(at.states) == len(system.processes) and len(at.words) == len(system.channels)
    if not known or any(state not in p.states for p, state in zip(system, at.states, strict=True)):
        raise Refused(f"configuration {number} is not one of the system")


def _met(system: System, certificate: BoundedCertificate, moves: list[set[CertifiedStep]], start: int) -> int:
    """How many obligations a configuration has, each of them met."""
    goals = set(obligations(system, certificate.property, certificate.configurations[start]))
    for goal in goals:
        _follow(system, certificate, moves, goal, start)
    return len(goals)


def _follow(
    system: System,
    certificate: BoundedCertificate,
    moves: list[set[CertifiedStep]],
    goal: CertifiedGoal,
    start: int,
) -> None:
    """Take the run step by step: each is one of the system, and the last is what the goal asks for."""
    run, here, seen = certificate.runs.get(goal, {}), start, set[int]()
    while here not in seen:
        seen.add(here)
        move = run.get(here)
        if move is None:
            raise Refused(f"{goal} from configuration {start}: no run from {here} on is given")
        if move not in moves[here]:
            raise Refused(f"{goal} from configuration {start}: the step from {here} is none of the system")
        if meets(system, certificate.configurations, goal, move):
            return
        if goal.bars(move.event):
            raise Refused(f"{goal} from configuration {start}: it acts or fails before that")
        here = move.after
    raise Refused(f"{goal} from configuration {start}: the run comes back to {here}")


def obligations(system: System, property: str, at: Configuration) -> Iterator[CertifiedGoal]:
    """What a property requires in a configuration (definitions 3.1 to 3.6, 5.7)."""
    for part in _CONJUNCTIONS.get(property, (property,)):
        base = part.removesuffix("-up-to-crash")
        gone = {
            p.name for p, s in zip(system, at.states, strict=True) if base != part and s in p.crashed_states
        }
        if base in ("k-er", "k-wer"):
            yield from _receptions(system, at, gone, any_message=base == "k-wer")
        elif base in ("k-exh", "k-exh-literal", "k-pg"):
            for process, state in zip(system, at.states, strict=True):
                yield from _of_process(process, state, base, gone)
        else:
            raise Refused(f"there is no certificate of this kind for {part}")


def _receptions(
    system: System, at: Configuration, gone: set[str], any_message: bool
) -> Iterator[CertifiedGoal]:
    """Definitions 3.3: the first message of a channel is received; weakly (3.4), any message."""
    for channel, word in zip(system.channels, at.words, strict=True):
        if word and channel.receiver not in gone:
            # Any message of a mailbox is one from anybody.
            sender = None if any_message and channel.is_mailbox else sender_in(word[0]) or channel.sender
            yield CertifiedGoal(channel.receiver, Receive, sender, None if any_message else word[0])


def _of_process(process: Process, state: str, base: str, gone: set[str]) -> Iterator[CertifiedGoal]:
    """Definitions 3.1: every send of a sending state fires. Definitions 3.5: a receiving state is left."""
    if base == "k-pg":
        if process.kind(state) is StateKind.RECEIVING:
            yield CertifiedGoal(process.name, None)
    elif process.kind(state) is StateKind.SENDING:
        for send in process.sends(state):
            if send.peer not in gone:
                yield CertifiedGoal(process.name, Send, send.peer, send.message, still=base == "k-exh")
