"""Logs of one role alone: the others are followed one by one, and a search over all of them says the same."""

from __future__ import annotations

import gzip
import json
import random
import re
import time
from pathlib import Path

import stormproof as sp
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.live.conformance.log import RoleLog
from stormproof.live.conformance.one_sided import OneSided, explain_one_sided, is_one_sided
from stormproof.live.conformance.role_paths import role_path
from stormproof.live.conformance.search_run import search_run
from tests.live.conformance.test_trace import as_logs, mutated, random_case, random_logs, survival
from tests.support.peer_files import peers


def compared(model: SurvivalModel, log: RoleLog, limit: int) -> OneSided | None:
    """What is found by following the others, once a search over all has found the same; None if it has not
    come to an end."""
    path = role_path(model.system[log.role], log)
    found = explain_one_sided(model, log, path, sp.Limits())
    searched = search_run(model, {log.role: log.first(path.length)}, limit)
    if not (found.exact and searched.exhausted):
        return None
    assert found.length == searched.lengths[log.role]
    assert not searched.complete or found.run.fault_count == searched.faults
    return found


def test_following_the_others_one_by_one_finds_what_a_search_finds() -> None:
    count = 0
    for seed in range(100):
        rng = random.Random(seed)
        model = survival(*random_case(rng))
        events, _ = random_logs(model, rng, 8)
        name = rng.choice(model.system.names)
        (log,) = as_logs({name: (mutated(rng, events) if any(events.values()) else events)[name]})
        count += is_one_sided(model, {name: log}) and compared(model, log, 1_000) is not None
    assert count > 25


def test_logs_of_a_server_are_judged_as_a_search_judges_them() -> None:
    count, refuted, faulty = 0, 0, 0
    for seed in range(60):
        rng = random.Random(seed)
        system = sp.loads(lock_server(2, ONCE if seed % 2 else ALWAYS), format="storm")
        failures = sp.Failures(loss=True, duplicate=seed % 3 > 0, reorder=seed % 5 == 0)
        model = survival(system, failures)
        events, _ = random_logs(model, rng, 14)
        changed = mutated(rng, events) if seed % 4 == 0 else events
        (log,) = as_logs({"Server": changed["Server"]})
        found = compared(model, log, 1_000)
        answer = sp.trace(system, [log], failures)  # replays the run
        if found is not None:
            assert answer.conforms is (found.length == len(log))
            count += 1
        refuted += answer.conforms is False
        faulty += answer.conforms is True and bool(answer.faults)
    assert count > 20 and refuted > 3 and faulty > 3, (count, refuted, faulty)


#: A client that asks again and again, and one that asks once and takes any answers.
ALWAYS = """role Client{c} {{
  idle: Server!LOCK -> wait
        Server!RELEASE -> wait
  wait: Server?SUCCESS -> idle
        Server?FAIL -> idle
}}"""
ONCE = """role Client{c} {{
  idle: Server!LOCK -> wait
  wait: Server?SUCCESS -> wait
        Server?FAIL -> wait
}}"""


def lock_server(clients: int, client: str = ALWAYS) -> str:
    """One lock: who holds it may release it, and nobody else gets it meanwhile."""
    free = ["free", *(f"held{c}" for c in range(clients))]
    lines = ["protocol Locks", "service role Server {"]
    for state in free:
        offers, answers = [], []
        for c in range(clients):
            for word in ("LOCK", "RELEASE"):
                right = state == ("free" if word == "LOCK" else f"held{c}")
                after = state if not right else f"held{c}" if word == "LOCK" else "free"
                offers.append(f"Client{c}?{word} -> {state}_{word}{c}")
                said = "SUCCESS" if right else "FAIL"
                answers.append(f"  {state}_{word}{c}: Client{c}!{said} -> {after}")
        lines += [f"  {state}: " + "\n    ".join(offers), *answers]
    lines.append("}")
    lines += [client.format(c=c) for c in range(clients)]
    return "\n".join([*lines, "rest " + ", ".join(f"Client{c}@{{idle, wait}}" for c in range(clients))])


LINE = re.compile(r"MessageType=(\w+), ClientID=(\d+), .*TransactionType=(\w+), .*Result=(\w+),")


def events_of(path: Path) -> list[dict[str, str]]:
    found = filter(None, map(LINE.search, gzip.decompress(path.read_bytes()).decode().splitlines()))
    return [
        {"do": "receive", "peer": f"Client{m[2]}", "message": m[3]}
        if m[1] == "REQUEST"
        else {"do": "send", "peer": f"Client{m[2]}", "message": m[4]}
        for m in found
    ]


def written(path: Path, events: list[dict[str, str]]) -> str:
    path.write_text("".join(json.dumps({"role": "Server", **event}) + "\n" for event in events), "utf-8")
    return str(path)


def test_the_log_of_a_lock_server_without_those_of_its_clients(tmp_path: Path) -> None:
    system = sp.loads(lock_server(5), format="storm")
    started = time.process_time()
    for name, first in (("happy", None), ("error", 1873)):
        events = events_of(peers("pobserve", f"{name}.txt.gz"))
        answer = sp.trace(system, [written(tmp_path / f"{name}.ndjson", events)])
        assert answer.conforms is (first is None)
        assert [event.place.line for event in answer.unexplained] == ([] if first is None else [first])
    assert time.process_time() - started < 60, "a search over all of them takes minutes; this takes 1 s"


def test_a_long_log_of_one_side_with_faults(tmp_path: Path) -> None:
    asked = [{"do": "receive", "peer": "Client1", "message": "LOCK"}]
    success, fail = ([{"do": "send", "peer": "Client1", "message": word}] for word in ("SUCCESS", "FAIL"))
    log = written(tmp_path / "a.ndjson", asked + success + (asked + fail) * 1_000)
    assert sp.trace(sp.loads(lock_server(3), format="storm"), [log]).conforms
    once = sp.loads(lock_server(3, ONCE), format="storm")
    answer = sp.trace(once, [log], sp.Failures(loss=True))
    assert answer.conforms is False and answer.unexplained[0].place.line == 3
    few = written(tmp_path / "b.ndjson", asked + success + asked + fail)
    answer = sp.trace(once, [few], sp.Failures(duplicate=True))
    assert answer.conforms and answer.fewest and [f.kind for f in answer.faults] == ["duplication"]


def test_roles_with_channels_of_their_own_are_searched_together() -> None:
    system = sp.protocol("two-buyer")
    log = RoleLog("Seller")
    assert not is_one_sided(survival(system, sp.Failures()), {"Seller": log})


def test_a_limit_on_what_is_visited_is_kept() -> None:
    """With less than it takes, it is said that not everything was tried."""
    kept = 0
    for seed in range(60):
        rng = random.Random(seed)
        model = survival(*random_case(rng))
        events, _ = random_logs(model, rng, 8)
        name = rng.choice(model.system.names)
        (log,) = as_logs({name: events[name]})
        if is_one_sided(model, {name: log}):
            path = role_path(model.system[name], log)
            whole = explain_one_sided(model, log, path, sp.Limits())
            little = explain_one_sided(model, log, path, sp.Limits(states=1))
            assert little.length <= whole.length and (not little.exact or little.length == whole.length)
            kept += not little.exact
    assert kept > 5
