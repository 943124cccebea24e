"""What a page keeps: a run for `stormproof replay`, its chart as a picture, everything as one page."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import Any

from ...options import Options
from ...search.checks.properties import RECOVERS
from ...search.checks.report import Report, Verdict
from ...tell.draw.chart.build import chart
from ...tell.draw.page.report import report_page
from ...tell.explain.explanation import explain
from ...trust.saved.replay_report import RUN
from .asking import whole_report
from .following import follow
from .playing import Game, game, marked, read_steps
from .ways_to_rest import NEVER

#: The width of a chart in characters.
_WIDTH = 100


def save_run(text: str, settings: Any, steps: Any) -> dict[str, Any]:
    """The run as a saved result: against `recovers` where it has become impossible to come to rest."""
    playing = game(text, settings)
    run = follow(playing.model, read_steps(playing.model.system, steps))
    witness = run.witness(playing.model)
    verdict: dict[str, Any] = {"property": RUN, "holds": None, "witness": witness.to_json()}
    if playing.ways.way(run.places[-1])[0] == NEVER:
        verdict = Verdict(RECOVERS.name, False, witness=witness).to_json()
    saved = _empty_report(playing).to_json() | {"asked": [verdict["property"]], "verdicts": [verdict]}
    return {"text": json.dumps(saved, indent=2, ensure_ascii=False) + "\n"}


def _empty_report(playing: Game) -> Report:
    request = playing.request
    return Report(
        system=request.system,
        failures=request.failures,
        model=request.model,
        verdicts=(),
        notes=request.notes,
        without_effect=request.without_effect,
        given=request.given,
        prepared=request.prepared,
    )


def save_chart(text: str, settings: Any, steps: Any) -> dict[str, Any]:
    """The chart with its style sheet, to stand on its own."""
    playing = game(text, settings)
    run = follow(playing.model, read_steps(playing.model.system, steps))
    return {"text": chart(playing.model.system, run.witness(playing.model), fold=False).to_svg()}


def show_run(text: str, settings: Any, steps: Any, marks: Any) -> dict[str, Any]:
    """The chart in characters, for an editor."""
    playing = game(text, settings)
    run = follow(playing.model, read_steps(playing.model.system, steps))
    witness = marked(run.witness(playing.model), marks)
    return {"text": chart(playing.model.system, witness).to_text(_WIDTH)}


def save_page(text: str, settings: Any, options: Options) -> dict[str, Any]:
    """The page that `stormproof report` makes, of the failures that are set."""
    report = whole_report(text, settings, options)
    about = report.assumed
    page = report_page(
        report.given or report.system,
        {"as set": report},
        explain=explain,
        about={"as set": about},
        version=version("stormproof"),
    )
    return {"text": page}
