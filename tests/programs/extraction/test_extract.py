"""Roles become automata: points, names, groups, messages, rest and durable states."""

from __future__ import annotations

import dataclasses
import enum
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import stormproof as sp
from stormproof.errors import ModelError, ParseError, UsageError
from stormproof.kernel.equivalence.isomorphism import isomorphism
from stormproof.kernel.model.process import Process
from tests.support.roles import extracted


@sp.role
def Sender() -> Any:
    bit = 0
    while True:
        yield sp.send("Receiver", "data", bit)
        reply = yield sp.receive(("Receiver", "ack"), timeout=True, at="waiting")
        if reply and reply.fields == (bit,):
            bit = 1 - bit


@sp.role
def Receiver() -> Any:
    expected = 0
    while True:
        message = yield sp.receive("Sender", at="idle", rest=True)
        if message.fields == (expected,):
            expected = 1 - expected
        yield sp.send("Sender", "ack", *message.fields)


def hand_made() -> Process:
    rows: list[tuple[str, Any, str]] = []
    for bit in (0, 1):
        rows.append((f"send{bit}", sp.Send("Receiver", f"data({bit})"), f"wait{bit}"))
        rows.append((f"wait{bit}", sp.Receive("Receiver", f"ack({bit})"), f"send{1 - bit}"))
        rows.append((f"wait{bit}", sp.Receive("Receiver", f"ack({1 - bit})"), f"send{bit}"))
        rows.append((f"wait{bit}", sp.Internal("timeout", timeout=True), f"send{bit}"))
    return sp.Process("Sender", "send0", rows)


def test_the_alternating_bit_is_the_one_made_by_hand() -> None:
    system = sp.extract(Sender, Receiver, name="abp")
    assert system.name == "abp" and system.names == ("Sender", "Receiver")
    assert isomorphism(system["Sender"], hand_made()) is not None
    assert "waiting{bit=0}" in system["Sender"].states
    assert dict(system["Sender"].groups) == {"waiting": ("waiting{bit=0}", "waiting{bit=1}")}
    assert system["Receiver"].rest == ("idle{expected=0}", "idle{expected=1}")
    line = Sender.function.__code__.co_firstlineno
    place = system["Sender"].place("waiting{bit=1}")
    assert place is not None and place.line == line + 5
    assert place.file is not None and Path(place.file).samefile(__file__)
    assert f"line{line + 4}{{bit=0}}" == system["Sender"].initial


def test_a_bare_name_is_a_group_and_a_quoted_one_a_state() -> None:
    system = sp.extract(Sender, Receiver, second_process=False)
    both = system.require("wait", never="Sender@waiting & Receiver@idle").requirements[0]
    assert str(both.claim) == "never Sender@waiting & Receiver@idle"
    one = system.require(never='Sender@"waiting{bit=0}"').requirements[0]
    assert str(one.claim) == 'never Sender@"waiting{bit=0}"'
    with pytest.raises(ParseError, match="no state 'waiting'"):
        system.require(never='Sender@"waiting"')
    with pytest.raises(ParseError, match="no state 'wating'") as problem:
        system.require(never="Sender@wating")
    assert problem.value.hint == "did you mean 'waiting'?"
    place = problem.value.place
    assert place is not None and place.file is not None and Path(place.file).samefile(__file__)
    assert place.text is not None and place.column is not None
    assert place.text[place.column - 1 :].startswith('wating")'), "the line of the call"
    again = sp.loads(sp.dumps(system.require("wait", never="Sender@waiting"), "storm"), "storm")
    assert (
        again.requirements[0].claim.goal == system.require(never="Sender@waiting").requirements[0].claim.goal
    )


def test_requirements_as_calls() -> None:
    system = sp.extract(Sender, Receiver, second_process=False)
    lossy = sp.Failures(loss=["Sender->Receiver"])
    required = system.require("answers", always_possible="Sender@waiting", under=lossy).require(clean=True)
    first, second = required.requirements
    assert first.under is not None and first.under.faults == (
        sp.ChannelFaults("Sender", "Receiver", loss=True),
    )
    assert str(second.claim) == "clean"
    (third,) = system.require(leads_to=("Sender@waiting", "at rest")).requirements
    assert third.claim.after == system.require(never="Sender@waiting").requirements[0].claim.goal
    assert str(third.claim) == "Sender@waiting leads to at rest"
    with pytest.raises(UsageError, match="two goals"):
        system.require(leads_to="Sender@waiting")  # type: ignore[arg-type]
    known = required.require("known", recovers=True, under=sp.Failures(stop=["Sender"]), violated=True)
    assert known.requirements[2].violated and known.requirements[2].under == sp.Under(stop=("Sender",))
    for wrong in ({}, {"never": "Sender@waiting", "clean": True}):
        with pytest.raises(UsageError, match="one claim"):
            system.require("x", **wrong)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="needs its failures"):
        system.require("x", recovers=True, violated=True)


def test_declared_failures_are_those_of_a_file() -> None:
    failures = sp.Failures(loss=True, restart=["Sender"])
    system = sp.extract(Sender, Receiver, second_process=False, failures=failures)
    assert all(fault.loss for fault in system.faults) and len(system.faults) == 2
    assert system["Sender"].restart and not system["Receiver"].restart


def test_the_iterator_of_a_loop_is_part_of_the_state() -> None:
    """Position and local variables of the generator are equal at both m1, and merging would lose m3."""
    system = extracted('for x in ["m1", "m2", "m1", "m3"]:\n    yield send("Q", x)')
    process = system["P"]
    sent = [str(process.outgoing(s)[0].action) for s in process.states if process.outgoing(s)]
    assert sent == ["Q!m1", "Q!m2", "Q!m1", "Q!m3"]
    assert process.states[-1] == "ended"


@pytest.mark.parametrize("given", ["(0, 1)", "[0, 1]", "range(2)", "{0: 1, 1: 0}", "{1: 0, 0: 1}.values()"])
def test_a_loop_may_go_backwards(given: str) -> None:
    process = extracted(f'for x in reversed({given}):\n    yield send("Q", "m", x)')["P"]
    sent = [str(process.outgoing(s)[0].action) for s in process.states if process.outgoing(s)]
    assert sent == ["Q!m(1)", "Q!m(0)"]


def test_dead_variables_are_no_part_of_the_state() -> None:
    system = extracted('while True:\n    m = yield receive("Q")\n    yield send("Q", "ok")', QUIET)
    assert len(system["P"].states) == 2


QUIET = """
@role
def Q():
    while True:
        what = yield choose(1, True, "1")
        yield send("P", "m", what)
        yield receive("P")
"""


def test_values_are_told_apart_by_type() -> None:
    system = extracted('m = yield receive("Q")\nif m.fields[0] is True:\n    yield send("Q", "yes")', QUIET)
    received = [str(a.message) for a in system["P"].receives(system["P"].initial)]
    assert received == ["m(1)", "m(True)", "m('1')"]
    targets = {str(t.action): t.target for t in system["P"].outgoing(system["P"].initial)}
    assert targets["Q?m(1)"] == targets["Q?m('1')"] == "ended" != targets["Q?m(True)"]
    one = extracted('yield receive(("Q", "m", 1))', QUIET)["P"]
    assert [str(t.action) for t in one.transitions] == ["Q?m(1)"]


class Phase(enum.Enum):
    IDLE = 1
    BUSY = 2


@dataclass(frozen=True)
class Ballot:
    number: int
    owner: str


def test_enums_frozen_dataclasses_sets_and_bytes_are_values() -> None:
    body = """
phase, ballot, seen, raw = Phase.IDLE, Ballot(0, "P"), frozenset(("b", "a")), b"x"
while True:
    yield send("Q", "now", phase, (1, None))
    m = yield receive("Q", at="w")
    phase = Phase.BUSY if "a" in seen else Phase.IDLE
    ballot = Ballot(1 - ballot.number, ballot.owner)
    yield send("Q", "later", len(raw), ballot.owner)
"""
    process = extracted(body, Phase=Phase, Ballot=Ballot)["P"]
    assert process.states[
        1
    ] == "w{phase=Phase.IDLE, ballot=Ballot(0, 'P'), seen={'a', 'b'}, raw=b'x'}".replace(
        "phase=Phase.IDLE, ", ""
    )
    assert "now(Phase.BUSY, (1, None))" in {
        str(s.message) for state in process.states for s in process.sends(state)
    }


def test_helper_roles_have_frames_of_their_own() -> None:
    body = """
first = yield from Ask("q1")
second = yield from Ask("q2")
yield send("Q", "sum", first, second)
"""
    others = """
@role
def Ask(what):
    while True:
        yield send("Q", what)
        answer = yield receive("Q", timeout=0)
        if answer is not None:
            return answer.fields[0]
@role
def Q():
    while True:
        m = yield receive("P")
        yield send("P", "a", 1 if m.name == "q1" else 2)
"""
    process = extracted(body, others)["P"]
    sums = {str(s.message) for state in process.states for s in process.sends(state)} - {"q1", "q2"}
    assert sums == {"sum(1, 1)", "sum(1, 2)", "sum(2, 1)", "sum(2, 2)"}


def test_an_exception_is_a_state_that_is_reported_if_it_is_reached() -> None:
    body = 'n = 1\nwhile True:\n    m = yield receive("Q")\n    n = 1 // m.fields[0]\n    assert n == 1'
    system = extracted(body, QUIET.replace('1, True, "1"', "0, 1"))
    raised = [s for s in system["P"].states if s.startswith("raised")]
    assert raised == ["raised ZeroDivisionError in line 6"]
    assert system["P"].rest == ("line5",)
    report = sp.check(system)
    assert report["no exception in P"].holds is False
    assert [r.name for r in system.requirements] == ["no exception in P"]


def test_a_stop_iteration_becomes_a_runtime_error_as_in_every_generator() -> None:
    system = extracted('yield send("Q", "x")\nn = next(iter(()))\nyield send("Q", "y")')
    assert "raised RuntimeError in line 4" in system["P"].states


def test_rest_and_durable() -> None:
    body = """
n = 0
while n < 2:
    yield receive("Q", rest=True, durable=True, at="idle")
    n += 1
    yield send("Q", "ok", durable=True)
"""
    process = extracted(body, QUIET)["P"]
    assert process.rest == ("idle{n=0}", "idle{n=1}", "ended")
    assert [s.split("{")[0] for s in process.durable] == ["idle", "line7", "idle", "line7"]


def test_roles_with_arguments_by_name() -> None:
    @sp.role
    def Node(me: int, *peers: str) -> Any:
        for peer in peers:
            yield sp.send(peer, "hello", me)
        for peer in peers:
            yield sp.receive(peer)

    system = sp.extract({"N1": Node(1, "N2"), "N2": Node(2, "N1")}, second_process=False)
    assert system.names == ("N1", "N2") and system.messages == ("hello(1)", "hello(2)")
    with pytest.raises(UsageError, match="two roles are called 'Sender'"):
        sp.extract(Sender, Sender)
    with pytest.raises(UsageError, match="missing a required argument: 'me'"):
        sp.extract(Node)
    with pytest.raises(UsageError, match="is not a role"):
        sp.extract(print)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="needs a role"):
        sp.extract()


def test_closures_are_read() -> None:
    limit = 2

    @sp.role
    def P() -> Any:
        for i in range(limit):
            yield sp.send("Sender", "n", i)

    @sp.role
    def Sink() -> Any:
        while True:
            yield sp.receive("P")

    system = sp.extract({"P": P, "Sender": Sink}, second_process=False)
    assert system.messages == ("n(0)", "n(1)")


def test_a_pattern_that_nothing_matches_is_warned_about(caplog: pytest.LogCaptureFixture) -> None:
    extracted('while True:\n    yield receive(("Q", "n"), timeout=True)')
    assert "nobody sends 'n' to P; Q sends 'm'" in caplog.text
    extracted('yield receive("Q")', "@role\ndef Q():\n    yield receive('P', timeout=True)")
    assert "Q sends nothing to P" in caplog.text and "P sends nothing to Q" in caplog.text


def test_a_wrong_name_or_argument_is_warned_about(caplog: pytest.LogCaptureFixture) -> None:
    """An assertion that may fail is not: whether it ever does, the check finds out."""
    body = 'm = yield receive("Q")\nassert m.fields == (0,)\nyield send("Q", m.nmae)'
    system = extracted(body)
    assert [r.name for r in system.requirements] == ["no exception in P"]
    (said,) = [message for message in caplog.messages if "may end" in message]
    assert ":5:5: warning: P may end here with AttributeError: 'Received' object has no attribute" in said


def test_a_role_may_send_to_itself() -> None:
    process = extracted('yield send("P", "note")\nyield receive("P")')["P"]
    assert [str(t.action) for t in process.transitions] == ["P!note", "P?note"]


def test_two_messages_of_one_spelling_are_refused() -> None:
    make: Any = enum.Enum
    other = make("Phase", ["IDLE"])
    with pytest.raises(ModelError, match=r"two different messages are spelt x\(Phase.IDLE\)"):
        extracted(
            'yield send("Q", "x", Phase.IDLE)\nyield send("Q", "x", Other.IDLE)', Phase=Phase, Other=other
        )


def test_a_role_may_ask_for_types_and_pass_sets_on() -> None:
    """A set is evaluated once more as another object in another order, which a role cannot observe."""
    body = """
s = frozenset((1, 8))
if type(s) is frozenset and isinstance(s, frozenset) and type(s) is not tuple:
    s = yield from Chosen(s)
yield send("Q", "sizes", *sorted(len(part) for part in (s, frozenset())))
"""
    helper = """
@role
def Chosen(given):
    found = yield choose(given, frozenset(("x",)))
    return found
"""
    process = extracted(body, QUIET + helper)["P"]
    assert [str(a) for s in process.states for a in process.sends(s)] == ["Q!sizes(0, 2)", "Q!sizes(0, 1)"]
    assert "choose {1, 8}" in {str(t.action) for t in process.transitions}


def test_a_type_of_its_own_is_not_the_built_in_one() -> None:
    process = extracted('yield send("Q", "x", type(1))', type=lambda value: value + 1)["P"]
    assert [str(t.action) for t in process.transitions] == ["Q!x(2)"]


def sent_by(process: Process) -> list[str]:
    actions = (t.action for t in process.transitions)
    return [str(action.message) for action in actions if isinstance(action, sp.Send)]


def test_lists_and_dictionaries_are_part_of_the_state() -> None:
    body = """
seen, table, same = [], {}, []
for turn in (1, 2):
    m = yield receive("Q", at="wait")
    seen.append(m.fields[0])
    table[turn] = seen
    same = table[1]
yield send("Q", "both", len(seen), len(same), table[2] == same)
"""
    process = extracted(body)["P"]
    assert set(sent_by(process)) == {"both(2, 2, True)"}
    waiting = {s for s in process.states if s.startswith("wait")}
    assert (
        "wait{seen=[], table={}, turn=1}" in waiting and "wait{seen=[0], table={1: [0]}, turn=2}" in waiting
    )


def test_two_lists_that_are_one_are_another_state_than_two_that_are_equal() -> None:
    body = """
a = []
b = a if (yield choose(True, False)) else []
yield receive("Q", at="wait")
a.append(1)
yield send("Q", "x", len(b))
"""
    process = extracted(body)["P"]
    assert set(sent_by(process)) == {"x(0)", "x(1)"}
    assert len([s for s in process.states if s.startswith("wait")]) == 2


def test_what_is_waited_for_inside_an_expression() -> None:
    body = """
while (m := (yield receive("Q", timeout=1, at="wait"))) is None:
    yield send("Q", "again")
match (yield choose("a", "b")):
    case "a":
        yield send("Q", "a", m.fields[0] == 0 and (yield choose(1, 2)) == 1)
    case _:
        pass
"""
    process = extracted(body)["P"]
    sent = set(sent_by(process))
    assert sent == {"again", "a(True)", "a(False)"}
    assert len([t for t in process.transitions if str(t.action) == "timeout"]) == 1


def test_exceptions_that_a_role_catches_and_enums_that_it_goes_through() -> None:
    class Colour(enum.Enum):
        RED = 1
        BLUE = 2

    body = """
for colour in Colour:
    try:
        value = {Colour.RED: 1}[colour]
    except KeyError as problem:
        value = str(problem)[1:7]
    yield send("Q", "x", value)
first, *rest = (1, 2, 3)
yield send("Q", "y", len(rest))
"""
    process = extracted(body, Colour=Colour)["P"]
    sent = sent_by(process)
    assert sent == ["x(1)", "x('Colour')", "y(2)"]


def test_logging_is_left_out_and_not_written(caplog: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger("tests.roles")
    with caplog.at_level(logging.INFO):
        system = extracted("log.info('hello %s', 1)\nyield send('Q', 'x')", log=log)
    assert len(system["P"].states) == 2 and not caplog.records
    with pytest.raises(ModelError, match="which depends or acts on more than its arguments"):
        extracted("a = log.warning('hello')\nyield send('Q', 'x')", log=log)


@dataclasses.dataclass(frozen=True)
class Node:
    peer: str

    @sp.role
    def helper(self, number: int) -> sp.Steps:
        yield sp.send(self.peer, "ack", number)

    @sp.role
    def run(self) -> sp.Steps:
        while True:
            message = yield sp.receive(self.peer, rest=True)
            yield from self.helper(message.fields[0])


@sp.role
def Asker(number: int) -> sp.Steps:
    yield sp.send("Node", "ask", number)
    yield sp.receive("Node")


def test_a_method_is_a_role_of_its_object() -> None:
    system = sp.extract({"Asker": Asker(7), "Node": Node("Asker").run})
    assert system.messages == ("ask(7)", "ack(7)") and sp.survives(system)
    generator = Node("Asker").run().generator()
    assert next(generator) == sp.receive("Asker", rest=True)


def test_positions_in_loops_have_names() -> None:
    process = extracted("for letter in 'abc':\n    yield send('Q', 'x')\n    letter = None")["P"]
    assert [s for s in process.states if "left" in s] == [f"line4{{letter: {n} left}}" for n in (2, 1, 0)]
