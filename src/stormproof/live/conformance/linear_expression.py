"""Regular expressions that a file brings along, matched in time that grows with the length of the text.

They are sequences of characters and classes of characters, each once, a number of times, or repeated without
an end; groups only have names. What repeats, chooses or looks around groups is refused: `re` may take for
ever on it, and nobody who only reads a file has agreed to that. Matches are those of `re`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

#: So long may an expression be, with its numbers of times written out.
LONGEST = 1_000

_TOKEN = re.compile(
    r"""(?:\((?:\?P?<(?P<name>[^\W\d]\w*)>|\?:|(?!\?))  # a group begins
    |(?P<close>\))
    |(?P<edge>[\^$])
    |(?P<one>\.|\\[dDwWsStnrfv]|\\[^\w]|\[\^?\]?(?:[^\]\\]|\\.)*\]|(?!\{,?\d)[^\\()\[*+?|])
     (?:(?P<many>[*+]|\{(?P<least>\d{1,4})(?P<open>,?)\})(?P<lazy>\??))?)(?![?*+]|\{,?\d)
    """,
    re.VERBOSE | re.DOTALL,
)


class TooFree(ValueError):
    """Says what in the expression may take time without a bound."""


class _Item(NamedTuple):
    """What fits at one place: `one`, once; or `run`, as often as the rest allows."""

    one: re.Pattern[str]
    run: re.Pattern[str] | None = None
    lazy: bool = False


class Found(NamedTuple):
    """A match, with the part of `re.Match` that logs need."""

    text: str
    places: list[int]
    groups: dict[str, tuple[int, int]]

    def start(self, group: str | None = None) -> int:
        return self.span(group)[0]

    def end(self) -> int:
        return self.places[-1]

    def span(self, group: str | None = None) -> tuple[int, int]:
        if group is None:
            return self.places[0], self.places[-1]
        first, last = self.groups[group]
        return self.places[first], self.places[last]

    def groupdict(self) -> dict[str, str]:
        return {name: self.text[slice(*self.span(name))] for name in self.groups}


class LinearExpression:
    """An expression whose syntax `re` accepts (with `(?<name>` or `(?P<name>`); TooFree for other shapes."""

    def __init__(self, source: str) -> None:
        self.items: list[_Item] = []
        self.groups: dict[str, tuple[int, int]] = {}
        self._parse(source)

    def on(self, text: str) -> Callable[[int], Found | None]:
        """What matches this text from a place on; what is found out about the text is kept between places."""
        return _Matcher(self, text).match

    def _parse(self, source: str) -> None:
        at = 0
        opened: list[tuple[str | None, int]] = []
        while at < len(source):
            token = _TOKEN.match(source, at)
            if token is None:
                raise TooFree(_problem(source, at))
            if token["close"]:
                name, first = opened.pop()
                if name:
                    self.groups[name] = first, len(self.items)
            elif token["edge"]:
                self.items.append(_Item(_compiled(token["edge"])))
            elif token["one"]:
                self._add(token)
            else:
                opened.append((token["name"], len(self.items)))
            at = token.end()

    def _add(self, token: re.Match[str]) -> None:
        one, many = token["one"], token["many"]
        one = one if len(one) > 1 or one == "." else re.escape(one)
        times = 1 if not many else {"*": 0, "+": 1}.get(many, int(token["least"] or 0))
        if len(self.items) + times > LONGEST:
            raise TooFree(f"more than {LONGEST} parts")
        self.items += [_Item(_compiled(one))] * times
        if many and (many in "*+" or token["open"]):
            self.items.append(_Item(_compiled(one), _compiled(f"(?:{one})*"), bool(token["lazy"])))


def _compiled(part: str) -> re.Pattern[str]:
    return re.compile(part, re.MULTILINE)


def _problem(source: str, at: int) -> str:
    after_group = source[at] == ")" and at + 1 < len(source)
    return f"'{source[at + 1]}' after a group" if after_group else f"'{source[at : at + 8]}'"


class _Matcher:
    """Backtracks as `re` does, but never tries an end of a repetition twice: whether the rest fits from there
    does not depend on how one came to it."""

    def __init__(self, expression: LinearExpression, text: str) -> None:
        self.items, self.groups, self.text = expression.items, expression.groups, text
        #: For each repetition: from where to where the run of characters goes that was seen last; and for the
        #: ends of runs that failed, from where on.
        self.runs = [(0, -1)] * len(self.items)
        self.failed: list[dict[int, int]] = [{} for _ in self.items]

    def match(self, start: int) -> Found | None:
        places = [start] * (len(self.items) + 1)
        begun: list[tuple[int, Iterator[int]]] = []
        i, at = 0, start
        while i < len(self.items):
            places[i] = at
            if self.items[i].run is not None:
                begun.append((i, iter(self._ends(i, at))))
            elif found := self.items[i].one.match(self.text, at):
                i, at = i + 1, found.end()
                continue
            if (back := self._back(begun, places)) is None:
                return None
            i, at = back
        places[i] = at
        return Found(self.text, places, self.groups)

    def _back(self, begun: list[tuple[int, Iterator[int]]], places: list[int]) -> tuple[int, int] | None:
        """The next end of the last repetition that has one; what has none has failed."""
        while begun:
            i, ends = begun[-1]
            if (at := next(ends, None)) is not None:
                return i + 1, at
            begun.pop()
            end = self._furthest(i, places[i])
            self.failed[i][end] = min(places[i], self.failed[i].get(end, places[i]))
        return None

    def _ends(self, i: int, start: int) -> range:
        furthest = self._furthest(i, start)
        most = min(furthest, self.failed[i].get(furthest, furthest + 1) - 1)
        return range(start, most + 1) if self.items[i].lazy else range(most, start - 1, -1)

    def _furthest(self, i: int, start: int) -> int:
        """How far the repetition goes, looking at no character of a run again."""
        first, last = self.runs[i]
        if not first <= start <= last:
            run = self.items[i].run
            assert run is not None
            found = run.match(self.text, start, first if start < first else len(self.text))
            end = found.end() if found else start
            self.runs[i] = start, (last if end == first <= last and start < first else end)
        return self.runs[i][1]
