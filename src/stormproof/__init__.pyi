"""The public names and where each is defined: read by type checkers and by `__init__.py`."""

from .errors import (
    FormatError as FormatError,
    InputError as InputError,
    InternalError as InternalError,
    MissingDependency as MissingDependency,
    ModelError as ModelError,
    OutputError as OutputError,
    ParseError as ParseError,
    StormproofError as StormproofError,
    UnknownName as UnknownName,
    UsageError as UsageError,
)
from .kernel.equivalence.compare import Comparison as Comparison, compare as compare
from .kernel.model.actions import (
    CRASH as CRASH,
    Channel as Channel,
    Internal as Internal,
    Receive as Receive,
    Send as Send,
    Transition as Transition,
)
from .kernel.model.failures import Failures as Failures
from .kernel.model.faults import ChannelFaults as ChannelFaults, Corruption as Corruption
from .kernel.model.observer import ObservedEvent as ObservedEvent, Observer as Observer
from .kernel.model.process import Process as Process
from .kernel.model.requirement import Claim as Claim, Requirement as Requirement, Under as Under
from .kernel.model.run import Witness as Witness
from .kernel.model.system import System as System
from .kernel.transform.crash_completion import complete as complete
from .kernel.transform.crash_handling import crash_handling as crash_handling
from .languages.formats import dumps as dumps, load as load, loads as loads
from .languages.formats.saving import save as save
from .languages.formats.storm_requirements import require as require
from .languages.formats.storm_watched import observe as observe
from .languages.protocols import protocol as protocol
from .languages.protocols.generators import generate as generate
from .limits import Limits as Limits
from .live import runtime as runtime, testing as testing
from .live.conformance.api import trace as trace
from .live.testing.generate import testgen as testgen
from .programs.extraction.api import extract as extract
from .programs.extraction.requests import (
    Received as Received,
    choose as choose,
    durable as durable,
    receive as receive,
    send as send,
)
from .programs.extraction.role import Role as Role, Steps as Steps, role as role
from .search.checks.api import check as check, survives as survives
from .search.checks.report import Report as Report, Verdict as Verdict
from .search.reachability.api import reach as reach
from .search.reachability.channel_bounds import channel_bounds as channel_bounds
from .surveys.classify import classify as classify
from .surveys.crash_sets import crash_sets as crash_sets
from .surveys.failure_models import survey as survey
from .surveys.fault_counts import fault_counts as fault_counts
from .surveys.frontier import frontier as frontier
from .surveys.mutants.api import mutate as mutate
from .surveys.mutants.result import Mutants as Mutants
from .tell.ci.assertions import (
    assert_conforms as assert_conforms,
    assert_holds as assert_holds,
    assert_survives as assert_survives,
)
from .tell.draw.chart.build import chart as chart
from .tell.draw.chart.data import Chart as Chart
from .tell.draw.page.report import report_page as report_page
from .tell.explain.explanation import explanations as explanations
from .tell.explain.suggest import suggest as suggest

__all__: list[str]
__version__: str

def __dir__() -> list[str]: ...
