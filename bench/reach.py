"""What reachability without a bound costs against size: messages, processes, counters.

    python bench/reach.py [--seconds S] [--json]

Lossy channels: stop-and-wait with numbers modulo m (more messages), and a chain of relays that each use the
alternating bit (more processes). Counters: a lock server with n clients over channels that reorder (more
dimensions). Every goal is unreachable, so each search runs to its fixed point. CPU s is that of the answer
less that of its checker, which is timed apart. Nothing here is a test.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from stormproof.kernel.goals.cubes import cubes
from stormproof.kernel.goals.parse import parse_goal
from stormproof.kernel.model.actions import Internal, Receive, Send, Transition
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System
from stormproof.limits import Limits
from stormproof.search.engine.coverability import ChannelForm
from stormproof.search.reachability.answer import UNDECIDED
from stormproof.search.reachability.channel_forms import shapes
from stormproof.search.reachability.portfolio import solve
from stormproof.trust.reachability.certificates import Closure
from stormproof.trust.reachability.check_certificate import check_certificate
from stormproof.trust.survival_certificate import ClosedSet

Case = tuple[System, str]


def numbered(messages: int) -> Case:
    """Stop-and-wait with repetition and numbers modulo `messages`, which is at least 2."""
    sender, receiver = [], []
    for i in range(messages):
        following = (i + 1) % messages
        sender += [
            Transition(f"send{i}", Send("R", f"d{i}"), f"wait{i}"),
            Transition(f"wait{i}", Internal("timeout"), f"resend{i}"),
            Transition(f"resend{i}", Send("R", f"d{i}"), f"wait{i}"),
        ]
        for j in range(messages):
            target = f"send{following}" if i == j else f"wait{i}"
            sender.append(Transition(f"wait{i}", Receive("R", f"a{j}"), target))
            taken = f"take{i}" if i == j else f"again{i}_{j}"
            receiver.append(Transition(f"expect{i}", Receive("S", f"d{j}"), taken))
            after = f"expect{following}" if i == j else f"expect{i}"
            receiver.append(Transition(taken, Send("S", f"a{j}"), after))
    system = System((Process("S", "send0", tuple(sender)), Process("R", "expect0", tuple(receiver))))
    return system, "S@send1 & R@expect0"


def relays(processes: int) -> Case:
    """A source, relays and a sink: on each link the alternating bit, and a relay holds one message."""
    names = [f"P{i}" for i in range(processes)]
    built = []
    for i, name in enumerate(names):
        before = names[i - 1] if i else None
        after = names[i + 1] if i + 1 < processes else None
        built.append(_station(name, before, after))
    last, sink = names[-2], names[-1]
    return System(tuple(built)), f"{last}@send1 & {sink}@expect0"


def _station(name: str, before: str | None, after: str | None) -> Process:
    rows = []
    for bit in (0, 1):
        other = 1 - bit
        if before is not None:
            rows += [
                Transition(f"expect{bit}", Receive(before, f"d{bit}"), f"take{bit}"),
                Transition(f"expect{bit}", Receive(before, f"d{other}"), f"again{bit}"),
                Transition(f"again{bit}", Send(before, f"a{other}"), f"expect{bit}"),
                Transition(
                    f"take{bit}", Send(before, f"a{bit}"), f"send{bit}" if after else f"expect{other}"
                ),
            ]
        if after is not None:
            done = f"expect{other}" if before else f"send{other}"
            rows += [
                Transition(f"send{bit}", Send(after, f"d{bit}"), f"wait{bit}"),
                Transition(f"wait{bit}", Receive(after, f"a{bit}"), done),
                Transition(f"wait{bit}", Receive(after, f"a{other}"), f"wait{bit}"),
                Transition(f"wait{bit}", Internal("timeout"), f"resend{bit}"),
                Transition(f"resend{bit}", Send(after, f"d{bit}"), f"wait{bit}"),
            ]
    return Process(name, "expect0" if before else "send0", tuple(rows))


def lock(clients: int) -> Case:
    """A server that grants a lock to one client at a time; two counters a client and direction."""
    names = [f"C{i}" for i in range(clients)]
    built = [
        Process(
            name,
            "idle",
            (
                Transition("idle", Send("Server", "ask"), "wait"),
                Transition("wait", Receive("Server", "grant"), "hold"),
                Transition("hold", Send("Server", "free"), "idle"),
            ),
        )
        for name in names
    ]
    rows = []
    for name in names:
        rows += [
            Transition("open", Receive(name, "ask"), f"give{name}"),
            Transition(f"give{name}", Send(name, "grant"), f"lent{name}"),
            Transition(f"lent{name}", Receive(name, "free"), "open"),
        ]
    return System((Process("Server", "open", tuple(rows)), *built)), "C0@hold & C1@hold"


FAMILIES: dict[str, tuple[Callable[[int], Case], range, Failures, tuple[str, ...]]] = {
    "lossy, messages": (numbered, range(2, 9), Failures(loss=True), ("backward search",)),
    "lossy, processes": (relays, range(2, 6), Failures(loss=True), ("backward search",)),
    "counters, backward": (lock, range(2, 9), Failures(reorder=True), ("backward search",)),
    "counters, linear": (lock, range(2, 9), Failures(reorder=True), ("linear invariants",)),
}


def measure(seconds: float = 20.0) -> Iterator[dict[str, Any]]:
    """One row a family and size; a family ends where the time limit stops it."""
    for family, (build, sizes, failures, ways) in FAMILIES.items():
        for size in sizes:
            row = _point(family, build(size), size, failures, ways, seconds)
            yield row
            if row["answer"] == UNDECIDED:
                break


def _point(
    family: str, case: Case, size: int, failures: Failures, ways: tuple[str, ...], seconds: float
) -> dict[str, Any]:
    system, goal = case
    model = failures.on(system)
    asked = cubes(parse_goal(goal, system), system, model)
    started = time.process_time()
    answer = solve(system, model, asked, goal, Limits(seconds=seconds), only=("control states", *ways))
    proof = answer.certificate
    searched = time.process_time()
    if proof is not None:
        assert not isinstance(proof, ClosedSet)
        assert not check_certificate(system, model, asked, proof)
    checked = time.process_time() - searched
    return {
        "family": family,
        "size": size,
        "counters": sum(1 if s.form is ChannelForm.LENGTH else len(s.letters) for s in shapes(system, model)),
        "answer": answer.answer,
        "controls": len(proof.controls) if isinstance(proof, Closure) else None,
        "minimal": len(proof.basis) if isinstance(proof, Closure) else None,
        "seconds": round(searched - started - (checked if proof is not None else 0), 3),
        "checker": round(checked, 3),
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0, help="time limit of one search")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    rows = []
    if not chosen.json:
        print(f"{'family':20} size counters   answer     controls   minimal  CPU s  checker")
    for row in measure(chosen.seconds):
        rows.append(row)
        if not chosen.json:
            controls, minimal = (row[k] if row[k] is not None else "-" for k in ("controls", "minimal"))
            print(
                f"{row['family']:20} {row['size']:4} {row['counters']:8}   {row['answer']:11}"
                f"{controls:>8} {minimal:>9} {row['seconds']:6} {row['checker']:8}",
                flush=True,
            )
    if chosen.json:
        json.dump(rows, sys.stdout, indent=2)
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
