"""What a campaign's verdicts are compared with: how many come out as expected, system by system."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...errors import UsageError, did_you_mean

_KEYS = ("name", "semantics", "holds", "violated")


@dataclass(frozen=True)
class ExpectedVerdicts:
    """Expected verdicts under one semantics: `cells` are a failure model, a property and whether it holds."""

    name: str
    semantics: str = "definition"
    cells: tuple[tuple[str, str, bool], ...] = field(default=())

    def check_asked(self, *asked: Collection[str]) -> None:
        """What is expected is also asked: `asked` are the failure models, properties and semantics."""
        for failures, name, _ in self.cells:
            for word, among in zip((failures, name, self.semantics), asked, strict=True):
                if word not in among:
                    raise UsageError(
                        f"'{self.name}' expects something of '{word}', which the campaign does not ask for",
                        hint=did_you_mean(word, among) or f"it asks for {', '.join(among)}",
                    )


class Agreement(NamedTuple):
    """How many of the expected verdicts of one system come out so, and how many are undecided."""

    agree: int
    undecided: int
    expected: int

    def __str__(self) -> str:
        return f"{self.agree}" + (f" ({self.undecided} ?)" if self.undecided else "")

    def to_json(self) -> dict[str, int]:
        return self._asdict()


def expected_verdicts(index: int, row: Mapping[str, Any]) -> ExpectedVerdicts:
    """From a plan: `holds = ["loss k-er"]`, `violated = ["loss rsc"]`."""
    name = str(row.get("name") or f"expectation {index + 1}")
    for key in row:
        if key not in _KEYS:
            raise UsageError(f"'{name}' has an unknown key '{key}'; there are {', '.join(_KEYS)}")
    cells = [(*_cell(name, c), key == "holds") for key in ("holds", "violated") for c in row.get(key, ())]
    return ExpectedVerdicts(name, str(row.get("semantics", "definition")), tuple(cells))


def _cell(name: str, text: Any) -> tuple[str, str]:
    failures, _, asked = str(text).rpartition(" ")
    if not failures:
        raise UsageError(f"'{name}' expects a failure model and a property, like \"loss k-er\", not {text!r}")
    return failures, asked


def agreements(
    rows: Sequence[Mapping[str, Any]], expect: Iterable[ExpectedVerdicts]
) -> dict[str, dict[str, Agreement]]:
    """For each system, in the order of the rows, how far it agrees with each expectation."""
    found: dict[tuple[str, str, str, str], list[bool | None]] = {}
    for row in rows:
        for verdict in row["verdicts"]:
            key = (row["source"], row["semantics"], row["failures"], verdict["property"])
            found.setdefault(key, []).append(verdict["holds"])
    sources = dict.fromkeys(str(row["source"]) for row in rows)
    return {source: {e.name: _agreement(source, e, found) for e in expect} for source in sources}


def _agreement(
    source: str, expect: ExpectedVerdicts, found: Mapping[tuple[str, str, str, str], list[bool | None]]
) -> Agreement:
    answers = [_answer(found.get((source, expect.semantics, f, p), [])) for f, p, _ in expect.cells]
    agree = sum(answer is holds for answer, (_, _, holds) in zip(answers, expect.cells, strict=True))
    return Agreement(agree, answers.count(None), len(answers))


def _answer(verdicts: list[bool | None]) -> bool | None:
    """Of several bounds one at which it holds is enough; nothing was asked, or it died: undecided."""
    if any(verdicts):
        return True
    return False if verdicts and None not in verdicts else None
