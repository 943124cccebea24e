"""Logs that grow: the first event that does not conform, in bounded memory, as whole logs say."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import stormproof as sp
from stormproof.errors import Place, UsageError
from stormproof.kernel.semantics.faulty_steps import effect, stormy_steps
from stormproof.kernel.semantics.silent_steps import initial
from stormproof.live.conformance import event_search, follow as follow_module
from stormproof.live.conformance.answer import TraceAnswer
from stormproof.live.conformance.follow import LogFollower
from stormproof.live.conformance.log import LogEvent, RoleLog, event_of, is_silent
from tests.support.command_line import Run, run  # noqa: F401
from tests.support.processes import started

ASK = """\
protocol Ask
role A { start: B!ask -> wait
         wait: B?answer -> start
               timeout -> start }
role B { idle: A?ask -> busy
         busy: A!answer -> idle }
rest A@start, B@idle
"""

Logged = list[tuple[str, LogEvent]]


def followed(follower: LogFollower, events: Logged) -> TraceAnswer:
    for i, (role, event) in enumerate(events, start=1):
        stuck = follower.take(role, event, Place("log", i))
        if stuck is not None:
            return follower.answer(stuck)
    return follower.answer()


def random_run(system: sp.System, failures: sp.Failures, roles: list[str], rng: random.Random) -> Logged:
    model = LogFollower(system, roles, failures).model
    at, events = initial(model.system), []
    for _ in range(rng.randrange(3, 40)):
        steps = [s for s in stormy_steps(model, at) if s.calm or rng.random() < 0.3]
        if not steps:
            break
        step = rng.choice(steps)
        at = effect(model, at, step)
        if step.process in roles and not is_silent(step.transition.action):
            events.append((step.process, event_of(step.transition.action)))
    return events


@pytest.mark.parametrize("name", ["client-server", "lock"])
def test_the_answers_are_those_of_whole_logs(name: str) -> None:
    """What happened conforms. What no run explains without an order does not with one."""
    system, seen = sp.protocol(name), set()
    for seed in range(10):
        rng = random.Random(f"{name} {seed}")
        failures = rng.choice([sp.Failures(), sp.Failures(loss=True), sp.Failures(loss=True, duplicate=True)])
        roles = rng.choice([list(system.names), [rng.choice(system.names)]])
        events = random_run(system, failures, roles, rng)
        assert followed(LogFollower(system, roles, failures), events).conforms, (seed, events)
        if events:
            events.insert(rng.randrange(len(events)), rng.choice(events))
        found = followed(LogFollower(system, roles, failures), events)
        logs = [RoleLog.of(r, [e for role, e in events if role == r]) for r in roles]
        whole = sp.trace(system, logs, failures, limits=sp.Limits(states=1_000))
        if whole.conforms is False:
            assert found.conforms is not True, (seed, events)
        if len(roles) == 1 and whole.conforms is not None and found.conforms is not None:
            assert found.conforms == whole.conforms, (seed, events)
            if not found.conforms:
                assert found.unexplained[0].place.line == whole.unexplained[0].place.line
        seen.add(found.conforms)
    assert False in seen


def test_what_is_kept_does_not_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many messages are lost, each of which might still arrive."""
    monkeypatch.setattr(follow_module, "MOST_REMEMBERED", 50)
    monkeypatch.setattr(event_search, "MOST_PLACES", 20)
    monkeypatch.setattr(follow_module, "MOST_IN_FLIGHT", 40)
    follower = LogFollower(sp.loads(ASK, format="storm"), ["A", "B"], sp.Failures(loss=True))
    asked = [("A", LogEvent("send", "B", "ask")), ("B", LogEvent("receive", "A", "ask"))]
    answered = [("B", LogEvent("send", "A", "answer")), ("A", LogEvent("receive", "B", "answer"))]
    lost = [("A", LogEvent("send", "B", "ask")), ("A", LogEvent("timeout"))]
    events = asked + answered + lost
    sizes = []
    for _ in range(10):
        assert followed(follower, events * 20).conforms
        sizes.append(max(len(part._layer) + len(part._known) for part in follower._parts.values()))
    assert follower.events == 1_200 and max(sizes) <= 70
    assert all(len(w) <= 40 for part in follower._parts.values() for at in part._layer for w in at.words)


def test_a_budget_is_for_the_whole_log() -> None:
    system = sp.loads(ASK, format="storm")
    asked = [("A", LogEvent("send", "B", "ask")), ("B", LogEvent("receive", "A", "ask"))]
    again = [("B", LogEvent("send", "A", "answer")), ("B", LogEvent("receive", "A", "ask"))]
    for budget, conforms in ((1, True), (0, False)):
        failures = sp.Failures(duplicate=True, budget=budget)
        assert followed(LogFollower(system, ["A", "B"], failures), asked + again).conforms is conforms
    with pytest.raises(UsageError, match="budgets of single kinds"):
        LogFollower(system, ["A"], sp.Failures(loss=True, budget={"loss": 1}))
    with pytest.raises(UsageError, match="no role 'C'"):
        LogFollower(system, ["C"])


def line(do: str, message: str) -> str:
    return json.dumps({"role": "B", "do": do, "peer": "A", "message": message}) + "\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("ask.storm").write_text(ASK)
    Path("b.ndjson").write_text(line("receive", "ask") + line("send", "answer"))
    return tmp_path


def test_on_the_command_line(run: Run, here: Path) -> None:  # noqa: F811
    asked = ("trace", "ask.storm", "b.ndjson", "--follow", "--idle", "0.1")
    found = run(*asked)
    assert found.code == 0
    assert found.out == "conforms so far: 2 events of 1 role, and no fault is needed to explain them\n"
    with Path("b.ndjson").open("a") as file:
        file.write(line("send", "answer") + "torn")
    found = run(*asked, "--json")
    assert found.code == 1 and json.loads(found.out)["unexplained"][0]["line"] == 3
    refused = run(*asked, "--cut-off")
    assert refused.code == 2 and "leave out --from, --cut-off" in refused.err
    assert "are for --follow" in run("trace", "ask.storm", "b.ndjson", "--role", "B").err
    refused = run(*asked, "--role", "A")
    assert refused.code == 2 and "b.ndjson:1" in refused.err and "--role B" in refused.err
    begun = line("receive", "ask") + line("sends", "answer")
    Path("b.ndjson").write_text(begun + line("sent", "answer"))
    assert run(*asked).code == 0
    Path("b.ndjson").write_text(begun + '{"role": "B", "do": "restart"}\n')
    refused = run(*asked, "--restart", "B")
    assert refused.code == 2 and "not known whether B sends answer to A" in refused.err
    Path("b.ndjson").write_text("")
    refused = run(*asked)
    assert refused.code == 2 and "give --role R" in refused.err


def test_a_file_that_grows(here: Path) -> None:
    command = [sys.executable, "-m", "stormproof", "trace", "ask.storm", "b.ndjson", "--follow", "--no-chart"]
    with started(command, stdout=subprocess.PIPE, text=True) as process:
        time.sleep(1)
        with Path("b.ndjson").open("a", buffering=1) as file:
            for part in (line("receive", "ask"), line("receive", "ask")[:9], line("receive", "ask")[9:]):
                file.write(part)
                file.flush()
                time.sleep(0.3)
        said, _ = process.communicate(timeout=60)
    assert process.returncode == 1 and "b.ndjson:4: B receives ask from A" in said


def test_ctrl_c_gives_what_is_known(here: Path) -> None:
    command = [sys.executable, "-m", "stormproof", "trace", "ask.storm", "b.ndjson", "--follow"]
    with started(command, stdout=subprocess.PIPE, text=True) as process:
        time.sleep(5)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
    assert process.returncode == 0 and said.startswith("conforms so far: 2 events")
