"""Other people's languages: what each means, and what it says when it does not understand."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from stormproof.errors import FormatError, InputError, UsageError
from stormproof.kernel.model.actions import CRASH, Internal, Receive, Send, Transition
from stormproof.kernel.model.faults import ChannelFaults, Corruption
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System
from stormproof.languages import formats
from stormproof.languages.formats.kmc_write import MAX_ACTIONS
from tests.support.equality import same_up_to_states
from tests.support.paths import DOCS
from tests.support.peer_files import peers

PING = "role A { s: B!ping -> end }\nrole B { s: A?ping -> end }\n"


def failing(text: str, language: str) -> str:
    with pytest.raises(InputError) as caught:
        formats.loads(text, language, "x")
    return str(caught.value)


def check(text: str, language: str, parts: list[str]) -> None:
    message = failing(text, language)
    for part in parts:
        assert part in message, message


def test_kmc_types_are_the_automata_that_they_look_like() -> None:
    text = """
    -- two roles
    A: rec x . {B!a; x, B!b<int>; rec y . B?c; y}   /* and { not } this */
    B: rec x . {A?a; x, A?b<int>; rec x . A!c; x}
    """
    storm = """
    role A { s: B!a -> s  B!b<int> -> t  t: B?c -> t }
    role B { s: A?a -> s  A?b<int> -> t  t: A!c -> t }
    """
    assert same_up_to_states(formats.loads(text, "kmc"), formats.loads(storm))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("A: Bo!a; end\nBob: end", [":1:4: unknown role 'Bo'", "did you mean 'Bob'?"]),
        ("A: B!a; x\nB: end", [":1:9: unknown variable 'x'"]),
        ("A: rec x . B!a; {B!b; x, B!c; rec y . B!d; y}\nB: y", ["unknown variable 'y'"]),
        ("A: rec x . x", ["rec x does nothing"]),
        ("A: {B!a; end, end}\nB: end", ["expected '!' or '?'", "starts with an action"]),
        ("A: B!a\nB: end", ["expected ';'", "if only end"]),
        ("A: {B!a; end\nB: end", ["expected ',' or '}', found 'B'"]),
        ("A: end\nA: end", [":2:1: two roles are called 'A'"]),
        ("A: end }", ["expected the next role"]),
        ("A: /* end", ["this comment is never closed"]),
        ("A: B$a; end", ["unexpected character '$'"]),
        ("end", ["expected a role and its type"]),
        ("A: rec x B!a; x\nB: end", ["expected '.'"]),
    ],
)
def test_mistakes_in_kmc_types(text: str, parts: list[str]) -> None:
    check(text, "kmc", parts)


def test_a_type_that_would_explode_is_refused() -> None:
    """n diamonds in a row have 2^n paths."""
    rows = []
    for i in range(40):
        rows += [Transition(f"s{i}", Send("B", m), f"{m}{i}") for m in "ab"]
        rows += [Transition(f"{m}{i}", Send("B", "c"), f"s{i + 1}") for m in "ab"]
    system = System((Process("A", "s0", tuple(rows)), Process("B", "s")))
    with pytest.raises(
        FormatError, match=f"more than {MAX_ACTIONS:,} actions, since a type shares no states"
    ):
        formats.dumps(system, "kmc")


def test_what_a_type_leaves_out_never_changes_what_corruption_may_do() -> None:
    roles = "role A { s: B!a -> s  t: B!b -> t }\nrole B { s: A?a -> s }"
    assert formats.loads(formats.dumps(formats.loads(roles), "kmc")).messages == ("a",)
    with pytest.raises(FormatError, match="unreachable states"):
        formats.dumps(formats.loads("faults A -> B: corrupt\n" + roles), "kmc")


@pytest.mark.parametrize("language", ["kmc", "fsa"])
def test_internal_actions_are_refused_in_words(language: str) -> None:
    with pytest.raises(FormatError, match="no internal actions, but A has 'work' in s"):
        formats.dumps(formats.loads("role A { s: internal work -> s }"), language)


def test_machines_are_called_by_number_or_by_name() -> None:
    text = """
    .outputs
    .state graph
    q0 1 ! m q1   -- to Bob
    .marking q0
    .end
    .outputs Bob
    .state graph
    q0 0 ? m q0
    q0 Bob2 ! n q0
    .marking { q0 }
    .end
    .outputs Bob2
    .state graph
    .marking q
    .end
    """
    system = formats.loads(text)
    assert system.names == ("0", "Bob", "Bob2")
    assert system["0"].transitions == (Transition("q0", Send("Bob", "m"), "q1"),)
    assert system["Bob"].transitions[1].action == Send("Bob2", "n")
    assert system["Bob2"].states == ("q",)


HEAD = ".outputs A\n.state graph\n"
TAIL = ".marking q0\n.end\n"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (HEAD + "q0 2 ! m q1\n" + TAIL, [":3:4: there is no machine 2", "there are 1 machines"]),
        (
            HEAD + "q0 Bb ! m q1\n" + TAIL + ".outputs Bob\n" + TAIL,
            ["unknown machine 'Bb'", "did you mean 'Bob'?"],
        ),
        (HEAD + "q0 1 m q1\n" + TAIL, ["x:3:1: not a transition", "state partner ! message state"]),
        (
            HEAD + "q0 1 ! m q1\n.marking p0\n.end\n" + HEAD[:9] + "B\n" + TAIL,
            ["unknown state 'p0'", "q0, q1"],
        ),
        (HEAD + ".end\n", ["no initial state", ".marking q0"]),
        (HEAD + ".marking a b\n.end", ["one initial state"]),
        (HEAD + ".marking a\n.marking a\n.end", ["second .marking"]),
        (HEAD + ".marking q0\n", ["the last machine has no .end"]),
        (HEAD + HEAD, ["the machine before has no .end"]),
        (HEAD + ".initial q0\n", ["unknown directive '.initial'"]),
        (HEAD + TAIL + HEAD + TAIL, ["two machines are called 'A'"]),
        ("q0 1 ! m q1", ["expected .outputs"]),
        ("-- nothing", ["there is no machine here"]),
        ("-- stormproof: unreliable role Z\n" + HEAD + TAIL, ["unknown role 'Z'"]),
        ("-- stormproof: frobnicate\n" + HEAD + TAIL, ["expected a note, found 'frobnicate'"]),
    ],
)
def test_mistakes_in_machines(text: str, parts: list[str]) -> None:
    check(text, "fsa", parts)


def scm(*rows: str, channels: int = 2, automata: str = "pqr", extra: str = "") -> str:
    """One automaton of one state for each letter; a row is `p 0 ! a`."""
    text = f"scm net :\nnb_channels = {channels} ;\n{extra}\nparameters :\nreal a ;\nreal b ;\n"
    for name in automata:
        text += f"automaton {name} :\ninitial : 0\nstate 0 :\n"
        text += "".join(f"to 0 : when true , {row[2:]} ;\n" for row in rows if row[0] == name)
    return text


def test_who_sends_and_who_receives_is_recovered() -> None:
    system = formats.loads(scm("p 0 ! a", "q 0 ? b", "q 1 ! b", "r 1 ? b", extra="/*# lossy: 1 #*/"))
    assert system.name == "net"
    assert system["p"].transitions == (Transition("0", Send("q", "a"), "0"),)
    assert system["q"].transitions[0].action == Receive("p", "b")
    assert set(system.faults) == {ChannelFaults("q", "r", loss=True)}


def test_a_note_or_the_only_other_automaton_tells_a_channels_ends() -> None:
    note = "/* stormproof: channel 0: p -> r */"
    assert formats.loads(scm("p 0 ! a", extra=note))["p"].transitions[0].action == Send("r", "a")
    assert formats.loads(scm("p 0 ! a", automata="pq"))["p"].transitions[0].action == Send("q", "a")
    assert formats.loads(scm("p 0 ? a", automata="pq"))["p"].transitions[0].action == Receive("q", "a")


def test_a_transition_without_action_is_internal_and_bad_states_are_passed_over() -> None:
    text = (
        scm(automata="p")
        + "to 0 : when true ;\nto 0 : when true /* stormproof: internal work */ ;\nbad_states : ( ( x"
    )
    actions = [t.action for t in formats.loads(text)["p"].transitions]
    assert actions == [Internal("tau"), Internal("work")]


def test_what_else_scm_files_contain() -> None:
    """Comments of both kinds, `lossy`, variables and assignments, and questions at the end, which may have
    any characters."""
    text = scm("p 0 ! a", "q 0 ? a", extra="lossy : 0 // the first, /* not opened\n", automata="pq")
    text = text.replace("real b ;", "real b = (1 +_i 2) ; /* one /* in */ another */").replace(
        "automaton q :\n", "automaton q :\nint n ; real x = 0 ;\n"
    )
    text += "to 0 : when true , 0 ? b with n = n + 1, x = 2 % 3 ; // end"
    question = "\nthreshold : n <= 2\nbad_states: (automaton p: in 0 : true with a.(a|_)^*.#)"
    system = formats.loads(text + question)
    assert [t.action for t in system["q"].transitions] == [Receive("p", "a"), Receive("p", "b")]
    assert set(system.faults) == {ChannelFaults("p", "q", loss=True)}
    assert formats.loads("// first\n" + text).faults == system.faults
    nested = "/* http://x.org/ */ /* one /* two // */ still one */\n"
    assert formats.loads(nested + text) == formats.loads(text)
    named = scm("p 0 ! a", "q 0 ? a").replace("state 0", "state threshold")
    named = named.replace("to 0", "to threshold").replace("initial : 0", "initial : threshold")
    assert formats.loads(named)["q"].states == ("threshold",)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            scm("p 0 ! a", "q 0 ? a", "r 0 ? a"),
            ["neither peer to peer nor mailboxes: q and r both receive from channel 0", "one receiver"],
        ),
        (
            scm("p 0 ! a", "q 0 ? a", "p 1 ! a", "q 1 ? a"),
            ["neither peer to peer nor mailboxes: channels 0 and 1 both lead from p->q"],
        ),
        (scm("p 0 ! a"), ["nobody receives from channel 0", "/* stormproof: channel 0: p -> ... */"]),
        (scm("p 0 ? a"), ["nobody sends on channel 0"]),
        (scm("p 0 ! a", extra="/* stormproof: channel 0: p -> z */"), ["unknown automaton 'z'"]),
        (scm("p 0 ! a", "q 0 ? a", extra="/* stormproof: channel 0: p -> r */"), ["a note says that r"]),
        (scm("p 7 ! a"), ["there is no channel 7", "2 channels"]),
        (scm("p 0 ! z", automata="pq"), ["unknown message 'z'", "Parameters here: a, b"]),
        (scm(extra="/*# lossy: 9 #*/"), ["no channel 9 to be lossy"]),
        (scm(extra="lossy : 0, 9"), ["no channel 9 to be lossy"]),
        (scm(extra="lossy : x"), ["expected a channel's number"]),
        (scm() + "to 0 : when true , 0 1 ! ;", ["expected '!' or '?', found '1'", "0 ! a"]),
        (scm().replace("automaton q", "automaton p"), ["two automata are called 'p'"]),
        (scm() + "to 9 : when true ;", ["unknown state '9'"]),
        (scm() + "to 0 : when x ;", ["guards other than true"]),
        (scm() + "to 0 : when true && x ;", ["guards other than true"]),
        (
            scm().replace("automaton q", "bad_states: x\nautomaton q"),
            ["'bad_states' stands before an automaton"],
        ),
        (scm().replace("initial : 0", "initial : 3", 1), ["unknown state '3'"]),
        (scm() + "state 0 :", ["state 0 is listed twice"]),
        (scm() + "to 0 : when true , 0 ! a , 1 ! b ;", ["one action per transition"]),
        ("scm net :", ["expected 'nb_channels', found the end of the file"]),
        (scm(automata=""), ["expected 'automaton'"]),
    ],
)
def test_what_scm_refuses(text: str, parts: list[str]) -> None:
    check(text, "scm", parts)


def test_dot() -> None:
    text = """
    // a comment
    strict digraph "A" {
      rankdir=LR; node [shape=circle]; edge [color="red"];
      idle; start -> busy;
      busy -> idle -> busy [label="B!req(int)", color=red; weight=2];
      idle -> done [label="B?⚡"]; done -> done [label="think hard"]
      idle -> idle [label = "B" + "?" + "\\"⚡\\""];
    }
    digraph B { 0; 1 }
    """
    a = formats.loads(text)["A"]
    assert a.initial == "busy"
    assert set(a.states) == {"idle", "busy", "done"}
    assert a.transitions == (
        Transition("busy", Send("B", "req(int)"), "idle"),
        Transition("idle", Send("B", "req(int)"), "busy"),
        Transition("idle", Receive("B", CRASH), "done"),
        Transition("done", Internal("think hard"), "done"),
        Transition("idle", Receive("B", "⚡"), "idle"),
    )
    assert formats.loads(text)["B"].initial == "0"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('digraph A { 0 -> 1 [label="S!m"]; }', [":1:13: unknown role 'S'", "give all the files"]),
        ("digraph A { 0 -> 1; }", ["this edge has no label"]),
        ("digraph A { 0 -- 1; }", ["expected '->'", "directed"]),
        ("digraph A { subgraph c { 0; } }", ["without subgraphs"]),
        ("digraph A { }", ["role A has no state"]),
        ("digraph A { start -> 0; start -> 1; }", ["role A has 2 initial states: 0, 1"]),
        ("digraph A { 0; } digraph A { 0; }", ["two graphs are called 'A'"]),
        ("digraph { 0; }", ["expected the role's name"]),
        ("graph A { 0; }", ["expected 'digraph'"]),
        ('digraph A { 0 -> 1 [label="B!"]; } digraph B { 0; }', ["a message needs a name"]),
        ('digraph A { "0 }', ["never closed"]),
        ("digraph A { 0 [x=", ["expected a value, found the end of the file"]),
    ],
)
def test_mistakes_in_dot(text: str, parts: list[str]) -> None:
    check(text, "dot", parts)


def test_one_dot_file_a_role(tmp_path: Path) -> None:
    folder = peers("dot")
    both = [folder / f"simple_auth_{role}_expected.dot" for role in "CS"]
    system = formats.load(both)
    assert system.names == ("C", "S")
    assert system["C"].initial == "0" and len(system["C"].states) == 6
    assert system.messages[0] == "SetPw(p: i32)"
    assert same_up_to_states(formats.load(both[0]), system)
    assert formats.load(both[1]).names == ("S", "C")
    shutil.copy(both[0], tmp_path)
    with pytest.raises(InputError, match="unknown role 'S'"):
        formats.load(tmp_path / both[0].name)
    with pytest.raises(UsageError, match="several files make one system only in DOT"):
        (tmp_path / "ping.storm").write_text(PING)
        formats.load([both[0], tmp_path / "ping.storm"])


def test_the_exchange_format_of_the_readme() -> None:
    docs = DOCS / "json.md"
    text = docs.read_text(encoding="utf-8").split("```json\n")[1].split("```")[0]
    system = formats.loads(text)
    assert system["Sender"].transitions[2:] == (
        Transition("wait0", Internal("crash"), "x"),
        Transition("x", Send("Receiver", CRASH), "stop"),
    )
    assert system.faults == (ChannelFaults("Sender", "Receiver", True, True, Corruption()),)


def made(**changes: Any) -> str:
    """A small system in JSON with some of its keys changed."""
    row = {"from": "s", "to": "t", "send": {"to": "B", "message": "m"}}
    a: dict[str, Any] = {"name": "A", "initial": "s", "transitions": [{**row, **changes.pop("row", {})}]}
    b = {"name": "B", "initial": "s", "transitions": []}
    a.update(changes.pop("process", {}))
    return json.dumps({"stormproof": 1, "processes": [a, b], **changes}, indent=1)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("{", ["x:1:2: not JSON: expecting property name"]),
        ("[]", ["a system is an object"]),
        (made(stormproof=2), ["version 2 of the format is not known", "^"]),
        (made(stormproof=True), ["version True"]),
        (made(nmae="x"), ["unknown key 'nmae'", "did you mean 'name'?"]),
        (
            made(row={"send": {"to": "Bb", "message": "m"}}),
            ["unknown process 'Bb', in processes[0].transitions[0]"],
        ),
        (made(row={"send": {"to": "B"}}), ["either 'message' or 'crash'"]),
        (made(row={"send": {"to": "B", "message": "m", "crash": True}}), ["either 'message' or 'crash'"]),
        (made(row={"send": {"to": "B", "crash": False}}), ["'crash' is true"]),
        (made(row={"send": {"to": "B", "message": ""}}), ["a message needs a name"]),
        (made(row={"send": {"to": "B", "message": 3}}), ["a name is a string"]),
        (made(row={"internal": "x"}), ["one of 'send', 'receive', 'internal' and 'timeout'"]),
        (made(row={"from": None}), ["a name is a string, in processes[0].transitions[0].from"]),
        (made(process={"states": ["t"]}), ["the initial state 's' is not listed"]),
        (made(process={"states": ["s", "tt"]}), ["unknown state 't'"]),
        (made(process={"reliable": 1}), ["this is true or false"]),
        (made(process={"name": "B", "transitions": []}), ["two processes are called 'B'"]),
        (made(process={"name": "\ud800"}), ["half of a surrogate pair"]),
        (made(processes=[]), ["a system needs at least one process"]),
        (made(faults=[{"from": "A", "to": "Z"}]), ["unknown process 'Z', in faults[0].to"]),
        (made(faults=[{"from": "A", "to": "B"}] * 2), ["declared twice"]),
        (made(faults=[{"from": "A", "to": "B", "corrupt": {"scope": "all"}}]), ["channel, sender, system"]),
        (
            made(faults=[{"from": "A", "to": "B", "corrupt": {"pairs": ["x"]}}]),
            ["a pair is a list of two messages"],
        ),
        ('{"stormproof": 1, "stormproof": 1}', ["the key 'stormproof' stands twice"]),
        ('{"stormproof": ' + "9" * 5000 + ', "processes": []}', ["x:1:"]),
    ],
)
def test_mistakes_in_json(text: str, parts: list[str]) -> None:
    check(text, "json", parts)


def test_a_mistake_in_json_is_shown_where_it_is() -> None:
    message = failing(made(row={"receive": {"from": "A"}}), "json")
    line = made(row={"receive": {"from": "A"}}).splitlines().index("    {") + 1
    assert message.startswith(f"x:{line}:5: a transition has one of")


def test_names_that_cannot_be_written() -> None:
    system = System((Process("A", "s", (Transition("s", Internal("\ud800"), "s"),)),))
    for language in ("storm", "json", "dot"):
        with pytest.raises(FormatError, match="surrogate"):
            formats.dumps(system, language)
