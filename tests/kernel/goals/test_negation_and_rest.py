"""Negation, `at rest` and `deadlock` in goals; hints for other notations, which never change the meaning."""

from __future__ import annotations

import random

import pytest

from stormproof.errors import ParseError, UsageError
from stormproof.kernel.goals.cubes import cubes
from stormproof.kernel.goals.parse import parse_goal
from stormproof.kernel.model.actions import Channel
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.goal import AT_REST, And, At, Contains, Goal, Holds, Named, Not, Or, rename, show
from stormproof.kernel.model.goal_forms import normal_form
from stormproof.languages import formats
from stormproof.search.reachability.answer import REACHABLE, UNDECIDED, UNREACHABLE
from stormproof.search.reachability.api import reach

SYSTEM = formats.loads(
    """
    role Buyer { ask: Shop!order -> wait  wait: Shop?price -> done  done: }
    role Shop { idle: Buyer?order -> decide  decide: Buyer!price -> end }
    """
)
FORTH = Channel("Buyer", "Shop")
DONE, IDLE = At("Buyer", ("done",)), At("Shop", ("idle",))
ATOMS: list[Goal] = [DONE, IDLE, AT_REST, Holds(FORTH, ()), Contains(FORTH, "order")]


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("!Buyer@done", Not(DONE)),
        ("! ! Buyer@done", Not(Not(DONE))),
        ("not Buyer@done", Not(DONE)),
        ("!Buyer@done & Shop@idle", And((Not(DONE), IDLE))),
        ("!(Buyer@done & Shop@idle)", Not(And((DONE, IDLE)))),
        ("Buyer@done | !Shop@idle & at rest", Or((DONE, And((Not(IDLE), AT_REST))))),
        ("at rest", AT_REST),
        ("! at  rest", Not(AT_REST)),
        ("!Buyer->Shop contains order", Not(Contains(FORTH, "order"))),
        ("!Buyer->Shop=[]", Not(Holds(FORTH, ()))),
        ("deadlock-for-good", Named("deadlock-for-good")),
    ],
)
def test_reads_and_shows(text: str, goal: Goal) -> None:
    assert parse_goal(text, SYSTEM) == goal
    assert parse_goal(show(goal), SYSTEM) == goal


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("Buyer@done && Shop@idle", "'&&' is written '&'", None),
        ("Buyer@done || Shop@idle", "'||' is written '|'", None),
        ("Buyer.done", "unknown name 'Buyer.done'", "write Buyer@done"),
        ("Buyer:done", "unknown name 'Buyer:done'", "write Buyer@done"),
        ("Buyer=done", "'Buyer=done' is not a goal", "write Buyer@done"),
        ("Buyer == done", "'Buyer==done' is not a goal", "write Buyer@done"),
        ("Buyer in done", "'Buyer in done' is not a goal", "write Buyer@done"),
        ("Buyer@done, Shop@idle", "a goal has no ','", "join two goals with & or |"),
        ("Buyer != done", "'Buyer!=done' is not a goal", "write !Buyer@done"),
        ("Buyer@!done", "a state of Buyer is expected, not '!'", "write !Buyer@state"),
        ("~Buyer@done", "unknown role '~Buyer'", "negation is written '!'"),
        ("~deadlock", "unknown name '~deadlock'", "negation is written '!'"),
        ("!Buyer@don", "Buyer has no state 'don'", "did you mean 'done'?"),
        ("!", "a role, a channel or one of", None),
        ("at res", "unknown name 'at'", None),
        ("!" * 200 + "Buyer@done", "nested more than 100 deep", None),
    ],
)
def test_other_notations_get_the_right_hint(text: str, message: str, hint: str | None) -> None:
    with pytest.raises(ParseError) as caught:
        parse_goal(text, SYSTEM)
    assert message in caught.value.message
    if hint is not None:
        assert caught.value.hint == hint


def test_roles_may_be_called_like_the_words_of_the_language() -> None:
    system = formats.loads("role not { rest: at!rest -> rest }\nrole at { rest: not?rest -> rest }")
    assert parse_goal("not@rest & at@rest & at rest", system) == And(
        (At("not", ("rest",)), At("at", ("rest",)), AT_REST)
    )
    assert parse_goal("not not->at=[rest]", system) == Not(Holds(Channel("not", "at"), ("rest",)))


def test_the_crash_message_is_bare_and_a_message_of_that_name_is_quoted() -> None:
    system = formats.loads('role A { s: B!"crash" -> t  t: B!crash -> u  u: }\nrole B { s: A?crash -> s }')
    for text in ("A->B contains crash", 'A->B contains "crash"', 'A->B=["crash", ⚡]'):
        assert parse_goal(show(parse_goal(text, system)), system) == parse_goal(text, system)
    assert parse_goal("A->B contains crash", system) != parse_goal('A->B contains "crash"', system)


def random_goal(rng: random.Random, depth: int = 4) -> Goal:
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(ATOMS)
    if rng.random() < 0.4:
        return Not(random_goal(rng, depth - 1))
    kind: type[And] | type[Or] = rng.choice((And, Or))
    return kind(tuple(random_goal(rng, depth - 1) for _ in range(rng.choice((2, 2, 3)))))


def truth(goal: Goal, atoms: dict[Goal, bool]) -> bool:
    if isinstance(goal, Not):
        return not truth(goal.part, atoms)
    if isinstance(goal, And | Or):
        return (all if isinstance(goal, And) else any)(truth(part, atoms) for part in goal.parts)
    return atoms[goal]


def test_the_normal_form_means_the_same_and_texts_come_back() -> None:
    for seed in range(500):
        rng = random.Random(seed)
        goal = random_goal(rng)
        normal = normal_form(goal)
        assert "!(" not in show(normal) and "!!" not in show(normal)
        atoms = {atom: rng.random() < 0.5 for atom in ATOMS}
        assert truth(goal, atoms) is truth(normal, atoms), f"seed {seed}"
        again = parse_goal(show(goal), SYSTEM)
        assert truth(again, atoms) is truth(goal, atoms) and show(again) == show(goal), f"seed {seed}"


def test_renaming_reaches_every_part() -> None:
    goal = parse_goal("!Buyer@done & (Buyer->Shop=[order] | !Buyer->Shop contains order) & at rest", SYSTEM)
    renamed = rename(goal, {"Buyer": "B"}, {"order": "o"})
    assert show(renamed) == "!B@done & (B->Shop=[o] | !B->Shop contains o) & at rest"


def test_a_deadlock_is_no_rest() -> None:
    """Everybody may wait for good in a rest state; elsewhere waiting without a calm step is a deadlock."""
    assert reach(SYSTEM, "deadlock").answer == UNREACHABLE
    assert reach(SYSTEM, "deadlock", Failures(loss=True)).answer == REACHABLE
    assert reach(SYSTEM, "at rest & Buyer@done").answer == REACHABLE
    loop = "role A { s: B!m -> s }\nrole B { s: A?m -> s }"
    assert reach(formats.loads(loop), "deadlock", Failures(loss=True)).answer == UNREACHABLE


def test_a_fault_that_would_help_does_not_end_a_deadlock() -> None:
    order = formats.loads("role A { s: B!x -> t  t: B!y -> u  u: }\nrole B { s: A?x -> t  t: A?y -> u  u: }")
    assert reach(order, "deadlock", Failures(reorder=True)).answer == REACHABLE
    assert reach(order, "deadlock-for-good", Failures(reorder=True)).answer == UNREACHABLE


def test_a_final_state_that_is_declared_no_rest_state_is_a_deadlock() -> None:
    text = "role A { s: B!m -> lost  lost: }\nrole B { s: A?m -> s }\n"
    assert reach(formats.loads(text), "deadlock").answer == UNREACHABLE
    assert reach(formats.loads(text + "rest A@s"), "deadlock").answer == REACHABLE


def test_a_timer_ends_no_deadlock_since_there_is_none() -> None:
    text = "role A { s: B!m -> w  w: B?a -> end  timeout -> s }\nrole B { s: A?m -> t  t: A!a -> s }"
    assert reach(formats.loads(text), "deadlock", Failures(loss=True)).answer == UNREACHABLE


def test_what_a_goal_excludes_is_met_by_a_run_proved_without_or_left_undecided() -> None:
    assert reach(SYSTEM, "Buyer@wait & !Buyer->Shop=[order, order]").answer == REACHABLE
    assert reach(SYSTEM, "Buyer@ask & Shop@decide & !Buyer->Shop contains order").answer == UNREACHABLE
    system = formats.loads("role A { s: B!a -> s  B!b -> s }\nrole B { s: A?a -> s }")
    answer = reach(system, "A->B contains a & !A->B contains a")
    assert answer.answer == UNREACHABLE
    answer = reach(system, "A@s & !A->B=[] & !A->B=[a] & !A->B=[b]")
    assert answer.answer in (REACHABLE, UNDECIDED)


def test_the_negation_of_a_deadlock_for_good_is_refused() -> None:
    with pytest.raises(UsageError, match="not decided"):
        cubes(Not(Named("deadlock-for-good")), SYSTEM, Failures().on(SYSTEM))
