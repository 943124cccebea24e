"""The built-in protocols: `protocol("alternating-bit")`, and the families with parameters in `generators`.

Most are `.storm` files in `library/`, package data; the comment at the top of each says what the protocol
does and where it comes from. Some are members of a family, made when asked for.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from ...errors import InputError, UsageError, did_you_mean
from ...kernel.model.system import System
from .. import formats
from .catalogue import CLASSICS, GENERATED, GROUP_OF, GROUPS

#: The package is never in an archive: the engine beside it is a native library.
_LIBRARY = Path(__file__).with_name("library")

__all__ = ["about", "group", "groups", "is_library_name", "names", "protocol", "source", "title"]


@lru_cache(maxsize=1)
def names() -> tuple[str, ...]:
    """Every built-in protocol, group by group."""
    found = {f.name.removesuffix(".storm") for f in _LIBRARY.iterdir()}
    found = {name for name in found if not name.startswith((".", "_"))} | set(GENERATED)
    listed = {name: i for i, name in enumerate(GROUP_OF)}
    return tuple(
        sorted(found, key=lambda name: (GROUPS.index(group(name)), listed.get(name, len(listed)), name))
    )


def is_library_name(source: str) -> bool:
    """A bare word that the library knows; anything with a suffix, a slash or no such protocol is a file."""
    if source in names():
        return True
    path = Path(source)
    if not source or path.suffix or "/" in source or os.path.lexists(source):
        return False
    hint = did_you_mean(source, names())
    if ":" in source or ">" in source:
        hint = f"the faults of a channel: --loss-on {source}"
    raise InputError(
        f"there is no file '{source}' and no built-in protocol of that name",
        hint=hint or "`stormproof list` shows the built-in protocols",
    )


def groups() -> dict[str, tuple[str, ...]]:
    """The groups in the order in which they are listed, each with its protocols."""
    return {title: tuple(n for n in names() if group(n) == title) for title in GROUPS}


def group(name: str) -> str:
    """Which of the `groups` a protocol is in."""
    return GROUP_OF.get(name, CLASSICS)


def protocol(name: str) -> System:
    """A built-in protocol by its name.

    >>> protocol("alternating-bit").names
    ('Sender', 'Receiver')
    """
    return _load(_known(name))


@lru_cache(maxsize=64)
def _load(name: str) -> System:
    return formats.loads(source(name), format="storm", name=f"{name}.storm")


def source(name: str) -> str:
    """The text of a built-in protocol, in the language of `docs/language.md`."""
    if _known(name) in GENERATED:
        return _generated(name)
    return (_LIBRARY / f"{name}.storm").read_text(encoding="utf-8")


@lru_cache(maxsize=16)
def _generated(name: str) -> str:
    from .generators import generate  # seldom asked for, and many modules

    made = GENERATED[name]
    system = generate(made.family, **made.parameters)
    comment = "".join(f"// {line}\n" for line in made.about.splitlines())
    text = comment + formats.dumps(System(system.processes, name=name), "storm")
    return f"{text}\n{made.requirements}\n" if made.requirements else text


def about(name: str) -> str:
    """What the protocol does and where it comes from: the comment at the top of its text."""
    if _known(name) in GENERATED:
        return GENERATED[name].about
    lines = []
    for line in source(name).splitlines():
        if not line.startswith("//"):
            break
        lines.append(line.removeprefix("//").strip())
    return "\n".join(lines)


def title(name: str) -> str:
    """The first line of `about`."""
    return about(name).partition("\n")[0].rstrip(".")


def _known(name: str) -> str:
    if name not in names():
        raise UsageError(
            f"there is no built-in protocol '{name}'",
            hint=did_you_mean(name, names()) or "`stormproof list` shows the built-in protocols",
        )
    return name
