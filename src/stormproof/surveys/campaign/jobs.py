"""What a campaign asks: systems x failure models x semantics x bounds, as self-contained jobs.

A job carries its system in the exchange format, so that it runs on a machine that does not have the file, and
its key is a hash of everything that it depends on, so that a changed file is a new job.
"""

from __future__ import annotations

import glob
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ...errors import InputError, UsageError, did_you_mean
from ...kernel.model.failures import Failures
from ...kernel.model.faults import KINDS, PAPER_KINDS
from ...kernel.model.part import whole
from ...kernel.model.phrases import listed
from ...kernel.model.system import System
from ...kernel.transform.prepare import SEMANTICS
from ...languages import formats, protocols
from ...limits import Limits
from ...search.checks.properties import known_properties
from ...search.checks.request import requirements_named
from .expected import ExpectedVerdicts
from .generated import generated

#: The failure models that have a name: nothing goes wrong, or one kind of fault on every channel.
NAMED_FAILURES: dict[str, dict[str, Any]] = {
    "none": {},
    **{kind.noun: {kind.keyword: True} for kind in KINDS},
}
#: Those of the paper's table, for a campaign that names none.
STANDARD_FAILURES = {name: NAMED_FAILURES[name] for name in ("none", *(kind.noun for kind in PAPER_KINDS))}

_FAILURE_KEYS = tuple(f.name for f in fields(Failures))


@dataclass(frozen=True)
class Job:
    """One check. `k` None searches the least bound up to `max_k`, None for the default."""

    source: str
    failures_name: str
    system: Mapping[str, Any]
    failures: Mapping[str, Any]
    properties: tuple[str, ...] | None
    k: int | None
    max_k: int | None
    semantics: str
    seconds: float | None
    memory: int | None
    states: int | None

    @property
    def key(self) -> str:
        """What another version has answered is asked again."""
        asked = {**self.to_json(), "version": version("stormproof")}
        text = json.dumps(asked, sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    @property
    def row(self) -> dict[str, Any]:
        """What its row of the results says of the job."""
        return {
            "key": self.key,
            "source": self.source,
            "failures": self.failures_name,
            "semantics": self.semantics,
            "k": self.k,
        }

    def to_json(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "failures_name": self.failures_name,
            "system": dict(self.system),
            "failures": dict(self.failures),
            "properties": None if self.properties is None else list(self.properties),
            "k": self.k,
            "max_k": self.max_k,
            "semantics": self.semantics,
            "seconds": self.seconds,
            "memory": self.memory,
            "states": self.states,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Job:
        properties = data["properties"]
        return cls(**{**data, "properties": None if properties is None else tuple(properties)})


@dataclass(frozen=True)
class Plan:
    """The matrix. `failures` maps the name of a failure model to the arguments of `Failures`; `generate` are
    members of families, each with the values of its parameters (`generated`); `expect`: what the verdicts are
    compared with."""

    files: tuple[str, ...] = ()
    failures: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: STANDARD_FAILURES)
    properties: tuple[str, ...] | None = None
    bounds: tuple[int, ...] = ()
    max_k: int | None = None
    semantics: tuple[str, ...] = ("definition",)
    limits: Limits = field(default_factory=Limits)
    generate: tuple[Mapping[str, Any], ...] = ()
    expect: tuple[ExpectedVerdicts, ...] = ()

    def __post_init__(self) -> None:
        if not self.files and not self.generate:
            raise UsageError("a campaign needs at least one file or protocol")
        for semantics in (*self.semantics, *(e.semantics for e in self.expect)):
            if semantics not in SEMANTICS:
                raise UsageError(f"unknown semantics '{semantics}'; there are {listed(SEMANTICS)}")
        for expected in self.expect:
            expected.check_asked(self.failures, self.properties or (), self.semantics)
        if any(k < 1 for k in (*self.bounds, 1 if self.max_k is None else self.max_k)):
            raise UsageError("bounds must be at least 1")


def jobs_of(plan: Plan) -> list[Job]:
    """Every cell of the matrix, in the order of the plan; wrong input is reported before anything runs."""
    jobs = []
    systems = {source: load_source(source) for source in _sources(plan.files)}
    for source, system in {**systems, **generated(plan.generate, systems)}.items():
        named = {r.title for r in requirements_named(system, plan.properties or ())}
        asked = [name for name in plan.properties or () if name not in named]
        known_properties(asked, [r.title for r in system.requirements])
        data = formats.system_to_json(system)
        for name, arguments in plan.failures.items():
            _failures(name, arguments).on(system)
            for semantics in plan.semantics:
                for k in plan.bounds or (None,):
                    jobs.append(_job(plan, source, name, data, arguments, semantics, k))
    return list({job.key: job for job in jobs}.values())


def load_source(source: str) -> System:
    """A built-in protocol by its name, or a file."""
    return protocols.protocol(source) if protocols.is_library_name(source) else whole(formats.load(source))


def _job(
    plan: Plan,
    source: str,
    name: str,
    data: Mapping[str, Any],
    arguments: Mapping[str, Any],
    semantics: str,
    k: int | None,
) -> Job:
    limits = plan.limits
    return Job(
        source=source,
        failures_name=name,
        system=data,
        failures=arguments,
        properties=plan.properties,
        k=k,
        max_k=plan.max_k,
        semantics=semantics,
        seconds=limits.seconds,
        memory=limits.bytes,
        states=limits.states,
    )


def _sources(patterns: Sequence[str]) -> list[str]:
    """Protocol names as they are, patterns expanded; a pattern that matches nothing is a mistake."""
    found: list[str] = []
    for pattern in patterns:
        if pattern in protocols.names():
            found.append(pattern)
        elif any(c in pattern for c in "*?["):
            every = glob.glob(pattern, recursive=True)  # noqa: PTH207 (a Path's own needs the parent)
            matches = sorted(p for p in every if Path(p).is_file())
            if not matches:
                raise InputError(f"no file matches '{pattern}'")
            found += matches
        else:
            found.append(pattern)
    return list(dict.fromkeys(found))


def _failures(name: str, arguments: Mapping[str, Any]) -> Failures:
    for key in arguments:
        if key not in _FAILURE_KEYS:
            raise UsageError(
                f"the failure model '{name}' has an unknown key '{key}'",
                hint=did_you_mean(key, _FAILURE_KEYS),
            )
    try:
        return Failures(**{k: _tuples(v) if k == "corrupt_map" else v for k, v in arguments.items()})
    except TypeError as problem:
        raise UsageError(f"the failure model '{name}' is not understood: {problem}") from None


def _tuples(rows: Any) -> Any:
    return rows if isinstance(rows, Mapping) else [tuple(row) for row in rows]
