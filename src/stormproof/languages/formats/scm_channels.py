"""Who sends and who receives on each numbered channel of a `.scm` file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...errors import ModelError
from ...kernel.model.actions import Channel
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

    @property
    def shared(self) -> list[int]:
        """The channels that several automata send into."""
        return [number for number, users in sorted(self.senders.items()) if len(users) > 1]

    @property
    def mailboxes(self) -> bool:
        """Has each automaton one channel to receive from, whoever sends into it?"""
        return self.notes.mailboxes or bool(self.shared)

    def find(self) -> dict[int, tuple[Channel, ...]]:
        """The pairs that each channel leads between: several where it is a mailbox."""
        ends: dict[int, tuple[Channel, ...]] = {}
        taken: dict[Channel, int] = {}
        for number in sorted({*self.senders, *self.receivers, *self.notes.channels}):
            ends[number] = self.ends(number)
            for channel in ends[number]:
                if channel in taken:
                    self.refuse(
                        f"channels {taken[channel]} and {number} both lead from {channel}", self.place(number)
                    )
                taken[channel] = number
        if self.mailboxes:
            self.check_mailboxes(ends)
        return ends

    def ends(self, number: int) -> tuple[Channel, ...]:
        noted = self.notes.channels.get(number, [])
        receiver = self.end(number, self.receivers, "receive from", [b for _, b in noted])
        senders = {**self.senders.get(number, {})}
        if self.mailboxes:
            senders |= {a: 0 for a, _ in noted if self.is_known(a, number) and a not in senders}
        if len(senders) > 1:
            _, receiver = self.guess(number, next(iter(senders)), receiver)
            return tuple(Channel(sender, receiver) for sender in senders)
        sender = self.end(number, self.senders, "send on", [a for a, _ in noted])
        return (Channel(*self.guess(number, sender, receiver)),)

    def check_mailboxes(self, ends: dict[int, tuple[Channel, ...]]) -> None:
        """Where channels are mailboxes, every automaton has one channel to receive from."""
        reads: dict[str, int] = {}
        for number, channels in ends.items():
            owner = channels[0].receiver
            if owner in reads:
                shared = self.shared
                why = f"several automata send on channel {shared[0]}" if shared else "a note says mailboxes"
                self.refuse(
                    f"{why}, and {owner} receives from channels {reads[owner]} and {number}",
                    self.place(number),
                )
            reads[owner] = number

    def end(
        self, number: int, table: dict[int, dict[str, int]], verb: str, noted: Sequence[str]
    ) -> str | None:
        users = table.get(number, {})
        if len(users) > 1:
            names = " and ".join(shorten(u) for u in list(users)[:3])
            self.refuse(f"{names} both {verb} channel {number}", list(users.values())[1])
        user = next(iter(users), None)
        for name in noted:
            if self.is_known(name, number) and name != (user or noted[0]):
                self.refuse(
                    f"a note says that {name} is the one to {verb} channel {number}", users.get(user or "", 0)
                )
        return user or next(iter(noted), None)

    def is_known(self, noted: str, number: int) -> bool:
        if noted in self.automata:
            return True
        hint = guess(noted, self.automata, "Automata")
        self.source.fail(
            f"unknown automaton '{shorten(noted)}' at channel {number}", 0, None, hint, ModelError
        )

    def guess(self, number: int, sender: str | None, receiver: str | None) -> tuple[str, str]:
        """Of two automata, the other one is meant; of more, nobody can tell."""
        if sender is not None and receiver is not None:
            return sender, receiver
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
        hint = (
            "a channel has one receiver; each ordered pair has one channel, or each receiver has one for all"
        )
        self.source.fail(f"neither peer to peer nor mailboxes: {reason}", start, start + 2, hint, ModelError)
