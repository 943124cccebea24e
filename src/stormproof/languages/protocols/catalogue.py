"""What is in the library: which protocols, in which group, and which of them come from a generator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from ...records import dataclass

FIGURES = "The paper's figures"
TABLE = "The paper's table"
STARRED = "Ours, for starred rows of the paper's table"
CLASSICS = "Classics"
EVERYDAY = "Everyday protocols, with requirements"
GROUPS = (FIGURES, TABLE, STARRED, CLASSICS, EVERYDAY)

#: Name -> group; a file of the library that is not named here is a classic.
GROUP_OF: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "half-duplex",
            "non-regular",
            "crash-client-server",
            "crash-commit",
            "paxos-2p3a",
            "paxos-2p3a-figure",
            "paxos-2p1a",
        ),
        FIGURES,
    ),
    **dict.fromkeys(
        (
            "alternating-bit",
            "alternating-bit-boigelot",
            "bargain",
            "client-server-logger",
            "cloud-system-v4",
            "commit-protocol",
            "dev-system",
            "elevator",
            "elevator-dashed",
            "elevator-directed",
            "filter-collaboration",
            "four-player-game",
            "health-system",
            "logistic",
            "sanitary-agency-mod",
            "tpm-contract",
        ),
        TABLE,
    ),
    **dict.fromkeys(
        (
            "online-stock-broker",
            "ftp",
            "client-server",
            "vending-machine",
            "bug-report",
            "sanitary-agency",
            "ssh",
        ),
        STARRED,
    ),
    **dict.fromkeys(
        (
            "tcp-open",
            "tcp-open-two-way",
            "tcp-simultaneous-open",
            "tcp-close",
            "tcp-close-short-wait",
            "quic-handshake",
            "quic-handshake-no-probe",
            "websocket-close",
            "tftp",
            "tftp-apprentice",
            "go-back-n",
            "go-back-n-too-few",
            "dns",
            "dns-without-ids",
            "oauth-pkce",
            "oauth-code-interception",
            "mqtt-qos1",
            "mqtt-qos2",
            "mqtt-qos2-forgetful",
            "idempotent-producer",
            "producer-without-ids",
            "outbox",
            "outbox-twice",
            "dual-write",
            "saga",
            "two-phase-commit-timeouts",
            "three-phase-commit-timeouts",
            "lock",
            "lock-forgetful",
            "lease-lock",
            "lease-lock-fenced",
            "leader-lease",
            "leader-read-index",
            "heartbeat-split-brain",
            "heartbeat-fenced",
            "chain-replication-bypass",
            "webhook-keys",
            "webhook-no-keys",
            "work-queue",
            "work-queue-twice",
            "producer-epochs",
            "producer-without-epochs",
            "abd-register",
            "abd-register-no-write-back",
            "view-change",
            "view-change-own-log",
            "raft-election",
            "raft-election-forgetful",
            "raft-log",
            "raft-log-any-vote",
            "store-then-ack",
            "ack-then-store",
            "enqueue-then-checkpoint",
            "checkpoint-then-enqueue",
            "nfs-verifier",
            "nfs-no-verifier",
            "dtls-epochs",
            "dtls-no-epoch",
            "ota-two-slots",
            "ota-one-slot",
            "broker-manual-ack",
            "broker-auto-ack",
            "circuit-breaker",
            "circuit-breaker-stuck",
            "swim",
            "swim-direct",
            "view-service",
            "view-service-ack",
        ),
        EVERYDAY,
    ),
}


@dataclass(frozen=True)
class Generated:
    """A protocol of the library that a generator makes; `requirements` are lines at the end of its text."""

    family: str
    about: str
    parameters: Mapping[str, int | bool] = field(default_factory=dict)
    requirements: str = ""


GENERATED: Mapping[str, Generated] = {
    "paxos-2p3a": Generated(
        "paxos",
        "Single-decree Paxos with 2 proposers, 3 acceptors and 2 ballots each.\n"
        "Proposers prepare a ballot with the acceptors, take over what a majority may have accepted,\n"
        "and ask for it to be accepted; numbers decide who gives way.\n"
        "Origin: L. Lamport: Paxos made simple (2001); the paper, appendix, Figure 5. The\n"
        "description leaves choices open; docs/protocols.md says which were made.\n"
        "Ours, and not the paper's: docs/results.md compares it with the row 2-Paxos 2P3A.",
        {"proposers": 2, "acceptors": 3, "retries": 2},
    ),
    "paxos-2p3a-figure": Generated(
        "paxos",
        "Paxos as the paper's figure has it, with 2 proposers, 3 acceptors and 2 ballots each.\n"
        "Acceptors compare no numbers: they promise or reject, accept or reject, arbitrarily. A\n"
        "proposer awaits all answers, one after the other, so that none is late. Far smaller than\n"
        "paxos-2p3a.\n"
        "Origin: the paper, appendix, Figure 5; docs/protocols.md says which choices were made.\n"
        "Ours, and not the paper's: docs/results.md compares it with the row 2-Paxos 2P3A.",
        {"proposers": 2, "acceptors": 3, "retries": 2, "forgetful": True, "in_turn": True},
    ),
    "paxos-2p1a": Generated(
        "paxos",
        "Paxos with 2 proposers, 1 acceptor and 1 ballot each, as in the authors' public file.\n"
        "The acceptor promises the first proposer, rejects the other, accepts the first request, and\n"
        "then waits for that proposer alone: the other may wait for ever.\n"
        "Origin: the working files of the paper's first author (March 2025), in our own words.",
        {"proposers": 2, "acceptors": 1, "retries": 1, "as_published": True},
        "expect violated late-proposer: recovers under none",
    ),
    "token-ring": Generated(
        "token-ring",
        "Token ring with three stations.\n"
        "Who holds the token may send one frame round the ring, takes it off again and passes the\n"
        "token on.\n"
        "Origin: IEEE 802.5, without priorities and without the monitor that replaces a lost token.",
        {"stations": 3},
    ),
    "leader-election": Generated(
        "leader-election",
        "Leader election on a one-way ring of three.\n"
        "Everybody sends its number round; larger ones pass, smaller ones are swallowed; who gets its\n"
        "own number back is the leader and says so. All send at once, so that it is not RSC.\n"
        "Origin: E. Chang, R. Roberts: An improved algorithm for decentralized extrema-finding in\n"
        "circular configurations of processes (CACM 1979).",
        {"nodes": 3},
    ),
    "dining-philosophers": Generated(
        "dining-philosophers",
        "Three dining philosophers who ask their forks by messages.\n"
        "All take the left fork first, so that all may wait for ever for the right one: progress\n"
        "fails.\n"
        "Origin: E. W. Dijkstra: Hierarchical ordering of sequential processes (1971).",
        {"philosophers": 3},
        "expect violated starvation: recovers under none",
    ),
    "dining-philosophers-left-handed": Generated(
        "dining-philosophers",
        "Three dining philosophers, one of them left-handed.\n"
        "As dining-philosophers, but the last one takes the right fork first, so that nobody starves.\n"
        "Origin: E. W. Dijkstra: Hierarchical ordering of sequential processes (1971); the asymmetric\n"
        "solution.",
        {"philosophers": 3, "left_handed": True},
        "require no-starvation: recovers",
    ),
    "go-back-2": Generated(
        "go-back-n",
        "Go-back-N with window 2.\n"
        "The sender may have two unacknowledged frames, numbered modulo 3, and may go back and send\n"
        "the window again at any time; an acknowledgement names the next frame expected. Made for\n"
        "loss: progress survives it.\n"
        "Origin: A. S. Tanenbaum: Computer networks, the go back n protocol.",
        {"window": 2},
    ),
    "selective-repeat-2": Generated(
        "selective-repeat",
        "Selective repeat with window 2.\n"
        "Frames are numbered modulo 4, acknowledged one by one, repeated one by one and buffered out\n"
        "of turn. Made for loss: progress survives it.\n"
        "Origin: A. S. Tanenbaum: Computer networks, the selective repeat protocol.",
        {"window": 2},
    ),
}
