"""Does a protocol still work when messages are lost, corrupted or reordered, and when processes crash?

>>> import stormproof as sp
>>> report = sp.check(sp.protocol("alternating-bit"), sp.Failures(loss=True))
>>> report["k-wmc"].holds, report["k-pg"].holds
(True, False)
"""

from typing import TYPE_CHECKING, Any

from .checks.api import check, survives
from .checks.report import Report, Verdict
from .conformance.api import trace
from .draw.chart.build import chart
from .draw.chart.data import Chart
from .draw.page.report import report_page
from .equivalence.compare import Comparison, compare
from .errors import (
    FormatError,
    InputError,
    InternalError,
    MissingDependency,
    ModelError,
    OutputError,
    ParseError,
    StormproofError,
    UnknownName,
    UsageError,
)
from .explain.explanation import explanations
from .explain.suggest import suggest
from .extraction.api import extract
from .extraction.requests import Received, choose, receive, send
from .extraction.role import role
from .formats import dumps, load, loads, save
from .formats.storm_requirements import require
from .limits import Limits
from .model.actions import CRASH, Channel, Internal, Receive, Send, Transition
from .model.failures import Failures
from .model.faults import ChannelFaults, Corruption
from .model.process import Process
from .model.requirement import Claim, Requirement, Under
from .model.run import Witness
from .model.system import System
from .protocols import protocol
from .protocols.generators import generate
from .reachability.api import reach
from .reachability.channel_bounds import channel_bounds
from .surveys.classify import classify
from .surveys.crash_sets import crash_sets
from .surveys.failure_models import survey
from .surveys.fault_counts import fault_counts
from .surveys.frontier import frontier
from .transform.crash_completion import complete
from .transform.crash_handling import crash_handling

if TYPE_CHECKING:
    from . import runtime

__all__ = [
    "CRASH",
    "Channel",
    "ChannelFaults",
    "Chart",
    "Claim",
    "Comparison",
    "Corruption",
    "Failures",
    "FormatError",
    "InputError",
    "Internal",
    "InternalError",
    "Limits",
    "MissingDependency",
    "ModelError",
    "OutputError",
    "ParseError",
    "Process",
    "Receive",
    "Received",
    "Report",
    "Requirement",
    "Send",
    "StormproofError",
    "System",
    "Transition",
    "Under",
    "UnknownName",
    "UsageError",
    "Verdict",
    "Witness",
    "channel_bounds",
    "chart",
    "check",
    "choose",
    "classify",
    "compare",
    "complete",
    "crash_handling",
    "crash_sets",
    "dumps",
    "explanations",
    "extract",
    "fault_counts",
    "frontier",
    "generate",
    "load",
    "loads",
    "protocol",
    "reach",
    "receive",
    "report_page",
    "require",
    "role",
    "runtime",
    "save",
    "send",
    "suggest",
    "survey",
    "survives",
    "trace",
]


def __getattr__(name: str) -> Any:
    """`runtime` imports asyncio, which no check needs."""
    if name == "runtime":
        import importlib

        return importlib.import_module(".runtime", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
