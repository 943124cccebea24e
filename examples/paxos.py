"""Single-decree Paxos: two proposers with one ballot each, three acceptors.

    stormproof check examples/paxos.py:protocol -k 2

A proposer counts answers, not acceptors. Loss does no harm; with --duplicate a second copy of an answer
counts as that of another acceptor, and the check finds two values chosen.
"""

import stormproof as sp

PROPOSERS = ("P1", "P2")
ACCEPTORS = ("A1", "A2", "A3")
MAJORITY = 2


@sp.role
def Proposer(ballot):
    """Proposes its own number, unless an acceptor has accepted something before, and learns what is chosen.

    It gives up where no majority answers.
    """
    best = (0, ballot)
    heard = 0
    for acceptor in ACCEPTORS:
        yield sp.send(acceptor, "prepare", ballot)
    while heard < MAJORITY:
        reply = yield sp.receive(*ACCEPTORS, timeout=0.2, at="preparing")
        if reply is None:
            return
        if reply.name == "promise":
            heard += 1
            best = max(best, reply.fields)
    value = best[1]
    heard = 0
    for acceptor in ACCEPTORS:
        yield sp.send(acceptor, "accept", ballot, value)
    while heard < MAJORITY:
        reply = yield sp.receive(*ACCEPTORS, timeout=0.2, at="proposing")
        if reply is None:
            return
        if reply.name == "accepted":
            heard += 1
    while True:
        yield sp.receive(*ACCEPTORS, at=f"chose_{value}", rest=True)


@sp.role
def Acceptor():
    promised, accepted = 0, (0, 0)
    while True:
        message = yield sp.receive(*PROPOSERS, at="ready", rest=True)
        ballot = message.fields[0]
        if ballot >= promised:
            promised = ballot
            if message.name == "accept":
                accepted = message.fields
                yield sp.send(message.peer, "accepted")
            else:
                yield sp.send(message.peer, "promise", *accepted)


ROLES = {**{p: Proposer(i) for i, p in enumerate(PROPOSERS, 1)}, **{a: Acceptor() for a in ACCEPTORS}}
STORM = sp.Failures(loss=True)


def protocol():
    system = sp.extract(ROLES, name="paxos", failures=STORM)
    return system.require("agreement", never="P1@chose_1 & P2@chose_2").require(
        "both may win", never="P1@chose_1 & P2@chose_1", under=sp.Failures(), violated=True
    )
