"""Observers in the .storm language and in JSON: read, laid out, written, and what is wrong with them."""

from __future__ import annotations

import random

import pytest

import stormproof as sp
from stormproof.errors import InputError
from stormproof.kernel.model.observer import IS_AT, RECEIVES, SENDS, ObservedEvent
from stormproof.languages.formats import dumps, loads
from stormproof.languages.formats.storm_fmt import fmt
from tests.support.random_observers import random_observer
from tests.support.random_systems import random_system

ROLES = """role A {
  s: B!m -> t
     B!n -> s
  t: B?ok -> s
}

role B {
  w: A?m -> a
     A?n -> w
  a: A!ok -> w
}
"""
OBSERVER = """
observer O {
  zero: A -> B!m -> one
        A@{s, t} -> zero
  one: A -> B?_ -> zero
       stop A -> two
  two:
}
"""
DATA = """const most = 2

role N[i: 1..2] {
  var x: 0..most = 0
  s: S!vote(x) -> t
  t: S?again(_) -> s { x = min(x + 1, most) }
}

role S {
  w: N[_]?vote(_) -> tell
  tell: N[*]!again(1) -> w
}

observer Votes {
  var seen: set of N = {}
  var high: 0..most = 0
  watch: N[j] -> S?vote(v) if v >= high -> watch { seen = seen + {j}, high = v }
         N[_]@t -> watch
  never:
}

require count: never size(Votes.seen) = 2 & Votes.high = 2
"""


def problem(text: str) -> str:
    with pytest.raises(InputError) as caught:
        loads(text, "storm")
    return f"{caught.value}\n{caught.value.hint}"


def test_what_is_watched_is_read() -> None:
    observer = loads(ROLES + OBSERVER, "storm").observers[0]
    assert [(row.source, row.event, row.target) for row in observer.alternatives] == [
        ("zero", ObservedEvent(SENDS, "A", "B", ("m",)), "one"),
        ("zero", ObservedEvent(IS_AT, "A", names=("s", "t")), "zero"),
        ("one", ObservedEvent(RECEIVES, "B", "A"), "zero"),
        ("one", ObservedEvent("stop", "A"), "two"),
    ]


@pytest.mark.parametrize("text", [ROLES + OBSERVER, DATA])
def test_laid_out_twice_is_laid_out_once(text: str) -> None:
    laid_out = fmt(text.replace("\n  ", "\n").replace(" -> ", "\n -> "))
    assert laid_out == fmt(laid_out) == text


@pytest.mark.parametrize("language", ["storm", "json"])
def test_what_is_written_is_read_back(language: str) -> None:
    for seed in range(200):
        rng = random.Random(seed)
        plain = random_system(rng, internal=0.1)
        names = ("O", "P q")[: rng.randint(1, 2)]
        system = sp.System(plain.processes, observers=[random_observer(rng, plain, n) for n in names])
        again = loads(dumps(system, language), language)
        assert _by_event(again) == _by_event(system), seed


def _by_event(system: sp.System) -> list[object]:
    """Several messages of one alternative are written as several alternatives."""
    rows: list[object] = []
    for observer in system.observers:
        for source, event, target in observer.alternatives:
            names = (None,) if event.names is None or event.kind == IS_AT else event.names
            rows += [(source, event.kind, event.role, event.peer, name, target) for name in names]
        rows.append((observer.name, observer.initial, observer.rest, {*observer.states}))
    return rows


def test_an_observer_with_variables_is_made_into_an_automaton() -> None:
    """By hand: who voted, and the highest vote."""
    system = loads(DATA, "storm")
    votes = system.observers[0]
    seen = "{}", "{N[1]}", "{N[2]}", "{N[1], N[2]}"
    reached = set(votes.states)
    assert votes.initial == "watch{seen={}, high=0}"
    # A first vote v makes {j} and v; with nobody seen high is 0: 1 + 3 sets with somebody, 3 votes each.
    assert len(reached) == 1 + 3 * 3 and all(any(f"seen={s}," in r for s in seen) for r in reached)
    assert votes.after("watch{seen={N[1]}, high=1}", _vote(2, 2)) == "watch{seen={N[1], N[2]}, high=2}"
    assert votes.after("watch{seen={N[1]}, high=1}", _vote(2, 0)) == "watch{seen={N[1]}, high=1}"


def _vote(member: int, value: int) -> ObservedEvent:
    return ObservedEvent(RECEIVES, "S", f"N[{member}]", (f"vote({value})",))


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("observer A { s: }", "two roles or observers are called 'A'"),
        ("observer O { s: A -> C!m -> s }", "unknown role 'C'"),
        ("observer O { s: A -> B!mm -> s }", "unknown message 'mm'"),
        ("observer O { s: A@x -> s }", "A has no state 'x'"),
        ("observer O { s: A -> B!m -> u }", "unknown state 'u'"),
        ("observer O { s: A -> B!crash -> s }", "the crash message cannot be watched"),
        ("observer O { s: B!m -> s }", "expected '->' or '@', found '!'"),
        ("observer O { s: A -> B -> s }", "expected '!' or '?'"),
        ("observer O { s: internal x -> s }", "expected an event"),
        ("observer O { s: A -> B!m if 1 = 1 -> s }", "only in a file with data"),
        ("observer O { }", "observer O has no state"),
        ("observer O { s: A -> B!m -> s", "the '}' of observer O is missing"),
        ("observer O { s: }\nrest O@x", "O has no state 'x'"),
        ("observer O { s: }\ndurable O@s", "an observer has no durable states"),
        ("observer O { s: }\nrequire never O@x", "O has no state 'x'"),
        ("observer O { s: }\nfaults A -> O: loss", "unknown role 'O'"),
    ],
)
def test_mistakes_have_places_and_words(written: str, said: str) -> None:
    found = problem(f"{ROLES}\n{written}\n")
    assert said in found and "<input>:" in found, found


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("vote(v) if v >= high", "vote(v)", "'high'"),
        ("N[_]@t -> watch\n", "N[_]@x -> watch\n", "N has no state 'x'"),
        ("N[j] -> S?vote(v)", "N[j] -> S?vote(v, _)", "'vote' has 1 fields, and not 2"),
        ("N[j] -> S?vote(v)", "N[j] -> S?note(v)", "N sends no 'note' to S"),
        ("N[j] -> S?vote(v)", "N[*] -> S?vote(v)", "an event is of one member"),
        ("seen = seen + {j}, high = v", "high = v", "'j' is a new name that nothing reads"),
        ("high = v }", "high = v + 1 }", None),
    ],
)
def test_mistakes_in_files_with_data(before: str, after: str, said: str | None) -> None:
    """A value that leaves its domain is a requirement that is violated, as for roles."""
    text = DATA.replace(before, after)
    assert text != DATA
    if said == "'high'" or said is None:
        titles = [r.title for r in loads(text, "storm").requirements]
        assert ("no value out of its domain in Votes" in titles) == (said is None)
    else:
        assert said in problem(text)


def test_other_languages_leave_observers_out_in_words(caplog: pytest.LogCaptureFixture) -> None:
    dumps(loads(ROLES + OBSERVER, "storm"), "scm")
    assert "scm has no observers, which are left out" in caplog.text
