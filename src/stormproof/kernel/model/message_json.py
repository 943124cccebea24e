"""Messages in JSON: a name, the crash message as an object, and with its sender what stands in a mailbox."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import InputError
from .actions import CRASH, Crash, Message, letter, sender_in


def message_to_json(message: Message) -> Any:
    """A user's message is its name; the crash message is an object, so that no name can be it."""
    sender = sender_in(message)
    if not sender:
        return {"crash": True} if isinstance(message, Crash) else message
    what = {"crash": True} if isinstance(message, Crash) else {"message": str(message)}
    return {"from": sender, **what}


def message_from_json(data: Any) -> Message:
    if isinstance(data, str):
        return data
    if isinstance(data, Mapping):
        sender, name = data.get("from", ""), data.get("message")
        message = CRASH if data.get("crash") is True else name
        if isinstance(sender, str) and isinstance(message, str | Crash):
            return letter(message, sender) if sender else message
    raise InputError(f"a message is a name or {{'crash': true}}, not {data!r}")
