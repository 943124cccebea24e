"""The election of Raft: three nodes that may restart, terms up to a limit, at most one leader per term.

stormproof check examples/raft_election.py:protocol -k 1
"""

import stormproof as sp

NODES = ("N1", "N2", "N3")
TERMS, MAJORITY = 2, 2


@sp.role
def Node(me):
    """Follows, stands for election after a timeout, and leads once it has a majority of the votes.

    Whom it votes for in which term is durable before anybody hears of it.
    """
    others = tuple(n for n in NODES if n != me)
    term, voted, votes = 0, None, frozenset()
    while True:
        leading = len(votes) >= MAJORITY
        at = f"leading_{term}" if leading else "standing" if votes else "following"
        timed = not leading and (term < TERMS or at == "standing")
        message = yield sp.receive(*others, timeout=timed and 0.1, at=at, rest=at != "standing")
        if message is None:
            votes = frozenset()
            if term < TERMS:
                term, voted, votes = term + 1, me, frozenset((me,))
                for other in others:
                    yield sp.send(other, "vote", term, durable=True)
            continue
        if message.fields[0] > term:
            term, voted, votes = message.fields[0], None, frozenset()
        if message.fields[0] == term and message.name == "granted" and votes:
            votes = votes | {message.peer}
        elif message.fields[0] == term and message.name == "vote" and voted in (None, message.peer):
            voted = message.peer
            yield sp.send(voted, "granted", term, durable=True)


ROLES = {name: Node(name) for name in NODES}
STORM = sp.Failures(loss=True, restart=NODES)


def protocol():
    system = sp.extract(ROLES, name="raft-election", failures=STORM)
    for term in range(1, TERMS + 1):
        for first, second in (("N1", "N2"), ("N1", "N3"), ("N2", "N3")):
            both = f"{first}@leading_{term} & {second}@leading_{term}"
            system = system.require(f"one of {first} and {second} leads in term {term}", never=both)
    return system
