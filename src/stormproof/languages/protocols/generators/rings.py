"""Classics on a ring: the token ring, leader election, the dining philosophers."""

from __future__ import annotations

from ....kernel.model.actions import Receive, Send
from ....kernel.model.system import System
from .sketch import RoleSketch, Sketch


def token_ring(stations: int) -> System:
    """Who holds the token may send one frame round the ring, takes it off again and passes the token on."""
    sketch = Sketch(f"token-ring-{stations}")
    for i in range(1, stations + 1):
        role = sketch.role(f"Station{i}")
        before, after = f"Station{(i - 2) % stations + 1}", f"Station{i % stations + 1}"
        if i == 1:
            role.state("holding")
        role.add("waiting", Receive(before, "token"), "holding")
        for j in range(1, stations + 1):
            if j != i:
                role.add("waiting", Receive(before, f"frame{j}"), f"relay{j}")
        role.add("holding", Send(after, f"frame{i}"), "sent")
        role.add("holding", Send(after, "token"), "waiting")
        role.add("sent", Receive(before, f"frame{i}"), "release")
        role.add("release", Send(after, "token"), "waiting")
        for j in range(1, stations + 1):
            if j != i:
                role.add(f"relay{j}", Send(after, f"frame{j}"), "waiting")
    return sketch.system()


def leader_election(nodes: int) -> System:
    """Chang and Roberts: everybody sends its number round; larger ones pass, smaller ones are swallowed.

    Who gets its own number back is the leader and says so once round the ring.
    """
    sketch = Sketch(f"leader-election-{nodes}")
    for i in range(1, nodes + 1):
        _candidate(sketch.role(f"Node{i}"), i, nodes)
    return sketch.system()


def _candidate(role: RoleSketch, i: int, nodes: int) -> None:
    before, after = f"Node{(i - 2) % nodes + 1}", f"Node{i % nodes + 1}"
    role.add("start", Send(after, f"id{i}"), "listen")
    for j in range(1, nodes + 1):
        if j < i:
            role.add("listen", Receive(before, f"id{j}"), "listen")
        elif j > i:
            role.add("listen", Receive(before, f"id{j}"), f"pass{j}")
    for j in range(i + 1, nodes + 1):
        role.add(f"pass{j}", Send(after, f"id{j}"), "listen")
    if i < nodes:
        role.add("listen", Receive(before, f"leader{nodes}"), "announce")
        role.add("announce", Send(after, f"leader{nodes}"), "follower")
        role.state("follower")
    else:
        role.add("listen", Receive(before, f"id{i}"), "elected")
        role.add("elected", Send(after, f"leader{i}"), "wait_round")
        role.add("wait_round", Receive(before, f"leader{i}"), "leader")
        role.state("leader")


def dining_philosophers(philosophers: int, left_handed: bool = False) -> System:
    """Philosophers ask for one fork after the other, eat and give both back.

    All take the left one first, and may starve together; with `left_handed` the last one takes the right one
    first, and they cannot.
    """
    name = f"dining-philosophers-{philosophers}" + ("-left-handed" if left_handed else "")
    sketch = Sketch(name)
    for i in range(1, philosophers + 1):
        forks = [f"Fork{i}", f"Fork{i % philosophers + 1}"]
        if left_handed and i == philosophers:
            forks.reverse()
        _philosopher(sketch.role(f"Philosopher{i}"), *forks)
    for i in range(1, philosophers + 1):
        right_of, left_of = f"Philosopher{(i - 2) % philosophers + 1}", f"Philosopher{i}"
        _fork(sketch.role(f"Fork{i}"), left_of, right_of)
    return sketch.system()


def _philosopher(role: RoleSketch, first: str, second: str) -> None:
    role.add("thinking", Send(first, "take"), "wait_first")
    role.add("wait_first", Receive(first, "granted"), "hungry")
    role.add("hungry", Send(second, "take"), "wait_second")
    role.add("wait_second", Receive(second, "granted"), "eating")
    role.add("eating", Send(first, "release"), "sated")
    role.add("sated", Send(second, "release"), "thinking")


def _fork(role: RoleSketch, left_of: str, right_of: str) -> None:
    role.state("free")
    for side, philosopher in (("left", left_of), ("right", right_of)):
        role.add("free", Receive(philosopher, "take"), f"grant_{side}")
        role.add(f"grant_{side}", Send(philosopher, "granted"), f"held_{side}")
        role.add(f"held_{side}", Receive(philosopher, "release"), "free")
