"""What cannot be extracted is refused, with its line and a way out."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import itertools
import os
import re
import signal
import sys
import time
import types
from pathlib import Path
from typing import Any

import pytest

import stormproof as sp
from stormproof.errors import InputError, ModelError, UsageError
from stormproof.programs.automata import explore
from stormproof.programs.extraction import evaluate
from stormproof.programs.extraction.deadline import deadlines
from stormproof.programs.extraction.load import load_protocol
from tests.support.roles import extracted

SUBSET = {
    "with open('x') as f:\n    yield send('Q', 'x')": "a role cannot use 'with'",
    "try:\n    yield send('Q', 'x')\nfinally:\n    pass": "a role cannot wait inside 'try'",
    "yield send('Q', 'x')\ntry:\n    return\nfinally:\n    pass": "a role cannot return from inside 'try'",
    "while (yield receive('Q')):\n    try:\n        break\n    except KeyError: pass": "cannot leave a loop",
    "yield send('Q', 'x')\ntry:\n    import os\nfinally:\n    pass": "a role cannot use 'import'",
    "yield send('Q', 'x')\nglobal z": "a role cannot use 'global'",
    "a = yield send('Q', 'x')\ndel a": "a role cannot delete a variable",
    "yield send('Q', 'x')\ndef f(): pass": "a role cannot use a nested function",
    "yield send('Q', 'x')\nclass C: pass": "a role cannot use a nested class",
    "yield send('Q', 'x')\nimport os": "a role cannot use 'import'",
    "yield send('Q', 'x')\nraise ValueError": "a role cannot use 'raise'",
    "a = 0 < (yield receive('Q')) < (yield receive('Q'))": "inside a chain of comparisons",
    "yield send('Q', 'x')\na = [(b := i) for i in (1, 2)]": "a role cannot wait or assign in here",
    "a = [0]\na[(yield receive('Q'))] = 1": "a role cannot wait or assign in here",
    "yield send('Q', 'x')\n1 + 1": "the value of this expression is not used",
    "a = yield receive('Q')\na.x = 1": "a role cannot change an attribute",
    "yield send('Q', 'x')\na = locals()": "a role cannot call locals()",
    "a = yield receive('Q')\nb = a is a": "'is' compares identities",
}


@pytest.mark.parametrize(("body", "message"), SUBSET.items())
def test_what_is_outside_the_subset_is_refused_before_anything_runs(body: str, message: str) -> None:
    with pytest.raises(ModelError) as problem:
        extracted(body)
    assert message in problem.value.message
    assert problem.value.place is not None and problem.value.place.line is not None
    shown = (problem.value.place.text or "").strip()
    assert shown and shown in body, "the line is shown"


def test_every_refusal_is_reported_at_once() -> None:
    with pytest.raises(ModelError) as problem:
        extracted("yield send('Q', 'x')\nimport os\nglobal z\nb = id(1)")
    assert len(problem.value.others) == 2


def test_the_refusals_of_all_roles_are_reported_at_once() -> None:
    with pytest.raises(ModelError) as problem:
        extracted(
            "yield send('Q', 'x')\nimport os", "@role\ndef Q():\n    yield receive('P')\n    global z\n"
        )
    found = (problem.value, *problem.value.others)
    assert [p.message for p in found] == ["a role cannot use 'import'", "a role cannot use 'global'"]


VALUES: dict[str, tuple[str, int]] = {
    "a = [1]\nyield send('Q', 'x', a)": ("a field of 'x' is a list", 4),
    "a = [1]\nyield choose(a, 0)": ("choose was given a list, which is not among the immutable values", 4),
    "a = [1.5]\nyield send('Q', 'x')": ("'a' is a float, which is not among", 3),
    "a = [1, 2]\nfor b in a:\n    a.append(b)\n    yield send('Q', 'x')": ("is changed inside it", 4),
    "a = {1: 2}\nfor b, c in a.items():\n    a[b] = 3\n    yield send('Q', 'x')": ("is changed inside", 4),
    "a = []\nwhile True:\n    yield send('Q', 'x')\n    a.append(1)": (
        "'a' of P takes more than 50 values",
        3,
    ),
    "yield send('Q', 'x')\nprint(1)": ("this calls print", 4),
    "yield send('Q', 'x')\nfor a in frozenset((1,)):\n    pass": ("the order of a set", 4),
    "yield send('Q', 'x')\na = {1, 2}\nb = a.pop()\nyield send('Q', 'x', b)": ("two different results", 5),
    "yield send('Q', 'x', 1.5)": ("a field of 'x' is a float", 3),
    "yield send('Q', 'x y')": ("a message's name is a word", 3),
    "yield send('Nobody', 'x')": ("P names an unknown role 'Nobody'", 3),
    "a = (1, [2.5])\nyield send('Q', 'x', a[0])": ("'a' is a tuple with a float, which is not among", 3),
    "yield": ("a role cannot yield None", 3),
    "yield 5": ("a role cannot yield an int", 3),
    "yield from P": ("'yield from' needs a role, not a Role", 3),
    "yield from (1, 2)": ("'yield from' needs a role, not a tuple", 3),
    "yield send('Q', 'x')\nfor a in map(str, (1,)):\n    yield send('Q', 'x')": ("not a map", 4),
    "yield send('Q', 'x')\nwhile True:\n    pass": ("there is still no yield", 4),
    "n = 0\nwhile True:\n    yield send('Q', 'x')\n    n += 1": ("'n' of P takes more than 50 values", 6),
    "n = 0\nwhile True:\n    n += 1\n    yield send('Q', 'x', n)": ("of P takes more than 50 values", 5),
    "m = yield receive('Q')\nwhile True:\n    yield from P()": ("roles delegate to each other", 5),
    "yield send('Q', 'x')\nn = exit(0)": ("this ends the program", 4),
    "n = 10 ** 100_000\nyield send('Q', 'x', n % 7)": ("'n' is a number of more than 10,000 bits", 3),
    "yield send('Q', 'x', flags.A | flags.I)": ("a field of 'x' is a combination of flags", 3),
}


@pytest.mark.parametrize("body", VALUES)
def test_what_cannot_be_a_state_is_refused_with_its_line(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explore, "MOST_VALUES", 50)
    message, line = VALUES[body]
    with pytest.raises(ModelError) as problem:
        extracted(body, flags=re.RegexFlag)
    assert message in problem.value.message, str(problem.value)
    assert problem.value.place is not None and problem.value.place.line == line


def test_the_last_values_of_a_variable_that_grows_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explore, "MOST_VALUES", 50)
    with pytest.raises(ModelError) as problem:
        extracted("n = 0\nwhile True:\n    yield send('Q', 'x')\n    n += 1")
    assert problem.value.hint is not None and "48, 49, 50" in problem.value.hint


def test_long_values_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explore, "MOST_VALUES", 50)
    with pytest.raises(ModelError) as problem:
        extracted("n = 'a' * 99\nwhile True:\n    yield send('Q', 'x')\n    n += 'a'")
    assert problem.value.hint is not None and len(problem.value.hint) < 200


def test_a_chain_that_is_too_long_is_refused() -> None:
    more = "".join(f"elif m.fields == ({i},):\n    pass\n" for i in range(600))
    with pytest.raises(ModelError, match="P is nested too deeply") as problem:
        extracted(f"m = yield receive('Q')\nif m is None:\n    pass\n{more}")
    assert problem.value.place is not None and problem.value.place.line == 2


def test_what_python_runs_otherwise_is_refused_with_its_line() -> None:
    """1 and 9 share a place in a set, and the one that came first is before the other; `set` copies that."""
    body = """
a = yield choose(0, 1)
s = frozenset((1, 9)) if a else frozenset((9, 1))
yield send("Q", "x")
yield send("Q", "y", *set(s))
"""
    with pytest.raises(ModelError, match="Python runs P otherwise than its source says") as problem:
        extracted(body)
    assert problem.value.place is not None and problem.value.place.line == 6


def test_messages_that_nobody_can_enumerate_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable is kept; the number grows from message to message."""
    monkeypatch.setattr(explore, "MOST_VALUES", 50)
    other = """
@role
def Q():
    while True:
        m = yield receive("P")
        yield send("P", "n", *m.fields)
"""
    body = """
yield send("Q", "n", 0)
while True:
    m = yield receive("Q")
    yield send("Q", "n", m.fields[0] + 1)
"""
    with pytest.raises(ModelError, match="more than 50 different messages 'n'") as problem:
        extracted(body, other)
    assert "n(50)" in str(problem.value.hint)


counter = itertools.count()
seen: list[int] = []


def remember(value: int) -> int:
    seen.append(value)
    return 0


DIFFERENT = {
    "a counter": "a = next(counter)\nyield send('Q', 'x', a)",
    "the order of a set": "s = frozenset((1, 8))\nb = tuple(s)\nyield send('Q', 'x', b)",
    "the text of a set": "s = frozenset((1, 8))\nb = str(s)\nyield send('Q', 'x', b)",
    "identity": "s = 'abc'\nt = s\nu = same(s, t)\nyield send('Q', 'x', u)",
}


def same(first: str, second: str) -> bool:
    return first is second


@pytest.mark.parametrize("what", DIFFERENT)
def test_what_differs_from_one_evaluation_to_the_next_is_refused(what: str) -> None:
    with pytest.raises(ModelError, match="gives two different results"):
        extracted(DIFFERENT[what], counter=counter, same=same)


@pytest.mark.parametrize(
    ("options", "problem"), [({"eq": False, "frozen": True}, "compares identities"), ({}, "is not frozen")]
)
def test_dataclasses_that_are_no_values_are_refused(options: dict[str, bool], problem: str) -> None:
    made = dataclasses.make_dataclass("Made", ["x"], **options)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=f"'a' is a Made, a dataclass that {problem}"):
        extracted("a = Made(1)\nyield send('Q', 'x', a.x)", Made=made)


def test_side_effects_on_globals_are_refused() -> None:
    with pytest.raises(ModelError, match=r"seen' was changed while the roles were extracted"):
        extracted("a = remember(1)\nyield send('Q', 'x', a)", remember=remember)


class Slots:
    __slots__ = ("n",)
    n: int


queue: collections.deque[int] = collections.deque()
slots = Slots()
slots.n = 0
#: A module of a user, which is neither in a library nor installed.
helper = types.ModuleType("helper")
helper.__file__ = "helper.py"
helper.__dict__["n"] = 0


def append() -> int:
    queue.append(1)
    return 0


def count_in_slots() -> int:
    slots.n += 1
    return 0


def count_in_a_module() -> int:
    helper.__dict__["n"] += 1
    return int(helper.n < 0)


@pytest.mark.parametrize(
    ("changing", "what"), [(append, "queue"), (count_in_slots, "slots"), (count_in_a_module, r"helper\.n")]
)
def test_side_effects_inside_values_and_modules_are_refused(changing: Any, what: str) -> None:
    with pytest.raises(ModelError, match=rf"{what}' was changed while the roles were extracted"):
        extracted("a = changing()\nyield send('Q', 'x', a)", changing=changing)


def test_the_caches_of_libraries_are_no_side_effects() -> None:
    re.purge()
    body = "a = bool(match('x+', 'xx')) and bool(library.match('y+', 'yy'))\nyield send('Q', 'x', a)"
    system = extracted(body, match=re.match, library=re)
    assert [str(t.action) for t in system["P"].transitions] == ["Q!x(True)"]


def test_parameters_are_values_too() -> None:
    @sp.role
    def P(what: Any) -> Any:
        yield sp.send("Q", "x", *what)

    with pytest.raises(ModelError, match="the argument 'what' is a list"):
        sp.extract({"P": P([1]), "Q": P((1,))}, second_process=False)
    with pytest.raises(UsageError, match="not a generator function"):
        sp.role(lambda: 1)  # type: ignore[arg-type,return-value]


MODULE = """
import stormproof as sp

def forever(n):
    while n:
        pass
    return 0

@sp.role
def P():
    n = forever(1)
    yield sp.send("Q", "x", n)

@sp.role
def Hashed():
    for name in list({"ab", "cd", "ef", "gh", "ij", "kl", "mn", "op", "qr", "st"}):
        yield sp.send("Q", name)

@sp.role
def Good():
    yield sp.send("Q", "x")

@sp.role
def Q():
    while True:
        yield sp.receive("P")

def endless():
    return sp.extract(P, Q)

def hashed():
    return sp.extract({"P": Hashed, "Q": Q})

good = sp.extract({"P": Good, "Q": Q})

def broken():
    return 1 // 0

five = 5

def leaves():
    raise SystemExit(0)
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(sys, "path", list(sys.path))
    file = tmp_path / "endless_and_hashed.py"
    file.write_text(MODULE, encoding="utf-8")
    return str(file)


def test_an_expression_that_does_not_end_is_refused(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate, "EXPRESSION_SECONDS", 1.0)
    with pytest.raises(ModelError, match="does not end within 1 seconds") as problem:
        load_protocol(module, "endless")
    assert problem.value.place is not None and problem.value.place.line == 11


def forever() -> None:
    while True:
        with contextlib.suppress(Exception):
            seen.count(0)


def test_an_expression_that_does_not_end_is_refused_in_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate, "EXPRESSION_SECONDS", 0.2)
    with pytest.raises(ModelError, match=r"does not end within 0\.2 seconds") as problem:
        extracted("yield send('Q', 'x')\na = forever()\nyield send('Q', 'y', a)", forever=forever)
    assert problem.value.place is not None and problem.value.place.line == 4
    with deadlines(0.05):
        assert evaluate.watch is not None
        evaluate.watch()
        time.sleep(0.1)  # no expression
    assert evaluate.watch is None and signal.getitimer(signal.ITIMER_REAL)[0] == 0
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no copies of processes on this system")
def test_an_expression_in_c_is_ended_where_no_second_process_can_import_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No signal is handled before the sum is known, and no memory is enough for the text."""
    monkeypatch.setattr(evaluate, "EXPRESSION_SECONDS", 0.5)

    @sp.role
    def P(what: str) -> Any:
        n = sum(range(10**12)) if what == "sum" else len("a" * 10**10)
        yield sp.send("Q", "x", n)

    @sp.role
    def Q() -> Any:
        yield sp.receive("P")

    for what, message in {"sum": r"does not end within 0\.5 seconds", "text": "needs too much"}.items():
        with pytest.raises(ModelError, match=message) as problem:
            sp.extract({"P": P(what), "Q": Q})
        place = problem.value.place
        assert place is not None and place.text is not None and "n = sum(range" in place.text


def test_what_depends_on_the_seed_of_hashes_is_refused(module: str) -> None:
    """That ten texts have one order under both seeds is next to impossible."""
    with pytest.raises(ModelError, match="in a second process P is another automaton"):
        load_protocol(module, "hashed")


def test_a_protocol_in_a_file(module: str) -> None:
    assert load_protocol(module, "good").name == "good"
    for name, message in {
        "broken": r"broken\(\) raises ZeroDivisionError",
        "five": "'five' is not a system",
        "leaves": r"leaves\(\) raises SystemExit: 0",
        "goood": "it has no 'goood'",
        "forever": "raises TypeError",
    }.items():
        with pytest.raises(InputError, match=message):
            load_protocol(module, name)
    with pytest.raises(InputError, match="there is no such file"):
        load_protocol(module + ".py", "good")
    Path(module).write_text("import sys\nsys.exit(0)\n")
    with pytest.raises(InputError, match="running the file raises SystemExit: 0") as problem:
        load_protocol(module, "good")
    assert problem.value.place is not None and problem.value.place.line == 2
