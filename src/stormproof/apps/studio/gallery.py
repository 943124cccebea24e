"""Pairs of a protocol that breaks and one that does not, as links that hold the whole text."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

from ...languages import protocols

#: The one that breaks, and the one that was mended.
PAIRS = (
    ("lock-forgetful", "lock"),
    ("lease-lock", "lease-lock-fenced"),
    ("outbox-twice", "outbox"),
    ("leader-lease", "leader-read-index"),
    ("heartbeat-split-brain", "heartbeat-fenced"),
    ("mqtt-qos2-forgetful", "mqtt-qos2"),
    ("oauth-code-interception", "oauth-pkce"),
    ("dns-without-ids", "dns"),
    ("tcp-open-two-way", "tcp-open"),
    ("quic-handshake-no-probe", "quic-handshake"),
    ("dining-philosophers", "dining-philosophers-left-handed"),
    ("chain-replication-bypass", "chain-replication"),
)


def broken_text(name: str) -> str:
    """The text in which what is known to break is required, so that it is shown as broken."""
    return protocols.source(name).replace("expect violated ", "require ")


def fragment(text: str, settings: dict[str, Any] | None = None) -> str:
    """What stands behind the # of a link, as the page itself makes it."""
    state = json.dumps({"v": 1, "text": text, "settings": settings or {}}).encode()
    packed = zlib.compressobj(9, wbits=-15)
    data = packed.compress(state) + packed.flush()
    return "s=" + base64.urlsafe_b64encode(data).decode().rstrip("=")


def gallery() -> list[dict[str, Any]]:
    """Each pair: what it is about, and a link to either text."""
    return [
        {"broken": _entry(broken, broken_text(broken)), "mended": _entry(mended, protocols.source(mended))}
        for broken, mended in PAIRS
    ]


def _entry(name: str, text: str) -> dict[str, str]:
    return {"name": name, "says": protocols.title(name), "link": f"index.html#{fragment(text)}"}
