"""What a message may become in a channel that corrupts (definition 2.3)."""

from __future__ import annotations

from collections.abc import Iterable

from ...errors import UsageError
from .actions import Channel, Send
from .system import System


def message_pool(
    system: System, channel: Channel, scope: str | None, pairs: Iterable[tuple[str, str]]
) -> tuple[str, ...]:
    """The messages that may stand in the channel, in the order of the file, the crash message aside."""
    found = [*system.alphabet(channel), *(m for pair in pairs for m in pair)]
    if scope == "sender":
        found += [t.action.message for t in system[channel.sender].transitions if isinstance(t.action, Send)]
    elif scope == "system":
        found += system.messages
    pool = tuple(dict.fromkeys(m for m in found if isinstance(m, str)))
    if system.made_of_data:
        _refuse_unknown(system, channel, pool)
    return pool


def _refuse_unknown(system: System, channel: Channel, pool: Iterable[str]) -> None:
    """Patterns of a role may take a message for which its automaton was not made."""
    known = system.alphabet(channel)
    for message in pool:
        if message not in known:
            problem = f"corruption makes {message}, which {channel.sender} never sends {channel.receiver}"
            hint = "in a file with variables corruption is among the messages that are sent on a channel"
            raise UsageError(problem, hint=hint)


def all_pairs(pool: tuple[str, ...]) -> list[tuple[str, str]]:
    """A cycle through the pool, whose closure relates every two messages of it."""
    return list(zip(pool, (*pool[1:], *pool[:1]), strict=True))


def transitive_closure(pairs: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    """What each message may become in any number of corruptions, itself left out."""
    step: dict[str, set[str]] = {}
    for a, b in pairs:
        step.setdefault(a, set()).add(b)
    closure = {}
    for start in step:
        seen, stack = set(), [start]
        while stack:
            for following in step.get(stack.pop(), ()):
                if following not in seen:
                    seen.add(following)
                    stack.append(following)
        closure[start] = frozenset(seen - {start})
    return closure
