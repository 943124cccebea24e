"""Members of families as systems of a campaign: a parameter with a list of values stands for each of them.

    [[generate]]
    family = "ring"
    size = [3, 4, 5]

is three systems: `ring, size 3` and so on. `name` replaces the family in these names. A system that equals an
earlier one of the campaign is left out: a parameter may change nothing where another has a certain value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any

from ...errors import UsageError
from ...kernel.model.system import System
from ...languages.protocols.generators import FAMILIES, generate


def generated(tables: Iterable[Mapping[str, Any]], known: Mapping[str, System]) -> dict[str, System]:
    """The systems of the tables by name, in their order; `known` are those of the campaign before them."""
    found: dict[str, System] = {}
    seen = set(known.values())
    for table in tables:
        for name, system in _members(table):
            if name in known or name in found:
                raise UsageError(
                    f"two systems of the campaign are called '{name}'", hint="give a [[generate]] a name"
                )
            if system not in seen:
                seen.add(system)
                found[name] = system
    return found


def _members(table: Mapping[str, Any]) -> Iterator[tuple[str, System]]:
    """In the order of the table, the last parameter varying first."""
    family = table.get("family")
    if not isinstance(family, str):
        raise UsageError(f"a [[generate]] names its family, one of {', '.join(FAMILIES)}")
    given = {key.replace("-", "_"): value for key, value in table.items() if key not in ("family", "name")}
    values = {key: value if isinstance(value, list) else [value] for key, value in given.items()}
    several = [key for key, value in given.items() if isinstance(value, list)]
    for row in product(*values.values()):
        chosen = dict(zip(values, row, strict=True))
        words = [str(table.get("name", family)), *(_word(k, chosen[k]) for k in several)]
        yield ", ".join(filter(None, words)), generate(family, **chosen)


def _word(key: str, value: int | bool) -> str:
    """`size 3`; a choice by its name where it is made."""
    spelt = key.replace("_", " ")
    return f"{spelt} {value}" if not isinstance(value, bool) else spelt if value else ""
