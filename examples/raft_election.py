"""The election of Raft: three nodes, terms up to a limit, at most one leader per term.

stormproof check examples/raft_election.py:protocol -k 1
"""

import stormproof as sp

NODES = ("N1", "N2", "N3")
TERMS = 1


@sp.role
def Node(me):
    """Follows, stands for election after a timeout, and leads once it has a majority of the votes."""
    others = tuple(n for n in NODES if n != me)
    term, voted = 0, None
    while True:
        message = yield sp.receive(*others, timeout=term < TERMS and 0.1, at="following", rest=True)
        if message is None:
            term, voted, votes = term + 1, me, frozenset((me,))
            for other in others:
                yield sp.send(other, "vote", term)
            while voted == me and len(votes) < 2:
                message = yield sp.receive(*others, timeout=0.1, at="standing")
                if message is None or message.fields[0] > term:
                    break
                if message.name == "granted" and message.fields == (term,):
                    votes = votes | {message.peer}
            if len(votes) >= 2:
                yield sp.receive(*others, at=f"leading_{term}", rest=True)
        elif message.name == "vote":
            asked = message.fields[0]
            if asked > term or (asked == term and voted in (None, message.peer)):
                term, voted = asked, message.peer
                yield sp.send(message.peer, "granted", term)


ROLES = {name: Node(name) for name in NODES}
STORM = sp.Failures(loss=True)


def protocol():
    system = sp.extract(ROLES, name="raft-election", failures=STORM)
    for first, second in (("N1", "N2"), ("N1", "N3"), ("N2", "N3")):
        both = f"{first}@leading_1 & {second}@leading_1"
        system = system.require(f"one leader of {first} and {second}", never=both)
    return system
