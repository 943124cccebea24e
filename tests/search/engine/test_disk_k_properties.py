"""The k-properties on disk: verdicts, counts and runs of the search in memory."""

from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from stormproof import _engine
from stormproof.kernel.model.failures import Failures
from stormproof.languages.protocols.generators.rings import dining_philosophers
from stormproof.limits import Limits
from stormproof.search.engine.k_properties import PROPERTIES, explore
from stormproof.search.engine.lowering import lower
from tests.support.engine_queries import decide, defined, random_question, verdicts

CHUNKS, EACH = 2, 40


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_disk_decides_what_memory_decides(chunk: int) -> None:
    """The same violations, too: both show the first in the order of levels and configurations."""
    violated = 0
    for seed in range(chunk * 10**6, chunk * 10**6 + EACH):
        system, failures, k = random_question(seed)
        names = defined(failures)
        whole = decide(system, failures, k, names, most=5_000)
        if whole.stop != _engine.Stop.NONE:
            continue
        rng = random.Random(seed)
        with TemporaryDirectory() as folder:
            disk = _engine.DiskOptions(folder, "1", True, rng.choice((2, 7, 50)), 60, rng.choice((1, 40)))
            # Where memory is short, eight goals are solved at a time and not 64.
            monitor = _engine.Monitor(None, rng.choice((None, 9_000 + 3 * whole.states)), None)
            asked = {PROPERTIES[n] for n in names}
            native, threads = lower(system, failures).native, rng.randint(1, 3)
            found = _engine.decide(native, monitor, k, asked, threads, parallel_from=1, disk=disk)
            if found.stop == _engine.Stop.MEMORY:
                continue
            assert not list(Path(folder).iterdir()), f"seed {seed}: files are left behind"
        assert found.stop == _engine.Stop.NONE and not found.problem
        assert verdicts(found) == verdicts(whole), f"seed {seed}, k = {k}"
        assert (found.states, found.transitions) == (whole.states, whole.transitions), f"seed {seed}, k = {k}"
        assert _shown(found) == _shown(whole), f"seed {seed}, k = {k}"
        violated += len(whole.violations)
    assert violated > 10


def _shown(answer: _engine.Answer) -> dict[str, tuple[object, ...]]:
    return {str(v.which): (len(v.firings), v.end.states, v.end.contents) for v in answer.violations}


def test_memory_first_then_disk(tmp_path: Path) -> None:
    system = dining_philosophers(5)
    asked = {"properties": ("k-exh", "k-er", "k-pg"), "reduction": False, "symmetry": False}
    limits = Limits(memory="1MB", disk=str(tmp_path))
    found = explore(system, Failures().on(system), 1, limits=limits, **asked)  # type: ignore[arg-type]
    assert found.states == 104_806 and found.on_disk > 0 and not found.stopped
    whole = explore(system, Failures().on(system), 1, **asked)  # type: ignore[arg-type]
    assert found.holds == whole.holds and found.transitions == whole.transitions
    assert {n: v.end for n, v in found.violations.items()} == {n: v.end for n, v in whole.violations.items()}


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_what_is_written_does_not_depend_on_the_threads(tmp_path: Path, threads: int) -> None:
    """Stopped by a limit: the same layers, byte by byte, as another number of threads has written."""
    system = dining_philosophers(4)
    written = []
    for number in (threads, 3):
        folder = tmp_path / str(number)
        disk = _engine.DiskOptions(str(folder), "1", True, 500, 0, 200)
        asked = ("k-exh", "k-er", "k-pg")
        knobs = {"threads": number, "parallel_from": 1, "most": 5_000, "disk": disk}
        found = decide(system, Failures().on(system), 1, asked, **knobs)
        assert found.stop == _engine.Stop.STATES
        written.append({f.name: f.read_bytes() for f in folder.rglob("*") if f.is_file()})
    assert written[0] == written[1] and len(written[0]["layers"]) > 0


def test_a_search_goes_on_where_a_limit_ended_it(tmp_path: Path) -> None:
    system = dining_philosophers(4)
    disk = _engine.DiskOptions(str(tmp_path), "1", True, 500, 0)
    few = explore(
        system, Failures().on(system), 1, properties=["k-er"], limits=Limits(states=5_000), disk=disk
    )
    assert few.stopped == "states" and few.holds["k-er"] is None
    found = explore(system, Failures().on(system), 1, properties=["k-er"], disk=disk)
    whole = explore(system, Failures().on(system), 1, properties=["k-er"], reduction=False, symmetry=False)
    assert (found.states, found.transitions) == (whole.states, whole.transitions)
    assert found.holds == whole.holds
