"""Suggestions: pasted into the file, they make it survive, and break nothing."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import stormproof as sp
from stormproof.apps.cli import group
from stormproof.kernel.model.actions import Internal
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.run import Act, Witness
from stormproof.languages.formats import dumps, loads
from stormproof.languages.protocols import protocol, source
from stormproof.search.checks.api import check
from stormproof.search.checks.report import Verdict
from stormproof.search.engine.survival import Survey, survey
from stormproof.tell.explain.judge import is_worse
from stormproof.tell.explain.pattern_search import lines_of_roles
from stormproof.tell.explain.suggest import suggest
from stormproof.tell.explain.suggestion import Suggestion
from stormproof.tell.lint.api import lint
from tests.support.random_systems import random_system
from tests.support.roles import extracted

ORDER = """\
protocol Order

role A {
  start: B!open -> opened
  opened: B!data -> done
  done:
}

role B {
  idle: A?open -> ready
  ready: A?data -> done
  done:
}
"""
LOSS = Failures(loss=True)
#: Protocols of the library, which survive, and the line without which they do not.
TAKEN_OUT = {
    "lease-lock": "Storage?value(1) -> write2_2",
    "mqtt-qos1": "timeout -> publish",
    "oauth-pkce": "App?redeem(verifier) -> grant_app",
    "tcp-open": "Client?rst -> listen",
    "websocket-close": "Server?data -> failed",
}


def without(name: str, line: str) -> str:
    """The text of a protocol of the library without the first occurrence of a line."""
    before, found, after = source(name).partition(line)
    assert found, name
    return before + after


def lines(suggestion: Suggestion) -> list[tuple[str, str, str]]:
    return [(a.role, a.state, a.text) for a in suggestion.additions]


def assert_repaired(text: str, suggestion: Suggestion, failures: Failures) -> None:
    """The pasted text is the system that was verified, and passes the check."""
    pasted = suggestion.insert(text)
    system = loads(pasted, "storm")
    for process in system:
        assert set(process.transitions) == set(suggestion.system[process.name].transitions)
    report = check(system, failures, properties=["recovers"], effort=20_000)
    assert report["recovers"].holds
    assert not any(v.ok is False for v in check(system, failures, properties=[], effort=20_000))
    known = {w.message for w in lint(text, "x", "storm")[1]}
    assert {w.message for w in lint(pasted, "x", "storm")[1]} <= known


def test_two_sends_in_order_survive_loss_with_three_lines() -> None:
    """Before them comes what gives nothing up."""
    found = suggest(loads(ORDER, "storm"), LOSS)
    assert lines(found[0]) == [
        ("A", "done", "timeout -> start"),
        ("B", "idle", "A?data -> idle"),
        ("B", "ready", "A?open -> ready"),
        ("B", "done", "A?open -> done  A?data -> done"),
        ("A", "done", "rest A@done"),
        ("B", "done", "rest B@done"),
    ]
    assert found[0].traces.kept and not any(s.traces.kept for s in found[1:])
    assert lines(found[1]) == [
        ("B", "idle", "timeout -> done"),
        ("B", "ready", "timeout -> done"),
        ("B", "done", "A?open -> done  A?data -> done"),
    ]
    for suggestion in found:
        assert suggestion.keeps_clean
        assert_repaired(ORDER, suggestion, LOSS)
        assert check(suggestion.system, properties=["clean"])["clean"].holds


@pytest.mark.parametrize("name", TAKEN_OUT)
def test_a_line_that_was_taken_out_is_found(name: str) -> None:
    """Perhaps beside others that repair the protocol as well."""
    line = TAKEN_OUT[name]
    text = without(name, line)
    found = suggest(loads(text, "storm"), effort=30_000)
    assert [line] in [[a.text for a in s.additions] for s in found]
    for suggestion in found:
        assert_repaired(text, suggestion, Failures())


def test_nothing_is_suggested_where_an_exception_has_escaped() -> None:
    """The function has ended there: no timer can lead anywhere."""
    system = extracted(
        "yield send('Q', 'x')", "@role\ndef Q():\n    m = yield receive('P', rest=True)\n    assert m.fields"
    )
    assert check(system, properties=["recovers"])["recovers"].holds is False
    assert not suggest(system)


def test_the_lines_of_a_suggestion_are_in_the_order_of_the_file() -> None:
    found = suggest(loads(ORDER, "storm"), Failures(corrupt=True))
    assert [("B", "idle", "A?data -> done"), ("B", "ready", "A?open -> done")] in [lines(s) for s in found]


def test_sending_again_is_suggested_beside_giving_up() -> None:
    """Two lines suffice to give up; to send again, late answers must be taken in both final states."""
    text = """\
role Client {
  start: Server!login -> wait
  wait: Server?ok -> in
        Server?denied -> out
  in:
  out:
}
service role Server {
  idle: Client?login -> decide
  decide: Client!ok -> idle
          Client!denied -> idle
}
"""
    found = suggest(loads(text, "storm"), LOSS)
    assert ("Client", "wait", "timeout -> start") in [line for s in found for line in lines(s)]
    for suggestion in found:
        assert_repaired(text, suggestion, LOSS)


def test_a_requirement_rules_out_what_would_break_it() -> None:
    """Without the requirement the client may give up; with it, it must ask again."""
    text = """\
role Client { ask: Server!query -> wait  wait: Server?answer -> done  done: Server?answer -> done }
service role Server { new: Client?query -> busy  busy: Client!answer -> idle  idle: Client?query -> busy }
rest Client@done
"""
    free = [lines(s) for s in suggest(loads(text), LOSS, effort=100_000)]
    assert [("Client", "wait", "timeout -> done")] in free
    bound = suggest(loads(text + "require never Client@done & Server@new\n"), LOSS, effort=100_000)
    assert [lines(s) for s in bound] == [[("Client", "wait", "timeout -> ask")]]


#: Protocols as engineers write them, with what they forget, and lines that repair them.
FORGOTTEN = {
    "nobody repeats the last ack": (
        """\
role Client {
  closed: Server!syn -> syn_sent
  syn_sent: Server?syn_ack -> acking  timeout -> closed
  acking: Server!ack -> established
  established:
}
role Server {
  listen: Client?syn -> answering
  answering: Client!syn_ack -> syn_rcvd
  syn_rcvd: Client?ack -> established
  established:
}
""",
        [
            ("Client", "established", "Server?syn_ack -> acking"),
            ("Server", "syn_rcvd", "Client?syn -> answering  timeout -> answering"),
            ("Client", "established", "rest Client@established"),
        ],
    ),
    "a duplicate of the order is not confirmed again": (
        """\
role Client { send: Server!order -> wait  wait: Server?confirm -> done  timeout -> send  done: }
role Server { open: Client?order -> confirming  confirming: Client!confirm -> closed  closed: }
""",
        [
            ("Server", "closed", "Client?order -> confirming"),
            ("Server", "closed", "rest Server@closed"),
        ],
    ),
    "a producer waits for an ack for ever": (
        """\
role Producer { ready: Broker!msg -> unacked  unacked: Broker?ack -> ready }
service role Broker { idle: Producer?msg -> acking  acking: Producer!ack -> idle }
""",
        [
            ("Producer", "ready", "Broker?ack -> ready"),
            ("Producer", "unacked", "timeout -> ready"),
            ("Producer", "ready", "rest Producer@ready"),
        ],
    ),
}


@pytest.mark.parametrize("case", FORGOTTEN)
def test_what_engineers_forget_is_found(case: str) -> None:
    text, repair = FORGOTTEN[case]
    found = suggest(loads(text), LOSS, effort=50_000)
    assert repair in [lines(s) for s in found]
    for suggestion in found:
        assert_repaired(text, suggestion, LOSS)


def test_roles_rest_where_they_rested_before() -> None:
    """A `rest` line that a repair needs says what was so by default."""
    for text, _ in FORGOTTEN.values():
        system = loads(text)
        before = rest_states(system).rest
        for suggestion in suggest(system, LOSS, effort=50_000):
            assert rest_states(suggestion.system).rest == before
            assert len(suggestion.additions) <= lines_of_roles(system)


def test_a_silent_stop_gets_a_timer() -> None:
    text = """\
role A { ask: B!q -> wait  wait: B?r -> end }
service role B { idle: A?q -> busy  busy: A!r -> idle }
"""
    found = suggest(loads(text), Failures(stop=["B"]))
    assert ("A", "wait", "timeout -> end") in lines(found[0])
    assert_repaired(text, found[0], Failures(stop=["B"]))


def test_a_missing_crash_branch_is_suggested() -> None:
    text = """\
unreliable role Main { work: Spare!data -> done  internal crash -> sink
  done: internal crash -> sink  sink: Spare!crash -> stop  stop: }
role Spare { listen: Main?data -> got  got: Main?crash -> got }
"""
    failures = Failures(as_written=True)
    found = suggest(loads(text), failures)
    assert lines(found[0]) == [("Spare", "listen", "Main?crash -> got")]
    assert_repaired(text, found[0], failures)


def test_a_role_that_waits_for_more_when_all_is_done_may_rest() -> None:
    text = """\
role Client { hello: Server!hello -> ask  ask: Server!ask -> wait  wait: Server?answer -> end }
role Server { start: Client?hello -> idle  idle: Client?ask -> busy  busy: Client!answer -> idle }
"""
    found = suggest(loads(text))
    assert lines(found[0]) == [("Server", "idle", "rest Server@idle")]
    assert_repaired(text, found[0], Failures())


def test_a_line_that_claims_rest_says_so_and_comes_last() -> None:
    """It mends nothing that happens: it says that what happens is all right."""
    text = """\
role Client { hello: Server!hello -> ask  ask: Server!ask -> wait  wait: Server?answer -> end }
role Server { start: Client?hello -> idle  idle: Client?ask -> busy  busy: Client!answer -> idle }
"""
    found = suggest(loads(text))
    claimed = [bool(s.claims) for s in found]
    assert claimed == sorted(claimed) and claimed[-1]
    last = found[-1]
    assert last.claims == (("Server", "idle"),)
    assert "  this claims that Server may stay in idle for ever" in last.lines(text)
    assert last.to_json()["claims"] == ["Server may stay in idle for ever"]


def test_what_stays_violated_is_named() -> None:
    """No line takes the run away in which A is done before B has begun."""
    text = ORDER + "require bricked: never A@done & B@idle\n"
    found = suggest(loads(text), LOSS, effort=100_000)
    assert found and all(s.violated == ("bricked",) for s in found)
    assert found[0].title == (
        "With 6 more lines the protocol survives (up to channels of length 6), and bricked is still violated"
    )
    assert found[1].title == (
        "With 3 more lines the protocol survives (any channel length), and bricked is still violated; "
        "without faults, it comes to rest where it did not"
    )
    assert found[0].to_json()["violated"] == ["bricked"]


@pytest.mark.parametrize(
    ("before", "now", "worse"),
    [
        ((True, 0), (None, 0), True),
        ((None, 0), (False, 1), True),
        ((False, 1), (False, 2), False),
        ((False, 2), (False, 1), True),
        ((False, 1), (True, 0), False),
        ((None, 0), (True, 0), False),
    ],
)
def test_worse(before: tuple[bool | None, int], now: tuple[bool | None, int], worse: bool) -> None:
    """Undecided lies between; what breaks with fewer faults than before is worse."""

    def verdict(holds: bool | None, faults: int) -> Verdict:
        stop = Act("A", Internal("stop"), "stopped", fault="stop")
        run = Witness((stop,) * faults, {}, {}) if holds is False else None
        return Verdict("recovers", holds, witness=run)

    assert is_worse(verdict(*now), verdict(*before)) is worse


def test_nobody_rests_where_something_was_lost() -> None:
    """A `rest` line says at most what was so before."""
    for suggestion in suggest(loads(ORDER, "storm"), LOSS):
        assert not suggestion.claims
        assert {a.rest for a in suggestion.additions if a.rest} <= {("done",)}


def test_what_leaves_messages_behind_is_shown_only_if_nothing_better_is_found() -> None:
    text = """\
role A { s: B!m1 -> t  t: B!m2 -> u  u: B!m3 -> end }
role B { s: A?m1 -> t  t: A?m2 -> u  u: A?m3 -> end }
"""
    found = suggest(loads(text), LOSS)
    assert found[0].traces.kept and found[0].keeps_clean
    untidy = [s for s in found if not s.keeps_clean]
    assert untidy and "late messages may then be left behind" in untidy[0].title
    for suggestion in found:
        assert_repaired(text, suggestion, LOSS)


def test_what_is_suggested_for_random_systems_repairs_them() -> None:
    """As text, with the lines pasted, they survive. Few random systems can be repaired: here are some."""
    repaired = 0
    for seed in (11, 20, 21, 22, 48, 59):
        rng = random.Random(seed)
        system = random_system(rng, processes=2, transitions=3, csa=True, internal=0, to_self=0)
        for suggestion in suggest(system, LOSS, effort=10_000)[:1]:
            assert_repaired(dumps(system, "storm"), suggestion, LOSS)
            repaired += 1
    assert repaired >= 3, repaired


def test_nothing_is_suggested_for_what_survives_or_cannot_be_repaired() -> None:
    assert suggest(protocol("alternating-bit-retransmit"), effort=100_000) == ()
    assert suggest(loads("role A { s: B!m -> end }\nrole B { s: A?n -> end }"), candidates=0) == ()


@pytest.mark.parametrize("trials", [0, 1, 40])
def test_ctrl_c_ends_the_search_with_what_was_found(monkeypatch: pytest.MonkeyPatch, trials: int) -> None:
    asked = iter(range(trials))

    def interrupted(*args: Any, **options: Any) -> Survey:
        if next(asked, None) is None:
            raise KeyboardInterrupt
        return survey(*args, **options)

    monkeypatch.setattr("stormproof.tell.explain.trial.survey", interrupted)
    found = suggest(loads(without("mqtt-qos1", TAKEN_OUT["mqtt-qos1"])), effort=100_000)
    assert bool(found) is (trials == 40)


def test_the_printed_lines_are_pasted(tmp_path: Path) -> None:
    """Below the lines that are named; then `check` exits with 0."""
    file = tmp_path / "order.storm"
    file.write_text(ORDER)
    runner = CliRunner()
    shown = runner.invoke(
        group, ["explain", str(file), "--loss", "--property", "recovers"], standalone_mode=False
    )
    assert shown.return_value == 1
    first = shown.output.partition("With 6 more lines the protocol survives")[2].partition("\nWith ")[0]
    found = [(int(n), line) for n, line in re.findall(r"below line (\d+)\n    ([^\n]*)", first)]
    assert len(found) == 6
    rows = ORDER.splitlines()
    for below, line in sorted(found, reverse=True):
        rows.insert(below, line)
    file.write_text("\n".join(rows))
    checked = runner.invoke(
        group, ["check", str(file), "--loss", "--property", "recovers"], standalone_mode=False
    )
    assert checked.return_value == 0, checked.output


def test_json_and_the_end_of_the_search(tmp_path: Path) -> None:
    file = tmp_path / "order.storm"
    file.write_text(ORDER)
    runner = CliRunner()
    asked = ["explain", str(file), "--loss", "--property", "recovers"]
    data = json.loads(runner.invoke(group, [*asked, "--json"], standalone_mode=False).output)
    assert data["suggestions"][0]["keeps_traces"] is True and data["suggestions"][0]["costs"] == []
    first = data["suggestions"][1]
    assert first["costs"] == ["without faults, it comes to rest where it did not"]
    assert first["lines"][0] == {"role": "B", "state": "idle", "text": "        timeout -> done", "below": 10}
    assert first["repaired"] == ["recovers"] and first["keeps_clean"] is True
    assert {"property": "recovers", "holds": True, "up_to": None} in first["verdicts"]
    none = runner.invoke(group, [*asked, "--suggest", "0"], standalone_mode=False)
    assert "more line" not in none.output
    short = runner.invoke(group, [*asked, "--suggest", "1"], standalone_mode=False)
    assert "No repair was found" in short.output


def test_late_messages_that_must_not_be_left_behind_are_received() -> None:
    text = """\
role A { s: B!q -> w  w: B?r -> done  timeout -> done  done: }
service role B { s: A?q -> t  t: A!r -> s }
require tidy: clean
"""
    found = suggest(loads(text))
    assert lines(found[0]) == [("A", "done", "B?r -> done")] and found[0].repaired == ("tidy",)
    assert_repaired(text, found[0], Failures())


def test_nothing_is_suggested_where_nothing_may_be_changed() -> None:
    assert suggest(loads(ORDER, "storm"), LOSS, roles=()) == ()


def test_roles_that_are_session_types_are_not_changed(tmp_path: Path) -> None:
    file = tmp_path / "typed.storm"
    file.write_text("role A = B!open; B!data; end\nrole B { idle: A?open -> ready  ready: A?data -> end }\n")
    shown = CliRunner().invoke(group, ["explain", str(file), "--loss", "--json"], standalone_mode=False)
    found = json.loads(shown.output)["suggestions"]
    assert found and {line["role"] for s in found for line in s["lines"]} == {"B"}


def test_a_report_with_classes_gives_the_same_repairs() -> None:
    system, failures = sp.protocol("client-server"), sp.Failures(loss=True)
    report = sp.check(system, failures)
    assert {"k-exh", "recovers"} <= {v.property for v in report}
    given = sp.suggest(system, failures, report=report)
    assert [s.additions for s in given] == [s.additions for s in sp.suggest(system, failures)] != []
