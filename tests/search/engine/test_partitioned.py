"""An exploration that is divided among parts gives the verdicts, counts and lengths of an undivided one."""

from __future__ import annotations

import pytest

from stormproof.search.engine.k_properties import PROPERTIES
from stormproof.search.engine.partitioned import KQuestion, LocalParts, PartitionedSearch
from tests.support.engine_queries import ALWAYS, decide, defined, random_question, verdicts

CHUNKS, EACH = 4, 150


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_parts_together_decide_what_one_decides(chunk: int) -> None:
    violated = 0
    for seed in range(chunk * 10**6, chunk * 10**6 + EACH):
        system, failures, k = random_question(seed)
        names = defined(failures)
        whole = decide(system, failures, k, names, most=20_000)
        if "NONE" not in str(whole.stop):
            continue
        search = PartitionedSearch(LocalParts(KQuestion(system, failures, k, names), 1 + seed % 5))
        search.explore()
        found = {f.property: f for f in search.judge()}
        assert {n: n not in found for n in names} == verdicts(whole), f"seed {seed}, k = {k}"
        assert (search.tally.states, search.tally.transitions) == (whole.states, whole.transitions), seed
        for violation in whole.violations:
            name = next(n for n, p in PROPERTIES.items() if p == violation.which)
            assert found[name].end.states == violation.end.states, f"seed {seed}, {name}"
            assert found[name].end.contents == violation.end.contents, f"seed {seed}, {name}"
            assert len(search.run_to(found[name])) == len(violation.firings), f"seed {seed}, {name}"
            violated += 1
    assert violated > 50


def test_a_message_that_was_cut_off_is_refused() -> None:
    system, failures, k = random_question(1)
    parts = LocalParts(KQuestion(system, failures, k, ALWAYS), 2)
    parts.call("start")
    with pytest.raises(ValueError, match="cut off"):
        parts.call_one(0, "absorb", [(1, b"x")], False)
