"""The TextMate grammar of the extension, applied to the library as an editor does: line by line, the earliest
match first and, of several, the first rule. Its regular expressions mean the same in Python."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest

from stormproof.kernel.model.requirement import PROCESS_FAULTS
from stormproof.languages import protocols
from stormproof.languages.formats.storm_faults import FAULTS
from stormproof.languages.formats.storm_occurrences import Occurrence, comments, outline
from stormproof.languages.formats.storm_parse import MODIFIERS, STATEMENTS
from stormproof.languages.formats.storm_requirements import CLAIMS
from tests.support.paths import ROOT

EXTENSION = ROOT / "editors" / "vscode"
RULES = [
    (re.compile(rule["match"]), rule.get("name"), rule.get("captures", {}))
    for rule in json.loads((EXTENSION / "syntaxes/storm.tmLanguage.json").read_text("utf-8"))["patterns"]
]


def scopes(line: str) -> Iterator[tuple[int, int, str]]:
    at = 0
    while at < len(line):
        matches = [(m.start(), i, m) for i, rule in enumerate(RULES) if (m := rule[0].search(line, at))]
        if not matches:
            return
        _, i, match = min(matches, key=lambda found: found[:2])
        _, name, captures = RULES[i]
        spans = [(*match.span(int(g)), c["name"]) for g, c in captures.items()]
        yield from [(*match.span(), name)] if name else spans
        at = match.end()


#: What a word is -> part of its scopes. One line does not say which names in a type are variables, or that
#: `none` stands for faults; a set of states has one scope, its commas included, as a list of messages has.
WANTED = {
    "keyword": ("keyword",),
    "operator": ("operator", "punctuation", "role", "state", "message"),
    "number": ("numeric",),
    "fault": ("fault", "keyword"),
    "protocol": ("namespace",),
    "role": ("role",),
    "state": ("state",),
    "message": ("message",),
    "action": ("action",),
    "variable": ("variable",),
    "requirement": ("requirement",),
    "comment": ("comment",),
}


#: One line does not say which names in a list are roles, unless something beside them does.
IN_A_LIST = (*WANTED["role"], "variable.other.storm")
BEFORE_A_ROLE, BEHIND_A_ROLE = (
    re.compile(r"\b(?:role|crash|stop|restart)\s+$|->\s*$"),
    re.compile(r"\s*[!?@]"),
)


def wanted(text: str, word: Occurrence) -> tuple[str, ...]:
    line = text[text.rfind("\n", 0, word.start) + 1 : word.start]
    shown = BEFORE_A_ROLE.search(line) or BEHIND_A_ROLE.match(text, word.end)
    return IN_A_LIST if word.kind == "role" and not shown else WANTED[word.kind]


Expected = list[tuple[str, list[tuple[int, tuple[str, ...]]]]]


@cache
def expected_scopes() -> Expected:
    """Each text of the library, and parts of the scopes of its words by their places. Expressions, updates
    and events of observers are not coloured."""
    found = []
    systems = ((name, protocols.protocol(name)) for name in protocols.names())
    flat = (name for name, system in systems if not system.made_of_data and not system.observers)
    for text in filter(lambda text: len(text) < 20_000, map(protocols.source, flat)):
        words = outline(text).words
        places = [(w.start, wanted(text, w)) for w in words]
        found.append((text, places + [(at, WANTED["comment"]) for at, _ in comments(text, words)]))
    return found


def mistakes(expected: Expected) -> Iterator[tuple[str, tuple[str, ...], str]]:
    for text, places in expected:
        found = scope_of_each_word(text)
        for at, parts in places:
            scope = found.get(at, "nothing")
            if not any(part in scope for part in parts):
                yield text[at : at + 10], parts, scope


def test_every_word_of_the_library_has_the_scope_of_what_it_is() -> None:
    expected = expected_scopes()
    assert Counter(mistakes(expected)) == {}
    assert sum(len(places) for _, places in expected) > 5_000


def test_without_any_of_its_rules_the_grammar_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    expected, rules = expected_scopes(), list(RULES)
    for i, rule in enumerate(rules):
        monkeypatch.setattr("tests.apps.lsp.test_grammar.RULES", rules[:i] + rules[i + 1 :])
        assert next(mistakes(expected), None), f"nothing in the library needs {rule[0].pattern}"


def scope_of_each_word(text: str) -> dict[int, str]:
    found: dict[int, str] = {}
    start = 0
    for line in text.splitlines(keepends=True):
        for first, last, scope in scopes(line):
            found |= dict.fromkeys(range(start + first, start + last), scope)
        start += len(line)
    return found


@pytest.mark.parametrize("word", ["protocol", *STATEMENTS, *MODIFIERS, *CLAIMS, *FAULTS, *PROCESS_FAULTS])
def test_the_editors_know_every_word_of_the_language(word: str) -> None:
    assert {scope.split(".")[0] for _, _, scope in scopes(word)} <= {"keyword", "constant"}
    studio = ROOT / "studio/src"
    kinds = (studio / "fault_kinds.json").read_text("utf-8")
    listed = (studio / "storm_language.js").read_text("utf-8").partition("const NAME")[0]
    assert f'"{word}"' in listed + kinds, "the editor of the studio"


def test_the_extension_contains_the_files_that_it_names() -> None:
    package = json.loads((EXTENSION / "package.json").read_text("utf-8"))["contributes"]
    named = [package["languages"][0]["configuration"], package["grammars"][0]["path"]]
    assert all((EXTENSION / path).is_file() for path in named)
    assert [c["title"] for c in package["commands"]] == ["Open in studio", "Open the studio in a browser"]
