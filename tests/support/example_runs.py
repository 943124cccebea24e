"""The runs of the paper's example on interferences (section 2) on its Figure 2, and others, made by hand."""

from __future__ import annotations

from typing import Any

from stormproof.kernel.model.actions import CRASH, Channel, Internal, Message, Receive, Send, Transition
from stormproof.kernel.model.channel_faults import Corrupt, Lose, Swap
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.run import Act, Step, Witness
from stormproof.kernel.model.system import System
from tests.support.equality import rename_states
from tests.support.example_systems import figure_ex1, process

SR, RS = Channel("S", "R"), Channel("R", "S")


#: The paper's Figure 2, with names of states that distinguish the two processes.
_STATES = {"S": dict(zip("1234", ("s0", "s1", "s2", "s3"))), "R": dict(zip("5678", ("r0", "r1", "r2", "r3")))}
EX1 = System(
    tuple(rename_states(p, _STATES[p.name]) for p in figure_ex1().rename({"s": "S", "r": "R"})), name="ex1"
)


def sends(message: Message, state: str, who: str = "S", to: str = "R") -> Act:
    return Act(who, Send(to, message), state)


def takes(message: Message, state: str, who: str = "R", of: str = "S") -> Act:
    return Act(who, Receive(of, message), state)


def run(*steps: Step, **more: Any) -> Witness:
    """A witness whose end the chart works out for itself."""
    return Witness(steps, {}, {}, **more)


START = (sends("start", "s1"), takes("start", "r1"))

#: e_c, e_l and e_o of the paper, with their faults made explicit.
CORRUPTION = run(
    *START,
    sends("data", "s1"),
    Corrupt(SR, 0, "data", "end"),
    takes("end", "r2"),
    sends("ack", "r0", "R", "S"),
    sends("data", "s1"),
)
LOSS = run(
    *START,
    sends("data", "s1"),
    takes("data", "r1"),
    sends("end", "s2"),
    Lose(SR, 0, "end"),
    culprit={"process": "R", "state": "r1"},
)
REORDERING = run(
    *START,
    sends("data", "s1"),
    sends("end", "s2"),
    Swap(SR, 0),
    takes("end", "r2"),
    sends("ack", "r0", "R", "S"),
    takes("ack", "s0", "S", "R"),
    takes("data", "r3"),
    sends("err", "r0", "R", "S"),
    takes("err", "s3", "S", "R"),
)
#: The run that no fault is needed for: one round of the protocol.
PERFECT = run(
    *START,
    sends("data", "s1"),
    takes("data", "r1"),
    sends("end", "s2"),
    takes("end", "r2"),
    sends("ack", "r0", "R", "S"),
    takes("ack", "s0", "S", "R"),
)
ROUNDS = run(*START, *(sends("data", "s1"), takes("data", "r1")) * 8, sends("end", "s2"))

CRASHING = System(
    (
        process(
            "A",
            ("a0", Send("B", "hello"), "a1"),
            ("a0", Internal("crash"), "x0"),
            ("a1", Internal("crash"), "x0"),
            ("x0", Send("B", CRASH), "x1"),
            ("x1", Send("C", CRASH), "stop"),
            reliable=False,
        ),
        process(
            "B",
            ("b0", Receive("A", "hello"), "b1"),
            ("b1", Internal("think"), "b2"),
            ("b2", Send("C", "go"), "b3"),
        ),
        process("C", ("c0", Receive("B", "go"), "c1"), ("c1", Receive("B", "more"), "c2")),
    ),
    name="crashing",
)
CRASH_RUN = run(
    Act("A", Send("B", "hello"), "a1"),
    Act("B", Receive("A", "hello"), "b1"),
    Act("B", Internal("think"), "b2"),
    Act("A", Internal("crash"), "x0"),
    Act("B", Send("C", "go"), "b3"),
    Act("A", Send("B", CRASH), "x1"),
    Act("A", Send("C", CRASH), "stop"),
    Act("C", Receive("B", "go"), "c1"),
)

NASTY = "<script>alert(1)</script>&\"'\n\x07\x1b[31m]]>"


def nasty() -> tuple[System, Witness]:
    """Names that would break a page, a picture or a terminal."""
    system = System(
        (
            Process(
                "A" + NASTY, "a" + NASTY, (Transition("a" + NASTY, Send("B" + NASTY, "m" + NASTY), "z"),)
            ),
            Process("B" + NASTY, "b", (Transition("b", Receive("A" + NASTY, "m" + NASTY), "y" + NASTY),)),
        ),
        name="n" + NASTY,
    )
    witness = run(
        Act("A" + NASTY, Send("B" + NASTY, "m" + NASTY), "z"),
        Lose(Channel("A" + NASTY, "B" + NASTY), 0, "m" + NASTY),
        culprit={"process": "B" + NASTY},
    )
    return system, witness


EXAMPLES = {
    "corruption": (EX1, CORRUPTION),
    "loss": (EX1, LOSS),
    "reordering": (EX1, REORDERING),
    "perfect": (EX1, PERFECT),
    "rounds": (EX1, ROUNDS),
    "crash": (CRASHING, CRASH_RUN),
    "nasty": nasty(),
}
