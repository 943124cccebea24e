"""The .storm language: what it means, and what it says when it does not understand (docs/language.md)."""

from __future__ import annotations

import random
import re

import pytest

from stormproof.errors import InputError
from stormproof.kernel.model.actions import CRASH, Internal, Receive, Send, Transition
from stormproof.kernel.model.faults import ChannelFaults, Corruption
from stormproof.languages import formats
from tests.support.equality import same_up_to_states
from tests.support.odd_systems import odd_system, with_declarations
from tests.support.paths import DOCS

LANGUAGE_PAGE = DOCS / "language.md"
B = "\nrole B { s: }\n"


def failing(text: str) -> str:
    with pytest.raises(InputError) as caught:
        formats.loads(text, "storm", "x.storm")
    return str(caught.value)


def test_every_example_in_the_documentation_is_a_protocol_in_canonical_layout() -> None:
    blocks = re.findall(r"```storm\n(.*?)```", LANGUAGE_PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 4
    for block in blocks:
        formats.loads(block, "storm")
        assert formats.fmt(block) == block


def test_an_automaton() -> None:
    text = """
    role A {                     // the first state listed is the initial one
      start: B!m -> wait
             B?"odd name" -> start
             internal think -> end
      wait: B?crash -> wait  B?"crash" -> start
      done:
    }
    unreliable role B { s: }
    """
    system = formats.loads(text)
    a = system["A"]
    assert (a.initial, a.states, a.reliable) == ("start", ("start", "wait", "done", "end"), True)
    assert a.transitions == (
        Transition("start", Send("B", "m"), "wait"),
        Transition("start", Receive("B", "odd name"), "start"),
        Transition("start", Internal("think"), "end"),
        Transition("wait", Receive("B", CRASH), "wait"),
        Transition("wait", Receive("B", "crash"), "start"),
    )
    assert system.unreliable == ("B",)


def test_no_word_but_crash_is_reserved() -> None:
    text = "role role { internal: internal!faults -> role internal internal -> end role: }"
    text += "role internal { end: }"
    role = formats.loads(text)["role"]
    assert role.transitions == (
        Transition("internal", Send("internal", "faults"), "role"),
        Transition("internal", Internal("internal"), "end"),
    )
    assert role.states == ("internal", "role", "end")


@pytest.mark.parametrize(
    ("spelt", "message"),
    [
        ("250", "250"),
        ("two-phase", "two-phase"),
        ("price<int>", "price<int>"),
        ("SetPw( p : i32 )", "SetPw(p: i32)"),
        ("pair<list<int>,b>", "pair<list<int>, b>"),
        ("m()", "m"),
        ('"m()"', "m()"),
        (r'"\u26a1"', "⚡"),
        ("été", "été"),
    ],
)
def test_messages(spelt: str, message: str) -> None:
    system = formats.loads(f"role A {{ s: B!{spelt} -> s }}" + B)
    assert system.messages == (message,)
    assert formats.loads(f"role A = mu t. B!{spelt}; t\nrole B = mu t. A?{spelt}; t").messages == (message,)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("faults A -> B: loss", {ChannelFaults("A", "B", loss=True)}),
        ("faults *: reorder", {ChannelFaults("A", "B", reorder=True), ChannelFaults("B", "C", reorder=True)}),
        ("faults * -> C: loss", {ChannelFaults("B", "C", loss=True)}),
        ("faults A <-> C: loss", {ChannelFaults("A", "C", loss=True), ChannelFaults("C", "A", loss=True)}),
        ("faults A -> B, C -> A: none", {ChannelFaults("A", "B"), ChannelFaults("C", "A")}),
        (
            "faults A -> B: loss\nfaults A -> *: reorder, corrupt",
            {ChannelFaults("A", "B", loss=True, reorder=True, corrupt=Corruption())},
        ),
        ("faults A -> B: corrupt(sender)", {ChannelFaults("A", "B", corrupt=Corruption("sender"))}),
        (
            'faults A -> B: corrupt(m(int) => n, n => "sender")',
            {ChannelFaults("A", "B", corrupt=Corruption(pairs=(("m(int)", "n"), ("n", "sender"))))},
        ),
        (
            "faults A -> B: corrupt(sender => system)",
            {ChannelFaults("A", "B", corrupt=Corruption(pairs=(("sender", "system"),)))},
        ),
        (
            "faults A -> B: corrupt(x => y), corrupt(y => z)",
            {ChannelFaults("A", "B", corrupt=Corruption(pairs=(("x", "y"), ("y", "z"))))},
        ),
    ],
)
def test_faults(lines: str, expected: set[ChannelFaults]) -> None:
    roles = "role A { s: B!m -> s } role B { s: A?m -> s  C!m -> s } role C { s: B?m -> s }"
    assert set(formats.loads(f"{lines}\n{roles}").faults) == expected


def test_a_session_type_is_the_automaton_that_it_looks_like() -> None:
    types = "role A = mu t. B!{ m; B?ok; t, stop; end }\nrole B = mu t. A?{ m; A!ok; t, stop; (end), }"
    automata = """
    role A { s: B!m -> t  B!stop -> end  t: B?ok -> s }
    role B { s: A?m -> t  A?stop -> end  t: A!ok -> s }
    """
    assert same_up_to_states(formats.loads(types), formats.loads(automata))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "role A { s: Bb!m -> s }\nrole Bob { s: }",
            ["x.storm:1:13: unknown role 'Bb'", "did you mean 'Bob'?"],
        ),
        (
            "role A {\n  wait: B!m -> weit\n}" + B,
            ["x.storm:2:16: unknown state 'weit'", "^^^^", "did you mean 'wait'?", "weit:"],
        ),
        ("role A { s: }\nrole A { s: }", [":2:6: two roles are called 'A'"]),
        ("role A { }", [":1:6: role A has no state", "idle:"]),
        ("role A { s: } protocol X", ["comes once, and first"]),
        (
            "rolle A { s: }",
            [
                "expected 'protocol', 'role', 'observer', 'communication', 'timers', 'faults', 'rest', "
                "'durable', 'require' or 'expect'",
                "did you mean 'role'?",
            ],
        ),
        ("role A { s: B!m }" + B, ["expected '->', found '}'", "-> next"]),
        ("role A { s: B!m -> \n t: }" + B, ["found ':'", "does not say where it goes"]),
        ("role A { s: B?m -> s\n  s: B!m -> s }" + B, [":2:3: state 's' is listed twice", "line 1"]),
        ("role A { B!m -> s }" + B, ["expected a state", "found 'B'"]),
        ("role A { s: B!m -> s", ["x.storm:1:6: the '}' of role A is missing"]),
        ("role A { s: B.m -> s }" + B, ["expected '!', '?' or ':', found '.'"]),
        ('role A { s: B!"" -> s }' + B, ["a message needs a name"]),
        ('role A { s: B!"\\x" -> s }' + B, ["not a quoted name"]),
        ('role A { s: B!"\\ud800" -> s }' + B, ["half of a surrogate pair"]),
        ('role A { s: B!"m -> s }' + B, ["expected a message", "never closed"]),
        ("role A { s: B!m(x -> s }" + B, ["this bracket is not closed on its line"]),
        ("role A { s: # B\n }", ["found '#'", "a comment starts with //"]),
        ("faults A -> C: loss\nrole A { s: }" + B, [":1:13: unknown role 'C'", "A, B"]),
        ("faults A -> B: los\nrole A { s: }" + B, ["expected a fault, found 'los'", "loss, reorder"]),
        ("faults A: loss\nrole A { s: }", ["expected a fault of a role", "channels are written A -> B"]),
        (
            "faults A -> B: corrupt(all)\nrole A { s: }" + B,
            ["'all' is not a scope", "channel, sender, system"],
        ),
        ("faults A -> B: corrupt(x => crash)\nrole A { s: }" + B, ["never corrupted or forged"]),
        ("faults A -> B: corrupt, corrupt(x => y)\nrole A { s: }" + B, ["declared twice"]),
        (
            "faults A -> B: corrupt\nfaults *: corrupt(sender)\nrole A { s: B!m -> s }" + B,
            ["on A->B", "twice"],
        ),
        ("role A = B!m\nrole B = A?m; end", ["expected ';'", "if only end"]),
        ("role A = mu t t\n", ["expected '.'"]),
        ("role A = B!{m; end" + B, ["expected ',' or '}', found the end of the line"]),
        ("role A = B!m; t" + B, [":1:15:", "t"]),
        ("role A = C!m; end" + B, ["C"]),
        ("protocol X", ["there is no role here"]),
        (
            "unreliable role A { s: B!crash -> t  t: B!m -> t }" + B,
            ["x.storm:1:17: A sends B!m in state t after the crash message"],
        ),
    ],
)
def test_mistakes_are_shown_with_their_place(text: str, parts: list[str]) -> None:
    message = failing(text)
    for part in parts:
        assert part in message, message


def test_a_mistake_looks_as_in_the_readme() -> None:
    text = "role Buyer { s: }\nrole Shop {\n  pay: Buyr!receipt -> done\n  done:\n}\n"
    assert failing(text) == (
        "x.storm:3:8: unknown role 'Buyr'\n"
        "    3 |   pay: Buyr!receipt -> done\n"
        "      |        ^^^^ did you mean 'Buyer'? Roles here: Buyer, Shop"
    )


@pytest.mark.parametrize("chunk", range(2))
def test_the_formatter_changes_the_layout_and_nothing_else(chunk: int) -> None:
    """Comments and line breaks thrown in anywhere: words and comments stay, in order; once is enough."""
    tried = 0
    for seed in range(150 * chunk, 150 * chunk + 150):
        rng = random.Random(seed)
        plain = formats.dumps(with_declarations(rng, odd_system(rng)), "storm")
        if re.search(r"corrupt\([^\n]*[(<]", plain):
            continue  # `_WORD` cannot tell where a payload ends before another bracket
        tried += 1
        text = _scramble(rng, plain)
        laid_out = formats.fmt(text)
        assert formats.fmt(laid_out) == laid_out, f"seed {seed}"
        assert _words(laid_out) == _words(text), f"seed {seed}"
        assert same_up_to_states(formats.loads(text, "storm"), formats.loads(laid_out, "storm")), (
            f"seed {seed}"
        )
    assert tried > 100


_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|\w+(?:-\w+)*(?:[(<][^\n"/]*?[)>]+(?=\s))?|<->|->|=>|\S')


def _words(text: str) -> list[str]:
    return [re.sub(r"\s+", "", w) for w in _WORD.findall(text)]


def _scramble(rng: random.Random, text: str) -> str:
    pieces = []
    for word in _WORD.findall(text):
        pieces.append(word)
        pieces.append(
            rng.choice((" ", "\n", "  ", "\n\n\n", " // note\n", "\n// own line\n", "\n\n  //x\n\n"))
        )
    return "".join(pieces)


def test_the_formatter_lays_out_types() -> None:
    wide = "role A = mu t. B!{" + ", ".join(f"message{i}; B?answer{i}; t" for i in range(6)) + "}"
    assert formats.fmt(wide + "\nrole B { s: }").splitlines()[:4] == [
        "role A = mu t. B!{",
        "  message0; B?answer0; t,",
        "  message1; B?answer1; t,",
        "  message2; B?answer2; t,",
    ]
    flat = "role A = mu t.B!{m ;t,n;( end ) , }"
    assert formats.fmt(flat) == "role A = mu t. B!{ m; t, n; (end) }\n"
    long = "role A = " + "B!message; " * 30 + "end"
    assert max(map(len, formats.fmt(long).splitlines())) <= 110
