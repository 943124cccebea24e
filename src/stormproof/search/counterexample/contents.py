"""One content for each channel at the end of a run that the engine found.

The engine keeps a channel in the coarsest form that loses nothing: a multiset where messages are reordered, a
length where corruption makes all of them alike. This picks a word that the form stands for, close to what was
sent, so that few faults are needed to reach it.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...kernel.model.actions import Channel, Crash, Firing, Message, Send, Word, channel_of
from ...kernel.model.failures import FailureModel
from ...kernel.model.system import System
from ..engine.k_properties import Violation


def contents(system: System, failures: FailureModel, violation: Violation) -> dict[Channel, Word]:
    """What the channels hold where the violation ends; the culprit's message stands at its head."""
    words = dict(zip(system.channels, violation.end.words, strict=True))
    if violation.literal:
        return words
    found = {}
    for number, (channel, word) in enumerate(words.items()):
        head = violation.end.head
        wanted = head[1] if head is not None and head[0] == number else None
        found[channel] = _content(system, failures, channel, word, violation.firings, wanted)
    return found


def _content(
    system: System,
    failures: FailureModel,
    channel: Channel,
    word: Word,
    firings: Iterable[Firing],
    head: Message | None,
) -> Word:
    """Where only a length is known, the last messages sent stand for it: they need no corruption. A message
    that must be the head replaces the first (length) or is moved to the front (multiset)."""
    reorder = failures.on(channel).reorder
    alike = failures.only_length_matters(system, channel)
    if not reorder and not alike:
        return word
    users: list[Message] = [m for m in word if not isinstance(m, Crash)]
    sent = _sent(channel, firings)
    if alike and len(set(users)) <= 1:
        users = sent[len(sent) - len(users) :]
        if isinstance(head, str):
            users[0] = head
    elif reorder:
        users = _in_order_of_sending(users, sent)
    return _with_head([*users, *(m for m in word if isinstance(m, Crash))], head)


def _with_head(word: list[Message], head: Message | None) -> Word:
    """The content with this message moved to its head."""
    if head is not None:
        word.remove(head)
        word.insert(0, head)
    return tuple(word)


def _sent(channel: Channel, firings: Iterable[Firing]) -> list[Message]:
    """What is put into a channel, the crash message aside."""
    actions = [t.action for process, t in firings if channel_of(process, t.action) == channel]
    return [a.message for a in actions if isinstance(a, Send) and not isinstance(a.message, Crash)]


def _in_order_of_sending(users: list[Message], sent: list[Message]) -> list[Message]:
    """A multiset in the order in which its messages were last sent, as far as they were sent at all."""
    left = list(users)
    ordered: list[Message] = []
    for message in reversed(sent):
        if message in left:
            left.remove(message)
            ordered.insert(0, message)
    return left + ordered
