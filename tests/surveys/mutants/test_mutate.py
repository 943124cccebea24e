"""Mutants whose fate is known."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

import stormproof as sp
from stormproof.errors import UsageError
from stormproof.languages.formats import system_from_json, system_to_json
from stormproof.languages.formats.storm_places import read_with_places
from stormproof.surveys.mutants.judge import MutantFate
from stormproof.surveys.mutants.operators import OPERATORS, mutants, written
from stormproof.surveys.mutants.result import MutantResult

#: A client that asks again, and a server that answers yes or no.
OFFER = """protocol offer
faults Client <-> Server: loss
role Client {
  ask: Server!ask -> wait
  wait: Server?yes -> served
        Server?no -> refused
        timeout -> ask
  served: Server?yes -> served
          Server?no -> served
  refused: Server?yes -> refused
           Server?no -> refused
}
service role Server {
  idle: Client?ask -> decide
  decide: Client!yes -> idle
          Client!no -> idle
}
"""


def offer(*requirements: str) -> sp.System:
    return sp.loads(OFFER + "\n".join(requirements), format="storm")


def mutated(system: sp.System, *operators: str) -> dict[str, MutantResult]:
    return {
        f"{r.state}: {r.words.partition(': ')[2]}": r for r in sp.mutate(system, operators=operators, jobs=1)
    }


def test_each_operator_makes_what_it_says() -> None:
    """Counted by hand: 11 transitions, 3 of them sends and one a timer; each leads to one of the other states
    of its role (3 of the client, 1 of the server). Where yes and no are exchanged nothing is different."""
    made = Counter(m.operator for m in mutants(offer()))
    assert made == {"delete": 10, "timer": 1, "redirect": 8 * 3 + 3, "skip": 3, "twice": 3}
    swapped = [m.process.transitions for m in mutants(sp.protocol("lock")) if m.operator == "swap"]
    assert [[str(t) for t in rows if "!" in str(t)] for rows in swapped] == [
        ["idle --Lock!release--> wait", "holding --Lock!acquire--> done", "release --Lock!release--> done"],
        ["idle --Lock!release--> wait", "holding --Lock!release--> done", "release --Lock!acquire--> done"],
    ] * 2
    assert {*made, "swap"} == OPERATORS.keys()


def test_a_mutant_differs_in_its_role_only() -> None:
    system = offer()
    for mutant in mutants(system):
        changed = mutant.of(system)
        assert [p for p in changed if p.name != mutant.role] == [p for p in system if p.name != mutant.role]
        assert changed[mutant.role].transitions != system[mutant.role].transitions
        assert mutant.transition in system[mutant.role].transitions
        assert changed.requirements == system.requirements and changed.faults == system.faults


def test_a_send_that_is_repeated_is_sent_from_a_new_state() -> None:
    (twice, *_) = (m for m in mutants(offer()) if m.operator == "twice")
    rows = [t for t in twice.process.transitions if "again" in t.source + t.target]
    assert [(t.source, str(t.action), t.target) for t in rows] == [
        ("ask", "Server!ask", "ask again"),
        ("ask again", "Server!ask", "wait"),
    ]


def test_what_nobody_requires_survives() -> None:
    found = mutated(offer(), "delete", "timer", "skip")
    assert found["wait: without `timeout -> ask`"].by == "recovers"
    assert {name for name, r in found.items() if r.status is MutantFate.SURVIVES} == {
        "ask: without `Server!ask -> wait`",
        "decide: without `Client!yes -> idle`",
        "decide: `Client!yes` is skipped",
        "decide: without `Client!no -> idle`",
        "decide: `Client!no` is skipped",
    }


def test_a_requirement_and_an_expected_violation_notice() -> None:
    found = mutated(
        offer(
            "require served: always possible Client@served | Client@refused",
            "expect violated yes: never Client@served under none",
        ),
        "delete",
    )
    assert found["ask: without `Server!ask -> wait`"].by == "served"
    assert found["decide: without `Client!yes -> idle`"].by == "yes"
    assert found["decide: without `Client!no -> idle`"].status is MutantFate.SURVIVES


def test_what_the_protocol_itself_violates_notices_nothing() -> None:
    system = offer("require never-served: never Client@served")
    result = sp.mutate(system, operators=["delete"], jobs=1)
    assert ("never-served", False) in result.requirements
    assert all(r.by != "never-served" for r in result)
    assert result.notes == ("never-served is violated for the protocol itself, so it notices nothing",)


UNUSED = """protocol unused
faults A -> B: loss
role A { s: B!m -> t
  t: timeout -> s
     B?never -> s }
service role B { r: A?m -> r
  A?other -> r }
rest A@t, B@r
"""


def test_what_never_happens_is_equal_in_channels_that_grow_without_end() -> None:
    """The sender repeats for ever; nobody sends `never` or `other`, so their receptions are never taken."""
    result = sp.mutate(sp.loads(UNUSED, format="storm"), operators=["delete"], jobs=1)
    fate = {r.mutant.transition.action.message: r.status for r in result}  # type: ignore[union-attr]
    assert fate["never"] is MutantFate.EQUAL and fate["other"] is MutantFate.EQUAL
    assert MutantFate.EQUAL not in (fate["m"],)


def test_two_states_that_do_the_same_are_equal_unless_a_requirement_tells_them_apart() -> None:
    text = """protocol twins
role A { s: B!m -> left
            B!n -> right
  left: B?ok -> end
  right: B?ok -> end
  end: }
role B { r: A?m -> w
            A?n -> w
  w: A!ok -> done
  done: }
"""
    name = "s: `B!m` leads to right instead of left"
    assert mutated(sp.loads(text, format="storm"), "redirect")[name].status is MutantFate.EQUAL
    told = text + "expect violated left: never A@left under none\n"
    assert mutated(sp.loads(told, format="storm"), "redirect")[name].by == "left"


def test_a_requirement_that_one_goal_leads_to_another_counts_like_the_others() -> None:
    leads = offer("require answered: Client@ask leads to Client@{served, refused}")
    found = mutated(leads, "delete")
    assert found["ask: without `Server!ask -> wait`"].by == "answered"
    assert found["decide: without `Client!yes -> idle`"].status is MutantFate.SURVIVES


def test_lines_are_those_of_the_transitions() -> None:
    system, places = read_with_places(OFFER, "offer.storm")
    for result in sp.mutate(system, operators=["delete", "timer"], jobs=1, places=places):
        assert result.line is not None
        assert written(result.mutant.transition) in OFFER.splitlines()[result.line - 1]


def test_a_system_that_was_sent_to_a_worker_has_the_same_mutants() -> None:
    for name in ("outbox", "websocket-close", "crash-client-server", "elevator"):
        system = sp.protocol(name)
        assert mutants(system_from_json(system_to_json(system))) == mutants(system)


def test_worker_processes_find_the_same() -> None:
    here, there = (sp.mutate(offer(), jobs=jobs, suggest=False) for jobs in (1, 2))
    assert len(here) > 40, "so many that there are two processes"
    assert [(r.words, r.status, r.by) for r in here] == [(r.words, r.status, r.by) for r in there]


def test_limits_leave_mutants_undecided() -> None:
    result = sp.mutate(offer(), jobs=1, limits=sp.Limits(seconds=1e-3))
    assert {r.status for r in result} == {MutantFate.UNDECIDED} and result.exit_code == 3
    assert "the time limit of 0.001 s was reached" in result.notes[-1]
    few = sp.mutate(offer(), jobs=1, operators=["delete"], limits=sp.Limits(states=2))
    assert few.exit_code == 3 and len(few.undecided) == 10
    assert few.notes == ("recovers is not decided for the protocol itself, so it notices nothing",)


def test_what_is_asked_wrongly_is_refused() -> None:
    with pytest.raises(UsageError, match="no operator 'delte'"):
        sp.mutate(offer(), operators=["delte"])
    with pytest.raises(UsageError, match="no operator is left"):
        sp.mutate(offer(), operators=[])
    with pytest.raises(UsageError, match="at least one job"):
        sp.mutate(offer(), jobs=0)


def test_the_result_in_short() -> None:
    result = sp.mutate(offer(), operators=["delete"], jobs=1)
    assert repr(result) == "<Mutants of offer: 7 noticed, 0 equal, 3 survive>"
    assert str(result).splitlines()[0] == "offer: 10 mutants: 7 noticed, 0 equal, 3 survive"
    assert not result and len(result) == 10


def test_what_is_suggested_is_met_and_notices() -> None:
    """With all suggestions in the file nothing is violated, and whoever got one survives no more."""
    system = replace(sp.protocol("websocket-close"), requirements=())
    before = sp.mutate(system, operators=["delete", "skip"], jobs=1)
    hinted = {r.mutant.number: r.suggestion for r in before if r.suggestion is not None}
    assert hinted.keys() <= {r.mutant.number for r in before.survivors} and len(hinted) >= 1
    lines = sorted({s.line for s in hinted.values()})
    better = sp.require(system, "\n".join(lines))
    assert all(verdict.ok for verdict in sp.check(better, classes=False))
    after = {r.mutant.number: r.status for r in sp.mutate(better, operators=["delete", "skip"], jobs=1)}
    assert {after[number] for number in hinted} == {MutantFate.NOTICED}


def test_no_suggestions_where_none_are_asked_for() -> None:
    found = sp.mutate(offer(), operators=["delete"], jobs=1, suggest=False)
    assert found.survivors and all(r.suggestion is None for r in found)
    hinted = sp.mutate(offer(), operators=["delete"], jobs=1)
    assert all(r.suggestion is not None for r in hinted.survivors)


#: Receptions of data: no configuration tells whether they were taken before the own close frame or after.
UNSEEN = {f"{role} in {state}" for role in ("Client", "Server") for state in ("open", "closing")}


@pytest.mark.parametrize(
    "name, operators",
    [
        ("lock", ("delete", "timer", "skip", "swap")),
        ("websocket-close", ("delete",)),
        ("idempotent-producer", ("timer", "skip")),
        ("outbox", ("timer",)),
        ("saga", ("timer", "skip")),
    ],
)
def test_the_requirements_of_the_library_notice(name: str, operators: tuple[str, ...]) -> None:
    found = sp.mutate(sp.protocol(name), operators=operators, jobs=1, suggest=False)
    assert found.undecided == ()
    survivors = {r.words.partition(":")[0] for r in found.survivors}
    assert survivors == (UNSEEN if name == "websocket-close" else set())
