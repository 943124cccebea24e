"""Repairs of many lines: who waits sends again, who hears something twice is ready for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from stormproof.apps.cli import group
from stormproof.kernel.model.failures import Failures
from stormproof.languages.formats import dumps, loads
from stormproof.languages.protocols import protocol, source
from stormproof.search.checks.api import check
from stormproof.tell.explain.pattern_search import lines_of_roles
from stormproof.tell.explain.retransmission import Retransmission
from stormproof.tell.explain.suggest import suggest
from stormproof.tell.explain.suggestion import Suggestion

LOSS = Failures(loss=True)


def repair(name: str) -> Suggestion:
    """The first suggestion, which survives as it is inserted into the file, and not only as it was found."""
    found = suggest(protocol(name), LOSS, candidates=120, effort=20_000)
    assert found, name
    best, text = found[0], dumps(protocol(name), "storm")
    assert len(best.additions) <= lines_of_roles(protocol(name))
    assert check(loads(best.insert(text)), LOSS, properties=["recovers"], effort=20_000)["recovers"].holds
    return best


def test_the_alternating_bit_retransmits() -> None:
    """It gives nothing up: timers send again, and the error state acknowledges."""
    best = repair("alternating-bit")
    assert best.traces.kept and not best.claims and best.keeps_clean
    found = {(a.role, a.state): a.text for a in best.additions}
    assert "timeout" in found["Sender", "wait0"] and "timeout" in found["Sender", "wait1"]
    assert found["Receiver", "stray1"] == "Sender!a1 -> expect0"


@pytest.mark.parametrize("name", ["two-buyer"])
def test_what_can_be_told_apart_is_kept(name: str) -> None:
    assert repair(name).traces.kept


@pytest.mark.parametrize("name", ["bargain", "client-server", "filter-collaboration"])
def test_what_cannot_be_told_apart_survives_and_says_what_differs(name: str) -> None:
    """Without identifiers a request that is repeated is served twice."""
    best = repair(name)
    assert best.traces.kept is False and not best.traces.gives_up
    assert "without faults, " in best.title and "where it did not" in best.title


def test_a_state_is_split_where_what_to_repeat_depends_on_the_way_there() -> None:
    """The coordinator waits for acknowledgements in one state, whether it has sent commit or abort."""
    best = repair("two-phase-commit")
    assert best.traces.kept and not best.claims and best.keeps_clean and not best.violated
    (moved,) = best.redirects
    assert (moved.role, moved.before.source, moved.before.target) == ("Coordinator", "abort_b", "wait_ack_a")
    text = "// a comment -> wait_ack_a\n" + dumps(protocol("two-phase-commit"), "storm")
    assert f"abort_b: B!abort -> {moved.target}\n" in best.insert(text)
    assert f"line {text[: text.index('abort_b: B!')].count(chr(10)) + 1}, instead of" in "\n".join(
        best.lines(text)
    )
    (changed,) = best.to_json(text)["changed"]
    assert changed["text"] == f"B!abort -> {moved.target}" and changed["replaces"] == "B!abort -> wait_ack_a"


def test_what_is_answered_and_what_is_ignored_is_chosen_by_the_runs_that_break_it() -> None:
    """To answer all that comes twice would go on for ever, and to answer nothing would wait."""
    assert not repair("client-server-logger").violated


def test_repairs_do_not_depend_on_the_order_of_sets() -> None:
    """Several ways lead to states that wait; sets of them have another order in each process."""
    ask = (
        "import stormproof as sp; from stormproof.tell.explain.retransmission import Retransmission as R;"
        "s = sp.protocol('dev-system'); print(R(s, s.names, True).groups(), R(s, s.names).choices().ways)"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", ask],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(told) == 1


ASK = """
role Client { ask: Server!q -> wait  wait: Server?y -> served  served: }
service role Server { idle: Client?q -> reply  reply: Client!y -> idle }
rest Client@{ask, wait, served}
require answered: Client@wait leads to Client@served
"""


def test_what_must_lead_somewhere_is_mended_too() -> None:
    """The client may rest where it waits, so that only the requirement is violated."""
    found = suggest(loads(ASK), LOSS, candidates=60, effort=20_000)
    assert found and found[0].repaired == ("answered",) and not found[0].violated
    added = {(a.role, a.state): a.text for a in found[0].additions}
    assert added["Client", "wait"] == "timeout -> ask"
    again = check(loads(found[0].insert(ASK)), LOSS, properties=["answered"], effort=20_000)
    assert again["answered"].holds


def groups(text: str, at_rest: bool = False, answers: int = 0) -> set[tuple[str, ...]]:
    system = loads(text)
    found = Retransmission(system, system.names, at_rest, answers).groups()
    return {tuple(f"{a.role}@{a.state}: {a.text}" for a in g.lines) for g in found}


def test_a_server_repeats_the_answer_that_it_has_given() -> None:
    """It does not decide again: in a state of its own where one of several was sent."""
    text = """\
role Client { ask: Server!query -> wait  wait: Server?yes -> done  Server?no -> done  done: }
role Server { idle: Client?query -> decide  decide: Client!yes -> agreed  Client!no -> refused
              agreed: refused: }
"""
    found = groups(text)
    assert (
        "Server@agreed: Client?query -> agreed_again",
        "Server@agreed_again: Client!yes -> agreed",
    ) in found
    assert (
        "Server@refused: Client?query -> refused_again",
        "Server@refused_again: Client!no -> refused",
    ) in found
    assert ("Client@wait: timeout -> ask",) in found
    assert ("Client@done: Server?yes -> done",) in found


def test_a_timer_repeats_what_nobody_has_answered() -> None:
    """Both requests, until one is answered; then the other."""
    text = """\
role M { idle: A!go -> second  second: B!go -> one  one: A?ok -> two  two: B?ok -> done  done: }
role A { s: M?go -> t  t: M!ok -> end }
role B { s: M?go -> t  t: M!ok -> end }
"""
    found = groups(text)
    both = [g for g in found if g[0].startswith("M@one: timeout")]
    assert both == [("M@one: timeout -> idle",)]
    (left,) = (g for g in found if g[0].startswith("M@two: timeout"))
    assert left[1:] == ("M@two_again: B!go -> two",)


def test_a_role_that_rests_sends_again_only_in_that_variant() -> None:
    text = "role A { s: B!m -> done  done: }\nrole B { s: A?m -> done  done: }\n"
    assert not any("timeout" in line for g in groups(text) for line in g)
    assert any(g[0].startswith("A@done: timeout") for g in groups(text, at_rest=True))


def test_the_lines_are_pasted_with_their_new_states(tmp_path: Path) -> None:
    """As the command prints them, in JSON."""
    file = tmp_path / "bit.storm"
    file.write_text(source("alternating-bit"))
    asked = ["explain", str(file), "--loss", "--suggest", "60", "--effort", "20000", "--json"]
    shown = CliRunner().invoke(group, asked, standalone_mode=False)
    best = json.loads(shown.output)["suggestions"][0]
    assert best["keeps_traces"] is True and best["violated"] == [] and best["costs"] == []
    rows = file.read_text().splitlines()
    for line in sorted(best["lines"], key=lambda line: -line["below"]):
        rows.insert(line["below"], line["text"])
    file.write_text("\n".join(rows))
    asked = ["check", str(file), "--loss", "--property", "recovers", "--effort", "20000"]
    assert CliRunner().invoke(group, asked, standalone_mode=False).return_value == 0
