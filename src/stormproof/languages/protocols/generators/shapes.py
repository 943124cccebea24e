"""Plain topologies, and the families that measure how a search scales."""

from __future__ import annotations

from ....kernel.model.actions import Receive, Send
from ....kernel.model.system import System
from .sketch import Sketch


def ring(size: int, tokens: int = 1) -> System:
    """Tokens that go round for ever: the first `tokens` nodes hold one each at the start."""
    sketch = Sketch(f"ring-{size}-{tokens}")
    for i in range(1, size + 1):
        role = sketch.role(f"Node{i}")
        before, after = f"Node{(i - 2) % size + 1}", f"Node{i % size + 1}"
        states = ("pass", "wait") if i <= tokens else ("wait", "pass")
        for state in states:
            role.state(state)
        role.add("wait", Receive(before, "token"), "pass")
        role.add("pass", Send(after, "token"), "wait")
    return sketch.system()


def star(leaves: int) -> System:
    """A hub that asks its leaves one after the other, round after round."""
    sketch = Sketch(f"star-{leaves}")
    hub = sketch.role("Hub")
    for i in range(1, leaves + 1):
        hub.add(f"ask{i}", Send(f"Leaf{i}", "ask"), f"wait{i}")
        hub.add(f"wait{i}", Receive(f"Leaf{i}", "answer"), f"ask{i % leaves + 1}")
    for i in range(1, leaves + 1):
        leaf = sketch.role(f"Leaf{i}")
        leaf.add("idle", Receive("Hub", "ask"), "answer")
        leaf.add("answer", Send("Hub", "answer"), "idle")
    return sketch.system()


def pipeline(stages: int) -> System:
    """A source that streams items through `stages` stages into a sink."""
    sketch = Sketch(f"pipeline-{stages}")
    line = ["Source", *(f"Stage{i}" for i in range(1, stages + 1)), "Sink"]
    sketch.role("Source").add("streaming", Send(line[1], "item"), "streaming")
    for before, name, after in zip(line, line[1:], line[2:], strict=False):
        stage = sketch.role(name)
        stage.add("take", Receive(before, "item"), "pass")
        stage.add("pass", Send(after, "item"), "take")
    sketch.role("Sink").add("drain", Receive(line[-2], "item"), "drain")
    return sketch.system()


def pairs(pairs: int, messages: int) -> System:
    """Pairs that know nothing of each other: a sender sends its messages and waits for a receipt."""
    sketch = Sketch(f"pairs-{pairs}-{messages}")
    for i in range(1, pairs + 1):
        sender, receiver = f"Sender{i}", f"Receiver{i}"
        left, right = sketch.role(sender), sketch.role(receiver)
        for j in range(1, messages + 1):
            last = j == messages
            left.add(f"send{j}", Send(receiver, f"m{j}"), "wait" if last else f"send{j + 1}")
            right.add(f"take{j}", Receive(sender, f"m{j}"), "confirm" if last else f"take{j + 1}")
        left.add("wait", Receive(receiver, "receipt"), "send1")
        right.add("confirm", Send(sender, "receipt"), "take1")
    return sketch.system()


def branching(branches: int, bound: int, pairs: int) -> System:
    """The family by which Lange and Yoshida (CAV 2019) measure scaling.

    In each pair both sides send `bound` messages, each chosen among `branches`, before they receive as many;
    so the least k for which it is k-MC is `bound`.
    """
    sketch = Sketch(f"branching-{branches}-{bound}-{pairs}")
    for i in range(1, pairs + 1):
        for name, peer in ((f"Left{i}", f"Right{i}"), (f"Right{i}", f"Left{i}")):
            role = sketch.role(name)
            for j in range(1, bound + 1):
                after = f"send{j + 1}" if j < bound else "take1"
                for b in range(1, branches + 1):
                    role.add(f"send{j}", Send(peer, f"m{b}"), after)
            for j in range(1, bound + 1):
                after = f"take{j + 1}" if j < bound else "send1"
                for b in range(1, branches + 1):
                    role.add(f"take{j}", Receive(peer, f"m{b}"), after)
    return sketch.system()
