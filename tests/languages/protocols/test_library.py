"""The built-in protocols: all are there, canonical, and what their design implies of them holds."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from stormproof.errors import UsageError
from stormproof.languages import formats, protocols
from stormproof.languages.protocols.catalogue import (
    EVERYDAY,
    FIGURES,
    GENERATED,
    GROUP_OF,
    GROUPS,
    STARRED,
    TABLE,
)
from stormproof.search.checks.api import check
from stormproof_paper import published
from tests.support.paths import DOCS


class Design(NamedTuple):
    """What a protocol's design implies on perfect channels: its classes, the least k for k-MC, and RSC.

    `k` None: not k-MC for any k, by design. `why` says what decides the less obvious ones.
    """

    k: int | None = 1
    rsc: bool = True
    csa: bool = True
    directed: bool = True
    why: str = ""


#: The expectations come from the descriptions: requests that wait for their answers are RSC; messages that
#: cross are not; who sends n messages before it listens to a peer who does the same needs k = n.
DESIGN = {
    "half-duplex": Design(csa=False, why="the sender's initial state is mixed in the figure"),
    "non-regular": Design(why="one order of the interactions, S ahead by unmatched sends"),
    "alternating-bit": Design(),
    "alternating-bit-boigelot": Design(),
    "bargain": Design(),
    "client-server-logger": Design(rsc=False, why="data and answer cross"),
    "cloud-system-v4": Design(),
    "commit-protocol": Design(),
    "dev-system": Design(),
    "elevator": Design(rsc=False, directed=False, why="the door's reports cross the elevator's orders"),
    "elevator-dashed": Design(rsc=False, directed=False, why="as elevator"),
    "elevator-directed": Design(rsc=False, why="the stop order crosses the door's report"),
    "filter-collaboration": Design(),
    "four-player-game": Design(),
    "health-system": Design(directed=False, why="the patient waits for two peers"),
    "logistic": Design(),
    "sanitary-agency-mod": Design(),
    "tpm-contract": Design(),
    "online-stock-broker": Design(),
    "ftp": Design(),
    "client-server": Design(),
    "vending-machine": Design(),
    "bug-report": Design(),
    "sanitary-agency": Design(directed=False, why="the bank waits for two peers"),
    "ssh": Design(k=2, rsc=False, why="both sides send version and offer before they listen"),
    "chain-replication": Design(directed=False, why="the tail waits for two peers"),
    "chandy-lamport": Design(rsc=False, why="transfers cross"),
    "dining-philosophers": Design(k=None, directed=False, why="everybody may hold the left fork"),
    "dining-philosophers-left-handed": Design(directed=False, why="a fork waits for two philosophers"),
    "go-back-2": Design(rsc=False, csa=False, why="the second frame crosses the first acknowledgement"),
    "selective-repeat-2": Design(rsc=False, csa=False, why="as go-back-2"),
    "http": Design(),
    "http-pipelining": Design(rsc=False, why="the second request crosses the first response"),
    "leader-election": Design(rsc=False, why="all send before they listen, round the ring"),
    "oauth": Design(),
    "paxos-2p1a": Design(k=None, directed=False, why="the acceptor no longer reads from the late proposer"),
    "smtp": Design(),
    "three-phase-commit": Design(),
    "token-ring": Design(),
    "two-buyer": Design(),
    "two-phase-commit": Design(),
}

#: Processes may crash: see the tests of their own below.
CRASHING = ("crash-client-server", "crash-commit", "heartbeat-failover")
#: Larger than a unit test should be, or described and tested with reachability.
ELSEWHERE = ("paxos-2p3a", "paxos-2p3a-figure", "alternating-bit-retransmit", "stop-and-wait")


def test_every_protocol_has_its_design_stated() -> None:
    """The design of everyday protocols is in their requirements: see test_survival."""
    everyday = protocols.groups()[EVERYDAY]
    assert set(protocols.names()) <= {*DESIGN, *CRASHING, *ELSEWHERE, *everyday}
    assert set(GROUP_OF) | set(GENERATED) <= set(protocols.names())


@pytest.mark.parametrize("name", DESIGN)
def test_the_design_implies_what_is_found(name: str) -> None:
    design, system = DESIGN[name], protocols.protocol(name)
    assert (system.csa, system.directed) == (design.csa, design.directed)
    report = check(system, max_k=3, properties=["k-mc", "rsc"], replay=False)
    assert report["rsc"].holds is design.rsc
    assert report["k-mc"].holds is (design.k is not None)
    assert report["k-mc"].k == design.k


@pytest.mark.parametrize("name", ["go-back-2", "selective-repeat-2"])
def test_windows_survive_loss(name: str) -> None:
    from stormproof.kernel.model.failures import Failures

    report = check(protocols.protocol(name), Failures(loss=True), k=1, properties=["k-er", "k-pg"])
    assert report["k-er"].holds and report["k-pg"].holds


@pytest.mark.parametrize("name", CRASHING)
def test_crashing_protocols_handle_crashes(name: str) -> None:
    report = check(protocols.protocol(name), max_k=2)
    assert report["crash-handling"].holds
    assert report["rsc"].holds
    assert not report["k-er"].holds, "somebody writes to a process that may have crashed, or has finished"


def test_failover_loses_only_what_goes_to_the_crashed_primary() -> None:
    report = check(protocols.protocol("heartbeat-failover"), max_k=2, properties=["k-wmc-up-to-crash"])
    assert report["k-wmc-up-to-crash"].holds


def test_the_witness_of_crash_commit_is_finished_while_the_coordinator_writes() -> None:
    """Only messages to a *crashed* process are excused; C has finished, as the paper's type of C has it."""
    report = check(protocols.protocol("crash-commit"), max_k=2, properties=["k-er-up-to-crash"])
    assert report["k-er-up-to-crash"].holds is False


@pytest.mark.parametrize("name", protocols.names())
def test_texts_are_canonical_and_say_where_they_come_from(name: str) -> None:
    text = protocols.source(name)
    assert formats.fmt(text) == text
    about = protocols.about(name)
    assert protocols.title(name) and len(about.splitlines()) > 1
    assert protocols.protocol(name).name == name
    if protocols.group(name) == STARRED:
        assert "Ours:" in about and "reproduced" in about
    else:
        assert "Origin:" in about


def test_groups_partition_the_library() -> None:
    groups = protocols.groups()
    assert tuple(groups) == GROUPS
    assert [n for names in groups.values() for n in names] == list(protocols.names())
    assert len(groups[TABLE]) == 16
    assert {"half-duplex", "non-regular", "crash-client-server", "crash-commit"} <= set(groups[FIGURES])


def test_rows_of_the_papers_table_without_a_model_are_documented() -> None:
    page = (DOCS / "protocols.md").read_text(encoding="utf-8")
    absent = [r.row.rstrip("*") for r in published() if r.protocol is None and r.ours is None]
    assert len(protocols.groups()[STARRED]) + len(absent) == 15
    assert [row for row in absent if row not in page] == []


def test_a_misspelt_name_gets_a_hint() -> None:
    with pytest.raises(UsageError, match="did you mean 'alternating-bit'"):
        protocols.protocol("alternatingbit")
    with pytest.raises(UsageError, match="stormproof list"):
        protocols.source("zzzzzz")


def test_loading_twice_gives_the_same_system() -> None:
    assert protocols.protocol("bargain") is protocols.protocol("bargain")
