"""What a name stands for in a text with constants, variables and families."""

from __future__ import annotations

from collections.abc import Iterator

from ...kernel.data.system import DataSystem
from ...kernel.data.values import order, spell
from ...kernel.model.phrases import listed, plural
from ...languages.formats import storm_occurrences as words
from ...languages.formats.storm_occurrences import Occurrence

_MOST_VALUES = 12


def data_lines(system: DataSystem, word: Occurrence) -> Iterator[str]:
    """A role or family with its variables, a state with the values seen there, a message with its values."""
    if word.kind == words.ROLE and word.name in system.data.variables:
        yield from _role(system, word.name)
    elif word.kind == words.STATE and word.name in system.data.states.get(word.role, ()):
        yield from _state(system, word.role, word.name)
    elif word.kind == words.MESSAGE:
        found = [m for m in system.messages if m.partition("(")[0] == word.name]
        yield f"message {word.name}: {listed(found[:_MOST_VALUES]) or 'never sent'}"


def _members(system: DataSystem, role: str) -> list[str]:
    size = system.data.families.get(role)
    return [role] if size is None else [f"{role}[{number}]" for number in range(1, size + 1)]


def _role(system: DataSystem, role: str) -> Iterator[str]:
    size = system.data.families.get(role)
    states = len(system[_members(system, role)[0]].states)
    kind = f"role {role}" if size is None else f"family {role} of {plural(size, 'role')}, each"
    yield f"{kind}: {plural(len(system.data.states[role]), 'named state')}, {states} with values"
    for name, domain in system.data.variables[role].items():
        yield f"{name}: {domain}"


def _state(system: DataSystem, role: str, state: str) -> Iterator[str]:
    """The values that its variables have there."""
    seen: dict[str, set[object]] = {}
    count = 0
    for local in system.data.local.get(_members(system, role)[0], {}).values():
        if local.name == state and not local.failed:
            count += 1
            for name, value in local.values.items():
                seen.setdefault(name, set()).add(value)
    yield f"state {state} of {role}: {plural(count, 'state')} of the automaton"
    for name, values in seen.items():
        shown = [spell(value) for value in sorted(values, key=order)]
        more = ", ..." if len(shown) > _MOST_VALUES else ""
        yield f"{name}: {', '.join(shown[:_MOST_VALUES])}{more}"
