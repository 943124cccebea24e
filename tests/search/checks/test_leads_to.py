"""`G leads to H` from the text of a protocol to the answer: verdicts argued by hand."""

from __future__ import annotations

import json

import pytest

import stormproof as sp
from stormproof.search.checks.report import Verdict
from stormproof.tell.explain.explanation import explain
from stormproof.trust.saved.replay_report import replay_result
from stormproof.trust.saved.saved_report import result_from_json

ONCE = """
protocol Once
role Client {
  idle: Server!ask -> asked
  asked: Server?answer -> served
  served:
}
role Server {
  ready: Client?ask -> busy
  busy: Client!answer -> done
  done:
}
"""
#: The client repeats its request, and the server repeats its answer.
REPEATED = """
protocol Repeated
role Client {
  idle: Server!ask -> asked
  asked: Server?answer -> served
         timeout -> idle
  served: Server?answer -> served
}
role Server {
  ready: Client?ask -> busy
  busy: Client!answer -> ready
}
"""


def verdict(text: str, **failures: object) -> Verdict:
    system = sp.loads(text, format="storm")
    (found,) = sp.check(system, sp.Failures(**failures), properties=["served"])  # type: ignore[arg-type]
    return found


def test_a_request_that_is_lost_is_never_answered() -> None:
    text = ONCE + "require served: Client@asked leads to Client@served"
    assert verdict(text).holds is True
    found = verdict(text, loss=True)
    assert found.holds is False and found.faults == 1 and found.fewest
    assert found.reason == "deadlock, and nothing is in flight; pending since action 1"
    assert found.witness is not None and len(found.witness.acts) == 1, "the shortest to where nothing answers"


def test_who_repeats_until_he_is_answered_is_answered() -> None:
    found = verdict(REPEATED + "require served: Client@asked leads to Client@served", loss=True)
    assert found.holds is True and not found.notes


def test_once_reached_it_need_not_remain_possible() -> None:
    """The server is busy once, and nothing is pending after that; it will never be busy again."""
    assert verdict(ONCE + "require served: Client@idle leads to Server@busy").holds is True
    assert verdict(ONCE + "require served: always possible Server@busy").holds is False


def test_faults_before_the_request_count() -> None:
    """The server stops before anybody asks: one fault, after which every request is in vain."""
    found = verdict(ONCE + "require served: Client@asked leads to Client@served", stop=["Server"])
    assert found.holds is False and found.faults == 1


def test_it_may_be_pending_from_the_beginning() -> None:
    found = verdict(ONCE + "require served: Client@idle leads to Client@served", loss=True)
    assert found.reason.endswith("; pending from the beginning on")


def test_what_nobody_asks_for_is_vacuous() -> None:
    found = verdict(ONCE + "require served: Client@served & Server@ready leads to Client@idle")
    assert found.holds is True and "vacuous" in " ".join(found.notes)


def test_who_stops_is_not_served_unless_that_is_allowed() -> None:
    text = ONCE + "require served: Client@asked leads to Client@served"
    found = verdict(text, stop=["Client"])
    assert found.holds is False and "add | Client@stopped" in found.reason
    assert verdict(text + " | Client@stopped", stop=["Client"]).holds is True
    assert verdict(text + " | Client@stopped", loss=True).holds is False


def test_roles_with_variables() -> None:
    """Who repeats is answered in the end, and the number never goes back."""
    text = """
    protocol counter
    const most = 2
    role A {
      var n: 0..most = 0
      open: B!add(n) if n < most -> wait
      wait: B?ok -> open { n = n + 1 }
            timeout -> open
    }
    role B {
      idle: A?add(_) -> reply
      reply: A!ok -> idle
    }
    rest A@open, B@idle
    """
    assert verdict(text + "require served: A.n = 0 leads to A.n = most", loss=True).holds is True
    assert verdict(text + "require served: A@wait & A.n = 1 leads to A.n = 0").holds is False
    stopped = text + "require served: A.n = 0 leads to A.n = most"
    assert verdict(stopped, stop=["A"]).holds is False
    assert verdict(stopped + " | A@stopped", stop=["A"]).holds is True


def test_a_message_that_is_lost_at_once_was_never_in_its_channel() -> None:
    """Goals are looked at after a step, and the loss is part of the send."""
    text = ONCE + "require served: Client -> Server contains ask leads to Server@busy"
    assert verdict(text, loss=True).holds is True
    assert verdict(text, stop=["Server"]).holds is False


def test_the_explanation_says_since_when() -> None:
    system = sp.loads(ONCE + "require served: Client@asked leads to Client@served", format="storm")
    report = sp.check(system, sp.Failures(loss=True), properties=["served"])
    said = str(explain(report, report.verdicts[0]))
    assert "That is a deadlock" in said and "The requirement has been pending since action 1." in said


@pytest.mark.parametrize("failures", [{}, {"loss": True}, {"stop": ["Client"]}, {"loss": True, "budget": 1}])
def test_a_saved_result_is_proved(failures: dict[str, object]) -> None:
    for protocol in (ONCE, REPEATED):
        system = sp.loads(protocol + "require served: Client@asked leads to Client@served", format="storm")
        asked = sp.Failures(**failures)  # type: ignore[arg-type]
        report = sp.check(system, asked, properties=["served"], certificates=True, max_k=2)
        (answer,) = replay_result(result_from_json(json.dumps(report.to_json())))
        assert answer.proved, answer.message
