"""A worker process: one question per line of its input, one JSON object per line of its output.

It runs until its input ends, so none outlives the server. A signal ends the question that is being
answered, and leaves the process for the next one.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Sequence
from typing import IO, Any

from ...errors import InputError, StormproofError
from ...limits import Limits
from ...options import Options
from . import asking, keeping, mending, mutating, playing, reading, trying
from .worker_signals import Abandoned, Interrupts

#: What the process itself may take beyond what a search may.
_OWN_MEMORY = 1 << 30

#: The effort for an answer while somebody types.
QUICK = 100_000


def answer(question: dict[str, Any], tell: asking.Tell) -> dict[str, Any]:
    """The answer to one question; its mistakes are StormproofErrors."""
    kind, text = question.get("ask"), question.get("text")
    if not isinstance(text, str):
        raise InputError("a question has a text")
    settings, steps = question.get("settings", {}), question.get("steps", [])
    if kind == "read":
        return reading.read(text, question.get("before"), tell)
    if kind == "problems":
        return reading.find_problems(text)
    if kind == "format":
        return reading.format_text(text)
    if kind == "check":
        return asking.ask(text, settings, _options(question), tell)
    if kind == "repairs":
        return mending.ask_for_repairs(text, settings, _options(question))
    if kind == "frontier":
        return trying.try_everything(text, settings, _options(question), tell)
    if kind == "mutants":
        return mutating.ask_for_mutants(text, settings, _options(question), tell)
    if kind == "show-run":
        return keeping.show_run(text, settings, steps, question.get("marks"))
    if kind == "play":
        at, opened = int(question.get("at", 0)), question.get("opened", playing.EVERYTHING)
        return playing.play(text, settings, steps, at, question.get("marks"), tell, opened)
    if kind == "way":
        return playing.show_me(text, settings, steps)
    if kind == "save-run":
        return keeping.save_run(text, settings, steps)
    if kind == "save-chart":
        return keeping.save_chart(text, settings, steps, question.get("marks"))
    if kind == "save-mermaid":
        return keeping.save_mermaid(text, settings, steps, question.get("marks"))
    if kind == "save-page":
        return keeping.save_page(text, settings, _options(question))
    if kind == "brief":
        from .brief import brief

        return brief(question, _options(question))
    raise InputError(f"there is no question '{kind}'")


def _options(question: dict[str, Any]) -> Options:
    limits = Limits(float(question["seconds"]), int(question["memory"]), question.get("states"))
    return Options(limits, effort=int(question.get("effort", QUICK)))


def serve(questions: IO[str], answers: IO[str]) -> None:
    interrupts = Interrupts()

    def say(what: dict[str, Any]) -> None:
        with interrupts.held():
            answers.write(json.dumps(what) + "\n")
            answers.flush()

    for line in questions:
        question = json.loads(line)
        _limit_memory(int(question["memory"]))
        try:
            with interrupts.allowed():
                said: dict[str, Any] = {"answer": answer(question, say)}
        except (KeyboardInterrupt, Abandoned):
            said = {"stopped": True}
        except StormproofError as problem:
            said = {"problem": problem.message, "hint": problem.hint}
        except MemoryError:
            said = {"problem": "out of memory; each question has a limited amount"}
        except Exception as problem:
            said = {"defect": f"{type(problem).__name__}: {problem}"}
        say(said)


def _limit_memory(amount: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (amount + _OWN_MEMORY, hard))


def main(arguments: Sequence[str]) -> None:
    """Whatever a library prints must not stand among the answers."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    serve(sys.stdin, answers)
