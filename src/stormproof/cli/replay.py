"""`stormproof replay`: check a saved result without trusting whoever saved it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
from rich.text import Text

from ..checks.replay_report import ReplayedVerdict, replay_result
from ..checks.saved_report import SavedPart, results_from_json
from ..formats import read_text
from ..model.failures_text import describe_failures
from ..trust.certificate_json import certificate_from_json, is_certificate
from ..trust.check_certificate import check_certificate
from ..trust.replay import BUDGET
from .console import console, print_json
from .options import json_option

#: A result with certificates may be long.
MAX_BYTES = 512 * 2**20

MARKS = {True: ("✔ proved", "green"), False: ("✘ refused", "red"), None: ("? open", "yellow")}


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

    RESULT.json is what `stormproof check FILE... --json` or `stormproof report --json` printed; with
    `--certificate`, it proves what holds. `-` is standard input. Nothing is searched anew but what the claim
    at the end of a run needs, and by code that shares nothing with the engine. It may also be a certificate
    that a k-property holds, from `stormproof table --certificates DIR`.

    \b
    Exit codes: 0 every violated verdict, and every one with a certificate, is proved
                1 a run or a certificate is refused
                2 the file is not a saved result
                3 some verdict could neither be proved nor refused (the budget, or no run)
    """
    text = read_text(source, MAX_BYTES)
    if is_certificate(text):
        return _confirmed(text, source, as_json)
    parts = results_from_json(text, source)
    found = [(part, () if part.result is None else replay_result(part.result, budget)) for part in parts]
    if as_json:
        print_json({"stormproof": 1, "replays": [_row(part, a) for part, answers in found for a in answers]})
    else:
        for part, answers in found:
            _print(part, answers)
    code = exit_code([a for _, answers in found for a in answers])
    return 3 if code == 0 and any(part.result is None for part in parts) else code


def _row(part: SavedPart, answer: ReplayedVerdict) -> dict[str, Any]:
    return {**({"file": part.name} if part.name else {}), **answer.to_json()}


def _print(part: SavedPart, answers: Sequence[ReplayedVerdict]) -> None:
    out, result = console(), part.result
    if part.name:
        out.print(Text(part.name, style="bold"))
    if result is None:
        out.print("the file could not be read, so there is nothing to replay")
        return
    out.print(Text(f"failures  {describe_failures(result.system, result.model, result.budget)}"))
    for answer in answers:
        mark, colour = MARKS[answer.proved]
        bound = "" if answer.k is None else f" at k = {answer.k}"
        out.print(Text.assemble((mark, colour), f"  {answer.property}{bound}: {answer.message}"))
    if not answers:
        out.print("no verdict is violated or has a certificate, so there is nothing to replay")


def _confirmed(text: str, source: str, as_json: bool) -> int:
    """A certificate that a property holds: a closed set of configurations, and a run for every obligation."""
    system, model, certificate = certificate_from_json(text, source)
    found = check_certificate(system, model, certificate)
    answer = ReplayedVerdict(certificate.property, certificate.k, found.ok, found.message)
    if as_json:
        print_json({"stormproof": 1, "replays": [answer.to_json()]})
    else:
        mark, colour = MARKS[found.ok]
        out = console()
        out.print(Text(f"failures  {describe_failures(system, model)}"))
        out.print(Text.assemble((mark, colour), f"  {certificate.property} holds: {found.message}"))
    return exit_code([answer])


def exit_code(answers: Sequence[ReplayedVerdict]) -> int:
    found = [a.proved for a in answers]
    return 1 if False in found else 3 if None in found else 0
