"""Protocols that are refused: what the message says, and which place it names."""

from __future__ import annotations

import pytest

from tests.support.sessions import problem, session


def test_the_branches_that_do_not_merge_are_named() -> None:
    found = problem(
        """global protocol Buy(role Buyer, role Shop, role Bank) {
  order from Buyer to Shop;
  choice at Shop {
    price(int) from Shop to Buyer;
    pay from Buyer to Bank;
  } or {
    soldOut from Shop to Buyer;
  }
}"""
    )
    assert found.place is not None and (found.place.line, found.place.column) == (3, 3)
    for words in (
        "does not project to Bank",
        "how Shop chooses",
        "branch 1 ('price(int)', line 4)",
        "waits for 'pay' from Buyer",
        "branch 2 ('soldOut', line 7)",
        "is done",
    ):
        assert words in found.message


def test_branches_that_part_later_are_blamed_on_their_choice() -> None:
    """C hears the same message in both branches of the outer choice and only then would have to know."""
    found = problem(
        """global protocol P(role A, role B, role C) {
  choice at A {
    x from A to B; same from B to C; u from C to B;
  } or {
    choice at A { y from A to B; } or { z from A to B; }
    same from B to C; v from C to B;
  }
}"""
    )
    assert found.place is not None and found.place.line == 2 and "project to C" in found.message
    assert "sends 'u' to B" in found.message and "sends 'v' to B" in found.message


def test_a_missing_crash_branch_is_a_sentence_with_its_place() -> None:
    found = problem(
        """global protocol Buy(reliable role Buyer, role Shop) {
  order from Buyer to Shop;
  price(int) from Shop to Buyer;
}"""
    )
    assert str(found) == (
        "p.nuscr:3:3: role Shop may crash, but Buyer has no crash branch when it waits here for 'price(int)' "
        "from Shop\n"
        "    3 |   price(int) from Shop to Buyer;\n"
        "      |   ^^^^^ add:  or { crash from Shop to Buyer; ... }   or declare:  reliable role Shop"
    )


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("m from A to D;", "unknown role 'D'"),
        ("m from A to A;", "to itself"),
        ("m from A to B, B;", "twice"),
        ("continue X;", "no 'rec X' around it"),
        ("rec X { continue X; }", "repeats without any message"),
        ("rec X { m from A to B; continue X; n from A to B; }", "nothing is reached after"),
        ("crash from A to B;", "at the head of a branch"),
        ("choice at A { m from A to B; crash from A to B; }", "at the head of a branch"),
        ("choice at A { m from A to B; } or { crash from B to A; }", "starts with the crash of B"),
        ("choice at A { m from A to B; } or { n from B to A; }", "starts with a message of B"),
        ("choice at A { m from A to B; } or { }", "may end without any message"),
        (
            "choice at A { m from A to B; } or { m from A to B; n from A to B; }",
            "start with the same message 'm'",
        ),
        ("choice at A { m from A to B; } or { n from A to C; }", "sending to B and sending to C"),
        ("do Q(A, B);", "unknown protocol 'Q'"),
        ("do P(A, B);", "has 3 roles, but is called with 2"),
        ("do P(A, B, A);", "two parts"),
        ("do P(A, B, C); m from A to B;", "calls itself and then goes on"),
        ("m(int from A to B;", "never closed"),
        ("m form A to B;", "expected 'from'"),
        ("m from A to B", "expected ',' or ';'"),
        ("crash(int) from A to B;", "reserved"),
        ("choice at A { m from A to B; ", "never closed"),
        ("chioce at A { m from A to B; }", "expected 'from'"),
        ("rec { m from A to B; }", "write  rec Name { ... }"),
        ("par { m from A to B; } and { n from B to A; }", "parallel composition is not supported"),
        ("choice at A { m from A to B; } else { n from A to B; }", "separated by  or"),
        ("() from A to B;", "needs a label or a payload"),
        ("do P<M>(A, B, C);", "P has no parameters, but is called with 1 arguments"),
        ("do P<M(A, B, C);", "'<' is never closed"),
        ("do P<crash>(A, B, C);", "reserved"),
        ("m(/* ) */ int from A to B;", "'(' is never closed"),
    ],
)
def test_wrong_protocols(body: str, words: str) -> None:
    found = problem(f"global protocol P(role A, role B, role C) {{\n{body}\n}}")
    assert words in f"{found.message} {found.hint}" and found.place is not None, found
    assert found.place.line is not None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no protocol"),
        ("global protocol P(role A, role A) {}", "declared twice"),
        ("global protocol P(A) {}", "expected 'role' or 'reliable'"),
        ("global protocol P(role A) {} global protocol P(role A) {}", "two protocols"),
        ("global protocl P(role A) {}", "did you mean 'protocol'?"),
        ("local protocol P at A(role A) {}", "only global protocols are read"),
        ("(* open", "never closed"),
        ("/* open", "never closed"),
        ("global protocol P<sig M, type M>(role A) {}", "'M' is declared twice"),
        ("global protocol P<sig crash>(role A) {}", "reserved"),
        ("global protocol P<M>(role A) {}", "expected 'sig' or 'type' or 'data'"),
        ("global protocol P<sig M>(role A, role B) { M(int) from A to B; }", "stands for a whole message"),
    ],
)
def test_wrong_files(text: str, words: str) -> None:
    assert words in str(problem(text))


def test_an_unknown_protocol_is_a_wrong_question() -> None:
    with pytest.raises(ValueError, match="unknown protocol 'Man'; protocols here: Main"):
        session("global protocol Main(role A) {}", "Man")


def test_a_choice_behind_another_is_blamed_itself() -> None:
    """The continuation of the first choice is shared by its branches; the second choice is what C misses."""
    found = problem(
        """global protocol P(role A, role B, role C) {
  choice at A { x from A to B; } or { y from A to B; }
  choice at A {
    p from A to B; same from B to C; u from C to B;
  } or {
    q from A to B; same from B to C; v from C to B;
  }
}"""
    )
    assert found.place is not None and found.place.line == 3, found
    assert "('p', line 4)" in found.message and "('q', line 6)" in found.message
