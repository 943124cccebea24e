"""Equality up to the names of states, roles and payload sorts; where two systems part."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest

import stormproof as sp
from stormproof.kernel.equivalence.compare import compare
from stormproof.kernel.equivalence.isomorphism import isomorphism, role_matchings
from stormproof.kernel.equivalence.payload_aliases import SORTS, meaning, renaming
from stormproof.kernel.model.actions import CRASH, Action, Channel, Internal, Receive, Send, Transition
from stormproof.kernel.model.faults import ChannelFaults, Corruption
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System
from tests.support.equality import rename_states
from tests.support.peer_files import peers
from tests.support.random_systems import random_system


def line(*messages: str, peer: str = "B", name: str = "A") -> Process:
    """A process that sends one message after the other."""
    rows = [(f"{i}", Send(peer, m), f"{i + 1}") for i, m in enumerate(messages)]
    return Process(name, "0", tuple(rows))


def pair(*messages: str) -> System:
    return System([line(*messages), Process("B", "idle")])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("m(int)", "m(i32)"),
        ("m(p: int)", "m(p:i32)"),
        ("m(int, str)", "m(Integer,String)"),
        ("m<int>", "m(int32)"),
        ("m (bool)", "m(boolean)"),
        ("m", "m()"),
        ("m(unit)", "m"),
        ("m(())", "m()"),
        ("m(List<int>)", "m(List<i32>)"),
    ],
)
def test_spellings_of_one_message(one: str, other: str) -> None:
    assert meaning(one) == meaning(other)
    found = compare(pair(one), pair(other))
    assert found.equal and found.identified == ((Channel("A", "B"), one, other),)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("m(int)", "m(i64)"),
        ("m(int)", "m(u32)"),
        ("m(int)", "n(int)"),
        ("m(int)", "M(int)"),
        ("m(x: int)", "m(y: int)"),
        ("m(int: str)", "m(i32: str)"),
        ("m(java.lang.String)", "m(java.lang.str)"),
        ("m(std::String)", "m(std::str)"),
        ("int", "i32"),
        ("int(str)", "i32(str)"),
        ("m(int)", "m"),
        ("m(int)", "m(int, int)"),
        ("m(interval)", "m(i32erval)"),
        ("m(str)", "m(bool)"),
    ],
)
def test_different_messages(one: str, other: str) -> None:
    assert meaning(one) != meaning(other)
    assert not compare(pair(one), pair(other))


def test_no_word_is_in_two_sorts() -> None:
    words = [w for spellings in SORTS.values() for w in spellings]
    assert len(words) == len(set(words))


def test_messages_that_one_system_keeps_apart_are_never_merged() -> None:
    both = pair("m(int)", "m(i32)")
    assert compare(both, both).equal and not compare(both, both).identified
    assert not compare(both, pair("m(i32)", "m(int)"))
    assert not compare(both, pair("m(integer)", "m(i32)"))
    assert not compare(pair("m(int)", "m(int)"), both)
    # Also where the second spelling is only named by the receiver, or in a state that is never reached.
    named = System([line("m(int)"), Process("B", "s", [("s", Receive("A", "m(i32)"), "s")])])
    assert renaming(named, pair("m(i32)")) == {}
    rows = (*line("m(int)").transitions, Transition("x", Send("B", "m(i32)"), "x"))
    lost = System([replace(line("m(int)"), transitions=rows), Process("B", "idle")])
    assert renaming(lost, pair("m(i32)")) == {}


def test_each_channel_has_its_own_spelling() -> None:
    """A program may write `int` to one peer and `i32` to another."""

    def star(to_b: str, to_c: str) -> System:
        a = Process("A", "0", (("0", Send("B", to_b), "1"), ("1", Send("C", to_c), "2")))
        return System([a, Process("B", "s"), Process("C", "s")])

    found = compare(star("m(int)", "m(i32)"), star("m(i32)", "m(int)"))
    assert found.equal and len(found.identified) == 2


def test_corruption_across_channels_needs_one_bijection() -> None:
    """Under corruption among all messages of the system, what another channel carries is not all one."""

    def star(to_b: str, to_c: str, scope: str) -> System:
        a = Process("A", "0", (("0", Send("B", to_b), "1"), ("1", Send("C", to_c), "2")))
        faults = (ChannelFaults("A", "B", corrupt=Corruption(scope)),)
        return System([a, Process("B", "s"), Process("C", "s")], faults=faults)

    for scope, equal in (("channel", True), ("sender", False), ("system", False)):
        # One name for both channels on the left, two on the right.
        assert bool(compare(star("m(int)", "m(int)", scope), star("m(i32)", "m(int)", scope))) is equal
        assert compare(star("m(int)", "m(int)", scope), star("m(i32)", "m(i32)", scope)).equal


def test_declared_corruptions_are_spelt_too() -> None:
    def lossy(*messages: str) -> System:
        corrupt = Corruption(pairs=((messages[0], messages[1]),))
        return replace(pair(*messages), faults=(ChannelFaults("A", "B", corrupt=corrupt),))

    assert compare(lossy("m(int)", "n(int)"), lossy("m(i32)", "n(i32)")).equal
    other = compare(lossy("m(int)", "n(int)"), replace(lossy("m(i32)", "n(i32)"), faults=()))
    assert not other and other.same_traces and other.differences[0].kind == "faults"


def test_declared_faults_are_compared_by_what_they_mean() -> None:
    def declared(*faults: ChannelFaults) -> System:
        return replace(pair("a", "b", "c"), faults=faults)

    def corrupt(*pairs: tuple[str, str]) -> System:
        return declared(ChannelFaults("A", "B", corrupt=Corruption(pairs=pairs)))

    assert compare(declared(), declared(ChannelFaults("A", "B"))).equal
    assert compare(declared(), corrupt(("a", "a"))).equal
    assert compare(corrupt(("a", "b"), ("b", "c")), corrupt(("b", "c"), ("a", "c"), ("a", "b"))).equal
    assert not compare(corrupt(("a", "b"), ("b", "c")), corrupt(("a", "b")))
    assert not compare(declared(), declared(ChannelFaults("A", "B", loss=True)))


def sentences(first: System, second: System, **options: Any) -> list[str]:
    return [d.sentence for d in compare(first, second, called=("L", "R"), **options).differences]


def test_a_message_that_one_lacks() -> None:
    found = compare(pair("a", "b"), pair("a"), called=("L", "R"))
    assert not found and found.same_traces is False
    assert [d.sentence for d in found.differences] == [
        "after A sends a to B, it can send b to B in L, but not in R, where it rests"
    ]
    assert found.differences[0].trace == (Send("B", "a"),)
    assert found.differences[0].only_left == (Send("B", "b"),)


def test_the_start_and_long_traces_and_instead() -> None:
    assert sentences(pair("a"), pair("b")) == ["at the start A can send a to B in L, and send b to B in R"]
    assert sentences(pair("a", "b", "c", "a", "e"), pair("a", "b", "c", "a", "f")) == [
        "after the 4 actions B!a · B!b · B!c · B!a of A, it can send e to B in L, and send f to B in R"
    ]
    assert sentences(pair("a", "a"), pair("a", "a", "a(int)"))[0].startswith(
        "after A sends a to B and then sends a to B, it can send a(int) to B in R, but not in L"
    )


def test_the_other_side_keeps_its_spelling() -> None:
    """`n(i32)` is the second's own name for what would be `n(int)` here."""
    first = System([line("m(int)", "x"), Process("B", "s", [("s", Receive("A", "n(int)"), "s")])])
    second = System([line("m(i32)", "n(i32)"), Process("B", "s", [("s", Receive("A", "n(i32)"), "s")])])
    assert sentences(first, second) == [
        "after A sends m(int) to B, it can send x to B in L, and send n(i32) to B in R"
    ]


def test_crashes_are_told_as_crashes() -> None:
    def crashing(*rows: tuple[str, Action, str]) -> System:
        return System([Process("A", "s", rows), Process("B", "s", [("s", Receive("A", CRASH), "s")])])

    one = crashing(("s", Internal("crash"), "t"), ("t", Send("B", CRASH), "u"))
    assert sentences(one, crashing()) == ["at the start A can crash in L, but not in R, where it rests"]
    assert sentences(one, crashing(("s", Internal("crash"), "t"))) == [
        "after A crashes, it can send its crash notice to B in L, but not in R, where it rests"
    ]
    assert sentences(crashing(), pair()) == [
        "at the start B can take the crash notice of A in L, but not in R, where it rests"
    ]


def test_roles_and_reliability() -> None:
    assert sentences(pair("a"), System([line("a", peer="C"), Process("C", "s")])) == [
        "L has the role B, which R has not",
        "R has the role C, which L has not",
    ]
    found = compare(pair("a"), pair("a").with_unreliable(["A"]), called=("L", "R"))
    assert not found and found.same_traces
    assert [d.sentence for d in found.differences] == ["A may crash in R and never crashes in L"]


def test_the_order_of_roles_and_unreachable_states_do_not_count() -> None:
    first = pair("a")
    assert compare(first, System(tuple(reversed(first.processes)), name="other")).equal
    unreachable = Transition("x", Send("B", "a"), "y")
    lost = replace(first["A"], transitions=(*first["A"].transitions, unreachable))
    assert compare(first, System([lost, first["B"]])).equal


def test_unreachable_messages_count_where_a_corruption_may_make_them() -> None:
    first = replace(pair("a"), faults=(ChannelFaults("A", "B", corrupt=Corruption()),))
    lost = replace(first["A"], transitions=(*first["A"].transitions, Transition("x", Send("B", "z"), "y")))
    assert sentences(first, replace(first, processes=(lost, first["B"]))) == [
        "only one of the two names z on A→B, which a corruption may make"
    ]


def test_same_traces_but_other_states() -> None:
    loop = Process("A", "s", [("s", Send("B", "a"), "s")])
    twice = Process("A", "p", [("p", Send("B", "a"), "q"), ("q", Send("B", "a"), "p")])
    found = compare(System([loop, Process("B", "x")]), System([twice, Process("B", "x")]), called=("L", "R"))
    assert not found and found.same_traces
    assert [d.sentence for d in found.differences] == [
        "A has the same traces in both, but other states: it has 1 state and 1 transition in L and 2 states "
        "and 2 transitions in R; s of L does what p and q of R do"
    ]


def test_same_traces_of_nondeterministic_automata_promise_nothing() -> None:
    early = Process(
        "A", "s", [("s", Send("B", "a"), "t"), ("s", Send("B", "a"), "u"), ("t", Send("B", "b"), "v")]
    )
    late = Process("A", "s", [("s", Send("B", "a"), "t"), ("t", Send("B", "b"), "v")])
    found = compare(System([early, Process("B", "x")]), System([late, Process("B", "x")]))
    assert not found and found.same_traces
    assert found.differences[0].sentence.endswith("equal traces do not mean equal behaviour")


def test_a_limit_leaves_the_traces_open() -> None:
    loop = Process("A", "s", [("s", Send("B", "a"), "s")])
    twice = Process("A", "p", [("p", Send("B", "a"), "q"), ("q", Send("B", "a"), "p")])
    systems = [System([p, Process("B", "x")]) for p in (loop, twice)]
    found = compare(*systems, most_pairs=1)
    assert found.equal is False and found.same_traces is None
    assert "not all were tried" in found.differences[0].sentence


def test_up_to_role_names() -> None:
    first = pair("a", "b")
    second = first.rename(processes={"A": "Client", "B": "Server"})
    assert not compare(first, second)
    found = compare(first, second, any_roles=True)
    assert found.equal and found.roles == {"A": "Client", "B": "Server"}
    assert found.states["A"] == {"0": "0", "1": "1", "2": "2"}
    assert sentences(
        first, pair("a", "c").rename(processes={"A": "Client", "B": "Server"}), any_roles=True
    ) == ["after A sends a to B, it can send b to B in L, and send c to Server in R"]
    assert sentences(first, System([Process("A", "s")]), any_roles=True) == ["L has 2 roles and R has 1"]


def test_too_many_matchings_are_undecided() -> None:
    """Rings of nine equal roles in one circle, and in three: locally all roles look alike."""

    def rings(size: int) -> System:
        names = [f"P{i}" for i in range(9)]
        after = {i: i - i % size + (i + 1) % size for i in range(9)}
        return System(
            [Process(n, "s", [("s", Send(names[after[i]], "m"), "s")]) for i, n in enumerate(names)]
        )

    assert compare(rings(9), rings(9), any_roles=True).equal
    assert compare(rings(9), rings(3), any_roles=True).equal is False
    found = compare(rings(9), rings(3), any_roles=True, most_matchings=0)
    assert found.equal is False
    hidden = [
        System([*rings(9), Process("Q", "s", tuple(rows))])
        for rows in (
            [("s", Internal("i"), "t"), ("t", Internal("i"), "t"), ("t", Internal("j"), "s")],
            [("s", Internal("i"), "t"), ("t", Internal("i"), "s"), ("t", Internal("j"), "t")],
        )
    ]
    assert compare(*hidden, any_roles=True, most_matchings=3).equal is None


def all_matchings(first: System, second: System) -> bool:
    """Up to role names by the definition: some permutation makes the systems equal."""
    for images in permutations(first.names):
        names = dict(zip(second.names, images, strict=True))
        if compare(first, second.rename(processes=names)).equal:
            return True
    return False


def test_role_matchings_miss_nothing() -> None:
    equal = 0
    for seed in range(300):
        rng = random.Random(seed)
        first = random_system(rng, processes=3, messages=1)
        if rng.random() < 0.5:
            names = list(first.names)
            rng.shuffle(names)
            second = first.rename(processes=dict(zip(first.names, names, strict=True)))
        else:
            second = random_system(rng, processes=3, messages=1)
        expected = all_matchings(first, second)
        equal += expected
        assert compare(first, second, any_roles=True).equal == expected, seed
        assert expected <= bool(list(role_matchings(first, second))), seed
    assert equal > 100


def test_long_automata_are_compared_in_one_walk() -> None:
    first, second = (pair(*(["a"] * 20_000 + [end])) for end in ("b", "c"))
    assert isomorphism(first["A"], rename_states(first["A"], {"7": "seven"})) is not None
    assert len(compare(first, second).differences[0].trace) == 20_000


def test_automata_that_only_a_search_tells_apart() -> None:
    """Cycles of three and of six states, all entered from the start: to count neighbours tells nothing."""

    def cycles(size: int) -> System:
        after = {i: i - i % size + (i + 1) % size for i in range(24)}
        rows = [("s", Send("B", "a"), f"{i}") for i in after]
        rows += [(f"{i}", Send("B", "a"), f"{j}") for i, j in after.items()]
        return System([Process("A", "s", tuple(rows)), Process("B", "s")])

    assert compare(cycles(3), cycles(3)).equal
    assert compare(cycles(3), cycles(6)).equal is False


def test_long_nondeterministic_automata_are_told_apart() -> None:
    """Colours are split from one end to the other, state by state; not all of them again for each."""

    def fork(end: str) -> System:
        rows = [(f"{i}", Send("B", "a"), f"{i + 1}") for i in range(3_000)]
        rows += [("0", Send("B", "a"), "x"), ("3000", Send("B", end), "y")]
        return System([Process("A", "0", tuple(rows)), Process("B", "s")])

    assert compare(fork("b"), fork("b")).equal
    assert len(compare(fork("b"), fork("c")).differences[0].trace) == 3_000


def test_simple_auth_projects_to_the_automata_beside_it() -> None:
    """Read as users' files are; the DOT files spell the payload type `int` as `i32`."""
    protocol = sp.load(peers("dot", "simple_auth.nuscr"))
    drawn = sp.load([peers("dot", f"simple_auth_{role}_expected.dot") for role in "CS"])
    found = sp.compare(protocol, drawn)
    assert found.equal
    assert {(s.first, s.second) for s in found.identified} == {
        (f"{m}: int)", f"{m}: i32)")
        for m in ("SetPw(p", "Password(x", "RetRes(r", "Success(r", "Failure(r", "RetX(x")
    }
