"""Projection against the textbook: the inductive definition with full merging, on random global types.

Global types with crash-stop failures and their projection as Barwell, Hou, Yoshida and Zhou define them
(ECOOP 2023): the sender of a message does not see the crash branch, its receiver sees all branches, everybody
else merges them. Written here once more, on tuples and without any sharing, and compared by traces. Ours is
coinductive and so projects a little more; what the textbook projects, it must project to the same behaviour.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from stormproof.errors import InputError
from stormproof.kernel.model.actions import CRASH, Action, Internal, Receive, Send
from stormproof.kernel.model.process import Process
from stormproof.languages.types.session import session_of_scribble

#: Global: ("msg", p, q, {label: G}), ("mu", t, G), ("var", t), ("end",); local: ("!", q, {label: T}) and
#: ("?", p, {label: T}) for "msg".
Type = tuple[Any, ...]

END: Type = ("end",)


class NotDefined(Exception):
    pass


def random_global(rng: random.Random, roles: str, unreliable: set[str], depth: int, loops: list[str]) -> Type:
    if depth == 0 or rng.random() < 0.1:
        return ("var", rng.choice(loops)) if loops and rng.random() < 0.5 else END
    if rng.random() < 0.2:
        name = f"X{rng.getrandbits(30)}"
        return ("mu", name, random_global(rng, roles, unreliable, depth, [*loops, name]))
    p, q = rng.sample(roles, 2)
    telling = rng.random() < 0.8
    branches = {}
    for label in [*rng.sample("abcd", rng.choice((1, 1, 2))), *(["crash"] if p in unreliable else [])]:
        then = random_global(rng, roles, unreliable, depth - 1, loops)
        branches[label] = then
        for r in roles if telling else ():
            if r not in (p, q):
                told = {f"t{label}": branches[label]}
                branches[label] = ("msg", q, r, {**told, "crash": END} if q in unreliable else told)
    return ("msg", p, q, branches)


def scribble(g: Type) -> str:
    if g[0] == "msg":
        p, q, branches = g[1:]
        texts = [f"{label} from {p} to {q}; {scribble(then)}" for label, then in branches.items()]
        return texts[0] if len(texts) == 1 else f"choice at {p} {{ " + " } or { ".join(texts) + " }"
    if g[0] == "mu":
        return f"rec {g[1]} {{ {scribble(g[2])} }}"
    return f"continue {g[1]};" if g[0] == "var" else ""


def below(g: Type) -> list[Type]:
    return list(g[-1].values()) if g[0] in ("msg", "!", "?") else [g[2]] if g[0] == "mu" else []


def guarded(g: Type, open_: frozenset[str] = frozenset()) -> bool:
    if g[0] == "var":
        return g[1] not in open_
    inner = open_ | {g[1]} if g[0] == "mu" else frozenset[str]()
    return all(guarded(b, inner) for b in below(g))


def takes_part(g: Type, r: str) -> bool:
    return (g[0] == "msg" and r in g[1:3]) or any(takes_part(b, r) for b in below(g))


def free(g: Type) -> set[str]:
    if g[0] == "var":
        return {g[1]}
    return {v for b in below(g) for v in free(b)} - ({g[1]} if g[0] == "mu" else set())


def projection(g: Type, r: str) -> Type:
    if g[0] == "msg":
        p, q, branches = g[1:]
        if r == p:
            return ("!", q, {m: projection(b, r) for m, b in branches.items() if m != "crash"})
        parts = {m: projection(b, r) for m, b in branches.items()}
        if r == q:
            return ("?", p, parts)
        merged, *rest = parts.values()
        for part in rest:
            merged = merge(merged, part)
        return merged
    if g[0] == "mu":
        if not takes_part(g, r) and not free(g):
            return END
        body = projection(g[2], r)
        if body[0] == "var":
            return END if body[1] == g[1] else body
        return ("mu", g[1], body)
    return g


def merge(a: Type, b: Type) -> Type:
    if a == b:
        return a
    if a[:2] != b[:2] or a[0] not in ("mu", "!", "?"):
        raise NotDefined
    if a[0] == "mu":
        return ("mu", a[1], merge(a[2], b[2]))
    if a[0] == "!" and set(a[2]) != set(b[2]):
        raise NotDefined
    joined = {m: merge(a[2][m], b[2][m]) if m in b[2] else a[2][m] for m in a[2]}
    return (a[0], a[1], {**b[2], **joined})


def handles(t: Type, unreliable: set[str]) -> bool:
    """A crash branch where one waits for an unreliable role, and only there."""
    if t[0] == "?" and (t[1] in unreliable) != ("crash" in t[2]):
        return False
    return all(handles(b, unreliable) for b in below(t))


def replaced(t: Type, name: str, by: Type) -> Type:
    if t[0] == "var":
        return by if t[1] == name else t
    if t[0] == "mu":
        return t if t[1] == name else ("mu", t[1], replaced(t[2], name, by))
    return (t[0], t[1], {m: replaced(b, name, by) for m, b in t[2].items()}) if t[0] in "!?" else t


State = tuple[str, Any]


def steps(role: str, state: State, roles: str, unreliable: set[str]) -> Iterator[tuple[Action, State]]:
    """LR1 to LR5, with the broadcast of LR3 one send at a time."""
    kind, at = state
    if kind == "telling" and at:
        yield Send(at[0], CRASH), ("telling", at[1:])
        return
    while kind == "type" and at[0] == "mu":
        at = replaced(at[2], at[1], at)
    if kind == "type" and at[0] in "!?":
        for label, then in at[2].items():
            message = CRASH if label == "crash" else label
            yield (Send if at[0] == "!" else Receive)(at[1], message), ("type", then)
        if role in unreliable:
            yield Internal("crash"), ("telling", tuple(r for r in roles if r != role))
    else:
        for peer in roles:
            if peer != role and peer in unreliable:
                yield Receive(peer, CRASH), state


def type_traces(role: str, t: Type, roles: str, unreliable: set[str], length: int) -> set[tuple[Action, ...]]:
    found: set[tuple[Action, ...]] = {()}
    queue: list[tuple[tuple[Action, ...], State]] = [((), ("type", t))]
    for word, state in queue:
        for action, after in steps(role, state, roles, unreliable):
            found.add((*word, action))
            if len(word) + 1 < length:
                queue.append(((*word, action), after))
    return found


def automaton_traces(process: Process, length: int) -> set[tuple[Action, ...]]:
    found: set[tuple[Action, ...]] = {()}
    queue: list[tuple[tuple[Action, ...], str]] = [((), process.initial)]
    for word, state in queue:
        for _, action, after in process.outgoing(state):
            found.add((*word, action))
            if len(word) + 1 < length:
                queue.append(((*word, action), after))
    return found


@pytest.mark.parametrize("chunk", range(5))
def test_what_the_textbook_projects_is_projected_alike(chunk: int) -> None:
    same = crashing = 0
    for seed in range(chunk * 200, chunk * 200 + 200):
        rng = random.Random(seed)
        roles = "ABC"[: rng.choice((2, 3, 3))]
        unreliable = {r for r in roles if seed % 2 and rng.random() < 0.5}
        g = random_global(rng, roles, unreliable, rng.choice((2, 3)), [])
        body = scribble(g)
        if not guarded(g) or (unreliable == set(roles) and "crash" not in body):
            continue
        marks = ", ".join(
            ("reliable " if unreliable and r not in unreliable else "") + f"role {r}" for r in roles
        )
        text = f"global protocol P({marks}) {{ {body} }}"
        try:
            types = {r: projection(g, r) for r in roles}
        except NotDefined:
            continue
        if not all(handles(t, unreliable) for t in types.values()):
            with pytest.raises(InputError, match="crash branch"):
                session_of_scribble(text).system()
            continue
        system = session_of_scribble(text).system()
        same, crashing = same + 1, crashing + bool(unreliable)
        for r in roles:
            expected = type_traces(r, types[r], roles, unreliable, 5)
            assert automaton_traces(system[r], 5) == expected, (seed, r, text)
    assert same > 80 and crashing > 20
