"""Addresses of roles: read in every way in which they may be written, and shown in one."""

from __future__ import annotations

from ...errors import UsageError

LOOPBACK = "127.0.0.1"

#: A port of this machine, a host and a port, or both in one text: "10.0.0.2:7001", "[::1]:7001".
Address = int | str | tuple[str, int]


def parse_address(name: str, address: Address) -> tuple[str, int]:
    """The host and the port at which a role is."""
    host, port = _parts(address)
    if not host or isinstance(port, bool) or not isinstance(port, int) or not 0 < port < 65_536:
        raise UsageError(
            f"{str(address)[:80]!r} is no address of '{name}'",
            hint="write a port, as in 7001, or a host and a port: '10.0.0.2:7001', '[::1]:7001'",
        )
    return host, port


def _parts(address: Address) -> tuple[str, int | None]:
    """The host without brackets, which may be empty, and the port, which may be none."""
    match address:
        case int():
            return LOOPBACK, address
        case str():
            host, _, digits = address.rpartition(":")
            port = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 6 else None
            in_brackets = host.startswith("[") and host.endswith("]")
            return "" if ":" in host and not in_brackets else _bare(host), port
        case (str(host), int(port)):
            return _bare(host), port
    return "", None


def _bare(host: str) -> str:
    return host[1:-1] if host.startswith("[") and host.endswith("]") else host


def shown(host: str, port: int) -> str:
    """`host:port`; the host in brackets if it has colons itself."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
