"""Who may talk to the server: the browser that was given the token, from the studio's own page.

The server listens on loopback only, but every page in the browser can reach it there. So: the Host and the
Origin must be exactly ours (which defeats DNS rebinding and other local servers), the token of the address
that was opened becomes a cookie, once, that no script can read and no other site makes the browser send, and
the policy of the page lets it load nothing from elsewhere.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

HOST = "127.0.0.1"


def _secret() -> str:
    return secrets.token_urlsafe(32)


@dataclass
class Guard:
    """The secrets of one server, and what it says to strangers. A token serves once."""

    port: int
    token: str = field(default_factory=_secret)
    session: str = field(default_factory=_secret)
    _used: set[str] = field(default_factory=set, repr=False)

    @property
    def hosts(self) -> tuple[str, ...]:
        return f"{HOST}:{self.port}", f"localhost:{self.port}"

    @property
    def origins(self) -> tuple[str, ...]:
        return tuple(f"http://{host}" for host in self.hosts)

    @property
    def cookie(self) -> str:
        """Cookies are shared among the ports of a host, so the name has the port."""
        return f"stormproof-{self.port}"

    @property
    def address(self) -> str:
        """What is opened in the browser, once; the token is dropped from it at once."""
        return f"http://{HOST}:{self.port}/?token={self.token}"

    def refusal(self, headers: Mapping[str, str], needs_origin: bool = False) -> str | None:
        """Why a request is refused whatever it knows; None if it comes to us and from our page."""
        if headers.get("host") not in self.hosts:
            return "this server answers to its own address only"
        origin = headers.get("origin")
        if (origin is not None or needs_origin) and origin not in self.origins:
            return "requests of other pages are refused"
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and not _navigates(headers):
            return "requests of other pages are refused"
        return None

    def exchange(self, token: str | None) -> bool:
        """Is this the token that has not been used? From now on it has."""
        if token in self._used or not hmac.compare_digest((token or "").encode(), self.token.encode()):
            return False
        self._used.add(self.token)
        return True

    def knew_token(self, token: str | None) -> bool:
        """Is this a token that has been used?"""
        return token in self._used

    def renew(self) -> bool:
        """Make a new token, unless the last one has still to be used."""
        used = self.token in self._used
        self.token = _secret() if used else self.token
        return used

    def knows_cookie(self, cookies: Mapping[str, str]) -> bool:
        return hmac.compare_digest(cookies.get(self.cookie, "").encode(), self.session.encode())

    def headers(self, nonce: str) -> dict[str, str]:
        """What goes with every answer. The nonce is for the one style element that the editor makes."""
        sockets = " ".join(f"ws://{host}" for host in self.hosts)
        policy = (
            "default-src 'none'; script-src 'self'; "
            f"style-src 'self' 'nonce-{nonce}'; connect-src 'self' {sockets}; img-src 'self' data:; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        return {
            "content-security-policy": policy,
            "cache-control": "no-store",
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
            "referrer-policy": "no-referrer",
            "x-content-type-options": "nosniff",
            "x-frame-options": "DENY",
        }


def _navigates(headers: Mapping[str, str]) -> bool:
    """A link to the studio in another page may be followed; without the cookie it shows nothing."""
    return headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"


def nonce() -> str:
    return secrets.token_urlsafe(16)
