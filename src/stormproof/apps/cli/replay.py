"""`stormproof replay`: check a saved result without trusting whoever saved it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
from rich.text import Text

from ...kernel.model.failures_text import describe_failures
from ...kernel.model.status import status_of
from ...languages.formats import read_text
from ...trust.certificate_json import certificate_from_json, is_certificate
from ...trust.check_certificate import check_certificate
from ...trust.replay import BUDGET
from ...trust.saved.replay_report import ReplayedVerdict, replay_result
from ...trust.saved.saved_report import SavedPart, results_from_json
from .console import console, print_json
from .options import json_option
from .signs import signed

#: A result with certificates may be long.
MAX_BYTES = 512 * 2**20

PROOFS = {True: " proved", False: " refused", None: " not proved"}
WORDS = {True: " holds", False: " is violated", None: ""}

#: What is said of results whose automata were made of roles in Python.
PYTHON_ROLES = "the automata of Python roles are taken as given: replay never runs Python"


@click.command("replay")
@click.argument("source", metavar="RESULT.json")
@click.option(
    "--budget",
    type=click.IntRange(1),
    default=BUDGET,
    show_default=True,
    metavar="N",
    help="The most configurations that one search may visit.",
)
@json_option
def command(source: str, budget: int, as_json: bool) -> int:
    """Replay every run and check every certificate of a saved result: do they prove its verdicts?

    RESULT.json is what `stormproof check FILE... --certificate --json` or `stormproof report --json` printed.
    `-` is standard input. Nothing in the file is trusted: the system is made again of the given one and the
    failures, and a verdict is proved by its run or its certificate alone, with code that shares nothing with
    the engine. Python is never run. The file may also be a certificate that a k-property holds, from
    `stormproof table --certificates DIR`.

    \b
    Exit codes: 0 everything that the result says is proved
                1 something is refused: a run, a certificate, or what contradicts the rest
                2 the file is not a saved result
                3 something is not proved: it comes without evidence, is undecided or not
                  known, a verdict is missing, or a search exceeded the budget
    """
    text = read_text(source, MAX_BYTES)
    if is_certificate(text):
        return _confirmed(text, source, as_json)
    found = [(part, _replayed(part, budget)) for part in results_from_json(text, source)]
    notes = [PYTHON_ROLES] if any(p.result is not None and p.result.python for p, _ in found) else []
    if as_json:
        rows = [_row(part, a) for part, answers in found for a in answers]
        print_json({"stormproof": 1, "replays": rows, "notes": notes})
    else:
        for part, answers in found:
            _print(part, answers)
        for note in notes:
            console().print(Text(f"note: {note}"))
    return exit_code([a for _, answers in found for a in answers])


def _replayed(part: SavedPart, budget: int) -> tuple[ReplayedVerdict, ...]:
    if part.result is None:
        return (ReplayedVerdict("", None, None, part.problem),)
    return replay_result(part.result, budget)


def _row(part: SavedPart, answer: ReplayedVerdict) -> dict[str, Any]:
    return {**({"file": part.name} if part.name else {}), **answer.to_json()}


def _print(part: SavedPart, answers: Sequence[ReplayedVerdict]) -> None:
    out, result = console(), part.result
    if part.name:
        out.print(Text(part.name, style="bold"))
    if result is not None:
        assumed = describe_failures(result.system, result.model, result.failures.budget)
        out.print(Text(f"failures  {assumed}"))
    for answer in answers:
        bound = "" if answer.k is None else f" at k = {answer.k}"
        about = f"{answer.property}{WORDS[answer.holds]}{bound}: " if answer.property else ""
        out.print(_judged(answer.proved) + Text(f"  {about}{answer.message}"))


def _judged(proved: bool | None) -> Text:
    return signed(status_of(proved), PROOFS[proved])


def _confirmed(text: str, source: str, as_json: bool) -> int:
    """A certificate that a property holds: a closed set of configurations, and a run for every obligation."""
    system, model, certificate = certificate_from_json(text, source)
    found = check_certificate(system, model, certificate)
    answer = ReplayedVerdict(certificate.property, certificate.k, found.ok, found.message, True)
    if as_json:
        print_json({"stormproof": 1, "replays": [answer.to_json()], "notes": []})
    else:
        out = console()
        out.print(Text(f"failures  {describe_failures(system, model)}"))
        out.print(_judged(found.ok) + Text(f"  {certificate.property} holds: {found.message}"))
    return exit_code([answer])


def exit_code(answers: Sequence[ReplayedVerdict]) -> int:
    found = [a.proved for a in answers]
    return 1 if False in found else 3 if None in found else 0
