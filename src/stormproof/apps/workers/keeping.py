"""What a page keeps: a run for `stormproof replay`, its chart as a picture, everything as one page."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import Any

from ...kernel.model.phrases import plural
from ...options import Options
from ...search.checks.properties import RECOVERS
from ...search.checks.report import Report, Verdict
from ...tell.draw.chart.build import Chart, chart
from ...tell.draw.page.report import report_page
from ...tell.explain.explanation import explain
from ...trust.saved.replay_report import RUN
from .asking import whole_report
from .breaking import broken_at
from .following import FollowedRun, follow
from .playing import Game, game, marked, read_steps, said_of
from .ways_to_rest import NEVER, POSSIBLE

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


def save_chart(text: str, settings: Any, steps: Any, marks: Any = None) -> dict[str, Any]:
    """The chart with its style sheet and its verdict, to stand on its own."""
    return {"text": _kept_chart(text, settings, steps, marks).to_svg()}


def save_mermaid(text: str, settings: Any, steps: Any, marks: Any = None) -> dict[str, Any]:
    """The chart as a diagram for documents that draw Mermaid."""
    return {"text": _kept_chart(text, settings, steps, marks).to_mermaid()}


def _kept_chart(text: str, settings: Any, steps: Any, marks: Any) -> Chart:
    """All of the run, under its verdict; a run that somebody played says how it ends."""
    playing = game(text, settings)
    run = follow(playing.model, read_steps(playing.model.system, steps))
    title = said_of(run, marks) or _how_it_ends(playing, run)
    witness = marked(run.witness(playing.model), marks)
    return chart(playing.model.shown, witness, fold=False, title=title)


def _how_it_ends(playing: Game, run: FollowedRun) -> str:
    name = playing.request.asked.name or "a protocol"
    broken = broken_at(playing.model, playing.rules, run.places[-1:], None)[0]
    if broken:
        return f"{name}: `{broken[0]['name']}` is violated"
    ends = {NEVER: "it cannot come to rest any more", POSSIBLE: "it can still come to rest"}
    known = ends.get(playing.ways.way(run.places[-1])[0], "whether it can come to rest is undecided")
    return f"{name} after {plural(len(run.steps), 'step')}: {known}"


def show_run(text: str, settings: Any, steps: Any, marks: Any) -> dict[str, Any]:
    """The chart in characters, for an editor."""
    playing = game(text, settings)
    run = follow(playing.model, read_steps(playing.model.system, steps))
    witness = marked(run.witness(playing.model), marks)
    return {"text": chart(playing.model.shown, witness).to_text(_WIDTH)}


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
