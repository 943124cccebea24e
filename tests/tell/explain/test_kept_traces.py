"""What a repair keeps of a protocol: the fast answer, the definition, and repairs that keep nothing."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from stormproof.kernel.model.actions import Internal, Message, Receive, Send, Transition
from stormproof.kernel.model.system import System
from stormproof.languages.formats import loads
from stormproof.languages.protocols import protocol, source
from stormproof.oracle.kept_traces import traces
from stormproof.search.checks.recovery import survival_model
from stormproof.tell.explain.kept_traces import ChangedProtocol, KeptTraces, change_of, kept_traces
from stormproof.tell.explain.trial import Question, calm
from tests.support.random_systems import random_system

LOOKUP = """\
role Client { ask: Server!query -> wait  wait: Server?answer -> done  done: }
service role Server { idle: Client?query -> busy  busy: Client!answer -> idle }
"""


def answer(before: str, after: str) -> KeptTraces:
    old = loads(before)
    return kept_traces(old, change_of(old, loads(after)))


def edited(text: str, *pairs: tuple[str, str]) -> str:
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def test_sending_again_what_is_told_apart_keeps_all() -> None:
    """The timer may expire early: the second query is no part of what the protocol does, nor its answer."""
    again = edited(
        LOOKUP,
        ("wait: ", "wait: timeout -> ask  "),
        ("done: ", "done: Server?answer -> done "),
        ("busy: Client!answer -> idle ", "busy: Client!answer -> after  after: Client?query -> busy "),
    )
    assert answer(LOOKUP, again).kept is False  # another state after the answer is another transition
    once = "role Client { ask: Server!q -> wait  wait: Server?a -> done  done: }\n"
    once += "role Server { idle: Client?q -> busy  busy: Client!a -> end  end: }\n"
    once += "rest Server@end\n"
    mended = edited(once, ("wait: ", "wait: timeout -> ask "), ("end: }", "end: Client?q -> busy }"))
    assert answer(once, edited(mended, ("done: }", "done: Server?a -> done }"))) == KeptTraces(True, 2)


def test_a_request_that_is_served_twice_is_noticed() -> None:
    found = answer(LOOKUP, edited(LOOKUP, ("wait: ", "wait: timeout -> ask  ")))
    assert found.kept is False
    assert found.difference == "Server receives query from Client where it did not"


def test_giving_up_is_noticed() -> None:
    found = answer(LOOKUP, edited(LOOKUP, ("wait: ", "wait: timeout -> done  ")))
    assert found == KeptTraces(False, 1, "it comes to rest where it did not", gives_up=True)


def test_a_repair_that_drops_a_message_is_rejected() -> None:
    """With an answer that nobody asked for any more, and with one that never comes."""
    unasked = """\
role Client { ask: timeout -> wait  wait: Server?answer -> done  done: }
service role Server { idle: timeout -> busy  busy: Client!answer -> idle }
"""
    found = answer(LOOKUP, unasked)
    assert found.kept is False and found.difference == "Client receives answer from Server where it did not"
    rest = LOOKUP + "rest Client@done\n"
    silent = answer(rest, edited(rest, ("ask: Server!query -> wait", "ask: timeout -> ask")))
    assert silent.kept is False and silent.difference == "Client sends query to Server no more where it did"


def test_the_second_message_of_the_alternating_bit_is_not_given_up() -> None:
    text = source("alternating-bit")
    retransmits = edited(
        text,
        ("wait0: ", "wait0: timeout -> resend0 "),
        ("wait1: ", "wait1: timeout -> resend1 "),
        ("stray1:", "stray1: Sender!a1 -> expect0 "),
    )
    assert answer(text, retransmits).kept is True
    found = answer(text, edited(text, ("wait0: ", "wait0: timeout -> send1 ")))
    assert found.difference == "Sender sends d1 to Receiver where it did not"


def test_identifiers_are_erased() -> None:
    """A protocol in which every second query and answer has another name."""
    numbered = """\
role Client { ask: Server!query -> wait  wait: Server?answer -> ask1
              ask1: Server!query1 -> wait1  wait1: Server?answer1 -> ask }
service role Server { idle: Client?query -> busy  busy: Client!answer -> idle1
                      idle1: Client?query1 -> busy1  busy1: Client!answer1 -> idle }
"""
    plain = "role Client { ask: Server!query -> wait  wait: Server?answer -> ask }\n"
    plain += "service role Server { idle: Client?query -> busy  busy: Client!answer -> idle }\n"
    numbered += "rest Client@{ask, ask1}\n"
    names: dict[Message, Message] = {"query1": "query", "answer1": "answer"}
    assert kept_traces(loads(plain), ChangedProtocol(loads(numbered), frozenset(), names)) == KeptTraces(
        True, 2
    )
    unnamed = kept_traces(loads(plain), ChangedProtocol(loads(numbered), frozenset()))
    assert unnamed.difference == "Client sends query1 to Server where it did not"


def test_what_is_too_large_is_undecided() -> None:
    system = protocol("client-server")
    assert kept_traces(system, change_of(system, system), most=3).kept is None


def changed(rng: random.Random, system: System) -> System:
    """With some transitions more: timers, receptions and sends of what the role knows."""
    process = rng.choice(system.processes)
    known = [t.action for t in process.transitions if not isinstance(t.action, Internal)]
    actions: list[Send | Receive | Internal] = [Internal("timeout", timeout=True), *known]
    more = [
        Transition(rng.choice(process.states), rng.choice(actions), rng.choice(process.states))
        for _ in range(rng.choice((1, 1, 2, 3)))
    ]
    after = replace(process, transitions=(*process.transitions, *more))
    return replace(system, processes=tuple(after if p.name == after.name else p for p in system))


@pytest.mark.parametrize("chunk", range(4))
def test_against_the_definition(chunk: int) -> None:
    """All runs of six steps of what was changed, and all traces of the protocol that are as long."""
    kept = differ = 0
    for seed in range(chunk * 30, chunk * 30 + 30):
        rng = random.Random(seed)
        system = calm(random_system(rng, processes=2, csa=True, internal=0, to_self=0))
        change = change_of(system, calm(changed(rng, system)))
        found = kept_traces(system, change, most=3_000)
        if found.kept is None:
            continue
        k = found.up_to
        old, new = (survival_model(Question().request(s)) for s in (system, change.system))
        before, after = traces(old, k + 2, 6), traces(new, k, 6, change.added)
        difference = after[0] - before[0] | after[1] - before[1]
        if found.kept:
            assert not difference, seed
        kept, differ = kept + found.kept, differ + bool(difference)
    assert kept > 2 and differ > 2, (kept, differ)
