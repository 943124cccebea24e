"""The grammar card, the examples and the skill: what they say is so."""

from __future__ import annotations

import re

import pytest

import stormproof as sp
from stormproof.apps.cli import COMMANDS
from stormproof.apps.mcp import skill
from stormproof.errors import UnknownName
from stormproof.tell.lint.api import lint

#: What the twin with the mistake violates, as its comment says.
BROKEN = {
    "retry": {"recovers", "answered"},
    "late-message": {"clean"},
    "deduplicate": {"once"},
    "sequence-bit": {"in-order"},
    "durable": {"recovers", "mutex"},
    "handover": {"nothing-lost"},
    "follow-up": {"followed-up", "recovers"},
}


def test_the_grammar_card_is_one_page_and_parses() -> None:
    card = skill.grammar()
    assert len(card.splitlines()) <= 60 and max(map(len, card.splitlines())) <= 125
    blocks = re.findall(r"```storm\n(.*?)```", card, re.DOTALL)
    assert len(blocks) == 1
    assert lint(blocks[0], "card.storm")[1] == ()


def test_every_goal_of_the_card_is_one() -> None:
    line = next(line for line in skill.grammar().splitlines() if line.startswith("- Goals:"))
    system = sp.loads("role A {\n s: B!m -> t\n t: B!n -> s\n}\nrole B {\n u: A?m -> u\n A?n -> u\n}\n")
    goals = [goal for goal in re.findall(r"`([^`]+)`", line) if len(goal) > 1]
    assert len(goals) == 6
    for goal in goals:
        assert sp.reach(system, goal).answer in ("reachable", "unreachable", "undecided")


def test_each_example_has_a_twin_that_is_listed() -> None:
    assert set(skill.examples()) == set(BROKEN)
    text = (skill.FOLDER / "SKILL.md").read_text("utf-8")
    assert set(re.findall(r"^\| [^|]+ \| `([\w-]+)` \|$", text, re.MULTILINE)) == set(BROKEN)


@pytest.mark.parametrize("name", BROKEN)
def test_an_example_holds_and_its_twin_does_not(name: str) -> None:
    texts = skill.example(name)
    system, warnings = lint(texts["right"], f"{name}.storm")
    assert warnings == ()
    assert all(v.ok for v in sp.check(system) if v.counts)
    system, warnings = lint(texts["wrong"], f"{name}.wrong.storm")
    assert warnings == ()
    assert {v.property for v in sp.check(system) if v.counts and not v.ok} == BROKEN[name]
    assert "Mistake:" in texts["wrong"].splitlines()[0]


def test_an_example_that_is_not_there() -> None:
    with pytest.raises(UnknownName, match="retry"):
        skill.example("retri")


def test_the_skill_names_commands_that_exist() -> None:
    text = (skill.FOLDER / "SKILL.md").read_text("utf-8")
    named = set(re.findall(r"`stormproof (\w+)", text))
    assert named and named <= set(COMMANDS)
    assert text.startswith("---\nname: stormproof\ndescription: ")
