"""Work on several files in several processes: copies of this one, which send back what came of it.

A copy needs to read nothing anew, and whatever kills one costs the answer on one file only.
"""

from __future__ import annotations

import os
import pickle
import selectors
import signal
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from typing import Generic, TypeVar, cast

from ...limits import past_the_deadline, ring, set_alarm
from ...python_process import end_with, need_posix
from ...records import dataclass
from . import copy_of_process
from .console import uninterrupted

FileTask = TypeVar("FileTask")
FileAnswer = TypeVar("FileAnswer")


class Died(Exception):
    """How a copy ended, instead of an answer."""


def side_by_side(
    tasks: Sequence[FileTask],
    work: Callable[[FileTask], FileAnswer],
    processes: int,
    died: Callable[[FileTask, Died], FileAnswer],
) -> Generator[FileAnswer, None, None]:
    """The answers in the order of the tasks, each as soon as it and those before it are there.

    Closing the iterator, or an exception in whoever reads it, ends the copies."""
    need_posix("work on several files at a time")
    crew = _Crew(tasks, work)
    try:
        for number, task in enumerate(tasks):
            while number not in crew.answers:
                crew.start(processes)
                crew.wait()
            answer = crew.answers.pop(number)
            if isinstance(answer, _Raised):
                raise answer.problem
            yield died(task, answer) if isinstance(answer, Died) else answer
    finally:
        crew.end()


@dataclass
class _Raised:
    """What a copy did not expect."""

    problem: Exception


class _Crew(Generic[FileTask, FileAnswer]):
    """The copies that are at work, by the pipe that each writes its answer into."""

    def __init__(self, tasks: Sequence[FileTask], work: Callable[[FileTask], FileAnswer]) -> None:
        self._tasks, self._work = tasks, work
        self._started = 0
        self._selector = selectors.DefaultSelector()
        self._copies: dict[int, tuple[int, int, bytearray]] = {}  # pipe -> task, process, what came
        self.answers: dict[int, FileAnswer | Died | _Raised] = {}

    def start(self, processes: int) -> None:
        """Copies for the next tasks, as long as there are fewer than that."""
        while len(self._copies) < processes and self._started < len(self._tasks):
            sys.stdout.flush()
            sys.stderr.flush()
            reading, writing = os.pipe()
            parent, copy = os.getpid(), os.fork()
            if not copy:
                os.close(reading)
                _be_a_copy(parent, writing, lambda: self._work(self._tasks[self._started]))
            os.close(writing)
            self._selector.register(reading, selectors.EVENT_READ)
            self._copies[reading] = (self._started, copy, bytearray())
            self._started += 1

    def wait(self) -> None:
        """Until something was written, or a copy has ended. Each keeps the deadline itself, and then says
        what it knows."""
        with past_the_deadline():
            ready = self._selector.select()
        for key, _ in ready:
            number, process, came = self._copies[key.fd]
            piece = os.read(key.fd, 1 << 20)
            came += piece
            if not piece:
                self._leave(key.fd)
                _, status = os.waitpid(process, 0)
                found = _answer(bytes(came), os.waitstatus_to_exitcode(status))
                self.answers[number] = cast("FileAnswer | Died | _Raised", found)

    def end(self) -> None:
        with uninterrupted():
            for pipe, (_, process, _) in list(self._copies.items()):
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)
                self._leave(pipe)
            self._selector.close()

    def _leave(self, pipe: int) -> None:
        self._selector.unregister(pipe)
        os.close(pipe)
        del self._copies[pipe]


def _answer(came: bytes, code: int) -> object:
    # Only our own copies can write into the pipe, and what they were told to do.
    if came and code == 0:
        with suppress(Exception):
            return pickle.loads(came)
    how = f"killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
    return Died(f"its process was {how}" if code < 0 else f"its process {how}")


def _be_a_copy(parent: int, pipe: int, work: Callable[[], object]) -> None:
    """This never returns: what is above in the stack is the parent's to do."""
    code = 1
    try:
        # A terminal sends Ctrl-C to the parent as well, which ends its copies.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if signal.getsignal(signal.SIGALRM) is ring:
            set_alarm()  # a copy has none
        threading.Thread(target=end_with, args=(parent,), daemon=True).start()
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123 - the parent shows progress
        try:
            answer = pickle.dumps(work())
        except Exception as problem:
            answer = pickle.dumps(_Raised(problem))
        while answer:
            answer = answer[os.write(pipe, answer) :]
        code = 0
        copy_of_process.leave_copy(0)
    except SystemExit as leaving:  # a copy of this copy has run a Python file, and has answered
        code = leaving.code if isinstance(leaving.code, int) else 1
    finally:
        os._exit(code)
