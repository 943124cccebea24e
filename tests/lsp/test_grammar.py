"""The TextMate grammar of the extension, applied to the library as an editor does: line by line, the earliest
match first and, of several, the first rule. Its regular expressions mean the same in Python."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator

from stormproof import protocols
from stormproof.formats.storm_occurrences import comments, outline
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


#: What a word is -> part of its scopes. One line does not say which names in a list are roles, which names in
#: a type are variables, or that `none` stands for faults; a set of states has one scope, its commas included.
WANTED = {
    "keyword": ("keyword",),
    "operator": ("operator", "punctuation", "role", "state"),
    "number": ("numeric",),
    "fault": ("fault", "keyword"),
    "protocol": ("namespace",),
    "role": ("role", "variable.other.storm"),
    "state": ("state",),
    "message": ("message",),
    "action": ("action",),
    "variable": ("variable",),
    "requirement": ("requirement",),
    "comment": ("comment",),
}


def test_every_word_of_the_library_has_the_scope_of_what_it_is() -> None:
    wrong: Counter[tuple[str, str, str]] = Counter()
    count = 0
    for text in filter(lambda text: len(text) < 20_000, map(protocols.source, protocols.names())):
        found, words = scope_of_each_word(text), outline(text).words
        places = [(w.start, w.kind) for w in words] + [(at, "comment") for at, _ in comments(text, words)]
        for at, kind in places:
            scope = found.get(at, "nothing")
            count += 1
            if not any(part in scope for part in WANTED[kind]):
                wrong[text[at : at + 10], kind, scope] += 1
    assert not wrong
    assert count > 5_000


def scope_of_each_word(text: str) -> dict[int, str]:
    found: dict[int, str] = {}
    start = 0
    for line in text.splitlines(keepends=True):
        for first, last, scope in scopes(line):
            found |= dict.fromkeys(range(start + first, start + last), scope)
        start += len(line)
    return found


def test_the_extension_contains_the_files_that_it_names() -> None:
    package = json.loads((EXTENSION / "package.json").read_text("utf-8"))["contributes"]
    named = [package["languages"][0]["configuration"], package["grammars"][0]["path"]]
    assert all((EXTENSION / path).is_file() for path in named)
    assert [c["title"] for c in package["commands"]] == ["Open in studio"]
