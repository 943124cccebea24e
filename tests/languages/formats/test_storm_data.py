"""Files with constants, variables and families: what is read, what is refused, and how they are laid out."""

from __future__ import annotations

import re
from random import Random

import pytest

from stormproof.errors import InputError, StormproofError, UsageError
from stormproof.languages.formats import dumps, fmt, loads
from stormproof.languages.formats.storm import read
from stormproof.languages.formats.storm_data import has_data
from stormproof.languages.formats.storm_occurrences import outline

GO_BACK_N = """protocol go-back-n
const window = 2
const numbers = 3
faults Sender <-> Receiver: loss

role Sender {
  var base, next: 0..numbers - 1 = 0
  open: Receiver!data(next) if (next - base) mod numbers < window -> open { next = (next + 1) mod numbers }
        Receiver?ack(n) if (n - base) mod numbers < (next - base) mod numbers -> open { base = n }
        Receiver?ack(_) -> open
        timeout if next != base -> open { next = base }
}

role Receiver {
  var expected: 0..numbers - 1
  want: Sender?data(expected) -> ack
        Sender?data(_) -> again
  ack: Sender!ack(expected) -> want { expected = (expected + 1) mod numbers }
  again: Sender!ack((expected - 1) mod numbers) -> want
}

rest Sender@open{base=next}
require window: never Sender.next = Sender.base & Receiver@ack
"""

FAMILY = """const n = 3
faults N[*] -> N[1]: loss
faults N[n]: stop
role N[i: 1..n] {
  s: N[*]!hello -> t
  t: N[_]?hello -> t
     timeout tired -> s
}
rest N[*]@{s, t}
durable N[2]@t
require never two i, j: N[i]@s & N[j]@s under loss on N[1] -> N[*], crash N[2] and N[3]
"""


def one_role(body: str, more: str = "") -> str:
    return f"const k = 2\nrole A {{\n{body}\n}}\nrole B {{ s: A?m(_) -> s\n A?n -> s }}\n{more}"


def test_a_file_is_laid_out_as_it_is_written_here() -> None:
    assert fmt(GO_BACK_N) == GO_BACK_N


@pytest.mark.parametrize("text", [GO_BACK_N, FAMILY])
def test_laying_out_twice_changes_nothing_and_means_the_same(text: str) -> None:
    wide = text.replace("(", "( ").replace(",", " , ").replace(" -> ", "  ->   ")
    assert fmt(fmt(wide)) == fmt(wide)
    assert read(fmt(wide)) == read(text)


def test_members_are_named_in_every_line_below_the_roles() -> None:
    system = read(FAMILY)
    assert {(f.sender, f.receiver) for f in system.faults} == {("N[2]", "N[1]"), ("N[3]", "N[1]")}
    assert [p.stop for p in system] == [False, False, True]
    assert system["N[2]"].durable == ("t",) and system["N[1]"].durable == ()
    assert all(p.rest == ("s", "t") for p in system), "in between no member rests"
    under = system.requirements[0].under
    assert under is not None and under.crash == ("N[2]", "N[3]")
    assert {(f.sender, f.receiver) for f in under.faults} == {("N[1]", "N[2]"), ("N[1]", "N[3]")}


def test_a_rest_line_may_ask_for_values() -> None:
    resting = read(GO_BACK_N)["Sender"].rest
    assert resting == tuple(f"open{{base={k}, next={k}}}" for k in range(3))


def test_a_text_with_data_is_written_as_it_was() -> None:
    assert dumps(loads(GO_BACK_N), "storm") == GO_BACK_N


def test_constants_are_given_from_outside_and_written() -> None:
    system = read(GO_BACK_N, constants={"numbers": "4", "window": "3"})
    assert len(system["Receiver"].states) == 12
    assert "const numbers = 4" in dumps(system, "storm")
    with pytest.raises(UsageError, match="there is no constant 'number'") as problem:
        read(GO_BACK_N, constants={"number": "4"})
    assert problem.value.hint == "did you mean 'numbers'?"
    with pytest.raises(UsageError, match="'window' is a number, and true is bool"):
        read(GO_BACK_N, constants={"window": "true"})


def test_a_changed_system_is_written_flat_and_is_read_again() -> None:
    from dataclasses import replace

    system = replace(read(FAMILY), requirements=())
    flat = dumps(system, "storm")
    assert not has_data(flat)
    assert loads(flat, "storm").processes == system.processes


def test_only_constants_variables_and_families_make_a_file_one_with_data() -> None:
    assert not has_data("role A { var: B!m(const) -> const\n const: B?x -> var }\n// const n = 3")
    assert not has_data("role A { s: B!m ->\n var B!x -> s }")
    for line in (
        "const n = 3",
        "role N[i: 1..2] { s: }",
        "role A {\n  var x: 0..1\n s: }",
        "role A { var x: bool s: }",
    ):
        assert has_data(line)


def test_old_files_keep_their_choices_and_their_payloads() -> None:
    system = read("role A { s: B?m(int) -> t\n B?m(int) -> s\n t: }\nrole B { s: A!m(int) -> s }")
    assert [t.target for t in system["A"].outgoing("s")] == ["t", "s"]
    assert system.messages == ("m(int)",)


MISTAKES = [
    ("s: B!m(x + 1) -> s", "unknown name 'x'"),
    ("var x: 0..1\ns: B!m(x) -> s { y = 1 }", "there is no variable 'y'"),
    ("var x: 0..1\ns: B!m(x) -> s { x = 1, x = 0 }", "'x' is assigned twice"),
    ("var x: 0..1\ns: B!m(x) -> s { x = true }", "'x' is 0..1, and this is bool"),
    ("var x: 0..1 = 2\ns: B!n -> s", "2 is not in 0..1"),
    ("var x: 1..0\ns: B!n -> s", "there is nothing in 1..0"),
    ("var x: Bs\ns: B!n -> s", "there is no domain 'Bs'"),
    ("var k: 0..1\ns: B!n -> s", "'k' has a meaning already"),
    ("s: B?m(tern) -> s", "'tern' is a new name that nothing reads"),
    ("s: B?m(a, a) if a > 1 -> s", "'a' is bound twice"),
    ("s: B?m(_) -> s\n B?m(2) -> s", "this is never taken"),
    ("s: else -> t\n B!n -> s\nt:", "nothing is done here"),
    ("s: B!n -> u", "unknown state 'u'"),
    ("s: C!n -> s", "unknown role 'C'"),
    ("s: B[1]!n -> s", "B is no family"),
    ("s: B!n if k -> s", "a condition is bool, and this is a number"),
    ("s: or B!n -> s", "'or' comes before a reception"),
    ("s: B!n -> s\nvar x: 0..1", "variables come before the first state"),
    ("s: B!n -> s\ndurable var x: 0..1", "variables come before the first state"),
    ("var x: 0..1\ns: save -> s", "A has no durable variable"),
    ("durable var x: 0..1\nvar y: 0..1\ns: save y -> s", "'y' is no durable variable"),
    (
        "durable var x: 0..1\non restart s -> s\ns: save -> s",
        "has durable variables, and its disk holds no state",
    ),
    ("on restart -> u\ns: B!n -> s", "unknown state 'u'"),
    ("on restart -> s\non restart -> s\ns: B!n -> s", "where a restart of A leads is said twice"),
    ("on restart t -> s\ns: B!n -> s\nt:", "t is no durable state of A"),
    ("s: B!crash(1) -> s", "the crash message has no values"),
    ("s: B!m(1, 2) -> s\n B!m(1) -> s", "'m' has 1 here, and it is sent with 2 fields elsewhere"),
    ("s: B!m(1) -> s\n B!m(true) -> s", "this is bool, and elsewhere the same field is a number"),
    ("var x: 0..1\ns: B!n if x == 1 -> s", "expected an expression, found '='"),
    ("s: B!n if k div 0 = 1 -> s", "'div' by zero"),
]


@pytest.mark.parametrize(("body", "said"), MISTAKES, ids=[said for _, said in MISTAKES])
def test_every_mistake_has_its_sentence_and_its_line(body: str, said: str) -> None:
    with pytest.raises(InputError) as problem:
        read(one_role(body))
    assert said in f"{problem.value.message} {problem.value.hint}"
    assert problem.value.place is not None and problem.value.place.line


def test_all_mistakes_of_a_file_are_reported_at_once() -> None:
    text = one_role("s: B!n -> u\n C!n -> s", "rest A@q\nrequire never A@z\nrequire never B.x = 1")
    with pytest.raises(InputError) as problem:
        read(text)
    lines = [p.place.line for p in (problem.value, *problem.value.others) if p.place is not None]
    assert lines == [3, 4, 8, 9, 10]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("role N[i: 2..3] { s: }", "expected 1"),
        ("role N[i: 1..0] { s: }", "a family has 1 to 1,000 members, not 0"),
        ("role N[i: 1..2] { s: M[1]!m -> s }", "unknown role 'M'"),
        ("role N[i: 1..2] { s: N!m -> s }", "N is a family"),
        ("role N[i: 1..2] { s: N[*]?m -> s }", "a reception is from one member"),
        ("role N[i: 1..2] { var w: N\n s: N[w]!m -> s }", "'w' needs a first value"),
        ("role N[i: 1..2] { s: }\nrest N@s", "N is a family"),
        ("role N[i: 1..2] { s: }\nrest N[3]@s", "there is no N[3]"),
        ("role N[i: 1..2] { s: }\nrequire never N[3]@s", "there is no N[3]"),
        ("role N[i: 1..2] { s: }\nrequire never N@s", "N is a family"),
        ("const a = 1\nrole A = end", "expected '{', since a file with const, var or an index"),
        ("const a = 1\nchannel c: A -> B\nrole A { s: }", "found 'channel'"),
        ("const a = b\nrole A { s: }", "unknown name 'b'"),
        ("const two = 2\nrole A { s: }", "'two' is a word of the language"),
        ("const a = 1\nconst a = 2\nrole A { s: }", "'a' has a meaning already"),
    ],
)
def test_mistakes_in_families_and_constants(text: str, said: str) -> None:
    with pytest.raises(InputError) as problem:
        read(text)
    assert said in problem.value.message


def test_lint_asks_for_rest_where_a_resting_state_still_acts() -> None:
    from stormproof.tell.lint.api import lint

    text = GO_BACK_N.replace("rest Sender@open{base=next}\n", "")
    (warning,) = lint(text)[1]
    assert "Sender rests in 'open' by default, whatever its variables are" in warning.message
    assert warning.place.line == 8
    assert not lint(GO_BACK_N)[1]


def test_words_are_named_where_they_stand() -> None:
    found = outline(GO_BACK_N)
    assert found.of_kind("role") == ["Sender", "Receiver"]
    assert found.of_kind("state", "Receiver") == ["want", "ack", "again"]
    assert found.of_kind("message") == ["data", "ack"]


def mutated(text: str, random: Random) -> str:
    """The text with one to three words that are left out, written twice, exchanged or another."""
    words = re.findall(r"\s+|\w+|[^\w\s]", text)
    for _ in range(random.randint(1, 3)):
        at, other = random.randrange(len(words)), random.randrange(len(words))
        kind = random.randrange(4)
        if kind == 0:
            words[at] = ""
        elif kind == 1:
            words[at], words[other] = words[other], words[at]
        else:
            words[at] = (words[at] if kind == 2 else "") + random.choice(
                [words[other], "none", "_", "..", '"']
            )
    return "".join(words)


@pytest.mark.parametrize("text", [GO_BACK_N, FAMILY], ids=["values", "families"])
def test_mutated_texts_are_read_or_refused(text: str) -> None:
    random, read_ones = Random(7), 0
    for _ in range(120):
        changed = mutated(text, random)
        outline(changed)
        try:
            read(changed)
            again = fmt(changed)
        except StormproofError as problem:
            assert str(problem)
            continue
        read_ones += 1
        assert fmt(again) == again
    assert read_ones
