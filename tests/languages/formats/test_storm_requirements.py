"""Requirements in the .storm language and in JSON: what they mean, and what is refused."""

from __future__ import annotations

import json
import logging
import random
from dataclasses import replace

import pytest

import stormproof as sp
from stormproof.errors import InputError, ModelError
from stormproof.kernel.equivalence.compare import compare
from stormproof.kernel.goals.parse import parse_goal
from stormproof.kernel.model.actions import Channel
from stormproof.kernel.model.goal import And, At, Contains, Goal, Holds, Named, Not, Or
from stormproof.kernel.model.requirement import Claim, Requirement, Under
from stormproof.kernel.model.system import System
from stormproof.languages import formats
from tests.support.equality import rename_states, same_up_to_states
from tests.support.odd_systems import odd_system, with_declarations

ROLES = """
role A { s: B!m(int) -> t  B!n -> t  t: B?ok -> s }
role B { s: A?m(int) -> t  A?n -> t  t: A!ok -> s }
role C { s: }
"""
LOSS_AB = sp.ChannelFaults("A", "B", loss=True)


def read(line: str) -> Requirement:
    (found,) = formats.loads(ROLES + line, "storm").requirements
    return found


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("require recovers", Requirement(Claim("recovers"))),
        ("require tidy: clean", Requirement(Claim("clean"), "tidy")),
        ("require never A@t & B@t", Requirement(Claim("never", And((At("A", ("t",)), At("B", ("t",))))))),
        (
            'require "my name": always possible A@{s, t} | !at rest',
            Requirement(
                Claim("always possible", Or((At("A", ("s", "t")), Not(Named("at rest"))))), "my name"
            ),
        ),
        (
            "require never A -> B contains m(int)",
            Requirement(Claim("never", Contains(Channel("A", "B"), "m(int)"))),
        ),
        ("require never B->A=[ok, ok]", Requirement(Claim("never", Holds(Channel("B", "A"), ("ok", "ok"))))),
        (
            "require served: A@t leads to B->A contains ok | at rest under none",
            Requirement(
                Claim(
                    "leads to",
                    Or((Contains(Channel("B", "A"), "ok"), Named("at rest"))),
                    after=At("A", ("t",)),
                ),
                "served",
                under=Under(),
            ),
        ),
        (
            "require !(A@s & at rest) leads to A@t",
            Requirement(
                Claim("leads to", At("A", ("t",)), after=Not(And((At("A", ("s",)), Named("at rest")))))
            ),
        ),
        (
            "require deadlock leads to A@stopped",
            Requirement(Claim("leads to", At("A", ("stopped",)), after=Named("deadlock"))),
        ),
        ("require k-mc at 2", Requirement(Claim("k-mc", k=2))),
        ("require x: rsc under none", Requirement(Claim("rsc"), "x", under=Under())),
        ("require recovers under loss on A -> B", Requirement(Claim("recovers"), under=Under((LOSS_AB,)))),
        (
            "expect violated known: recovers under loss, crash C",
            Requirement(
                Claim("recovers"),
                "known",
                violated=True,
                under=Under((LOSS_AB, sp.ChannelFaults("B", "A", loss=True)), crash=("C",)),
            ),
        ),
        (
            "require clean under reorder on A -> B and B -> A, crash A and C,"
            " at most 2 loss faults, at most 3 faults",
            Requirement(
                Claim("clean"),
                under=Under(
                    (sp.ChannelFaults("A", "B", reorder=True), sp.ChannelFaults("B", "A", reorder=True)),
                    crash=("A", "C"),
                    at_most=(("loss", 2), (None, 3)),
                ),
            ),
        ),
        (
            "require clean under corrupt(n => m(int)) on A -> B, duplicate on A <-> B",
            Requirement(
                Claim("clean"),
                under=Under(
                    (
                        sp.ChannelFaults(
                            "A", "B", corrupt=sp.Corruption(pairs=(("n", "m(int)"),)), duplicate=True
                        ),
                        sp.ChannelFaults("B", "A", duplicate=True),
                    )
                ),
            ),
        ),
    ],
)
def test_what_is_read_and_written_back(line: str, expected: Requirement) -> None:
    assert read(line) == expected
    system = formats.loads(ROLES + line, "storm")
    for language in ("storm", "json"):
        assert formats.loads(formats.dumps(system, language), language).requirements == (expected,)
    text = formats.dumps(system, "storm")
    assert formats.fmt(text) == text
    assert read(line).line == 1 + ROLES.count("\n")


def test_several_requirements_stand_anywhere_and_may_name_roles_that_follow() -> None:
    text = "require a: never A@t\n" + ROLES + "require b: recovers under loss require clean\nrest A@s"
    system = formats.loads(text)
    assert [r.title for r in system.requirements] == ["a", "b", "clean"]
    assert system["A"].rest == ("s",)


def test_the_words_of_requirements_are_not_reserved() -> None:
    text = """
    role require {
      never: under!crash -> always
             under!loss -> at
      always: internal require -> under
      at: timeout most -> under
      under:
    }
    role under { expect: require?loss -> violated  violated: }
    require never: never require@never & under@{expect, violated} under crash under, loss on require -> under
    require require: always possible require@at | at rest
    expect violated under: recovers under loss
    """
    system = formats.loads(text)
    assert [r.name for r in system.requirements] == ["never", "require", "under"]
    assert system.requirements[0].under == Under(
        (sp.ChannelFaults("require", "under", loss=True),), crash=("under",)
    )
    again = formats.loads(formats.fmt(text))
    assert again == system and formats.loads(formats.dumps(system, "storm")) == system


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("require nver A@t", ["x.storm:2:9: 'nver' is not a claim", "did you mean 'never'?"]),
        ("require recover", ["'recover' is not a claim", "did you mean 'recovers'?"]),
        ("require", ["expected never, always possible, GOAL leads to GOAL, recovers, clean or a property"]),
        ("require never", ["a role, a channel or one of", "the goal ends here"]),
        ("require never A@tt", ["x.storm:2:17: A has no state 'tt'", "did you mean 't'?"]),
        ("require never AA@t", ["x.storm:2:15: unknown role 'AA'"]),
        ("require never A.t", ["'A.t' is not a goal", "write A@t"]),
        ("require never A@s && B@s", ["'&&' is written '&'"]),
        ("require never A@s, B@s", ["a goal has no ','", "join two goals with & or |"]),
        ("require always A@s", ["expected 'possible'"]),
        ("require A@s", ["expected 'leads to' and another goal", "a goal alone is no claim"]),
        ("require A@s lead to A@t", ["'lead' stands where 'leads to' is expected", "did you mean 'leads'?"]),
        ("require A@s leads B@t", ["expected 'to', found 'B'"]),
        ("require A@s leads to", ["a role, a channel or one of", "the goal ends here"]),
        ("require A@x leads to B@t", ["x.storm:2:11: A has no state 'x'"]),
        ("require A@s leads to B@x", ["x.storm:2:24: B has no state 'x'"]),
        ("require leads to B@t", ["'leads' is not a claim", "Client@asked leads to"]),
        ("require k-mc at 0", ["the bound k is a number from 1"]),
        ("require k-mc at two", ["expected the bound k, found 'two'"]),
        ("require x: clean\nrequire x: recovers", ["x.storm:3:9: two requirements are called 'x'", "line 2"]),
        ("expect violated clean", ["expected 'under'", "an expected violation says under which failures"]),
        ("expect clean under loss", ["expected 'violated'"]),
        ("require clean under los", ["expected a failure, found 'los'", "did you mean 'loss'?"]),
        ("require clean under loss on A", ["expected '->' or '<->'"]),
        ("require clean under loss on A -> X", ["x.storm:2:34: unknown role 'X'"]),
        ("require clean under crash X", ["x.storm:2:27: unknown role 'X'"]),
        ("require clean under stop X", ["unknown role 'X'"]),
        ("require clean under restart X", ["unknown role 'X'"]),
        ("require clean under at most faults", ["expected the number of faults"]),
        ("require clean under at most 2 losses", ["expected 'faults', found 'losses'"]),
    ],
)
def test_mistakes_are_shown_with_their_place(line: str, parts: list[str]) -> None:
    roles = ROLES.replace("\n", " ").strip()
    with pytest.raises(InputError) as caught:
        formats.loads(f"{roles}\n{line}", "storm", "x.storm")
    for part in parts:
        assert part in str(caught.value), str(caught.value)


@pytest.mark.parametrize(
    ("row", "part"),
    [
        ({"claim": "never"}, "'never' needs a goal"),
        ({"claim": "clean", "goal": "A@s"}, "'clean' has no goal"),
        ({"claim": "leads to", "goal": "A@s"}, "'leads to' needs 'after'"),
        ({"claim": "never", "goal": "A@s", "after": "A@s"}, "'never' has no 'after'"),
        (
            {"claim": "leads to", "goal": "A@s", "after": "A@x"},
            "A has no state 'x', in requirements[0].after",
        ),
        ({"claim": "never", "goal": "A@x"}, "A has no state 'x', in requirements[0].goal"),
        ({"claim": "clean", "violated": True}, "under which failures"),
        (
            {"claim": "clean", "under": {"crash": ["X"]}},
            "unknown process 'X', in requirements[0].under.crash[0]",
        ),
        ({"claim": "clean", "under": {"at_most": [{"number": -1}]}}, "a number, 0 or more"),
        ({"claim": "clean", "under": {"at_most": [{"kind": "x", "number": 1}]}}, "a kind of fault is one of"),
        ({"claim": "clean", "under": {"halt": ["A"]}}, "unknown key 'halt', in requirements[0].under"),
        ({"claim": "k-mc", "k": True}, "a number, 1 or more"),
        ({"name": 3, "claim": "clean"}, "a name is a string"),
    ],
)
def test_json_is_refused_in_words(row: dict[str, object], part: str) -> None:
    data = json.loads(formats.dumps(formats.loads(ROLES), "json"))
    data["requirements"] = [row]
    with pytest.raises(InputError) as caught:
        formats.loads(json.dumps(data), "json")
    assert part in caught.value.message


def test_an_unknown_key_is_not_said_to_be_in_itself() -> None:
    with pytest.raises(InputError) as caught:
        formats.loads('{"a": 1}', "json")
    assert caught.value.message == "unknown key 'a'"


def random_goal(rng: random.Random, system: System, depth: int = 2) -> Goal:
    if depth and rng.random() < 0.5:
        parts = tuple(random_goal(rng, system, depth - 1) for _ in range(2))
        return And(parts) if rng.random() < 0.5 else Or(parts)
    if rng.random() < 0.3:
        return Not(random_goal(rng, system, depth))
    if system.channels and rng.random() < 0.5:
        channel = rng.choice(system.channels)
        message = rng.choice(system.alphabet(channel))
        contents: list[Goal] = [Contains(channel, message), Holds(channel, (message,)), Holds(channel, ())]
        return rng.choice(contents)
    process = rng.choice(system.processes)
    others: list[Goal] = [At(process.name, process.states[:2]), Named("deadlock"), Named("at rest")]
    return rng.choice(others)


def random_requirement(rng: random.Random, system: System, name: str) -> Requirement:
    what = rng.choice(["never", "always possible", "leads to", "recovers", "clean", "k-mc"])
    goal = random_goal(rng, system) if what in ("never", "always possible", "leads to") else None
    after = random_goal(rng, system) if what == "leads to" else None
    k = rng.choice([None, 3]) if what == "k-mc" else None
    faults = tuple(f for f in system.faults if rng.random() < 0.5)
    crash = tuple(n for n in system.names if rng.random() < 0.3)
    at_most = tuple((kind, rng.randint(0, 3)) for kind in (None, "loss") if rng.random() < 0.3)
    under = rng.choice([None, Under(faults, crash, at_most=at_most)])
    return Requirement(Claim(what, goal, k, after), name, under is not None and rng.random() < 0.3, under)


def requiring(seed: int) -> System:
    rng = random.Random(seed)
    system = with_declarations(rng, odd_system(rng))
    names = rng.sample(["", "a", "two words", "never", 'say "hi"'], 3)
    return replace(system, requirements=tuple(random_requirement(rng, system, name) for name in names))


def test_random_requirements_come_back() -> None:
    for seed in range(300):
        system = requiring(seed)
        for language in ("storm", "json"):
            text = formats.dumps(system, language)
            again = formats.loads(text, language)
            assert again.requirements == system.requirements, f"seed {seed}:\n{text}"
            assert same_up_to_states(system, again) and compare(system, again).equal is True, f"seed {seed}"
        text = formats.dumps(system, "storm")
        assert formats.fmt(text) == text, f"seed {seed}"


def test_renaming_reaches_requirements() -> None:
    for seed in range(100):
        system = requiring(seed)
        there = {name: f"{name}!" for name in system.names}
        letters = {m: f"{m}!" for m in system.messages}
        moved = system.rename(there, letters)
        back = moved.rename({v: k for k, v in there.items()}, {v: k for k, v in letters.items()})
        assert back.requirements == system.requirements, f"seed {seed}"
        assert all(set(r.processes) <= set(moved.names) for r in moved.requirements)


def test_requirements_count_in_comparisons() -> None:
    one, other = (formats.loads(ROLES + line) for line in ("require a: never A@t", "require a: never A@s"))
    assert not same_up_to_states(one, other)
    assert [d.kind for d in compare(one, other).differences] == ["requirements"]
    third = formats.loads(ROLES)
    assert [d.sentence for d in compare(one, third).differences] == [
        "the first requires a, which the second does not"
    ]
    renamed = replace(
        one,
        processes=tuple(rename_states(p, {"s": "x", "t": "y"}) for p in one.processes),
        requirements=(Requirement(Claim("never", At("A", ("y",))), "a"),),
    )
    assert same_up_to_states(one, renamed) and compare(one, renamed)


def test_other_languages_leave_requirements_out_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "stormproof"):
        formats.dumps(formats.loads(ROLES + "require clean"), "dot")
    assert [r.getMessage() for r in caplog.records] == ["dot has no requirements, which are left out"]


def test_a_system_refuses_unknown_roles_and_names_that_occur_twice() -> None:
    system = formats.loads(ROLES)
    with pytest.raises(ModelError, match="unknown process 'X'"):
        replace(system, requirements=(Requirement(Claim("never", At("X", ("s",)))),))
    twice = (Requirement(Claim("clean"), "a"), Requirement(Claim("recovers"), "a"))
    with pytest.raises(ModelError, match="two requirements are called 'a'"):
        replace(system, requirements=twice)
    assert parse_goal("A@s", system) == At("A", ("s",))


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("eventually A@t", "error: 'eventually' is not a claim"),
        ("F (A@t)", "'F' is not a claim"),
        ("G A@t", "require never !Client@done"),
        ("EF A@t", "stormproof reach FILE GOAL"),
        ("always eventually A@t", "expected 'possible', found 'eventually'"),
        ("always A@t", "what must hold in every configuration is: require never !A@done"),
        ("never eventually A@t", "a goal has no 'eventually'"),
        ("always possible A@t & eventually (A@s)", "a goal has no 'eventually'"),
    ],
)
def test_temporal_words_get_a_way_out(claim: str, said: str) -> None:
    text = f"role A {{ s: B!x -> t\n t: }}\nrole B {{ s: A?x -> t\n t: }}\n\n\nrequire a: {claim}\n"
    with pytest.raises(InputError) as caught:
        sp.loads(text)
    assert said in caught.value.report()
    assert caught.value.hint and "require" in caught.value.hint


def test_a_role_and_a_property_may_be_called_like_such_a_word() -> None:
    text = "role F { s: eventually!x -> t\n t: }\nrole eventually { s: F?x -> t\n t: }\n"
    goal = "F@t & eventually@s & F->eventually=[]"
    system = sp.loads(f"{text}require never {goal}\nrequire until\nrequire once at 2\n")
    assert str(system.requirements[0].claim) == f"never {goal}"
    assert [r.claim.what for r in system.requirements] == ["never", "until", "once"]
