"""Adding a kind of fault touches eight files: which source files name a kind, and why others may.

The files of CONTRIBUTING, *Adding a fault*, may name every kind. Duplication, the youngest kind, is named
nowhere else. The older kinds also occur in theories that are about them; `SPECIAL` says where and why. A new
kind needs nothing there: such a theory does not apply to it, or reads its effect from the files of the table.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

from stormproof.kernel.model import faults
from stormproof.kernel.model.channel_faults import FAULT_STEPS
from stormproof.kernel.model.faults import CORRUPTION, DUPLICATION, KINDS, LOSS, REORDERING, FaultKind
from tests.support.kind_lists import kind_lists
from tests.support.paths import ROOT

#: Where source files are, and how their names end.
SOURCES = {
    "src/stormproof": (".py", ".json", ".html", ".js"),
    "engine": (".cpp", ".hpp"),
    "studio/src": (".js", ".json"),
    "editors/vscode": (".js", ".json"),
}
MOST = 8

FORMS = "in which form a content is kept (lossy word, multiset, length), and what a goal means of it"
PAIRS = "a corruption says what may become what, which is read, written, compared and numbered"
MATCHED = "defined only where every message is received at most once: RSC, half-duplex, and what implies them"
PAPER = "the paper's table and encodings, which are about its three interferences"
SHOWN = "what a sample run is to show"
SYNTAX = "a language with a syntax for this kind alone"

S = "src/stormproof/"
SPECIAL: dict[FaultKind, dict[str, str]] = {
    LOSS: {
        S + "search/reachability/*.py": FORMS,
        S + "trust/reachability/*.py": FORMS,
        S + "kernel/goals/cubes.py": FORMS,
        S + "search/checks/implications.py": MATCHED,
        S + "oracle/communications.py": MATCHED,
        S + "languages/formats/scm*.py": SYNTAX,
        S + "kernel/transform/paper_encodings.py": PAPER,
        S + "surveys/paper_table/*.py": PAPER,
    },
    REORDERING: {
        S + "search/reachability/*.py": FORMS,
        S + "trust/reachability/*.py": FORMS,
        S + "kernel/goals/cubes.py": FORMS,
        S + "search/checks/implications.py": MATCHED,
        S + "oracle/communications.py": MATCHED,
        S + "oracle/rsc.py": MATCHED,
        S + "surveys/paper_table/*.py": PAPER,
    },
    CORRUPTION: {
        S + "search/reachability/*.py": FORMS,
        S + "trust/reachability/*.py": FORMS,
        S + "kernel/model/failures.py": PAIRS,
        S + "kernel/equivalence/*.py": PAIRS,
        S + "programs/extraction/system.py": PAIRS,
        S + "languages/formats/json_values.py": PAIRS,
        S + "languages/formats/kmc_write.py": PAIRS,
        S + "languages/formats/storm_f*.py": PAIRS,
        S + "surveys/choices.py": PAIRS,
        S + "apps/cli/options.py": PAIRS,
        S + "kernel/transform/paper_encodings.py": PAPER,
        S + "surveys/paper_table/*.py": PAPER,
    },
    DUPLICATION: {},
}


def listed_files() -> list[str]:
    """The files that CONTRIBUTING lists under *Adding a fault*."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition("## Adding a fault")[2].partition("\n## ")[0]
    return re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)


def code_of(path: Path) -> str:
    """The text without comments and docstrings: prose may speak of a kind anywhere."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return text if path.suffix in (".json", ".html") else re.sub(r"(?m)(?:^|(?<=\s))//.*$", "", text)
    tokens = [t for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type != tokenize.COMMENT]
    starts = (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.NL)
    return " ".join(
        token.string
        for before, token in zip([None, *tokens], tokens, strict=False)
        if token.type != tokenize.STRING or (before is not None and before.type not in starts)
    )


@cache
def sources() -> dict[str, str]:
    generated = set(kind_lists())
    found: dict[str, str] = {}
    for folder, ends in SOURCES.items():
        for path in sorted((ROOT / folder).rglob("*")):
            built = "static" in path.parts or "node_modules" in path.parts
            if path.suffix in ends and path not in generated and not built:
                found[path.relative_to(ROOT).as_posix()] = code_of(path)
    return found


def naming(kind: FaultKind) -> Iterator[str]:
    """The source files that name a kind: by a field, a key, a constant, or one of its steps."""
    constant = next(name for name, value in vars(faults).items() if value is kind)
    steps = "|".join(step.__name__ for step in FAULT_STEPS.values() if step.kind is kind)
    word, noun = kind.keyword, kind.noun
    pattern = re.compile(
        rf"""\.\s*{word}\b|["'](?:{word}|{noun})["']|\b{word}_?\s[:=](?!=)|\b{constant}\b|\b(?:{steps})\b"""
    )
    return (file for file, text in sources().items() if pattern.search(text))


def test_the_table_is_complete_and_short() -> None:
    listed = listed_files()
    assert len(listed) == len(set(listed)) <= MOST
    assert all((ROOT / file).is_file() for file in listed), "a row is one file"
    assert set(listed) == set(naming(DUPLICATION))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.noun)
def test_only_the_listed_files_name_a_kind_of_fault(kind: FaultKind) -> None:
    allowed = [*listed_files(), *SPECIAL[kind]]
    unlisted = [file for file in naming(kind) if not any(fnmatch(file, pattern) for pattern in allowed)]
    assert not unlisted, "CONTRIBUTING, Adding a fault, does not list them"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.noun)
def test_every_special_case_is_one(kind: FaultKind) -> None:
    found = list(naming(kind))
    assert [p for p in SPECIAL[kind] if not any(fnmatch(file, p) for file in found)] == []
