"""The paper's first group of protocols, from the files of the kmc tool."""

from __future__ import annotations

import pytest

from stormproof.kernel.model.failures import Failures
from stormproof.kernel.transform import paper_encodings
from stormproof.languages.formats import load
from stormproof.limits import Limits
from stormproof.search.engine.k_properties import explore
from tests.support.engine_queries import ALWAYS
from tests.support.peer_files import peers

K_MC = ("k-exh", "k-er", "k-pg")

#: File -> the published cells of the paper's table for loss and for corruption: k-exh, k-er, k-pg (y, n, or t
#: for a time-out).
PUBLISHED = {
    "AlternatingBit": ("yyn", "yyn"),
    "AlternatingBit-boigelot": ("yyn", "yyn"),
    "Bargain": ("yyn", "ynn"),
    "client-server-logger": ("yyn", "yyn"),
    "CloudSystemV4": ("nnn", "nnn"),
    "commit-protocol": ("ynn", "ynn"),
    "devsystem": ("ynn", "ynn"),
    "elevator-extra": ("yyn", "ntn"),
    "elevator-extra-variant": ("nnn", "ntn"),
    "elevator-csa": ("nnn", "ntn"),
    "FilterCollaboration": ("yyn", "ynn"),
    "fourplayergamer": ("nyn", "nyn"),
    "HealthSystem": ("ynn", "ynn"),
    "Logistic": ("yyn", "nnn"),
    "SanitaryAgency": ("ynn", "ytn"),
    "TPMContract": ("yyn", "nnn"),
}


@pytest.mark.parametrize("reorder", [False, True])
@pytest.mark.parametrize("name", [*PUBLISHED, "devsystem-fsm"])
def test_one_mc_without_errors_and_under_reordering(name: str, reorder: bool) -> None:
    system = load(peers("kmc", f"{name}.txt"))
    found = explore(system, Failures(reorder=reorder).on(system), 1, properties=K_MC)
    assert found.holds == dict.fromkeys(K_MC, True)


@pytest.mark.parametrize("name", ["elevator-csa", "elevator-extra", "elevator-extra-variant"])
def test_the_elevator_under_corruption_is_decided_where_the_paper_timed_out(name: str) -> None:
    system = load(peers("kmc", f"{name}.txt"))
    for k in range(1, 11 if name == "elevator-csa" else 7):  # the others have millions of configurations
        found = explore(system, Failures(corrupt=True).on(system), k, properties=ALWAYS)
        assert found.stopped == "" and None not in found.holds.values()


def least(name: str, failures: Failures) -> str:
    """y for a property that holds at some k up to 10, as far as small explorations reach."""
    system = load(peers("kmc", f"{name}.txt"))
    encoded, model = paper_encodings.encode(system, paper_encodings.resolve(system, failures))
    held: set[str] = set()
    for k in range(1, 11):
        found = explore(encoded, model, k, properties=K_MC, limits=Limits(states=60_000))
        held |= {p for p, holds in found.holds.items() if holds}
        if found.stopped:
            break
    return "".join("y" if p in held else "n" for p in K_MC)


@pytest.mark.parametrize(
    ("failures", "column", "agree", "of"),
    [(Failures(loss=True), 0, 45, 48), (Failures(corrupt=True), 1, 40, 44)],
    ids=["loss", "corruption"],
)
def test_the_encodings_reproduce_the_published_table(
    failures: Failures, column: int, agree: int, of: int
) -> None:
    """As many cells as the comparison that determined the encodings found (definitions, chapter 8)."""
    cells = []
    for name, published in PUBLISHED.items():
        ours = least(name, failures)
        cells += [(theirs, mine) for theirs, mine in zip(published[column], ours) if theirs != "t"]
    assert len(cells) == of
    assert sum(theirs == mine for theirs, mine in cells) == agree
