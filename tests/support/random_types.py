"""Random local types, and random texts of global protocols."""

from __future__ import annotations

import itertools
import random
from collections.abc import Collection, Sequence

from stormproof.kernel.model.actions import CRASH, Message
from stormproof.languages.types.syntax import Alternative, Branch, End, LocalType, Rec, Select, Var


def random_local_type(
    rng: random.Random,
    role: str = "A",
    roles: Sequence[str] = ("A", "B", "C"),
    unreliable: Collection[str] = (),
    depth: int = 4,
) -> LocalType:
    """A well-formed local type: guarded, distinct labels, unique variables, crash branches where due."""
    names = (f"t{i}" for i in itertools.count())
    peers = [r for r in roles if r != role]

    def build(depth: int, bound: tuple[str, ...], guarded: bool) -> LocalType:
        if depth == 0 or rng.random() < 0.1:
            usable = [v for v in bound if guarded]
            return Var(rng.choice(usable)) if usable and rng.random() < 0.7 else End()
        if rng.random() < 0.3:
            name = next(names)
            return Rec(name, choice(depth, (*bound, name)))
        return choice(depth, bound)

    def choice(depth: int, bound: tuple[str, ...]) -> LocalType:
        peer = rng.choice(peers)
        labels: list[Message] = list(rng.sample(["a", "b", "c(int)"], rng.choice((1, 1, 2, 3))))
        waits = rng.random() < 0.5
        if waits and peer in unreliable:
            labels.insert(rng.randrange(len(labels) + 1), CRASH)
        made = tuple(Alternative(m, build(depth - 1, bound, True)) for m in labels)
        return Branch(peer, made) if waits else Select(peer, made)

    return build(depth, (), False)


def random_global_text(rng: random.Random, roles: int = 3, depth: int = 4, telling: float = 1.0) -> str:
    """A Scribble protocol. After a choice its maker tells every other role, with probability `telling`; when
    it always does, the protocol projects. Labels repeat, so that continuations have to merge."""
    names = [chr(ord("A") + i) for i in range(roles)]
    loops = (f"X{i}" for i in itertools.count())

    def message(sender: str, receiver: str, label: str | None = None) -> str:
        return f"{label or rng.choice('xyz')} from {sender} to {receiver};"

    def block(depth: int, bound: tuple[str, ...]) -> list[str]:
        lines = [message(*rng.sample(names, 2)) for _ in range(rng.randint(0, 2))]
        if depth == 0 or rng.random() < 0.15:
            return [*lines, f"continue {rng.choice(bound)};"] if bound and rng.random() < 0.6 else lines
        if rng.random() < 0.4:
            name = next(loops)
            inside = [message(*rng.sample(names, 2)), *block(depth - 1, (*bound, name))]
            return [*lines, f"rec {name} {{", *inside, "}"]
        return [*lines, *choice(depth, bound)]

    def choice(depth: int, bound: tuple[str, ...]) -> list[str]:
        at, first, *others = rng.sample(names, len(names))
        lines: list[str] = []
        for i in range(rng.randint(1, 3)):
            lines += ["} or {" if i else f"choice at {at} {{", message(at, first, f"c{i}")]
            lines += [message(at, other, f"c{i}") for other in others if rng.random() < telling]
            lines += block(depth - 1, bound)
        return [*lines, "}"]

    header = ", ".join(f"role {n}" for n in names)
    return "\n".join([f"global protocol G({header}) {{", *block(depth, ()), "}"])
