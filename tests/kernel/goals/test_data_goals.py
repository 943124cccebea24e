"""Goals over data, in terms of the automata, against what they say: at every combination of local states."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from stormproof.errors import InputError
from stormproof.kernel.data.system import DataSystem, LocalState
from stormproof.kernel.goals.parse import parse_goal
from stormproof.kernel.model.goal import READABLE, And, At, Goal, Not, Or, show
from stormproof.languages.formats.storm import read

TEXT = """const most = 2
role A {
  var x: 0..most
  var w: {red, green}
  s: B!m(x) -> t { x = (x + 1) mod 3 }
  t: B!n -> s { w = if w = red then green else red }
}
role B {
  var last: 0..most
  wait: A?m(k) -> wait { last = k }
        A?n -> wait
}
role N[i: 1..3] {
  var seen: set of N
  idle: N[*]!hello -> busy
        N[j]?hello -> idle { seen = seen + {j} }
  busy: N[j]?hello -> busy { seen = seen + {j} }
}
require never A.x > 2 | A.w = green & A.w = red | B.last > 2
require never some i: N[i].seen = {} & N[i] @ { idle } & size(N[i].seen) > 2
"""

Places = Mapping[str, LocalState]
SYSTEM = read(TEXT)
assert isinstance(SYSTEM, DataSystem)


def members() -> list[str]:
    return [f"N[{k}]" for k in (1, 2, 3)]


def holds(goal: Goal, at: Mapping[str, str]) -> bool:
    if isinstance(goal, At):
        return at[goal.process] in goal.states
    if isinstance(goal, Not):
        return not holds(goal.part, at)
    assert isinstance(goal, And | Or)
    return (all if isinstance(goal, And) else any)(holds(part, at) for part in goal.parts)


def number_at(places: Places, state: str) -> int:
    return sum(places[m].name == state for m in members())


GOALS: list[tuple[str, Callable[[Places], Any]]] = [
    ("A@s", lambda p: p["A"].name == "s"),
    ("A@{s, t}", lambda p: True),
    ("A@s{x=1}", lambda p: p["A"].name == "s" and p["A"].values["x"] == 1),
    ("A@s{x=1, w=green}", lambda p: p["A"].name == "s" and p["A"].values == {"x": 1, "w": "green"}),
    ("A.x = most", lambda p: p["A"].values["x"] == 2),
    ("A.x + 1 = B.last", lambda p: p["A"].values["x"] + 1 == p["B"].values["last"]),
    (
        "A.x < B.last or A.w = green",
        lambda p: p["A"].values["x"] < p["B"].values["last"] or p["A"].values["w"] == "green",
    ),
    ("!(A.x = 0) & not A@t", lambda p: p["A"].values["x"] != 0 and p["A"].name != "t"),
    ("A.w = red & A.x != 1", lambda p: p["A"].values["w"] == "red" and p["A"].values["x"] != 1),
    ("N[2]@idle", lambda p: p["N[2]"].name == "idle"),
    ("N[most]@idle", lambda p: p["N[2]"].name == "idle"),
    ("some i: N[i]@busy", lambda p: number_at(p, "busy") > 0),
    ("all i: N[i]@busy", lambda p: number_at(p, "busy") == 3),
    ("two i, j: N[i]@busy & N[j]@busy", lambda p: number_at(p, "busy") >= 2),
    (
        "two i, j: N[i]@busy & j in N[i].seen",
        lambda p: any(
            p[m].name == "busy" and any(str(o) != m for o in p[m].values["seen"]) for m in members()
        ),
    ),
    (
        "some i: i in N[1].seen & N[i]@idle",
        lambda p: any(p[str(o)].name == "idle" for o in p["N[1]"].values["seen"]),
    ),
    ("count(i: N[i]@busy) >= 2", lambda p: number_at(p, "busy") >= 2),
    ("count(i: N[i]@busy) > 2", lambda p: number_at(p, "busy") > 2),
    ("count(i: N[i]@busy) = 1", lambda p: number_at(p, "busy") == 1),
    ("count(i: N[i]@busy) < count(i: N[i]@idle)", lambda p: number_at(p, "busy") < number_at(p, "idle")),
    ("count(i: N[i]@busy) * 2 > A.x", lambda p: number_at(p, "busy") * 2 > p["A"].values["x"]),
    ("size(N[3].seen) = 2", lambda p: len(p["N[3]"].values["seen"]) == 2),
    ("A.x > 2", lambda p: False),
    ("count(i: N[i]@busy) >= 4", lambda p: False),
    ("count(i: N[i]@busy) >= 0", lambda p: True),
    ("1 = 1", lambda p: True),
    ('"N[2]"@idle', lambda p: p["N[2]"].name == "idle"),
    ('"N[2]".seen = {}', lambda p: not p["N[2]"].values["seen"]),
    ('A@"s{x=1, w=red}"', lambda p: p["A"].name == "s" and p["A"].values == {"x": 1, "w": "red"}),
]


@pytest.mark.parametrize(("text", "meant"), GOALS, ids=[text for text, _ in GOALS])
def test_a_goal_means_what_it_says(text: str, meant: Callable[[Places], Any]) -> None:
    assert isinstance(SYSTEM, DataSystem)
    goal = parse_goal(text, SYSTEM)
    states = [SYSTEM.data.local[name] for name in SYSTEM.names]
    for chosen in itertools.islice(itertools.product(*states), 0, None, 7):
        at = dict(zip(SYSTEM.names, chosen))
        places = {name: SYSTEM.data.local[name][state] for name, state in at.items()}
        assert holds(goal, at) == bool(meant(places)), at


def test_a_goal_is_shown_as_it_was_written() -> None:
    goal = parse_goal("two i, j:  N[i]@busy & N[j]@busy", SYSTEM)
    assert show(goal, READABLE) == "two i, j: N[i]@busy & N[j]@busy"
    assert '"N[1]"@' in show(goal), "for other tools in terms of the automata"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A@q", "A has no state 'q'"),
        ("A.q = 1", "A has no variable 'q'"),
        ("A.s = 1", "a state is written A@s"),
        ("A.x", "a goal is bool, and this is 0..2"),
        ("A.x = red", "0..2 is never equal to {red}"),
        ("A@s{x=red}", "'x' is 0..2"),
        ("N@busy", "N is a family"),
        ("N[4]@busy", "there is no N[4]"),
        ("A[1]@s", "A is no family"),
        ("some i: A@s", "'i' stands for no member here"),
        ("C@s", "unknown role 'C'"),
        ("A", "the role A alone is no goal"),
        ("A->B contains m(7)", "unknown message 'm(7)'"),
        ("A@s &", "expected an expression, found the end"),
        ("A@s A@t", "unexpected 'A'"),
    ],
)
def test_a_mistake_in_a_goal_has_its_sentence(text: str, said: str) -> None:
    with pytest.raises(InputError) as problem:
        parse_goal(text, SYSTEM)
    assert said in f"{problem.value.message} {problem.value.hint}"
