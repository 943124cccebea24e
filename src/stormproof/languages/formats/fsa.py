"""Machines of the kmc and GMC tools: one block per machine, partners by number or by name.

    .outputs Name
    .state graph
    q0 1 ! m q1
    .marking q0
    .end

`--` starts a comment. A machine without a name is called by its number. Internal actions cannot be written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...errors import FormatError, ModelError
from ...kernel.model.actions import Internal, Receive, Send, Transition
from ...kernel.model.process import Process
from ...kernel.model.system import System
from .annotations import Aliases, MessageAliases, Notes, read_notes, role_notes, system_notes, write_notes
from .storm_scan import quote
from .text import SizeCount, Source, guess, shorten

_SNIFF = re.compile(r"^[ \t]*\.(?:outputs|state)\b", re.MULTILINE)
#: Messages and states that both tools read are plainer.
_PLAIN = re.compile(r"\w+", re.ASCII)
_LINE = re.compile(r"\S[^\n]*")
_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)


def sniff(text: str) -> bool:
    return _SNIFF.search(text) is not None


@dataclass
class _Machine:
    name: str
    start: int
    initial: str | None = None
    rows: list[tuple[str, str, str, str, str, int]] = field(default_factory=list)
    ended: bool = False


def read(text: str, name: str = "<input>") -> System:
    source = Source(text, name)
    comments: list[tuple[int, int]] = []
    machines = _machines(source, comments)
    if not machines:
        source.fail("there is no machine here", source.end(), hint="a machine starts with .outputs")
    notes = read_notes(source, comments)
    return notes.complete(_system(source, machines, notes))


def _machines(source: Source, comments: list[tuple[int, int]]) -> list[_Machine]:
    machines: list[_Machine] = []
    for start, words in _lines(source, comments):
        head = words[0]
        current = machines[-1] if machines and not machines[-1].ended else None
        if head == ".outputs" or (head == ".state" and current is None):
            if current is not None:
                source.fail("the machine before has no .end", start, start + len(head))
            name = words[1] if head == ".outputs" and len(words) > 1 else ""
            machines.append(_Machine(name, start))
        elif current is None:
            source.fail(f"expected .outputs, found '{shorten(head)}'", start, start + len(head))
        elif head == ".state":
            continue
        elif head == ".marking":
            _marking(source, current, words, start)
        elif head == ".end":
            _end(source, current, start)
        elif head.startswith(".") and len(words) < 5:
            source.fail(
                f"unknown directive '{shorten(head)}'",
                start,
                start + len(head),
                "the directives are .outputs, .state graph, .marking and .end",
            )
        else:
            current.rows.append(_row(source, words, start))
    if machines and not machines[-1].ended:
        source.fail("the last machine has no .end", source.end())
    return machines


def _lines(source: Source, comments: list[tuple[int, int]]) -> Iterator[tuple[int, list[str]]]:
    """Each line that says something: where it starts, and its words."""
    budget = SizeCount(source)
    for match in _LINE.finditer(source.text):
        line, at = match.group(), match.start()
        cut = line.find("--")
        if cut >= 0:
            comments.append((at + cut, at + len(line)))
            line = line[:cut]
        words = line.split()
        if words:
            budget.transition(at)
            yield at, words


def _marking(source: Source, machine: _Machine, words: list[str], start: int) -> None:
    states = " ".join(words[1:]).strip("{} ").split()
    if len(states) != 1:
        source.fail("a machine has one initial state", start, start + len(".marking"), "write  .marking q0")
    if machine.initial is not None:
        source.fail("this machine has a second .marking", start, start + len(".marking"))
    machine.initial = states[0]


def _end(source: Source, machine: _Machine, start: int) -> None:
    if machine.initial is None:
        source.fail("this machine has no initial state", start, start + 4, "write  .marking q0  before .end")
    machine.ended = True


def _row(source: Source, words: list[str], start: int) -> tuple[str, str, str, str, str, int]:
    if len(words) != 5 or words[2] not in ("!", "?"):
        source.fail(
            "not a transition",
            start,
            start + len(words[0]),
            "write  state partner ! message state  (or ? to receive)",
        )
    state, partner, sign, message, target = words
    return state, partner, sign, message, target, start


def _system(source: Source, machines: list[_Machine], notes: Notes) -> System:
    spelt = [m.name or str(i) for i, m in enumerate(machines)]
    names = [notes.role(name) for name in spelt]
    seen: set[str] = set()
    for name, machine in zip(names, machines, strict=True):
        if name in seen:
            source.fail(f"two machines are called '{shorten(name)}'", machine.start, kind=ModelError)
        seen.add(name)
    by_word = dict(zip(spelt, names, strict=True))
    processes = tuple(_process(source, m, names[i], names, by_word, notes) for i, m in enumerate(machines))
    try:
        return System(processes)
    except ModelError as problem:
        source.fail(problem.message, machines[0].start, hint=problem.hint, kind=ModelError)


def _process(
    source: Source, machine: _Machine, name: str, names: list[str], by_word: dict[str, str], notes: Notes
) -> Process:
    rows = []
    for state, word, sign, message, target, start in machine.rows:
        peer = _partner(source, word, names, by_word, start + len(state))
        kind = Send if sign == "!" else Receive
        rows.append(Transition(state, kind(peer, notes.message(message)), target))
    assert machine.initial is not None
    _check_initial(source, machine, notes)
    try:
        return Process(name, machine.initial, tuple(rows))
    except ModelError as problem:
        source.fail(problem.message, machine.start, hint=problem.hint, kind=ModelError)


def _check_initial(source: Source, machine: _Machine, notes: Notes) -> None:
    """A marking that names no state of a machine that has some is a slip of the pen."""
    known = {s for row in machine.rows for s in (row[0], row[4])}
    assert machine.initial is not None
    if machine.rows and machine.initial not in known | notes.states:
        at = source.text.find(machine.initial, source.text.find(".marking", machine.start))
        hint = guess(machine.initial, known, "States")
        source.fail(
            f"unknown state '{shorten(machine.initial)}'", at, at + len(machine.initial), hint, ModelError
        )


def _partner(source: Source, word: str, names: list[str], by_word: dict[str, str], after: int) -> str:
    """The partner that a word means: a machine's number, or else its name."""
    if _NUMBER.fullmatch(word) and int(word) < len(names):
        return names[int(word)]
    if word in by_word:
        return by_word[word]
    at = source.text.index(word, after)
    if _NUMBER.fullmatch(word):
        hint = f"there are {len(names)} machines, numbered from 0"
        source.fail(f"there is no machine {word}", at, at + len(word), hint, ModelError)
    source.fail(
        f"unknown machine '{shorten(word)}'", at, at + len(word), guess(word, by_word, "Machines"), ModelError
    )


def write(system: System) -> str:
    """One block a machine, partners by number; what the language cannot say stands in notes."""
    roles = Aliases(system.names, _PLAIN, (), "R")
    messages = MessageAliases(system, _PLAIN)
    lines = write_notes([*system_notes(system), *role_notes(roles), *messages.notes()], "--")
    number = {name: i for i, name in enumerate(system.names)}
    for process in system:
        if lines:
            lines.append("")
        lines += _block(process, number, roles, messages)
    return "\n".join(lines) + "\n"


def _block(process: Process, number: dict[str, int], roles: Aliases, messages: MessageAliases) -> list[str]:
    states = Aliases(process.states, _PLAIN, (), "q")
    name = "" if process.name == str(number[process.name]) else " " + roles[process.name]
    lines = [f"-- machine {number[process.name]}", f".outputs{name}", ".state graph"]
    if process.transitions and not any(process.initial in (t.source, t.target) for t in process.transitions):
        lines += write_notes([f"state {quote(states[process.initial])}"], "--")
    for source, action, target in process.transitions:
        if isinstance(action, Internal):
            raise FormatError(
                f"kmc's machines have no internal actions, but {process.name} has '{action.name}' "
                f"in {source}",
                hint="json, storm, scm and dot have them",
            )
        sign = "!" if isinstance(action, Send) else "?"
        partner, message = number[action.peer], messages.of(action.message)
        lines.append(f"{states[source]} {partner} {sign} {message} {states[target]}")
    return [*lines, f".marking {states[process.initial]}", ".end"]
