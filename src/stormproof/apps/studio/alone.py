"""What answers where there is no server: the questions of one page, in the Python of a browser.

There is no engine in it, so the kernel's own explorer decides what is small; what is larger is undecided
here, and the page says with which command it is decided elsewhere. Nothing is searched for longer than a few
seconds, since a question cannot be interrupted.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ...errors import InputError, StormproofError
from ...kernel.model.failures import Failures
from ...kernel.model.status import Status
from ...languages import protocols
from ...limits import Limits
from ...options import Options
from ..workers import asking, keeping, playing, reading
from ..workers.settings import settings_to_json
from .document import EXAMPLE, Document
from .greeting import greeting
from .messages import check_question, read_message

#: Configurations that are explored at one bound, for what only makes an answer stronger, and seconds.
STATES, EFFORT, SECONDS = 2_000, 1_500, 20.0

ELSEWHERE = "stormproof check FILE"

#: What an answer here is worth.
NOTE = (
    f"This page has no engine: it explores at most {STATES:,} configurations for each channel length. "
    f"On your machine `{ELSEWHERE}` explores as many as fit, and decides the classes, too."
)

Hearer = Callable[[str], None]


def hello() -> str:
    document = Document("Shop", EXAMPLE).to_json()
    said = {"settings": settings_to_json(Failures()), "document": document, **greeting()}
    return json.dumps({"hello": said})


def answer(message: str, tell: Hearer) -> str:
    """The answer to one question, as the worker processes of a server give it. `tell` hears what is known
    before that."""
    try:
        question = read_message(message)
        check_question(question)
        said: dict[str, Any] = {"answer": _answer(question, lambda part: tell(json.dumps(part)))}
    except StormproofError as problem:
        said = {"problem": problem.message, "hint": problem.hint}
    except Exception as problem:
        said = {"defect": f"{type(problem).__name__}: {problem}"}
    return json.dumps(said)


def _answer(question: dict[str, Any], tell: asking.Tell) -> dict[str, Any]:
    kind, text = question["ask"], question.get("text", "")
    settings, steps, marks = question.get("settings", {}), question.get("steps", []), question.get("marks")
    if kind == "library":
        return {"name": question["name"], "text": protocols.source(question["name"])}
    if kind == "read":
        return reading.read(text, question.get("before"), tell)
    if kind == "format":
        return reading.format_text(text)
    if kind == "check":
        return check(text, settings, tell)
    if kind == "play":
        at, opened = int(question.get("at", 0)), question.get("opened", playing.EVERYTHING)
        return playing.play(text, settings, steps, at, marks, tell, opened)
    if kind == "way":
        return playing.show_me(text, settings, steps)
    if kind in _KEPT:
        return _KEPT[kind](text, settings, steps, marks)
    raise InputError(f"this page cannot do that; `stormproof studio` on your machine can ({kind})")


_KEPT: dict[str, Callable[[str, Any, Any, Any], dict[str, Any]]] = {
    "save-run": lambda text, settings, steps, marks: keeping.save_run(text, settings, steps),
    "save-chart": keeping.save_chart,
    "save-mermaid": keeping.save_mermaid,
}


def check(text: str, settings: Any, tell: asking.Tell) -> dict[str, Any]:
    """Survival and requirements, as far as they are small; what is undecided says so, and what decides it."""
    options = Options(Limits(SECONDS, states=STATES), effort=EFFORT, classes=False, threads=1)
    found = asking.ask(text, settings, options, lambda part: tell(_marked(part)))
    return {**_said(found), "notes": [NOTE, *found["notes"]], "more": False}


def _marked(part: dict[str, Any]) -> dict[str, Any]:
    return {"partial": _said(part["partial"])} if "partial" in part else part


def _said(found: dict[str, Any]) -> dict[str, Any]:
    """What a file expects to be violated and is not within the bounds of this page may be beyond them."""
    rows = [_undecided(row) if _is_open(row) else row for row in found["verdicts"]]
    violated = any(row["counts"] and row["status"] == Status.VIOLATED.value for row in rows)
    if rows != found["verdicts"] and not violated:
        found = {**found, "answer": f"Undecided here; `{ELSEWHERE}` decides more."}
    return {**found, "verdicts": rows}


def _is_open(row: dict[str, Any]) -> bool:
    beyond = row["status"] == Status.VIOLATED.value and row["word"] == "holds"
    return bool(beyond or row["status"] == Status.UNDECIDED.value)


def _undecided(row: dict[str, Any]) -> dict[str, Any]:
    status = Status.UNDECIDED
    say = f"undecided here, on a page without an engine; ask: {ELSEWHERE}"
    return {**row, "say": say, "status": status.value, "mark": status.sign, "word": "undecided", "ok": None}
