"""Short texts of global protocols, read as sessions, or refused."""

from __future__ import annotations

import pytest

from stormproof.errors import InputError
from stormproof.languages.types.session import Session, session_of_scribble


def session(text: str, protocol: str | None = None) -> Session:
    return session_of_scribble(text, "p.nuscr", protocol)


def two(body: str) -> Session:
    return session(f"global protocol P(role A, role B) {{ {body} }}")


def three(body: str) -> Session:
    return session(f"global protocol P(role A, role B, role C) {{\n{body}\n}}")


def problem(text: str, protocol: str | None = None) -> InputError:
    with pytest.raises(InputError) as caught:
        session(text, protocol).system()
    return caught.value
