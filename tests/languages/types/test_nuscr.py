"""What nuScr and its relatives write beyond plain Scribble: numbers as names, annotations, conditions on
values, nested protocols, and further roles that learn of a crash."""

from __future__ import annotations

import logging

import pytest

from stormproof.errors import StormproofError
from stormproof.kernel.transform.crash_handling import crash_handling
from stormproof.languages import formats
from stormproof.languages.formats.scribble import sniff
from stormproof.languages.types.local import parse_local, show_local
from stormproof.languages.types.session import Session, session_of_scribble
from tests.support.peer_files import REFUSED_PROTOCOLS, peers


def session(text: str, protocol: str | None = None) -> Session:
    found = session_of_scribble(text, "p.nuscr", protocol)
    found.check()
    return found


def shown(found: Session) -> dict[str, str]:
    for type_ in found.types.values():
        assert parse_local(show_local(type_)) == type_
    return {role: show_local(type_) for role, type_ in found.types.items()}


def problem(text: str) -> StormproofError:
    with pytest.raises(StormproofError) as caught:
        session(text)
    assert caught.value.place is not None and caught.value.place.line is not None
    return caught.value


def test_names_may_be_numbers() -> None:
    text = """global protocol 2(role A, role 7) {
      rec 0 {
        1() from A to 7;
        choice at 7 { 2(Int) from 7 to A; continue 0; } or { 4a from 7 to A; 200() from A to 7; }
      }
    }"""
    found = shown(session(text))
    assert found["A"] == 'mu t0. "7"!1; "7"?{2(Int); t0, 4a; "7"!200; end}'
    system = session(text).system()
    for language in ("storm", "kmc", "scm", "json"):
        again = formats.loads(formats.dumps(system, language), language)
        assert [len(p.transitions) for p in again.processes] == [len(p.transitions) for p in system.processes]


@pytest.mark.parametrize("header", ["global protocol P", "protocol P", "global P"])
def test_either_word_of_the_header_is_enough(header: str) -> None:
    text = f"{header}(role A, role B) {{ m from A to B; }}"
    assert shown(session(text)) == {"A": "B!m; end", "B": "A?m; end"}
    assert sniff(text) and sniff(f"nested protocol Q(role C) {{}} {text}")


ANNOTATED = """global protocol P(role A, role B) @"x > 0" {
  m(x: int) from A to B; @"x > 1"
  do Q(B, A); @ "(x + 1)"
}
aux global protocol Q(role A, role B) { n() from A to B; //@ statename="done"
}"""


def test_annotations_are_left_out_with_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    assert shown(session(ANNOTATED)) == {"A": "B!m(x: int); B?n; end", "B": "A?m(x: int); A!n; end"}
    with caplog.at_level(logging.WARNING, "stormproof"):
        formats.loads(ANNOTATED, "scribble")
    (record,) = caplog.records
    assert "annotations and conditions on values are not checked: this one and 3 more" in record.message
    assert "1:35: warning: " in record.message and '@"x > 0"' in record.message


def test_an_annotation_without_its_text_is_refused() -> None:
    assert "'@' stands here" in str(problem("global protocol P(role A, role B) { m from A to B; @x }"))


def test_conditions_on_values_are_left_out_with_a_warning() -> None:
    text = """(*# RefinementTypes #*)
    global protocol P(role A, role B) {
      rec X [n<A, B>: int = 0] {
        choice at A { up(d: int{(d > 0) && d < 9}, int) from A to B; continue X [n + d]; }
        or { stop() from A to B; }
      }
    }"""
    found = session(text)
    assert shown(found)["B"] == "mu X. A?{up(d: int, int); X, stop; end}"
    assert [p.message for p in found.warnings] == [
        "annotations and conditions on values are not checked: this one and 2 more are left out"
    ]
    kept = "global protocol P(role A, role B) { m({a: int}) from A to B; }"
    assert shown(session(kept))["A"] == "B!m({a: int}); end"
    for cut in ("[n + d", "{(d > 0"):
        assert "never closed" in str(problem(text[: text.index(cut) + len(cut)]))


NESTED = "nested protocol N(role C, role D; new role E) {{ C calls N(E, D); }}\n{}"


def test_calls_are_refused_because_they_create_participants() -> None:
    found = problem(NESTED.format("global protocol P(role A, role B) { A calls N(A, B); }"))
    assert found.place is not None and found.place.line == 2
    assert "'A calls N' creates participants each time it is reached, without bound" in found.message
    inside = problem("protocol P(role A, role B) { rec X { choice at A { A calls P(A, B); } } }")
    assert "'calls' needs a nested protocol" in inside.message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            NESTED.format("global protocol P(role A, role B) { A calls N(A, A); }"),
            "one role plays two parts of N",
        ),
        (
            NESTED.format("global protocol P(role A, role B) { A calls N(A); }"),
            "N has 2 roles, but is called with 1",
        ),
        (NESTED.format("global protocol P(role A, role B) { A calls N(A, F); }"), "unknown role 'F'"),
        (NESTED.format("global protocol P(role A, role B) { F calls N(A, B); }"), "unknown role 'F'"),
        (
            NESTED.format("global protocol P(role A, role B) { A calls M(A, B); }"),
            "'M' is none that can be seen from here",
        ),
        (NESTED.format("global protocol P(role A, role B) { do N(A, B); }"), "'do' needs a global protocol"),
        (NESTED.format("global protocol P(role A, role B) { do P; }"), "P has 2 roles, but is called with 0"),
        (
            "global protocol P(role A) { nested protocol N(role B) {} nested protocol N(role B) {} }",
            "two nested",
        ),
        ("global protocol P(role A) {} nested protocol N(role B) {}", "before the global ones"),
        (
            "global protocol P(role A, role B) { m from A to B; nested protocol N(role B) {} }",
            "first in the protocol that calls it",
        ),
        ("nested protocol N(role A) {}", "there is no global protocol"),
        (
            "protocol P(role A) { nested protocol N(role B) { B calls M(B); } } "
            "protocol Q(role A) { nested protocol M(role B) {} }",
            "nested protocols here: N",
        ),
    ],
)
def test_wrong_calls_are_refused_as_nuscr_refuses_them(text: str, words: str) -> None:
    assert words in str(problem(text))


def test_nested_protocols_that_nobody_calls_are_left_out_with_a_warning() -> None:
    found = session("global protocol P(role A, role B) { nested protocol N(role C) {} m from A to B; }")
    assert shown(found)["A"] == "B!m; end"
    assert [p.message for p in found.warnings] == ["the nested protocol 'N' is never called and is left out"]
    assert session("global protocol P(role A, role B) { nested from A to B; }").warnings == ()


def test_nesting_costs_no_stack() -> None:
    depth = 20_000
    inner = "nested protocol N(role C) { " * depth + "}" * depth
    assert len(session(f"{inner} protocol P(role A, role B) {{ m from A to B; }}").warnings) == depth


LEARNED = """global protocol P(role A, reliable role B, reliable role C) {
  choice at A { m from A to B; choice at A { n from A to C; } or { crash from A to C; } }
  or { crash from A to B; %s }
}"""


def test_another_role_learns_of_a_crash_later_in_the_branch() -> None:
    found = session(LEARNED % "crash from A to C;")
    assert shown(found) == {
        "A": "B!m; C!n; end",
        "B": "A?{m; end, crash; end}",
        "C": "A?{n; end, crash; end}",
    }
    assert crash_handling(found.system()).holds
    between = session(
        """global protocol P(role A, reliable role B, reliable role C) {
             choice at A { m from A to B; p from B to C; }
             or { crash from A to B; x from B to C; crash from A to C; }
           }"""
    )
    assert shown(between)["C"] == "B?{p; end, x; A?crash; end}"


@pytest.mark.parametrize(
    ("behind", "words"),
    [
        ("crash from A to C; crash from A to B;", "B has learned of the crash of A before"),
        ("crash from A to B;", "B has learned of the crash of A before"),
        ("crash from B to C;", "only at the head of a branch"),
    ],
)
def test_crashes_that_nobody_can_learn_of(behind: str, words: str) -> None:
    assert words in str(problem(LEARNED % behind))


def test_a_crash_behind_a_choice_must_have_happened_in_every_branch() -> None:
    text = "global protocol P(role A, role B, role C) { choice at A { m from A to B; } or { %s } %s }"
    assert "only at the head" in str(problem(text % ("crash from A to B;", "crash from A to C;")))
    looped = (
        "rec X { choice at A { m from A to B; continue X; } or { crash from A to B; } } crash from A to C;"
    )
    reliable = "global protocol P(role A, reliable role B, reliable role C) { %s }"
    found = session_of_scribble(reliable % looped)
    assert show_local(found.types["C"]) == "A?crash; end"


@pytest.mark.parametrize("name", REFUSED_PROTOCOLS)
def test_why_peers_files_are_refused(name: str) -> None:
    assert REFUSED_PROTOCOLS[name] in str(problem(peers("nuscr", name).read_text()))


def test_values_of_protocols_and_parameters_of_nested_ones_are_read() -> None:
    text = """global protocol P(role A, role B)(x: int) @"x > 0
       && x < 9" { m from A to B; }"""
    found = session(text)
    assert shown(found)["A"] == "B!m; end" and len(found.warnings) == 1
    nested = "nested protocol N<sig M>(role C, role D; new role E)(x: int) { M from C to E; }\n"
    called = problem(nested + "global protocol P(role A, role B) { A calls N<m(int)>(A, B); }")
    assert "'A calls N' creates participants" in called.message


def test_a_loop_is_not_combined_with_anything() -> None:
    text = "protocol P(role A, role B) { rec X { m from A to B; continue X with { n from A to B; }; } }"
    assert "'continue ... with' is not supported" in str(problem(text))


def test_safe_roles_are_reliable() -> None:
    text = "protocol P(role A, safe role B) { choice at A { m from A to B; } or { crash from A to B; } }"
    assert session(text).system().unreliable == ("A",)


@pytest.mark.parametrize(
    ("nested", "words"),
    [
        ("(role C, role D) { m from C to E; }", "unknown role 'E'"),
        ("(role C, role D) { rec X { choice at E { m from C to D; } } }", "unknown role 'E'"),
        ("(role C, role D; new role C) { m from C to D; }", "the role 'C' is declared twice"),
    ],
)
def test_wrong_roles_of_a_nested_protocol_that_nobody_calls(nested: str, words: str) -> None:
    assert words in str(problem(f"nested protocol N{nested} protocol P(role A, role B) {{ m from A to B; }}"))


def test_every_protocol_of_a_file_is_well_formed_unless_one_is_chosen() -> None:
    text = "protocol P(role A, role B) { m from A to B; }\nprotocol Q(role A, role B) { m from A to C; }"
    found = problem(text)
    assert found.message == "unknown role 'C'" and found.place is not None and found.place.line == 2
    assert shown(session(text, "P"))["A"] == "B!m; end"
    assert shown(session(text.replace("protocol Q", "aux protocol Q")))["A"] == "B!m; end"
