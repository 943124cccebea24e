"""Sample runs are runs, complete, and show what they are said to; coverage is that of the definitions."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from importlib import resources
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from stormproof import Failures, check
from stormproof.apps.cli import group
from stormproof.kernel.model.actions import Channel, Configuration, Internal, Receive, Send, Transition, Word
from stormproof.kernel.model.failures import FailureModel
from stormproof.kernel.model.message_tracking import flights
from stormproof.kernel.model.process import Process, StateKind
from stormproof.kernel.model.run import Act, Step, Witness
from stormproof.kernel.model.system import System
from stormproof.languages import formats
from stormproof.languages.protocols import protocol
from stormproof.limits import Limits
from stormproof.oracle import bounded
from stormproof.oracle.rest import ended, rests
from stormproof.search.checks.report import Report
from stormproof.search.examples.coverage import coverage
from stormproof.search.examples.find import Example, Examples, examples
from stormproof.trust.replay import replay
from tests.support.definition_runs import path
from tests.support.found_witnesses import random_pair
from tests.support.random_mailboxes import random_mailboxes
from tests.support.random_systems import random_crash, random_failures, random_system


@pytest.mark.parametrize("chunk", range(4))
def test_coverage_is_that_of_the_definitions(chunk: int) -> None:
    dead = 0
    for seed in range(chunk * 250, (chunk + 1) * 250):
        rng = random.Random(seed)
        system, failures = random_pair(rng)
        k = rng.choice((1, 2))
        taken = set()
        for at, steps in bounded.explore(system, failures, k).steps.items():
            for event, after in steps:
                if event is not None:
                    i = system.names.index(event.process)
                    taken.add((event.process, Transition(at.states[i], event.action, after.states[i])))
        found = coverage(system, failures, k)
        every = {(p.name, t) for p in system for t in p.transitions}
        if not found.complete:  # a few large systems need more than the usual budget
            found = coverage(system, failures, k, budget=2_000_000)
        assert found.complete and set(found.never) == every - taken, seed
        assert (found.taken, found.total) == (len(taken), len(every)), seed
        dead += bool(found.never)
    assert dead > 50


def test_a_spent_budget_claims_nothing() -> None:
    found = coverage(protocol("elevator"), FailureModel({}), 2, budget=5)
    assert not found.complete and found.never and "not seen" in str(found) and "warning" not in str(found)


PROPERTIES = ("k-exh", "k-er", "k-wer", "k-pg", "k-safe", "k-mc", "k-wmc", "rsc")


def random_report(seed: int) -> Report:
    """A small system under random failures, with crashes now and then."""
    rng = random.Random(seed)
    system = random_system(rng, csa=rng.random() < 0.7)
    names: tuple[str, ...] = PROPERTIES
    if rng.random() < 0.3:
        system = random_crash(rng, system)
        names = (*names, "crash-handling", "k-er-up-to-crash", "k-exh-up-to-crash", "k-wmc-up-to-crash")
    failures = Failures() if rng.random() < 0.4 else random_failures(rng, system)
    if len(system.processes) == 2:
        names = (*names, "half-duplex")
    return check(system, failures, k=rng.choice((1, 2)), properties=names, limits=Limits(seconds=20))


@pytest.mark.parametrize("chunk", range(8))
def test_every_property_that_holds_has_a_run_that_shows_it(chunk: int) -> None:
    shown = 0
    for seed in range(chunk * 100, (chunk + 1) * 100):
        report = random_report(seed)
        found = examples(report)
        held = [v.property for v in report if v.holds]
        assert sorted([*found.missing, *(p for e in found.runs for p in e.shows)]) == sorted(held), seed
        for example in found.runs:
            verify(report, example, seed)
            shown += len(example.shows)
        json.dumps(found.to_json())
    assert shown > 200


@pytest.mark.parametrize("chunk", range(2))
def test_with_mailboxes_too(chunk: int) -> None:
    shown = several = 0
    for seed in range(chunk * 60, (chunk + 1) * 60):
        system, failures = random_mailboxes(seed)
        bound = random.Random(seed).choice((1, 2))
        report = check(system, failures, k=bound, properties=PROPERTIES, limits=Limits(seconds=20))
        found = examples(report)
        held = [v.property for v in report if v.holds]
        assert sorted([*found.missing, *(p for e in found.runs for p in e.shows)]) == sorted(held), seed
        for example in found.runs:
            verify(report, example, seed)
            shown += len(example.shows)
            senders = {
                (a.action.peer, a.process) for a in example.run.witness.acts if isinstance(a.action, Send)
            }
            several += len({peer for peer, _ in senders}) < len(senders)
    assert shown > 90 and several > 0, (shown, several)


def verify(report: Report, example: Example, seed: int) -> None:
    """Each claim about a run, from the definitions."""
    run, witness = example.run, example.run.witness
    for k in (run.k, report_k(report)):
        assert replay(report.system, report.model, "reach", k, witness).ok, seed
    crashes = sum(a.action == Internal("crash") for a in witness.acts)
    assert len(witness.faults) + crashes <= 1, seed
    complete(report, example, seed)
    for name in example.shows:
        for part in ("k-exh", "k-er", "k-wer", "k-pg", "rsc"):
            if part == name.removesuffix("-up-to-crash"):
                assert CLAIMS[part](report.system, example, name), (seed, name)


def report_k(report: Report) -> int:
    return max(v.k or 1 for v in report)


def queue(system: System, pair: Channel) -> Channel:
    return Channel("", pair.receiver) if system.mailboxes else pair


def configurations(system: System, steps: tuple[Step, ...]) -> list[Configuration]:
    """After each step, the start first, by the slow reading of `Witness`."""
    found = []
    for count in range(len(steps) + 1):
        states = {p.name: p.initial for p in system}
        states |= {s.process: s.state for s in steps[:count] if isinstance(s, Act)}
        words: dict[Channel, Word] = dict.fromkeys(system.channels, ())
        for f in sorted(flights(steps[:count]), key=lambda f: f.sent):
            if f.received is None and not f.lost:
                words[queue(system, f.channel)] += (f.now,)
        found.append(Configuration(tuple(states.values()), tuple(words.values())))
    return found


def complete(report: Report, example: Example, seed: int) -> None:
    run, system = example.run, report.system
    states, words = run.witness.states, {c: w for c, w in run.witness.channels.items() if w}
    if run.kind == "ends":
        assert all(states[p.name] in may_end(p) for p in system), seed
        assert all(states[c.receiver] in ended(system[c.receiver]) for c in words), seed
    elif run.kind in ("round", "loop"):
        assert run.back is not None and (run.kind == "loop" or run.back == 0), seed
        places = configurations(system, run.witness.steps)
        assert places[run.back].states == places[-1].states, seed
        lengths = [[len(w) for w in places[i].words] for i in (run.back, -1)]
        assert lengths[0] == lengths[1] and run.back < len(places) - 1, seed
    elif run.kind == "stuck":
        for p in system:
            for action in [a for _, a, _ in p.outgoing(states[p.name])]:
                assert isinstance(action, (Send, Receive)) or action.name == "crash", seed
                if isinstance(action, Receive):
                    head = words.get(queue(system, Channel(action.peer, p.name)), ())[:1]
                    assert head != (action.message,), seed


def may_end(process: Process) -> frozenset[str]:
    return ended(process) if process.rest is None else rests(process)


def reads(system: System, example: Example, name: str) -> bool:
    """k-er: what is left is excused, or its channel is read again in the loop."""
    run = example.run
    again = run.witness.steps[run.back :] if run.back is not None else ()
    read = {(s.action.peer, s.process) for s in again if isinstance(s, Act) and isinstance(s.action, Receive)}
    states = run.witness.states
    for f in flights(run.witness.steps):
        gone = states[f.channel.receiver] in system[f.channel.receiver].crashed_states
        if f.received is None and not f.lost and not (gone and name.endswith("crash")):
            if tuple(f.channel) not in read:
                return False
    return True


def serves(system: System, example: Example, name: str) -> bool:
    """k-pg: who waits at the end receives in the loop."""
    run = example.run
    again = run.witness.steps[run.back :] if run.back is not None else ()
    served = {s.process for s in again if isinstance(s, Act) and isinstance(s.action, Receive)}
    waiting = [p.name for p in system if p.kind(run.witness.states[p.name]) is StateKind.RECEIVING]
    return set(waiting) <= served


def makes_room(system: System, example: Example, name: str) -> bool:
    """k-exh: where a send is said to have waited, its channel was full before that step and not at it."""
    text, k, steps = example.shows[name], example.bounds[name], example.run.witness.steps
    if "in step" not in text:
        return "no send has to wait" in text or "no message is sent" in text
    sent = int(text.split("in step ")[1].split(",")[0].split(";")[0]) - 1
    act = steps[sent]
    assert isinstance(act, Act) and isinstance(act.action, Send) and f"(k = {k})" in text
    n = system.channels.index(queue(system, Channel(act.process, act.action.peer)))
    i = system.names.index(act.process)
    places = configurations(system, steps)
    earlier = [
        c for c in places[: sent + 1] if len(c.words[n]) == k and c.states[i] == places[sent].states[i]
    ]
    return bool(earlier) and (len(places[sent].words[n]) < (k or 0)) != ("all the same" in text)


def synchronous(system: System, example: Example, name: str) -> bool:
    """rsc: nothing but a fault stands between a send and its reception, and the communication says so."""
    witness: Witness = example.run.witness
    pairs = [(f.received, f.sent) for f in flights(witness.steps) if f.received is not None]
    close = all(not any(isinstance(s, Act) for s in witness.steps[sent + 1 : got]) for got, sent in pairs)
    return close and (witness.communication is None or sorted(witness.communication) == sorted(pairs))


CLAIMS: dict[str, Callable[[System, Example, str], bool]] = {
    "k-er": reads,
    "k-wer": reads,
    "k-pg": serves,
    "k-exh": makes_room,
    "rsc": synchronous,
}


@pytest.mark.parametrize("chunk", range(4))
def test_the_least_bound_on_perfect_channels(chunk: int) -> None:
    """Where some run ends at k = 1, by the definitions, one that needs no more is found."""
    ended = 0
    for seed in range(chunk * 250, (chunk + 1) * 250):
        system = random_system(random.Random(seed), processes=2, csa=True)
        found = examples(check(system, properties=["k-er"], k=2))
        ends = [shortest_end(system, k) for k in (1, 2)]
        if ends[0]:
            assert found.least is not None and found.runs[found.least].run.k == 1, seed
        elif ends[1]:
            assert found.least is not None, seed
        ended += bool(ends[1])
    assert ended


def shortest_end(system: System, k: int) -> int | None:
    ts = bounded.explore(system, FailureModel({}), k)
    ends = {
        at
        for at in ts.steps
        if not any(at.words) and all(s in ended(p) for p, s in zip(ts.system, at.states))
    }
    return len(path(ts, ends)[0]) if ends else None


def of(name: str, failures: Failures | None = None, **more: Any) -> Examples:
    return examples(check(protocol(name), failures, **more))


def test_figure_ex1() -> None:
    """One round of the paper's Figure 2 shows all that holds of it, and the error branches are dead."""
    found = of("half-duplex", properties=["k-exh", "k-er", "k-pg", "k-mc", "rsc", "half-duplex"])
    (example,) = found.runs
    assert [*example.shows] == ["k-exh", "k-er", "k-pg", "k-mc", "rsc", "half-duplex"]
    assert example.run.kind == "round" and len(example.run.witness.acts) == 6 and found.least == 0
    assert "waits for space, and sends end" in example.shows["k-exh"]
    assert example.shows["k-er"] == "each of the 3 messages sent is received"
    assert {f"{name}.{t.source}" for name, t in found.coverage.never} == {
        "Sender.idle",
        "Sender.repair",
        "Receiver.idle",
        "Receiver.refuse",
    }, "the error branches are never taken without faults"


def test_under_loss_a_run_with_a_loss_shows_the_way_back() -> None:
    """The alternating bit protocol that sends again loses a message and comes round all the same."""
    found = of("alternating-bit-retransmit", Failures(loss=True))
    (example,) = found.runs
    assert len(example.run.witness.faults) == 1 and example.run.kind == "round"
    assert "each message that is not lost" in example.shows["k-er"]


def test_a_run_that_stops_after_its_fault_is_not_the_first_choice() -> None:
    """Without retransmission a loss is the end of it, so k-er is shown by a run without one."""
    example = of("alternating-bit", Failures(loss=True)).of("k-er")
    assert example is not None and not example.run.witness.faults and example.run.kind == "round"


def test_crashes_are_shown_as_handled() -> None:
    found = of("crash-commit", properties=["crash-handling", "rsc"])
    example = found.of("crash-handling")
    assert example is not None and example.shows["crash-handling"] == "A crashes, and B and C learn of it"


def test_a_protocol_that_never_comes_back_to_its_beginning_closes_a_loop() -> None:
    example = of("elevator").of("k-mc")
    assert example is not None and example.run.kind == "loop" and "as after step" in example.run.closing


ASKING = """role Client { start: Server!ask -> wait  wait: Server?answer -> idle  idle: Server!ask -> wait }
role Server { start: Client?ask -> busy  busy: Client!answer -> free  free: Client?ask -> busy }
"""


@pytest.mark.parametrize(
    ("rest", "kind", "steps"), [("rest Client@idle, Server@free", "ends", 4), ("", "loop", 6)]
)
def test_a_run_ends_where_rest_lines_say(rest: str, kind: str, steps: int) -> None:
    (example,) = examples(check(formats.loads(ASKING + rest), properties=["k-er"])).runs
    assert (example.run.kind, len(example.run.witness.steps)) == (kind, steps)
    assert ("everybody is at rest" in example.run.closing) == (kind == "ends")


COPY = """role C { start: D!x -> done  done: }
role D { start: C?x -> done  done: }
role A { start: B!m -> done  done: }
role B { start: A?m -> start }
"""


def test_a_copy_is_received_at_once() -> None:
    """Others have something to do as well, and what is received twice needs room once."""
    report = check(formats.loads(COPY), Failures(duplicate=["A->B"]), properties=["k-er", "k-exh"])
    found = examples(report)
    assert found.runs
    for example in found.runs:
        assert example.run.k == 1
        (fault,) = example.run.witness.faults
        after = example.run.witness.steps[example.run.witness.steps.index(fault) + 1]
        assert isinstance(after, Act) and str(after.action) == "A?m"


def call(*words: str) -> str:
    return CliRunner().invoke(group, list(words), standalone_mode=False).output


def test_the_command() -> None:
    shown = call("check", "two-buyer", "--examples", "-v")
    assert "sample run 1 for k-exh, k-er, k-pg, k-mc and k-wmc" in shown and "sample run 2 for rsc" in shown
    assert "everybody is at rest" in shown and "least bound" in shown and "⌛" not in shown
    assert "warning" in call("check", "half-duplex", "--examples")
    data = json.loads(call("check", "half-duplex", "--examples", "--json"))
    schema = resources.files("stormproof").joinpath("schemas/report.schema.json").read_text("utf-8")
    jsonschema.validate(data, json.loads(schema))
    assert data["examples"]["coverage"]["total"] == 12 and data["examples"]["least_k"] == {"k": 1, "run": 0}
    assert data["examples"]["runs"][0]["kind"] == "round" and data["examples"]["runs"][0]["back"] == 0


def test_on_the_page() -> None:
    """A verdict that holds opens its run; the same run is there once."""
    page = call("report", "two-buyer", "--examples", "--property", "k-er", "--property", "k-pg")
    assert 'data-cell="none.k-er"' in page and re.search("k-er and k-pg under none[^<]*: hold<", page)
    assert "each of the 5 messages sent is received" in page and "coverage at k = 1" in page
    assert 'data-cell="none.k-er"' not in call("report", "two-buyer", "--property", "k-er")


def test_a_message_to_oneself_is_received_at_once_from_where_its_send_leads() -> None:
    text = "role A { s: A!x -> t\n t: A?x -> s }\nrole B { s: A?go -> s }"
    report = check(formats.loads(text), properties=["rsc"])
    found = examples(report)
    assert [e.run.kind for e in found.runs] == ["loop"] and found.runs[0].shows["rsc"].startswith("each")
