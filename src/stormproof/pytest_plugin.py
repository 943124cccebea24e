"""What pytest loads: `.storm` files as tests, fixtures, and the chart of what a failed assertion was about.

Nothing of stormproof is imported before a project uses it: pytest loads this in every project of an
environment where stormproof is installed. No Python file of a project is run by it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .kernel.model.failures import Failures
    from .kernel.model.requirement import Requirement
    from .kernel.model.system import System
    from .live.conformance.answer import TraceAnswer
    from .options import Options
    from .search.checks.report import Report

_EFFORT = "--stormproof-effort"
_FILES = "stormproof_files"
#: Its messages have the charts.
_ASSERTIONS = "stormproof.tell.ci.assertions"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("stormproof")
    group.addoption(
        _EFFORT,
        type=int,
        metavar="N",
        help="Let checks of .storm files and assertions of stormproof explore so many configurations for "
        "larger bounds.",
    )
    what = "Patterns of files that are checked, one test for each requirement: *.storm"
    parser.addini(_FILES, what, type="linelist", default=[])


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "stormproof: a requirement of a protocol in a .storm file")
    effort = config.getoption(_EFFORT)
    if effort is None:
        return
    if effort < 0:
        raise pytest.UsageError(f"{_EFFORT} must be 0 or more, not {effort}")
    from .tell.ci.assertions import use_effort

    use_effort(effort)


def pytest_unconfigure(config: pytest.Config) -> None:
    if config.getoption(_EFFORT) is not None:
        from .tell.ci.assertions import use_effort

        use_effort(None)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ProtocolFile | None:
    """A file is checked only where somebody asks: on the command line, or by the patterns of the project."""
    named = file_path.suffix == ".storm" and parent.session.isinitpath(file_path)
    if not named and not any(file_path.match(pattern) for pattern in parent.config.getini(_FILES)):
        return None
    return ProtocolFile.from_parent(parent, path=file_path)


class ProtocolFile(pytest.File):
    """A protocol: a test for survival, and one for each requirement."""

    def collect(self) -> Iterable[ProtocolTest]:
        from .errors import StormproofError
        from .languages.formats import load

        if self.path.suffix == ".py":
            what = "is Python, which is not run for this; write a test with sp.assert_holds(...)"
            raise self.CollectError(f"{_FILES}: {self.path.name} {what}")
        try:
            system = load(self.path)
            asked = list(_asked_of(system))
        except StormproofError as problem:
            raise self.CollectError(problem.report()) from None
        taken: dict[str, int] = {}
        for requirement in asked:
            title = "recovers" if requirement is None else requirement.title
            taken[title] = taken.get(title, 0) + 1
            name = title if taken[title] == 1 else f"{title} ({taken[title]})"
            yield ProtocolTest.from_parent(self, name=name, system=system, requirement=requirement)


def _asked_of(system: System) -> Iterator[Requirement | None]:
    """None is for survival, which is not asked where the file says that it is known to fail."""
    from .search.checks.api import survival_is_asked

    if survival_is_asked(system):
        yield None
    yield from system.requirements


class ProtocolTest(pytest.Item):
    """One requirement, checked alone, under the failures that the file declares."""

    def __init__(self, *, system: System, requirement: Requirement | None, **given: Any) -> None:
        super().__init__(**given)
        self.system, self.requirement = system, requirement
        #: Some plugins ask every test for it, and take those without for none.
        self.funcargs: dict[str, object] = {}
        self.add_marker("stormproof")

    def runtest(self) -> None:
        from dataclasses import replace

        from .tell.ci.assertions import assert_holds

        if self.requirement is None:
            assert_holds(self.system, properties=["recovers"])
        else:
            assert_holds(replace(self.system, requirements=(self.requirement,)), properties=[])

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        from .errors import StormproofError

        if excinfo.errisinstance((AssertionError, StormproofError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        line = None if self.requirement is None else self.requirement.line
        return self.path, None if line is None else line - 1, f"{self.path.name}: {self.name}"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:
    """To `assert sp.survives(...)`, and the like, the chart is added."""
    outcome = yield
    if call.excinfo is None or "stormproof.search.checks.report" not in sys.modules:
        return
    if isinstance(item, ProtocolTest) or not call.excinfo.errisinstance(AssertionError):
        return
    frame = call.excinfo.traceback[-1].frame.raw
    told = "" if frame.f_globals.get("__name__") == _ASSERTIONS else _told(frame)
    if told:
        outcome.get_result().sections.append(("stormproof", told))


def _told(frame: FrameType) -> str:
    """The answers in this frame that are not as they should be; pytest keeps those of an expression there."""
    from .live.conformance.answer import TraceAnswer
    from .search.checks.report import Report, Verdict
    from .tell.ci.failure_text import found_line, report_failure, trace_failure, verdict_failure

    values = list(frame.f_locals.values())
    reports: list[Report] = [v for v in values if isinstance(v, Report)]
    inside = {id(verdict) for report in reports for verdict in report}
    found = {report_failure(report): None for report in reports if not report}
    for value in values:
        if isinstance(value, TraceAnswer) and not value:
            found[trace_failure(value)] = None
        elif isinstance(value, Verdict) and not value and (value.own is not None or id(value) not in inside):
            told = verdict_failure(value, value.own) if value.own is not None else found_line(value)
            found[told] = None
    return "\n\n".join(found)


@pytest.fixture
def stormproof_options(request: pytest.FixtureRequest) -> Options:
    """How checks are made in this session, for `sp.check(system, options=stormproof_options)`."""
    from .options import Options

    return Options().but(effort=request.config.getoption(_EFFORT))


@pytest.fixture
def assert_logs_conform(tmp_path: Path) -> Callable[..., TraceAnswer]:
    """Compare the logs of the roles that a test has run, `*.ndjson` in its `tmp_path`, with a protocol; the
    arguments are those of `sp.assert_conforms`, without the logs."""
    from .tell.ci.assertions import assert_conforms

    def compare(system: System, failures: Failures | None = None, **options: Any) -> TraceAnswer:
        __tracebackhide__ = True
        return assert_conforms(system, sorted(tmp_path.glob("*.ndjson")), failures, **options)

    return compare
