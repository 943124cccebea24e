"""What only a page asks: which requirement a moment violates, repairs as diffs, every fault by itself."""

from __future__ import annotations

from typing import Any

import pytest

import stormproof as sp
from stormproof.apps.workers import asking, keeping
from stormproof.apps.workers.mending import ask_for_repairs
from stormproof.apps.workers.playing import play
from stormproof.apps.workers.trying import try_everything
from stormproof.languages import protocols
from stormproof.options import Options

QUICK = Options(effort=20_000)
LOSS = {"loss": True}
PING = """protocol Ping
role Client {
  ask: Server!ping -> wait
  wait: Server?pong -> ask
}
role Server {
  idle: Client?ping -> answer
  answer: Client!pong -> idle
}
require served: always possible Client@ask
"""


def rows(text: str, settings: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found = asking.ask(text, settings, QUICK, lambda said: None)
    return {row["property"]: row for row in found["verdicts"]}


def played(text: str, settings: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    run = row["run"]
    return play(text, {**settings, "under": run["under"]}, run["steps"], 999, run["marks"])


@pytest.mark.parametrize("expected", [True, False])
def test_what_must_never_be_is_named_where_it_becomes_true(expected: bool) -> None:
    text = protocols.source("lock-forgetful")
    text = text if expected else text.replace("expect violated ", "require ")
    shown = played(text, {}, rows(text, {})["mutex-after-restart"])
    broken = [[(rule["name"], rule["expected"]) for rule in m["broken"]] for m in shown["moments"]]
    assert broken[-1] == [("mutex-after-restart", expected)] and not any(broken[:-1])


def test_what_must_stay_possible_is_named_from_the_point_of_no_return_on() -> None:
    row = rows(PING, LOSS)["served"]
    shown = played(PING, LOSS, row)
    broken = [[rule["name"] for rule in moment["broken"]] for moment in shown["moments"]]
    assert broken[0] == [] and broken[-1] == ["served"], "before the loss it could still be"
    assert row["run"]["marks"]["claim"] == "always possible Client@ask"
    other = play(PING, LOSS, row["run"]["steps"][:1], 1, row["run"]["marks"])
    assert not any(moment["broken"] for moment in other["moments"]), "of another run the marks say nothing"


def test_each_step_has_its_line() -> None:
    row = rows(PING, LOSS)["recovers"]
    shown = played(PING, LOSS, row)
    lines = [moment["line"] for moment in shown["moments"]]
    assert lines[0] is None and lines[1] == 3, "the client asks first"
    assert all(line is None for line, m in zip(lines, shown["moments"], strict=True) if m["edge"] is None)


def test_a_repair_is_a_text_that_survives_and_its_diff() -> None:
    text = protocols.source("client-server")
    found = ask_for_repairs(text, LOSS, QUICK)["repairs"]
    assert found
    for repair in found:
        mended = sp.check(sp.loads(repair["text"]), sp.Failures(loss=True), classes=False)
        assert mended["recovers"].holds
        added = [row["text"] for row in repair["diff"] if row["sign"] == "+"]
        lines = repair["text"].splitlines()
        assert added and all(lines[r["line"] - 1] == r["text"] for r in repair["diff"] if r["sign"] != "-")
        assert len(lines) == len(text.splitlines()) + len(added)


def test_where_no_repair_is_searched_it_says_so() -> None:
    text = "const n = 1\nrole A { a: B!m(n) -> c\n c: }\nrole B { b: A?m(_) -> c\n c: }"
    assert "variables" in ask_for_repairs(text, LOSS, QUICK)["why"]


def test_each_fault_by_itself() -> None:
    told: list[dict[str, Any]] = []
    found = try_everything(PING, {}, QUICK, told.append)
    signs = {(cell["kind"], str(cell["of"])): cell["sign"] for cell in found["cells"]}
    assert signs["loss", "['Client', 'Server']"] == "✘ 1" and signs["stop", "Client"].startswith("✘")
    assert found["tolerates"] and told[-1]["progress"]["done"] > 2
    broken = try_everything(PING.replace("Client!pong", "Client!pang"), {}, QUICK, told.append)
    assert broken["without"], "it fails without any fault"


def test_every_picture_carries_its_verdict() -> None:
    run = rows(PING, LOSS)["recovers"]["run"]
    kept = keeping.save_chart(PING, LOSS, run["steps"], run["marks"])["text"]
    assert "Ping: recovers breaks with 1 fault" in kept
    assert "it can still come to rest" in keeping.save_chart(PING, LOSS, [])["text"]
    assert keeping.save_mermaid(PING, LOSS, run["steps"], run["marks"])["text"].startswith("sequenceDiagram")


def test_every_word_of_an_answer_is_explained() -> None:
    for row in rows(PING, LOSS).values():
        said = dict(row["meaning"])
        assert row["property"] in said and f"{row['mark']} {row['status']}" in said
        assert all(said.values())
