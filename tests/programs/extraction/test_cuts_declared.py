"""Cuts that roles in Python declare, for all of the protocol and for one requirement."""

from __future__ import annotations

import stormproof as sp


@sp.role
def Asker() -> sp.Steps:
    yield sp.send("Server", "ask")
    yield sp.receive("Server")


@sp.role
def Server() -> sp.Steps:
    yield sp.receive("Asker")
    yield sp.send("Asker", "answer")


def test_declared_cuts_are_those_of_the_system() -> None:
    system = sp.extract(Asker, Server, failures=sp.Failures(cut=True))
    assert len(system.cuts) == 1 and len(system.cuts[0]) == 2
    assert sp.survives(system).holds is False
    assert sp.survives(sp.extract(Asker, Server)).holds
