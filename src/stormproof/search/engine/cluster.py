"""One exploration on the workers of a Dask cluster: each holds a part, and pieces go from worker to worker.

A worker keeps its part between tasks, so a task runs on the worker that it names or nowhere. A worker that is
lost takes its configurations with it: the exploration then ends undecided, with what is known.
"""

from __future__ import annotations

import logging
import operator
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from ... import _engine
from ...errors import MissingDependency, UsageError
from ...kernel.model.failures import FailureModel
from ...kernel.model.system import System
from ...limits import is_over, time_left
from ...options import Options, Progress
from .k_properties import Exploration, Traffic, defined, violation_of
from .lowering import lower
from .partitioned import DividedQuestion, KQuestion, PartitionedSearch, PartStatus, Tally, ViolationInPart
from .partitioned_storms import StormQuestion, StormSearch
from .watch import SCHEDULER_LOST, limit_name, watch

if TYPE_CHECKING:
    from distributed import Client, Future


#: How long, in seconds, a scheduler may take to answer at first.
_CONNECT = 10.0

#: How often, in seconds, the scheduler is asked whether all workers are there.
_LOOK = 2.0

#: Why a worker that Dask has paused takes no task.
_SHORT_OF_MEMORY = "a worker of the cluster is out of memory (dask worker --memory-limit)"

#: How many seconds a worker has to answer when it is asked for next to nothing.
_PATIENCE = 30.0


@contextmanager
def connected(address: str) -> Iterator[Client]:
    """A client of the Dask scheduler at `dask://host:port` or, as Dask itself spells it, `tcp://host:port`.

    Dask uses pickle and authenticates nobody; at `tls://host:port` it does so with the certificates of its
    configuration (docs/cluster.md).
    """
    try:
        from distributed import Client
    except ImportError:
        raise MissingDependency(
            "work on several machines needs the package 'distributed'", hint="pip install 'stormproof[dask]'"
        ) from None
    scheme, _, where = address.partition("://")
    if scheme not in ("dask", "tcp", "tls") or ":" not in where:
        raise UsageError(
            f"'{address}' is not a scheduler", hint="write it dask://host:port, or tls://host:port"
        )
    try:
        client = Client(f"{'tls' if scheme == 'tls' else 'tcp'}://{where}", timeout=time_left(_CONNECT))
    except (OSError, ValueError, TypeError, RuntimeError) as problem:  # TypeError: no certificates for TLS
        if is_over():
            raise KeyboardInterrupt from None
        raise UsageError(f"no Dask scheduler answers at {where}: {problem}") from None
    # What becomes of the connection is said in the answer.
    log = logging.getLogger("distributed.client")
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        with client:
            yield client
    finally:
        log.setLevel(before)


def explore_on_cluster(
    address: str,
    system: System,
    failures: FailureModel,
    k: int,
    names: Sequence[str],
    options: Options,
) -> Exploration:
    """`k_properties.explore`, which leaves out no configuration, on all workers of a cluster."""
    started = time.monotonic()
    asked = defined(names, system, failures)
    found: dict[str, tuple[list[tuple[int, int]], ViolationInPart]] = {}
    with connected(address) as client:
        workers = _workers(client)
        limit = _Watch(f"k = {k}", options, _crowd(workers))
        with _parts(client, workers, limit) as parts:
            search = PartitionedSearch(parts, limit)

            def decide() -> None:
                parts.start(KQuestion(system, failures, k, asked))
                search.explore()
                found.update({f.property: (search.run_to(f), f) for f in search.judge()})

            stopped = _limit_of(client, decide)
    tally = search.tally
    return Exploration(
        k=k,
        states=tally.states,
        transitions=tally.transitions,
        seconds=time.monotonic() - started,
        memory=limit.most_memory,
        threads=len(workers),
        reduced=False,
        stopped=stopped,
        holds={n: None if stopped or n not in asked else n not in found for n in names},
        violations={
            name: violation_of(lower(system, failures), name, firings, violation.end)
            for name, (firings, violation) in found.items()
        },
        traffic=Traffic(tally.rounds, tally.records, tally.sent),
    )


@dataclass(frozen=True)
class SurvivalOnCluster:
    """What the workers together have found; `stopped` is the limit that was hit."""

    result: _engine.SurvivalResult
    stopped: str
    memory: int
    traffic: Traffic


def survive_on_cluster(address: str, question: StormQuestion, options: Options) -> SurvivalOnCluster:
    """`_engine.survive`, which leaves out no configuration, on all workers of a cluster."""
    limits = options.limits
    task, most = f"survival, k = {question.k}", time_left(limits.seconds)
    monitor = _engine.Monitor(most, limits.bytes, limits.states)

    def attend(work: Callable[[], Any]) -> Any:
        return watch(lambda _: work(), limits, task, options.progress, monitor=monitor)

    with connected(address) as client:
        workers = _workers(client)
        limit = _Watch(task, options, _crowd(workers))
        judge = question.judge(monitor, len(workers))
        with _parts(client, workers, limit) as parts:
            search = StormSearch(parts, judge, limit, attend)

            def decide() -> None:
                parts.start(question)
                search.run()

            stopped = _limit_of(client, decide) or limit_name(judge.stop)
    tally = search.tally
    return SurvivalOnCluster(
        judge.conclude(not stopped, search.expansions, tally.states),
        stopped,
        limit.most_memory,
        Traffic(tally.rounds, tally.records, tally.sent),
    )


def _limit_of(client: Client, work: Callable[[], None]) -> str:
    """Do it; the limit that stopped it. What Dask raises without a scheduler is of many kinds."""
    try:
        work()
    except _Stopped as limit:
        return str(limit)
    except KeyboardInterrupt:
        return "time" if is_over() else "interrupted"
    except Exception:
        if client.status == "running":
            raise
        return SCHEDULER_LOST
    return ""


class _Stopped(Exception):
    """The search ended early; the name of the limit."""


class _Watch:
    """Holds the limits after each exchange, that of time also during one, and reports progress."""

    def __init__(
        self,
        task: str,
        options: Options,
        crowd: int,
    ) -> None:
        limits = options.limits
        self._task, self._limits, self._progress = task, limits, options.progress
        self._seconds = time_left(limits.seconds)
        self._bytes = None if limits.bytes is None else limits.bytes // crowd
        self._started = time.monotonic()
        self.most_memory = 0

    def __call__(self, tally: Tally) -> None:
        spent = time.monotonic() - self._started
        self.most_memory = max(self.most_memory, tally.memory)
        if self._progress is not None:
            self._progress(Progress(self._task, tally.states, tally.fresh, tally.memory, spent))
        self.look_at_the_clock()
        if self._bytes is not None and tally.memory > self._bytes:
            raise _Stopped("memory")
        if self._limits.states is not None and tally.states > self._limits.states:
            raise _Stopped("states")

    def look_at_the_clock(self) -> None:
        if self._seconds is not None and time.monotonic() - self._started > self._seconds:
            raise _Stopped("time")


# ---- workers ------------------------------------------------------------------------------------------


def _workers(client: Client) -> list[str]:
    """All workers, each with this version of stormproof."""
    try:
        versions = client.run(_version, callback_timeout=time_left(_PATIENCE))
    except TimeoutError:
        if is_over():
            raise KeyboardInterrupt from None
        raise UsageError(f"a worker of the cluster does not answer within {_PATIENCE:g} s") from None
    except Exception as problem:
        raise UsageError(
            f"a worker of the cluster cannot import stormproof: {problem}",
            hint=f"install stormproof {version('stormproof')} on every worker",
        ) from None
    other = sorted(w for w, found in versions.items() if found != version("stormproof"))
    if other:
        raise UsageError(f"the worker {other[0]} has stormproof {versions[other[0]]}")
    if not versions:
        raise UsageError("the cluster has no workers", hint="start some with `dask worker`")
    return sorted(versions)


def _version() -> str:
    return version("stormproof")


def _crowd(workers: Sequence[str]) -> int:
    """How many workers share the machine that has most of them: they share its memory, too."""
    return max(Counter(worker.rpartition(":")[0] for worker in workers).values())


#: On a worker: the part of each exploration that it takes part in.
_PARTS: dict[str, Any] = {}


def _start(run: str, question: DividedQuestion, part: int, parts: int) -> None:
    _PARTS[run] = question.part(part, parts)


def _ask(run: str, method: str, arguments: tuple[Any, ...]) -> Any:
    return getattr(_PARTS[run], method)(*arguments)


def _take(
    run: str,
    method: str,
    arguments: tuple[Any, ...],
    senders: Sequence[int],
    pieces: Sequence[bytes],
    own: object,
) -> PartStatus:
    """`own` is what this part made, which must be finished before it takes in anything."""
    found: PartStatus = getattr(_PARTS[run], method)(list(zip(senders, pieces, strict=True)), *arguments)
    return found


def _forget(run: str) -> None:
    _PARTS.pop(run, None)


@contextmanager
def _parts(client: Client, workers: Sequence[str], limit: _Watch) -> Iterator[_DaskParts]:
    parts = _DaskParts(client, workers, uuid.uuid4().hex, limit)
    try:
        yield parts
    finally:
        with suppress(Exception):  # of workers, or a scheduler, that are lost
            # They are asked at once; only their answers may be too late.
            patience = max(time_left(_PATIENCE) or 0.0, 0.2)
            client.run(_forget, parts.run, on_error="ignore", callback_timeout=patience)


@dataclass(frozen=True)
class _DaskParts:
    """`partitioned.Parts` on workers."""

    client: Client
    workers: Sequence[str]
    run: str
    limit: _Watch

    def start(self, question: DividedQuestion) -> None:
        count = len(self.workers)
        self._results([self._on(i, _start, self.run, question, i, count) for i in range(count)])

    def call(self, method: str, *arguments: Any) -> list[Any]:
        parts = range(len(self.workers))
        return self._results([self._on(i, _ask, self.run, method, arguments) for i in parts])

    def call_each(self, method: str, arguments: Sequence[Any]) -> list[Any]:
        each = enumerate(arguments)
        return self._results([self._on(i, _ask, self.run, method, (argument,)) for i, argument in each])

    def call_one(self, part: int, method: str, *arguments: Any) -> Any:
        return self._results([self._on(part, _ask, self.run, method, arguments)])[0]

    def exchange(
        self, make: str, made_with: tuple[Any, ...], take: str, taken_with: tuple[Any, ...]
    ) -> list[PartStatus]:
        parts = range(len(self.workers))
        made = [self._on(i, _ask, self.run, make, made_with) for i in parts]
        taken = []
        for j in parts:
            others = [i for i in parts if i != j]
            pieces = [self._on(i, operator.getitem, made[i], j) for i in others]
            taken.append(self._on(j, _take, self.run, take, taken_with, others, pieces, made[j]))
        return self._results(taken)

    def _on(self, part: int, function: Any, *arguments: Any) -> Future:
        return self.client.submit(
            function,
            *arguments,
            workers=[self.workers[part]],
            allow_other_workers=False,
            pure=False,
            retries=0,
        )

    def _results(self, futures: Sequence[Future]) -> list[Any]:
        """Their results. A task of a worker that is gone, or is paused because its memory is used up, would
        wait for ever."""
        from distributed import wait

        pending = list(futures)
        while pending:
            with suppress(TimeoutError):
                pending = list(
                    wait(pending, timeout=time_left(_LOOK), return_when="FIRST_COMPLETED").not_done
                )
            failed = next((f for f in futures if f.status in ("error", "cancelled", "lost")), None)
            if failed is not None:
                raise _Stopped(_cause(failed))
            if pending:
                self.limit.look_at_the_clock()
                if not set(self.workers) <= set(self.client.nthreads()):
                    raise _Stopped("worker")
                known = self.client.scheduler_info()["workers"].values()
                if any(worker["status"] == "paused" for worker in known):
                    raise _Stopped(_SHORT_OF_MEMORY)
        return [future.result() for future in futures]


def _cause(failed: Future) -> str:
    """The limit that a failed task stands for."""
    problem = failed.exception()
    return "memory" if isinstance(problem, MemoryError) else "worker"
