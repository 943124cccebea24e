"""Calls that depend or act on more than their arguments are refused, even where two evaluations agree."""

from __future__ import annotations

import copy
import dataclasses
import datetime
import gc
import hashlib
import io
import logging
import os
import pathlib
import random
import re
import secrets
import socket
import sys
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any

import pytest

from stormproof.errors import ModelError
from tests.support.roles import extracted


@dataclasses.dataclass(frozen=True)
class Pair:
    first: int
    second: tuple[int, ...]


def hidden() -> int:
    try:
        return int(time.time() > 0)
    except BaseException:
        return 0


REFUSED: dict[str, Callable[[], Any]] = {
    "time.time": lambda: time.time() > 0,
    "time.sleep": lambda: time.sleep(0),
    "random.random": lambda: random.random() < 2,
    "random.randint": lambda: random.randint(1, 1),
    "random.seed": lambda: random.Random(7).random() < 2,
    "secrets.token_hex": lambda: len(secrets.token_hex(4)),
    "uuid.uuid4": lambda: len(str(uuid.uuid4())),
    "datetime.now": lambda: datetime.datetime.now().year > 0,
    "date.today": lambda: datetime.date.today().year > 0,
    "id": lambda: id("x") % 1,
    "print": lambda: print("x"),
    "open": lambda: open(os.devnull).close(),  # noqa: PTH123
    "os.getcwd": lambda: len(os.getcwd()) > 0,  # noqa: PTH109
    "os.environ": lambda: os.environ["PATH"] == "",
    "socket.gethostname": lambda: len(socket.gethostname()) > 0,
    "logging.error": lambda: logging.error("x"),
    "threading.start": lambda: threading.Thread(target=int).start(),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_call_is_refused_with_its_line_and_its_name(name: str) -> None:
    with pytest.raises(ModelError) as problem:
        extracted("yield send('Q', 'x')\na = f()\nyield send('Q', 'y', a)", f=REFUSED[name])
    assert problem.value.message == f"this calls {name}, which depends or acts on more than its arguments"
    assert problem.value.place is not None and problem.value.place.line == 4
    assert sys.getprofile() is None


def test_files_are_named_as_they_were_opened() -> None:
    with pytest.raises(ModelError, match=r"this calls pathlib\S*\.read_text"):
        extracted("a = f()\nyield send('Q', 'x', a)", f=lambda: pathlib.Path(os.devnull).read_text())
    with pytest.raises(ModelError, match=r"this calls \w+\.write"):
        extracted("a = f()\nyield send('Q', 'x', a)", f=lambda: sys.__stdout__.write(""))  # type: ignore[union-attr]


def test_nothing_that_a_role_calls_can_hide_it() -> None:
    with pytest.raises(ModelError, match=r"this calls time\.time"):
        extracted("a = f()\nyield send('Q', 'x', a)", f=hidden)


def test_what_others_do_when_garbage_is_collected_is_not_the_roles() -> None:
    def watch(*_: Any) -> None:
        time.perf_counter()

    gc.callbacks.append(watch)
    try:
        body = "a = len([[] for _ in range(10_000)])\nyield send('Q', 'x', a)"
        assert "x(10000)" in extracted(body).messages
    finally:
        gc.callbacks.remove(watch)


def importing() -> int:
    sys.modules.pop("sched", None)
    import sched

    return len(sched.__name__)


ALLOWED: dict[str, Callable[[], Any]] = {
    "repr and hash of a dataclass": lambda: repr(Pair(1, (2,))) + str(hash(Pair(1, (2,)))),
    "a copy": lambda: copy.deepcopy(Pair(1, (2,))).first,
    "a regular expression": lambda: re.sub("a+(b|c)*", "x", "aabc"),
    "a digest": lambda: hashlib.sha256(b"x").hexdigest()[:4],
    "a path": lambda: os.path.normpath("a/../b") + str(pathlib.PurePath("a") / "b"),
    "a file in memory": lambda: io.StringIO("x").read(),
    "a date": lambda: datetime.date(2024, 2, 29).isoformat(),
    "an import": importing,
}


@pytest.mark.parametrize("what", ALLOWED)
def test_what_only_computes_is_allowed(what: str) -> None:
    system = extracted("a = f()\nyield send('Q', 'x', a)", f=ALLOWED[what])
    assert len(system["P"].transitions) == 1
