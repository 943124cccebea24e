"""Systems by hand that several tests use: the paper's figures and simple shapes."""

from __future__ import annotations

from stormproof.kernel.model.actions import Action, Channel, Receive, Send, Transition
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System


def process(name: str, *rows: tuple[str, Action, str], reliable: bool = True) -> Process:
    """A process from its transitions; it starts where the first one does."""
    return Process(name, rows[0][0], rows, reliable=reliable)


def line(name: str, *actions: Action) -> Process:
    """A process that takes these actions one after the other, in states 0, 1, 2, ..., and stops."""
    return Process(name, "0", [(f"{i}", action, f"{i + 1}") for i, action in enumerate(actions)])


def all_channels(system: System) -> tuple[Channel, ...]:
    """One channel per ordered pair of processes, whether it is used or not."""
    return tuple(Channel(p, q) for p in system.names for q in system.names if p != q)


def figure_ex1() -> System:
    """The paper's Figure 2: half-duplex on perfect channels, and under no interference."""
    sender = Process(
        "s",
        "1",
        (
            Transition("1", Send("r", "start"), "2"),
            Transition("2", Send("r", "data"), "2"),
            Transition("2", Send("r", "end"), "3"),
            Transition("3", Receive("r", "ack"), "1"),
            Transition("1", Receive("r", "err"), "4"),
            Transition("4", Send("r", "data"), "1"),
        ),
    )
    receiver = Process(
        "r",
        "5",
        (
            Transition("5", Receive("s", "start"), "6"),
            Transition("6", Receive("s", "data"), "6"),
            Transition("6", Receive("s", "end"), "7"),
            Transition("7", Send("s", "ack"), "5"),
            Transition("5", Receive("s", "data"), "8"),
            Transition("8", Send("s", "err"), "5"),
        ),
    )
    return System((sender, receiver), name="ex1")


def figure_exkmc() -> System:
    """The paper's Figure 3: k-MC, with a reachability set that is not regular."""
    s = Process(
        "s",
        "0",
        (
            Transition("0", Send("p", "a"), "1"),
            Transition("1", Send("q", "b"), "2"),
            Transition("2", Send("r", "c"), "0"),
        ),
    )
    p = Process(
        "p",
        "0",
        (
            Transition("0", Receive("s", "a"), "1"),
            Transition("1", Send("q", "alpha"), "2"),
            Transition("2", Receive("r", "alpha"), "0"),
        ),
    )
    q = Process(
        "q",
        "0",
        (
            Transition("0", Receive("p", "alpha"), "1"),
            Transition("1", Receive("s", "b"), "2"),
            Transition("2", Send("r", "alpha"), "0"),
        ),
    )
    r = Process(
        "r",
        "0",
        (
            Transition("0", Receive("q", "alpha"), "1"),
            Transition("1", Receive("s", "c"), "2"),
            Transition("2", Send("p", "alpha"), "0"),
        ),
    )
    return System((s, p, q, r), name="exkmc")


def clients(size: int) -> System:
    """One server and clients that ask and wait for the answer, whoever comes first."""
    clients = [f"C{i}" for i in range(1, size)]
    hub = [
        row
        for c in clients
        for row in (
            Transition("idle", Receive(c, "ask"), f"serve{c}"),
            Transition(f"serve{c}", Send(c, "answer"), "idle"),
        )
    ]
    asking = (
        Transition("ask", Send("Hub", "ask"), "wait"),
        Transition("wait", Receive("Hub", "answer"), "ask"),
    )
    return System(
        (Process("Hub", "idle", tuple(hub)), *(Process(c, "ask", asking) for c in clients)), f"clients-{size}"
    )
