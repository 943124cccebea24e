"""How far extraction is, and why a second process gave no answer."""

from __future__ import annotations

import signal

import pytest

import stormproof as sp
from stormproof.programs.automata.explore import showing
from stormproof.programs.extraction.second_process import why_ended


@sp.role
def Counter() -> sp.Steps:
    for number in range(300):
        yield sp.send("Sink", "count", number)


@sp.role
def Sink() -> sp.Steps:
    while True:
        yield sp.receive("Counter", at="idle")


def test_how_many_local_states_are_known_is_shown() -> None:
    seen: list[int] = []
    with showing(lambda done, of: seen.append(done)):
        system = sp.extract(Counter, Sink, second_process=False)
    assert seen == sorted(seen) and len(seen) > 1
    assert 2 < seen[-1] <= sum(len(process.states) for process in system)


@pytest.mark.parametrize(
    ("code", "said", "why"),
    [
        (1, "Traceback\nImportError: no module\n", "ImportError: no module"),
        (1, "", "the second one ended early, with exit code 1"),
        (-signal.SIGKILL, "half\n", "ended by SIGKILL, as a process is that takes too much memory"),
        (-signal.SIGSEGV, "", "the second one was ended by SIGSEGV"),
    ],
)
def test_why_a_second_process_gave_no_answer(code: int, said: str, why: str) -> None:
    assert why in why_ended(code, said)
