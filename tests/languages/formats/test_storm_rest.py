"""Rest states, services and timers in the .storm language, and what other languages make of them."""

from __future__ import annotations

import logging
import random

import pytest

from stormproof.errors import InputError
from stormproof.kernel.equivalence.compare import compare
from stormproof.kernel.model.actions import Internal, Transition
from stormproof.languages import formats
from tests.support.equality import same_up_to_states
from tests.support.odd_systems import odd_system, with_declarations

CLIENT = """
role Client {
  ask: Server!ask -> wait
  wait: Server?answer -> done
        timeout -> ask
        timeout give-up -> failed
  done:
  failed:
}
"""
SERVER = """
service role Server {
  idle: Client?ask -> busy
  busy: Client!answer -> idle
}
"""


def failing(text: str) -> str:
    with pytest.raises(InputError) as caught:
        formats.loads(text, "storm", "x.storm")
    return str(caught.value)


def test_rest_lines_add_up_and_stand_anywhere() -> None:
    system = formats.loads("rest Client@done\n" + CLIENT + SERVER + "rest Server@{idle}, Client@failed\n")
    assert system["Client"].rest == ("done", "failed")
    assert system["Server"].rest == ("idle",)


def test_without_a_rest_line_the_default_applies() -> None:
    system = formats.loads(CLIENT + SERVER)
    assert system["Client"].rest is None and system["Server"].service and not system["Client"].service


def test_a_role_may_be_declared_to_rest_nowhere() -> None:
    system = formats.loads(CLIENT + SERVER + "rest Client@{}")
    assert system["Client"].rest == ()
    assert formats.loads(formats.dumps(system, "storm")).processes == system.processes


def test_timers_with_and_without_a_name() -> None:
    rows = formats.loads(CLIENT + SERVER)["Client"].transitions
    assert Transition("wait", Internal("timeout", timeout=True), "ask") in rows
    assert Transition("wait", Internal("give-up", timeout=True), "failed") in rows


@pytest.mark.parametrize("head", ["service unreliable role", "unreliable service role"])
def test_service_and_unreliable_stand_in_either_order(head: str) -> None:
    process = formats.loads(f"{head} A {{ s: B?m -> s }}\nrole B {{ s: }}")["A"]
    assert process.service and not process.reliable


def test_a_session_type_rests_in_states_of_its_translation() -> None:
    text = "role A = B!m; end\nservice role B = A?m; end\nrest A@end"
    system = formats.loads(text)
    assert system["A"].rest == ("end",) and system["B"].service


def test_the_new_words_are_not_reserved() -> None:
    text = """
    role rest {
      service: timeout!rest -> timeout
               timeout -> rest
               timeout timeout -> rest
      timeout: timeout?service -> rest
      rest: timeout!timeout -> service
    }
    service role timeout { rest: rest?rest -> rest }
    rest rest@rest, timeout@rest
    """
    system = formats.loads(text)
    assert system["rest"].states == ("service", "timeout", "rest")
    assert Transition("service", Internal("timeout", True), "rest") in system["rest"].transitions
    assert system["rest"].rest == ("rest",) and system["timeout"].service
    assert formats.fmt(formats.dumps(system, "storm")) == formats.dumps(system, "storm")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("rest A@donne\nrole A { done: }", ["x.storm:1:8: A has no state 'donne'", "did you mean 'done'?"]),
        ("rest AA@done\nrole A { done: }", ["x.storm:1:6: unknown role 'AA'", "did you mean 'A'?"]),
        ("rest A\nrole A { done: }", ["expected '@', found the end of the line", "rest A@idle"]),
        ("rest A@{done\nrole A { done: }", ["expected ','"]),
        ("service service role A { s: }", ["x.storm:1:9: unexpected 'service'"]),
        ("reliable unreliable role A { s: }", ["x.storm:1:10: unexpected 'unreliable'"]),
        ("role A { s: timeout x }", ["expected '->', found '}'"]),
    ],
)
def test_mistakes_are_shown_with_their_place(text: str, parts: list[str]) -> None:
    message = failing(text)
    for part in parts:
        assert part in message, message


def test_every_mistake_is_reported() -> None:
    text = """role A {
  s: B!m -> t
  t B!m -> s
     B!n - t
  u: B!m
}
fautls A -> B: loss
role B {
  x: A?m -> x
  y: A?n ->
role C { z: }
"""
    heads = [line for line in failing(text).splitlines() if line.startswith("x.storm:")]
    assert heads == [
        "x.storm:3:5: expected '!', '?' or ':', found 'B'",
        "x.storm:4:10: expected '->', found '-'",
        "x.storm:5:9: expected '->', found the end of the line",
        "x.storm:7:1: expected 'role', 'observer', 'communication', 'timers', 'faults', 'rest', 'durable', "
        "'require' or 'expect', found 'fautls'",
        "x.storm:8:6: the '}' of role B is missing",
        "x.storm:11:1: expected the state that this goes to, found 'role'",
    ]


def test_unknown_names_are_all_reported_where_roles_could_be_read() -> None:
    text = "role A {\n  s: Bb!m -> t\n     B!m -> u\n}\nrole B {\n  s: A?m - s\n     C?m -> s\n}\n"
    heads = [line for line in failing(text).splitlines() if line.startswith("x.storm:")]
    assert heads == [
        "x.storm:2:6: unknown role 'Bb'",
        "x.storm:2:14: unknown state 't'",
        "x.storm:3:13: unknown state 'u'",
        "x.storm:6:10: expected '->', found '-'",
        "x.storm:7:6: unknown role 'C'",
    ]


@pytest.mark.parametrize("following", ["role B { s: }", "faults *: loss", "rest A@s", "protocol P"])
def test_a_missing_brace_is_blamed_on_the_role_that_it_leaves_open(following: str) -> None:
    message = failing(f"role A {{\n  s:\n\n{following}\n")
    assert "x.storm:1:6: the '}' of role A is missing" in message
    assert "before line 4" in message


def test_the_number_of_reported_mistakes_is_limited() -> None:
    message = failing("role A {\n" + "  s B\n" * 10_000 + "}\n")
    heads = [line for line in message.splitlines() if line.startswith("x.storm:")]
    assert len(heads) == 21 and heads[-1].endswith("these are the first 20 mistakes; no more are shown")


@pytest.mark.parametrize("language", ["dot", "scm", "promela", "ctx"])
def test_other_languages_leave_it_out_with_a_warning(language: str, caplog: pytest.LogCaptureFixture) -> None:
    text = SERVER.replace("service role", "role") + "role Client = Server!ask; Server?answer; end\n"
    with caplog.at_level(logging.WARNING, "stormproof"):
        formats.dumps(formats.loads(text + "rest Client@end"), language)
    assert [r.getMessage() for r in caplog.records] == [f"{language} has no rest states, which are left out"]


def test_a_timer_becomes_an_internal_action_in_other_languages() -> None:
    again = formats.loads(formats.dumps(formats.loads(CLIENT + SERVER), "dot"), "dot")
    named = {t.action for t in again["Client"].transitions if isinstance(t.action, Internal)}
    assert named == {Internal("timeout"), Internal("timeout give-up")}


def test_rest_states_count_in_comparisons() -> None:
    for seed in range(200):
        rng = random.Random(seed)
        system = with_declarations(rng, odd_system(rng))
        assert same_up_to_states(system, system) and compare(system, system)
    one, other = (formats.loads(CLIENT + SERVER + rest) for rest in ("rest Client@done", ""))
    assert not same_up_to_states(one, other)
    sentences = [d.sentence for d in compare(one, other).differences]
    assert sentences == ["Client rests in done in the first and by default in the second"]
    third = formats.loads(CLIENT + SERVER.replace("service ", ""))
    assert [d.kind for d in compare(other, third).differences] == ["rest"]
