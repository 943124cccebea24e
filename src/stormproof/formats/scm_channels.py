"""Who sends and who receives on each numbered channel of a `.scm` file."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..errors import ModelError
from ..model.actions import Channel
from .annotations import Notes
from .text import Source, guess, shorten


@dataclass
class ScmRow:
    source: str
    target: str
    target_at: int
    channel: int = -1
    sign: str = ""
    message: str = ""
    start: int = 0
    end: int = 0


@dataclass
class ScmAutomaton:
    name: str
    start: int
    initial: str = ""
    initial_at: int = 0
    states: dict[str, int] = field(default_factory=dict)
    rows: list[ScmRow] = field(default_factory=list)


class ChannelEnds:
    """Who sends and who receives on each numbered channel."""

    def __init__(self, source: Source, notes: Notes, automata: dict[str, ScmAutomaton]) -> None:
        self.source = source
        self.notes = notes
        self.automata = automata
        self.senders: dict[int, dict[str, int]] = {}
        self.receivers: dict[int, dict[str, int]] = {}
        for automaton in automata.values():
            for row in automaton.rows:
                if row.channel >= 0:
                    table = self.senders if row.sign == "!" else self.receivers
                    table.setdefault(row.channel, {}).setdefault(automaton.name, row.start)

    def find(self) -> dict[int, Channel]:
        ends: dict[int, Channel] = {}
        taken: dict[Channel, int] = {}
        for number in sorted({*self.senders, *self.receivers, *self.notes.channels}):
            channel = self.ends(number)
            if channel in taken:
                self.refuse(
                    f"channels {taken[channel]} and {number} both lead from {channel}", self.place(number)
                )
            taken[channel] = number
            ends[number] = channel
        return ends

    def ends(self, number: int) -> Channel:
        note = self.notes.channels.get(number)
        sender = self.end(number, self.senders, "send on", note[0] if note else None)
        receiver = self.end(number, self.receivers, "receive from", note[1] if note else None)
        if sender is None or receiver is None:
            sender, receiver = self.guess(number, sender, receiver)
        return Channel(sender, receiver)

    def end(self, number: int, table: dict[int, dict[str, int]], verb: str, noted: str | None) -> str | None:
        users = table.get(number, {})
        if len(users) > 1:
            names = " and ".join(shorten(u) for u in list(users)[:3])
            self.refuse(f"{names} both {verb} channel {number}", list(users.values())[1])
        user = next(iter(users), None)
        if noted is not None and noted not in self.automata:
            hint = guess(noted, self.automata, "Automata")
            self.source.fail(
                f"unknown automaton '{shorten(noted)}' at channel {number}", 0, None, hint, ModelError
            )
        if noted is not None and user not in (None, noted):
            self.refuse(f"a note says that {noted} is the one to {verb} channel {number}", users[user or ""])
        return user or noted

    def guess(self, number: int, sender: str | None, receiver: str | None) -> tuple[str, str]:
        """Of two automata, the other one is meant; of more, nobody can tell."""
        names = list(self.automata)
        known = sender or receiver
        if known is not None and len(names) == 2:
            other = names[1 - names.index(known)]
            return (known, other) if sender else (other, known)
        missing = "receives from" if sender else "sends on"
        self.source.fail(
            f"nobody {missing} channel {number}, so its ends are unknown",
            self.place(number),
            hint=f"name them in a comment: /* stormproof: channel {number}: {known} -> ... */",
            kind=ModelError,
        )

    def place(self, number: int) -> int:
        users = {**self.receivers.get(number, {}), **self.senders.get(number, {})}
        return min(users.values(), default=0)

    def refuse(self, reason: str, start: int) -> None:
        hint = "in a peer-to-peer system each ordered pair has one channel, with one sender and one receiver"
        self.source.fail(f"not peer to peer: {reason}", start, start + 2, hint, ModelError)
