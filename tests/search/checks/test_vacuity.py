"""What holds and says nothing is said beside the verdict, and so is an answer that an end has decided."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

import stormproof as sp
from stormproof.kernel.goals.vacuous import needed
from stormproof.kernel.model.ask import Ask
from stormproof.kernel.model.failures import NO_FAULTS
from stormproof.kernel.model.goal import And, At
from stormproof.kernel.model.requirement import NEVER, Claim, Requirement
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.languages.protocols import names
from stormproof.oracle.survival import answer
from stormproof.oracle.vacuous import is_impossible
from tests.support.random_systems import random_system

TEXT = """
role A { s: B!x -> t
         t: }
role B { s: A?x -> t
         t:
         u: A?x -> t }
"""
PENDING = "it says nothing: no combination of states makes it pending, whatever the channels hold"
NOTHING = "it says nothing: no combination of states satisfies its goal, whatever the channels hold"


def vacuous(line: str, text: str = TEXT, **failures: object) -> tuple[str, ...]:
    system = sp.loads(f"{text}\n{line}\n")
    report = sp.check(system, sp.Failures(**failures), classes=False)  # type: ignore[arg-type]
    verdict = next(v for v in report if v.requirement is not None)
    assert set(verdict.vacuous) <= set(verdict.notes)
    return verdict.vacuous


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("require never A@s & A@t", (NOTHING,)),
        ("require never at rest & A@s", (NOTHING,)),
        ("require never deadlock & A@s", (NOTHING,)),
        ("require never A->B contains x & A->B=[]", (NOTHING,)),
        ("require never A@s & !A@{s, t}", (NOTHING,)),
        ("require always possible A@s | A@t", ("it says nothing: every configuration satisfies its goal",)),
        ("require never B@u", ("it speaks of B@u, to which nothing leads",)),
        ("require never B@u & A@s", ("it speaks of B@u, to which nothing leads",)),
        (
            "require recovers under corrupt",
            ("corruption has no effect: no message has another to turn into",),
        ),
        ("require recovers under loss on B -> A", ("faults on B→A have no effect: nothing is sent there",)),
        (
            "require A@s & A@t leads to B@t",
            (PENDING,),
        ),
        (
            "require A@s leads to B@s | B@t | B@u",
            (PENDING,),
        ),
        ("require A@s leads to B@t", ()),
        ("require never A@s & B@t", ()),
        ("require never A->B=[x, x]", ()),
        ("require always possible at rest", ()),
        ("require recovers", ()),
    ],
)
def test_what_says_nothing(line: str, said: tuple[str, ...]) -> None:
    assert vacuous(line) == said


def test_a_stop_is_one_more_state() -> None:
    """Not every configuration satisfies the goal where a role may be nowhere in it."""
    assert vacuous("require always possible A@s | A@t", stop="A") == ()


def test_a_stop_leads_to_where_a_role_has_stopped() -> None:
    assert vacuous("require B@stopped leads to A@t", stop="B") == ()
    absent = ("it speaks of B@stopped, to which nothing leads",)
    assert vacuous("require never B@stopped & A@s") == absent
    assert absent[0] in vacuous("require B@stopped leads to A@t", stop="A")


#: B is in `lost` only after a loss, and then A has given up.
LOST = """
role A { s: B!x -> t
         t: B!y -> u
         u: }
role B { s: A?x -> t
            A?y -> lost
         t: A?y -> u
         u:
         lost: }
require mutex: never A@s & B@lost
"""


def test_what_no_run_reaches() -> None:
    assert vacuous("", LOST) == ("no run reaches B@lost, without which it cannot be violated",)
    assert vacuous("", LOST, loss=True) == ()
    alone = LOST.replace("A@s & B@lost", "B@lost")
    assert vacuous("", alone) == (), "that is what is required"


def test_what_should_lead_elsewhere_and_is_never_reached() -> None:
    text = LOST.replace("never A@s & B@lost", "B@lost leads to B@u")
    assert vacuous("", text) == ("vacuous: no run that was explored makes it pending",)


def test_what_is_violated_says_something() -> None:
    system = sp.loads(f"{TEXT}\nrequire never A@t & B@s under corrupt\n")
    report = sp.check(system, classes=False)
    assert report.verdicts[0].holds is False and report.vacuous == ()


def test_parts_of_a_conjunction_are_needed() -> None:
    system = sp.loads(f"{TEXT}\nrequire never A@s & (B@t | !(B@s | A@t))\nrequire never A@s | B@t\n")
    first, second = (tuple(needed(r.claim).values()) for r in system.requirements)
    assert first == (At("A", ("s",)), At("B", ("t",))) and second == ()


def test_random_requirements_are_judged_as_by_the_definitions() -> None:
    """`never P@s & Q@t`: vacuous exactly where no state, or no run, has a part of it."""
    found = 0
    for seed in range(120):
        rng = random.Random(seed)
        system = random_system(rng)
        parts = [At(p.name, (rng.choice(p.states),)) for p in rng.choices(system.processes, k=2)]
        if len(system.names) > 3 or parts[0] == parts[1]:
            continue
        claim = Claim(NEVER, And(tuple(parts)))
        system = replace(system, requirements=(Requirement(claim),))
        report = sp.check(system, k=1, properties=[system.requirements[0].title])
        verdict = report.verdicts[0]
        model = SurvivalModel(system, NO_FAULTS, rest_states(system))
        unreached = any(answer(model, Ask(False, part), 1).holds for part in parts)
        impossible = is_impossible(model, claim.goal, 0) if claim.goal is not None else False
        expected = bool(verdict.holds) and (unreached or impossible)
        assert bool(verdict.vacuous) == expected, f"seed {seed}: {verdict} {verdict.vacuous}"
        found += expected
    assert found > 10


# ---- faults ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("failures", "said"),
    [
        ({"corrupt": True}, "corruption has no effect: no message has another to turn into"),
        ({"corrupt": ["A->B"]}, "corruption has no effect: no message has another to turn into"),
        ({"reorder": True}, "reordering has no effect: all messages are the same"),
        ({"duplicate": ["B->A"]}, "faults on B→A have no effect: nothing is sent there"),
        ({"restart": "B"}, "a restart of B has no effect: it is where it restarts, or has ended"),
        ({"loss": True}, ""),
        ({"duplicate": True}, ""),
        ({"stop": "A"}, ""),
    ],
)
def test_faults_that_change_nothing(failures: dict[str, object], said: str) -> None:
    report = sp.check(sp.loads(TEXT), sp.Failures(**failures), classes=False)  # type: ignore[arg-type]
    assert report.without_effect == ((said,) if said else ())
    assert set(report.without_effect) <= set(report.notes) and report.vacuous == report.without_effect


def test_faults_that_a_file_declares() -> None:
    assert sp.check(sp.loads(f"faults A -> B: reorder\n{TEXT}")).without_effect == (
        "reordering has no effect: all messages are the same",
    )
    several = "role A { s: B!x -> t\n t: B!y -> u\n u: B?z -> v\n v: }\n" + (
        "role B { s: A?x -> t\n t: A?y -> u\n u: A!z -> v\n v: }\n"
    )
    assert sp.check(sp.loads(f"faults *: corrupt\n{several}")).without_effect == (), "one channel suffices"
    assert sp.check(sp.loads(f"faults B -> A: corrupt\n{several}")).without_effect == (
        "corruption on B→A has no effect: no message has another to turn into",
    )


# ---- ends ------------------------------------------------------------------------------------------------

ENDS = "B does not restart after the end (definitions 11.2); otherwise this would be violated"


def test_an_end_that_decides_is_said() -> None:
    """B has done its work; if it restarted, it would wait for the message again."""
    report = sp.check(sp.loads(TEXT), sp.Failures(restart="B"), classes=False)
    assert report["recovers"].holds and ENDS in report["recovers"].notes
    assert all("after the end" not in note for note in report["clean"].notes)


def test_an_end_that_decides_nothing_is_not_said() -> None:
    again = TEXT.replace("t:\n         u: A?x -> t", "t: A?x -> t\n         u: A?x -> t")
    report = sp.check(sp.loads(again), sp.Failures(restart="B"), classes=False)
    assert all("after the end" not in note for v in report for note in v.notes)


# ---- everywhere ------------------------------------------------------------------------------------------


def test_the_library_says_something() -> None:
    from stormproof.languages.formats.storm_places import NoPlaces
    from stormproof.tell.lint.vacuous import vacuous_warnings

    for name in names():
        assert list(vacuous_warnings(sp.protocol(name), NoPlaces(name))) == [], name


def test_texts_and_json_have_it() -> None:
    report = sp.check(sp.loads(f"{TEXT}\nrequire a: never A@s & A@t\n"), sp.Failures(reorder=True))
    assert NOTHING in str(report) and "note: reordering has no effect" in str(report)
    assert str(report["a"]).endswith(f"; {NOTHING}")
    data = json.loads(json.dumps(report.to_json()))
    assert data["without_effect"] == ["reordering has no effect: all messages are the same"]
    row = next(v for v in data["verdicts"] if v["property"] == "a")
    assert row["vacuous"] == [NOTHING] and NOTHING in row["notes"]
    assert NOTHING in sp.report_page(report.system, {"asked": report})
