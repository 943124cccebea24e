"""Saved results of every kind, changes to them, and what the definitions say of what they then claim."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import stormproof as sp
from stormproof.kernel.goals.asks import ask_of
from stormproof.kernel.model.ask import RECOVERS, Ask, clean
from stormproof.kernel.model.budget import Budget
from stormproof.kernel.model.failures import FailureModel
from stormproof.kernel.model.requirement import Requirement
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.kernel.model.system import System
from stormproof.kernel.transform.crash_handling import crash_handling
from stormproof.kernel.transform.prepare import prepare, with_process_faults
from stormproof.kernel.transform.under import system_under
from stormproof.languages.formats import system_from_json
from stormproof.languages.formats.json_requirements import requirement_to_json
from stormproof.languages.protocols import protocol
from stormproof.oracle import bounded, survival as spec
from stormproof.oracle.bounded import TooLarge
from stormproof.oracle.rsc import enumerate_rsc

#: Requirements with failures and budgets of their own, known limits, a timer, a durable state, a service.
SHOP = """
protocol Shop
role Client {
  ask: Server!request -> wait
  wait: Server?reply -> done
        timeout -> ask
  done:
}
service role Server {
  idle: Client?request -> busy
  busy: Client!reply -> idle
}
rest Client@done
durable Server@busy
require answered: always possible Client@done
require served: Client@wait leads to Client@done under loss
expect violated alone: Client@wait leads to Client@done under stop Server
require twice: never Client@ask & Server@busy under loss
expect violated gone: always possible Client@done under stop Server
expect violated lost: always possible Client@wait under at most 1 fault, loss
require sure: recovers under restart Server, loss, at most 2 faults
require weak: k-er at 1 under loss
"""
#: `never` with a certificate that no run without faults breaks it.
STREAM = """
role A {
  s: B!x -> s
     B!y -> e
  e:
}
role B {
  w: A?x -> w
     A?y -> d
  d: A?x -> bad
  bad: A?x -> bad
}
require order: never B@bad under reorder
require safe: never A@s & B@d
"""
#: A may crash, and B does not handle it.
UNHANDLED = """
protocol unhandled
role A { a: B!x -> b
            internal crash -> c
         b: internal crash -> c
         c: B!crash -> d
         d: }
role B { a: A?x -> b
         b: }
"""
CLASSES = ("k-exh", "k-er", "k-wer", "k-pg", "k-safe", "k-mc", "rsc", "half-duplex")
UP_TO_CRASH = ("crash-handling", "k-er-up-to-crash", "k-exh-up-to-crash", "recovers")


def _saved(system: str | System, *properties: str, k: int | None = None, **failures: Any) -> str:
    asked: dict[str, Any] = {"properties": properties or None, "k": k, "max_k": None if k else 2}
    semantics = failures.pop("semantics", "definition")
    limits = sp.Limits(states=failures.pop("states", None))
    given = protocol(system) if isinstance(system, str) else system
    report = sp.check(
        given, sp.Failures(**failures), semantics=semantics, limits=limits, certificates=True, **asked
    )
    return json.dumps(report.to_json())


def _storm(text: str) -> System:
    return sp.loads(text, format="storm")


_BIT, _AGAIN, _LOGGER = "alternating-bit", "alternating-bit-retransmit", "client-server-logger"

#: Results of each kind, made when they are asked for.
SAMPLES: dict[str, Callable[[], str]] = {
    "survival": lambda: _saved(_BIT, "recovers", "clean", loss=True),
    "reordering": lambda: _saved("half-duplex", "recovers", "clean", loss=True, reorder=True, budget=2),
    "requirements": lambda: _saved(_storm(SHOP)),
    "stream": lambda: _saved(_storm(STREAM)),
    "up to": lambda: _saved(_AGAIN, "recovers", "clean", k=1),
    "rows": lambda: _saved("go-back-2", "recovers", "clean", k=1),
    "classes": lambda: _saved(_BIT, *CLASSES, loss=True),
    "at one bound": lambda: _saved("half-duplex", *CLASSES, k=1, corrupt=True),
    "no faults": lambda: _saved("half-duplex", *CLASSES, "k-obi", "k-sibi", k=1),
    "crashes": lambda: _saved(_LOGGER, *UP_TO_CRASH, crash=["Server"]),
    "as written": lambda: _saved(_storm(UNHANDLED), *UP_TO_CRASH, crash=["A"], as_written=True),
    "crash commit": lambda: _saved("crash-commit", *UP_TO_CRASH, crash=["A"]),
    "encoding": lambda: _saved(_BIT, "k-mc", "recovers", loss=True, semantics="encoding"),
    "stops": lambda: _saved("two-phase-commit", "recovers", stop=["Coordinator"]),
    "undecided": lambda: _saved(_AGAIN, "recovers", "k-mc", loss=True, states=5),
}


@cache
def sample(name: str) -> str:
    return SAMPLES[name]()


# ---- changes -------------------------------------------------------------------------------------------

Path = tuple[Any, ...]
NONSENSE: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    2,
    -1,
    10**9,
    1.5,
    "",
    "x",
    "recovers",
    "loss",
    [],
    {},
    [[]],
    {"x": 1},
)


def paths(data: Any, path: Path = ()) -> Iterator[Path]:
    below = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in below:
        yield (*path, key)
        yield from paths(value, (*path, key))


def at(data: Any, path: Path) -> Any:
    for key in path:
        data = data[key]
    return data


def changed(rng: random.Random, data: Any, donors: list[Any]) -> Any:
    """One thing is different: replaced, removed, repeated, exchanged, or taken from elsewhere."""
    data = copy.deepcopy(data)
    places = [*paths(data)]
    heads = [p for p in places if "steps" not in p and "transitions" not in p]
    path = rng.choice(heads if rng.random() < 0.5 else places)
    holder, key = at(data, path[:-1]), path[-1]
    change = rng.choice((_nonsense, _near, _removed, _repeated, _exchanged, _elsewhere, _elsewhere))
    change(rng, holder, key, [(donor, p) for donor in (data, *donors) for p in paths(donor) if p[-1] == key])
    return data


Found = list[tuple[Any, Path]]


def _nonsense(rng: random.Random, holder: Any, key: Any, found: Found) -> None:
    holder[key] = copy.deepcopy(rng.choice(NONSENSE))


def _near(rng: random.Random, holder: Any, key: Any, found: Found) -> None:
    value = holder[key]
    if isinstance(value, bool) or value is None:
        holder[key] = rng.choice([v for v in (True, False, None) if v is not value])
    elif isinstance(value, int):
        holder[key] = value + rng.choice((-1, 1))
    elif isinstance(value, list) and value:
        holder[key] = value[:-1] if rng.random() < 0.5 else value[::-1]
    else:
        holder[key] = f"{value}'"


def _removed(rng: random.Random, holder: Any, key: Any, found: Found) -> None:
    del holder[key]


def _repeated(rng: random.Random, holder: Any, key: Any, found: Found) -> None:
    if isinstance(holder, list):
        holder.insert(rng.randrange(len(holder) + 1), copy.deepcopy(holder[key]))
    else:
        holder[f"{key}2"] = copy.deepcopy(holder[key])


def _exchanged(rng: random.Random, holder: Any, key: Any, found: Found) -> None:
    other = rng.choice([*holder] if isinstance(holder, dict) else range(len(holder)))
    holder[key], holder[other] = holder[other], holder[key]


def _elsewhere(rng: random.Random, holder: Any, key: Any, found: Found) -> None:
    """The value of the same key in another place, or in another result."""
    if found:
        donor, path = rng.choice(found)
        holder[key] = copy.deepcopy(at(donor, path))


# ---- what the definitions say --------------------------------------------------------------------------

MOST = 6000


def truth(data: Mapping[str, Any], verdict: Mapping[str, Any]) -> bool | None:
    """Is what the verdict says true of the given system under the failures that were asked for? None: the
    definitions cannot say it within the limit. Nothing of it is read by the code that is tested."""
    keys = ("property", "holds", "k", "witness_k", "up_to", "requirement")
    about = [{k: verdict.get(k) for k in keys}, verdict.get("faults") if verdict.get("fewest") else None]
    head = [data.get("given", data["system"]), data["failures"], data.get("semantics", "definition")]
    return _truth(json.dumps([about, head], sort_keys=True))


@cache
def _truth(text: str) -> bool | None:
    (row, fewest), (described, asked, semantics) = json.loads(text)
    classes = ("csa", "deterministic", "directed")
    given = system_from_json({"stormproof": 1, **{k: v for k, v in described.items() if k not in classes}})
    names = (*sp.Failures().__dataclass_fields__,)
    failures = sp.Failures(**{name: asked[name] for name in names if name in asked})
    required = _required(given, row)
    if row["requirement"] is not None and required is None:
        return False
    system, model, _ = prepare(given, failures, semantics)
    budget = failures.budget
    if required is not None and required.under is not None:
        alone, failures = system_under(given, required.under, failures.as_written)
        system, model, _ = prepare(alone, failures, semantics)
        budget = failures.budget
    try:
        return _judge(given, system, model, budget, row, required, fewest)
    except TooLarge:
        return None


def _required(given: System, row: Mapping[str, Any]) -> Requirement | None:
    def same(required: Requirement) -> bool:
        asked = _sorted(requirement_to_json(required))
        return bool(required.title == row["property"] and asked == _sorted(row["requirement"]))

    return next(filter(same, given.requirements), None)


def _sorted(data: Any) -> Any:
    """Faults and limits are sets, whatever their order."""
    if isinstance(data, dict):
        return {key: _sorted(value) for key, value in data.items()}
    return sorted({json.dumps(part, sort_keys=True) for part in data}) if isinstance(data, list) else data


def _judge(
    given: System,
    system: System,
    model: FailureModel,
    budget: Budget,
    row: Mapping[str, Any],
    required: Requirement | None,
    fewest: int | None,
) -> bool | None:
    searched = with_process_faults(system, model)
    survival = SurvivalModel(searched.system, model, rest_states(searched.system), budget=budget)
    name = row["property"] if required is None else required.claim.what
    ask: Ask | None = {"recovers": RECOVERS, "clean": clean(survival.system, survival.rest)}.get(name)
    if required is not None and not required.claims_property:
        ask = ask_of(survival, searched.requirement(required))
    if ask is not None:
        return _survives(survival, ask, row, fewest)
    if name == "crash-handling":
        return crash_handling(given.with_unreliable(model.unreliable)).holds is row["holds"]
    if name == "rsc":
        found = enumerate_rsc(searched.system, model, 12, 3000)
        return row["holds"] is False and found.violation is not None
    if name == "half-duplex":
        return row["holds"] is False and _both_ways(searched.system, model)
    k = row["witness_k"] or row["k"]
    return bounded.holds(bounded.explore(searched.system, model, k, MOST), name) is row["holds"]


def _both_ways(system: System, model: FailureModel) -> bool:
    for at_ in bounded.explore(system, model, 2, MOST).steps:
        held = {c for c, word in zip(system.channels, at_.words) if word}
        if any((c.receiver, c.sender) in held for c in held):
            return True
    return False


def _survives(model: SurvivalModel, ask: Ask, row: Mapping[str, Any], fewest: int | None) -> bool | None:
    bounds = (1, 2, 3) if row["up_to"] is None else (row["up_to"],)
    answers = [spec.answer(model, ask, k, most=MOST).holds for k in bounds]
    if row["holds"] is True:
        return None if None in answers else all(answers)
    if False not in answers:
        return None if None in answers else False
    if not fewest:
        return True
    total = fewest - 1 if model.budget.total is None else min(model.budget.total, fewest - 1)
    fewer = replace(model, budget=replace(model.budget, total=total))
    return all(spec.answer(fewer, ask, k, most=MOST).holds is True for k in (1, 2))
