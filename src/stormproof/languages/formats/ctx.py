"""Crash-stop typing contexts (`.ctx`), the language of mpstk: a local type for each role of a session.

    s[c]: v⊕req(int) . v&{ok(str), crash . end},     # c is reliable
    !s[v]: c&req(int) . c⊕ok(str)                    # v may crash; ⚠ for ! is the same

Faults of channels, which the language does not have, stand in comments that the reader understands.
"""

from __future__ import annotations

import re

from ...errors import Place
from ...kernel.model.system import System
from ..types.local import Reader, layout_local, role_text
from ..types.recover import session_of_system
from ..types.session import Session, session_of_types
from ..types.syntax import LocalType
from ..types.text import TypeSource
from ..types.wellformed import advise_context, report_warnings
from .annotations import read_notes, system_notes, write_notes
from .text import Source

_BLANKS = re.compile(r"\s*(?:#[^\n]*(?:\n\s*|\Z))*")
_COMMENT = re.compile(r"#[^\n]*")
_SESSION = re.compile(r"[^\W\d]\w*")
_UNRELIABLE = ("!", "⚠")


def sniff(text: str) -> bool:
    """The first entry starts with `s[`, or with a mark and that."""
    reader = Reader(TypeSource(text), 0, _BLANKS)
    if reader.peek() in _UNRELIABLE:
        reader.next()
    return _SESSION.fullmatch(reader.next()) is not None and reader.next() == "["


def read_session(text: str, name: str = "<input>") -> Session:
    """The types as written; raises an InputError with the place of what is not well-formed."""
    session = _parse(TypeSource(text, name))
    session.check()
    report_warnings(session.warnings)
    return session


def read(text: str, name: str) -> System:
    source = Source(text, name)
    comments = (m.span() for m in _COMMENT.finditer(text))
    return read_notes(source, comments).complete(read_session(text, name).system())


def _parse(source: TypeSource) -> Session:
    reader = Reader(source, 0, _BLANKS)
    types: dict[str, LocalType] = {}
    unreliable: list[str] = []
    names: dict[str, Place] = {}
    while True:
        mark = reader.peek()
        if mark in _UNRELIABLE:
            reader.next()
        role = _head(reader, names)
        if role in types:
            source.fail(f"the role '{role}' has two types", reader.behind - 1, reader.behind)
        if mark in _UNRELIABLE:
            unreliable.append(role)
        types[role] = reader.read_type()
        token = reader.next()
        if not token:
            name = next(iter(names))
            called = "" if name == "s" else name
            return session_of_types(types, tuple(unreliable), called, advise_context)
        if token != ",":
            reader.wrong(token, f"',' after the type of {role}")


def _head(reader: Reader, names: dict[str, Place]) -> str:
    """`s[role]:`"""
    name = reader.next()
    if not _SESSION.fullmatch(name):
        reader.wrong(name, "an entry such as s[role]: type")
    names.setdefault(str(name), reader.place(name))
    if len(names) > 1:
        first = next(iter(names))
        reader.source.fail(f"two sessions, '{first}' and '{name}', in one context", name.start, name.end)
    reader.expect("[", f"behind the session {name}")
    role = reader.name(reader.next())
    reader.expect("]", f"behind the role {role}")
    reader.expect(":", f"before the type of {role}")
    return role


def write(system: System) -> str:
    """One entry a role; FormatError says why an automaton is no session type."""
    session, unclean = session_of_system(system)
    plain = _SESSION.fullmatch(system.name) is not None and system.name not in ("", "s")
    name = system.name if plain else "s"
    lines = write_notes(system_notes(system, name=not plain, reliability=False), "#")
    lines += [
        f"# {role} does not receive dangling crash messages when it rests; its type does" for role in unclean
    ]
    entries = []
    for role, type_ in session.types.items():
        mark = "!" if role in session.unreliable else ""
        entries.append(f"{mark}{name}[{role_text(role)}]: {layout_local(type_, 'ctx', indent=1)}")
    return "\n".join([*lines, ",\n\n".join(entries)]) + "\n"
