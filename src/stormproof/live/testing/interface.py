"""The interface through which generated tests drive an implementation of a role."""

from __future__ import annotations

from typing import Protocol


class Implementation(Protocol):
    """An implementation of one role, just started. Messages are spelt as the protocol spells them: `data(0)`;
    the announcement that a peer has crashed is spelt `crash`."""

    def send(self) -> tuple[str, str] | None:
        """The next thing that it sends, as (peer, message); None if it waits for something, or has ended."""
        ...

    def receive(self, peer: str, message: str) -> bool | None:
        """Deliver a message from a peer. False: it does not take the message now."""
        ...

    def timer(self) -> bool | None:
        """Let its timer expire. False: no timer is running."""
        ...


class Restartable(Implementation, Protocol):
    """What an implementation needs besides, where its role may restart."""

    def restart(self) -> None:
        """Lose everything that is not durable, and start again from what is."""
        ...
