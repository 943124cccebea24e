"""A lease with fencing: it may expire while its holder still writes, and the store refuses old tokens.

stormproof check examples/lease.py:protocol
"""

import stormproof as sp

CLIENTS = ("A", "B")
TOKENS = 2


@sp.role
def Client():
    """Acquires the lease once, writes with its token and gives it back; it gives up where nobody answers."""
    yield sp.send("Lock", "acquire")
    grant = yield sp.receive("Lock", timeout=0.3, at="waiting")
    end = "done"
    if grant is not None:
        token = grant.fields[0]
        yield sp.send("Store", "write", token, at="holding")
        reply = yield sp.receive("Store", "Lock", timeout=0.3, at="writing")
        if reply is not None and reply.name == "written":
            end = f"wrote_{token}"
        yield sp.send("Lock", "release", token)
    while True:
        yield sp.receive("Lock", "Store", at=end, rest=True)


@sp.role
def Lock():
    """Grants the lease to one client at a time, until it is released or expires."""
    queue = ()
    for token in range(1, TOKENS + 1):
        while not queue:
            request = yield sp.receive(*CLIENTS, at="free", rest=True)
            queue = waiting(queue, request)
        yield sp.send(queue[0], "grant", token)
        queue = queue[1:]
        request = yield sp.receive(*CLIENTS, timeout=0.1, at="leased")
        while request is not None and request.fields != (token,):
            queue = waiting(queue, request)
            request = yield sp.receive(*CLIENTS, timeout=0.1, at="leased")
    while True:
        yield sp.receive(*CLIENTS, at="closed", rest=True)


def waiting(queue, request):
    """The clients that wait for the lease, each once."""
    return queue if request.name == "release" or request.peer in queue else (*queue, request.peer)


@sp.role
def Store():
    """Refuses writes with an older token than that of the last write."""
    last = 0
    while True:
        write = yield sp.receive(*CLIENTS, at=f"has_{last}", rest=True)
        token = write.fields[0]
        if token >= last:
            last = token
            yield sp.send(write.peer, "written")
        else:
            yield sp.send(write.peer, "refused")


ROLES = {"A": Client(), "B": Client(), "Lock": Lock(), "Store": Store()}
STORM = sp.Failures(loss=True, duplicate=True, stop=CLIENTS)


def protocol():
    """Two clients may hold the lease at once; what the second has written stays written all the same."""
    system = sp.extract(ROLES, name="lease", failures=STORM)
    for client in CLIENTS:
        system = system.require(f"{client} is not overwritten", never=f"{client}@wrote_2 & Store@has_1")
    exclusive = "A@holding & B@holding"
    return system.require("exclusive", never=exclusive, under=sp.Failures(), violated=True)
