"""Roles that are run along logs: the answers are those of whole automata, and nothing need be finite."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import stormproof as sp
from stormproof.errors import ModelError
from stormproof.kernel.model.system import System
from stormproof.kernel.semantics.faulty_steps import effect, stormy_steps
from stormproof.kernel.semantics.silent_steps import initial
from stormproof.kernel.transform.extras import survival_model
from stormproof.kernel.transform.prepare import prepare, with_process_faults
from stormproof.kernel.transform.stop_restart import with_restarts_in_place
from stormproof.languages import protocols
from stormproof.live.conformance.log import LogEvent, RoleLog, event_of, is_silent
from stormproof.programs.extraction.load import load_protocol
from tests.support.command_line import Run, run  # noqa: F401
from tests.support.paths import ROOT

EXAMPLES = ROOT / "examples"


def storm(name: str, constants: dict[str, str] | None = None) -> System:
    return sp.loads(protocols.source(name), format="storm", constants=constants)


MAKERS: dict[str, Callable[[], System]] = {
    "go-back-n": lambda: storm("go-back-n"),
    "lease.py": lambda: load_protocol(str(EXAMPLES / "lease.py"), "protocol"),
    "mqtt_qos2.py": lambda: load_protocol(str(EXAMPLES / "mqtt_qos2.py"), "protocol"),
}
FAULTS = (
    None,
    sp.Failures(loss=True),
    sp.Failures(loss=True, duplicate=True),
    sp.Failures(corrupt=True, reorder=True),
)


@cache
def whole(name: str) -> System:
    return MAKERS[name]()


def random_logs(system: System, failures: sp.Failures | None, rng: random.Random) -> list[RoleLog]:
    """What each role does in a random run, perhaps with a mistake."""
    marked, model, _ = prepare(system, failures or sp.Failures())
    walked = survival_model(with_restarts_in_place(with_process_faults(marked, model), marked), model)
    events: dict[str, list[LogEvent]] = {name: [] for name in system.names}
    at = initial(walked.system)
    for _ in range(rng.randrange(4, 30)):
        steps = [s for s in stormy_steps(walked, at) if s.calm or rng.random() < 0.2]
        if not steps:
            break
        step = rng.choice(steps)
        at = effect(walked, at, step)
        if step.process in events and not is_silent(step.transition.action):
            events[step.process].append(event_of(step.transition.action))
    if rng.random() < 0.5:
        spoil(rng.choice([*events.values()]), rng)
    return [RoleLog.of(name, found) for name, found in events.items()]


def spoil(events: list[LogEvent], rng: random.Random) -> None:
    if events:
        i = rng.randrange(len(events))
        kind = rng.randrange(3)
        if kind == 0:
            del events[i]
        elif kind == 1:
            events.insert(i, events[i])
        else:
            events.insert(i, rng.choice(events))


@pytest.mark.parametrize("name", MAKERS)
def test_the_answers_are_those_of_whole_automata(name: str) -> None:
    conforming = 0
    for seed in range(6):
        rng = random.Random(f"{name} {seed}")
        failures = rng.choice(FAULTS)
        logs = random_logs(whole(name), failures, rng)
        if not any(map(len, logs)):
            continue
        limits = sp.Limits(states=3_000)
        expected = sp.trace(whole(name), logs, failures, limits=limits)
        found = sp.trace(MAKERS[name], logs, failures, limits=limits)
        assert found.conforms is expected.conforms, (seed, found, expected)
        if found.conforms:
            assert len(found.faults) == len(expected.faults), (seed, found, expected)
        said = [(u.role, u.event) for u in found.unexplained]
        assert said == [(u.role, u.event) for u in expected.unexplained], (seed, found, expected)
        conforming += found.conforms is True
    assert conforming > 0


TABLE = """
import stormproof as sp

@sp.role
def Client(requests: int) -> sp.Steps:
    for i in range(requests):
        yield sp.send("Server", "put", i, i * i)
        yield sp.receive("Server")

@sp.role
def Server() -> sp.Steps:
    table = {}
    while True:
        request = yield sp.receive("Client")
        key, value = request.fields
        table[key] = value
        yield sp.send("Client", "ok", len(table))

def protocol() -> sp.System:
    return sp.extract(Client(40), Server).require("filled", never="Server@full")
"""

STORM = """\
protocol table
const n = 40
role Client {
  var i: 0..n = 0
  idle: Server!put(i) if i < n -> wait { i = i + 1 }
  wait: Server?ok(_) -> idle
}
role Server {
  var table: map of 0..n to 0..n = {}
  idle: Client?put(j) -> answer { table[j] = j }
  answer: Client!ok(size(table)) -> idle
}
"""


def lines(*, value: Callable[[int], str], wrong: int | None = None) -> tuple[str, str]:
    """The logs of both roles for 40 requests; one answer may be wrong."""
    client, server = [], []
    for i in range(40):
        put, ok = f"put({value(i)})", f"ok({i + 1})"
        client.append({"role": "Client", "do": "send", "peer": "Server", "message": put})
        server.append({"role": "Server", "do": "receive", "peer": "Client", "message": put})
        sent = "ok(0)" if i == wrong else ok
        server.append({"role": "Server", "do": "send", "peer": "Client", "message": sent})
        client.append({"role": "Client", "do": "receive", "peer": "Server", "message": ok})
    return tuple("".join(json.dumps(row) + "\n" for row in rows) for rows in (client, server))  # type: ignore[return-value]


@pytest.mark.parametrize(("file", "text"), [("table.py", TABLE), ("table.storm", STORM)])
def test_a_table_of_forty_requests(
    file: str,
    text: str,
    run: Run,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its values are 2 to the power of 40, of which the run sees 41."""
    monkeypatch.chdir(tmp_path)
    Path(file).write_text(text)
    source = f"{file}:protocol" if file.endswith("py") else file
    value = (lambda i: f"{i}, {i * i}") if file.endswith("py") else str
    for wrong in (None, 20):
        for name, rows in zip(("c.ndjson", "s.ndjson"), lines(value=value, wrong=wrong), strict=True):
            Path(name).write_text(rows)
        found = run("trace", source, "c.ndjson", "s.ndjson", "--no-chart")
        assert found.code == (0 if wrong is None else 1), found.out + found.err
        if wrong is not None:
            assert (
                "s.ndjson:42: Server sends ok(0) to Client; possible here: sends ok(21) to Client"
                in found.out
            )
    # The server alone: the client is finite and does not log.
    assert run("trace", source, "s.ndjson", "--no-chart").code == 1


def test_roles_may_be_given_by_their_names() -> None:
    @sp.role
    def A() -> sp.Steps:
        n = 0
        while True:
            n += 1
            yield sp.send("B", "m", n)

    @sp.role
    def B() -> sp.Steps:
        last = 0
        while True:
            found = yield sp.receive("A")
            assert found.fields[0] > last, "not in order"
            last = found.fields[0]

    def logs(*numbers: int) -> list[RoleLog]:
        sent = [LogEvent("send", "B", f"m({i})") for i in range(1, 6)]
        return [
            RoleLog.of("A", sent),
            RoleLog.of("B", [LogEvent("receive", "A", f"m({i})") for i in numbers]),
        ]

    roles: dict[str, Any] = {"A": A, "B": B}
    assert sp.trace(roles, logs(1, 2, 3, 4, 5)).conforms
    answer = sp.trace(roles, logs(1, 3, 4, 5), sp.Failures(loss=True))
    assert answer.conforms and [fault.kind for fault in answer.faults] == ["loss"]
    answer = sp.trace(roles, logs(1, 3, 2), sp.Failures(loss=True, reorder=True, duplicate=True))
    assert answer.conforms is True  # the exception escapes after the last event
    answer = sp.trace(roles, logs(1, 3, 2, 4), sp.Failures(loss=True, reorder=True, duplicate=True))
    assert answer.conforms is False and answer.unexplained[0].event == "receives m(4) from A"
    with pytest.raises(ModelError, match="values"):
        sp.trace(roles, logs(1, 2), start_anywhere=True)  # any state may be the first
