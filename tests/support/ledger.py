"""A ledger that counts what a client adds. What it has confirmed is durable; the client forgets all."""

from __future__ import annotations

from typing import Any

import stormproof as sp

ITEMS = 12


@sp.role
def Ledger() -> Any:
    total = 0
    while True:
        asked = yield sp.receive("Client", at="ready", rest=True)
        total = max(total, min(asked.fields[0], total + 1))
        yield sp.send("Client", "added", total, durable=True)


@sp.role
def Client() -> Any:
    seen = 0
    while seen < ITEMS:
        yield sp.send("Ledger", "add", seen + 1)
        reply = yield sp.receive("Ledger", timeout=0.02)
        seen = seen if reply is None else max(seen, reply.fields[0])
    while True:
        yield sp.receive("Ledger", at="done", rest=True)


ROLES = {"Ledger": Ledger(), "Client": Client()}
STORM = sp.Failures(loss=True, restart=["Ledger", "Client"])


def protocol() -> sp.System:
    return sp.extract(ROLES, name="ledger", failures=STORM)
