"""Local types: syntax, well-formedness, translation (definitions 5.8 to 5.11)."""

from __future__ import annotations

import random

import pytest

from stormproof.errors import InputError, ParseError
from stormproof.kernel.model.actions import CRASH, Action, Receive, Send
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System
from stormproof.kernel.transform.crash_handling import crash_handling
from stormproof.languages.types.graph import graph_of, type_of
from stormproof.languages.types.local import (
    Branch,
    End,
    Rec,
    Select,
    Stop,
    Var,
    layout_local,
    parse_local,
    show_local,
)
from stormproof.languages.types.translate import automaton
from stormproof.languages.types.wellformed import problems
from stormproof.oracle.local_types import CrashBroadcast, steps, traces
from tests.support.random_types import random_local_type

EXAMPLE = "mu t. B?{sig; A?{commit; t, crash; end}, save; A?{finish; end, crash; end}}"


def test_example_typeintype_gives_the_figure() -> None:
    """Four states as in the paper's Figure 4(b), and the loop in `end` that the figure leaves out."""
    process = automaton("C", parse_local(EXAMPLE), ["A", "B", "C"], ["A"])
    assert len(process.states) == 4
    t0, t1, t2, end = process.states
    assert process.initial == t0
    assert set(process.transitions) == {
        (t0, Receive("B", "sig"), t1),
        (t0, Receive("B", "save"), t2),
        (t1, Receive("A", "commit"), t0),
        (t1, Receive("A", CRASH), end),
        (t2, Receive("A", "finish"), end),
        (t2, Receive("A", CRASH), end),
        (end, Receive("A", CRASH), end),
    }


@pytest.mark.parametrize(
    "text",
    [
        "Shop!order; end",
        "shop⊕order",
        "shop(+)order . end",
        "Shop!order",
        "{Shop!order; end}",
        "(Shop ! order ; ( end ))  # a comment",
        "Shop!order; // a comment\n end",
        'Shop!"order"; end',
    ],
)
def test_spellings_of_a_send(text: str) -> None:
    found = parse_local(text)
    assert isinstance(found, Select) and found.peer.lower() == "shop"
    assert found.branches[0].message == "order" and found.branches[0].then == End()


@pytest.mark.parametrize(
    "text", ["mu t. A?m; t", "rec t . A&m . t", "μ(t)A&m.t", "rec(t)(A?m; t)", "μ t. A?m. t"]
)
def test_spellings_of_recursion(text: str) -> None:
    found = parse_local(text)
    assert isinstance(found, Rec) and found.name == "t"
    assert isinstance(found.body, Branch) and found.body.branches[0].then == Var("t")


def test_payloads_are_part_of_the_message_and_blanks_are_normalised() -> None:
    for text in ("A!buy(Order,o:Customer)", "A!buy ( Order ,  o : Customer )"):
        found = parse_local(text)
        assert isinstance(found, Select) and found.branches[0].message == "buy(Order, o: Customer)"
    empty = parse_local("A!buy()")
    assert isinstance(empty, Select) and empty.branches[0].message == "buy"
    nested = parse_local("A!buy(f(int, (str)))")
    assert isinstance(nested, Select) and nested.branches[0].message == "buy(f(int, (str)))"


def test_crash_is_the_crash_message_and_no_word_of_the_user() -> None:
    found = parse_local('A?{ok, crash, "crash"}')
    assert isinstance(found, Branch)
    assert [b.message for b in found.branches] == ["ok", CRASH, "crash"]
    assert parse_local(show_local(found)) == found


@pytest.mark.parametrize("style", ["storm", "ctx"])
def test_printing_and_parsing_are_inverse(style: str) -> None:
    found = parse_local(EXAMPLE)
    assert parse_local(show_local(found, style)) == found
    assert parse_local(layout_local(found, style, width=20)) == found


def error(text: str, role: str = "C", roles: str = "ABC", unreliable: str = "A") -> InputError:
    with pytest.raises(InputError) as caught:
        automaton(role, parse_local(text, "t.storm"), list(roles), list(unreliable))
    assert caught.value.place is not None and caught.value.place.line is not None, caught.value
    return caught.value


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("mu t. t", 7, "before it has sent or received"),
        ("mu t. mu s. t", 13, "before it has sent or received"),
        ("B!m; mu t. mu s. B!m; mu u. u", 29, "before it has sent or received"),
        ("mu t. B!m; s", 12, "variable 's', which is not bound"),
        ("B!{x; mu t. B!m; t, y; t}", 24, "not bound"),
        ("B!{x; mu t. B!m; t, y; mu t. B!n; t}", 27, "binds the variable 't' twice"),
        ("B!{x; end, x; B!m}", 12, "two branches 'x'"),
        ("B!{x; end, crash; end}", 12, "crash is not a message that one chooses"),
        ("B?{x; end, crash; end}", 12, "crash branch for B, which is reliable"),
        ("B?x; A?y", 8, "role A may crash, but C has no crash branch when it waits here for 'y' from A"),
        ("C!x", 1, "sends to itself"),
        ("D?x", 1, "unknown role 'D'"),
    ],
)
def test_ill_formed_types_are_located(text: str, column: int, words: str) -> None:
    found = error(text)
    assert words in found.message
    assert found.place is not None
    assert (found.place.file, found.place.line, found.place.column) == ("t.storm", 1, column)


def test_a_missing_crash_branch_says_what_to_add() -> None:
    assert "add:  {y; ..., crash; end}   or drop 'unreliable' before role A" in str(error("B?x; A?y"))
    assert "add:  crash; end   or drop 'unreliable' before role A" in str(error("A?{x, y}"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expected a type"),
        ("A!", "expected a message"),
        ("A!{}", "at least one message"),
        ("A!{m; end", "',' or '}'"),
        ("A!m; end end", "left over"),
        ("A!m(int; end", "never closed"),
        ("A?crash(int)", "carries nothing"),
        ("mu 1. A!m", "the name of a variable"),
        ("mu t A!m", "expected '.'"),
        ("{A!m, B!m}", "all send to one role"),
        ("{end}", "starts with a send or a reception"),
        ("(A!m", "expected ')'"),
        ('A!"', "expected a message"),
        ("A!m; ?", "expected a type"),
    ],
)
def test_bad_syntax(text: str, words: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_local(text)
    assert words in caught.value.message and caught.value.place is not None


def test_depth_costs_no_stack() -> None:
    deep = parse_local("A!m; " * 20_000 + "end")
    assert show_local(deep) == "A!m; " * 20_000 + "end"
    assert len(automaton("C", deep, ["A", "C"]).states) == 20_001
    nested = parse_local("mu t. A?{m; " * 1 + "A?{m; " * 3_000 + "t" + ", x; end}" * 3_001)
    assert parse_local(layout_local(nested)) == nested
    brackets = parse_local("(" * 50_000 + "end" + ")" * 50_000)
    assert brackets == End()
    with pytest.raises(ParseError):
        parse_local("(" * 50_000)


def automaton_traces(process: Process, length: int) -> set[tuple[Action, ...]]:
    found: set[tuple[Action, ...]] = {()}
    queue: list[tuple[tuple[Action, ...], str]] = [((), process.initial)]
    for before, at in queue:
        for _, action, target in process.outgoing(at):
            trace = (*before, action)
            found.add(trace)
            if len(trace) < length:
                queue.append((trace, target))
    return found


@pytest.mark.parametrize("chunk", range(10))
def test_translation_of_random_types(chunk: int) -> None:
    """A CSA, directed but for `end` and `stop`, crash-handling, cleaning up, with the traces of the type."""
    for seed in range(chunk * 50, chunk * 50 + 50):
        rng = random.Random(seed)
        roles = ["A", "B", "C", "D"][: rng.randint(2, 4)]
        unreliable = [r for r in roles if rng.random() < 0.5]
        type_ = random_local_type(rng, "A", roles, unreliable, depth=3)
        process = automaton("A", type_, roles, unreliable)
        assert not process.mixed_states and not process.nondeterministic_states, seed
        assert set(process.undirected_states) <= {"end", "stop"}, seed
        others = [Process(r, "rest", reliable=r not in unreliable) for r in roles[1:]]
        found = crash_handling(System((process, *others)))
        assert not [m for m in found.missing if m.process == "A"] and not found.misplaced, seed
        assert not [m for m in found.unclean if m.process == "A"], seed
        assert traces("A", type_, roles, unreliable, 5) == automaton_traces(process, 5), seed


@pytest.mark.parametrize("chunk", range(5))
def test_random_types_survive_printing_and_graphs(chunk: int) -> None:
    for seed in range(chunk * 50, chunk * 50 + 50):
        type_ = random_local_type(random.Random(seed), unreliable=["B"], depth=4)
        for style in ("storm", "ctx"):
            assert parse_local(show_local(type_, style)) == type_, seed
            assert parse_local(layout_local(type_, style, width=30)) == type_, seed
        again = type_of(graph_of(type_))
        assert all(p.warning for p in problems("A", again, ["A", "B", "C"], ["B"])), seed
        assert traces("A", again, "ABC", "B", 5) == traces("A", type_, "ABC", "B", 5), seed


def test_the_rules() -> None:
    """LR1 to LR5, one by one."""
    type_ = parse_local("mu t. B?{a; t, crash; C!m}")
    found = dict(steps("A", type_, "ABC", "AB"))
    assert set(found) == {Receive("B", "a"), Receive("B", CRASH), CrashBroadcast(("B", "C"))}
    assert found[Receive("B", "a")] == type_
    assert found[Receive("B", CRASH)] == parse_local("C!m")
    assert found[CrashBroadcast(("B", "C"))] == Stop()
    assert dict(steps("A", End(), "ABC", "AB")) == {Receive("B", CRASH): End()}
    assert dict(steps("A", Stop(), "ABC", "ABC")) == {
        Receive("B", CRASH): Stop(),
        Receive("C", CRASH): Stop(),
    }
    assert dict(steps("A", End(), "ABC", "A")) == {}
    assert set(dict(steps("A", parse_local("B!m"), "AB", ""))) == {Send("B", "m")}


def test_warnings_do_not_stop_the_translation() -> None:
    standby = parse_local("B?crash; C?req; C!resp")
    assert [p.warning for p in problems("A", standby, "ABC", "B")] == [True]
    assert "nothing but the crash of B" in problems("A", standby, "ABC", "B")[0].message
    automaton("A", standby, "ABC", "B")
    again = parse_local("mu t. B?{a; t, crash; C!m; t}")
    (warning,) = problems("A", again, "ABC", "B")
    assert warning.warning and "after it learned that B crashed" in warning.message
    automaton("A", again, "ABC", "B")


def test_stop_as_a_type_is_the_state_after_the_broadcast() -> None:
    process = automaton("A", parse_local("B!{m; stop, n; end}"), "ABC", "A")
    assert {"stop", "end"} <= set(process.states)
    assert sum(s.startswith("stop") for s in process.states) == 1


def test_states_have_short_names() -> None:
    process = automaton("A", parse_local("mu loop. B!a; B!b; loop"), "AB", "AB")
    assert process.states == ("loop", "s1", "crashing", "stop")
