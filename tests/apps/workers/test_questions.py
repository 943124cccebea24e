"""What workers answer: read, check, play, keep."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

import stormproof as sp
from stormproof.apps.workers import asking, keeping
from stormproof.apps.workers.playing import play, show_me
from stormproof.apps.workers.reading import read, system_of
from stormproof.apps.workers.settings import settings_on, settings_to_json
from stormproof.apps.workers.ways_to_rest import MOST_EACH, NEVER, POSSIBLE, UNKNOWN, WaysToRest
from stormproof.apps.workers.worker import answer
from stormproof.errors import InputError
from stormproof.kernel.model.actions import Configuration
from stormproof.kernel.model.storm_step import StormStep
from stormproof.kernel.model.survival import SLACK, SurvivalModel
from stormproof.kernel.semantics.faulty_steps import effect, stormy_steps
from stormproof.kernel.semantics.goal_meaning import at_rest
from stormproof.languages import protocols
from stormproof.limits import Limits
from stormproof.options import Options
from stormproof.oracle.bounded import TooLarge, initial
from stormproof.oracle.survival import calm_futures
from stormproof.trust.saved.replay_report import replay_result
from stormproof.trust.saved.saved_report import result_from_json
from tests.support.survival_questions import random_model

BIT = protocols.source("alternating-bit")
LOSS = {"loss": True}


def ask(kind: str, text: str = BIT, **more: Any) -> dict[str, Any]:
    return answer({"ask": kind, "text": text, "seconds": 30, "memory": 2**30, **more}, lambda progress: None)


def test_all_mistakes_are_reported_with_their_places() -> None:
    problems = read(BIT.replace("Receiver!d0", "Reciver!d0").replace("-> ack0", "-> akc0"))["problems"]
    assert [(p["severity"], p["line"]) for p in problems] == [("error", 9), ("error", 21)]
    assert problems[0]["message"] == "unknown role 'Reciver'" and problems[0]["width"] == len("Reciver")
    warned = read("role A { a: B!x -> b\n b: }\nrole B { c: A?x -> d\n d:\n e: }")["problems"]
    assert [p["severity"] for p in warned] == ["warning"] and "nothing leads to 'e'" in warned[0]["message"]


def test_another_language_is_offered_as_storm() -> None:
    found = read(sp.dumps(sp.protocol("alternating-bit"), "json"))["converted"]
    assert found["language"] == "json" and sp.loads(found["text"]).names == ("Sender", "Receiver")
    assert read("role {")["converted"] is None


def test_what_a_page_needs_to_know_of_a_system() -> None:
    found = read(
        "protocol P\nfaults A -> B: loss\nunreliable role A { a: B!x -> end }\nrole B { b: A?x -> end }"
    )["system"]
    declared = {group["what"]: [row["declared"] for row in group["rows"]] for group in found["switches"]}
    assert declared == {"channel": [["loss"]], "role": [["crash"], []]}
    assert [role["lines"] for role in found["roles"]] == [[3, 3], [4, 4]]
    assert [p["roles"] for p in found["pictures"]] == [["A"], ["B"], []], "the last explains the shapes"


@pytest.mark.parametrize(
    ("said", "other", "words"),
    [("", "on-time", "on time"), ("timers on time\n", "any-time", "at any time")],
)
def test_one_switch_turns_the_timers_of_a_file_round(said: str, other: str, words: str) -> None:
    text = said + "role A { a: B!x -> w\n w: timeout -> end }\nrole B { b: A?x -> end }"
    system, _ = system_of(text)
    *_, group = read(text)["system"]["switches"]
    assert (group["what"], group["kinds"], group["rows"]) == ("timer", [["timers", words]], [])
    assert settings_on(system, {"timers": group["all"]}).timers == group["all"] == other
    assert settings_on(system, {"timers": False}).timers == "", "what the page says where it is off"
    assert settings_on(system, {"timers": []}).timers == "", "a link may hold anything"


def test_everything_is_tried_with_the_timers_of_the_page() -> None:
    asks = "role A { a: B!x -> w\n w: B?y -> end\n timeout -> early\n early: }"
    late = f"{asks}\nrole B {{ b: A?x -> c\n c: A!y -> end }}\nrequire patient: never A@early"
    found: dict[str, dict[str, Any]] = {}
    for mode in ("", "on-time"):
        page = {"text": late, "settings": {"timers": mode}, "effort": 3000, "seconds": 60, "memory": 1 << 30}
        found[mode] = answer({"ask": "frontier", **page}, lambda _: None)
    assert found[""]["without"] and not found["on-time"]["without"]
    for said in found.values():
        assert "timers: ✘ at any time, ✔ on time" in said["notes"]


def test_a_cut_that_the_file_declares_is_shown_at_each_channel_that_it_takes_down() -> None:
    text = (
        "faults A <-> B: cut\nrole A { a: B!x -> b\n b: B?y -> end }\nrole B { b: A?x -> c\n c: A!y -> end }"
    )
    channels, _ = read(text)["system"]["switches"]
    assert ["cut", "cut"] in channels["kinds"]
    assert [row["declared"] for row in channels["rows"]] == [["cut"], ["cut"]]


def test_a_long_search_for_rest_holds_up_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[dict[str, Any]] = []
    text = protocols.source("two-phase-commit")
    play(text, LOSS, [], 0, tell=told.append)
    assert told == [], "a short one does not either"
    search = WaysToRest._search

    def slow(ways: WaysToRest, at: Configuration, most: int) -> tuple[str, tuple[StormStep, ...]]:
        return (UNKNOWN, ()) if most < MOST_EACH else search(ways, at, most)

    monkeypatch.setattr(WaysToRest, "_search", slow)
    shown = play(text + "// anew", LOSS, [], 0, tell=told.append)
    (said,) = told
    assert said["partial"]["choices"] == shown["choices"] and said["partial"]["rest"] == ["searching"]
    assert shown["rest"] == [POSSIBLE]


FAN = """role A { a: B!w -> s1
B!x -> s2
B!y -> s3
s1: B!w -> e
s2: B!x -> e
s3: B!y -> e
%s e: }
role B { b: A?w -> b }"""


@pytest.mark.parametrize("turned", [1, -1])
def test_states_stay_where_they_are_while_somebody_edits(turned: int) -> None:
    """The order of the first picture, or its mirror image if that is what the page shows, is kept."""
    first = read(FAN % "")["system"]["pictures"][0]["places"]
    shown = {state: turned * x for state, x in first.items()}
    order = sorted(("s1", "s2", "s3"), key=shown.__getitem__)
    edited = read(FAN % "s4: B!w -> s2\n internal i -> s1\n", {"A": shown})["system"]["pictures"][0]["places"]
    assert sorted(("s1", "s2", "s3"), key=edited.__getitem__) == order
    assert read(FAN % "", {"A": 3, "x": {"y": "z"}})["system"], "what a page sends may be anything"


def test_survival_and_requirements_are_told_before_the_classes() -> None:
    text = BIT + "\nrequire order: never Sender@send1 & Receiver@expect0 & deadlock\n"
    told: list[dict[str, Any]] = []
    whole = asking.ask(text, {"loss": True}, Options(Limits(60), effort=20_000), told.append)
    partial = [said["partial"] for said in told if "partial" in said]
    classes = [row for row in whole["verdicts"] if row["kind"] == "class"]
    assert partial[-1]["verdicts"] == [row for row in whole["verdicts"] if row["kind"] != "class"]
    assert [len(known["verdicts"]) for known in partial] == [1, 2, 3], "each as soon as it is known"
    assert whole["answer"] == partial[-1]["answer"] and whole["answer"].startswith("alternating-bit does not")
    checked = sp.check(sp.loads(text, "storm"), sp.Failures(loss=True), effort=20_000)
    assert {row["property"]: row["ok"] for row in whole["verdicts"]} == {v.property: v.ok for v in checked}
    assert classes and not whole["stopped"]


def test_the_run_of_a_requirement_is_played_under_its_own_failures() -> None:
    text = BIT + "\nexpect violated stopping: recovers under stop Receiver\n"
    row = next(
        v for v in ask("check", text, settings={}, effort=10_000)["verdicts"] if v["kind"] == "requirement"
    )
    assert row["ok"] and row["word"] == "violated" and row["run"]["under"] == row["property"]
    shown = play(text, {"under": row["property"]}, row["run"]["steps"], 99)
    assert shown["problem"] == "" and shown["rest"][-1] == NEVER
    assert "no longer possible" in play(text, {}, row["run"]["steps"], 0)["problem"]
    saved = keeping.save_run(text, {"under": row["property"]}, row["run"]["steps"])["text"]
    assert [said.proved for said in replay_result(result_from_json(saved))] == [True]


def test_runs_of_requirements_without_names_are_told_apart() -> None:
    text = BIT + "\nrequire recovers under stop Sender\nrequire recovers under stop Receiver\n"
    rows = [
        v for v in ask("check", text, settings={}, effort=10_000)["verdicts"] if v["kind"] == "requirement"
    ]
    assert [row["run"]["under"] for row in rows] == [
        "recovers under stop Sender",
        "recovers under stop Receiver",
    ]
    for row in rows:
        assert play(text, {"under": row["run"]["under"]}, row["run"]["steps"], 99)["problem"] == ""


def test_settings_survive_a_change_of_the_text() -> None:
    failures = sp.Failures(
        loss=["A->B"],
        corrupt=True,
        crash=["A"],
        stop=["C"],
        corrupt_map=[("A->B", "x", "y")],
        budget={"total": 2, "loss": 1},
    )
    data = settings_to_json(failures)
    both = sp.loads("role A { a: B!x -> end\n } role B { b: A?x -> end\n c: A?y -> end } role C { d: }")
    assert settings_on(both, data) == failures
    alone = sp.loads("role A { a: D!x -> end } role D { b: A?x -> end }")
    assert settings_on(alone, data) == sp.Failures(loss=[], corrupt=True, crash=["A"], budget=failures.budget)
    refused: list[Any] = [[], {"budget": {"total": -1}}, {"loss": 3}, {"corrupt_map": [[1]]}]
    for wrong in refused:
        with pytest.raises(InputError, match="settings"):
            settings_on(both, wrong)


def test_a_violation_opens_its_run_and_play_goes_on_from_there() -> None:
    rows = {v["property"]: v for v in ask("check", settings=LOSS, effort=10_000)["verdicts"]}
    run = rows["recovers"]["run"]
    assert not rows["recovers"]["ok"] and "breaks with 1 fault" in rows["recovers"]["say"]
    shown = play(BIT, LOSS, run["steps"], 1, run["marks"])
    assert (shown["rest"], shown["way"]) == ([POSSIBLE, POSSIBLE, NEVER], 7), (
        "the loss is what made it impossible"
    )
    assert [m["fault"] for m in shown["moments"]] == [False, False, True]
    assert [c["say"] for c in shown["choices"]] == ["Receiver receives d0 from Sender"]
    branch = play(BIT, LOSS, run["steps"][:1] + shown["choices"][0]["steps"], 2)
    assert branch["moments"][2]["states"] == ["wait0", "ack0"] and not branch["problem"]


def test_steps_that_no_longer_fit_are_left_out() -> None:
    run = ask("check", settings=LOSS, effort=10_000)["verdicts"][0]["run"]
    shown = play(BIT, {}, run["steps"], 2)
    assert len(shown["steps"]) == 1 and "there is no loss on Sender → Receiver" in shown["problem"]
    shown = play(BIT.replace("send0: Receiver!d0", "send0: Receiver!d1"), LOSS, run["steps"], 2)
    assert not shown["steps"] and "Sender cannot do Receiver!d0 in 'send0'" in shown["problem"]
    refused: list[Any] = ["x", [{"do": "fly"}], [{}], [1]]
    for wrong in refused:
        with pytest.raises(InputError):
            play(BIT, LOSS, wrong, 0)


def test_every_fault_is_a_choice_and_the_budget_ends_them() -> None:
    settings = {"loss": True, "corrupt": True, "duplicate": True, "stop": ["Sender"], "restart": ["Receiver"]}
    first = play(BIT, settings, [], 0)["choices"]
    assert [c["strikes"] for c in first] == ["", "lost", "becomes d1", "stop"]
    assert first[-1]["edge"] is None, "a stop is no edge of the user's automaton"
    sent = play(BIT, settings, first[0]["steps"], 1)["choices"]
    assert {"a copy stays", "delivered in place of d0 and a copy stays"} <= {c["strikes"] for c in sent}
    lost = first[1]["steps"]
    spent = play(BIT, {**settings, "budget": {"total": 1}}, lost, len(lost))
    assert spent["choices"] == [] and spent["rest"][-1] == NEVER


def test_the_shortest_way_to_rest_leads_there() -> None:
    first = play(BIT, LOSS, [], 0)["choices"][0]["steps"]
    way = show_me(BIT, LOSS, first)["steps"]
    end = play(BIT, LOSS, first + way, 8)
    assert (len(way), end["rest"][-1], end["way"], end["problem"]) == (7, POSSIBLE, 0, "")
    lost = play(BIT, LOSS, [], 0)["choices"][1]["steps"]
    assert show_me(BIT, LOSS, lost)["steps"] is None


def distances(model: SurvivalModel, start: Configuration, bound: int) -> tuple[int | None, bool]:
    """By the definitions: the calm steps from here to rest, and whether a send has hit the bound."""
    calm = calm_futures(model, [start], bound, most=400)
    level, seen, steps = {start}, {start}, 0
    while level:
        if any(at_rest(model, at) for at in level):
            return steps, bool(calm.hits)
        level = {after for at in level for after in calm.after[at]} - seen
        seen |= level
        steps += 1
    return None, bool(calm.hits)


@pytest.mark.parametrize("chunk", range(2))
def test_ways_to_rest_agree_with_the_definitions_on_random_runs(chunk: int) -> None:
    """Walk at random with every kind of fault, and ask at each moment in two ways."""
    asked = {NEVER: 0, UNKNOWN: 0, POSSIBLE: 0}
    for seed in range(30 * chunk, 30 * chunk + 30):
        rng = random.Random(seed)
        model = random_model(rng)
        at = initial(model.system)
        ways = WaysToRest(model)
        for _ in range(4):
            said, way = ways.way(at)
            try:
                steps, hit = distances(model, at, max(map(len, at.words), default=0) + 1 + SLACK)
            except TooLarge:
                break
            asked[said] += 1
            assert (said == POSSIBLE) == (steps is not None), f"seed {seed}"
            assert steps in (None, len(way)) and (said != UNKNOWN or hit), f"seed {seed}"
            leads_to_rest(model, at, way, said)
            possible = list(stormy_steps(model, at))
            at = effect(model, at, rng.choice(possible)) if possible else at
    assert min(asked[NEVER], asked[POSSIBLE]) > 20 and asked[UNKNOWN] < 10, asked


def leads_to_rest(model: SurvivalModel, at: Configuration, way: Sequence[StormStep], said: str) -> None:
    for step in way:
        assert step.calm and step in list(stormy_steps(model, at))
        at = effect(model, at, step)
    assert at_rest(model, at) or said != POSSIBLE


def test_a_run_that_is_saved_is_replayed() -> None:
    lost = play(BIT, LOSS, [], 0)["choices"][1]["steps"]
    (said,) = replay_result(result_from_json(keeping.save_run(BIT, LOSS, lost)["text"]))
    assert (said.property, said.proved) == ("recovers", True)
    (said,) = replay_result(result_from_json(keeping.save_run(BIT, LOSS, lost[:1])["text"]))
    assert (said.property, said.proved) == ("run", True)
    forged = keeping.save_run(BIT, LOSS, lost[:1])["text"].replace(
        '"do": "send"', '"do": "receive", "from": "Receiver"'
    )
    said, *_ = replay_result(result_from_json(forged))
    assert said.proved is False


def test_pictures_and_pages_are_kept() -> None:
    assert keeping.save_chart(BIT, LOSS, [])["text"].startswith("<svg")
    page = ask("save-page", settings=LOSS, effort=10_000)["text"]
    assert "alternating-bit" in page and "breaks with 1 fault" in page and "http-equiv" in page
