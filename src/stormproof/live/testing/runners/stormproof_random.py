"""Drives an implementation of a role for `stormproof testgen --serve`, which plays the other roles and the
faults at random, shrinks a run that fails and draws it. No dependencies.

An implementation is what `stormproof_vectors` runs, too: `start()`, `receive(peer, message)`, `expire()` and
`restart()` give what is sent then, as (peer, message); None where a message is not taken, or no timer runs.

    play(["stormproof", "testgen", "ask.storm", "--role", "Client", "--serve"], Client)
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Sequence
from typing import Any

ESCAPES = {"\t": r"\t", "\n": r"\n", "\\": r"\\"}
PLAIN = {escape: letter for letter, escape in ESCAPES.items()}


def play(command: Sequence[str], make: Callable[[], Any]) -> str:
    """What was found, if nothing is wrong; AssertionError with the chart of the shortest run that fails."""
    pipe = subprocess.PIPE
    with subprocess.Popen([*command], stdin=pipe, stdout=pipe, encoding="utf-8") as server:
        assert server.stdin is not None and server.stdout is not None
        implementation: Any = None
        for line in server.stdout:
            words = [re.sub(r"\\[tn\\]", lambda f: PLAIN[f[0]], w) for w in line.rstrip("\n").split("\t")]
            kind, *given = words
            if kind in ("passed", "undecided"):
                return given[0]
            if kind == "failed":
                raise AssertionError(given[0])
            if kind == "start":
                implementation = make()
            answer = "\t".join(map(_escaped, _answer(implementation, kind, given)))
            server.stdin.write(answer + "\n")
            server.stdin.flush()
    raise RuntimeError(f"{' '.join(command)} ended with code {server.returncode}; standard error says why")


def _answer(implementation: Any, call: str, given: list[str]) -> list[str]:
    if call == "restart" and not hasattr(implementation, "restart"):
        return ["refused"]
    try:
        sent = getattr(implementation, call)(*given)
    except Exception as problem:
        return ["raised", repr(problem)]
    if sent is None and call in ("receive", "expire"):
        return ["refused"]
    return ["sent", *(word for message in sent or () for word in message)]


def _escaped(word: str) -> str:
    return "".join(ESCAPES.get(letter, letter) for letter in word)
