"""What each word of a .storm text names."""

from __future__ import annotations

import pytest

from stormproof.kernel.model.rest import STOPPED
from stormproof.languages import protocols
from stormproof.languages.formats.storm import read
from stormproof.languages.formats.storm_occurrences import MESSAGE, ROLE, STATE, outline
from stormproof.languages.formats.storm_parse import MODIFIERS, STATEMENTS
from stormproof.languages.formats.storm_requirements import CLAIMS

#: Everything that the language writes without naming something of the user's.
WORDS = {
    "protocol",
    *STATEMENTS,
    *MODIFIERS,
    *CLAIMS,
    "possible",
    "contains",
    "violated",
    "under",
    "on",
    "and",
    "at",
    "most",
}
WORDS |= {"atomically", "on", "restart", "recorded", "fault", "internal", "timeout", "crash", "mu", "end"}


WORDS |= {"timers", "after", "at", "any", "time", "leads", "to", "cut", "partition", "stays"}


def flat() -> list[str]:
    """Words in expressions and in events of observers are told apart where they are read, and not here."""
    systems = ((name, protocols.protocol(name)) for name in protocols.names())
    small = (pair for pair in systems if len(protocols.source(pair[0])) < 20_000)
    return [name for name, system in small if not system.made_of_data and not system.observers]


@pytest.mark.parametrize("name", flat())
def test_every_word_of_the_library_is_known(name: str) -> None:
    text = protocols.source(name)
    found = outline(text).words
    assert {w.name for w in found if w.kind == "keyword"} <= WORDS
    system = read(text)
    assert {w.name for w in found if w.kind == ROLE} == set(system.names)
    assert {w.name for w in found if w.kind == MESSAGE} >= {str(m) for m in system.messages} - {"crash"}
    states = {(w.role, w.name) for w in found if w.kind == STATE}
    assert all(state in (*system[role].states, STOPPED) for role, state in states)


def test_words_after_a_mistake_are_known() -> None:
    found = outline("role A {\n  a: B! -> b\n  b: B?m -> a\n}\nrest A@a\nfaults A -> B: corrupt(m => n)")
    assert [w.name for w in found.words if w.kind == STATE] == ["a", "b", "a", "a"]
    assert [w.name for w in found.words if w.kind == MESSAGE] == ["m", "m", "n"]
    assert [block.kind for block in found.blocks] == ["role", "rest", "faults"]


def test_words_of_requirements_and_types() -> None:
    text = """
    role A = mu t. B!{ go; t, stop; C!stop; end }
    role B { x: A?go -> x  A?stop -> end }
    role C { y: A?stop -> end }
    require safe: never A->B=[go, stop] & !C@{y, end}
      under loss on A -> B and A -> C, crash A and C, at most 1 loss fault
    """
    found = outline(text).words
    assert [w.name for w in found if w.kind == "variable"] == ["t", "t"]
    assert [w.name for w in found if w.kind == "fault"] == ["loss", "crash", "loss"]
    under = text.index("under")
    assert [w.name for w in found if w.start > under and w.kind == ROLE] == list("ABACAC")
    assert [(w.name, w.role) for w in found if w.kind == STATE][-2:] == [("y", "C"), ("end", "C")]
