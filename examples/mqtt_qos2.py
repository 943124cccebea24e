"""MQTT, quality of service 2: each packet is delivered exactly once, despite loss and duplication.

    stormproof check examples/mqtt_qos2.py:protocol

The standard asks for an ordered transport, and the check shows why: with --reorder a late copy of a packet
is taken for a new one.
"""

import stormproof as sp

PACKETS = 2


@sp.role
def Publisher():
    for packet in range(PACKETS):
        yield from Insist("publish", "pubrec", packet)
        yield from Insist("pubrel", "pubcomp", packet)
    while True:
        yield sp.receive("Broker", at="done", rest=True)


@sp.role
def Insist(name, answer, packet):
    """Repeat a message until it is answered; answers to earlier ones are late, and ignored."""
    yield sp.send("Broker", name, packet)
    while True:
        reply = yield sp.receive("Broker", timeout=0.05, at="waiting")
        if reply is None:
            yield sp.send("Broker", name, packet)
        elif (reply.name, reply.fields) == (answer, (packet,)):
            return


@sp.role
def Broker():
    pending, delivered = None, ()
    while True:
        message = yield sp.receive("Publisher", at="ready", rest=True)
        packet = message.fields[0]
        if message.name == "publish":
            if packet != pending:
                assert packet not in delivered, "delivered twice"
                pending, delivered = packet, (*delivered, packet)
            yield sp.send("Publisher", "pubrec", packet)
        else:
            if packet == pending:
                pending = None
            yield sp.send("Publisher", "pubcomp", packet)


ROLES = {"Publisher": Publisher(), "Broker": Broker()}
STORM = sp.Failures(loss=True, duplicate=True)


def protocol():
    system = sp.extract(ROLES, name="mqtt-qos2", failures=STORM)
    return system.require("arrives", always_possible="Publisher@done").require(
        "known limit", recovers=True, under=sp.Failures(reorder=True), violated=True
    )
