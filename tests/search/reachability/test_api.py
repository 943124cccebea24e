"""Proved and broken without a bound: the alternating bit, stop-and-wait, the paper's Figure 2, others."""

from __future__ import annotations

import pytest

from stormproof.kernel.model.actions import Receive, Send, Transition
from stormproof.kernel.model.channel_faults import Corrupt, Lose, Overtake
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.run import Act
from stormproof.kernel.model.system import System
from stormproof.languages import protocols
from stormproof.limits import Limits
from stormproof.search.reachability.answer import REACHABLE, UNDECIDED, UNREACHABLE
from stormproof.search.reachability.api import reach
from stormproof.trust.reachability.certificates import Closure, HalfDuplexCertificate

ROUND0, ROUND1 = "Sender@{send0, wait0, resend0}", "Sender@{send1, wait1, resend1}"
#: A message with the other bit is taken while the sender is not at it: it can only be an old repetition.
OLD_TAKEN = f"(Receiver@take0 & {ROUND1}) | (Receiver@take1 & {ROUND0})"
#: The sender is about to send the next message, and the receiver has not taken the one before.
EARLY = (
    "(Sender@send1 & Receiver@{expect0, take1, again1}) | (Sender@send0 & Receiver@{expect1, take0, again0})"
)


@pytest.mark.parametrize("goal", [OLD_TAKEN, EARLY])
def test_the_alternating_bit_is_proved_under_loss(goal: str) -> None:
    answer = reach(protocols.protocol("alternating-bit-retransmit"), goal)
    assert answer.answer == UNREACHABLE and answer.checked
    assert isinstance(answer.certificate, Closure) and answer.certificate.basis
    assert answer.exit_code == 0


@pytest.mark.parametrize("goal", ["Receiver@{again0, again1}", EARLY])
def test_without_the_bit_it_is_broken(goal: str) -> None:
    answer = reach(protocols.protocol("stop-and-wait"), goal)
    assert answer.answer == REACHABLE and answer.checked
    assert answer.run is not None
    resent = [i for i, s in enumerate(answer.run.steps) if isinstance(s, Act) and str(s.action) == "timeout"]
    assert resent, "without a repetition nothing goes wrong"
    assert answer.exit_code == 1


def test_without_time_outs_stop_and_wait_would_be_fine() -> None:
    system = protocols.protocol("stop-and-wait")
    sender = system["Sender"]
    patient = Process("Sender", "send0", tuple(t for t in sender.transitions if str(t.action) != "timeout"))
    answer = reach(System((patient, system["Receiver"]), faults=system.faults), "Receiver@{again0, again1}")
    assert answer.answer == UNREACHABLE


FIGURE = "Receiver@refuse"


@pytest.mark.parametrize(
    ("failures", "step"),
    [(Failures(loss=True), Lose), (Failures(corrupt=True), Corrupt), (Failures(reorder=True), Overtake)],
    ids=["loss", "corrupt", "reorder"],
)
def test_figure_ex1_reaches_the_error_under_each_fault(failures: Failures, step: type) -> None:
    answer = reach(protocols.protocol("half-duplex"), FIGURE, failures)
    assert answer.answer == REACHABLE and answer.run is not None
    assert answer.run.faults and all(isinstance(f, step) for f in answer.run.faults)


def test_figure_ex1_on_perfect_channels_is_proved_through_half_duplex() -> None:
    answer = reach(protocols.protocol("half-duplex"), FIGURE)
    assert answer.answer == UNREACHABLE
    assert isinstance(answer.certificate, HalfDuplexCertificate)
    assert "half-duplex" in answer.because


def test_a_mixed_system_says_what_gave_the_answer() -> None:
    """Without loss on the acknowledgements the alternating bit is still right: shown as if they were lost."""
    system = protocols.protocol("alternating-bit-retransmit")
    answer = reach(system, EARLY, Failures(loss=["Sender->Receiver"], file_faults=False))
    assert answer.answer == UNREACHABLE
    assert "Receiver->Sender" in answer.because


def test_undecided_says_what_was_tried() -> None:
    """Two perfect channels and two processes that both may send: nothing here decides it."""
    answer = reach(turing(), "B@stuck", limits=Limits(states=400))
    assert answer.answer == UNDECIDED and answer.exit_code == 3
    assert any("forward" in t for t in answer.tried) and any("backward" in t for t in answer.tried)
    assert "undecidable" in answer.because


def turing() -> System:
    """A sends x^n y and gets back what B mirrors; B is stuck when y comes before as many x as it sent."""
    a = Process(
        "A",
        "go",
        (
            Transition("go", Send("B", "x"), "go2"),
            Transition("go2", Send("B", "y"), "go"),
            Transition("go", Receive("B", "x"), "odd"),
            Transition("odd", Receive("B", "y"), "go"),
        ),
    )
    b = Process(
        "B",
        "want",
        (
            Transition("want", Receive("A", "x"), "half"),
            Transition("half", Receive("A", "y"), "want"),
            Transition("half", Receive("A", "x"), "stuck"),
            Transition("want", Receive("A", "y"), "stuck"),
            Transition("want", Send("A", "x"), "give"),
            Transition("give", Send("A", "y"), "want"),
        ),
    )
    return System((a, b))


def test_crash_messages_are_control() -> None:
    """A standby that learns of the crash only after everything else has been taken."""
    main = Process("Main", "on", (Transition("on", Send("Spare", "m"), "on"),), reliable=False)
    spare = Process("Spare", "wait", (Transition("wait", Receive("Main", "m"), "took"),))
    system = System((main, spare))
    answer = reach(system, "Main->Spare=[m, ⚡]", Failures(crash=["Main"], reorder=True))
    assert answer.answer == REACHABLE and answer.notes
    assert answer.run is not None and len(answer.run.acts) == 3
