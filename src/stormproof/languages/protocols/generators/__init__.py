"""Families of protocols with parameters: `generate("paxos", proposers=2, acceptors=3, retries=2)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ....errors import UsageError, did_you_mean
from ....kernel.model.system import System
from .paxos import paxos
from .rings import dining_philosophers, leader_election, token_ring
from .shapes import branching, pairs, pipeline, ring, star
from .sketch import MOST_TRANSITIONS
from .windows import go_back_n, selective_repeat

__all__ = ["FAMILIES", "MOST_TRANSITIONS", "Family", "Parameter", "generate"]


@dataclass(frozen=True)
class Parameter:
    """A number with its bounds, or a yes-or-no choice (`default` is a bool)."""

    name: str
    default: int | bool
    about: str
    least: int = 1
    most: int = 1000


@dataclass(frozen=True)
class Family:
    name: str
    about: str
    build: Callable[..., System]
    parameters: tuple[Parameter, ...]


def _family(
    name: str, about: str, build: Callable[..., System], *parameters: Parameter
) -> tuple[str, Family]:
    return name, Family(name, about, build, parameters)


FAMILIES: Mapping[str, Family] = dict(
    [
        _family(
            "paxos",
            "Single-decree Paxos; the paper's has 2 proposers, 3 acceptors and 2 retries.",
            paxos,
            Parameter("proposers", 2, "Processes that propose a value.", most=8),
            Parameter("acceptors", 3, "Processes that accept one; a majority decides.", most=15),
            Parameter("retries", 2, "Ballots that a proposer may run before it gives up.", most=8),
            Parameter("forgetful", False, "Acceptors answer arbitrarily, as in the paper's figure."),
            Parameter("in_turn", False, "Proposers await the answers of all acceptors, one after the other."),
            Parameter("as_published", False, "The automata of the authors' public file, generalised."),
            Parameter("any_order", False, "As published: a majority of answers, in any order, is enough."),
            Parameter("drop_late", False, "As published: late answers are received and dropped."),
            Parameter("retry_rejected", False, "As published: a rejected proposer tries its next ballot."),
            Parameter("serve_on", False, "As published: acceptors serve on after they have accepted."),
            Parameter("opposite", False, "As published: every second broadcast goes the opposite way."),
        ),
        _family(
            "ring",
            "Tokens that circulate on a ring for ever.",
            ring,
            Parameter("size", 4, "Processes on the ring.", least=2),
            Parameter("tokens", 1, "Tokens at the start, at most one per process."),
        ),
        _family(
            "star",
            "A hub that asks its leaves in turn.",
            star,
            Parameter("leaves", 4, "Processes around the hub."),
        ),
        _family(
            "pipeline",
            "A stream of items through stages.",
            pipeline,
            Parameter("stages", 3, "Processes between source and sink."),
        ),
        _family(
            "pairs",
            "Independent pairs of a sender and a receiver.",
            pairs,
            Parameter("pairs", 3, "Pairs that know nothing of each other."),
            Parameter("messages", 2, "Messages a sender sends before it waits."),
        ),
        _family(
            "branching",
            "Pairs that both send before they receive: k-MC for exactly the given bound and larger ones.",
            branching,
            Parameter("branches", 2, "Messages that each send chooses from."),
            Parameter("bound", 2, "Messages each side sends before it receives."),
            Parameter("pairs", 1, "Independent pairs."),
        ),
        _family(
            "go-back-n",
            "Sliding window with retransmission from the oldest unacknowledged frame.",
            go_back_n,
            Parameter("window", 2, "Frames that may be unacknowledged.", most=200),
        ),
        _family(
            "selective-repeat",
            "Sliding window at both ends, each frame acknowledged and repeated by itself.",
            selective_repeat,
            Parameter("window", 2, "Frames that may be unacknowledged.", most=12),
        ),
        _family(
            "token-ring",
            "Stations on a ring; who holds the token may send a frame.",
            token_ring,
            Parameter("stations", 3, "Stations on the ring.", least=2),
        ),
        _family(
            "leader-election",
            "Chang and Roberts' election on a one-way ring.",
            leader_election,
            Parameter("nodes", 3, "Processes on the ring.", least=2),
        ),
        _family(
            "dining-philosophers",
            "Philosophers and forks that exchange messages; they may starve.",
            dining_philosophers,
            Parameter("philosophers", 3, "Philosophers, and as many forks.", least=2),
            Parameter(
                "left_handed", False, "The last philosopher takes the right fork first: no starvation."
            ),
        ),
    ]
)


def generate(name: str, /, **values: int | bool) -> System:
    """A member of a family; parameters that are not given have their defaults.

    >>> generate("ring", size=3).names
    ('Node1', 'Node2', 'Node3')
    """
    if name not in FAMILIES:
        raise UsageError(
            f"unknown family '{name}'; there are {', '.join(FAMILIES)}", hint=did_you_mean(name, FAMILIES)
        )
    family = FAMILIES[name]
    known = {p.name: p for p in family.parameters}
    for given in values:
        if given not in known:
            raise UsageError(
                f"{name} has no parameter '{given}'; it has {', '.join(known)}",
                hint=did_you_mean(given, known),
            )
    chosen = {p.name: _value(name, p, values.get(p.name, p.default)) for p in family.parameters}
    if name == "ring" and chosen["tokens"] > chosen["size"]:
        raise UsageError(f"a ring of {chosen['size']} holds at most {chosen['size']} tokens at the start")
    return family.build(**chosen)


def _value(family: str, parameter: Parameter, value: int | bool) -> int | bool:
    if isinstance(parameter.default, bool):
        if not isinstance(value, bool):
            raise UsageError(f"{parameter.name} of {family} is true or false, not {value!r}")
        return value
    if isinstance(value, bool) or not isinstance(value, int):
        raise UsageError(f"{parameter.name} of {family} is a whole number, not {value!r}")
    if not parameter.least <= value <= parameter.most:
        raise UsageError(
            f"{parameter.name} of {family} is from {parameter.least} to {parameter.most}, not {value}"
        )
    return value
