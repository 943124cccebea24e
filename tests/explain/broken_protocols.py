"""Protocols that survive loss, each with a line marked; without it they do not."""

from __future__ import annotations

MARK = "  // taken out"

DNS = """\
protocol Dns
faults *: loss

role Client {
  ask: Server!query -> wait
  wait: Server?answer -> done
        timeout -> ask  // taken out
  done: Server?answer -> done
}

service role Server {
  idle: Client?query -> busy
  busy: Client!answer -> idle
}

rest Client@done
"""

PUBLISH = """\
protocol Publish
faults *: loss

role Client {
  publish: Broker!publish -> wait
  wait: Broker?puback -> done
        timeout -> publish
  done: Broker?puback -> done
}

service role Broker {
  idle: Client?publish -> store
  store: Client!puback -> stored
  stored:
          Client?publish -> store  // taken out
}

rest Client@done, Broker@{idle, stored}
require delivered: always possible Broker@stored & Client@done
"""

HANDSHAKE = """\
protocol Handshake
faults *: loss

role Client {
  closed: Server!syn -> syn-sent
  syn-sent: Server?syn-ack -> confirm
            timeout -> closed
  confirm: Server!ack -> established
  established: Server?syn-ack -> confirm
}

role Server {
  listen: Client?syn -> reply
  reply: Client!syn-ack -> syn-received
  syn-received: Client?ack -> established
                Client?syn -> reply  // taken out
                timeout -> reply
  established: Client?syn -> established
               Client?ack -> established
}

rest Client@established, Server@established
require open: always possible Client@established & Server@established
"""

CLOSE = """\
protocol Close
faults *: loss

role Client {
  open: Server!close -> closing
        Server?close -> answer
  answer: Server!close -> closed
  closing: Server?close -> closed
           timeout -> closed  // taken out
  closed: Server?close -> closed
}

role Server {
  open: Client!close -> closing
        Client?close -> answer
  answer: Client!close -> closed
  closing: Client?close -> closed
           timeout -> closed
  closed: Client?close -> closed
}

rest Client@closed, Server@closed
"""

WHOLE = {"dns": DNS, "publish": PUBLISH, "handshake": HANDSHAKE, "close": CLOSE}


def without_marked_line(text: str) -> tuple[str, str]:
    """The text without its marked line, and that line."""
    lines = text.splitlines(keepends=True)
    (marked,) = [line for line in lines if MARK in line]
    return "".join(line for line in lines if line is not marked), marked.replace(MARK, "").strip()
