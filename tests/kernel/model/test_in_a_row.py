"""How many messages a role sends in a row: by the definition, and on roles whose rows are known."""

from __future__ import annotations

import random
from collections import Counter

import pytest

import stormproof as sp
from stormproof.kernel.model.actions import Action, Internal, Receive, Send
from stormproof.kernel.model.in_a_row import InARow, most_in_a_row
from stormproof.kernel.model.process import Process
from stormproof.oracle.in_a_row import in_a_row

#: What A does, and how many messages it sends to B in a row.
ROLES = {
    "a: B!x -> b  b: B?y -> c  c: B!x -> d  d: B!x -> e  e:": 2,
    "a: B!x -> b  b: C!x -> c  c: B!x -> d  d:": 2,
    "a: B!x -> b B!y -> c  b: B!x -> c  c: B?y -> a": 2,
    "a: B!x -> a": None,
    "a: internal think -> b  b: B!x -> a": None,
    "a: B!x -> b  b: timeout -> a B?y -> c  c:": 1,
    "a: B!x -> b  b: internal give_up -> a B?y -> c  c:": 1,
    "a: B!x -> b  b: timeout -> a": 1,
    "a: B!x -> b B?y -> a  b: B!x -> c B?y -> a  c: B?y -> b": 2,
    "a: B?y -> b  b: B!x -> c  c: B?y -> a": 1,
}


@pytest.mark.parametrize("role", ROLES)
def test_known_rows(role: str) -> None:
    others = "role B { a: A?x -> a A?y -> a A!y -> b  b: }  role C { a: A?x -> a }"
    system = sp.loads(f"role A {{ {role} }} {others}")
    assert in_a_row(system["A"], "B") == ROLES[role]
    assert most_in_a_row(system) == InARow("A", "B", ROLES[role])


def test_random_roles_agree_with_the_definition() -> None:
    met: Counter[int | None] = Counter()
    for seed in range(1_500):
        role = random_role(random.Random(seed))
        rows = {to: in_a_row(role, to) for to in ("B", "C")}
        longest = None if None in rows.values() else max(r or 0 for r in rows.values())
        found = most_in_a_row(sp.System([role, sp.Process("B", "b"), sp.Process("C", "c")]))
        met[longest] += 1
        if found is None:
            assert longest == 0, seed
        else:
            assert found.messages == longest == rows[found.receiver], seed
    assert min(met[n] for n in (None, 0, 1, 2, 3)) > 20, met


def random_role(rng: random.Random) -> Process:
    """Few ways lead back, so that most rows end."""
    rows = []
    for state in range(6):
        for _ in range(rng.choice((1, 1, 2))):
            target = rng.randrange(6) if rng.random() < 0.15 else min(state + rng.choice((1, 1, 2)), 6)
            rows.append((str(state), random_action(rng), str(target)))
    return Process("A", "0", rows)


def random_action(rng: random.Random) -> Action:
    kind, to = rng.random(), rng.choice(("B", "B", "B", "C"))
    if kind < 0.65:
        return Send(to, "x")
    return Receive(to, "y") if kind < 0.85 else Internal("wait", timeout=rng.random() < 0.5)
