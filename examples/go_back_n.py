"""Go-Back-N: a window of unacknowledged frames, numbered modulo the window plus one, over a lossy channel.

stormproof check examples/go_back_n.py:protocol
"""

import stormproof as sp

WINDOW, ITEMS = 2, 4


@sp.role
def Sender(window, items):
    """`base` is the oldest frame that is not acknowledged, `following` the next one to send."""
    base = following = 0
    while base < items:
        if following < min(base + window, items):
            yield sp.send("Receiver", "frame", following % (window + 1), following)
            following += 1
            continue
        ack = yield sp.receive("Receiver", timeout=0.05, at="waiting")
        if ack is None:
            following = base
        else:
            base += acknowledged(base, following, ack.fields[0], window)
    while True:
        yield sp.receive("Receiver", at="done", rest=True)


def acknowledged(base, following, expected, window):
    """How many frames an acknowledgement confirms, which names the number of the frame expected next."""
    ahead = (expected - base) % (window + 1)
    return ahead if ahead <= following - base else 0


@sp.role
def Receiver(window):
    expected = 0
    while True:
        frame = yield sp.receive("Sender", at="ready", rest=True)
        number, item = frame.fields
        if number == expected % (window + 1):
            assert item == expected, "delivered out of order"
            expected += 1
        yield sp.send("Sender", "ack", expected % (window + 1))


ROLES = {"Sender": Sender(WINDOW, ITEMS), "Receiver": Receiver(WINDOW)}
STORM = sp.Failures(loss=True)


def protocol():
    system = sp.extract(ROLES, name="go-back-n", failures=STORM)
    return system.require("arrives", always_possible="Sender@done")
