"""Scribble and nuScr protocols: reading, projection with full merging, systems."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from stormproof.errors import InputError, ParseError
from stormproof.kernel.model.actions import CRASH
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System
from stormproof.kernel.transform.crash_handling import crash_handling
from stormproof.languages import formats
from stormproof.languages.types import global_graph
from stormproof.languages.types.local import parse_local, show_local
from stormproof.languages.types.scribble import parse_scribble
from stormproof.languages.types.session import Session, session_of_scribble, session_of_types
from stormproof.oracle import bounded
from tests.support.peer_files import peers, readable_protocols
from tests.support.random_types import random_global_text
from tests.support.sessions import problem, session, three, two


def shown(found: Session) -> dict[str, str]:
    return {role: show_local(type_) for role, type_ in found.types.items()}


def test_messages_choices_and_recursion() -> None:
    found = two(
        """hello(int) from A to B;
           rec X { choice at B { more() from B to A; continue X; } or { bye from B to A; } }"""
    )
    assert shown(found) == {
        "A": "B!hello(int); mu X. B?{more; X, bye; end}",
        "B": "A?hello(int); mu X. A!{more; X, bye; end}",
    }


def test_what_follows_a_choice_or_a_recursion() -> None:
    found = two("choice at A { x from A to B; } or { y from A to B; } z from B to A;")
    assert shown(found)["A"] == "B!{x; B?z; end, y; B?z; end}"
    found = two("rec X { choice at A { x from A to B; continue X; } or { y from A to B; } } z from B to A;")
    assert shown(found)["B"] == "mu X. A?{x; X, y; A!z; end}"


def test_several_receivers_are_told_one_after_the_other() -> None:
    assert shown(three("m from A to C, B;"))["A"] == "C!m; B!m; end"


def test_payload_forms() -> None:
    found = two("buy( Order ,o : Customer) from A to B; (int) from A to B; end() from B to A;")
    assert [str(t.action) for t in found.system()["A"].transitions] == [
        "B!buy(Order, o: Customer)",
        "B!(int)",
        "B?end",
    ]


COMMENTS = """
// line
/* block (* not opened */
(* nested (* twice *) still
   (*) hides *) the rest of its line
*)
(*# Pragma #*)
(*) a line comment
module m;
type <rust> "String" from "std" as Text;
global protocol P(role A, role B) { (* here too *) m from A /* and here */ to B; // end
}
"""


def test_comments_pragmas_and_declarations() -> None:
    assert shown(session(COMMENTS)) == {"A": "B!m; end", "B": "A?m; end"}


def test_a_role_that_is_not_told_but_does_not_care() -> None:
    """C takes part in neither branch, or in both alike."""
    assert shown(three("choice at A { x from A to B; } or { y from A to B; }"))["C"] == "end"
    found = three("choice at A { x from A to B; } or { y from A to B; } m from B to C;")
    assert shown(found)["C"] == "B?m; end"


def test_full_merging() -> None:
    """Labels that only one branch has are joined, and the continuations of common ones merge in turn."""
    found = three(
        """choice at A { y from A to B; n from B to C; p from C to B; }
           or { z from A to B; m from B to C; p from C to B; q from B to C; }
           or { u from A to B; m from B to C; p from C to B; r from B to C; }"""
    )
    assert shown(found)["C"] == "B?{n; B!p; end, m; B!p; B?{q; end, r; end}}"


def test_a_loop_that_leaves_a_role_out_until_it_ends() -> None:
    found = three(
        "rec X { choice at A { x from A to B; continue X; } or { y from A to B; done from B to C; } }"
    )
    assert shown(found)["C"] == "B?done; end"


def test_merging_through_recursion() -> None:
    """The branch `continue X` starts with the first message of X."""
    found = two("rec X { m from A to B; choice at A { continue X; } or { fin from A to B; } }")
    assert shown(found)["B"] == "A?m; mu t. A?{m; t, fin; end}"


PROTOCOLS = """
aux global protocol Loop(role X, role Y) { ping from X to Y; do Swap(Y, X); }
aux global protocol Swap(role S, role T) {
  choice at S { again from S to T; do Loop(S, T); } or { stop from S to T; }
}
global protocol Main(role A, role B) { hello from A to B; do Loop(A, B); }
global protocol Other(role A, role B) { do Once(B, A); do Once(A, B); }
aux global protocol Once(role A, role B) { m from A to B; }
"""


def test_calls_between_protocols() -> None:
    found = session(PROTOCOLS)
    assert found.name == "Main"
    assert shown(found)["A"] == "B!hello; mu t. B!ping; B?{again; B?ping; B!{again; t, stop; end}, stop; end}"
    assert shown(session(PROTOCOLS, "Other"))["A"] == "B?m; B!m; end"


def test_empty_protocols_and_only_aux() -> None:
    assert shown(session("aux global protocol P(role A) { }")) == {"A": "end"}


def test_reliability() -> None:
    assert two("m from A to B;").unreliable == ()
    text = "global protocol P(role A, reliable role B) { m from B to A; }"
    found = session(text)
    assert found.unreliable == ("A",)
    assert [p.reliable for p in found.system()] == [False, True]
    crashing = two("choice at A { m from A to B; } or { crash from A to B; }")
    with pytest.raises(InputError, match="crash branch"):
        two("choice at A { m from A to B; n from B to A; } or { crash from A to B; }").system()
    assert crashing.unreliable == ("A", "B")
    assert shown(crashing) == {"A": "B!m; end", "B": "A?{m; end, crash; end}"}


def test_comments_within_payloads_are_comments() -> None:
    found = two(
        "m( /* a ) */ x : int, // b )\n (* c *) List<str> ) from A to B; n(/* nothing */) from B to A;"
    )
    assert shown(found)["A"] == "B!m(x: int, List<str>); B?n; end"


def test_message_and_type_parameters() -> None:
    """As if the protocol had been written out with its arguments."""
    called = session(
        """sig <java> "x.Foo" from "Foo.java" as Foo;
global protocol Main(role A, role B) { do P<Foo, Bar(int), str>(A, B); }
aux global protocol P<sig M, sig N, type T>(role X, role Y) {
  choice at X { M from X to Y; both(T, x: T, TT) from Y to X; do Q<T, Baz(T)>(Y, X); }
  or { N from X to Y; }
}
aux global protocol Q<type T, sig S>(role X, role Y) { S from X to Y; t(T: T) from X to Y; }"""
    )
    assert shown(called)["A"] == (
        "B!{Foo; B?both(str, x: str, TT); B?Baz(str); B?t(T: str); end, Bar(int); end}"
    )


def test_parameters_of_the_protocol_itself_stand_for_themselves() -> None:
    body = "M from A to B; m(T) from B to A; do P<M, T>(A, B);"
    text = f"global protocol P<sig M, type T>(role A, role B) {{ {body} }}"
    assert shown(session(text))["A"] == "mu t. B!M; B?m(T); t"


def test_parameters_change_places_in_a_recursion() -> None:
    text = "global protocol P<sig M, sig N>(role A, role B) { M from A to B; do P<N, M>(A, B); }"
    assert shown(session(text))["A"] == "mu t. B!M; B!N; t"


def test_arguments_that_grow_for_ever_are_refused() -> None:
    text = "global protocol P<type T>(role A, role B) { m(T) from A to B; do P<List<T>>(A, B); }"
    assert "grow with each call" in problem(text).message


def test_depth_and_length_cost_no_stack() -> None:
    long = "m from A to B;\n" * 20_000
    assert len(two(long).system()["A"].states) == 20_001
    nested = "choice at A { m from A to B; " * 3_000 + "x from A to B;" + "} or { n from A to B; }" * 3_000
    assert len(two(nested).system()["B"].states) == 3_002
    with pytest.raises(ParseError):
        parse_scribble("global protocol P(role A) {" * 3_000)


def test_many_choices_in_a_row_are_not_multiplied_out() -> None:
    """A role that does not see them looks through 2^60 paths."""
    row = "choice at A { x from A to B; } or { y from A to B; }\n" * 60
    found = three(row + "m from B to C;")
    assert show_local(found.type("C")) == "B?m; end"
    assert len(found.system()["A"].states) == 61
    with pytest.raises(InputError, match="as text this session type has more than"):
        show_local(found.type("A"))


def test_what_is_never_reached_is_a_warning() -> None:
    """Behind a recursion, or a call, without a way out; not behind one that may end, in whichever call."""
    for_ever = "rec X { m from A to B; continue X; }"
    found = two(f"{for_ever}\n after from B to A;\n more from A to B;")
    assert [w.message for w in found.warnings] == [
        "this is never reached: what stands before it goes on for ever"
    ]
    assert found.warnings[0].place is not None and found.warnings[0].place.line == 2
    assert not two(f"{for_ever}").warnings
    assert not two(
        "rec X { choice at A { m from A to B; continue X; } or { n from A to B; } } o from B to A;"
    ).warnings
    choice = "choice at A { a from A to B; do Q(A, B); } or { b from A to B; do R(A, B); }"
    calls = f"global protocol P(role A, role B) {{ {choice} }}"
    calls += "aux global protocol Q(role A, role B) { do F(A, B); do T(A, B); }"
    calls += "aux global protocol R(role A, role B) { do T(A, B); }"
    calls += f"aux global protocol F(role A, role B) {{ {for_ever} }}"
    calls += "aux global protocol T(role A, role B) { t from A to B; }"
    assert not session(calls).warnings


def test_a_choice_may_have_many_branches() -> None:
    """Joining and merging them takes time in their number, not in its square."""
    wide = " or ".join(f"{{ m{i} from A to B; t{i} from B to C; }}" for i in range(5_000))
    system = three(f"choice at A {wide}").system()
    assert [len(p.transitions) for p in system] == [5_000, 10_000, 5_000]


def test_calls_that_double_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(global_graph, "_MOST_NODES", 10_000)
    bomb = "".join(
        f"aux global protocol P{i}(role A, role B) {{ do P{i + 1}(A, B); do P{i + 1}(A, B); }}\n"
        for i in range(40)
    )
    text = f"{bomb}aux global protocol P40(role A, role B) {{ m from A to B; }}"
    assert "more than 10,000 steps" in problem(text).message


@pytest.mark.parametrize("chunk", range(10))
def test_random_protocols_project_to_safe_systems(chunk: int) -> None:
    """With every role reliable: directed CSA that are k-MC for some k up to 3."""
    projected = 0
    for seed in range(chunk * 30, chunk * 30 + 30):
        rng = random.Random(seed)
        telling = rng.choice((1.0, 1.0, 0.5))
        text = random_global_text(rng, rng.choice((2, 3, 3, 4)), rng.choice((2, 3)), telling)
        try:
            system = session(text).system()
        except InputError as error:
            assert telling < 1 and "does not project" in error.message, seed
            continue
        projected += 1
        assert system.csa and system.directed, seed
        assert any(_k_mc(system, k) for k in (1, 2, 3)), seed
    assert projected >= 15


def _k_mc(system: System, k: int) -> bool:
    return bounded.holds(bounded.explore(system, Failures().on(system), k), "k-mc")


@pytest.mark.parametrize("chunk", range(4))
def test_types_of_random_protocols_give_the_same_system(chunk: int) -> None:
    """Projected to types, printed, read again and translated, a protocol behaves as projected directly."""
    for seed in range(chunk * 25, chunk * 25 + 25):
        rng = random.Random(seed)
        found = session(random_global_text(rng, 3, 3))
        types = {role: parse_local(show_local(type_)) for role, type_ in found.types.items()}
        system, again = found.system(), session_of_types(types).system()
        for direct, via in zip(system, again, strict=True):
            assert _equivalent(direct, via), seed


def _equivalent(a: Process, b: Process) -> bool:
    """Deterministic automata with the same traces."""
    queue = [(a.initial, b.initial)]
    seen = set(queue)
    for p, q in queue:
        mine = {t.action: t.target for t in a.outgoing(p)}
        other = {t.action: t.target for t in b.outgoing(q)}
        if set(mine) != set(other):
            return False
        for action in mine:
            pair = (mine[action], other[action])
            if pair not in seen:
                seen.add(pair)
                queue.append(pair)
    return True


@pytest.mark.parametrize("path", readable_protocols())
def test_other_tools_protocols(path: Path) -> None:
    """Every protocol of every file is read, projected, translated, and explored."""
    text = path.read_text()
    for name in parse_scribble(text, path.name).protocols:
        found = session_of_scribble(text, path.name, name)
        system = found.system()
        handling = crash_handling(system)
        assert handling.holds and handling.cleans_up
        assert system.csa
        assert set(system.unreliable) == set(found.unreliable)
        for role, type_ in found.types.items():
            assert parse_local(show_local(type_)) == type_, role
        ts = bounded.explore(system, Failures().on(system), 1, most=200_000)
        if not system.unreliable:
            assert system.directed and bounded.holds(ts, "k-mc")


def test_which_roles_of_the_peers_may_crash() -> None:
    def unreliable(name: str) -> tuple[str, ...]:
        path = peers("teatrino", name)
        return session_of_scribble(path.read_text(), path.name).unreliable

    assert unreliable("a_PingPongAll.nuscr") == ()
    assert unreliable("b_PingPongNone.nuscr") == ("P", "Q")
    assert unreliable("f_TwoBuyerR.nuscr") == ("P", "Q")
    assert unreliable("o_LoggerIC.nuscr") == ("L",)
    assert unreliable("s_CBreakerASRec.nuscr") == ("R",)


def test_a_crashed_role_is_not_waited_for_in_its_own_projection() -> None:
    path = peers("teatrino", "o_LoggerIC.nuscr")
    found = session_of_scribble(path.read_text(), path.name)
    assert "crash" not in show_local(found.types["L"])
    assert any("after it learned that L crashed" in w.message for w in found.warnings)
    assert CRASH in {a.message for s in found.system()["I"].states for a in found.system()["I"].receives(s)}


def test_storm_files_warn_too(caplog: pytest.LogCaptureFixture) -> None:
    text = "protocol P\nunreliable role A = B!m; end\nrole B = A?crash; end\n"
    assert formats.loads(text, "storm").unreliable == ("A",)
    assert "B waits here for nothing but the crash of A" in caplog.text
