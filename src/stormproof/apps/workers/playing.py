"""One run, played: where each step leads, what may happen next, and whether rest can still be reached."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ...errors import InputError, printable
from ...kernel.model.actions import Channel, Configuration, Message, Transition
from ...kernel.model.fault_steps import Fault
from ...kernel.model.faults import CUT
from ...kernel.model.part import whole
from ...kernel.model.phrases import from_sender, listed
from ...kernel.model.requirement import Requirement
from ...kernel.model.run import Act, LinkCut, Step, Witness, step_from_json, step_to_json
from ...kernel.model.storm_step import StormStep
from ...kernel.model.survival import SurvivalModel
from ...kernel.model.system import System
from ...kernel.semantics.faulty_steps import effect, stormy_steps
from ...kernel.transform.mailboxes import act_with_sender
from ...languages.formats.storm_places import NoPlaces, Places
from ...options import Options
from ...search.checks.recovery import survival_model
from ...search.checks.request import Request, make_request
from ...search.checks.requirements import request_of
from ...search.counterexample.storm_run import run_steps
from ...tell.draw.chart.build import Chart, chart, describe_act, descriptions
from ...tell.draw.chart.condense import condensed, without_waits
from ...tell.draw.chart.svg import chart_svg
from .asking import Tell, own_failures
from .breaking import Forbidden, broken_at, forbidden
from .following import FollowedRun, follow
from .reading import placed_system
from .settings import settings_on
from .ways_to_rest import MOST, POSSIBLE, UNKNOWN, WaysToRest

#: A page shows at most so many steps to choose from, and plays runs of at most so many.
MOST_CHOICES, MOST_STEPS = 300, 2_000

#: That all of a run is drawn whole.
EVERYTHING = "everything"

#: How large a search for rest may be that nobody notices, and what is said while it takes longer.
AT_ONCE, SEARCHING = 20_000, "searching"


@dataclass(frozen=True)
class Game:
    """A system with its failures, as it is searched, and what the user calls its states."""

    request: Request
    model: SurvivalModel
    ways: WaysToRest
    places: Places | NoPlaces
    rules: tuple[Forbidden, ...]

    def user_states(self, at: Configuration) -> list[str]:
        """The states of the roles, which stand before those of components."""
        user_state = self.request.searched.user_state
        return [user_state(p.name, s) for p, s in zip(self.request.asked, at.states)]

    def observed(self, at: Configuration) -> list[list[str]]:
        """Each observer, and where it is."""
        states = dict(zip(self.model.system.names, at.states, strict=True))
        return [[o.name, printable(states[o.name])] for o in self.model.extras.observers]

    def numbers(self, at: Configuration) -> list[int | None]:
        """The number of each local state in the user's automaton; None for one that the check added."""
        drawn = [p.states for p in self.request.asked]
        return [
            states.index(state) if state in states else None
            for states, state in zip(drawn, self.user_states(at), strict=True)
        ]


def game(text: str, settings: Any) -> Game:
    return _game(text, json.dumps(settings, sort_keys=True))


@lru_cache(maxsize=4)
def _game(text: str, settings: str) -> Game:
    """Kept, since a page asks about one system many times in a row."""
    system, _, places = placed_system(text)
    system = whole(system)
    failures = settings_on(system, json.loads(settings))
    request = make_request(
        system, failures, k=None, max_k=None, properties=(), semantics="definition", options=Options()
    )
    own = _own(request, json.loads(settings).get("under"))
    request = request if own is None else request_of(request, own)
    model = survival_model(request)
    return Game(request, model, WaysToRest(model), places, forbidden(request, model, own))


def _own(request: Request, called: Any) -> Requirement | None:
    """The requirement whose run is played, if that has failures of its own."""
    named = ((own_failures(request.asked, r), r) for r in request.required)
    return next((r for name, r in named if name is not None and name == called), None)


def play(
    text: str,
    settings: Any,
    steps: Any,
    at: int,
    marks: Any = None,
    tell: Tell | None = None,
    opened: Any = EVERYTHING,
) -> dict[str, Any]:
    """The run as a page shows it. `at` is the moment to go on from; `steps` may reach further. `marks`
    says what a verdict's run is about: `ending`, `loop_from`, `culprit`. `opened`: where the stretches of a
    long run begin that are drawn whole, or EVERYTHING. Where rest takes a while to be searched, `tell` hears
    everything else first."""
    playing = game(text, settings)
    run = follow(playing.model, read_steps(playing.model.system, steps))
    at = max(0, min(at, len(run.steps)))
    moments = _moments(playing, run, marks)
    drawn = _drawn(playing, run, marks, opened, [i - 1 for i, m in enumerate(moments) if m["broken"]][:1])
    shown = {
        "steps": [step_to_json(s) for s in run.steps],
        "problem": f"step {len(run.steps) + 1} is no longer possible: {run.problem}" if run.problem else "",
        "at": at,
        "moments": moments,
        "svg": chart_svg(drawn, style=False),
        "folded": len(drawn.stretches) + bool(drawn.idle),
        "choices": choices(playing, run.until(at)),
    }
    if tell is not None and playing.ways.way(run.places[at], AT_ONCE)[0] == UNKNOWN:
        tell({"partial": {**shown, "rest": [SEARCHING] * len(run.places), "way": None}})
    answer, way = playing.ways.way(run.places[at])
    rest = playing.ways.moments(run.places, run.steps)
    return {**shown, "rest": rest, "way": len(way) if answer == POSSIBLE else None}


def show_me(text: str, settings: Any, steps: Any) -> dict[str, Any]:
    """The shortest calm way to rest from the end of the run, as steps to append to it."""
    playing = game(text, settings)
    at = follow(playing.model, read_steps(playing.model.system, steps)).places[-1]
    answer, way = playing.ways.way(at, MOST)
    found: list[Step] = []
    for step in way:
        found += run_steps(playing.model, at, step)
        at = effect(playing.model, at, step)
    return {"steps": [step_to_json(s) for s in found] if answer == POSSIBLE else None}


def read_steps(system: System, data: Any) -> list[Step]:
    if not isinstance(data, list):
        raise InputError("the steps of a run are a list")
    if len(data) > MOST_STEPS:
        raise InputError(f"the run has more than {MOST_STEPS:,} steps")
    steps = [step_from_json(step) for step in data]
    return [act_with_sender(system, step) if isinstance(step, Act) else step for step in steps]


def _drawn(
    playing: Game, run: FollowedRun, marks: Any, opened: Any = EVERYTHING, matter: Sequence[int] = ()
) -> Chart:
    """The chart of a run, with what its verdict says over it."""
    witness = marked(run.witness(playing.model), marks)
    whole = chart(playing.model.shown, witness, fold=False, title=said_of(run, marks))
    if not whole.title and any(step.calm for step in stormy_steps(playing.model, run.places[-1])):
        whole = without_waits(whole)
    if opened == EVERYTHING:
        return whole
    begins = [i for i in opened if isinstance(i, int)] if isinstance(opened, list) else []
    return condensed(whole, [i for i in matter if i >= 0], begins)


def said_of(run: FollowedRun, marks: Any) -> str:
    """The verdict that a run is about, if it is all there."""
    if not isinstance(marks, dict) or marks.get("length") != len(run.steps):
        return ""
    return str(marks.get("say") or "")


def marked(witness: Witness, marks: Any) -> Witness:
    """The run with what its verdict says of its end, if all of it is there."""
    if not isinstance(marks, dict) or marks.get("length") != len(witness.steps):
        return witness
    loop, culprit = marks.get("loop_from"), marks.get("culprit")
    return Witness(
        witness.steps,
        witness.states,
        witness.channels,
        culprit={str(k): str(v) for k, v in culprit.items()} if isinstance(culprit, dict) else {},
        ending=str(marks.get("ending") or ""),
        calm_from=witness.calm_from,
        loop_from=loop if isinstance(loop, int) and 0 <= loop < len(witness.steps) else None,
    )


def _moments(playing: Game, run: FollowedRun, marks: Any) -> list[dict[str, Any]]:
    drawn = chart(playing.model.shown, run.witness(playing.model), fold=False)
    words = iter(descriptions(drawn))
    said = ["the start", *("a unit of time passes" if _is_time(s) else next(words) for s in run.steps)]
    acts: Sequence[Step | None] = (None, *run.steps)
    broken = broken_at(playing.model, playing.rules, run.places, marks)
    found = []
    for i, (at, step) in enumerate(zip(run.places, acts, strict=True)):
        found.append(
            {
                "say": printable(said[i]),
                "fault": step is not None and is_fault(step),
                "at": playing.numbers(at),
                "states": playing.user_states(at),
                "observed": playing.observed(at),
                "in": _contents(playing.model, at),
                "edge": _edge(playing, run.places[i - 1], step) if isinstance(step, Act) else None,
                "line": _line(playing, run.places[i - 1], step) if isinstance(step, Act) else None,
                "broken": broken[i],
            }
        )
    return found


def _is_time(step: Step) -> bool:
    """Does time pass, which the chart does not draw as a step?"""
    return isinstance(step, Act) and step.passes_time


def _contents(model: SurvivalModel, at: Configuration) -> list[list[Any]]:
    held = zip(model.system.channels, at.words, strict=True)
    return [[_name(c), [printable(_message(c, m)) for m in word]] for c, word in held if word]


def _message(channel: Channel, message: Message) -> Message:
    return from_sender(message) if channel.is_mailbox else message


def _name(channel: Channel) -> str:
    if channel.is_mailbox:
        return f"mailbox of {printable(channel.receiver)}"
    return f"{printable(channel.sender)} → {printable(channel.receiver)}"


def _edge(playing: Game, at: Configuration, step: Act) -> str | None:
    """The transition in the user's automaton; None where the check has added it."""
    if step.passes_time:
        return None
    i = playing.model.system.names.index(step.process)
    after = Configuration((*at.states[:i], step.state, *at.states[i + 1 :]), at.words)
    source, target = playing.numbers(at)[i], playing.numbers(after)[i]
    return None if source is None or target is None else f"{i}:{source}:{target}"


def _line(playing: Game, at: Configuration, step: Act) -> int | None:
    """The line of the text that says what a role does here; None where the check has added it."""
    if step.passes_time:
        return None
    i = playing.model.system.names.index(step.process)
    after = Configuration((*at.states[:i], step.state, *at.states[i + 1 :]), at.words)
    source, target = playing.user_states(at)[i], playing.user_states(after)[i]
    written = Transition(source, step.action, target)
    if (
        step.process not in playing.request.asked
        or written not in playing.request.asked[step.process].transitions
    ):
        return None
    return playing.places.transition(step.process, written).line


# ---- what may happen next ------------------------------------------------------------------------------


def choices(playing: Game, run: FollowedRun) -> list[dict[str, Any]]:
    """Every step that is possible at the end of the run, within the budget: the calm ones first."""
    model, at = playing.model, run.places[-1]
    spent = _spent(run.steps)
    found = []
    for step in stormy_steps(model, at):
        counts = spent + step.faults
        if not step.calm and not model.budget.allows(sum(counts.values()), counts):
            continue
        found.append(_choice(playing, at, step))
        if len(found) == MOST_CHOICES:
            break
    return sorted(found, key=lambda choice: choice["faults"] != 0)


def _spent(steps: Sequence[Step]) -> Counter[str]:
    """The faults of a run, by kind."""
    found: Counter[str] = Counter()
    for step in steps:
        if isinstance(step, LinkCut):
            found[CUT.noun] += 1
        elif isinstance(step, Fault):
            found[step.kind.noun] += 1
        elif step.fault is not None:
            found[step.fault] += 1
    return found


def is_fault(step: Step) -> bool:
    return not isinstance(step, Act) or step.fault is not None


def _choice(playing: Game, at: Configuration, step: StormStep) -> dict[str, Any]:
    steps = run_steps(playing.model, at, step)
    act = next(s for s in steps if isinstance(s, Act | LinkCut))
    says = act.phrase() if isinstance(act, LinkCut) else describe_act(act)
    return {
        "process": playing.model.system.names.index(step.process),
        "say": printable(says),
        "strikes": printable(_faults_in_words(step)),
        "own": step.process_fault is not None,
        "faults": sum(step.faults.values()),
        "edge": _edge(playing, at, act) if isinstance(act, Act) else None,
        "steps": [step_to_json(s) for s in steps],
    }


def _faults_in_words(step: StormStep) -> str:
    """What goes wrong while the step is taken: `lost`, `becomes d1`, `overtakes 2 messages`."""
    words = [*step.phrases(), *([] if step.process_fault is None else [step.process_fault])]
    return listed(words)
