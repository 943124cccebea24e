"""The models of the paper's rows are the automata of the kmc tool, up to the names of roles and states."""

from __future__ import annotations

import pytest

from stormproof import compare
from stormproof.kernel.model.system import System
from stormproof.languages import formats, protocols
from stormproof.languages.protocols.catalogue import TABLE
from tests.support.library import automata
from tests.support.peer_files import peers

FILES = {
    "alternating-bit": "AlternatingBit.txt",
    "alternating-bit-boigelot": "AlternatingBit-boigelot.txt",
    "bargain": "Bargain.txt",
    "client-server-logger": "client-server-logger.txt",
    "cloud-system-v4": "CloudSystemV4.txt",
    "commit-protocol": "commit-protocol.txt",
    "dev-system": "devsystem-fsm.txt",
    "elevator": "elevator-extra.txt",
    "elevator-dashed": "elevator-extra-variant.txt",
    "elevator-directed": "elevator-csa.txt",
    "filter-collaboration": "FilterCollaboration.txt",
    "four-player-game": "fourplayergamer.txt",
    "health-system": "HealthSystem.txt",
    "logistic": "Logistic.txt",
    "sanitary-agency-mod": "SanitaryAgency.txt",
    "tpm-contract": "TPMContract.txt",
}


def equal_up_to_names(ours: System, theirs: System) -> bool:
    return bool(compare(ours, theirs, any_roles=True))


def test_every_row_of_the_first_group_has_its_file() -> None:
    assert set(FILES) == set(protocols.groups()[TABLE])


@pytest.mark.parametrize("name", FILES)
def test_equal_to_the_peers_automaton(name: str) -> None:
    theirs = formats.load(peers("kmc", FILES[name]))
    assert equal_up_to_names(automata(name), theirs)


def test_the_development_system_is_also_its_session_types() -> None:
    theirs = formats.load(peers("kmc", "devsystem.txt"))
    assert equal_up_to_names(automata("dev-system"), theirs)


def test_the_comparison_can_fail() -> None:
    """The elevator and its dashed variant differ in one transition's target."""
    theirs = formats.load(peers("kmc", FILES["elevator-dashed"]))
    assert not equal_up_to_names(automata("elevator"), theirs)
