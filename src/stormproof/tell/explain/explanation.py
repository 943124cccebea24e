"""Why a property fails, in a short paragraph in the protocol's own names.

What happened (`narrate`), who waits for what at the end, and what nobody will ever send (a search from the
end of the run, within a budget). What would repair it is `suggest`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...kernel.model.actions import CRASH, Channel, Crash, Receive, Send
from ...kernel.model.phrases import arrow, awaited, clauses, few, listed, named, own_actions, situation
from ...kernel.model.process import Process
from ...kernel.model.requirement import LEADS_TO, NEVER
from ...kernel.model.run import Witness
from ...search.checks.headline import extent, number_of_faults
from ...search.checks.properties import K_WER, PROPERTIES, Symptom, explanation
from ...search.checks.report import Report, Verdict
from ...search.narrate.narrative import Narrative, in_flight
from ...search.narrate.reason import why
from ...trust.replay import BUDGET, Outlook

#: Ends of runs from which no calm run leads to rest.
ENDINGS = ("deadlock", "livelock", "divergence")


@dataclass(frozen=True)
class Explanation:
    """What is to be said of one verdict, or of several that one run violates."""

    properties: tuple[str, ...]
    holds: bool | None
    text: str

    def __bool__(self) -> bool:
        return self.holds is True

    def to_json(self) -> dict[str, Any]:
        return {"properties": list(self.properties), "holds": self.holds, "text": self.text}


def explanations(report: Report) -> tuple[Explanation, ...]:
    """Each violated property explained, the undecided ones named, and what holds in one sentence."""
    found: dict[str, list[str]] = {}
    for verdict in sorted(report, key=lambda v: not v.survival):  # the classes are explained last
        if verdict.holds is False:
            found.setdefault(explain(report, verdict), []).append(verdict.property)
    sentences = [Explanation(tuple(names), False, _also(names, text)) for text, names in found.items()]
    sentences += [
        Explanation((v.property,), None, f"{v.property} is undecided: {v.reason}.")
        for v in report
        if v.holds is None
    ]
    sentences += [
        Explanation((v.property,), True, f"{v.property} was expected to be violated, and holds.")
        for v in report
        if v.holds and not v.ok
    ]
    good = [v for v in report if v.holds and v.ok]
    if good:
        names = tuple(v.property for v in good)
        sentences.append(Explanation(names, True, f"What holds: {listed(map(_held, good))}."))
    return tuple(sentences)


def _held(verdict: Verdict) -> str:
    if verdict.survival:
        return f"{verdict.property} ({extent(verdict)})"
    return verdict.property if verdict.k is None else f"{verdict.property} (k = {verdict.k})"


def _also(names: list[str], text: str) -> str:
    """One run may violate a property and the conjunctions that it is part of."""
    rest = [n for n in names if n in PROPERTIES and PROPERTIES[n].parts]
    return (
        f"{text} So {listed(rest)} {'fails' if len(rest) == 1 else 'fail'}."
        if len(rest) < len(names) and rest
        else text
    )


def explain(report: Report, verdict: Verdict, budget: int = BUDGET) -> str:
    """The paragraph for one violated verdict."""
    report, witness = report.of(verdict), verdict.witness
    if witness is None:
        return f"{_title(_asked(verdict))}: {verdict.reason}."
    if verdict.survival:
        return _survival(report, verdict, witness)
    part = verdict.part or _asked(verdict)
    scene = _Scene(report, part, verdict.witness_k or verdict.k, witness, budget)
    sentences = [f"{_title(part, _bound(verdict))}.", *Narrative(report.system, witness).sentences()]
    sentences += scene.end()
    size = Narrative(report.system, witness).size()
    sentences.append(f"{'Shortest run' if witness.shortest else 'A run'}: {size}.")
    sentences += [f"{other.name}, too: {other.reason}." for other in verdict.others]
    return " ".join(sentences)


def _survival(report: Report, verdict: Verdict, witness: Witness) -> str:
    """What happens, where everybody stands when the faults are over, and how it ends."""
    story = Narrative(report.system, witness)
    places = [situation(report.system, p, witness.states[p.name]) for p in report.system]
    flying = in_flight(witness)
    sentences = [f"{_claim(verdict)}: it {number_of_faults(verdict)}.", *story.sentences()]
    sentences.append(f"Now {clauses(places)}.")
    sentences.append(f"In flight: {'; '.join(flying)}." if flying else "Nothing is in flight.")
    size = [] if story.summarised else [f"The run has {story.size()}."]
    return " ".join([*sentences, _ending(verdict, witness), *size])


def _ending(verdict: Verdict, witness: Witness) -> str:
    if _asked(verdict) == LEADS_TO:
        end, _, since = verdict.reason.partition("; pending")
        opening = "That is a" if witness.ending in ENDINGS else "There"
        return f"{opening} {end}. The requirement has been pending{since}."
    if witness.ending in ENDINGS:
        return f"That is a {verdict.reason if ':' in verdict.reason else witness.ending}."
    if verdict.requirement is not None and verdict.requirement.claim.what == NEVER:
        return "That must never be reached."
    return f"There {verdict.reason}."


def _asked(verdict: Verdict) -> str:
    """The property that a verdict is about, also where a requirement gives it another name."""
    return verdict.property if verdict.requirement is None else verdict.requirement.claim.what


def _claim(verdict: Verdict) -> str:
    """What does not hold: a property by its title, a requirement by its name and what it claims."""
    requirement = verdict.requirement
    if requirement is None:
        return PROPERTIES[verdict.property].title
    kind = "Known limit" if requirement.violated else "Requirement"
    name = f"{requirement.name}, " if requirement.name else ""
    return f"{kind} {name}{requirement.claim}"


def _title(property: str, bound: str = "") -> str:
    row = PROPERTIES[property]
    excused = ", even when what goes to a crashed process is excused" if row.excuses_crashed else ""
    return row.title + bound + excused


def _bound(verdict: Verdict) -> str:
    return "" if verdict.witness_k is None else f" at k = {verdict.witness_k}"


def _for_ever(process: Process, state: str) -> str:
    """That a process waits for ever, although it has a timer perhaps."""
    own = own_actions(process, state)
    leads = (
        f", since {listed(own)} {'leads' if len(own) == 1 else 'lead'} to no send, reception or final state"
    )
    return f"{process.name} waits for ever{leads if own else ''}"


def _messages(actions: Iterable[Receive]) -> str:
    return listed(
        ("the crash notice" if isinstance(a.message, Crash) else str(a.message) for a in actions), "or"
    )


class _Scene:
    """The end of a run: who stands where, what can still happen."""

    def __init__(self, report: Report, part: str, k: int | None, witness: Witness, budget: int) -> None:
        self.report, self.part, self.k, self.witness, self.budget = report, part, k, witness, budget
        self.system, self.row = report.system, PROPERTIES[part]

    def end(self) -> list[str]:
        """The situation at the end, as far as the property is about it."""
        if self.row.symptom is None:
            sentence = why(explanation(self.row.name), self.system, self.report.model, self.k, self.witness)
            return [f"There {sentence}."]
        sentences = [f"Now {clauses(self._places())}."]
        flying = in_flight(self.witness)
        sentences.append(f"In flight: {'; '.join(flying)}." if flying else "Nothing is in flight.")
        sentences += {
            Symptom.WAITS: self._waits,
            Symptom.UNRECEIVED: self._stays,
            Symptom.BLOCKED: self._blocked,
        }[self.row.symptom]()
        return sentences

    def _places(self) -> Iterator[str]:
        """Where everybody stands who took part, or whom the verdict is about."""
        acted = {a.process for a in self.witness.acts} | {self.witness.culprit.get("process", "")}
        acted |= {end for channel, word in self.witness.channels.items() if word for end in channel}
        blamed = self.culprit()
        if blamed is not None:
            acted |= {a.peer for a in blamed.receives(self.witness.states[blamed.name])}
        for process in self.system:
            if process.name in acted or len(self.system.processes) <= 3:
                yield situation(self.system, process, self.witness.states[process.name])

    def culprit(self) -> Process | None:
        name = self.witness.culprit.get("process", "")
        return next((p for p in self.system if p.name == name), None)

    def _waits(self) -> list[str]:
        """k-pg: what the waiting process waits for, and what of it nobody will ever send."""
        process = self.culprit()
        if process is None:
            return []
        state = self.witness.states[process.name]
        wanted = process.receives(state)
        never = [a for a in wanted if self.sent_again(process.name, a) is False]
        told_of = [a for a in wanted if isinstance(a.message, Crash) and self._learnt(process.name, a)]
        if never and len(told_of) == len(wanted):
            peers = listed(a.peer for a in told_of)
            sentences = [
                f"{process.name} has learnt of the crash of {peers} already and waits for nothing else, "
                f"so {_for_ever(process, state)}."
            ]
        elif len(never) == len(wanted):
            sentences = [
                f"{self._nobody(wanted)} send {process.name} {_messages(wanted)}, "
                f"so {_for_ever(process, state)}."
            ]
        elif never:
            rest = [a for a in wanted if a not in never]
            sentences = [
                f"{self._nobody(never)} send {process.name} {_messages(never)}; "
                f"{awaited(self.system, rest)} may still be sent, but {process.name} never receives it."
            ]
        else:
            sentences = [f"{process.name} never receives any of it."]
        return sentences + self._crash_branch(process, state)

    def _learnt(self, name: str, action: Receive) -> bool:
        return any(act.process == name and act.action == action for act in self.witness.acts)

    def _nobody(self, actions: Sequence[Receive]) -> str:
        """`P will never`, where it is all up to one process; `Nobody will ever` where it is up to several."""
        peers = {a.peer for a in actions}
        if len(peers) > 1:
            return "Nobody will ever"
        (peer,) = peers
        gone = self.witness.states[peer] in self.system[peer].crashed_states
        return f"{peer}, which has crashed, will never" if gone else f"{peer} will never"

    def sent_again(self, receiver: str, action: Receive) -> bool | None:
        """Can this still be sent to the receiver, from the end of the run?"""
        outlook = Outlook(self.system, self.report.model, self.k or 1, self.budget)
        return outlook.reaches(self.witness.end(self.system), {(action.peer, Send(receiver, action.message))})

    def _crash_branch(self, process: Process, state: str) -> list[str]:
        """Peers that have crashed and whose crash the waiting process does not handle here."""
        missing = self._crashed_peers(process, state)
        return [f"{process.name}.{state} has no crash branch for {p}." for p in missing]

    def _crashed_peers(self, process: Process, state: str) -> Iterator[str]:
        for peer in dict.fromkeys(a.peer for a in process.receives(state)):
            gone = self.witness.states[peer] in self.system[peer].crashed_states
            if gone and Receive(peer, CRASH) not in process.receives(state):
                yield peer

    def _channel(self) -> Channel | None:
        sender, _, receiver = self.witness.culprit.get("channel", "").partition("->")
        return Channel(sender, receiver) if sender in self.system and receiver in self.system else None

    def _stays(self) -> list[str]:
        """k-er: the message that stays, and where its receiver would have to be to take it."""
        channel = self._channel()
        queue = Channel("", channel.receiver) if channel and self.system.mailboxes else channel
        if channel is None or queue is None or not self.witness.channels.get(queue):
            return []
        head, receiver = self.witness.channels[queue][0], self.system[channel.receiver]
        what = "anything" if self.row is K_WER else named(head, channel.sender)
        places = [s for s in receiver.states if Receive(channel.sender, head) in receiver.receives(s)]
        only = f"takes it only in {few(places)}, which it never reaches from there"
        where = only if places else "never receives it"
        if self.witness.states[receiver.name] in receiver.crashed_states:
            where = "has crashed"
        source = "" if isinstance(head, Crash) and self.row is not K_WER else f" from {channel.sender}"
        sentence = f"{receiver.name} never receives {what}{source}"
        if self.row is K_WER:
            return [f"{sentence} again."]
        return [f"{sentence}: it {where}."]

    def _blocked(self) -> list[str]:
        process, channel = self.culprit(), self._channel()
        if process is None or channel is None:
            return []
        what = self.witness.culprit.get("message", "").replace(str(CRASH), "the crash notice")
        where = f"The mailbox of {channel.receiver}" if self.system.mailboxes else arrow(channel)
        return [
            f"{where} is full and stays full, so {process.name} can never send {what} "
            f"in {self.witness.states[process.name]} within k = {self.k}."
        ]
