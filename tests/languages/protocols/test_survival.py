"""The library is green: every protocol survives and meets its requirements, or its known limits are shown."""

from __future__ import annotations

from functools import cache

import pytest

import stormproof as sp
from stormproof.languages import formats, protocols
from stormproof.languages.protocols.catalogue import EVERYDAY
from stormproof.search.checks.report import Report, Verdict


@cache
def report(name: str) -> Report:
    """The check of a protocol, with small bounds: larger ones only make the same answers stronger.

    The time limit is no part of the test: Paxos takes less than a minute, but a machine may be busy.
    """
    return sp.check(protocols.protocol(name), max_k=2, effort=200_000, limits=sp.Limits(seconds=1800))


def verdict(name: str, requirement: str) -> Verdict:
    return report(name)[requirement]


@pytest.mark.parametrize("name", protocols.names())
def test_the_library_is_green(name: str) -> None:
    found = report(name)
    wrong = [v for v in found.verdicts if v.counts and v.ok is not True]
    assert found.exit_code == 0 and not wrong, [(v.property, v.word, v.reason) for v in wrong]


@pytest.mark.parametrize("name", protocols.groups()[EVERYDAY])
def test_everyday_protocols_say_what_is_required_and_what_is_known(name: str) -> None:
    requirements = protocols.protocol(name).requirements
    assert len({r.name for r in requirements}) == len(requirements) > 0 and all(r.name for r in requirements)


class Limit:
    """A known limit of a protocol: a requirement that is violated, how many faults it takes, how it ends."""

    def __init__(self, protocol: str, requirement: str, faults: int, ending: str = "") -> None:
        self.protocol, self.requirement, self.faults, self.ending = protocol, requirement, faults, ending

    def __repr__(self) -> str:
        return f"{self.protocol}-{self.requirement}"


LIMITS = (
    Limit("two-phase-commit", "blocking", 1, "deadlock"),
    Limit("two-phase-commit-timeouts", "blocking", 1, "livelock"),
    Limit("three-phase-commit-timeouts", "atomic", 0),
    Limit("three-phase-commit-timeouts", "half-told", 1),
    Limit("raft-election", "elected", 0, "rest"),
    Limit("raft-election-forgetful", "one-leader-restart", 1),
    Limit("lock", "dead-holder", 1, "divergence"),
    Limit("lock-forgetful", "mutex-after-restart", 1),
    Limit("lease-lock", "mutex", 0),
    Limit("lease-lock", "no-lost-update", 0),
    Limit("go-back-n-too-few", "right", 0),
    Limit("go-back-n", "order", 1),
    Limit("tftp-apprentice", "apprentice", 0, "divergence"),
    Limit("tftp", "order", 1, "divergence"),
    Limit("tcp-open", "syn-flood", 1, "livelock"),
    Limit("tcp-open", "forgotten", 1),
    Limit("tcp-open-two-way", "no-half-open", 0),
    Limit("tcp-close-short-wait", "last-ack", 1, "divergence"),
    Limit("quic-handshake-no-probe", "deadlock", 1, "deadlock"),
    Limit("mqtt-qos1", "at-most-once", 0),
    Limit("mqtt-qos2", "order", 1),
    Limit("mqtt-qos2-forgetful", "broker-restart", 1),
    Limit("websocket-close", "half-open", 1),
    Limit("saga", "isolation", 0),
    Limit("saga", "dead-orchestrator", 1),
    Limit("oauth-code-interception", "secret", 0),
    Limit("oauth-pkce", "downgrade", 1),
    Limit("producer-without-ids", "at-most-once", 0),
    Limit("dns", "answered", 0, "rest"),
    Limit("dns-without-ids", "right", 0),
    Limit("heartbeat-split-brain", "one-writer", 0),
    Limit("chain-replication", "dead-middle", 1, "deadlock"),
    Limit("dual-write", "lost-event", 1),
    Limit("dual-write", "forgotten", 1),
    Limit("outbox-twice", "once", 0),
    Limit("leader-lease", "fresh", 0),
    Limit("webhook-no-keys", "once", 0),
    Limit("webhook-keys", "dead-provider", 1, "rest"),
    Limit("work-queue-twice", "once", 0),
    Limit("work-queue", "slow-worker", 0),
    Limit("work-queue", "dead-workers", 2, "deadlock"),
    Limit("producer-without-epochs", "no-zombie", 0),
    Limit("abd-register-no-write-back", "atomic", 0),
    Limit("abd-register", "dead-majority", 2, "deadlock"),
    Limit("view-change-own-log", "kept", 0),
    Limit("view-change", "no-majority", 2, "deadlock"),
    Limit("raft-log-any-vote", "agreed", 0),
    Limit("dining-philosophers", "starvation", 0, "deadlock"),
    # The client repeats its message; what is sent to a role that has stopped is taken, and so nothing grows.
    Limit("store-then-ack", "dead-server", 1, "livelock"),
    # The answer goes before the record, so nothing has to fail; a restart then loses what was answered.
    Limit("ack-then-store", "recorded-first", 0),
    Limit("ack-then-store", "kept", 1),
    Limit("enqueue-then-checkpoint", "twice", 1),
    Limit("checkpoint-then-enqueue", "nothing-lost", 1),
    # As many restarts as the counter has values bring it back to what it was.
    Limit("nfs-verifier", "wrapped", 3),
    Limit("nfs-no-verifier", "stored", 1),
    # Each boot uses up an epoch; after three that came to nothing the sensor rests for good.
    Limit("dtls-epochs", "worn-out", 3, "rest"),
    Limit("dtls-no-epoch", "fresh", 1),
    Limit("ota-one-slot", "starts", 1),
    # The server repeats an image that the device never answers, as often as it likes before it is taken.
    Limit("ota-one-slot", "updated", 1, "divergence"),
    Limit("broker-manual-ack", "twice", 1),
    # The loss of a job in the hands of its consumer is noticed by nobody: all are at rest.
    Limit("broker-auto-ack", "nothing-lost", 1),
    # The caller asks again and again, and the breaker refuses.
    Limit("circuit-breaker", "dead-service", 1, "livelock"),
    # The probe is lost, and all wait. On time two losses open the breaker first.
    Limit("circuit-breaker-stuck", "served", 1, "deadlock"),
    Limit("circuit-breaker-stuck", "served-on-time", 3, "deadlock"),
    # B is cut off from A, and from C or C from A.
    Limit("swim", "two-links", 2),
    Limit("swim-direct", "one-link", 1),
    # The client asks and is refused for ever: S1 pings and never learns its view, or is never replaced.
    Limit("view-service-ack", "one-direction", 1, "livelock"),
    Limit("view-service-ack", "fail-over", 1, "livelock"),
    # What is sent to the stopped S2 is taken, so the client asks again and nothing grows.
    Limit("view-service", "dead-backup", 1, "livelock"),
)


@pytest.mark.parametrize("limit", LIMITS, ids=repr)
def test_known_limits_have_the_run_that_an_engineer_expects(limit: Limit) -> None:
    found = verdict(limit.protocol, limit.requirement)
    assert found.holds is False and found.requirement is not None and found.requirement.violated
    assert found.witness is not None and found.replayed is not False
    assert (found.faults, found.witness.fault_count) == (limit.faults, limit.faults)
    assert found.witness.ending == limit.ending


#: Broken protocols that recover, so that only their requirement notices, and others that do not.
BROKEN = ("go-back-n-too-few", "lease-lock", "lock-forgetful", "tcp-open-two-way", "dns-without-ids")


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_protocol_is_red_when_its_limit_is_required(name: str) -> None:
    text = protocols.source(name).replace("expect violated", "require")
    found = sp.check(sp.loads(text, format="storm"), max_k=2, effort=100_000, properties=None)
    assert found.exit_code == 1
    assert found["recovers"].holds, "only the requirement notices"


MENDED = (
    ("three-phase-commit-timeouts", "no-blocking"),
    ("webhook-keys", "once"),
    ("work-queue", "once"),
    ("producer-epochs", "no-zombie"),
    ("abd-register", "atomic"),
    ("view-change", "kept"),
    ("three-phase-commit-timeouts", "atomic-on-time"),
    ("lease-lock", "mutex-on-time"),
    ("leader-lease", "fresh-on-time"),
    ("leader-lease", "recovers-on-time"),
    ("raft-election", "one-stop"),
    ("raft-election", "one-leader"),
    ("raft-election", "one-leader-one-fault"),
    ("lock", "mutex"),
    ("lease-lock-fenced", "no-lost-update"),
    ("lease-lock-fenced", "dead-holder"),
    ("heartbeat-fenced", "one-writer"),
    ("leader-read-index", "fresh"),
    ("mqtt-qos2", "at-most-once"),
    ("go-back-n", "right"),
    ("chain-replication-bypass", "arrives"),
    ("outbox", "consistent"),
    ("store-then-ack", "kept"),
    ("store-then-ack", "recorded-first"),
    ("enqueue-then-checkpoint", "nothing-lost"),
    ("nfs-verifier", "stored"),
    ("dtls-epochs", "fresh"),
    ("ota-two-slots", "starts"),
    ("broker-manual-ack", "nothing-lost"),
    ("circuit-breaker", "served"),
    ("swim", "one-link"),
    ("view-service", "one-direction"),
    ("view-service", "fail-over"),
)


def test_sentences_say_what_repeats_and_what_grows() -> None:
    circulates = sp.survives(protocols.protocol("tftp-apprentice"), effort=100_000)
    assert circulates.reason == "divergence: Sender and Receiver loop for ever"
    floods = verdict("tcp-simultaneous-open", "forgotten")
    assert floods.reason == "divergence: B loops for ever while B→A grows; B does not receive ack from A"
    beside = formats.loads(
        "role A { s: C!x -> w\n w: C?y -> e\n e: }\nservice role C { s: A?x -> t\n t: A!y -> s }\n"
        "role B { s: D!p -> t\n t: D?q -> s }\nrole D { s: B?p -> t\n t: B!q -> s }",
        "storm",
    )
    starves = sp.survives(beside, sp.Failures(loss=["A->C"]))
    assert starves.reason == "livelock: B and D loop for ever, while A waits in w for y from C"
    assert verdict("dns", "answered").reason == "everybody rests, and the goal is out of reach"


@pytest.mark.parametrize(("name", "requirement"), MENDED, ids=lambda x: x)
def test_mended_protocols_keep_what_the_broken_ones_break(name: str, requirement: str) -> None:
    assert verdict(name, requirement).holds


def test_two_phase_commit_blocks_when_its_coordinator_stops_silently() -> None:
    system = protocols.protocol("two-phase-commit")
    silent = sp.reach(system, "deadlock & A@ready", sp.Failures(stop=["Coordinator"]))
    assert silent.answer == "reachable" and silent.run is not None and silent.run.fault_count == 1
    announced = sp.reach(system, "deadlock & A@ready", sp.Failures(crash=["Coordinator"]))
    assert announced.answer == "unreachable"


def test_the_alternating_bit_without_a_timer() -> None:
    """Its receiver has an error state without transitions, which is not taken for its rest."""
    system = protocols.protocol("alternating-bit")
    perfect, lossy = sp.survives(system), sp.survives(system, sp.Failures(loss=True))
    assert (perfect.holds, perfect.up_to) == (True, None)
    assert (lossy.holds, lossy.faults, lossy.fewest) == (False, 1, True)
    assert lossy.witness is not None and lossy.witness.ending == "deadlock"


def test_the_alternating_bit_with_a_timer() -> None:
    system = protocols.protocol("alternating-bit-retransmit")
    lossy = sp.survives(system, sp.Failures(loss=True), max_k=4)
    assert (lossy.holds, lossy.up_to) == (True, 4)
    reordered = sp.survives(system, sp.Failures(reorder=True), max_k=2)
    assert (reordered.holds, reordered.faults) == (False, 1), "violated, not undecided"
    assert reordered.witness is not None and reordered.witness.ending == "divergence"
