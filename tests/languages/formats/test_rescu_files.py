"""The files of ReSCu and of the interference models: which are read, why the others are not, and the verdicts
that ReSCu recorded for its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stormproof.errors import StormproofError
from stormproof.kernel.model.actions import Internal
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.system import System
from stormproof.kernel.transform.mailboxes import with_senders
from stormproof.languages import formats
from stormproof.limits import Limits
from stormproof.search.engine.rsc import rsc
from tests.support.peer_files import peers

REFUSED = {
    "rescu/benchmark/pop3.scm": "client and server both receive from channel 1",
    "rescu/benchmark/ring.scm": "two and three both receive from channel 1",
    "rescu/mcscm/brp_like.scm": "channels 0 and 2 both lead from client->server",
    "rescu/mcscm/simple_server.scm": "client1 and client2 both receive from channel 1",
    "rescu/papers/non_regular_rs.scm": "nobody receives from channel 0",
    "rescu/papers/rsc_bag.scm": "channels 0 and 1 both lead from q->r",
}
_EMPTY = "expected 'automaton', found the end of the file"
_NOTHING = "it is empty"
for _folder in ("RSCLossybenchmarks", "RSCCorruptbenchmarks"):
    REFUSED |= {
        f"interference/{_folder}/devsystem.txt": _EMPTY,
        f"interference/{_folder}/exnonreg.txt": "nobody sends on channel 0",
        f"interference/{_folder}/client-server-logger.txt": "channels 1 and 2 both lead from A0->A1",
        f"interference/{_folder}/fourplayergamer.txt": "nobody receives from channel 2",
    }
REFUSED |= {
    # These lost their first machine, and its number stands for the next: the last number stands for none.
    # A comment of the original became a transition without a message, which is no action in ReSCu's grammar.
    "interference/RSCbenchmarks/SanitaryAgency.txt": "an action is a channel's number, ! or ?, and a message",
    "interference/RSCbenchmarks/elevator-csa.txt": "an action is a channel's number, ! or ?, and a message",
    "interference/lossybenchmarks/devsystem.txt": _NOTHING,
    "interference/benchcorr/devsystem.txt": _NOTHING,
    "interference/lossybenchmarks/client-server-logger.txt": "there is no machine 2",
    "interference/lossybenchmarks/exnonreg.txt": "there is no machine 3",
    "interference/lossybenchmarks/fourplayergamer.txt": "there is no machine 3",
    "interference/benchcorr/client-server-logger.txt": "there is no machine 2",
    "interference/corruptbenchmarks/exnonreg.txt": "there is no machine 3",
    "interference/corruptbenchmarks/fourplayergamer.txt": "there is no machine 3",
}


def files(folder: str) -> list[Path]:
    found = [p for p in sorted(peers(folder).rglob("*")) if p.suffix in (".scm", ".txt")]
    assert found
    return found


def name(path: Path) -> str:
    return path.relative_to(peers()).as_posix()


@pytest.mark.parametrize("folder", ["rescu", "interference"])
def test_every_file_is_read_or_refused_for_the_reason_stated(folder: str) -> None:
    refused = {}
    for path in files(folder):
        try:
            formats.load(path)
        except StormproofError as problem:
            refused[name(path)] = str(problem)
    assert set(refused) == {n for n in REFUSED if n.startswith(folder)}
    for path_name, said in refused.items():
        assert REFUSED[path_name] in said


def is_rsc(system: System, failures: Failures) -> bool | None:
    return rsc(with_senders(system), failures.on(system), limits=Limits()).holds


def internal(system: System) -> bool:
    return any(isinstance(t.action, Internal) for p in system.processes for t in p.transitions)


def test_verdicts_of_rescu() -> None:
    """RSC without errors, and with bags in place of queues. ReSCu drops transitions without an action, so the
    files that have some are left out."""
    verdicts = json.loads(peers("rescu", "verdicts.json").read_text())
    compared = 0
    for path in files("rescu"):
        if name(path) in REFUSED or internal(system := formats.load(path)):
            continue
        recorded = verdicts[name(path).removeprefix("rescu/")]
        for key, failures in (("isrsc", Failures()), ("bag", Failures(reorder=True))):
            assert is_rsc(system, failures) is recorded[key], (path, key)
            compared += 1
    assert compared >= 40


def test_both_spellings_of_an_interference_model_have_one_verdict() -> None:
    for path in files("interference/RSCbenchmarks"):
        if name(path) not in REFUSED:
            scm, kmc = formats.load(path), formats.load(path.parent.parent / "benchmarks" / path.name)
            assert len(scm.processes) == len(kmc.processes)
            for failures in (Failures(), Failures(reorder=True), Failures(loss=True)):
                assert is_rsc(scm, failures) is is_rsc(kmc, failures), path
