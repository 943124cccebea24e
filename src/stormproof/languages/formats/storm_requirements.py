"""Requirements in a .storm text: `require mutex: never A@holding & B@holding under loss, crash C`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import field, replace
from typing import TYPE_CHECKING

from ...kernel.data.parse import QUANTIFIERS
from ...kernel.goals.temporal import TEMPORAL
from ...kernel.model.actions import Channel
from ...kernel.model.faults import CUT
from ...kernel.model.goal import NAMED, Goal, Spelling
from ...kernel.model.requirement import (
    ALWAYS_POSSIBLE,
    CLEAN,
    COUNTED,
    LEADS_TO,
    NEVER,
    PROCESS_FAULTS,
    RECOVERS,
    Claim,
    Requirement,
    Under,
)
from ...kernel.model.system import System
from ...kernel.model.timers import WORDS
from ...records import dataclass
from .storm_cuts import PARTITION, resolve_cuts, write_cuts_under
from .storm_faults import (
    FAULTS,
    ChannelEnd,
    Declared,
    parse_channel,
    parse_fault,
    partition_line,
    resolve,
    write_each,
)
from .storm_names import Names
from .storm_recovery import STATEMENT
from .storm_scan import Cursor, quote, write_message
from .storm_timers import parse_mode
from .text import Source, near, shorten

if TYPE_CHECKING:
    from ...kernel.goals.data_goals import DataGoalParser
    from ...kernel.goals.parse import GoalParser

    AnyGoalParser = GoalParser | DataGoalParser

#: A goal, and what knows the names in it.
WrittenGoal = tuple["Goal", "AnyGoalParser"]

CLAIMS = (NEVER, "always", RECOVERS, CLEAN)
_EXAMPLE = "write: require mutex: never A@busy & B@busy"
_VIOLATED_EXAMPLE = "write: expect violated recovers under loss"
_ALWAYS_HINT = (
    "write: require always possible A@done; what must hold in every configuration is: require never !A@done"
)
_UNDER_EXAMPLE = "write: under loss on A -> B, crash C, at most 2 faults"
_JOINED = "channels and roles are joined by 'and': under loss on A -> B and B -> A, crash C and D"
#: Where a requirement goes on in a way that none does.
CLAIM_HINT = (
    "write: require NAME: CLAIM under loss on A -> B; "
    "a claim is never GOAL, always possible GOAL, GOAL leads to GOAL, recovers, clean, "
    "or a property such as k-mc at 2"
)
_LEADS = "leads"
#: How a goal may begin that is no name, and what joins it to another.
_OPENING, _JOINING = ("!", "¬", "("), ("&", "|", "∧", "∨", "and", "or")
_LEADS_EXAMPLE = "write: require Client@asked leads to Client@served"
_GOAL_ALONE = "a goal alone is no claim: write never GOAL, always possible GOAL, or GOAL leads to GOAL"
_LARGEST = 10**6
#: What begins a failure behind `under`.
_FAILURES = ("at", "timers", PARTITION, *FAULTS, *PROCESS_FAULTS)
_COMMENT = re.compile(r"//[^\n]*")


@dataclass
class UnderSyntax:
    """What follows `under`: names with their places."""

    declared: list[Declared] = field(default_factory=list)
    processes: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    at_most: list[tuple[str | None, int]] = field(default_factory=list)
    timers: str = ""


@dataclass
class RequirementSyntax:
    """A requirement before its names are looked up."""

    start: int
    name: str
    name_start: int
    violated: bool
    what: str
    goals: tuple[WrittenGoal, ...]
    k: int | None
    under: UnderSyntax | None


def parse_requirement(cursor: Cursor, violated: bool) -> RequirementSyntax:
    """What follows `require`, or `expect violated`."""
    start = cursor.skip()
    name, name_start = "", start
    if cursor.has_label():
        name, name_start = cursor.name("a name")
        cursor.expect(":")
        if not name:
            cursor.source.fail("a requirement's name must not be empty", name_start, cursor.at)
    what, goals, k = _claim(cursor, _VIOLATED_EXAMPLE if violated else _EXAMPLE)
    under = _under(cursor) if cursor.keyword("under") else None
    if violated and under is None:
        cursor.fail("'under'", "an expected violation says under which failures: under loss")
    return RequirementSyntax(start, name, name_start, violated, what, goals, k, under)


def require(system: System, text: str) -> System:
    """The system with the requirements that a text states, as in a .storm file, beside its own."""
    source = Source(text, "requirements")
    cursor, found = Cursor(source), []
    cursor.data = system.made_of_data
    while not cursor.done():
        found.append(parse_statement(cursor))
    names = Names(source, system)
    stated = requirements(names, found)
    names.raise_mistakes()
    return replace(system, requirements=(*system.requirements, *stated))


def parse_statement(cursor: Cursor) -> RequirementSyntax:
    """A requirement with its first words."""
    word = cursor.keyword("require", "expect")
    if word is None:
        cursor.fail("'require' or 'expect violated'", _EXAMPLE)
    if word == "expect" and cursor.keyword("violated") is None:
        cursor.fail("'violated'", _VIOLATED_EXAMPLE)
    return parse_requirement(cursor, violated=word == "expect")


def _claim(cursor: Cursor, example: str) -> tuple[str, tuple[WrittenGoal, ...], int | None]:
    if _begins_goal(cursor):
        return LEADS_TO, _leads_to(cursor), None
    word, start = cursor.peek_word(), cursor.ahead()
    if word is None:
        cursor.fail("never, always possible, GOAL leads to GOAL, recovers, clean or a property", example)
    cursor.keyword(word)
    if word == "always":
        if cursor.keyword("possible") is None:
            cursor.fail("'possible'", TEMPORAL.get(cursor.peek_word() or "", _ALWAYS_HINT))
        return ALWAYS_POSSIBLE, (_goal(cursor),), None
    if word == NEVER:
        return NEVER, (_goal(cursor),), None
    hint = near(word, CLAIMS) if word not in CLAIMS else None
    if cursor.peek_word() not in ("at", "under") and not cursor.at_line_end():
        hint = TEMPORAL.get(word, hint)
    hint = _LEADS_EXAMPLE if word == _LEADS else hint
    if hint is not None:
        cursor.source.fail(f"'{shorten(word)}' is not a claim", start, cursor.at, hint)
    k = None
    if word not in (RECOVERS, CLEAN) and cursor.keyword("at"):
        k = _number(cursor, "the bound k", 1)
    return word, (), k


def _begins_goal(cursor: Cursor) -> bool:
    """Is a goal next, which leads to another? A word alone is a property, unless what follows shows that it
    names a goal."""
    from .storm_goals import GoalTokens

    tokens = GoalTokens(cursor)
    first, second = tokens.peek(), tokens.peek(1)
    if first is None or (first.sign and first.text not in _OPENING):
        return False
    follows = second.text if second is not None and second.start < _line_end(cursor) else ""
    if follows in ("@", "->", "→") or (cursor.data and _begins_with_data(first.text, follows)):
        return True
    named = first.text in NAMED and follows in (_LEADS, *_JOINING)
    opens = first.sign or first.quoted or (first.text == "not" and bool(follows))
    return opens or named or (first.text, follows) == ("at", "rest")


def _begins_with_data(first: str, follows: str) -> bool:
    """`N[2]@leader`, `Sender.base = 1`, `some i: ...`, `count(i: ...) >= 2`."""
    return follows in (".", "[") or (first in QUANTIFIERS and bool(follows))


def _line_end(cursor: Cursor) -> int:
    end = cursor.text.find("\n", cursor.ahead(), cursor.end)
    return cursor.end if end < 0 else end


def _leads_to(cursor: Cursor) -> tuple[WrittenGoal, WrittenGoal]:
    after = _goal(cursor)
    if cursor.keyword(_LEADS) is None:
        word, start = cursor.peek_word(), cursor.ahead()
        if word is not None and not cursor.at_line_end() and (meant := near(word, (_LEADS,))):
            cursor.source.fail(f"'{shorten(word)}' stands where 'leads to' is expected", start, hint=meant)
        cursor.fail("'leads to' and another goal", _GOAL_ALONE)
    if cursor.keyword("to") is None:
        cursor.fail("'to'", _LEADS_EXAMPLE)
    return after, _goal(cursor)


def _goal(cursor: Cursor) -> WrittenGoal:
    from ...kernel.goals.parse import GoalParser
    from .storm_goals import GoalTokens

    first = len(cursor.trace.words) if cursor.trace else 0
    parser: AnyGoalParser
    if cursor.data:
        from ...kernel.goals.data_goals import DataGoalParser

        begin = cursor.skip()
        parser = DataGoalParser(GoalTokens(cursor))
        goal = parser.goal()
        parser.written = _COMMENT.sub("", cursor.text[begin : cursor.at])
    else:
        parser = GoalParser(GoalTokens(cursor))
        goal = parser.parse()
    if cursor.trace:
        cursor.trace.goals.append((first, len(cursor.trace.words)))
    return goal, parser


def _number(cursor: Cursor, what: str, least: int) -> int:
    word, start = cursor.peek_word(), cursor.ahead()
    if word is None or not (word.isascii() and word.isdigit()):
        cursor.fail(what, "a number")
    cursor.keyword(word)
    if len(word) > 7 or not least <= int(word) <= _LARGEST:
        cursor.source.fail(f"{what} is a number from {least} to {_LARGEST:,}", start, cursor.at)
    return int(word)


def _under(cursor: Cursor) -> UnderSyntax:
    found = UnderSyntax()
    if cursor.keyword("none"):
        if cursor.symbol(","):
            cursor.source.fail("'none' excludes other failures", cursor.at - 1, hint="leave one of them out")
        return found
    while True:
        _failure(cursor, found)
        if cursor.symbol(","):
            continue
        if cursor.peek_word() in ("and", *_FAILURES) and not cursor.at_line_end():
            cursor.fail("','", "failures are separated by commas: under loss, crash C, at most 2 faults")
        return found


def _failure(cursor: Cursor, found: UnderSyntax) -> None:
    word, start = cursor.peek_word(), cursor.ahead()
    if word in PROCESS_FAULTS:
        cursor.keyword(word)
        found.processes.setdefault(word, []).append(_role(cursor))
        while cursor.keyword("and"):
            found.processes[word].append(_role(cursor))
    elif word == "timers":
        cursor.keyword(word)
        mode = parse_mode(cursor)
        if found.timers not in ("", mode):
            cursor.source.fail("timers are on time or at any time", start, cursor.at, "leave one of them out")
        found.timers = mode
    elif word == PARTITION:
        found.declared.append(partition_line(cursor, _FAILURES))
    elif word == "at":
        found.at_most.append(_at_most(cursor))
    elif word in FAULTS and word != "none":
        faults = parse_fault(cursor)
        channels: list[tuple[ChannelEnd, ChannelEnd]] = [((None, start), (None, start))]
        if cursor.keyword("on"):
            channels = parse_channel(cursor, _UNDER_EXAMPLE)
            while cursor.keyword("and"):
                channels += parse_channel(cursor, _JOINED)
        found.declared.append(Declared(tuple(channels), faults, cut=word == CUT.keyword))
    else:
        meant = near(word, COUNTED) if word else None
        follows = found.declared or found.processes
        cursor.fail("a failure", meant or (_JOINED if follows else _UNDER_EXAMPLE))


def _role(cursor: Cursor) -> tuple[str, int]:
    """The name of a role, which no next statement is taken for."""
    start = cursor.ahead()
    if "\n" in cursor.text[cursor.at : start] and STATEMENT.match(cursor.text, start):
        cursor.fail("a role", _UNDER_EXAMPLE)
    return cursor.role("a role", _UNDER_EXAMPLE)


def _at_most(cursor: Cursor) -> tuple[str | None, int]:
    """`at most 2 faults`, `at most 1 loss fault`, or without the last word where the kind is named."""
    cursor.keyword("at")
    if cursor.keyword("most") is None:
        cursor.fail("'most'", "write: at most 2 faults")
    number = _number(cursor, "the number of faults", 0)
    kind = cursor.keyword(*COUNTED)
    if cursor.keyword("fault", "faults") is None and kind is None:
        cursor.fail("'faults'", "write: at most 2 faults, or at most 1 loss fault")
    return kind, number


def requirements(names: Names, written: Iterable[RequirementSyntax]) -> tuple[Requirement, ...]:
    """The requirements with every name looked up."""
    first: dict[str, RequirementSyntax] = {}
    made = []
    for syntax in written:
        if syntax.name and first.setdefault(syntax.name, syntax) is not syntax:
            line = names.source.place(first[syntax.name].start).line
            problem = f"two requirements are called '{shorten(syntax.name)}'"
            end = syntax.name_start + len(syntax.name)
            names.fail(problem, syntax.name_start, end, f"the first is on line {line}")
        for _, parser in syntax.goals:
            names.goal(parser)
        under = None if syntax.under is None else _resolved(names, syntax.under)
        if not names.mistakes.errors:
            made.append(_made(names, syntax, under))
    return tuple(made)


def _made(names: Names, syntax: RequirementSyntax, under: Under | None) -> Requirement:
    *after, goal = [None, *(parser.with_groups(goal, names.system) for goal, parser in syntax.goals)]
    line = names.source.place(syntax.start).line
    return Requirement(
        Claim(syntax.what, goal, syntax.k, after[-1] if after else None),
        syntax.name,
        syntax.violated,
        under,
        line,
    )


def _resolved(names: Names, under: UnderSyntax) -> Under:
    chosen: dict[str, tuple[str, ...]] = {}
    for word, pairs in under.processes.items():
        chosen[word] = tuple(dict.fromkeys(role for pair in pairs for role in names.roles(*pair)))
    faults, cuts = resolve(names, under.declared), resolve_cuts(names, under.declared)
    return Under(faults, at_most=tuple(under.at_most), timers=under.timers, cuts=cuts, **chosen)


_SPELLING = Spelling(quote, write_message)


def write_requirement(system: System, requirement: Requirement) -> str:
    """The line that states a requirement."""
    claim = requirement.claim
    words = ["expect violated" if requirement.violated else "require"]
    words += [f"{quote(requirement.name)}:"] if requirement.name else []
    words.append(claim.written(_SPELLING))
    words += [f"under {write_under(system, requirement.under)}"] if requirement.under is not None else []
    return " ".join(words)


def write_under(system: System, under: Under) -> str:
    """What stands behind `under`."""
    channels: dict[str, list[Channel]] = {}
    for fault in under.faults:
        for written in write_each(fault):
            channels.setdefault(written, []).append(Channel(fault.sender, fault.receiver))
    items = [fault + _write_channels(system, where) for fault, where in channels.items()]
    items += write_cuts_under(system, under.cuts)
    for word in PROCESS_FAULTS:
        if names := getattr(under, word):
            items.append(f"{word} {' and '.join(map(quote, names))}")
    items += [
        f"at most {number} {f'{kind} ' if kind else ''}fault{'' if number == 1 else 's'}"
        for kind, number in under.at_most
    ]
    items += [f"timers {WORDS[under.timers]}"] if under.timers else []
    return ", ".join(items) or "none"


def _write_channels(system: System, channels: list[Channel]) -> str:
    if set(channels) == set(system.channels):
        return ""
    return " on " + " and ".join(f"{quote(c.sender)} -> {quote(c.receiver)}" for c in channels)
