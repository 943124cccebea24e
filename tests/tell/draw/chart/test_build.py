"""Charts as data, against what the runs of `examples` say by definition."""

from __future__ import annotations

import random

import pytest

from stormproof.errors import InputError
from stormproof.kernel.model.actions import Channel, Receive, Send
from stormproof.kernel.model.channel_faults import Corrupt, Duplicate, Lose, Swap
from stormproof.kernel.model.message_tracking import Corrupted, Fate
from stormproof.kernel.model.run import Act
from stormproof.kernel.model.system import System
from stormproof.search.checks.api import check
from stormproof.tell.draw.chart.build import Chart, Span, chart
from stormproof.tell.draw.chart.folding import Fold
from stormproof.tell.draw.chart.layout import lay_out
from stormproof.tell.draw.chart.mermaid import chart_mermaid
from stormproof.tell.draw.chart.text import chart_text
from tests.support.example_runs import (
    CRASH_RUN,
    CRASHING,
    EX1,
    EXAMPLES,
    ROUNDS,
    SR,
    START,
    run,
    sends,
    takes,
)
from tests.support.example_systems import process
from tests.support.random_systems import random_failures, random_system, random_witness


def drawn(name: str) -> Chart:
    return chart(*EXAMPLES[name])


def test_corrupted_message_keeps_both_names_and_the_instant() -> None:
    flight = drawn("corruption").flights[1]
    assert (flight.message, flight.sent, flight.fate, flight.ended) == ("data", 2, Fate.RECEIVED, 4)
    assert flight.changes == (Corrupted(3, "data", "end"),) and flight.now == "end"


def test_never_received_are_those_left_in_the_channels() -> None:
    left = [f for f in drawn("corruption").flights if f.fate is Fate.OPEN]
    assert [(str(f.channel), f.message, f.position) for f in left] == [
        ("R->S", "ack", 0),
        ("S->R", "data", 0),
    ]


def test_lost_message_and_who_waits_for_what() -> None:
    picture = drawn("loss")
    assert (picture.flights[2].fate, picture.flights[2].ended) == (Fate.LOST, 5)
    s, r = picture.lifelines
    assert s.wait is not None and s.wait.receives == (Receive("R", "ack"),) and not s.wait.culprit
    assert r.wait is not None and r.wait.culprit
    assert r.wait.receives == (Receive("S", "data"), Receive("S", "end"))


def test_overtaking() -> None:
    flights = drawn("reordering").flights
    start, data, end = flights[:3]
    assert end.overtakes == (1,) and data.overtakes == () and start.overtakes == ()
    assert data.ended is not None and end.ended is not None and data.ended > end.ended


def test_states_over_time() -> None:
    s, r = drawn("perfect").lifelines
    assert s.spans == (Span("s0", -1), Span("s1", 0), Span("s2", 4), Span("s0", 7))
    assert drawn("perfect").states_at(4) == {"S": "s2", "R": "r1"}
    assert [x.state for x in r.spans] == ["r0", "r1", "r2", "r0"]


def test_crash_and_who_waits_after_it() -> None:
    a, b, c = chart(CRASHING, CRASH_RUN).lifelines
    assert (a.crash, a.last, a.wait) == (3, 6, None)
    assert b.crash is None and b.wait is None, "b3 is final: nobody waits there"
    assert c.wait is not None and c.wait.phrases(several=True) == ("more from B",)


def test_a_process_with_something_to_take_does_not_wait() -> None:
    picture = chart(EX1, run(*START, sends("data", "s1")))
    assert picture.lifelines[1].wait is None


def test_a_send_that_never_fits_is_what_is_waited_for() -> None:
    picture = chart(EX1, run(*START, culprit={"process": "S", "state": "s1", "action": "R!end"}))
    wait = picture.lifelines[0].wait
    assert wait is not None and wait.sends == (Send("R", "end"),) and wait.culprit
    assert wait.phrases(several=False) == ("cannot send end",)


def test_the_message_that_the_verdict_blames() -> None:
    steps = (*START, sends("data", "s1"), sends("end", "s2"))
    picture = chart(EX1, run(*steps, culprit={"channel": "S->R", "message": "data"}))
    assert picture.culprit == 1


def test_the_reception_that_closes_a_cycle_is_blamed_and_nobody_waits_for_it() -> None:
    """For RSC the culprit is the last step, in the state before it."""
    blame = {"process": "R", "state": "r0", "channel": "S->R", "message": "data", "action": "S?data"}
    steps = EXAMPLES["reordering"][1].steps[:9]
    picture = chart(EX1, run(*steps, culprit=blame))
    assert picture.culprit is not None and picture.flights[picture.culprit].message == "data"
    assert not any(line.wait and line.wait.culprit for line in picture.lifelines)


def test_a_last_send_that_a_verdict_names_has_been_sent() -> None:
    """Half-duplex names the send that fills the second channel, which could happen again."""
    picture = chart(EX1, run(*START, sends("data", "s1"), culprit={"process": "S", "action": "R!data"}))
    assert picture.lifelines[0].wait is None and picture.culprit is None


def test_repeated_rounds_fold_to_one() -> None:
    picture = chart(EX1, ROUNDS)
    assert picture.folds == (Fold(2, 2, 8),)
    assert [f.message for f in picture.shown] == ["start", "data", "end"]
    assert chart(EX1, ROUNDS, fold=False).folds == ()


def test_rounds_that_differ_in_one_fault_do_not_fold_across_it() -> None:
    pair = (sends("data", "s1"), takes("data", "r1"))
    lost = (sends("data", "s1"), Lose(SR, 0, "data"))
    picture = chart(EX1, run(*START, *pair * 4, *lost, *pair * 4))
    assert picture.folds == (Fold(2, 2, 4), Fold(12, 2, 4))


def test_no_arrow_is_torn_by_a_fold() -> None:
    """Six sends alike, but only two of them are received: they are not the same."""
    steps = (*START, *(sends("data", "s1"),) * 6, *(takes("data", "r1"),) * 2)
    picture = chart(EX1, run(*steps))
    assert picture.folds == ()


def test_sends_and_their_later_receptions_fold_in_step() -> None:
    """Five sends, then five receptions: one arrow stands for all, from the first to the first."""
    steps = (*START, *(sends("data", "s1"),) * 5, *(takes("data", "r1"),) * 5)
    picture = chart(EX1, run(*steps))
    assert picture.folds == (Fold(2, 1, 5), Fold(7, 1, 5))
    assert [(f.sent, f.ended) for f in picture.shown] == [(0, 1), (2, 7)]


@pytest.mark.parametrize(
    "steps",
    [
        (takes("start", "r1"),),
        (sends("start", "s1"), takes("data", "r3")),
        (sends("start", "s1"), Lose(SR, 1, "start")),
        (sends("start", "s1"), Lose(SR, -1, "start")),
        (sends("start", "s1"), Corrupt(SR, 0, "data", "end")),
        (sends("start", "s1"), Swap(SR, 0)),
        (sends("start", "nowhere"),),
        (Act("X", Send("R", "start"), "s1"),),
    ],
)
def test_what_is_no_run_is_refused(steps: tuple[Act, ...]) -> None:
    with pytest.raises(InputError, match=f"step {len(steps) - 1} "):
        chart(EX1, run(*steps))


def test_json_of_a_chart() -> None:
    data = drawn("corruption").to_json()
    assert data["messages"][1] == {
        "from": "S",
        "to": "R",
        "message": "data",
        "sent": 2,
        "end": "received",
        "ended": 4,
        "corrupted": [{"at": 3, "becomes": "end"}],
    }
    assert drawn("crash").to_json()["lifelines"][0]["crash"] == 3


@pytest.mark.parametrize("chunk", range(4))
def test_flights_account_for_every_message(chunk: int) -> None:
    """What is sent is received, lost or in a channel at the end, as the run itself says."""
    for seed in range(chunk * 150, chunk * 150 + 150):
        rng = random.Random(seed)
        system = random_system(rng)
        witness = random_witness(rng, system, random_failures(rng, system), rng.choice((5, 20, 60)))
        picture = chart(system, witness)
        count = {end: sum(f.fate is end for f in picture.flights) for end in Fate}
        acts = [a.action for a in witness.acts]
        assert sum(count.values()) == sum(isinstance(a, Send) for a in acts), seed
        assert count[Fate.RECEIVED] == sum(isinstance(a, Receive) for a in acts), seed
        assert count[Fate.LOST] == sum(isinstance(s, Lose) for s in witness.steps), seed
        assert count[Fate.OPEN] == sum(map(len, witness.channels.values())), seed
        assert picture.states_at(len(witness.steps)) == dict(witness.states), seed
        for channel, word in witness.channels.items():
            left = [f for f in picture.flights if f.channel == channel and f.fate is Fate.OPEN]
            assert tuple(f.now for f in sorted(left, key=lambda f: f.position or 0)) == word, seed
            assert picture.contents[-1].get(Channel(*channel), ()) == word, seed


def test_folds_hide_only_what_the_shown_round_repeats() -> None:
    for seed in range(300):
        rng = random.Random(seed)
        system = random_system(rng, processes=2, states=2, transitions=3, messages=1)
        witness = random_witness(rng, system, random_failures(rng, system), 60)
        for fold in chart(system, witness).folds:
            first = [witness.steps[i] for i in fold.shown]
            for i in fold.hidden:
                kept, hidden = first[(i - fold.first) % fold.length], witness.steps[i]
                assert type(kept) is type(hidden), seed
                if isinstance(kept, Act):
                    assert kept == hidden, seed


def test_every_arrow_of_a_folded_chart_has_both_ends() -> None:
    folded = 0
    for seed in range(400):
        rng = random.Random(seed)
        system = random_system(rng, processes=2, states=2, transitions=3, messages=1)
        witness = random_witness(rng, system, random_failures(rng, system), 60)
        picture = chart(system, witness)
        folded += bool(picture.folds)
        for flight in picture.flights:
            assert len({i in picture.hidden for i in flight.instants}) == 1, seed
    assert folded > 20


def duplicated() -> Chart:
    witness = run(
        *START,
        sends("data", "s1"),
        Duplicate(SR, 0, "data"),
        takes("data", "r1"),
        takes("data", "r1"),
    )
    return chart(EX1, witness)


def test_a_duplicated_message_is_a_second_arrow_from_the_same_send() -> None:
    found = duplicated()
    original, copy = found.flights[-2:]
    assert copy.copy_of == original.index and copy.sent == original.sent
    assert copy.received is not None and original.received == copy.received + 1
    assert found.to_json()["messages"][-1]["copy_of"] == original.index
    routes = lay_out(found).routes
    assert routes[original.index].start == routes[copy.index].start
    assert routes[original.index].end != routes[copy.index].end


def test_a_duplicated_message_in_text_and_mermaid() -> None:
    text = chart_text(duplicated(), 80)
    assert "duplicated" in text and "copy" in text
    assert sum("①── data" in line for line in text.splitlines()) == 2
    assert chart_mermaid(duplicated()).count("p0->>p1: (1) data") == 2


def test_messages_to_oneself_swing_out_beside_the_last_lifeline() -> None:
    """The remark stands behind the loop, not on it."""
    one = process(
        "A",
        ("s", Send("A", "tick"), "t"),
        ("t", Send("A", "tock"), "u"),
        ("u", Receive("A", "tick"), "s"),
    )
    result = check(System([one]), properties=["rsc"])["rsc"]
    assert result.witness is not None
    text = chart_text(chart(System([one]), result.witness))
    assert [x.rstrip() for x in text.splitlines() if "tock" in x] == ["  ├╌╌ tock ╌╌▷   not received"]
