"""Crash-stop typing contexts: read, written, and refused with a reason."""

from __future__ import annotations

import logging
import random
from pathlib import Path

import pytest

from stormproof.errors import FormatError, InputError, StormproofError
from stormproof.kernel.model.actions import CRASH, Action, Internal, Receive, Send
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.faults import ChannelFaults
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System
from stormproof.kernel.transform.crash_completion import complete
from stormproof.kernel.transform.crash_handling import crash_handling
from stormproof.languages import formats
from stormproof.languages.types.session import session_of_scribble, session_of_types
from stormproof.languages.types.syntax import End
from stormproof.oracle.bounded import explore
from tests.support.equality import same_up_to_states
from tests.support.peer_files import peer_files
from tests.support.random_types import random_global_text, random_local_type

EXAMPLE = """# a client and a server that may fail
s[c]: v⊕req(int) . v&{ok(str), crash . end},
!s[v]: c&req(int) . c⊕ok(str)
"""


def read(text: str) -> System:
    return formats.loads(text, "ctx", "x.ctx")


@pytest.mark.parametrize(
    "text",
    [
        EXAMPLE,
        EXAMPLE.replace("⊕", "(+)"),
        EXAMPLE.replace("!s[v]", "⚠s[v]"),
        EXAMPLE.replace("!s[v]", "⚠ s [ v ]"),
        EXAMPLE.replace(" . ", "."),
        EXAMPLE.replace("ok(str),", "ok(str) . end,"),
        EXAMPLE.replace("s[c]: v", "s[c]: # who asks\n (v").replace("end},", "end}),"),
    ],
)
def test_spellings(text: str) -> None:
    system = read(text)
    assert system.unreliable == ("v",)
    assert same_up_to_states(system, read(EXAMPLE))
    assert formats.detect(text, "<input>").name == "ctx"


def test_recursion_and_names() -> None:
    for text in ("μ(t)(b⊕m . t)", "μ(t)b⊕m.t", "rec(t)(b⊕m . t)", "rec t . b!m; t"):
        system = read(f"talk[a]: {text}, talk[b]: rec(x) a&m . x")
        assert system.name == "talk"
        assert system["a"].transitions == (("t", Send("b", "m"), "t"),)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("s[a]: b!m", 1, "unknown role 'b'"),
        ("s[a]: end,\ns[a]: end", 2, "two types"),
        ("s[a]: end,\nr[b]: end", 2, "two sessions"),
        ("s[a]: end\ns[b]: end", 2, "',' after the type of a"),
        ("s[a] end", 1, "':' before the type of a"),
        ("s a: end", 1, "'[' behind the session s"),
        ("s[a]: b!m . t,\ns[b]: a?m", 1, "not bound"),
        ("s[a]: b?m,\n!s[b]: a!m", 1, "role b may crash, but a has no crash branch"),
        ("s[a]: b?{m, crash},\ns[b]: a!m", 1, "which is reliable"),
        ("s[a]: end,", 1, "expected an entry"),
        ("s[a]: b(+){m, m},\ns[b]: end", 1, "two branches 'm'"),
    ],
)
def test_wrong_contexts_are_located(text: str, line: int, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    assert words in caught.value.message
    assert caught.value.place is not None and caught.value.place.line == line


@pytest.mark.parametrize("path", peer_files("mpstk"))
def test_other_tools_contexts(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        system = formats.load(path)
    assert ("nothing but the crash of q" in caplog.text) == (path.name == "dns-crash-failover.ctx")
    found = crash_handling(system)
    assert found.holds and found.cleans_up and system.csa
    explore(system, Failures().on(system), 1, most=100_000)
    assert same_up_to_states(formats.loads(formats.dumps(system, "ctx"), "ctx"), system)


@pytest.mark.parametrize("chunk", range(5))
def test_round_trips_of_random_types(chunk: int) -> None:
    """Text, system, text, system: equal up to state names, and the second text is the first."""
    for seed in range(chunk * 20, chunk * 20 + 20):
        rng = random.Random(seed)
        roles = ("A", "B", "C")
        unreliable = tuple(r for r in roles if rng.random() < 0.4)
        types = {r: random_local_type(rng, r, roles, unreliable, depth=3) for r in roles}
        system = session_of_types(types, unreliable, "random").system()
        text = formats.dumps(system, "ctx")
        again = formats.loads(text, "ctx")
        assert again.name == "random" and again.unreliable == unreliable, seed
        assert formats.dumps(again, "ctx") == text, seed
        for first, second in zip(system, again, strict=True):
            assert _equivalent(first, second), seed


def _equivalent(a: Process, b: Process) -> bool:
    queue = [(a.initial, b.initial)]
    seen = set(queue)
    for p, q in queue:
        mine = {t.action: t.target for t in a.outgoing(p)}
        other = {t.action: t.target for t in b.outgoing(q)}
        if set(mine) != set(other):
            return False
        fresh = {(mine[action], other[action]) for action in mine} - seen
        seen |= fresh
        queue += fresh
    return True


def test_faults_and_odd_names_survive() -> None:
    system = System(
        (
            Process("a b", "0", (("0", Send("b", "odd name"), "1"), ("1", Send("b", "crash"), "0"))),
            Process("b", "0", (("0", Receive("a b", "odd name"), "1"), ("1", Receive("a b", "crash"), "0"))),
        ),
        name="odd: name",
        faults=(ChannelFaults("a b", "b", loss=True),),
    )
    again = read(formats.dumps(system, "ctx"))
    assert same_up_to_states(system, again)
    assert again.name == system.name and again.faults == system.faults


def test_what_is_no_session_type_is_refused_with_the_reason() -> None:
    def refused(*rows: tuple[str, Action, str], unreliable: tuple[str, ...] = ()) -> str:
        others = (Process("q", "0"), Process("r", "0"))
        system = System((Process("p", "0", rows), *others)).with_unreliable(unreliable)
        with pytest.raises(FormatError) as caught:
            formats.dumps(system, "ctx")
        return caught.value.message

    assert "no internal actions" in refused(("0", Internal("tau"), "0"))
    assert "mix" in refused(("0", Send("q", "a"), "0"), ("0", Receive("q", "a"), "0"))
    assert "one peer" in refused(("0", Send("q", "a"), "0"), ("0", Send("r", "a"), "0"))
    assert "handle every crash" in refused(("0", Receive("q", "a"), "0"), unreliable=("q",))
    assert "two branches" in refused(("0", Send("q", "a"), "0"), ("0", Send("q", "a"), "1"))
    assert "which is reliable" in refused(("0", Receive("q", CRASH), "1"))
    assert "unlike a session type" in refused(
        ("0", Send("q", "a"), "1"),
        ("0", Internal("crash"), "x"),
        ("x", Send("r", CRASH), "y"),
        ("y", Send("q", CRASH), "z"),
        unreliable=("p",),
    )


def test_a_completed_system_is_written_and_read_back() -> None:
    system = System(
        (
            Process("p", "0", (("0", Send("q", "a"), "1"), ("1", Receive("q", "b"), "2"))),
            Process("q", "0", (("0", Receive("p", "a"), "1"), ("1", Send("p", "b"), "2"))),
        )
    ).with_unreliable(["p"])
    with pytest.raises(FormatError, match="handle every crash"):
        formats.dumps(system, "ctx")
    done = complete(system)
    text = formats.dumps(done, "ctx")
    assert "# q does not receive dangling crash messages when it rests; its type does" in text
    assert same_up_to_states(read(text), complete(done, clean_up=True)) or "gave_up" in done["q"].states
    assert crash_handling(read(text)).cleans_up


def test_scribble_converts_to_all_the_others() -> None:
    for seed in range(10):
        system = session_of_scribble(random_global_text(random.Random(seed), 3, 3), "p.nuscr").system()
        for name, language in formats.FORMATS.items():
            if language.write is None:
                continue
            try:
                text = formats.dumps(system, name)
            except FormatError:
                continue
            if language.read is not None:
                again = formats.loads(text, name)
                assert all(_equivalent(a, b) for a, b in zip(system, again, strict=True)), (seed, name)


def test_scribble_files_choose_a_protocol(tmp_path: Path) -> None:
    path = tmp_path / "two.nuscr"
    path.write_text(
        "global protocol One(role A) {}\nglobal protocol Two(role A, role B) { m from A to B; }\n"
    )
    assert formats.load(path).name == "One"
    assert formats.load(f"{path}#Two").name == "Two"
    with pytest.raises(StormproofError, match="unknown protocol 'Three'"):
        formats.load(f"{path}#Three")
    other = tmp_path / "x.ctx"
    other.write_text("s[a]: end")
    with pytest.raises(StormproofError, match="holds one system"):
        formats.load(f"{other}#a")


def test_scribble_is_recognised_and_not_written() -> None:
    text = "// hello\n(* x *) module m;\naux global protocol P(role A) {}"
    assert formats.detect(text, "<input>").name == "scribble"
    assert formats.loads(text).names == ("A",)
    with pytest.raises(StormproofError, match="can be read but not written"):
        formats.dumps(formats.loads(text), "scribble")


def test_detection_is_quick_on_blanks_and_comments() -> None:
    for text in (
        " " * 100_000 + "?",
        "/* x */" * 20_000 + "?",
        "#\n" * 50_000 + "?",
        "(* (*) \n *)" * 10_000 + "?",
    ):
        assert not formats.FORMATS["scribble"].sniff(text)
        assert not formats.FORMATS["ctx"].sniff(text)


def test_end_alone() -> None:
    assert session_of_types({"a": End()}).system().names == ("a",)


@pytest.mark.parametrize("path", [*peer_files("kmc", "*.txt"), *peer_files("dot", "*.dot")])
def test_other_tools_automata_that_are_session_types_convert(path: Path) -> None:
    """What is refused is no session type: a mixed state, or several peers in one choice."""
    system = formats.load(path)
    try:
        text = formats.dumps(system, "ctx")
    except FormatError:
        assert not system.csa or not system.directed
        return
    again = formats.loads(text, "ctx")
    assert all(_equivalent(a, b) for a, b in zip(system, again, strict=True))
