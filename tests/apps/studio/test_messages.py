"""What comes over the socket and is no question: each is answered in words, and the next question is, too."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from stormproof.apps.studio.document import EXAMPLE
from stormproof.apps.studio.messages import MOST_DEPTH, check_question, read_message
from stormproof.apps.workers import pool
from stormproof.apps.workers.pool import PoolLimits
from stormproof.errors import InputError
from tests.apps.workers.test_pool import SHORT, in_pool
from tests.support.studio_server import StudioServer, TalkingPage


@pytest.fixture(scope="module")
def studio() -> Iterator[StudioServer]:
    """Nothing of all this is a traceback."""
    with StudioServer() as found:
        yield found
        code, _, err = found.stop()
        assert (code, err) == (0, "")


def nested(levels: int) -> str:
    return "[" * levels + "]" * levels


#: What is sent, and a part of the answer.
NO_MESSAGES: list[tuple[str | bytes, str]] = [
    (nested(100_000), "nested too deeply"),
    ('{"a":' * 100_000 + "1" + "}" * 100_000, "nested too deeply"),
    ('{"ask": "play", "settings": ' + nested(900) + "}", "nested too deeply"),
    ('{"ask": "read", "id": ' + nested(100_000), "nested too deeply"),
    ('{"id": ' + "9" * 5_000 + "}", "a number is too large"),
    ('{"effort": 1e999}', "a number is too large"),
    ('{"effort": NaN}', "not JSON"),
    ('{"effort": -Infinity}', "not JSON"),
    ('{"effort": 1' + "0" * 400 + "}", "a number is too large"),
    ("", "not JSON"),
    ("{", "not JSON"),
    ("role A { }", "not JSON"),
    ("[]", "a JSON object"),
    ("null", "a JSON object"),
    ('"ask"', "a JSON object"),
    (b"\x00\xff" * 10, "not bytes"),
    (json.dumps({"ask": "read"}).encode(), "not bytes"),
]


@pytest.mark.parametrize(("sent", "words"), NO_MESSAGES, ids=range(len(NO_MESSAGES)))
def test_what_is_no_message_is_answered(studio: StudioServer, sent: str | bytes, words: str) -> None:
    page = TalkingPage(studio)
    page.socket.send(sent)
    assert words in page.next()["problem"]
    assert page.ask("read", text=EXAMPLE)["answer"]["problems"] == []
    page.close()


QUESTIONS: list[dict[str, Any]] = [
    {"ask": "read", "text": {"a": 1}},
    {"ask": "read", "text": EXAMPLE, "before": [1]},
    {"ask": "read", "text": EXAMPLE, "lane": []},
    {"ask": "save", "text": ["x"], "base": ""},
    {"ask": "library", "name": 5},
    {"ask": "play", "text": EXAMPLE, "steps": "abc"},
    {"ask": "play", "text": EXAMPLE, "at": 0.5},
    {"ask": "play", "text": EXAMPLE, "at": True},
    {"ask": "play", "text": EXAMPLE, "settings": []},
    {"ask": "play", "text": EXAMPLE, "settings": {"loss": [5]}},
    {"ask": "play", "text": EXAMPLE, "settings": {"budget": {"total": "x"}}},
    {"ask": "play", "text": EXAMPLE, "steps": [{"do": {}}]},
    {"ask": "check", "text": EXAMPLE, "effort": "long"},
    {"ask": "check", "text": EXAMPLE, "effort": -1},
    {"ask": "check", "text": EXAMPLE, "effort": 0.3},
    {"ask": "check", "text": EXAMPLE, "effort": 10**18},
    {"ask": "dance", "text": EXAMPLE},
]


@pytest.mark.parametrize("question", QUESTIONS, ids=range(len(QUESTIONS)))
def test_a_part_of_another_type_is_a_problem_and_no_defect(
    studio: StudioServer, question: dict[str, Any]
) -> None:
    page = TalkingPage(studio)
    said = page.ask(question.pop("ask"), **question)
    assert said.get("problem") and "defect" not in said
    page.close()


def test_odd_marks_and_places_change_nothing(studio: StudioServer) -> None:
    page = TalkingPage(studio)
    plain = page.ask("play", text=EXAMPLE)["answer"]
    culprits: list[Any] = [[1], 5, "x", {"a": {}}]
    for culprit in culprits:
        marks = {"length": 0, "culprit": culprit, "loop_from": 10**18, "ending": []}
        said = page.ask("play", text=EXAMPLE, marks=marks)["answer"]
        assert said["choices"] == plain["choices"]
    places: list[Any] = [10**18, 1e300, "x", None, []]
    for place in places:
        assert page.ask("read", text=EXAMPLE, before={"Buyer": {"ask": place}})["answer"]["system"]
    page.close()


def test_the_depth_that_is_allowed() -> None:
    inside = MOST_DEPTH - 1
    assert read_message('{"a": ' + nested(inside) + "}")
    with pytest.raises(InputError, match="nested too deeply"):
        read_message('{"a": ' + nested(inside + 1) + "}")
    check_question({"effort": 0, "marks": None, "before": None})


def test_an_answer_that_is_too_long_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_LINE", 1 << 10)

    async def story(found: pool.WorkerPool) -> None:
        assert "the answer is larger than" in (await found.ask(SHORT))["problem"]
        assert "the answer is larger than" in (await found.ask(SHORT))["problem"], "by another worker"

    in_pool(story, PoolLimits(workers=1))
