"""Random systems of alike roles: a template, instantiated for each role of a ring, a star or a mesh."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from stormproof.kernel.model.actions import Action, Internal, Receive, Send, Transition
from stormproof.kernel.model.failures import FailureModel, Failures
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System
from stormproof.kernel.transform.stop_restart import stop_restart

#: One transition of a template: states, whether it sends, the message, and which peer, by a number.
_Row = tuple[str, str, int, int, str]

#: The name of a message between two roles, by its number.
_Namer = Callable[[str, str, int], str]


def random_symmetric_system(rng: random.Random) -> System:
    """Three or four alike roles, perhaps with a hub or with other roles between them; in half of the systems
    the names of messages depend on the roles."""
    make = rng.choice((_ring, _ring, _two_rings, _star, _mesh))
    system = make(rng, rng.choice((3, 3, 4)))
    if rng.random() < 0.2:
        stops = rng.random() < 0.5
        if not stops and rng.random() < 0.6:
            system = replace(system, processes=tuple(_with_durable(p) for p in system))
        system = stop_restart(
            system, stop=system.names if stops else (), restart=() if stops else system.names
        ).system
    return system


def _with_durable(process: Process) -> Process:
    """With a durable state that alike roles have in common: the last one that is listed."""
    return replace(process, durable=process.states[-1:])


def random_symmetric_failures(rng: random.Random, system: System) -> FailureModel:
    """The same faults on all channels."""
    if rng.random() < 0.4:
        return Failures().on(system)
    loss, corrupt, reorder, duplicate = (rng.random() < 0.4 for _ in range(4))
    return Failures(loss=loss, corrupt=corrupt, reorder=reorder, duplicate=duplicate).on(system)


def _template(rng: random.Random, peers: int) -> list[_Row]:
    states = [f"s{i}" for i in range(rng.randint(2, 4))]
    rows = []
    for _ in range(rng.randint(3, 5)):
        kind = rng.choice(("send", "send", "receive", "receive", "receive", "internal"))
        rows.append((rng.choice(states), kind, rng.randrange(2), rng.randrange(peers), rng.choice(states)))
    rows[0] = ("s0", *rows[0][1:])
    return rows


def _instance(name: str, rows: list[_Row], peers: list[str], named: _Namer) -> Process:
    made = []
    for source, kind, number, which, target in rows:
        action: Action = Internal("tau")
        if kind != "internal":
            message = named(name, peers[which], number)
            action = Send(peers[which], message) if kind == "send" else Receive(peers[which], message)
        made.append(Transition(source, action, target))
    states = dict.fromkeys(["s0", *(s for row in rows for s in (row[0], row[4]))])
    return Process(name, "s0", tuple(dict.fromkeys(made)), states=tuple(states))


def _namer(rng: random.Random) -> _Namer:
    """What a message between two roles is called; in half of the systems it names the roles."""
    if rng.random() < 0.5:
        return lambda p, q, number: f"m{number}"
    return lambda p, q, number: f"m{number}_" + "_".join(sorted((p, q)))


def _ring(rng: random.Random, size: int) -> System:
    rows, named = _template(rng, 2), _namer(rng)
    names = [f"R{i}" for i in range(size)]
    beside = [[names[(i + 1) % size], names[i - 1]] for i in range(size)]
    return System(tuple(_instance(n, rows, peers, named) for n, peers in zip(names, beside, strict=True)))


def _two_rings(rng: random.Random, size: int) -> System:
    """Alternating roles, as philosophers and forks."""
    templates, named = (_template(rng, 2), _template(rng, 2)), _namer(rng)
    names = [f"{kind}{i}" for i in range(min(size, 3)) for kind in ("A", "B")]
    beside = [[names[(i + 1) % len(names)], names[i - 1]] for i in range(len(names))]
    return System(tuple(_instance(n, templates[i % 2], beside[i], named) for i, n in enumerate(names)))


def _mesh(rng: random.Random, size: int) -> System:
    """Everybody may send to everybody: a row of the template is one transition per peer."""
    rows, named = _template(rng, 1), _namer(rng)
    names = [f"R{i}" for i in range(size)]
    made = []
    for name in names:
        others = [q for q in names if q != name]
        transitions = [t for q in others for t in _instance(name, rows, [q], named).transitions]
        made.append(Process(name, "s0", tuple(dict.fromkeys(transitions))))
    return System(tuple(made))


def _star(rng: random.Random, size: int) -> System:
    """A hub that serves one worker at a time, in states of their own, and the workers."""
    rows, serving, named = _template(rng, 1), _template(rng, 1), _namer(rng)
    workers = [f"W{i}" for i in range(size)]
    hub = []
    for worker in workers:
        inner = _instance("Hub", serving, [worker], named)
        own = {s: s if s == "s0" else f"{s}_{worker}" for s in inner.states}
        hub += [Transition(own[t.source], t.action, own[t.target]) for t in inner.transitions]
    made = [_instance(w, rows, ["Hub"], named) for w in workers]
    return System((Process("Hub", "s0", tuple(dict.fromkeys(hub))), *made))
