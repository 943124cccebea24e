"""Saved results, `stormproof replay`, and the file that a mismatch leaves behind."""

from __future__ import annotations

import copy
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import stormproof as sp
from stormproof.apps.cli import group
from stormproof.errors import InputError, InternalError
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.goal import Goal, show
from stormproof.kernel.model.run import Replay
from stormproof.languages.protocols import protocol
from stormproof.search.checks import evidence, recovery
from stormproof.search.checks.api import check
from stormproof.trust.replay_storm import BUDGET, replay_storm
from stormproof.trust.saved.replay_report import replay_result
from stormproof.trust.saved.saved_report import result_from_json
from tests.support.random_systems import random_failures, random_system
from tests.support.survival_questions import random_goal


def saved(name: str = "alternating-bit", **failures: Any) -> dict[str, Any]:
    data: dict[str, Any] = check(protocol(name), Failures(**failures), max_k=2, certificates=True).to_json()
    return data


def survival(name: str = "alternating-bit", **failures: Any) -> dict[str, Any]:
    """Of survival alone, each verdict of which has a certificate."""
    asked: dict[str, Any] = {"properties": ["recovers", "clean"], "max_k": 2, "certificates": True}
    data: dict[str, Any] = check(protocol(name), Failures(**failures), **asked).to_json()
    return data


def run(text: str, *flags: str) -> tuple[int, str]:
    found = CliRunner().invoke(group, ["replay", "-", *flags], input=text, standalone_mode=False)
    if found.exception is not None:
        raise found.exception
    return found.return_value, found.output


def test_the_results_of_several_files_are_replayed_together() -> None:
    """A file that could not be read leaves the whole open; a forged run in any of them is refused."""
    good = {"file": "a.storm", **survival(loss=True)}
    both: dict[str, Any] = {
        "stormproof": 1,
        "reports": [good, {"file": "b.storm", **survival("client-server", loss=True)}],
    }
    code, out = run(json.dumps(both))
    assert (
        code == 0
        and "a.storm" in out
        and "b.storm" in out
        and out.count("✔ proved  recovers is violated") == 2
    )
    code, out = run(json.dumps(both), "--json")
    assert {row["file"] for row in json.loads(out)["replays"]} == {"a.storm", "b.storm"}
    unread = {"stormproof": 1, "reports": [good, {"file": "c.storm", "error": "no such file"}]}
    assert run(json.dumps(unread))[0] == 3
    both["reports"][1]["verdicts"][0]["witness"]["steps"].pop()
    assert run(json.dumps(both))[0] == 1
    assert run(json.dumps({"stormproof": 1, "models": {"loss": survival(loss=True)}}))[0] == 0
    with pytest.raises(InputError, match="report 1 is not a saved result"):
        run(json.dumps({"stormproof": 1, "reports": [{"file": "a.storm"}]}))


@pytest.mark.parametrize(
    ("name", "failures"),
    [
        ("alternating-bit", {"loss": True}),
        ("alternating-bit", {"reorder": True, "corrupt": True}),
        ("half-duplex", {"corrupt": True}),
        ("half-duplex", {"loss": True, "reorder": True}),
        ("crash-commit", {"crash": ["A"]}),
        ("two-phase-commit", {"stop": ["Coordinator"]}),
        ("two-phase-commit", {"stop": ["A"], "restart": ["Coordinator"], "loss": True}),
    ],
)
def test_a_saved_result_replays(name: str, failures: dict[str, Any]) -> None:
    result = result_from_json(json.dumps(saved(name, **failures)))
    for answer in replay_result(result):
        evident = answer.holds is False or answer.property in ("recovers", "clean", "crash-handling")
        unproved = answer.message == "that no run has fewer faults comes without a certificate"
        assert answer.proved or not evident or (unproved and answer.property.startswith("k-")), answer


def test_what_is_missing_for_crash_handling_is_looked_up_again() -> None:
    failures = Failures(crash=["Server"])
    data = check(protocol("client-server-logger"), failures, properties=["crash-handling"]).to_json()
    assert data["verdicts"][0]["holds"] is False and data["given"] != data["system"]
    (answer,) = replay_result(result_from_json(json.dumps(data)))
    assert answer.proved and "Client" in answer.message
    (refused,) = replay_result(result_from_json(json.dumps({**data, "given": data["system"]})))
    assert refused.proved is False


SHOP = """
protocol Shop
role Client {
  ask: Server!request -> wait
  wait: Server?reply -> done
        timeout -> ask
  done:
}
service role Server {
  idle: Client?request -> busy
  busy: Client!reply -> idle
}
rest Client@done
durable Server@busy
require answered: always possible Client@done
require twice: never Client@ask & Server@busy under loss
expect violated gone: always possible Client@done under stop Server
expect violated lost: always possible Client@wait under at most 1 fault, loss
require sure: recovers under restart Server, loss, at most 2 faults
require weak: k-er at 1 under loss
"""


def shop(**options: Any) -> dict[str, Any]:
    data: dict[str, Any] = check(sp.loads(SHOP, format="storm"), max_k=2, **options).to_json()
    return data


def without_fewest(data: dict[str, Any]) -> dict[str, Any]:
    """The same without what needs certificates that nobody asked for."""
    rows = [{**v, "fewest": False} if "fewest" in v else v for v in data["verdicts"]]
    return {**data, "verdicts": rows}


def test_requirements_are_replayed_under_their_own_failures() -> None:
    """Where channels grow, no search of what may follow ends: a small certificate is made unasked."""
    data = without_fewest(shop())
    answers = {a.property: a.proved for a in replay_result(result_from_json(json.dumps(data)))}
    assert all(answers[name] for name in ("twice", "lost", "weak", "gone")), answers
    (gone,) = [v for v in data["verdicts"] if v["property"] == "gone"]
    assert gone["replayed"] and gone["certificate"]["kind"] == "out of reach"
    del gone["certificate"]
    answers = {a.property: a.proved for a in replay_result(result_from_json(json.dumps(data)))}
    assert answers["gone"] is None


def test_no_long_search_precedes_a_small_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    budgets: list[int] = []

    def search(model: Any, ask: Any, witness: Any, budget: int = BUDGET) -> Any:
        budgets.append(budget)
        return replay_storm(model, ask, witness, budget)

    monkeypatch.setattr(evidence, "replay_storm", search)
    system = sp.protocol("mqtt-qos2")
    stopped = check(system, sp.Failures(stop=["Broker"]), properties=["recovers"])["recovers"]
    assert stopped.holds is False and stopped.replayed and stopped.certificate is not None
    assert budgets == [evidence.FEW_FUTURES], "messages to a role that has stopped pile up for ever"


def test_a_claim_that_needs_a_large_certificate_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "MOST_UNASKED", 1)
    (gone,) = [v for v in shop()["verdicts"] if v["property"] == "gone"]
    assert gone["replayed"] is None and "certificate" not in gone
    assert gone["notes"] == [f"replayed as a run; {evidence.TOO_MANY_FUTURES}"]


def test_a_certificate_of_survival_that_lacks_configurations_is_refused_in_words() -> None:
    data = check(protocol("client-server"), properties=["recovers"], certificates=True).to_json()
    data["verdicts"][0]["certificate"]["storms"].pop()
    code, out = run(json.dumps(data), "--json")
    ((proved, message),) = [(row["proved"], row["message"]) for row in json.loads(out)["replays"]]
    assert code == 1 and proved is False
    assert "the states " in message and "Configuration" not in message


def test_every_verdict_on_survival_has_a_certificate_or_a_run() -> None:
    data = shop(certificates=True)
    answers = {a.property: a for a in replay_result(result_from_json(json.dumps(data)))}
    for verdict in data["verdicts"]:
        if "up_to" in verdict:
            assert answers[verdict["property"]].proved, answers[verdict["property"]]
    kinds = {v["certificate"]["kind"] for v in data["verdicts"] if "certificate" in v}
    assert kinds == {"closed set", "out of reach"}


def certified() -> dict[str, Any]:
    """What must never happen is proved without a bound, what must remain possible up to k = 1."""
    names = ["recovers", "clean"]
    report = check(protocol("alternating-bit-retransmit"), max_k=1, properties=names, certificates=True)
    data: dict[str, Any] = report.to_json()
    assert [v["certificate"]["kind"] for v in data["verdicts"]] == ["closed set", "invariant"]
    return data


def test_a_certificate_proves_no_more_than_it_says() -> None:
    data = certified()
    assert all(a.proved for a in replay_result(result_from_json(json.dumps(data))))
    recovers, clean = data["verdicts"]
    for forged in (
        {**recovers, "up_to": None},
        {**recovers, "up_to": 2},
        {**recovers, "holds": False},
        {**recovers, "certificate": clean["certificate"]},
        {**clean, "certificate": {**clean["certificate"], "controls": clean["certificate"]["controls"][1:]}},
    ):
        answers = replay_result(result_from_json(json.dumps({**data, "verdicts": [forged]})))
        assert not answers[0].proved, answers
    assert run(json.dumps({**data, "verdicts": [{**recovers, "up_to": None}]}))[0] == 1


def test_that_no_run_has_fewer_faults_is_certified() -> None:
    names = ["recovers"]
    data = check(
        protocol("alternating-bit"), Failures(loss=True), properties=names, certificates=True
    ).to_json()
    (verdict,) = data["verdicts"]
    assert verdict["fewest"] and verdict["faults"] == 1
    (answer,) = replay_result(result_from_json(json.dumps(data)))
    assert answer.proved and answer.message.endswith("no run has fewer faults")
    smaller = {**verdict["fewest_certificate"], "storms": verdict["fewest_certificate"]["storms"][:-1]}
    verdict["fewest_certificate"] = smaller
    assert run(json.dumps(data))[0] == 1


@pytest.mark.parametrize("chunk", range(2))
def test_every_verdict_on_random_requirements_is_proved(chunk: int) -> None:
    """Under the failures of the check and under their own, with stops, restarts and budgets."""
    proved = 0
    for seed in range(chunk * 1000, chunk * 1000 + 20):
        rng = random.Random(seed)
        system, failures = random_requirements(rng)
        data = check(system, failures, max_k=2, certificates=True, effort=100_000).to_json()
        answers = {a.property: a for a in replay_result(result_from_json(json.dumps(data)))}
        for verdict in data["verdicts"]:
            if "up_to" in verdict and verdict["holds"] is not None:
                assert answers[verdict["property"]].proved, f"seed {seed}: {answers[verdict['property']]}"
                proved += 1
    assert proved > 50


def random_requirements(rng: random.Random) -> tuple[sp.System, Failures]:
    system = random_system(rng, internal=0.1)
    processes = tuple(replace(p, durable=tuple(rng.sample(p.states, 1))) for p in system)

    def some() -> tuple[str, ...]:
        return tuple(name for name in system.names if rng.random() < 0.2)

    lossy = tuple(sp.ChannelFaults(*c, loss=True) for c in system.channels if rng.random() < 0.5)
    under = sp.Under(lossy, stop=some(), restart=some(), crash=some(), at_most=((None, rng.randint(0, 2)),))
    claims = [sp.Claim(what, written_goal(rng, system)) for what in ("never", "always possible") * 2]
    apart = random.Random(rng.random())
    after, goal = (written_goal(apart, system) for _ in range(2))
    claims.append(sp.Claim("leads to", goal, after=after))
    required = [
        sp.Requirement(claim, name, under=None if i < 2 else under)
        for i, (name, claim) in enumerate(zip("abcde", claims))
    ]
    failures = replace(random_failures(rng, system), stop=some(), restart=some())
    return replace(system, processes=processes, requirements=tuple(required)), failures


def written_goal(rng: random.Random, system: sp.System) -> Goal:
    """One that the language of goals has: heads of channels stand behind named goals only."""
    found = random_goal(rng, system)
    return found if "starts with" not in show(found) else written_goal(rng, system)


def test_where_a_certificate_would_be_too_large_the_verdict_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovery, "MOST", 10)
    verdict = sp.survives(protocol("alternating-bit-retransmit"), max_k=1, certificates=True)
    assert verdict.holds and verdict.certificate is None
    assert any(note.startswith("no certificate was made") for note in verdict.notes)


def test_a_run_with_more_faults_than_allowed_is_refused() -> None:
    data = survival(loss=True)
    assert run(json.dumps(data))[0] == 0
    assert run(json.dumps({**data, "verdicts": [{**data["verdicts"][0], "faults": 0}]}))[0] == 1
    for budget in ({"total": 0}, {"loss": 0}):
        assert run(json.dumps({**data, "failures": {**data["failures"], "budget": budget}}))[0] == 1


def test_exit_codes() -> None:
    data = survival(loss=True)
    assert run(json.dumps(data))[0] == 0
    broken = copy.deepcopy(data)
    violated = next(v for v in broken["verdicts"] if v["witness"])
    violated["witness"]["steps"].pop()
    code, output = run(json.dumps(broken))
    assert code == 1 and "refused" in output
    for key in ("certificate", "fewest_certificate"):
        unproved = copy.deepcopy(data)
        for verdict in unproved["verdicts"]:
            verdict.pop(key, None)
        code, output = run(json.dumps(unproved))
        assert code == 3 and "? not proved" in output
    code, output = run(json.dumps(data), "--json")
    assert code == 0 and all(row["proved"] for row in json.loads(output)["replays"])
    code, output = run(json.dumps(check(protocol("alternating-bit"), max_k=1).to_json()))
    assert code == 3 and "? not proved  recovers holds: comes without a certificate" in output
    assert run(json.dumps({**data, "verdicts": []}))[0] == 3


@pytest.mark.parametrize(
    "text", ["", "[]", "{", "{}", '{"system": 1, "failures": {}, "verdicts": []}', "[" * 100_000]
)
def test_what_is_no_saved_result_is_said_so(text: str) -> None:
    with pytest.raises(InputError):
        result_from_json(text)


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    below = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [path, *(p for key, value in below for p in places(value, (*path, key)))]


@pytest.mark.parametrize("chunk", range(4))
def test_a_spoilt_result_is_refused_and_never_a_traceback(chunk: int) -> None:
    """Any one value replaced by nonsense: an InputError, or an answer."""
    spoil(saved("half-duplex", corrupt=True, loss=True), chunk)
    spoil(certified(), chunk)


def spoil(whole: dict[str, Any], chunk: int) -> None:
    everywhere = places(whole)
    for seed in range(chunk * 100, (chunk + 1) * 100):
        rng = random.Random(seed)
        data = copy.deepcopy(whole)
        *path, last = rng.choice(everywhere[1:])
        target = data
        for key in path:
            target = target[key]
        target[last] = rng.choice([None, -1, 10**9, "x", [], {}, [[]], {"crash": True}, True, 1.5])
        try:
            answers = replay_result(result_from_json(json.dumps(data)), budget=2_000)
        except InputError:
            continue
        assert all(a.message for a in answers), seed


def test_a_mismatch_is_loud_and_leaves_a_reproducer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(evidence, "replay", lambda *_: Replay(False, False, "made up for the test"))
    with pytest.raises(InternalError, match="made up for the test"):
        check(protocol("alternating-bit"), Failures(loss=True), properties=["k-pg"], max_k=1)
    (left,) = tmp_path.glob("stormproof-reproducer-k-pg-*.json")
    data = json.loads(left.read_text(encoding="utf-8"))
    assert data["reproducer"]["replay"] == "made up for the test"
    (answer,) = replay_result(result_from_json(left.read_text(encoding="utf-8")))
    assert answer.property == "k-pg" and answer.proved, "the kernel itself has nothing against this witness"


def test_no_replay_shows_the_verdict_without_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "replay", lambda *_: pytest.fail("asked"))
    report = check(
        protocol("alternating-bit"), Failures(loss=True), properties=["k-pg"], max_k=1, replay=False
    )
    assert report["k-pg"].holds is False and report["k-pg"].replayed is None
