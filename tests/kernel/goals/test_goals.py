"""The goal language: what it reads, what it refuses and where, and what goals mean."""

from __future__ import annotations

import random
from itertools import product

import pytest

from stormproof.errors import ParseError
from stormproof.kernel.goals.cubes import Demand, cubes, heads, holds, is_deadlock
from stormproof.kernel.goals.parse import parse_goal
from stormproof.kernel.model.actions import CRASH, Channel, Internal, Message, Receive, Send, Transition
from stormproof.kernel.model.channel_faults import interfere
from stormproof.kernel.model.corruption import transitive_closure
from stormproof.kernel.model.failures import ChannelFailure, Failures
from stormproof.kernel.model.goal import And, At, Contains, Holds, Named, Or, show
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System
from stormproof.search.engine.coverability import ChannelForm
from stormproof.search.reachability.channel_forms import Shape
from stormproof.search.reachability.targets import options
from stormproof.trust.reachability.after_faults import settle_word

SENDER = Process(
    "Sender",
    "idle",
    (
        Transition("idle", Send("Receiver", "d0"), "wait0"),
        Transition("wait0", Receive("Receiver", "a b"), "idle"),
    ),
)
RECEIVER = Process(
    "Receiver",
    "idle",
    (
        Transition("idle", Receive("Sender", "d0"), "busy"),
        Transition("busy", Send("Sender", "a b"), "done"),
        Transition("idle", Receive("Sender", "d1"), "done"),
    ),
)
SYSTEM = System((SENDER, RECEIVER))
FORTH, BACK = Channel("Sender", "Receiver"), Channel("Receiver", "Sender")


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("Sender@wait0", At("Sender", ("wait0",))),
        ("Sender@{wait0, idle}", At("Sender", ("wait0", "idle"))),
        ("Sender->Receiver=[d0, d1]", Holds(FORTH, ("d0", "d1"))),
        ("Sender → Receiver = []", Holds(FORTH, ())),
        ("Sender->Receiver=[d0,⚡]", Holds(FORTH, ("d0", CRASH))),
        ("Sender->Receiver contains crash", Contains(FORTH, CRASH)),
        ('Receiver->Sender contains "a b"', Contains(BACK, "a b")),
        ("deadlock", Named("deadlock")),
        ("orphan-up-to-crash", Named("orphan-up-to-crash")),
        (
            "Sender@wait0 & Receiver@idle | deadlock",
            Or((And((At("Sender", ("wait0",)), At("Receiver", ("idle",)))), Named("deadlock"))),
        ),
        (
            "Sender@wait0 & (orphan | unspecified)",
            And((At("Sender", ("wait0",)), Or((Named("orphan"), Named("unspecified"))))),
        ),
    ],
)
def test_reads_and_shows(text: str, goal: object) -> None:
    read = parse_goal(text, SYSTEM)
    assert read == goal
    assert parse_goal(show(read), SYSTEM) == goal


@pytest.mark.parametrize(
    ("text", "column", "message", "hint"),
    [
        ("", 1, "the goal is empty", "write it like"),
        ("Sendr@wait0", 1, "unknown role 'Sendr'", "did you mean 'Sender'"),
        ("Sender@wait", 8, "Sender has no state 'wait'", "did you mean 'wait0'"),
        ("Sender@zzz", 8, "Sender has no state 'zzz'", "states of Sender: idle, wait0"),
        ("Sender@wait0 & Sender->Receivr=[]", 24, "unknown role 'Receivr'", "did you mean 'Receiver'"),
        ("Sender->Receiver=[d00]", 19, "unknown message 'd00'", "did you mean 'd0'"),
        ("Sender->Receiver=[⚡, d0]", 22, "the crash message is always the last", None),
        ("Sender->Receiver=[d0 d1]", 22, "',' is expected between two messages, not 'd1'", None),
        ("Sender->Receiver=[d0", 21, "',' is expected between two messages, but the goal ends here", None),
        ("Sender->Receiver=d0", 18, "'[' is expected", None),
        ("Sender->Receiver", 17, "a condition on Sender->Receiver is expected, but", "go on with"),
        ("Sender", 1, "the role Sender alone is no goal", "write Sender@state"),
        ("deadlok", 1, "unknown name 'deadlok'", "did you mean 'deadlock'"),
        ("deadlock deadlock", 10, "unexpected 'deadlock'", "join two goals"),
        ("(deadlock", 10, "')' is expected", None),
        ("deadlock &", 11, "is expected, but the goal ends here", None),
        ('Sender@"wait0', 8, "a quotation mark is not closed", None),
        ("@wait0", 1, "is expected, not '@'", None),
    ],
)
def test_refuses_with_place_and_hint(text: str, column: int, message: str, hint: str | None) -> None:
    with pytest.raises(ParseError) as caught:
        parse_goal(text, SYSTEM)
    problem = caught.value
    assert message in problem.message
    assert problem.place is not None and problem.place.column == column
    assert hint is None or hint in (problem.hint or "")


def test_a_process_may_be_named_like_a_goal() -> None:
    system = System((Process("deadlock", "contains", states=("contains",)), Process("B", "s", states=("s",))))
    assert parse_goal("deadlock@contains", system) == At("deadlock", ("contains",))


def test_contradictions_leave_no_cube() -> None:
    model = Failures().on(SYSTEM)
    for text in (
        "Sender@idle & Sender@wait0",
        "Sender->Receiver=[d0] & Sender->Receiver=[]",
        "Sender->Receiver=[d0] & Sender->Receiver contains d1",
    ):
        assert cubes(parse_goal(text, SYSTEM), SYSTEM, model) == ()


def at(sender: str, receiver: str) -> dict[str, str]:
    return {"Sender": sender, "Receiver": receiver}


def is_in(text: str, states: dict[str, str], forth: tuple[Message, ...]) -> bool:
    model = Failures().on(SYSTEM)
    return holds(cubes(parse_goal(text, SYSTEM), SYSTEM, model), SYSTEM, model, states, {FORTH: forth})


def test_what_named_goals_mean() -> None:
    assert is_in("deadlock", at("wait0", "done"), ())
    assert not is_in("deadlock", at("wait0", "idle"), ("d0",))
    assert not is_in("deadlock", at("idle", "done"), ())
    assert is_in("orphan", at("wait0", "done"), ("d0",))
    assert not is_in("orphan", at("wait0", "idle"), ("d0",))
    assert is_in("unspecified", at("wait0", "idle"), ("d9",)) is False  # no message of the channel
    assert not is_in("unspecified", at("wait0", "idle"), ("d0",))


def test_a_deadlock_is_one_whatever_the_channel_does() -> None:
    system = System(
        (
            Process("Sender", "s", states=("s",)),
            Process("Receiver", "r", (Transition("r", Receive("Sender", "a"), "r"),)),
            Process("Other", "o", (Transition("o", Send("Sender", "b"), "p"),), states=("o", "p")),
        )
    )
    states = {"Sender": "s", "Receiver": "r", "Other": "p"}
    stuck = {FORTH: ("b", "a")}
    assert is_deadlock(system, Failures().on(system), states, stuck)
    assert not is_deadlock(system, Failures(reorder=True).on(system), states, stuck)
    assert not is_deadlock(system, Failures(loss=True).on(system), states, stuck)


def test_an_internal_action_out_of_a_final_state_does_not_hide_what_follows() -> None:
    process = Process(
        "Receiver",
        "r",
        (Transition("r", Internal("wake"), "q"), Transition("q", Receive("Sender", "d0"), "end")),
    )
    system = System((SENDER, process, Process("X", "x", states=("x",))))
    found = cubes(Named("orphan"), system, Failures().on(system))
    resting = {s for c in found for s in c.states.get("Receiver", ())}
    assert resting == {"end"}


def test_a_receiver_that_can_only_crash_has_ended() -> None:
    process = Process(
        "Receiver",
        "r",
        (
            Transition("r", Receive("Sender", "d0"), "q"),
            Transition("q", Internal("tick"), "q"),
            Transition("q", Internal("crash"), "sink"),
            Transition("sink", Send("Sender", CRASH), "stop"),
        ),
    )
    system = System((SENDER, process))
    ended = {}
    for goal in ("orphan", "orphan-up-to-crash"):
        found = cubes(Named(goal), system, Failures().on(system))
        ended[goal] = {s for c in found for s in c.states.get("Receiver", ())}
    assert ended == {"orphan": {"q", "sink", "stop"}, "orphan-up-to-crash": {"q"}}


# ------------------------------------------------------------------------- against the definitions


def random_failure(rng: random.Random) -> ChannelFailure:
    pairs = rng.choice(([], [], [("a", "b")], [("a", "b"), ("b", "c")], [("a", "b"), ("b", "c"), ("c", "a")]))
    becomes = transitive_closure(pairs)
    total = len(pairs) == 3
    loss, reorder = rng.random() < 0.5, rng.random() < 0.5
    return ChannelFailure(becomes, ("a", "b", "c"), total, loss=loss, reorder=reorder)


def everything(word: tuple[Message, ...], failure: ChannelFailure) -> set[tuple[Message, ...]]:
    """All that silent steps make of a word, by the definition."""
    seen, queue = {word}, [word]
    for at in queue:
        for after in interfere(at, failure):
            if after not in seen:
                seen.add(after)
                queue.append(after)
    return seen


MESSAGES: list[Message] = ["a", "b", "c", CRASH]


def random_word(rng: random.Random) -> tuple[Message, ...]:
    word: tuple[Message, ...] = tuple(rng.choice("abc") for _ in range(rng.randrange(4)))
    return (*word, CRASH) if rng.random() < 0.2 else word


def random_demand(rng: random.Random) -> Demand:
    if rng.random() < 0.3:
        return Demand(word=random_word(rng))
    head = rng.choice((None, None, "a", "b"))
    contains = frozenset(rng.sample(MESSAGES, rng.choice((0, 0, 1, 1, 2))))
    return Demand(head=head, contains=contains)


@pytest.mark.parametrize("chunk", range(4))
def test_heads_and_settling_are_those_of_the_definition(chunk: int) -> None:
    for seed in range(chunk * 1000, (chunk + 1) * 1000):
        rng = random.Random(seed)
        failure, word, demand = random_failure(rng), random_word(rng), random_demand(rng)
        taken = frozenset(rng.sample(MESSAGES, rng.randrange(3)))
        reached = everything(word, failure)
        assert heads(word, failure) == {w[0] for w in reached if w}, seed
        possible = {w for w in reached if demand.holds(w) and not (heads(w, failure) & taken)}
        found = settle_word(word, failure, demand, taken)
        assert (found in possible) if possible else found is None, seed


def order(
    form: ChannelForm, failure: ChannelFailure, small: tuple[str, ...], large: tuple[Message, ...]
) -> bool:
    """The order in which targets are covered, by the definition of interference with loss added."""
    in_order = form == ChannelForm.QUEUE
    lossy = ChannelFailure(failure.becomes if in_order else {}, failure.pool, loss=True, reorder=not in_order)
    if form == ChannelForm.LENGTH:
        return len(small) <= len(large)
    if form == ChannelForm.MULTISET:
        explicit = ChannelFailure(failure.becomes)
        return any(small in everything(w, lossy) for w in everything(large, explicit))
    return small in everything(large, lossy)


@pytest.mark.parametrize("chunk", range(4))
def test_minimal_words_are_necessary_and_where_they_say_so_sufficient(chunk: int) -> None:
    for seed in range(chunk * 1000, (chunk + 1) * 1000):
        rng = random.Random(seed)
        failure, word, demand = random_failure(rng), random_word(rng), random_demand(rng)
        form = (
            ChannelForm.LENGTH
            if failure.total and failure.corrupt
            else ChannelForm.MULTISET
            if failure.reorder
            else ChannelForm.QUEUE
        )
        shape = Shape(
            FORTH, form, failure.loss or form != ChannelForm.QUEUE, failure.loss, ("a", "b", "c"), True
        )
        taken = frozenset(rng.sample(MESSAGES, rng.randrange(3))) if rng.random() < 0.5 else None
        mark = bool(word) and word[-1] is CRASH
        body = tuple(m for m in word if m is not CRASH)
        found = options(shape, failure, demand, taken, mark)
        reached = everything(word, failure)
        met = any(demand.holds(w) and not (heads(w, failure) & (taken or frozenset())) for w in reached)
        below = [o for o in found if order(form, failure, o.word, body)]
        assert below or not met, seed
        if shape.exact and any(o.sufficient for o in below):
            assert met, seed


def test_products_of_demands_are_meets() -> None:
    words: list[tuple[Message, ...]] = [tuple(w) for n in range(3) for w in product("ab", repeat=n)]
    for seed in range(500):
        rng = random.Random(seed)
        first, second = random_demand(rng), random_demand(rng)
        both = first.meet(second)
        for word in words:
            wanted = first.holds(word) and second.holds(word)
            assert (both is not None and both.holds(word)) == wanted, (first, second, word)
