"""Runs the vectors of `stormproof testgen --vectors` against an implementation of a role. No dependencies.

An implementation has `start()`, `receive(peer, message)`, `expire()` and, where the role may restart,
`restart()`. Each gives the list of what is sent then, as (peer, message). `receive` and `expire` give None
where the message is not taken, or no timer runs.
"""

from __future__ import annotations

import json
import os
import unittest
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ATTEMPTS = 100
VectorEvent = tuple[str, str, str]


class OtherChoice(Exception):
    """The implementation did something else than the vector, which the protocol allows too."""


class Vectors:
    """The vectors of a file; `follow(name, make)` runs one, on what `make()` gives."""

    def __init__(self, path: str | Path | None = None) -> None:
        self.data = json.loads(Path(path or os.environ["STORMPROOF_VECTORS"]).read_text("utf-8"))
        if (self.data.get("stormproof"), self.data.get("version")) != ("vectors", 1):
            raise ValueError("this is not a file of vectors that this runner knows")
        self.vectors = {v["name"]: [(*s, "", "")[:3] for s in v["steps"]] for v in self.data["vectors"]}
        self.leaving: dict[str, list[tuple[VectorEvent, str]]] = {}
        for source, do, peer, message, target in self.data["transitions"]:
            self.leaving.setdefault(source, []).append(((do, peer, message), target))

    @property
    def names(self) -> list[str]:
        return list(self.vectors)

    def follow(self, name: str, make: Callable[[], Any]) -> None:
        """AssertionError: the protocol does not allow it. SkipTest: it never chose as in the vector."""
        other = ""
        for _ in range(ATTEMPTS):
            driven = _Driven(self, make())
            try:
                for event in self.vectors[name]:
                    driven.do(event)
                return _report(name, "passed", "", driven.done)
            except OtherChoice as problem:
                other = f"in {ATTEMPTS} attempts {problem}"
            except AssertionError as problem:
                _report(name, "failed", str(problem), driven.done)
                raise
        _report(name, "undecided", other, [])
        raise unittest.SkipTest(other)

    def closed(self, states: Iterable[str]) -> frozenset[str]:
        """With what is reached by actions that nobody sees."""
        found = list(dict.fromkeys(states))
        for state in found:
            found += [t for (do, *_), t in self.leaving.get(state, ()) if do == "silent" and t not in found]
        return frozenset(found)


def _report(name: str, verdict: str, why: str, done: list[tuple[VectorEvent, str]]) -> None:
    """`done`: what the implementation did, and in which handler; of a failure the last is not allowed."""
    if "STORMPROOF_REPORT" in os.environ:
        steps = [{"transition": event, "handler": handler} for event, handler in done]
        row = {"vector": name, "verdict": verdict, "why": why, "steps": steps}
        with Path(os.environ["STORMPROOF_REPORT"]).open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


class _Driven:
    """An implementation that runs, and where it may be by the protocol."""

    def __init__(self, vectors: Vectors, implementation: Any) -> None:
        self.vectors, self.implementation = vectors, implementation
        self.states = vectors.closed([vectors.data["initial"]])
        self.outbox: deque[tuple[tuple[str, str], str]] = deque()
        self.done: list[tuple[VectorEvent, str]] = []
        self.raised: Exception | None = None
        self.call("start")

    def call(self, method: str, *arguments: str) -> bool:
        """Was it taken? What it sends is in the outbox then."""
        try:
            sent = getattr(self.implementation, method)(*arguments)
        except Exception as problem:
            self.raised = problem
            return True
        self.outbox.extend((message, method) for message in sent or ())
        return sent is not None or method in ("start", "restart")

    def next_sent(self) -> VectorEvent | None:
        """What it sends next, or None if it waits; both must be allowed."""
        if not self.outbox:
            if self.raised is not None and not self.states & set(self.vectors.data["raised"]):
                raise AssertionError(f"it raises {self.raised!r}. Before: {self.before()}")
            self.go(frozenset(s for s in self.states if self.may_wait(s)), "waits")
            return None
        message, handler = self.outbox.popleft()
        return self.take(("send", *message), handler)

    def take(self, event: VectorEvent, handler: str) -> VectorEvent:
        """It does this, which must be allowed."""
        before = self.before()
        self.done.append((event, handler))
        self.go(self.after(event), shown(event), before)
        return event

    def do(self, event: VectorEvent) -> None:
        if event[0] in ("send", "wait"):
            found = self.next_sent()
            if found != (event if event[0] == "send" else None):
                did = "waits" if found is None else shown(found)
                raise OtherChoice(f"it never {shown(event)} here; it {did}, which the protocol allows too")
            return
        if (event[0] != "restart" or self.outbox) and (found := self.next_sent()) is not None:
            raise OtherChoice(f"it {shown(found)} before it {shown(event)}, which the protocol allows too")
        if not self.after(event):
            raise OtherChoice(f"it never came to where it {shown(event)}")
        method = {"receive": "receive", "timeout": "expire", "restart": "restart"}[event[0]]
        if not self.call(method, *event[1:] if event[0] == "receive" else ()):
            doing = {s for s in self.states for e, _ in self.vectors.leaving.get(s, ()) if e == event}
            self.go(self.states - doing, f"does not take: {shown(event)}")
            raise OtherChoice(f"it never {shown(event)} here, and the protocol allows that too")
        self.take(event, method)

    def after(self, event: VectorEvent) -> frozenset[str]:
        leaving = (row for s in self.states for row in self.vectors.leaving.get(s, ()))
        return self.vectors.closed(target for done, target in leaving if done == event)

    def may_wait(self, state: str) -> bool:
        done = {event[0] for event, _ in self.vectors.leaving.get(state, ())}
        return bool(done & {"receive", "timeout"}) or not done & {"send", "silent"}

    def before(self) -> str:
        return ", ".join(shown(event) for event, _ in self.done) or "nothing"

    def go(self, states: frozenset[str], what: str, before: str | None = None) -> None:
        if not states:
            done = (e for s in sorted(self.states) for e, _ in self.vectors.leaving.get(s, ()))
            allowed = ", ".join(dict.fromkeys(shown(e) for e in done if e[0] != "silent")) or "has ended"
            raise AssertionError(f"it {what}; the protocol allows: {allowed}. Before: {self.before()}")
        self.states = states


def shown(event: VectorEvent) -> str:
    do, peer, message = event
    if not peer:
        return {"timeout": "times out"}.get(do, f"{do}s")
    return f"{do}s {message} {'to' if do == 'send' else 'from'} {peer}"
