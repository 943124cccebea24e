"""All mistakes of a .storm text, each where it was made and with a way out."""

from __future__ import annotations

import pytest

from stormproof.errors import InputError, Place
from stormproof.languages import formats

ROLES = "role A {\n  start: B!open -> done\n  done:\n}\nrole B {\n  idle: A?open -> done\n  done:\n}\n"
#: The first line below the roles.
BELOW = 9


def mistakes(text: str) -> list[tuple[int | None, int | None, str, str | None]]:
    with pytest.raises(InputError) as caught:
        formats.loads(text, "storm")
    problems = [(p.place or Place(), p) for p in (caught.value, *caught.value.others)]
    return [(place.line, place.column, p.message, p.hint) for place, p in problems]


def below(*lines: str) -> list[tuple[int | None, int | None, str, str | None]]:
    return mistakes(ROLES + "\n".join(lines) + "\n")


def test_what_is_missing_at_the_end_of_a_line_is_not_blamed_on_the_next() -> None:
    found = below(
        "expect violated x: never A@done",
        "expect violated recovers",
        "require y: k-mc at",
        "require z: recovers under stop",
        "require u: recovers under",
        "durable B",
        "faults *",
    )
    ends = [(BELOW, 32), (BELOW + 1, 25), (BELOW + 2, 19), (BELOW + 3, 31), (BELOW + 4, 26), (BELOW + 5, 10)]
    assert [(line, column) for line, column, *_ in found] == [*ends, (BELOW + 6, 8)]
    assert all(message.endswith("found the end of the line") for _, _, message, _ in found[:-1])
    assert found[-1][2].endswith("found the end")


def test_a_role_that_is_called_like_a_statement() -> None:
    system = formats.loads(
        "role require { a: }\nrequire x: recovers under stop require\nrequire recovers", "storm"
    )
    assert [r.title for r in system.requirements] == ["x", "recovers"]


def test_misspelt_statements_are_all_reported() -> None:
    found = mistakes(
        "protcol X\nrol A {\n  a:\n}\n" + ROLES + "requires x: recovers\nexpect y: recovers under loss\n"
    )
    assert [(line, hint) for line, _, _, hint in found] == [
        (1, "did you mean 'protocol'?"),
        (2, "did you mean 'role'?"),
        (13, "did you mean 'require'?"),
        (14, "write: expect violated recovers under loss"),
    ]


def test_names_in_lines_about_roles_are_all_looked_up() -> None:
    found = below(
        "rest A@dun",
        "rest C@done",
        "durable B@x",
        "faults A -> C: loss",
        "faults D: stop",
        "require q: never A@dnoe",
        "require r: recovers under stop Bb",
    )
    assert [line for line, *_ in found] == list(range(BELOW, BELOW + 7))


def test_mistakes_in_roles_and_in_the_lines_below_are_reported_together() -> None:
    found = mistakes(
        "protocol X\nrest A@{dun, gone}, B@idel\nfaults A -> Bb, C -> D: loss\n"
        "role A {\n  start: B!open -> doen\n  done:\n}\n"
        "role B {\n  idle: A?open - done\n  done:\n}\n"
        "role C = A!x; t\n"
        "require q: never A@dnoe & B@what & Cc@x\n"
        "require q: recovers under stop Bb and D\n"
        "require always A@done\n"
        "expect violated clean under crash C\n"
    )
    assert [(line, column) for line, column, *_ in found] == [
        (2, 9), (2, 14),  # not B@idel: the body of B has a mistake
        (3, 13), (3, 22),
        (5, 20), (9, 16), (12, 15),
        (13, 20), (13, 36),  # not B@what
        (14, 9), (14, 32), (14, 39),
        (15, 16),
    ]  # fmt: skip


@pytest.mark.parametrize("head", ["rol C {", "role {", "role = C!x; end", "service {"])
def test_names_of_a_role_that_could_not_be_read_are_nobodys_mistake(head: str) -> None:
    text = f"{head}\n  wait: A?x -> wait\n}}\n" + ROLES.replace("done\n  done", "done\n  C!x -> done\n  done")
    lines = (
        "rest C@wait, A@dun\nfaults A -> C: loss\nfaults C: stop\nrequire never C@wait & A->B contains y\n"
    )
    found = mistakes(text + lines)
    assert [line for line, *_ in found if line and line > 3] == [14]


def test_a_type_that_cannot_be_read_has_states_that_nobody_knows() -> None:
    found = mistakes("role A = B!x, end\nrole B = A?y; A!x; tt\nrest A@s0, B@s9\nrequire never C@x\n")
    assert [line for line, *_ in found] == [1, 2, 4]


@pytest.mark.parametrize(
    ("line", "column", "words"),
    [
        ("require x: recovers at 2", 21, "a claim is never GOAL"),
        ("require x: recovers under loss of A -> B", 32, "under loss on A -> B"),
        ("require x: eventually A@done", 12, "leads to"),
        ("require x: recovers under loss at most 2 faults", 32, "separated by commas"),
        ("process C { s: }", 1, "it is called a role"),
        ("faults loss", 11, "faults *: loss"),
        ("require t never A@done", 11, "a claim is never GOAL"),
        ("faults A: crash", 11, "unreliable role A"),
        ("faults *: stop", 11, "name the roles: faults A, B: stop"),
        ("}", 1, "no role is open here"),
        ("rest A@“done”", 8, "a name is quoted as in JSON"),
        ("rest A@done B@done", 13, "separated by commas: rest A@idle, B@done"),
        ("A -> B: open", 1, "write what each role does"),
        ("assert never A@done", 1, "it is called require"),
        ("faults: loss", 7, "faults *: loss"),
        ("expect violated: recovers under loss", 16, "expect violated recovers under loss"),
        ("require x: recovers under loss and reorder", 32, "separated by commas"),
        ("require x: recovers under loss on A -> B, B -> A", 43, "joined by 'and'"),
        ("require x: recovers under stop A, B", 35, "joined by 'and'"),
        ("require x: recovers under none, loss", 31, "leave one of them out"),
        ("require x: never A@(start|done)", 20, "A@{a, b}"),
    ],
)
def test_a_way_out(line: str, column: int, words: str) -> None:
    ((at, where, _, hint),) = below(line)
    assert (at, where) == (BELOW, column) and words in (hint or "")


@pytest.mark.parametrize(
    ("lines", "column", "words"),
    [
        ("wait: B?ok -> done | B?no -> wait", 22, "leave it out: alternatives follow one another"),
        ("wait: B?ok -> done, B?no -> wait", 21, "leave it out: alternatives follow one another"),
        ("wait: B?ok -> done + B?no -> wait", 22, "leave it out: alternatives follow one another"),
        ("wait: B?ok -> done or B?no -> wait", 25, "leave 'or' out"),
        ("over: end", 12, "nothing behind its colon"),
        ("over: -", 9, "nothing behind its colon"),
        ("over: {}", 9, "nothing behind its colon"),
        ("over", 7, "a colon behind its name: over:"),
        ("over B!m -> done", 8, "a colon behind its name: over:"),
        ("state over {\n    B!m -> done\n  }", 9, "a state is just  name:"),
        ("final over:", 9, "a state is just  name:"),
        ("over: { B!m -> done }", 9, "no braces"),
        ("over: B?{a -> done, b -> over}", 11, "an alternative of its own"),
        ("over: send B m -> done", 14, "a send is  Peer!message -> next"),
        ("over: receive m from B -> done", 17, "a reception is  Peer?message -> next"),
        ("over: !m -> done", 9, "name the other role: Peer!message -> next"),
        ("over: ?m -> done", 9, "name the other role: Peer?message -> next"),
        ("over: B!m -> B?n -> done", 17, "ends with one state"),
        ("over: tau -> done", 13, "internal name -> next"),
        ("over: -> done", 9, "first comes what happens"),
        ("over: timeout(5) -> done", 16, "timeout name after 3 -> next"),
        ("over: after 5 -> done", 15, "timeout name after 3 -> next"),
        ("A -> B: open", 5, "write what each role does"),
        ("over: m!B -> done", 9, "the role comes first: B!m"),
    ],
)
def test_habits_from_other_languages(lines: str, column: int, words: str) -> None:
    """One mistake each: what follows it is read."""
    ((line, at, _, hint),) = mistakes(ROLES.replace("  done:\n", f"  done:\n  {lines}\n", 1))
    assert (line, at) == (4, column) and words in (hint or "")


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("start B!open -> done", "a colon behind its name: start:"),
        ("initial start: B!open -> done", "a state is just  name:"),
        ("A -> B: open", "write what each role does"),
        ("send open to B", "a send is"),
        ("| B!open -> done", "write  start: Peer!message -> next"),
    ],
)
def test_habits_in_the_first_line_of_a_role(lines: str, words: str) -> None:
    ((line, at, _, hint),) = mistakes(ROLES.replace("start: B!open -> done", lines, 1))
    assert (line, at) == (2, 3) and words in (hint or "")


def test_braces_around_a_protocol() -> None:
    first, last = mistakes("protocol P {\n" + ROLES + "}\n")
    assert first[3] == "roles have no braces around them: only each role has its own"
    assert last[3] == "no role is open here"


def test_a_brace_that_is_never_closed_does_not_hide_the_next_role() -> None:
    found = mistakes("role A {\n  start: { B!open -> done\n  done:\n  role B { idle: A?open -> gone }\n")
    assert [(line, message.split(",")[0]) for line, _, message, _ in found] == [
        (1, "the '}' of role A is missing"),
        (2, "expected an alternative"),
        (4, "unknown state 'gone'"),
    ]


def test_a_sign_at_the_end_of_an_alternative() -> None:
    ((line, column, _, hint),) = mistakes("role A {\n  a: A!m -> b;\n  b:\n}\n")
    assert (line, column, hint) == (2, 14, "leave it out: lines end without a sign")


def test_the_second_role_of_a_name_says_where_the_first_is() -> None:
    ((line, _, message, hint),) = mistakes(ROLES + "role A { a: }\n")
    assert (line, message, hint) == (BELOW, "two roles are called 'A'", "the first is on line 1")
